"""Results folders of `rollbench simulate FILE --results DIR`: a record for each point of the file."""
import json
import pathlib
import shlex
import sys

from plots.common.command import read_json

LIST = "rollbench-simulations-1"  # schema of sweep.json
SCHEMA = "rollbench-simulate-1"  # of a record


def listed(folder):
    """sweep.json of the folder, or None if it is not one of simulations."""
    try:
        found = json.loads((pathlib.Path(folder) / "sweep.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == LIST else None


def command(folder):
    """What makes the folder's records, or what of them is missing."""
    return f"./rollbench simulate {shlex.quote(listed(folder)['file'])} --results {shlex.quote(str(folder))}"


def load(folder):
    """{id: record} in the order of the file. Ends the script if any is missing: a figure has all points or is not drawn."""
    folder, found = pathlib.Path(folder), {}
    points = listed(folder)
    if points is None:
        sys.exit(f"{folder}: no results of `rollbench simulate FILE --results {folder}`; `make run-all` makes them")
    for name in points["runs"]:
        path = folder / f"{name}.json"
        record = read_json(path, f"make it: {command(folder)}")
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            sys.exit(f"{path}: not a record of `rollbench simulate`; make it: {command(folder)}")
        found[name] = record
    return found


def runs(record, method):
    """{seed: run}"""
    return {run["seed"]: run for run in record["runs"] if run["method"] == method}


def recomputed(run):
    """Iterations computed again, also on duplicates."""
    return run["iterations"]["repeated"] + run["iterations"]["supported"]


def energy(run):
    return sum(run["energy_j"].values())


def makespan(run):
    return run["makespan_s"]


def commits(records):
    return sorted({record["rollbench"]["commit"] for record in records})
