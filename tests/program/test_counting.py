"""Which records count, and what is reported of the others: plots/common/runs.py and all its users."""

import pytest

import drawing
from figure_records import DRAWN, compare, plot, record
import power_records
from report_results import page_of, recoveries_of, record as reported, results

from plots.common import runs

KILL = "2@3:start"
TROUBLE = [{"role": 1, "text": "scaling_max_freq: Permission denied"}]
FAILED = "1 runs whose power technique failed"


def titles(records):
    """Titles of the three figures by failing iteration, each one problem."""
    return [title for of in drawing.ask("[titles(s) for s in (fig6_iterations, fig7_time, recovery_time)]",
                                        records, DRAWN) for title in of]


@pytest.mark.long
def test_runs_whose_technique_failed_are_no_samples_of_it():
    broken = record("all", KILL, power="dvfs", power_trouble=TROUBLE)
    right = record("all", KILL, repetition=1, power="dvfs", power_trouble=[])
    free = record("all", power="dvfs", power_trouble=TROUBLE)
    assert runs.one_death([broken, right]) == ([right], {runs.TROUBLE: 1})
    assert not runs.is_good(broken) and runs.is_good(right) and not runs.failure_free([free], "all+dvfs")
    text = compare([record("all", KILL), broken, right])
    assert f"Not in it: {FAILED}" in text and "| local, DVFS | 1 |" in text, text
    assert all(f"not drawn: {FAILED}" in title for title in titles([broken, right]))
    traced = {**power_records.make("all", "dvfs"), "power_trouble": TROUBLE}
    said = drawing.ask("power()", [traced, power_records.make("all")], DRAWN)
    assert said == [f"not drawn: {FAILED} no good run of local, DVFS: {FAILED}"], said
    page = page_of(results([reported("none"), reported("all", KILL, power="dvfs"),
                            reported("all", KILL, power="dvfs", power_trouble=TROUBLE)], planned=3))
    row = next(row for row in page.table("Runs and machines") if row[0] == "local, DVFS")
    assert row[1:5] == ["1", "0", "1", "0"], row


@pytest.mark.long
def test_a_strategy_without_a_good_run_is_named():
    """In every figure and table that would have shown it; also strategies that a figure does not draw."""
    records = [record("all", KILL), record("none", KILL, status="hang"), record("none", "2@4:start", equal=False),
               record("window:5", KILL), record("window:9", KILL), record("window:9", KILL, 1, equal=False)]
    nothing = "no good run of global rollback (none): 2 runs not ok or not equal"
    six, seven, recovery = titles(records)
    assert all(nothing in title for title in (six, seven, recovery))
    assert "not in this figure: window:5, window:9" in recovery and "not in this figure" not in six + seven, "hybrids are in Fig. 6 and 7"
    text = compare(records)
    assert f"N{nothing[1:]}." in text and "| window:5 | 1 |" in text, text
    records += [record("none", KILL, strategy="restart", status="hang", spares=0)]
    five, nine = drawing.ask("hybrid('window:5', 'window:9')", records, DRAWN)
    assert "the first 5" in five and "not drawn" not in five, five
    assert "the first 9 " in nine and "not drawn: 1 runs not ok or not equal" in nine, nine
    said, _ = plot("fig7_time", records)
    assert "no good run of job restart: 1 runs not ok or not equal" in said, said


def test_a_figure_without_any_good_run_says_so():
    said, drawn = plot("fig7_time", [record("all", KILL, status="hang")])
    assert "no good run of local rollback (all): 1 runs" in said and "Warning" not in said, said
    assert drawing.figures(drawn) == ["fig7-time"]


def test_every_window_has_a_column():
    records = [record(f"window:{k}", f"2@{i}:start") for k in (5, 9) for i in (3, 7)]
    code = ("from plots.figures import fig8_hybrid as f; from plots.common import runs\n"
            "columns = []; f.draw_problem = lambda column, problem, mine, policy: columns.append(policy)\n"
            "f.load = lambda _: records; f.save = lambda *_: None; sys.argv = ['f', 'a', 'b']\n"
            "given = records; f.groups = lambda _: runs.groups(given); f.main(); print(columns)")
    done = drawing.execute(code, records)
    assert done.returncode == 0 and done.stdout.strip() == "['window:5', 'window:9']", done


