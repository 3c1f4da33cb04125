"""Results folders of `rollbench sweep` whose runs are under event-logging checkpoints (`--line`): a record for each point of the file."""
import json
import pathlib
import shlex
import sys

from plots.common.command import read_json

LIST = "rollbench-lines-1"  # schema of sweep.json
SCHEMA = "rollbench-line-1"  # of a record
SKIPPED = "runs with --line; expected the results folder of a sweep of other runs"


def listed(folder):
    """sweep.json of the folder, or None if it is not one of such runs."""
    try:
        found = json.loads((pathlib.Path(folder) / "sweep.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == LIST else None


def command(folder):
    """What makes the folder's records, or what of them is missing."""
    return f"./rollbench sweep {shlex.quote(listed(folder)['file'])} --results {shlex.quote(str(folder))}"


def load(folder):
    """{id: record} in the order of the file. Ends the script if any is missing: a figure has all points or is not drawn."""
    folder, found = pathlib.Path(folder), {}
    points = listed(folder)
    if points is None:
        sys.exit(f"{folder}: no results of a sweep of runs with --line; `make run-all` makes them")
    for name in points["runs"]:
        path = folder / f"{name}.json"
        record = read_json(path, f"make it: {command(folder)}")
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            sys.exit(f"{path}: not a record of a run with --line; make it: {command(folder)}")
        found[name] = record
    return found


def arguments(record):
    """{name: value} of the program, as texts."""
    words = record["arguments"]
    return dict(zip((word.removeprefix("--") for word in words[::2]), words[1::2]))


def mode(record):
    """As the paper calls it: source, protocol or checkpoint; with the protocol where that is not event logging."""
    if record["protocol"] in ("source", "off"):
        return record["protocol"]
    lines = "lines" in arguments(record) or "every" in arguments(record) or record["line_interval_s"] is not None
    return ("checkpoint" if lines else "protocol") + ("" if record["protocol"] == "events" else f", {record['protocol']}")
