#!/usr/bin/env python3
"""usage: rollbench export --csv RESULTS-FOLDER [--out DIR]

Write the records of a sweep as tables (RFC 4180) for other statistics programs. runs.csv has one
row per run. failures.csv has one row per role that died. roles.csv has one row per role and
iteration if there is a trace (--meters iterations), and otherwise one row per role. Of runs with
--line there are runs.csv, jobs.csv with one row per job, and processes.csv with one row per process
of the last job. A value that was not measured is an empty cell. docs/record.md explains the columns and their units. If a trace
had no room for some spans, a message says so, and iterations without some spans have no sums.

  --csv       the format
  --out DIR   where the tables go (default: the results folder); it is made if necessary
  --help      this text

exit status: 0 ok, 1 a file is no record or was changed since it was written (it is named and left
out), 2 bad input or a folder that cannot be read or written
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command, files
from plots.common.command import Refused
from plots.common.json_text import parse
from plots.common.points import LINES
from plots.common.results import CHANGED, Results
from plots.common.runs import is_warm_up
from plots.export import line_tables
from plots.export.columns import FAILURES, ROLES, RUNS
from plots.export.rows import failure_rows, role_rows, run_rows
from plots.export.table import header
from plots.export.trace_cut import spans_lacking

TABLES = (("runs.csv", RUNS, run_rows), ("failures.csv", FAILURES, failure_rows), ("roles.csv", ROLES, role_rows))


def arguments(words):
    """(the results folder, the folder of the tables)."""
    folder = out = None
    csv, options = False, command.Options(words)
    for name, behind in options:
        if not name and folder is None:
            folder = behind
        elif name == "csv" and behind is None:
            csv = True
        elif name == "out":
            out = options.value()
        else:
            raise options.unexpected(": unexpected; see --help")
    if not csv:
        raise Refused("expected a format: --csv")
    if folder is None:
        raise Refused("expected a folder of results, for instance results/run-all")
    return folder, folder if out is None else out


def record_of(results, name):
    """(the record of a run, why it is left out): one of them is None."""
    data, state = results.read(name)
    if data is None or state == CHANGED:
        return None, "not the file that was written (rollbench store verify)"
    try:
        record = parse(data)
    except ValueError as error:
        return None, f"no record: {error}"
    return (record, None) if isinstance(record, dict) else (None, "no record: expected a JSON object")


def listing(results):
    """(sweep.json, the tables of its kind of runs)."""
    sweep = results.sweep()
    if sweep is None:
        raise Refused(f"{results.folder}: no sweep.json; expected the results folder of a sweep")
    if sweep.get("schema") == "rollbench-simulations-1":
        raise Refused(f"{results.folder}: records of `rollbench simulate`; expected the results folder of a sweep")
    return sweep, line_tables.TABLES if sweep.get("schema") == LINES.listing else TABLES


def collect(results, sweep, kind, tables):
    """Fill {file: [rows]}; returns how many records were left out."""
    left_out = 0
    for name in sweep["runs"]:
        if not isinstance(name, str) or not results.has(name):
            continue
        (record, why), path = record_of(results, name), f"{results.folder}/{name}.json"
        if why:
            left_out += 1
            print(f"{path}: left out: {why}", file=sys.stderr)
            continue
        record["warm_up"] = is_warm_up(name, sweep)
        for file, _, rows_of in kind:
            tables[file] += rows_of(record)
        if lacking := spans_lacking(record):
            print(f"{path}: {lacking} spans had no room in its trace: iterations that lack some have no sums in "
                  "roles.csv, or no row", file=sys.stderr)
    return left_out


def save(out, file, columns, rows):
    try:
        os.mkdir(out)
    except FileExistsError:
        pass
    except OSError as error:
        raise Refused(f"--out {out}: {error.strerror}") from error
    path = f"{out}/{file}"
    files.put(path, (header(columns) + "".join(rows)).encode())
    print(f"{path}: {len(rows)} rows")


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    folder, out = arguments(words)
    results = Results(folder)
    sweep, kind = listing(results)
    tables = {file: [] for file, _, _ in kind}
    left_out = collect(results, sweep, kind, tables)
    for file, columns, _ in kind:
        save(out, file, columns, tables[file])
    return 1 if left_out else 0


if __name__ == "__main__":
    command.run("export", main)
