"""Figures and tables of time and iterations, from records made by hand: what they draw and leave out."""
import re

import pytest

import drawing
from figure_records import compare, plot, record


@pytest.mark.long
def test_a_run_without_an_end_does_not_stop_the_figures():
    open_end = [record(policy, kill, status=status) for policy in ("none", "window:10")
                for kill, status in ((None, "hang"), ("2@3:start", "abort"))]
    both = [*open_end, *(record(policy, kill, repetition=1) for policy in ("none", "window:10")
                         for kill in (None, "2@4:start"))]
    records = [*open_end, *({**r, "id": f"longer-{r['id']}", "interval": 40} for r in both)]
    plot("fig6_iterations", records)
    plot("fig8_hybrid", records)
    assert drawing.ask("[sorted(useful_iterations(mine)) for mine in groups(records).values()]", records,
                       "from plots.common.runs import groups, useful_iterations") == [[], [800]]


def test_entries_of_one_file_are_not_pooled():
    """Two entries that differ only in meters or spares are two problems."""
    free = [record("all"), record("all", spares=2), record("all", meters={"detail": "off"})]
    killed = [record("all", "2@3:start", r, **of) for r in range(3)
              for of in ({}, {"spares": 2}, {"meters": {"detail": "off"}}, {"node_size": 2},
                         {"hosts": ["a", "b"]})]
    restart = [record("none", "2@3:start", spares=0, strategy="restart")]
    text = compare([*free, *killed, *restart])
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert [h.split("iterations, ")[1] for h in headings] == [
        "sync", "sync, 2 spares", "sync, meters off", "sync, nodes of 2 ranks", "sync, on 2 hosts"], headings
    assert text.count("| local rollback (all) | 3 |") == 5, text
    assert text.count("failure-free: runs") == 5 and text.count("| 1, 1 (n < 6: no interval) |") == 3, text
    assert text.count("| job restart | 1 |") == 2, "the baseline, whatever the number of spares"


def test_nothing_is_dropped_without_a_word():
    twice = [record("all", "2@3:start"), record("all", "2@3:start", colour="red")]
    said, _ = plot("compare", twice, expect=1)
    assert all(r["id"] in said for r in twice) and "same kill and repetition" in said, said
    text = compare([record("all", "2@3:start"), {**record("all", "2@4:start"), "host": {"hostname": "k"}}])
    assert "Measured on 2 machines" in text, text


def test_a_rise_is_seen_or_said_not_to_be():
    """Fig. 7 prints the slope with its interval; single odd runs do not make one, nor does scatter."""
    odd = {27: 3.0}
    rising = [{**record("all", f"2@{i}:start"), "loop_s": odd.get(i, 1 + 0.02 * i + 0.01 * (i % 3))} for i in range(20, 40)]
    level = [{**record("none", f"2@{i}:start"), "loop_s": 1 + 0.1 * (i * 7 % 5)} for i in range(20, 40)]
    few = [{**record("window:10", f"2@{i}:start"), "loop_s": 1 + i} for i in range(20, 25)]
    seven = [{**one, "policy": "window:5", "id": one["id"] + "5"} for one in level[:7]]
    restart = [{**record("none", "2@30:start", spares=0, strategy="restart"), "loop_s": 9.0}]
    said, _ = plot("fig7_time", [record("all"), record("none"), record("window:10"), *rising, *level, *few, *seven, *restart])
    found = re.search(r"local rollback \(all\): ([\d.]+) \[([\d.]+), ([\d.]+)\] ms an iteration: rises \(n = 20\)", said)
    assert found and 19 < float(found[2]) < float(found[1]) < float(found[3]) < 21, said
    assert re.search(r"global rollback \(none\): .* ms an iteration: no slope seen \(n = 20\)$", said, re.M), said
    assert re.search(r"window:5: .* no slope seen \(n = 7\); make run-long has more$", said, re.M), said
    assert "window:10: fewer than 6 runs: no interval (n = 5)" in said, said
    falling = drawing.ask("said_slope(slope([(i, 2 - 0.01 * i) for i in range(9)]))", [],
                          "from plots.common.drawing import said_slope; from plots.common.stats import slope")
    assert falling == "-10.0 [-10.0, -10.0] ms an iteration: falls", falling


