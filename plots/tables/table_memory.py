#!/usr/bin/env python3
"""Table 3 of the message-logging-kernels paper: what a process logs in an iteration, as a share of its heap.

usage: table_memory.py RESULTS-FOLDER OUTPUT-FOLDER

Payloads are computed without a run (`rollbench papers forecasts`). Heaps are those of the folder's runs without a log: what malloc() has
given out when the iterations are done. Where the paper's arithmetic is wrong (notes M in docs/papers.md), its number and the corrected
one stand in columns of their own.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import program
from plots.common.command import arguments
from plots.common.files import put
from plots.common.forecasts import NoForecast, beside
from plots.common.markdown import table
from plots.common.memory import heaps_of
from plots.common.runs import load
from plots.common.stats import mean
from plots.tables.logging_numbers import forecast, in_bytes, numbers, off, percent, size

ROLES = 16  # of the paper's runs of CG
FACES = "six neighbours, and one component of the gradients across a face"
REFERENCE = "26 neighbours and three components, as LULESH's reference; the paper's number lies between, and its sum of messages is not given"
CLASS_B, CLASS_C, CLASS_D, CUBE = "cg --class B --np 16", "cg --class C --np 16", "cg --class D --np 16", "lulesh --edge 45 --np 27"
Row = collections.namedtuple("Row", "name ask run summed why")  # summed: the paper's heap is that of all processes (M-4)
RUNS = (  # ask: kernel, options and roles of the forecast; run: of the run whose heap it is
    Row("cg.B.16", CLASS_B, CLASS_B, True, ""),
    Row("cg.C.16", CLASS_C, CLASS_C, True, ""),
    Row("cg.D.16", CLASS_D, CLASS_D, True, ""),
    Row("LULESH.27", CUBE, CUBE, False, FACES),
    Row("LULESH.27", f"{CUBE} --exchange reference", CUBE, False, REFERENCE),
)
INTERVALS = (  # the paper's row; its iterations, ours, and what is to be said
    ("cg.D.16", "log of 26 iterations of cg.D.16", 26, 25,
     "an outer iteration has 25 inner ones and one product more, of the residual, which logs as much (M-2)"),
    ("LULESH.27", "log of 20 iterations of LULESH", 20, 20, "20 iterations of its Table 3 are 10 MB (M-3)"),
)
NOT_RUN = "not run here"


def payload(theirs, name):
    return in_bytes(theirs, f"payload per process and iteration; {name}")


def a_process(records, words):
    """Bytes of the heap of a process, the mean of a run; None: there is no run."""
    found = heaps_of(records, words)
    return mean(found) if found else None


def rows(theirs, records, forecasts):
    for row in RUNS:
        told = forecast(forecasts, row.ask)
        most, ours = max(told["log_bytes_peak"]), a_process(records, row.run)
        heap, logged = in_bytes(theirs, f"heap; {row.name}"), payload(theirs, row.name)
        own = heap / ROLES if row.summed else heap
        yield (row.name, size(logged), f"{size(most)}; mean {size(mean(told['log_bytes_peak']))}", off(most, logged),
               size(heap), size(own) if row.summed else "as printed", size(ours) if ours else NOT_RUN,
               f"{theirs[f'share of the heap; {row.name}', '%']} %", percent(logged / own) if row.summed else "as printed",
               percent(most / ours) if ours else NOT_RUN, row.why)


def accumulated(theirs, per_iteration, records, forecasts):
    for name, what, printed, ours, why in INTERVALS:
        row = next(row for row in RUNS if row.name == name)
        most, held = max(forecast(forecasts, row.ask, ours)["log_bytes_peak"]), a_process(records, row.run)
        heap = in_bytes(per_iteration, f"heap; {name}")
        whole = payload(per_iteration, name) * printed
        said = theirs.get(("share of memory of LULESH's log", "%")) if name == "LULESH.27" else "over 1"
        yield (name, f"{printed} iterations: {size(in_bytes(theirs, what))}", f"{printed} iterations: {size(whole)}", f"{ours} iterations: {size(most)}",
               f"{said} %", percent(whole / (heap / ROLES if row.summed else heap)), percent(most / held) if held else NOT_RUN, why)


def lines(records, forecasts):
    theirs = numbers("table3")
    yield from table("Table 3: payload per process and iteration, and its share of the heap",
                     ("run", "payload: paper", "payload: ours, largest role", "difference", "heap: paper", "heap a process, corrected", "heap a process: ours",
                      "share: paper", "share: corrected", "share: ours", "reason"), rows(theirs, records, forecasts),
                     "Payload is computed without a run (`rollbench explain --json`), to the byte. Our heap is what malloc() has given out to a process when "
                     "its iterations are done, and the kernel's constants, mean of the roles, the MPI library included; the paper's is what massif "
                     "counts, and it does not say at which moment. CG needs twice as much memory while it builds its matrix. "
                     f"Corrected (M-4): the paper's heap of CG fits the sum over {ROLES} processes, its payload one process; so the heap is "
                     f"divided by {ROLES}. Its row of LULESH is of one process.")
    yield from table("What logs hold in a checkpoint interval (Sect. 8.2.2)",
                     ("run", "log: paper", "log: the paper's Table 3, multiplied", "log: ours", "share: paper", "share: corrected", "share: ours", "reason"),
                     accumulated(numbers("accumulated-log"), theirs, records, forecasts))


def main():
    results, output = arguments(__doc__)
    program.need("numpy")
    program.need("yaml")
    try:
        text = "\n".join(lines(load(results), beside(results)))
    except NoForecast as error:
        sys.exit(str(error))
    path = pathlib.Path(output) / "memory.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, text)
    print(f"table of payloads and heaps: {path}")


if __name__ == "__main__":
    main()
