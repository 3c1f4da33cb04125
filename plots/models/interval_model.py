"""What checkpoints and deaths cost, and how far apart checkpoints should be."""
import collections
import math

# iteration: seconds, without checkpoints; checkpoint: seconds that the iterations wait for one; latency:
# seconds from taking it until it counts, by which rework goes back further; recovery: seconds from the death
# until the lost iterations begin to be repeated; rework: what a repeated iteration takes, in iterations of
# normal operation.
Costs = collections.namedtuple("Costs", "iteration checkpoint latency recovery rework", defaults=(None, None))


def of_death(failure, is_restart, iteration_s):
    """(recovery, rework) of one failure of a record (docs/record.md).

    None if one of the times that make them was not measured or nothing had to be repeated: such a failure
    tells nothing, it does not cost nothing.
    """
    recovery = ("restart_s",) if is_restart else ("resume_s", "restore_s")
    keys = ("iteration", "checkpoint", "catchup_s", *recovery)
    values = [failure.get(key) for key in keys]
    if None in values:
        return None
    iteration, checkpoint, catchup, *recovery = values
    if iteration - checkpoint < 1 or catchup <= 0:
        return None
    return sum(recovery), catchup / iteration_s / (iteration - checkpoint)


def young(costs, mtbf_s):
    """J. W. Young, CACM 17 (1974): sqrt(2 C M). Repeated work at a fraction of its first cost counts as if
    deaths were that much rarer."""
    return math.sqrt(2 * costs.checkpoint * mtbf_s / costs.rework)


def daly(costs, mtbf_s):
    """J. T. Daly, FGCS 22 (2006), Eq. 37."""
    rare = mtbf_s / costs.rework
    if costs.checkpoint >= 2 * rare:
        return rare
    x = costs.checkpoint / (2 * rare)
    return math.sqrt(2 * costs.checkpoint * rare) * (1 + math.sqrt(x) / 3 + x / 9) - costs.checkpoint


def expected(costs, mtbf_s, work_s):
    """Seconds until work_s without a failure have passed, if a failure begins it again behind a recovery (Daly, Eq. 20)."""
    return mtbf_s * math.exp(costs.recovery / mtbf_s) * math.expm1(work_s / mtbf_s)


def wasted(costs, mtbf_s, interval_s):
    """Share of the time that checkpoints, recoveries and rework take."""
    return (costs.checkpoint / interval_s
            + (costs.recovery + costs.rework * (interval_s / 2 + costs.latency)) / mtbf_s)
