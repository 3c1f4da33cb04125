"""Table 1 of the message-logging-kernels paper: its columns as they are printed, and a column of this program from records."""
from plots.common.markdown import table
from plots.common.runs import RESTART, crowded, failure_free, groups, is_good, way
from plots.common.stats import CITED, median, ratio
from plots.tables.logging_numbers import size
from plots.tables.logging_time import payload_copies

HEADER = ("", "[9]", "[19]", "[11]", "the paper")
PRINTED = (
    ("protocol", "pessimistic", "causal", "optimistic", "event-less"),
    ("implemented in", "Open MPI", "Charm++", "Open MPI", "CG and LULESH (extended)"),
    ("event logging required", "not for CG", "yes", "yes", "no"),
    ("message logging required", "yes", "yes", "yes", "yes"),
    ("requires tracking determinants", "no", "yes", "yes", "no"),
    ("optimised determinant protocol?", "–", "yes", "yes", "–"),
    ("applicability", "general", "general", "general", "per kernel"),
    ("overheads", "≈ 5% for CG", "≈ 1% for CG", "≈ 5% for CG", "fully configurable"),
    ("main culprit", "payloads", "not detailed", "payloads", "payloads"),
)
NO_RUNS = "no runs"


def problems(records):
    """(first line of the title, records) of CG whose roles have a core each."""
    return [(name.splitlines()[0], mine) for name, mine in groups(records).items() if mine[0]["kernel"] == "cg" and not crowded(mine)]


def recovered(records):
    """How many runs that keep messages and lose a role are right."""
    found = [run for run in records if run["plan"] and way(run) not in (RESTART, "none")]
    right = f"{sum(map(is_good, found))} of {len(found)} runs with a death are right ({', '.join(sorted({run['kernel'] for run in found}))})"
    return f"any kernel of the contract: {right if found else NO_RUNS}"


def fullest(runs):
    return median([max(role["log_bytes_peak"] for role in run["roles"]) for run in runs])


def logged(mine):
    whole = failure_free(mine, "all")
    return f"yes, payloads alone: {size(fullest(whole))} in the fullest log" if whole else NO_RUNS


def configurable(mine):
    """What logging adds to the time, and what a window leaves of the bytes."""
    bare, said = [run["loop_s"] for run in failure_free(mine, "none")], []
    for how in sorted({way(run) for run in mine if way(run) == "all" or way(run).startswith("window:")}):
        runs = failure_free(mine, how)
        if runs and bare:
            found = ratio([run["loop_s"] for run in runs], bare)
            interval = "" if found.low is None else f" [{100 * (found.low - 1):+.2g}, {100 * (found.high - 1):+.2g}]"
            said.append(f"{how}: {100 * (found.median - 1):+.2g}{interval} % of the time, {size(fullest(runs))}")
    return "; ".join(said) or NO_RUNS


def copies(mine):
    return f"payloads: {said} of the time" if (said := payload_copies(mine)) else NO_RUNS


def here(mine, applies):
    """The column of one problem of CG."""
    return ("event-less: an iteration is a transaction", "the time-step loop, below the kernels", "no", logged(mine), "no", "–", applies,
            configurable(mine), copies(mine))


def lines(records):
    """With a column for each problem of CG whose roles have a core each."""
    of, applies = problems(records), recovered(records)
    if not of:
        return ["### Table 1: related work", "", "No runs of CG whose roles have a core each.", ""]
    return table("Table 1: related work", (*HEADER, *(f"here: {name}" for name, _ in of)),
                 list(zip(*zip(*PRINTED), *(here(mine, applies) for _, mine in of))),
                 "All columns but the last are the paper's, which cites [9] Bouteiller and others, [19] Meneses and others and [11]. Here: what logging "
                 f"adds to the seconds of runs without a failure, by medians with their 95 % interval ({CITED}), and the fullest log of a role. That "
                 "kernels are deterministic, so that no event is logged, is by construction.")
