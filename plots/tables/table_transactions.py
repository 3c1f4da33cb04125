#!/usr/bin/env python3
"""What it costs that an interrupted iteration can be begun again: second buffers, or copies of the state before each iteration.

usage: table_transactions.py RESULTS-FOLDER OUTPUT-FOLDER

Of runs without a log and without a failure whose roles have a core each. The row "buffer copy" of Table 4 of the message-logging-kernels
paper and Sect. 4.6 of power-log-n-roll are about this.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import program
from plots.common.command import arguments
from plots.common.files import put
from plots.common.markdown import table
from plots.common.memory import BOTH, COPIES, WAYS, by_way, copied, mean_heap
from plots.common.runs import load
from plots.common.stats import CITED, median, ratio, show
from plots.tables.logging_numbers import numbers, percent, size

PAPERS = {"cg": "CG", "lulesh": "LULESH"}


def said_paper(kernel):
    """The paper's share of the whole time."""
    return f"{numbers('table4')[f'{PAPERS[kernel]}: buffer copy', '%']} %" if kernel in PAPERS else "not in the paper"


def memory(mine, base):
    """(the heap of a process, how much more than that of the base) of two lists of runs; empty: it is the base."""
    first, second = ([mean_heap(run) for run in runs] for runs in (mine, base))
    if None in first + second:
        return "the C library does not tell", ""
    more = median(first) / median(second) - 1
    return size(median(first)), "" if mine is base else "+" * (more > 0) + percent(more)


def slower(mine, base):
    found = ratio([run["loop_s"] for run in mine], [run["loop_s"] for run in base])
    return f"{found.median:.3f}" + ("" if found.low is None else f" [{found.low:.3f}, {found.high:.3f}]")


def rows(problem, ways):
    base = ways[next(way for way in WAYS if way in ways)]
    for way in WAYS:
        mine, copies = ways.get(way, []), way in (COPIES, BOTH)
        if not mine:
            continue
        yield (problem, way, len(mine), *memory(mine, base), "" if mine is base else slower(mine, base),
               show([copied(run) for run in mine], "{:.2g}".format) + " %" if copies else "nothing is copied",
               said_paper(mine[0]["kernel"]) if copies else "")


def lines(records):
    found = by_way(records)
    if not found:
        return ["### Ways to begin an iteration again", "", "No runs without a log and a failure whose roles have a core each.", ""]
    return table("Ways to begin an iteration again: memory and time",
                 ("run", "way", "runs", "heap a process", "more", "time of the loop, ratio", "copying, of the iterations", "paper: of the whole"),
                 [row for problem, ways in found.items() for row in rows(problem, ways)],
                 "More, and the ratio: than the first row of the run. LULESH in place cannot begin an iteration again. Ratio of "
                 f"medians with its 95 % interval; copying: median with its spread ({CITED}). Copied is what changes: 11 of LULESH's 26 arrays, and "
                 "the vectors of CG. The paper copies the entire domain of LULESH and a few vectors of CG, and has messages and I/O in the whole. "
                 "The heap has the MPI library in it.")


def main():
    results, output = arguments(__doc__)
    program.need("numpy")
    program.need("yaml")
    path = pathlib.Path(output) / "transactions.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, "\n".join(lines(load(results))))
    print(f"table of second buffers and copies: {path}")


if __name__ == "__main__":
    main()