def test_strategies_without_a_good_run_in_figures_of_power():
    made = power_records.sweep()
    for one in made:
        if one["power"] == "sleep":
            one["status"] = "hang"
        elif one["policy"] == "none":
            one["trace"][0]["dropped"] = 1
    made += [{**power_records.make("all"), "policy": "window:5"}]
    text, = drawing.ask("power()", made, DRAWN)
    for words in ("no good run of local, blocked roles sleep: 3 runs not ok or not equal",
                  "no good run of global rollback (none): 3 runs without a whole trace",
                  "not in this figure: window:5"):
        assert words in text, (words, text)


def budget(percent, number, back, repetition=0, **more):
    made = record(f"budget:{number}", KILL, repetition, policy_asked=f"budget:{percent}%", **more)
    for failure in made["failures"]:
        failure.update(rollback_set=list(range(back)), chain=4)
    return made


def test_the_table_of_budgets():
    records = [budget(30, 20, 2), budget(30, 20, 4, 1), budget(50, 40, 8, status="hang"), record("all", KILL)]
    said, drawn = plot("table_budget", records)
    table = (drawn / "budget.md").read_text()
    assert "| 30 % | heaviest | 20 | 10 | 37.5 | 50.0 | 2 | 0 |" in table, table  # 2 and 4 of 8; 4 of 8
    assert "| 50 % | heaviest | - | - | - | - | 0 | 1 runs not ok or not equal |" in table, table
    assert "Not in this table: local rollback (all)." in table, table
    said, drawn = plot("table_budget", [budget(30, 9, 2)], expect=1)
    assert "a log was larger than its cap" in said, said


@pytest.mark.long
def test_records_of_two_programs_are_not_pooled_without_a_word():
    host = {"hostname": "h", "cpu": "c", "commit": "old", "flags": "-O3"}
    other = {**host, "commit": "new"}
    records = [record("all", f"2@{i}:start", host=of) for i, of in ((3, host), (4, other))]
    said, _ = plot("compare", records)
    assert "records of 2 programs, not of one: commit old or new" in said, said
    assert all("records of 2 programs" in title for title in titles(records))
    text = compare(records)
    assert "records of 2 programs" in text and "commit old or new: a difference may be one of theirs" in text, text
    assert list(runs.groups(records))[0].endswith("\nrecords of 2 programs")
    assert not runs.groups([{**records[0], "status": "hang"}, records[1]]).keys() & runs.groups(records).keys()
    text = compare([record("all", KILL), record("all", "2@4:start", host={**host, "cores": 3})])
    assert "Measured on 2 machines" in text, text
    page = page_of(results([{**reported("none"), "host": host}, {**reported("all", KILL), "host": other}], 2))
    assert "made-up: records of 2 programs, not of one: commit old or new" in "".join(page.text)


def test_comparisons_that_are_out_of_date_are_not_believed():
    """As after `store merge`, or after the failure-free run was repeated with another result."""
    free = record("all", state_hash="aa")
    records = [free, *(record("all", f"2@{i}:start", state_hash=state,
                              compared={"reference": free["id"], "equal": True})
                       for i, state in ((3, "aa"), (4, "bb"), (5, None)))]
    marked = {r["id"]: dict(r) for r in records}
    assert runs.distrust(marked) == [records[2]["id"], records[3]["id"]]
    assert [runs.is_good(r) for r in marked.values()] == [True, True, False, False]
    assert runs.distrust({r["id"]: dict(r) for r in records[1:]}) == [], "without the other nothing is known"
    said, drawn = plot("compare", records)
    assert "2 comparisons with the failure-free run are out of date" in said, said
    assert "| local rollback (all) | 1 |" in (drawn / "compare.md").read_text()
    page = page_of(results([{**reported("none"), "state_hash": "aa"},
                            {**reported("all", KILL), "state_hash": "bb"}], planned=2))
    text = "".join(page.text)
    assert "1 comparisons with the failure-free run are out of date" in text and "(run-1)" in text, text
    header, row = page.table("Runs and machines")[:2]
    assert dict(zip(header, row))["not equal to the failure-free run"] == "1", row


def test_ways_without_a_look_of_their_own_are_told_apart():
    records = [reported("window:5", KILL, power="sleep"), reported("budget:99", KILL, policy_asked="budget:30%"),
               reported("window:5", KILL), reported("window:12", KILL), reported("all", KILL),
               reported("none", KILL)]
    expected = ["global rollback (none)", "local rollback (all)", "budget:30%", "window:5", "window:5+sleep",
                "window:12"]
    assert runs.labels(records) == expected, runs.labels(records)
    rows = recoveries_of(page_of(results([reported("none"), *records], planned=7)))
    assert [row[0] for row in rows] == expected and all(row[1] == "1" for row in rows), rows
