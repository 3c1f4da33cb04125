#!/usr/bin/env python3
"""Tables 1, 2 and 4 of the message-logging-kernels paper in its rows, with its numbers beside ours.

usage: table_logging.py RESULTS-FOLDER OUTPUT-FOLDER

Overheads of Table 1 are of the paired runs of a sweep beside RESULTS-FOLDER (configs/laptop/protection.yaml). Lines are counted from the sources,
payloads computed without a run (`rollbench papers forecasts`), times taken from the runs of the folder that have no failure. Table 3 is in
table_memory.py.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import program
from plots.common.command import arguments
from plots.common.files import put
from plots.common.forecasts import NoForecast, beside
from plots.common.runs import load
from plots.tables import logging_lines, logging_related, logging_time


PAIRED = ("protection", "message-logging-kernels-table1")  # of the laptop's and the paper's experiments


def paired_runs(results):
    """Those beside these results; none, if nobody has made them."""
    there = [folder for name in PAIRED if ((folder := pathlib.Path(results).resolve().parent / name) / "sweep.json").exists()]
    return load(there[0]) if there else []


def main():
    results, output = arguments(__doc__)
    program.need("numpy")
    program.need("yaml")
    records, forecasts = load(results), beside(results)
    try:
        text = [*logging_related.lines(records, paired_runs(results)), *logging_lines.lines(), *logging_time.lines(records, forecasts)]
    except NoForecast as error:
        sys.exit(str(error))
    path = pathlib.Path(output) / "message-logging-kernels.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, "\n".join(text))
    print(f"tables of the message-logging-kernels paper: {path}")


if __name__ == "__main__":
    main()
