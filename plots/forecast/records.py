"""Records of `rollbench simulate` in one folder that differ in the number of roles and in the line alone."""
import sys

from plots.common import simulations
from plots.common.simulations import energy, recomputed, runs  # noqa: F401  (for figures)

VARIED = ("np", "grid", "line")  # keys of the model
NAMES = {"global": "global rollback", "dataflow": "data-flow rollback", "local": "local rollback"}
LOOK_OF = {"global": "none", "dataflow": "none+dataflow", "flat": "none+dataflow:flat", "local": "all"}  # plots/common/runs.py


def load(folder):
    """{line: {np: record}}, both in ascending order. Ends the script if the records do not fit together."""
    found, first = {}, None
    for name, record in simulations.load(folder).items():
        path = f"{folder}/{name}.json"
        model, first = record["model"], first or record
        if fixed(model) != fixed(first["model"]):
            sys.exit(f"{path}: another model than in the other records of the folder; simulate one file into one folder")
        if found.setdefault(model["line"], {}).setdefault(model["np"], record) is not record:
            sys.exit(f"{path}: another record has {model['np']} roles and line {model['line']}, too")
    return {line: dict(sorted(found[line].items())) for line in sorted(found)}


def fixed(model):
    """What all records of a folder have in common."""
    return {key: value for key, value in model.items() if key not in VARIED}


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
    return simulations.commits(record for by_np in lines.values() for record in by_np.values())
