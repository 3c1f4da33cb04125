"""Time and energy of memory-constrained message logging (MCML) against simple causal message logging (SCML), as a model.

It is that of the memory-constrained-logging paper, Sect. VI, Table VI and Fig. 7. Pure functions. The paper takes its
formulas from others and does not print them; these are a reconstruction from the four parts of its sum, T_Solve,
T_Checkpoint, T_Recover and T_Restart, which gives its numbers (docs/study.md). Times are seconds, energies joules per
socket.
"""
import collections
import math

HOUR = 3600
YEAR = 365.25 * 24 * HOUR

# solve_s: W, time to solution without logging and without failures; mtbf_s: M_S, of one socket; checkpoint_s: delta;
# restart_s: R; slowdown: mu, of logging; speedup: phi, of a recovery with logs; high_w, low_w: H and L, power of a socket
# that computes and of one that does not; slowed: do recovering processes log, too, so that mu slows them?
Machine = collections.namedtuple("Machine", "solve_s mtbf_s checkpoint_s restart_s slowdown speedup high_w low_w slowed")
PAPER = Machine(24 * HOUR, 40 * YEAR, 300, 30, 1.05, 1.2, 100, 50, True)

# Seconds of each part of a run.
Parts = collections.namedtuple("Parts", "solve checkpoint recover restart")


def system_mtbf(m, sockets):
    return m.mtbf_s / sockets


def rework(m, tau):
    """Of one failure: half an interval and its checkpoint, computed again phi times as fast."""
    return (tau + m.checkpoint_s) * (m.slowdown if m.slowed else 1) / (2 * m.speedup)


def parts(m, sockets, tau):
    """A run with a checkpoint every tau seconds; None: failures come faster than a recovery ends, so it has no end.

    The number of failures follows from the time of the whole run, T = solve + checkpoint + T / M (rework + restart), so
    the equation is solved for T.
    """
    solve = m.solve_s * m.slowdown
    checkpoint = (solve / tau - 1) * m.checkpoint_s
    lost = (rework(m, tau) + m.restart_s) / system_mtbf(m, sockets)
    if lost >= 1:
        return None
    failures = (solve + checkpoint) / (1 - lost) / system_mtbf(m, sockets)
    return Parts(solve, checkpoint, failures * rework(m, tau), failures * m.restart_s)


def time(m, sockets, tau):
    """Of the whole run; infinite if it has no end."""
    found = parts(m, sockets, tau)
    return math.inf if found is None else sum(found)


def energy(m, sockets, tau, recovering):
    """recovering: share of the processes that compute in a recovery; the others wait for them."""
    found = parts(m, sockets, tau)
    if found is None:
        return math.inf
    in_recovery = recovering * m.high_w + (1 - recovering) * m.low_w
    return m.high_w * found.solve + m.low_w * (found.checkpoint + found.restart) + in_recovery * found.recover


def best_interval(m, sockets):
    """tau*, where time() is least; None: no interval lets the run end.

    time() is (a + b / tau) / (c - d tau), whose derivative is zero where a d tau^2 + 2 b d tau - b c = 0.
    """
    solve, mtbf = m.solve_s * m.slowdown, system_mtbf(m, sockets)
    a, b = solve - m.checkpoint_s, solve * m.checkpoint_s
    d = (m.slowdown if m.slowed else 1) / (2 * m.speedup * mtbf)
    c = 1 - d * m.checkpoint_s - m.restart_s / mtbf
    if c <= 0:
        return None
    tau = (math.sqrt((b * d) ** 2 + a * b * c * d) - b * d) / (a * d)
    return min(tau, solve)  # one interval is the whole run


def compare(m, sockets, omega, sigma):
    """MCML with a checkpoint every tau*, and SCML, whose log is full after omega tau*: {name: number}.

    sigma: share of the processes that recover under MCML; under SCML it is one. None: the run has no end.
    """
    tau = best_interval(m, sockets)
    if tau is None:
        return None
    constrained, full = time(m, sockets, tau), time(m, sockets, omega * tau)
    joules, all_joules = energy(m, sockets, tau, sigma), energy(m, sockets, omega * tau, 1 / sockets)
    return {"tau_s": tau, "mcml_s": constrained, "scml_s": full, "relative_time": constrained / full,
            "relative_energy": joules / all_joules, "mcml_j": joules, "scml_j": all_joules,
            "time_saved_percent": 100 * (1 - constrained / full),
            "energy_saved_percent": 100 * (1 - joules / all_joules)}