def test_the_papers_switch_of_the_hybrid():
    """Alg. 4: global from the iteration on of which the remainder is the window."""
    cases = [[record(f"window:{window}", **more), last] for window, last, more in (
        (10, 39, {}), (10, 29, {}), (10, 19, {}), (12, 49, {"interval": 25}), (10, 25, {"ckpt_first": 1}), (10, 20, {"ckpt_first": 1}),
        (10, 39, {"recompute": "dataflow"}))]
    found = drawing.ask("[f.switches(*case) for case in records]", cases, "from plots.figures import fig8_hybrid as f")
    assert found == [[30], [], [10], [37], [], [11], [30]], found


def test_the_run_that_others_are_compared_with_is_no_sample():
    first, others = record("none"), [record("none", repetition=r, compared={"equal": True}) for r in (1, 2)]
    found = drawing.ask("[[r['id'] for r in failure_free(mine, 'none')] for mine in records]", [[first, *others], [first]],
                        "from plots.common.runs import failure_free")
    assert found == [[r["id"] for r in others], [first["id"]]], found


@pytest.mark.long
def test_right_runs_are_not_called_bad():
    """A killed spare, a killed node and a kill that never fired, beside one wrong run."""
    bad, other = "1 runs not ok or not equal", "3 runs ok, but not of exactly one death"
    records = [record("all"), record("all", "spare0@3:start", dead=0), record("all", "node1@3:start", dead=2),
               record("all", "2@9:start", dead=0), record("all", "2@8:start", equal=False)]
    said, _ = plot("compare", records, expect=1)
    assert bad in said and other in said, said
    text = compare([*records, record("all", "2@3:start")])
    assert f"Not in it: {bad}, {other}" in text and "| local rollback (all) | 1 |" in text, text
    for script in ("recovery_time", "fig7_time"):
        said, _ = plot(script, [*records, record("all", "2@3:start")])
        assert f"not drawn: {bad}, {other}" in said, said
    budget = [{**r, "policy": "budget:20", "policy_asked": "budget:30%"}
              for r in [*records, record("all", "2@3:start")]]
    table = (plot("table_budget", budget)[1] / "budget.md").read_text()
    assert f"| 1 | {bad}, {other} |" in table, table


def noticed_record(ahead, repetition, kill="2@13:op+7", **more):
    one = record("all", kill, repetition, **{"np": 16, "kernel": "cg", "params": {"class": "A"}, **more})
    one["failures"] = [{**of, "fronts": [13 + further for further in ahead]} for of in one["failures"]]
    return one


def test_where_roles_notice_a_failure():
    """The share of the runs in which a role was further; not of the dead one, nor of runs that are not equal."""
    one, other = [0] * 4 + [1] * 12, [0] * 4 + [1] * 4 + [0] * 4 + [1] * 4
    said, folder = plot("noticed", [noticed_record(one, 0), noticed_record(one, 1), noticed_record(one, 2), noticed_record(other, 3),
                                    noticed_record(other, 4, equal=False), noticed_record(other, 5, "2@13:op+5"), record("all", np=16, kernel="cg")])
    assert "local rollback (all), killed: 2@13:op+7: further than iteration 13, percent of 4 runs: 0: 0, 1: 0, 3: 0, 4: 100," in said, said
    assert " 8: 75, 9: 75," in said, said
    assert "2@13:op+5: further than iteration 13, percent of 1 runs" in said and "not drawn: 1 runs not ok or not equal" in said, said
    assert drawing.figures(folder) == ["noticed"]
    assert "the paper's snapshot" in (folder / "noticed.data.csv").read_text()
    _, folder = plot("noticed", [noticed_record(one, 0, kernel="jacobi")])
    assert "the paper's snapshot" not in (folder / "noticed.data.csv").read_text(), "another program has no snapshot"
