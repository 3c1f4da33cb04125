"""Table 4 of the message-logging-kernels paper: where the time of an iteration goes, role 0, without failures.

A share of the whole time means something only if every role has a core. In runs whose roles share cores, most of an
iteration is waiting for one, so that every other share is small. For these the table has only shares of the time
without messages and waits, and the paper's shares are computed again on the same base.
"""
from plots.common.markdown import table
from plots.common.memory import mean_heap
from plots.common.runs import crowded, failure_free, groups, named
from plots.common.stats import CITED, median, show
from plots.tables.logging_numbers import forecast, numbers, percent, size

PAPERS = {"cg": "CG", "lulesh": "LULESH"}
# The paper's iterations: how many of ours, what they log in a process; LULESH's payload is that of its Table 3. Note M-1.
COPIED = {"cg": (75 * 25, "cg --class C --np 256"), "lulesh": (75, None)}
SHARED = "roles share cores"
IN_PLACE = "no buffers: updates in place, which cannot be repeated"
ROWS = ("I/O", "MPI", "payload copy", "buffer copy")


def parts(role):
    """Seconds of one run by the paper's rows. Timed iterations stand for all; checkpoints are taken between iterations."""
    phases, checkpoints = role["phases"], role["checkpoint_s"]
    scale = (role["loop_s"] - checkpoints) / phases["total_s"]
    return {"I/O": checkpoints, "MPI": scale * phases["communicate_s"], "payload copy": scale * (phases["pack_s"] + phases["log_s"]),
            "commit": scale * phases["commit_s"], "total": role["loop_s"]}


def without_waits(of):
    """The time that is left without messages and checkpoints."""
    return of["total"] - of["MPI"] - of["I/O"]


def runs_of(records, policy):
    """[parts of role 0] of runs without a failure."""
    return [parts(r["roles"][0]) for r in failure_free(records, policy) if r["roles"][0]["phases"]["iterations"]]


def on_core(records):
    """CPU time of role 0's steps as a share of their time: far below 100 %, other programs had the core, or it slept while it waited."""
    steps = [(r["roles"][0].get("used") or {}).get("step") for r in failure_free(records, "all")]
    found = [100 * step["cpu_s"] / step["wall_s"] for step in steps if step and step["cpu_s"] and step["wall_s"]]
    return f"CPU time {show(found, '{:.3g}'.format)} % of the steps' time" if found else "CPU time unknown"


def shares(of, row, base):
    return show([100 * one[row] / base(one) for one in of], "{:.2g}".format) + " %" if of else "no runs"


def payload_copies(records, policy):
    """As a share of the whole time."""
    return shares(runs_of(records, policy), "payload copy", lambda one: one["total"])


def paper_parts(kernel):
    """{row: seconds} of the paper."""
    theirs = numbers("table4")
    return {row: theirs[f"{PAPERS[kernel]}: {row}", "s"] for row in (*ROWS, "total")}, theirs


def said_paper(kernel, row):
    """(as printed, computed again on the base of runs that share cores: of the time without messages and checkpoints)."""
    if kernel not in PAPERS:
        return "not in the paper", ""
    seconds, theirs = paper_parts(kernel)
    printed = f"{seconds[row]:g} s ({theirs[f'{PAPERS[kernel]}: {row}', '%']} %)"
    return printed, f"{100 * seconds[row] / without_waits(seconds):.2g} %" if row in ("payload copy", "buffer copy") else ""


REASONS = {
    "I/O": "checkpoints, written and synced; the paper does not say how often",
    "MPI": "waiting for other roles included",
    "payload copy": "packing into the log is the copy, and without a log into a buffer (last column)",
    "buffer copy": "there is no copy: iterations compute out of place, and a commit swaps pointers; copies are measured in transactions.md",
}


def rows(name, records):
    """Of one problem, in the paper's rows."""
    own, plain, waits = runs_of(records, "all"), runs_of(records, "none"), crowded(records)
    for row in ROWS:
        printed, rebased = said_paper(records[0]["kernel"], row)
        whole = IN_PLACE if row == "buffer copy" and records[0]["params"].get("buffers") == "single" else \
            "0, by construction" if row == "buffer copy" else \
            f"{SHARED}: no share" if waits else shares(own, row, lambda one: one["total"])
        work, bare = (shares(of, row, without_waits) if row == "payload copy" else "" for of in (own, plain))
        yield name, row, printed, whole, rebased, work, bare, REASONS[row]


