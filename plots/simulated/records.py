"""Records of `rollbench simulate` in one folder that differ in the number of roles and in the line alone."""
import json
import pathlib
import sys

SCHEMA = "rollbench-simulate-1"
VARIED = ("np", "grid", "line")  # keys of the model
LOOK_OF = {"global": "none", "dataflow": "none+dataflow", "flat": "none+dataflow:flat", "local": "all"}  # plots/common/runs.py


def load(folder):
    """{line: {np: record}}, both in ascending order. Ends the script if the records do not fit together."""
    found, first = {}, None
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}; remove it, and `make run-all` makes it again")
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            sys.exit(f"{path}: not from `rollbench simulate --json`")
        model, first = record["model"], first or record
        if fixed(model) != fixed(first["model"]):
            sys.exit(f"{path}: another model than in the other records of the folder; remove those that are out of date")
        if found.setdefault(model["line"], {}).setdefault(model["np"], record) is not record:
            sys.exit(f"{path}: another record has {model['np']} roles and line {model['line']}, too; remove one of them")
    if not found:
        sys.exit(f"{folder}: no records of `rollbench simulate`; `make run-all` makes them")
    return {line: dict(sorted(found[line].items())) for line in sorted(found)}


def fixed(model):
    """What all records of a folder have in common."""
    return {key: value for key, value in model.items() if key not in VARIED}


def runs(record, method):
    """{seed: run}"""
    return {run["seed"]: run for run in record["runs"] if run["method"] == method}


def recomputed(run):
    """Iterations computed again, also on duplicates."""
    return run["iterations"]["repeated"] + run["iterations"]["supported"]


def energy(run):
    return sum(run["energy_j"].values())


def values(by_np, method, number):
    """{np: [number of a run]} by seed; empty if no record has the method."""
    found = {np: [number(run) for _, run in sorted(runs(record, method).items())] for np, record in by_np.items()}
    return {np: mine for np, mine in found.items() if mine}


def differences(by_np, method, other, number, others=None):
    """{np: [number of a run - number of the run of the other method with the same failures]}; others: where these are."""
    found = {}
    for np, record in by_np.items():
        mine, theirs = runs(record, method), runs((others or by_np).get(np, {"runs": []}), other)
        both = [number(mine[seed]) - number(theirs[seed]) for seed in sorted(set(mine) & set(theirs))]
        if both:
            found[np] = both
    return found


def commits(lines):
    return sorted({record["rollbench"]["commit"] for by_np in lines.values() for record in by_np.values()})
