"""Table 3 of the message-logging-kernels paper: what a process logs in an iteration, as a share of its data.

Data are the arrays of the kernel, as its plan has them, before any run. They contain no memory of the MPI library, which
resident memory has: 20 MiB and more a process, as much as the data of a small problem.
"""
from plots.common.runs import failure_free, groups
from plots.common.stats import mean, median
from plots.tables.logging_numbers import forecast, in_bytes, numbers, off, percent, size, table

ROLES = 16  # of the paper's runs of CG
FACES = "six neighbours, and one component of the gradients across a face"
REFERENCE = "26 neighbours and three components, as LULESH's reference; the paper's number lies between, and its sum of messages is not given"
RUNS = (  # the paper's row; kernel, options and roles; is its heap that of all processes (note M-4)? what is to be said
    ("cg.B.16", "cg --class B --np 16", True, ""),
    ("cg.C.16", "cg --class C --np 16", True, ""),
    ("cg.D.16", "cg --class D --np 16", True, ""),
    ("LULESH.27", "lulesh --edge 45 --np 27", False, FACES),
    ("LULESH.27", "lulesh --edge 45 --np 27 --exchange reference", False, REFERENCE),
)
INTERVALS = (  # the paper's row; its iterations, ours, and what is to be said
    ("cg.D.16", "log of 26 iterations of cg.D.16", 26, 25,
     "an outer iteration has 25 inner ones and one product more, of the residual, which logs as much (M-2)"),
    ("LULESH.27", "log of 20 iterations of LULESH", 20, 20, "20 iterations of its Table 3 are 10 MB (M-3)"),
)


def payload(theirs, name):
    return in_bytes(theirs, f"payload per process and iteration; {name}")


def rows(theirs, forecasts):
    for name, words, summed, why in RUNS:
        told = forecast(forecasts, words)
        most, data = max(told["log_bytes_peak"]), told["data_bytes"]
        heap, logged = in_bytes(theirs, f"heap; {name}"), payload(theirs, name)
        own = heap / ROLES if summed else heap
        yield (name, size(logged), f"{size(most)}; mean {size(mean(told['log_bytes_peak']))}", off(most, logged),
               size(heap), size(own) if summed else "as printed",
               size(data), f"{theirs[f'share of the heap; {name}', '%']} %", percent(logged / own) if summed else "as printed",
               percent(most / data), why)


def accumulated(theirs, per_iteration, forecasts):
    for name, what, printed, ours, why in INTERVALS:
        words, summed = next((words, summed) for known, words, summed, _ in RUNS if known == name)
        told = forecast(forecasts, words, ours)
        most, heap = max(told["log_bytes_peak"]), in_bytes(per_iteration, f"heap; {name}")
        whole = payload(per_iteration, name) * printed
        said = theirs.get(("share of memory of LULESH's log", "%")) if name == "LULESH.27" else "over 1"
        yield (name, f"{printed} iterations: {size(in_bytes(theirs, what))}", f"{printed} iterations: {size(whole)}", f"{ours} iterations: {size(most)}",
               f"{said} %", percent(whole / (heap / ROLES if summed else heap)), percent(most / told["data_bytes"]), why)


def largest(records, policy, key):
    """Over roles the most, over runs the median; None without runs."""
    found = [max(role[key] for role in r["roles"]) for r in failure_free(records, policy) if all(role.get(key) is not None for role in r["roles"])]
    return median(found) if found else None


def measured(records):
    """Of runs without a failure: the log at its fullest against data, against a checkpoint's image, and against resident memory."""
    for name, mine in groups(records).items():
        log, memory, image = (largest(mine, *of) for of in (("all", "log_bytes_peak"), ("none", "rss_peak"), ("none", "checkpoint_memory")))
        if not log or not memory:
            continue
        data = mine[0]["data_bytes"]
        yield (name.splitlines()[0], size(log), size(data), size(memory), percent(log / data),
               percent(log / image) if image else "no image in memory", f"{percent(log / memory)}: not for comparison")


def lines(records, forecasts):
    theirs = numbers("table3")
    found = list(measured(records))
    yield from table("Table 3: payload per process and iteration, and its share of the data",
                     ("run", "payload: paper", "payload: ours, largest role", "difference", "heap: paper", "heap a process, corrected", "data a process: ours",
                      "share: paper", "share: corrected", "share: ours", "reason"), rows(theirs, forecasts),
                     "Ours is computed without a run (`rollbench explain --json`): payload to the byte, data as the kernel's plan has its arrays. "
                     f"Corrected (M-4): the paper's heap of CG fits the sum over {ROLES} processes, its payload one process; so the heap is "
                     f"divided by {ROLES}. Its row of LULESH is of one process. The paper's heap is what massif counts, with what an MPI library "
                     "allocates there.")
    yield from table("What logs hold in a checkpoint interval (Sect. 8.2.2)",
                     ("run", "log: paper", "log: the paper's Table 3, multiplied", "log: ours", "share: paper", "share: corrected", "share: ours", "reason"),
                     accumulated(numbers("accumulated-log"), theirs, forecasts))
    if found:
        yield from table("Recorded here: the fullest log of an interval, and shares of it",
                         ("run", "log", "data", "resident memory without a log", "share of the data", "share of a checkpoint's image",
                          "share of resident memory"), found,
                         "Resident memory has the MPI library and the image of the state in it, so its share says how large the problem is, "
                         "not how much is logged. An image has only what changes; CG's matrix and Jacobi's second field are not in it.")
