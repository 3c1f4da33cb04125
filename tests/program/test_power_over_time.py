"""The data-flow-rollback paper's Fig. 5: its checkpoint and failure in a run, and the figure from records made by hand."""
import json

import pytest

import drawing
from figure_records import plot
from over_time_records import BUSY, FAILED_AT, LOST, NP, ONE, PARTS, RESTORE, WAY, modelled, record, with_watts
from rollbench import call, new_folder, reference, run

IMPORTS = "from plots.common import over_time as o"


def ask(expression, records):
    return drawing.ask(expression, records, f"{IMPORTS}; runs = {{'a+dataflow': records}}; parts = o.parts_of(runs); "
                                            "meter = o.meter_of(runs, parts)")


def close(found, expected):
    assert abs(found - expected) < 1e-9, (found, expected)


def test_times_and_parts():
    zero, length = ask("[[o.noticed(r) for r in records], [o.duration(r) for r in records]]", [record("flow"), record("none")])
    for one in zero:
        close(one, FAILED_AT)
    for one in length:  # the roles that go back are where the failure found them
        close(one, RESTORE + LOST * ONE)
    assert ask("parts", [record("flow")]) == PARTS
    assert ask("parts", [{**record("none"), "recompute": "dataflow", "failures": [{"rollback_set": [1]}]}]) == {}


def test_means_of_a_role_over_a_stretch():
    def inside(how, part):
        return ask(f"o.inside(records[0], {PARTS[part]}, meter)", [record(how)])

    for how, busy in BUSY.items():
        close(inside(how, "blocked"), 0.2 * 0.5 + 0.8 * (0.9 if how == "none" else busy))
    close(inside("flow", "supporting"), 0.2 * 0.5 + 0.8 * 0.7)
    close(ask("o.span_mean(records[0], 6, meter, -0.05, 0.05)", [record("flow")]), (0.9 + 0.5) / 2)
    assert ask("o.span_mean(records[0], 6, meter, -0.4, -0.2)", [record("flow")]) is None  # half of it is before the loop
    watts = ask("[meter.kind, o.inside(records[0], [6], meter)]", [modelled(record("sleep"))])
    assert watts[0] == "modelled"
    close(watts[1], 2 + (8 - 2) * (0.2 * 0.5 + 0.8 * 0.1))


def test_nodes_are_of_their_most_active_role():
    one = with_watts(record("flow"), slope=8)
    assert ask("[meter.kind, parts]", [one]) == ["watts", {"supporting": ["n1"], "sending": ["n2"], "blocked": ["n3"]}]
    begin, end = FAILED_AT, FAILED_AT + RESTORE + LOST * ONE
    close(ask("o.inside(records[0], ['n3'], meter)", [one]), 130 + 8 * (begin + end) / 2)
    assert ask("o.node_mean(records[0], 'n3', 4, 9)", [one]) is None  # no reading behind its end
    other = with_watts(record("sleep", 1))
    other["watts"]["reason"] = "no readings"
    assert ask("meter.kind", [one, other]) == "busy"
    assert ask("meter.kind", [one, record("sleep", 1)]) == "busy"


def test_the_figure_says_what_it_draws():
    records = [record(how, i) for how in WAY for i in range(2)] + [{**record("flow", 2), "trace": []}]
    said, folder = plot("power_over_time", records)
    assert "Warning" not in said and drawing.figures(folder) == ["power-over-time"]
    assert "data-flow rollback (none) 0.5 s" in said and "1 runs without a whole trace" in said, said
    shown = drawing.ask(
        "[found, label, bars, [t.get_text() for t in axis.texts], axis.get_ylabel()]", [r for r in records if r["id"][-1] == "0"],
        "from plots.figures import power_over_time as f; from plots.common import over_time as o, spans; "
        "import matplotlib.pyplot as plt; axis = plt.subplots()[1]; "
        "runs = spans.traced(next(iter(spans.problems(records)[0].values()))); parts = o.parts_of(runs); "
        "meter = o.meter_of(runs, parts); found = f.draw_panel(axis, runs, 'blocked', parts['blocked'], meter); f.draw_recoveries(axis, runs); "
        "label = axis.get_legend_handles_labels()[1]; "
        "bars = [float(x) for c in axis.collections if hasattr(c, 'get_segments') for s in c.get_segments() for x in s[:, 0]]")
    found, label, bars, texts, axis = shown
    assert list(found) == ["none", "none+dataflow", "none+dataflow+sleep"] and len(bars) == 6 and round(max(bars), 9) == 0.5, (found, bars)
    assert "idle" in texts[0] and "4, 6, 7" in texts[0] and "busy share" in axis, (texts, axis)
    assert any("0.18 in the recovery, 1 runs" in text for text in label), label