def per_megabyte(records):
    """Milliseconds per megabyte of payload, which waiting in between does not change: (ours of `all`, the paper's)."""
    ours = [1e9 * (r["roles"][0]["phases"]["pack_s"] + r["roles"][0]["phases"]["log_s"]) / r["roles"][0]["phases"]["iterations"]
            / (r["roles"][0]["log_bytes_total"] / r["roles"][0]["executed"])
            for r in failure_free(records, "all") if r["roles"][0]["log_bytes_total"] and r["roles"][0]["phases"]["iterations"]]
    return show(ours, "{:.2g}".format) if ours else None


def logged(records):
    """(the fullest log of an interval, the heap of a process without a log, the share) of runs without a failure; None: there are none."""
    logs = [max(role["log_bytes_peak"] for role in r["roles"]) for r in failure_free(records, "all")]
    held = [found for r in failure_free(records, "none") if (found := mean_heap(r)) is not None]
    return (size(median(logs)), size(median(held)), percent(median(logs) / median(held))) if logs and held else None


def paper_per_megabyte(kernel, forecasts):
    """(ms/MB, how it is computed)"""
    if kernel not in COPIED:
        return "not in the paper", ""
    iterations, words = COPIED[kernel]
    if words:
        each = max(forecast(forecasts, words)["log_bytes_peak"])
    else:
        each = 1e3 * numbers("table3")["payload per process and iteration; LULESH.27", "KB"]
    seconds, _ = paper_parts(kernel)
    return (f"{1e9 * seconds['payload copy'] / (iterations * each):.2g}",
            f"{seconds['payload copy']:g} s for {iterations} iterations of {each / 1e3:.3g} KB")


def lines(records, forecasts):
    found = {name: mine for name, mine in named(groups(records)).items() if runs_of(mine, "all")}
    if not found:
        return ["### Table 4: where the time goes", "", "No runs without a failure under `all` among these records.", ""]
    runs = "; ".join(f"{name}: {len(runs_of(mine, 'all'))} runs with a log, {len(runs_of(mine, 'none'))} without, {on_core(mine)}"
                     for name, mine in found.items())
    text = table("Table 4: where the time of an iteration goes (role 0, `all`, no failure)",
                 ("run", "row", "paper: cg.C.256, lulesh.216", "ours: of the whole", "paper: without messages and I/O", "ours: without messages and I/O",
                  "the same, without a log", "reason for a difference"),
                 [row for name, mine in found.items() for row in rows(name, mine)],
                 f"Medians of runs with their spread ({CITED}). {runs}. The paper's 75 iterations of CG are outer ones, 1875 of ours (M-1). "
                 "`roles share cores`: more roles than cores; an iteration is mostly waiting for one, so a share of the whole says nothing and is "
                 "left out. The base without messages and I/O has no such waiting in messages; computing itself may still have been interrupted. "
                 "A core for each role is one only if no other program wants it: see the CPU time. "
                 "What logging adds is the difference of the two last columns of numbers; below 0, finding a slot outside of the log costs more than one "
                 "inside.")
    speeds = [(name, *paper_per_megabyte(mine[0]["kernel"], forecasts), per_megabyte(mine) or "no runs") for name, mine in found.items()]
    logs = [(name, *held) for name, mine in found.items() if (held := logged(mine))]
    text += table("What logs hold in a checkpoint interval here", ("run", "log of the largest role", "heap a process, without a log", "share"), logs,
                  "The heap has images of checkpoints in it. Table 3 of the paper, at its sizes and without these, is in memory.md.") if logs else []
    return text + table("Copying a megabyte of payload, ms", ("run", "paper", "the paper's arithmetic", "ours"), speeds,
                        "Waiting for messages is not in it. Ours gathers strided data, too, and small messages cost more a megabyte.")
