"""Sigma as `rollbench study` found it, for the model of memory-constrained message logging."""
import pathlib

from plots.common import json_text
from plots.common.command import Refused
from plots.common.program import ROOT

SCHEMA = "rollbench-study-1"
PAPER = "table2"


def sigmas(study):
    """{strategy: {theta as a share: share of the processes that go back}}."""
    found = {}
    for one in study["caps"]:
        found.setdefault(one["strategy"], {})[round(one["theta"] / 100, 6)] = one["set_percent"] / 100
    return found


def of_the_paper():
    """As read(), of the rollback sets that the paper prints in its Table II."""
    paper = json_text.parse((ROOT / "plots" / "papers" / "memory-constrained-logging.json").read_bytes())
    return [({"file": PAPER, "name": f"{one['program']} (the paper's Table II)", "np": one["np"], "gini": one["gini"],
              "strategy": "heaviest"},
             {theta / 100: share / 100 for theta, share in zip(paper["thetas"], one["set_percent"])})
            for one in paper["table2"]]


def read(path):
    """[(what the study is of, {omega: sigma})], one for each strategy of each profile in a file."""
    if path == PAPER:
        return of_the_paper()
    try:
        record = json_text.parse(pathlib.Path(path).read_bytes())
        studies = record if isinstance(record, list) else [record]  # of several profiles or of one
        if not studies or any(study["schema"] != SCHEMA for study in studies):
            raise ValueError("another schema")
        return [({"file": str(path), "name": study["name"], "np": study["np"], "gini": study["gini"], "strategy": strategy},
                 by_omega)
                for study in studies for strategy, by_omega in sigmas(study).items()]
    except OSError as error:
        raise Refused(f"--study {path}: {error.strerror}; make it with `rollbench study FILE --json {path}`") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"--study {path}: not from `rollbench study --json`") from error
