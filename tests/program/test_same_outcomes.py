"""scripts/same-outcomes: what an engine that has changed may not change, and what it may."""
import json
import subprocess
import sys

import pytest

from rollbench import ROOT, new_folder

FAILURE = {"role": 2, "iteration": 25, "phase": "send", "kill": "2@25:send", "epoch": 1, "checkpoint": 20, "rollback_set": [2, 3],
           "active": [1], "blocked": [0], "chain": 2, "fronts": [25, 25, 25, 24], "replayed_bytes": 640, "detect_s": 0.007}
KILLED = {"schema": "rollbench-run-1", "kind": "engine", "status": "ok", "kernel": "cg", "np": 4, "policy": "window:10", "plan": ["2@25:send"],
          "state_hash": "642e3b82", "verdict": {"value": 8.5971775078648, "ok": True}, "compared": {"equal": True},
          "failures": [FAILURE], "iterations": {"useful": 400, "executed": 411, "aborted": 1}, "loop_s": 0.07}
FREE = {**KILLED, "plan": [], "failures": [], "iterations": {"useful": 400, "executed": 400}, "checkpoints": {"count": 12, "seconds_max": 1.0},
        "log": {"bytes_total": {"sum": 2955840}}, "roles": [{"role": 0, "executed": 100, "log_bytes_total": 410400, "loop_s": 0.06}]}
LINE = {"schema": "rollbench-run-1", "kind": "elc", "status": "ok", "kernel": "matmul", "plan": [], "state_hash": "b985df74", "result": {"seconds": 0.12},
        "processes": [{"rank": 0, "safe_points": 256, "events": 512, "stopped_s": 0.01}]}
SIMULATED = {"schema": "rollbench-simulate-1", "rollbench": {"commit": "1"}, "runs": [{"makespan_s": 10443.356666322798, "wall_s": 1e-4}]}
RECORDS = {"budget:1": KILLED, "free": FREE, "line": LINE, "simulated": SIMULATED}


def changed(name, *at):
    """RECORDS, in which the value at the end of `at` stands instead of the one there."""
    records = json.loads(json.dumps(RECORDS))  # deepcopy() would keep parts that two records share
    value = records[name]
    for key in at[:-2]:
        value = value[key]
    value[at[-2]] = at[-1]
    return records


def compared(before, after):
    folders = []
    for records in (before, after):
        folders.append(new_folder())
        for name, record in records.items():
            (folders[-1] / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "same-outcomes", *folders], capture_output=True, text=True, timeout=60)
    assert not done.stderr, done
    return done.returncode, done.stdout


@pytest.mark.parametrize("change", (
    ("budget:1", "loop_s", 9.0), ("budget:1", "failures", 0, "detect_s", 1.0), ("budget:1", "iterations", "executed", 412),
    ("free", "checkpoints", "seconds_max", 2.0), ("free", "roles", 0, "loop_s", 1.0), ("line", "result", "seconds", 9.0),
    ("line", "processes", 0, "stopped_s", 1.0), ("simulated", "rollbench", "commit", "2"), ("simulated", "runs", 0, "wall_s", 1.0)))
def test_times_may_change(change):
    status, said = compared(RECORDS, changed(*change))
    assert status == 0 and "0 differences" in said and "1 failures compared" in said, said


@pytest.mark.parametrize("change", (
    ("budget:1", "state_hash", "642e3b83"), ("budget:1", "verdict", "value", 8.5971775078649), ("budget:1", "compared", "equal", False),
    ("budget:1", "status", "wrong"), ("budget:1", "failures", 0, "rollback_set", [2]), ("budget:1", "failures", 0, "chain", 1),
    ("budget:1", "failures", 0, "replayed_bytes", 648), ("free", "log", "bytes_total", "sum", 2955848), ("free", "checkpoints", "count", 11),
    ("free", "roles", 0, "log_bytes_total", 410392), ("free", "iterations", "executed", 401), ("line", "state_hash", "b985df75"),
    ("line", "processes", 0, "events", 513), ("simulated", "runs", 0, "makespan_s", 10443.3566663228)))
def test_outcomes_may_not(change):
    status, said = compared(RECORDS, changed(*change))
    where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in change[1:-1])[1:]
    assert status == 1 and "1 differences" in said and f"{change[0]}.json: {where}: " in said, said


def test_a_failure_that_found_the_roles_elsewhere_is_told_and_not_compared():
    records = changed("budget:1", "failures", 0, {**FAILURE, "fronts": [26, 25, 25, 25], "rollback_set": [2]})
    status, said = compared(RECORDS, records)
    assert status == 0 and "1 failures that found the roles elsewhere" in said and "failures compared" not in said, said


def test_an_option_that_was_added_is_told_and_not_compared():
    before, after = changed("free", "params", {"class": "S"}), changed("free", "params", {"class": "S", "stores": "auto"})
    for folders in ((before, after), (after, before)):
        status, said = compared(*folders)
        assert status == 0 and "1 records, of which one of both has no option stores, and the other has auto" in said, said
    status, said = compared(before, changed("free", "params", {"class": "W", "stores": "auto"}))
    assert status == 1 and "free.json: params.class: " in said and "1 differences" in said, said


def test_a_record_that_is_missing_or_new():
    less = {name: record for name, record in RECORDS.items() if name != "line"}
    assert compared(RECORDS, less)[0] == compared(less, RECORDS)[0] == 1
    done = subprocess.run([sys.executable, ROOT / "scripts" / "same-outcomes", new_folder(), new_folder()], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 2 and "no record was compared" in done.stderr
