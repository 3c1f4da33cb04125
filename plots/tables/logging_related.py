"""Table 1 of the message-logging-kernels paper: its columns as they are printed, and a column of this program from records."""
from plots.common.markdown import table
from plots.common.paired import ratios
from plots.common.runs import RESTART, crowded, failure_free, groups, is_control, is_good, named, way
from plots.common.stats import CITED, interval, median
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


def of_cg(records):
    """{problem: records} of CG whose roles have a core each."""
    return {name: mine for name, mine in named(groups(records)).items() if mine[0]["kernel"] == "cg" and not crowded(mine)}


def recovered(records):
    """Of the runs that kept messages and lost a role, how many are right."""
    found = [run for run in records if run["plan"] and run["failures"] and way(run) != RESTART and run["policy"] != "none" and not is_control(run)]
    right = f"{sum(map(is_good, found))} of {len(found)} runs with a death are right ({', '.join(sorted({run['kernel'] for run in found}))})"
    return f"per kernel, which is written as step and commit: {right if found else NO_RUNS}"


def fullest(mine, how):
    """Bytes of the fullest log of a role; None: there are no runs."""
    runs = failure_free(mine, how)
    return median([max(role["log_bytes_peak"] for role in run["roles"]) for run in runs]) if runs else None


def logged(mine):
    held = fullest(mine, "all")
    return NO_RUNS if held is None else f"yes, payloads alone: {size(held)} in the fullest log"


def overheads(mine, paired):
    """What protection with a log adds to the time of plain MPI, and what a window leaves of the bytes."""
    windows = sorted({run["policy"] for run in mine if run["policy"].startswith("window:") and way(run) == run["policy"]})
    bytes_of = [f"{how}: {size(held)}" for how in ("all", *windows) if (held := fullest(mine, how)) is not None]
    return "; ".join([*(f"all, {name}: {said(found)}" for name, found in paired.items()), *bytes_of]) or NO_RUNS


def said(paired):
    """Of the ratios of paired runs."""
    found = interval(paired)
    ends = "" if found.low is None else f" [{100 * (found.low - 1):+.2g}, {100 * (found.high - 1):+.2g}]"
    return f"{100 * (found.median - 1):+.2g}{ends} % of {len(paired)} paired runs"


def copies(mine):
    return f"payload copies: {payload_copies(mine, 'all')} of the time; as many without a log: {payload_copies(mine, 'none')}"


def lines(records, beside):
    """With a column for each problem of CG whose roles have a core each. beside: records of paired runs."""
    of, applies, paired = of_cg(records), recovered(records), ratios(beside, "cg")
    if not of:
        return ["### Table 1: related work", "", "No runs of CG whose roles have a core each.", ""]
    here = [("event-less: an iteration is a transaction", "the time-step loop, below the kernels", "no", logged(mine), "no", "–", applies,
             overheads(mine, paired), copies(mine)) for mine in of.values()]
    return table("Table 1: related work", (*HEADER, *(f"here: {name}" for name in of)), list(zip(*zip(*PRINTED), *here)),
                 "The first five columns are the paper's, which cites [9] Bouteiller and others, [19] Meneses and others and [11]. Here, overheads: "
                 "protection with a log against plain MPI, by pairs of blocks of iterations without a checkpoint, with the 95 % interval "
                 f"({CITED}); below 0 it is no slower. Then the fullest log of a role, which a window makes smaller. That kernels are "
                 "deterministic, so that no event is logged, is by construction.")
