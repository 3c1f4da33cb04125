"""`rollbench simulate --from` and `--predict`: costs from records, and records predicted by others."""
import copy
import json
import math
import pathlib

import pytest

from scipy import stats

from rollbench import call, new_folder, refuse_all, run

# A real record, from which those of the tests are made.
TEMPLATE = json.loads((pathlib.Path(__file__).parent.parent / "fuzz" / "records" / "jacobi.json").read_text(encoding="utf-8"))
STEPS = 40
INTERVAL = 10
WORK = 0.25
CHECKPOINT = 0.125
DETECT = 0.5
REPAIR = 1.0
RESTORE = 2.0
TICK = 2 ** -30  # failures happen between two ticks, and the repair ends at a whole one


def failure_free_s():
    return STEPS * WORK + 3 * CHECKPOINT


def failing_s(at):
    """Up to the kill; the recovery; and from the checkpoint to the end, without taking that one again."""
    line = at - at % INTERVAL
    return at * WORK + line // INTERVAL * CHECKPOINT + DETECT + REPAIR + RESTORE + TICK + \
        (STEPS - line) * WORK + (3 - line // INTERVAL) * CHECKPOINT


def made_run(policy, loop_s, work=WORK):
    """A failure-free record of two roles in which every iteration works equally long and logs at no cost."""
    record = copy.deepcopy(TEMPLATE)
    record.update(np=2, layout="1x2 roles", policy=policy, interval=INTERVAL, plan=[], failures=[], loop_s=loop_s,
                  oversubscribed=False, power="none", switched_off=[],
                  iterations={"useful": 2 * STEPS, "executed": 2 * STEPS, "repeated": 0, "aborted": 0, "supported": 0},
                  checkpoints={"count": 6, "bytes": 6000, "seconds_max": 3 * CHECKPOINT})
    record.pop("policy_asked")
    record["roles"] = record["roles"][:2]
    for role in record["roles"]:
        role.update(log_bytes_total=0, executed=STEPS)
        role["phases"] = {"iterations": 5, "total_s": 5 * work, "compute_s": 5 * work, "pack_s": 0.0, "log_s": 0.0,
                          "communicate_s": 0.0, "commit_s": 0.0, "aborted_s": 0.0, "clock_s": 0.0, "work_quantiles_s": [work] * 17}
    return record


def made_failure(policy, role, at):
    """The same with a kill: with the policy none both roles go back, with all the dead one."""
    record = made_run(policy, failing_s(at))
    line, back = at - at % INTERVAL, [0, 1] if policy == "none" else [role]
    kill = f"{role}@{at}"
    record["plan"] = [kill]
    record["iterations"]["repeated"] = (at - line) * len(back)
    failure = {**TEMPLATE["failures"][0], "role": role, "iteration": at, "phase": "start", "kill": kill, "epoch": 1,
               "checkpoint": line, "rollback_set": back, "fronts": [at, at], "detect_s": DETECT, "resume_s": DETECT + REPAIR,
               "restore_s": RESTORE}
    record["failures"] = [failure]
    return record


KILLS = ((0, 7), (1, 13), (0, 18), (1, 25), (0, 31), (1, 36))


def made_results():
    """{file: record}"""
    records = {}
    for policy in ("none", "all"):
        records[f"{policy}-0"] = made_run(policy, failure_free_s())
        for role, at in KILLS:
            records[f"{policy}-{role}-{at}"] = made_failure(policy, role, at)
    return records


def put(records):
    folder = new_folder()
    for name, record in records.items():
        (folder / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def predict(folder, *args):
    """(exit status, the record)"""
    done = call("simulate", "--from", folder, "--predict", "--json", "-", *args)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_known_times_are_predicted_exactly():
    """All times are sums that can be done by hand, so every prediction must be the recorded time, whatever half is fitted."""
    folder = put(made_results())
    halves = set()
    for seed in ("1", "2", "3"):
        status, result = predict(folder, "--seed", seed, "--seeds", "3")
        assert status == 0 and result["modelled"] is True
        assert result["counts"] == {"agree": 6, "agree_there": 0, "left_out": 0, "differ": 0}, result["counts"]
        assert len(result["split"]["fitted"]) == len(result["split"]["predicted"]) == 3
        halves.add(json.dumps(sorted(result["split"]["fitted"])))
        values = result["calibration"]["values"]
        assert {key: values[key]["value"] for key in ("work_s", "checkpoint_s", "detect_s", "repair_s", "restore_s", "latency_s")} == {
            "work_s": WORK, "checkpoint_s": CHECKPOINT, "detect_s": DETECT, "repair_s": REPAIR, "restore_s": RESTORE, "latency_s": 0.0}
        for one in result["predictions"]:
            at = int(one["plan"][0].split("@")[1])
            assert one["predicted_s"] == one["low_s"] == one["high_s"] == failing_s(at) and one["inside"], one
            assert one["predicted_lost_s"] == failing_s(at) - failure_free_s(), one
        assert result["times"] == {"refused": None, "runs": 6, "inside": 6, "median_error": 0.0, "largest_error": 0.0,
                                   "lost_runs": 6, "median_lost_error": 0.0}
    assert len(halves) > 1


def test_a_changed_record_is_found():
    records = made_results()
    _, result = predict(put(records), "--seeds", "3")
    held = next(one for one in result["predictions"] if one["method"] == "none")
    name = pathlib.Path(held["run"]).stem
    slow = copy.deepcopy(records)
    slow[name]["loop_s"] *= 2
    status, result = predict(put(slow), "--seeds", "3")
    assert status == 0 and result["times"]["inside"] == 5 and result["times"]["largest_error"] == 0.5
    assert [one["error"] for one in result["predictions"] if not one["inside"]] == [-0.5]
    for key, value in {"rollback_set": [0], "fronts": [held["measured_s"] > 0, 9], "checkpoint": 1}.items():
        wrong = copy.deepcopy(records)
        value = [int(v) for v in value] if isinstance(value, list) else value
        wrong[name]["failures"][0][key] = value
        status, result = predict(put(wrong), "--seeds", "3")
        assert status == 1 and result["counts"]["differ"] == 1, key
    fitted = "none-" + result["split"]["fitted"][0][0].replace("@", "-")
    for record in records.values():  # a fitted cost changes what is predicted
        for failure in record["failures"]:
            failure["restore_s"] += 1 if [failure["kill"]] in result["split"]["fitted"] else 0
    assert records[fitted]["failures"][0]["restore_s"] == RESTORE + 1
    _, result = predict(put(records), "--seeds", "3")
    assert all(one["predicted_s"] == one["measured_s"] + 1 and not one["inside"] for one in result["predictions"])


def test_the_interval_is_one_for_a_new_run():
    """Half of the failure-free runs work twice as long. The interval must be that of Student's t for their number, which is wider than
    the quantiles of the draws. The share of draws of one half is near 1/2, so their scatter is known to a tenth."""
    for quiet in (1, 2, 6):
        records = {name: record for name, record in made_results().items() if record["plan"]}
        for i in range(quiet):
            work = WORK * (1 + i % 2)
            records[f"quiet-{i}"] = made_run("none", STEPS * work + 3 * CHECKPOINT, work)
        _, result = predict(put(records))
        for one in result["predictions"]:
            if quiet == 1:
                assert one["low_s"] is one["high_s"] is one["inside"] is result["times"]["inside"] is None, one
                continue
            at = int(one["plan"][0].split("@")[1])
            slow_s = failing_s(at) + (STEPS + at % INTERVAL) * WORK
            runs = min(quiet, 6)  # of each half of the kill points there are six recoveries
            factor = stats.t.ppf(0.95, runs - 1) * math.sqrt(runs / (runs - 1) * (1 + 1 / runs)) * math.log(slow_s / failing_s(at))
            for end in (one["high_s"] / one["predicted_s"], one["predicted_s"] / one["low_s"]):
                assert 0.45 * factor < math.log(end) < 0.502 * factor, (quiet, one)


def test_the_order_of_methods():
    """`all` is measured shorter than `none` everywhere; equal predictions then are no right order."""
    records = made_results()
    for name, record in records.items():
        if name.startswith("all") and record["plan"]:
            record["loop_s"] -= 1
    _, result = predict(put(records), "--seeds", "3")
    assert result["order"] == {"right": 0, "wrong": 3, "within_scatter": 0, "deviation_s": None}, result["order"]


def test_a_latency_is_fitted():
    """The failure-free run takes as long as one that is simulated with 2^-10 s."""
    args = ("simulate", "jacobi", "--grid", "48", "--np", "2", "--steps", STEPS, "--interval", INTERVAL, "--work", WORK, "--checkpoint",
            CHECKPOINT, "--bandwidth", "1e18", "--method", "global", "--json", "-")
    takes = json.loads(call(*args, "--latency", 2 ** -10).stdout)["runs"][0]["makespan_s"]
    assert takes > failure_free_s()
    folder = put({"free": made_run("none", takes)})
    result = json.loads(call("simulate", "--from", folder, "--interval", INTERVAL, "--method", "global", "--json", "-").stdout)
    values = result["model"]["calibration"]["values"]
    assert values["latency_s"] == {"source": "records", "samples": 1, "value": 2 ** -10, "least": 2 ** -10, "most": 2 ** -10}
    assert values["detect_s"]["source"] == "default" and values["work_s"]["source"] == "records"
    assert result["runs"][0]["makespan_s"] == takes
    # What is given wins.
    result = json.loads(call("simulate", "--from", folder, "--interval", INTERVAL, "--method", "global", "--latency", 0, "--checkpoint", 1,
                             "--json", "-").stdout)
    assert result["model"]["calibration"]["values"]["checkpoint_s"]["source"] == "option"
    assert result["runs"][0]["makespan_s"] == STEPS * WORK + 3


def test_crowded_cores_and_bad_input_are_refused():
    records = made_results()
    crowded = {name: {**record, "host": {**record["host"], "cores": 1}} for name, record in records.items()}
    status, result = predict(put(crowded))
    assert status == 0 and result["counts"]["agree"] == 6 and result["times"]["runs"] == 0
    assert "cores" in result["times"]["refused"] and all(one["predicted_s"] is None for one in result["predictions"])
    quiet = {"free": records["none-0"]}
    mixed = {**records, "cg": {**json.loads(json.dumps(records["none-0"])), "kernel": "cg", "params": {"class": "S"}}}
    damaged = json.loads(json.dumps(records["none-0"]))
    for role in damaged["roles"]:
        del role["phases"]["work_quantiles_s"]
    refuse_all(
        ("simulate", "--from", put(crowded), ("--from", "roles outnumber", "measure")),
        ("simulate", "--from", put({k: r for k, r in records.items() if r["plan"]}), ("--from", "no failure-free run", "--kill")),
        ("simulate", "--from", put(mixed), ("--from", "kernel", "jacobi", "cg", "name the kernel")),
        ("simulate", "jacobi", "--np", "4", "--from", put(records), ("--from", "np 2", "jacobi")),
        ("simulate", "jacobi", "--grid", "96", "--from", put(records), ("--from", "48")),
        ("simulate", "--from", put({**records, "more": {**records["none-0"], "np": 4}}), ("--from", "np", "2", "4", "--np")),
        ("simulate", "--from", put({**records, "more": {**records["none-0"], "ckpt": "buddy"}}), ("--from", "ckpt", "folder")),
        ("simulate", "--from", put({**records, "more": {**records["none-0"], "oversubscribed": True}}), ("--from", "--spares")),
        ("simulate", "--from", put({"damaged": damaged}), ("--from", "work_quantiles_s", "--work")),
        ("simulate", "--from", new_folder(), ("--from", "0 records")),
        ("simulate", "--from", "/nowhere", ("--from", "not there")),
        ("simulate", "--predict", ("--predict", "--from")),
        ("simulate", "--from", put(quiet), "--predict", ("--predict", "kill points")),
        ("simulate", "--from", put(records), "--predict", "--fail", "0@3", ("--fail", "--predict")),
    )


SWEEP = """name: two
deadline: 60
runs:
  - kernel: jacobi
    grid: 512
    steps: 160
    np: 2
    spares: 1
    interval: 40
    ckpt: buddy
    ckpt_lag: sync
    policy: [none, all]
    kill: {roles: [0, 1], iterations: "47,71,105", phases: [start]}
"""


@pytest.mark.long
@pytest.mark.timeout(300)
def test_real_runs_are_predicted():
    """Two roles on two cores. All counts are predicted exactly. Times are those of a busy machine perhaps, so the bounds are wide:
    they find a wrong unit or a forgotten cost, and nothing less."""
    folder = new_folder()
    (folder / "two.yaml").write_text(SWEEP, encoding="utf-8")
    done = call("sweep", folder / "two.yaml", "--results", folder / "results", timeout=280)
    assert done.returncode == 0, done.stderr
    for seed in ("1", "2"):
        status, result = predict(folder / "results", "--seed", seed)
        counts = result["counts"]
        assert status == 0 and counts["agree"] + counts["agree_there"] == len(result["predictions"]) == 6, counts
        if result["times"]["refused"]:
            assert "cores" in result["times"]["refused"]
            continue
        values = result["calibration"]["values"]
        assert all(values[key]["source"] == "records" and values[key]["value"] > 0
                   for key in ("work_s", "checkpoint_s", "detect_s", "repair_s", "restore_s"))
        for one in result["predictions"]:
            assert one["measured_s"] / 8 < one["predicted_s"] < 8 * one["measured_s"], one
            assert one["low_s"] <= one["predicted_s"] <= one["high_s"], one


@pytest.mark.long
def test_quantiles_of_work():
    """More timed iterations than are kept: 2,100 / 8."""
    record = run("jacobi", "--grid", "64", "--steps", "2100", "--np", "2", "--policy", "all")
    for role in record["roles"]:
        phases = role["phases"]
        assert phases["iterations"] == 263 and len(phases["work_quantiles_s"]) == 17
        assert phases["work_quantiles_s"] == sorted(phases["work_quantiles_s"]) and phases["work_quantiles_s"][0] > 0
        mean = (phases["compute_s"] + phases["pack_s"] + phases["commit_s"]) / phases["iterations"]
        assert phases["work_quantiles_s"][0] < mean < phases["total_s"]