def test_a_mean_is_of_at_least_half_of_the_runs_and_the_control_says_whether_ranges_overlap():
    spread = drawing.ask("f.spread_of(records)", [[1, None, None], [3, 2, None], [8, 4, 5]],
                         "from plots.common import over_time as f")
    assert spread == [[4, (26 / 3) ** 0.5], [3, 1], [None, None]], spread
    cases = [{"none+dataflow+sleep": asleep, "none+dataflow+slow-all": slowed}
             for asleep, slowed in (([0.2, 0.3], [0.5, 0.6]), ([0.2, 0.3], [0.2, 0.6]), ([0.2], []))]
    longer, overlap, nothing = drawing.ask("(setattr(f, 'duration', float), [f.control_words(one) for one in records])[1]",
                                           cases, "from plots.common import over_time as f")
    assert "0.5 to 0.6 s, with only idle roles asleep 0.2 to 0.3 s: 2.2 times as long" in longer[0], longer
    assert "0.2 to 0.6 s" in overlap[0] and "these ranges overlap" in overlap[0] and nothing == [], (overlap, nothing)


@pytest.mark.long
def test_who_works_is_slowed_down_in_the_control():
    problem = ("jacobi", "--grid", 512, "--steps", 10, "--np", NP, "--decomp", "4x2", "--interval", 10, "--policy", "none")
    recovery = ("--recompute", "dataflow", "--ckpt", "buddy", "--ckpt-sync", "--ckpt-first", 1, "--kill", "1@3")
    one = run(*problem, *recovery, "--power", "slow-all")
    assert one["state_hash"] == reference(*problem) and one["power"] == "slow-all" and one["power_trouble"] == []
    failure, = one["failures"]
    for role in one["roles"]:
        assert role["reductions"] == 1 and role["reduced_s"] > 0, role
    for role in (1, *failure["supporting"]):
        mine = one["roles"][role]
        working = failure["restore_s"] if role == 1 else mine["used"]["support"]["wall_s"]
        assert mine["reduced_s"] >= working, (role, mine["reduced_s"], working)
    everybody = run(*problem, *recovery[2:], "--power", "slow-all")
    assert not any(role["reductions"] for role in everybody["roles"]), "nobody is blocked when all go back"


def test_the_papers_checkpoint_and_failure():
    """A checkpoint after iteration 0 only; role 1 dies in iteration 3: 0, 3 and 2, 5 take part; 4, 6, 7 do not. It has what 0 and 3 send it in
    iteration 3 (two sends and a wait), so they have ended iteration 2. A role that has not would have its state of before and only send."""
    problem = ("jacobi", "--grid", 64, "--steps", 10, "--np", NP, "--decomp", "4x2", "--interval", 10, "--policy", "none")
    papers = ("--recompute", "dataflow", "--ckpt", "buddy", "--ckpt-sync", "--ckpt-first", 1, "--kill", "1@3:op+4")
    one = run(*problem, *papers, "--power", "sleep")
    failure, = one["failures"]
    assert one["ckpt_first"] == 1 and one["state_hash"] == reference(*problem)
    assert one["checkpoints"]["count"] == NP + len(failure["rollback_set"]) - 1, one["checkpoints"]
    assert (failure["checkpoint"], failure["lost"], failure["rollback_set"]) == (1, LOST, [1]), failure
    assert {part: failure[part] for part in PARTS} == PARTS and failure["restored_from"] == {"buddy": [1]}, failure
    assert one["iterations"]["repeated"] == one["iterations"]["supported"] == LOST, one["iterations"]
    path = new_folder() / "r.json"
    path.write_text(json.dumps(one))
    for args, word in (((*problem, *papers), "back to iteration 1,"), (("--record", path), "agrees")):
        told = call("explain", *args)
        assert told.returncode == 0 and word in told.stdout, told


@pytest.mark.long
def test_the_first_checkpoint_can_come_before_or_behind_the_interval():
    problem = ("jacobi", "--grid", 64, "--steps", 10, "--np", NP, "--decomp", "4x2")
    later = run(*problem, "--policy", "none", "--interval", 4, "--ckpt-first", 3, "--kill", "5@8", "--ckpt-sync")
    assert later["failures"][0]["checkpoint"] == 7 and later["checkpoints"]["count"] == 2 * NP, later["checkpoints"]
    long_ = run(*problem, "--policy", "none", "--interval", 2, "--ckpt-first", 5, "--kill", "5@8", "--ckpt-sync")
    assert long_["failures"][0]["checkpoint"] == 7 and long_["state_hash"] == later["state_hash"], long_["failures"]
