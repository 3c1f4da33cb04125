#!/usr/bin/env python3
"""Table 1 of the event-logging-checkpoint paper: kinds of checkpoints, and what those of this program cost in each respect.

usage: table_lines.py RESULTS-FOLDER OUTPUT-FOLDER

The lines of this library are coordinated, of the application, and non-blocking unless the user wants to wait, so the paper's other kinds have no
numbers. From records of `rollbench sweep configs/laptop/crossing.yaml --results FOLDER`.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import program
from plots.common.command import arguments
from plots.common.elc import a_line, crossing, sharing, slowest, told_apart
from plots.common.files import put
from plots.common.markdown import table
from plots.common.points import ELC
from plots.common.stats import CITED, show

KINDS = (  # of the paper: kind, advantage, disadvantage; are lines of this library of that kind?
    ("coordinated", "domino effect free; no message logging", "coordination overhead; global rollback",
     "yes: a line is committed by all processes or by none. It has the payloads of messages in transit; of all others only the envelopes are logged"),
    ("uncoordinated", "independent checkpoint; only failed process rollback", "domino effect; message logging overhead", "no"),
    ("blocking coordinated", "simple protocol", "high blocking overhead", "with ELC_WRITE=waiting; not in these runs"),
    ("non-blocking coordinated", "low performance overhead", "in-transit and orphan messages", "yes: the program goes on until the line is committed"),
    ("system-level", "high efficiency", "low portability", "no"),
    ("application-level", "high portability", "medium performance", "yes: files of the program's own data, written while it goes on"),
)
KILOBYTE = 1e3


COLUMNS = {
    "from cuts to commit, ms": lambda record: slowest(record, "line_s"),
    "program is held up, ms": lambda record: slowest(record, "stopped_s", "identify_s"),
    "writing, ms": lambda record: slowest(record, "write_s"),
    "in transit": lambda record: a_line(record, "transit"),
    "their payloads, KB": lambda record: a_line(record, "transit_bytes") / KILOBYTE,
    "orphans": lambda record: a_line(record, "orphans"),
    "results of collective functions": lambda record: a_line(record, "results"),
}


def rows(records):
    found = crossing(records)
    names = told_apart(found)
    for problem, by_np in found.items():
        for np, mine in by_np.items():
            yield (f"{names[problem]}, {np} processes", f"{sum(record['lines_committed'] for record in mine)} of {len(mine)} runs",
                   *(show([of(record) for record in mine], "{:.3g}".format) for of in COLUMNS.values()))


def lines(records):
    shared = ", ".join(map(str, sharing([record for by_np in crossing(records).values() for mine in by_np.values() for record in mine])))
    return [*table("Table 1: kinds of checkpoints", ("kind", "advantage", "disadvantage", "lines of the library here"), KINDS,
                   "The first three columns are the paper's, which has no numbers."),
            *table("A line here, in each respect", ("program", "lines", *COLUMNS), list(rows(records)),
                   f"For each line; medians of runs with their spread ({CITED}). Milliseconds are of the process that took longest. Held up: by copies of its "
                   "state, by the commit, by closing the logs and by identification. In transit: messages sent before the line and received behind it; "
                   "orphans: received before it and sent behind it." + (f" More processes than cores: {shared}." if shared else ""))]


def main():
    results, output = arguments(__doc__)
    program.need("numpy")
    records = list(ELC.load(results).values())
    if not crossing(records):
        sys.exit(f"{results}: no program with committed lines; sweep configs/laptop/crossing.yaml")
    path = pathlib.Path(output) / "lines.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, "\n".join(lines(records)))
    print(f"table of kinds of checkpoints: {path}")


if __name__ == "__main__":
    main()
