"""What failures at random cost on average if all roles execute their iterations in step: closed forms.

They are for a line of roles and checkpoints for which all roles wait. Failures are those of one system, exponential, and
cost neither detection nor repair. An interval between two checkpoints is repeated from its beginning until no failure
happens in it. Two things are left out: failures during a checkpoint, and that roles at the end of the line have fewer
neighbours. The second failure of an interval counts as the first one does. Pure functions.
"""
import collections
import math

# roles; steps: iterations, each of iteration_s seconds; interval: of them between two checkpoints, which take
# checkpoint_s; mtbf_s: of one role.
Case = collections.namedtuple("Case", "roles steps iteration_s interval checkpoint_s mtbf_s")

WORK = {  # iterations computed again by all roles, if L of them are lost
    "global": lambda roles, lost: roles * lost,
    "flat": lambda roles, lost: lost * (2 * lost + 1),
    "dataflow": lambda roles, lost: lost ** 2,
    "local": lambda roles, lost: lost,
}


def failure_rate(case):
    return case.roles / case.mtbf_s


def intervals(case):
    """Iterations of each interval; the last one may have fewer."""
    whole, rest = divmod(case.steps, case.interval)
    return [case.interval] * whole + [rest] * (rest > 0)


def crashes_in(case, iterations):
    """Of an interval with so many iterations: e^(rate W) - 1 attempts fail before one lasts W seconds."""
    return math.expm1(failure_rate(case) * iterations * case.iteration_s)


def crashes(case):
    return math.fsum(crashes_in(case, k) for k in intervals(case))


def makespan(case):
    """A failure restarts the interval; its expected time is (e^(rate W) - 1) / rate."""
    return (math.fsum(crashes_in(case, k) for k in intervals(case)) / failure_rate(case)
            + (len(intervals(case)) - 1) * case.checkpoint_s)


def chances(case, iterations):
    """[of a failure in an interval: the probability that it happens in its first iteration, in its second one, ...]"""
    rate = failure_rate(case) * case.iteration_s
    first = -math.expm1(-rate) / -math.expm1(-rate * iterations)
    return [math.exp(-rate * lost) * first for lost in range(iterations)]


def recomputed(case, method):
    """Iterations computed again, of all roles and with those on duplicates."""
    return math.fsum(crashes_in(case, k) * math.fsum(p * WORK[method](case.roles, lost)
                                                     for lost, p in enumerate(chances(case, k)))
                     for k in intervals(case))
