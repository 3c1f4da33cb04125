"""Studies as `rollbench study --json` writes them, and how they are named in figures and tables."""
import pathlib
import re
import sys

from plots.common.command import read_json

SCHEMA = "rollbench-study-1"
BALANCED = 0.1  # a Gini index below it: the ranks send about the same


def load(path):
    """The studies of a file, or of study.json in a folder, by program and number of ranks."""
    path = pathlib.Path(path)
    path = path / "study.json" if path.is_dir() else path
    found = read_json(path, f"make it with `rollbench study FILE ... --matrix-cells 256 --json {path}`")
    studies = found if isinstance(found, list) else [found]
    if not studies or any(not isinstance(s, dict) or s.get("schema") != SCHEMA for s in studies):
        sys.exit(f"{path}: not from `rollbench study --json`")
    return sorted(studies, key=lambda study: (program_of(study), study["np"]))


def program_of(study):
    """The name without its number of ranks: 'cg' of 'cg-64'."""
    return re.sub(rf"[-_.]?{study['np']}$", "", study["name"])


def is_balanced(study):
    return study["gini"] < BALANCED


def label(study):
    """'cg, 64 ranks (balanced: Gini 0.00)'."""
    return f"{program_of(study)}, {study['np']} ranks ({'balanced: ' if is_balanced(study) else ''}Gini {study['gini']:.2f})"


def coverage_of(study, cluster, diagonal=True):
    """Share of the bytes within clusters of that size; None: the study does not have that size."""
    key = "with_diagonal" if diagonal else "without_diagonal"
    return next((one[key] for one in study["coverage"] if one["cluster"] == cluster), None)


def efforts(study, strategy):
    """{theta: effort} of a strategy."""
    return {one["theta"]: one for one in study["caps"] if one["strategy"] == strategy}


def strategies(study):
    """In the order of the file."""
    return list(dict.fromkeys(one["strategy"] for one in study["caps"]))
