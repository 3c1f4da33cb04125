#!/usr/bin/env python3
"""usage: rollbench export --csv|--parquet RESULTS-FOLDER [--out DIR]

Write the records of a sweep as tables for other statistics programs. Each table has rows of one
kind, which their key columns tell apart; `id` joins the tables. runs: one row per run. params: per
option of its kernel. kills: per planned kill. failures: per role that died. failure_roles: per
failure and role, with who went back, replayed and was blocked. roles: per role. iterations: per
role and iteration, of runs with a trace (--meters iterations). Of runs with --protocol: runs, kills,
jobs, and processes of the last job. columns has a row for every column of these tables: its unit,
type and meaning. docs/record.md has more, and how to load the tables in R and pandas.

A value that was not measured is an empty cell. What is true or false is TRUE or FALSE. If a trace
had no room for some spans, a message says so, and iterations without some spans have no sums.

  --csv       as NAME.csv after RFC 4180
  --parquet   as NAME.parquet; this needs pandas, and pyarrow or fastparquet
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
from plots.common.points import ELC
from plots.common.program import need
from plots.common.runs import is_warm_up, repetition
from plots.export import elc_tables, parquet
from plots.export.column import DICTIONARY
from plots.export.results import Results
from plots.export.rows import TABLES
from plots.export.table import header, line
from plots.export.trace_cut import spans_lacking

FORMATS = ("csv", "parquet")


def arguments(words):
    """(the results folder, the folder of the tables, the formats)."""
    folder = out = None
    formats, options = [], command.Options(words)
    for name, behind in options:
        if not name and folder is None:
            folder = behind
        elif name in FORMATS and behind is None:
            formats.append(name)
        elif name == "out":
            out = options.value()
        else:
            raise options.unexpected(": unexpected; see --help")
    if not formats:
        raise Refused("expected a format: --csv or --parquet")
    if folder is None:
        raise Refused("expected a folder of results, for instance results/run-all")
    if "parquet" in formats:
        parquet.check()
    return folder, folder if out is None else out, formats


def record_of(results, name):
    """(the record of a run, why it is left out): one of them is None."""
    data = results.read(name)
    if data is None:
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
    return sweep, elc_tables.TABLES if ELC.lists(sweep) else TABLES


def of_experiment(name, sweep):
    """What a record's place in its sweep says of it."""
    return {"experiment": sweep["name"], "order_seed": sweep.get("order_seed"), "warm_up": is_warm_up(name, sweep),
            "repetition": repetition(name)}


def collect(results, sweep, kind):
    """({table: [rows]}, how many records were left out)."""
    tables, left_out = {table.name: [] for table in kind}, 0
    for name in sweep["runs"]:
        if not isinstance(name, str) or not results.has(name):
            continue
        (record, why), path = record_of(results, name), f"{results.folder}/{name}.json"
        if why:
            left_out += 1
            print(f"{path}: left out: {why}", file=sys.stderr)
            continue
        record.update(of_experiment(name, sweep))
        for table in kind:
            tables[table.name] += table.rows(record)
        if lacking := spans_lacking(record):
            print(f"{path}: {lacking} spans had no room in its trace: iterations that lack some have no sums in "
                  "the table iterations, or no row", file=sys.stderr)
    return tables, left_out


def dictionary(kind):
    """The rows of the table that describes the others."""
    return [line(DICTIONARY, {"table": table.name, "name": name, "unit": column.unit, "type": column.type, "key": name in table.key,
                              "meaning": column.meaning}) for table in kind for name, column in table.columns.items()]


def save(out, name, columns, rows, formats):
    try:
        os.mkdir(out)
    except FileExistsError:
        pass
    except OSError as error:
        raise Refused(f"--out {out}: {error.strerror}") from error
    csv = (header(columns) + "".join(rows)).encode()
    for form in formats:
        path = f"{out}/{name}.{form}"
        files.put(path, csv if form == "csv" else parquet.content(columns, csv))
        print(f"{path}: {len(rows)} rows")


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    folder, out, formats = arguments(words)
    need("xxhash", command.refuse)
    results = Results(folder)
    sweep, kind = listing(results)
    tables, left_out = collect(results, sweep, kind)
    for table in kind:
        save(out, table.name, table.columns, tables[table.name], formats)
    save(out, "columns", DICTIONARY, dictionary(kind), formats)
    return 1 if left_out else 0


if __name__ == "__main__":
    command.run("export", main)
