"""`rollbench simulate --against`: recorded runs beside the simulator."""
import json
import re
import shlex

import pytest

from export_tables import kept
from rollbench import call, new_folder, refuse_all, run

JACOBI = ("jacobi", "--grid", "48", "--steps", "24", "--interval", "10", "--ckpt-sync")
RUNS = (
    (*JACOBI, "--np", "8", "--decomp", "1x8", "--policy", "none", "--recompute", "dataflow", "--kill", "2@14"),
    (*JACOBI, "--np", "8", "--decomp", "2x4", "--policy", "window:3", "--recompute", "dataflow", "--kill", "5@17:send"),
    (*JACOBI, "--np", "6", "--policy", "window:3", "--spares", "2", "--kill", "4@13:checkpoint", "--kill", "1@22"),
    ("cg", "--class", "S", "--np", "8", "--policy", "teams:2", "--interval", "25", "--ckpt-sync", "--kill", "3@40:commit"),
    ("lulesh", "--edge", "4", "--steps", "24", "--np", "8", "--policy", "none", "--interval", "10", "--ckpt-sync", "--kill", "6@15"),
)


def against(path):
    """(exit status, {answer: count}, what was printed)."""
    done = call("simulate", "--against", path)
    counts = {word: int(count) for count, word in re.findall(r"^ {0,7}(\d+) (agree|agree where|left out|differ)\b", done.stdout, re.M)}
    counts["agree where"] = int(re.search(r"^ *(\d+) agree where", done.stdout, re.M)[1])
    counts["agree"] = int(re.search(r"^ *(\d+) agree:", done.stdout, re.M)[1])
    assert sum(counts.values()) == int(re.search(r"^(\d+) records", done.stdout, re.M)[1]), done.stdout
    return done.returncode, counts, done.stdout


def put(path, record):
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


@pytest.mark.long
def test_real_runs_agree():
    folder = new_folder()
    for i, args in enumerate(RUNS):
        put(folder / f"{i}.json", run(*args))
    status, counts, told = against(folder)
    assert status == 0 and counts["agree"] + counts["agree where"] == len(RUNS) and counts["agree"] > 0, told


def found_as_simulated():
    """A kept record of data-flow rollback whose death found all roles in the iterations in which the simulator has them. In a new run it may find some
    earlier."""
    for path in sorted(kept("dataflow").glob("jacobi-*=1x9-*-none-dataflow-*@*.json"), reverse=True):
        if against(path)[1]["agree"] == 1:
            return json.loads(path.read_text(encoding="utf-8"))
    raise AssertionError("no such record is kept")


def test_a_wrong_number_is_found():
    folder = new_folder()
    good = found_as_simulated()
    assert against(put(folder / "good.json", good))[0] == 0
    wrong = {"rollback_set": [2, 3], "supporting": [1, 3], "sending": [], "distance": [2] * 9, "supported": 9,
             "fronts": [12] * 9, "checkpoint": 9}
    for key, value in wrong.items():
        assert good["failures"][0][key] != value, key
        bad = {**good, "failures": [{**good["failures"][0], key: value}]}
        status, counts, told = against(put(folder / "bad.json", bad))
        assert status == 1 and counts["differ"] == 1 and "recovery 1" in told, (key, told)
    for key in ("repeated", "supported"):
        bad = {**good, "iterations": {**good["iterations"], key: good["iterations"][key] + 1}}
        status, counts, told = against(put(folder / "bad.json", bad))
        assert status == 1 and counts["differ"] == 1 and f"{key} iterations" in told, (key, told)
    status, counts, told = against(folder)  # the good one and the last bad one
    assert status == 1 and counts == {"agree": 1, "agree where": 0, "left out": 0, "differ": 1}, told


def test_nothing_is_left_out_silently():
    folder = new_folder()
    good = run(*RUNS[0])
    failure = good["failures"][0]
    for name, record, why in (
            ("free", {**good, "failures": [], "plan": []}, "without a failure"),
            ("unfired", {**good, "failures": []}, "no role died"),
            ("wrong", {**good, "status": "wrong"}, "not ok"),
            ("unequal", {**good, "compared": {"reference": "r", "equal": False}}, "not equal"),
            ("restart", {**good, "strategy": "restart"}, "job restart"),
            ("again", {**good, "restarts": 1}, "started again"),
            ("null", {**good, "failures": [{**failure, "fronts": [None, *failure["fronts"][1:]]}]}, "before it noted"),
            ("outside", {**good, "failures": [{**failure, "fronts": [10 ** 9] * 8}]}, "damaged"),
            ("role", {**good, "failures": [{**failure, "role": 8}]}, "damaged"),
            ("kernel", {**good, "kernel": "heat"}, "no kernel of this version"),
            ("other", {"schema": "rollbench-barrier-1"}, "no record of a run of this version")):
        status, counts, told = against(put(folder / f"{name}.json", record))
        assert status == 1 and counts["left out"] == 1 and why in told and "nothing was compared" in told, (name, told)
    (folder / "torn.json").write_text('{"schema": ', encoding="utf-8")
    assert "not JSON" in against(folder / "torn.json")[2]
    journal = new_folder()
    (journal / "runs.jsonl").write_text("{}\n", encoding="utf-8")
    refuse_all(
        ("simulate", "--against", journal, ("keeps no records", "--dry-run")),
        ("simulate", "--against", folder / "none", ("not there",)),
        ("simulate", "--against", folder, "--np", "4", ("--against", "no other option")),
        ("simulate", "stencil1d", "--np", "4", "--against", folder, ("--against", "no other option")),
    )


def test_points_of_an_iteration():
    """What a death in an iteration loses: with `commit` others have ended it, with `checkpoint` the new one does not count."""
    lost = {"start": 4, "send": 4, "commit": 4, "checkpoint": 10}
    for point, iterations in lost.items():
        record = json.loads(call("simulate", "jacobi", "--np", "8", "--steps", "30", "--interval", "10", "--checkpoint", "1ms",
                                 "--detect", "10ms", "--fail", f"2@14:{point}", "--method", "local,dataflow", "--recoveries",
                                 "--json", "-").stdout)
        assert record["model"]["failures"] == [{"role": 2, "iteration": 14, "point": point}]
        for simulated in record["runs"]:
            found = simulated["recoveries"]
            front = 20 if point == "checkpoint" else 14
            others = front + (point == "commit")
            assert [r["fronts"] for r in found] == [[front if role == 2 else others for role in range(8)]], (point, found)
            assert found[0]["line"] == [10] * 8 and found[0]["died"] == found[0]["rollback_set"] == [2]
            assert simulated["iterations"]["repeated"] == iterations
            assert ("supporting" in found[0]) == (simulated["method"] == "dataflow")
    refuse_all(("simulate", "jacobi", "--np", "8", "--steps", "30", "--fail", "2@14:checkpoint", ("--checkpoint",)),
               ("simulate", "jacobi", "--np", "8", "--steps", "30", "--fail", "2@14:replay", ("fail", "commit")))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_random_runs_agree():
    """Of torture: several deaths, also within recoveries, all policies and levels, roles and nodes."""
    folder = new_folder()
    for seed in (1701, 2201):
        commands = call("torture", "--seed", seed, "--kills", "planned", "--runs", "60", "--dry-run").stdout.splitlines()
        for i, command in enumerate(commands):
            call(*shlex.split(command)[1:], "--json", folder / f"{seed}-{i}.json")
    status, counts, told = against(folder)
    assert status == 0 and counts["agree"] + counts["agree where"] >= 70, told
