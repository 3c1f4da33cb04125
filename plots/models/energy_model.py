"""Time and energy of local against global rollback, as a model.

It is that of the power-log-n-roll paper, Sect. 8.2.2, Eq. 1 to 3. Pure functions. Times are seconds. Energies
are seconds at the power of computing (P_solve = 1): times watts they are joules, divided by the solve time they
are relative to P_solve * T_solve. Dump and restart are left out, since the paper takes them as equal on both
sides.
"""
import collections
import math

# Without dimension. lam: share of full speed under message logging, above 0 and at most 1; mu: local recovery
# is this many times as fast as global recovery; c: power in local recovery / power in computing, 0 < c <= 1.
Model = collections.namedtuple("Model", "lam mu c")
# What a run under global rollback spends, seconds.
Load = collections.namedtuple("Load", "solve_s rework_s")


def time_global(load):
    """Eq. 1, as time_local()."""
    return load.solve_s + load.rework_s


def time_local(m, load):
    return load.solve_s / m.lam + load.rework_s / m.mu


def energy_global(load):
    """Power times time, phase by phase. Global recovery computes, so its power is that of computing."""
    return load.solve_s + load.rework_s


def energy_local(m, load):
    return load.solve_s / m.lam + m.c * load.rework_s / m.mu


def overhead(m):
    """What logging costs in a second of solving."""
    return (1 - m.lam) / m.lam


def gain(m):
    """What Eq. 2 says local rollback gains in a second of rework."""
    return 1 - m.c / m.mu


def gain_printed(m):
    """The same of Eq. 3."""
    return (1 - m.c) / m.mu


def difference(m, load):
    """E_local - E_global by Eq. 2; negative: local rollback saves energy."""
    return overhead(m) * load.solve_s - gain(m) * load.rework_s


def difference_printed(m, load):
    """By Eq. 3 as it is printed: 1 - lambda for (1 - lambda) / lambda, and mu dividing all of the rework, so
    the same as Eq. 2 only for mu = 1 (docs/energy.md)."""
    return (1 - m.lam) * load.solve_s - gain_printed(m) * load.rework_s


def failure_probability(m, load, mtbf_s):
    """(under global rollback, under local rollback): that a failure comes before the solving ends, which logging makes later; failures are
    exponential. Sect. 8.2.2."""
    return -math.expm1(-load.solve_s / mtbf_s), -math.expm1(-load.solve_s / m.lam / mtbf_s)


def rise_printed(m, load, mtbf_s):
    """By how much it grows, as printed: the exponents lack their signs, so it is negative. Infinity: too large for a number."""
    try:
        return math.exp(load.solve_s / mtbf_s) - math.exp(load.solve_s / m.lam / mtbf_s)
    except OverflowError:
        return -math.inf


def share(cost, gained):
    return cost / gained if gained > 0 else math.inf


def break_even(m):
    """Rework as a share of solve time beyond which local rollback saves energy, by Eq. 2. Infinity: never,
    because a second of rework costs no less under local rollback."""
    return share(overhead(m), gain(m))


def break_even_printed(m):
    """By Eq. 3 as printed."""
    return share(1 - m.lam, gain_printed(m))


def break_even_quoted(m):
    """What yields both figures in the paper's text, 8 % for mu = 1 and 4 % for mu = 2: the break-even for
    mu = 1, divided by mu. No equation of the paper has it."""
    return share(1 - m.lam, m.mu * (1 - m.c))
