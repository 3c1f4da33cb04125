"""Figures of data-flow rollback: iterations computed again by failing iteration, the map of methods, and the effort under a
cap on the log, from records made by hand."""
import itertools

import pytest

import drawing
from figure_records import DRAWN, plot, record

IMPORTS = "from plots.figures import dataflow_iterations as f, dataflow_map as m; from plots.common import runs"
USEFUL = 126


def run(policy, lost=None, supported=0, repeated=None, role=4, layout="3x3 roles", peak=0, **more):
    """Of jacobi on 9 roles with a checkpoint in iteration 6."""
    kill = f"{role}@{6 + lost}:send" if lost is not None else None
    one = record(policy, kill, **{"kernel": "jacobi", "np": 9, "interval": 6, **more})
    one["id"] += layout[:3]
    for failure in one["failures"]:
        failure.update(role=role, checkpoint=6)
    repeated = (lost or 0) if repeated is None else repeated
    kept = {"dataflow": {"results_bytes": 90, "kept_bytes": 10}} if more.get("recompute") == "dataflow" else {}
    return {**one, **kept, "layout": layout, "params": {"decomp": layout.split()[0]},
            "iterations": {"useful": USEFUL, "executed": USEFUL + repeated, "supported": supported, "repeated": repeated},
            "log": {"bytes_peak": {"max": peak}}}


def flow(lost, supported, policy="none", **more):
    return run(policy, lost, supported, recompute=more.pop("how", "dataflow"), **more)


def cone_by_hand(rows, columns, role, lost):
    """Each role at distance d computes L - d iterations, roles beyond the border do not exist; and whether one would."""
    return within(rows, columns, role, lost - 1, lambda distance: lost - distance)


def within(rows, columns, role, radius, work):
    """The sum of work(distance) over all roles in the radius; None if one of these would be beyond the border."""
    x, y = divmod(role, columns)
    total = 0
    for i, j in itertools.product(range(-radius, radius + 1), repeat=2):
        if (rows == 1 and i) or (columns == 1 and j) or abs(i) + abs(j) > radius:
            continue
        if not (0 <= x + i < rows and 0 <= y + j < columns):
            return None
        total += work(abs(i) + abs(j))
    return total


def test_closed_forms_where_the_border_cuts_nothing_off():
    cases = [(rows, columns, role, lost) for rows, columns in ((1, 9), (9, 1), (3, 3), (7, 7), (2, 5), (5, 4))
             for role in range(rows * columns) for lost in range(6)]
    records = [({"kernel": "jacobi", "layout": f"{rows}x{columns} roles", "np": rows * columns,
                 "failures": [{"role": role}]}, lost) for rows, columns, role, lost in cases]
    found = drawing.ask("[f.cone(run, lost) for run, lost in records]", records, IMPORTS)
    expected = [cone_by_hand(*case) for case in cases]
    assert found == expected, [both for both in zip(cases, found, expected) if both[1] != both[2]]
    assert 50 < sum(one is not None for one in expected) < len(expected) - 50
    found = drawing.ask("[f.flat(run, lost) for run, lost in records]", records, IMPORTS)
    expected = [within(*case, lambda _, case=case: case[3]) for case in cases]
    assert found == expected, [both for both in zip(cases, found, expected) if both[1] != both[2]]
    assert 50 < sum(one is not None for one in expected) < len(expected) - 50
    assert drawing.ask("f.cone(records, 2)", {**records[0][0], "kernel": "lulesh"}, IMPORTS) is None


def test_lines_end_where_the_cone_is_cut_off():
    grid, line = ([flow(lost, lost, layout=layout) for lost in range(1, 6)] for layout in ("3x3 roles", "1x9 roles"))
    found = drawing.ask("[[f.closed_form(how, runs) for how in f.FORMS] + [f.border(f.DATAFLOW, runs), f.border(f.FLAT, runs)]"
                        " for runs in records]", [grid, line], IMPORTS)
    at, linear = [7, 8, 9, 10, 11], [[7, 8, 9, 10, 11], [9, 18, 27, 36, 45]]
    assert found[0][:3] == [linear, [at, [1, 2, 3, 4, 5]], [[7, 8], [1, 6]]], found[0]
    assert found[1][:3] == [linear, [at, [1, 2, 3, 4, 5]], [at, [1, 4, 9, 16, 25]]], found[1]
    assert found[0][3] == [[7], [5]] and found[1][3] == [[7, 8, 9, 10], [3, 10, 21, 36]], found
    assert "cone off from L = 3 on" in found[0][4][0] and found[1][4] == [], found
    assert "flat cone off from L = 2 on" in found[0][5][0] and "L = 5 on" in found[1][5][0], found


def test_duplicates_count_in_every_figure_of_iterations():
    runs = [flow(3, 12), run("none", 3, repeated=27), {**run("all", 3), "iterations": {"useful": 9, "executed": 12}}]
    runs += [flow(3, 1, policy="window:2", power="sleep")]
    assert drawing.ask("[[runs.recomputed(r), runs.way(r), runs.label(r)] for r in records]", runs, IMPORTS) == [
        [15, "none+dataflow", "data-flow rollback (none)"], [27, "none", "global rollback (none)"],
        [3, "all", "local rollback (all)"], [4, *["window:2+dataflow+sleep"] * 2]]
    drawn = drawing.ask("[line.get_ydata().tolist() for line in axis.lines]", runs[:1],
                        f"{DRAWN}; from plots.figures import fig6_iterations as g; axis = plt.subplots()[1]; "
                        "quiet(g.draw, axis, 'x', records)")
    assert drawn[0] == [USEFUL + 15], drawn
    assert "--recompute dataflow" in drawing.ask("data.command(records)", {**runs[0], "roles": []},
                                                 "from plots.report import data")


SHOWN = DRAWN + """
from plots.figures import budget_effort as e, dataflow_iterations as f, dataflow_map as m
MARKED = (":",) if "e" == "NAME" else ("None",)
axis = plt.subplots()[1]
count = quiet(NAME.draw, axis, "problem", records)
dots = {line.get_label(): [line.get_xdata(), line.get_ydata()] for line in axis.lines if line.get_linestyle() in MARKED}
dots = {label: [list(map(float, values)) for values in both] for label, both in dots.items()}
title = " ".join(axis.get_title().split())"""


def shown(name, records):
    return drawing.ask("[dots, title, count]", records, SHOWN.replace("NAME", name))


@pytest.mark.long
def test_a_dot_per_run_and_what_is_left_out_is_said():
    records = [run("none"), run("all"), run("none", recompute="dataflow"), *(flow(lost, lost * lost) for lost in (1, 2)),
               run("none", 2, repeated=18), flow(2, 16, how="dataflow:flat"), run("all", 2), {**run("all", 3), "status": "hang"}, run("window:2", 1),
               {**run("none", 2, repeated=18, repetition=1), "escalations": 1},
               run("none", 1, repeated=9, strategy="restart", spares=0)]
    dots, title, count = shown("f", records)
    assert count == 5 and dots["flat data-flow rollback (none), 1 runs"] == [[8], [18]], dots
    assert dots["data-flow rollback (none), 2 runs"] == [[7, 8], [2, 6]], dots
    assert dots["global rollback (none), 1 runs"] == [[8], [18]] and dots["local rollback (all), 1 runs"] == [[8], [2]]
    for words in ("1 runs not ok or not equal", "1 runs escalated", "not in this figure: job restart, window:2"):
        assert words in title, (words, title)
    assert "no closed form" in shown("f", [{**flow(1, 0), "kernel": "lulesh"}])[1]
    wide = [run("none", 5, repeated=4500), run("all", 5)]
    assert drawing.ask("axis.get_yscale()", wide, SHOWN.replace("NAME", "f")) == "log"
    assert drawing.ask("axis.get_yscale()", records, SHOWN.replace("NAME", "f")) == "linear"


@pytest.mark.long
def test_the_map_has_one_point_per_method():
    records = [run("none"), run("none", 4, repeated=36), run("none", 2, repeated=18), flow(4, 20), flow(2, 4),
               run("all", 4, peak=800), flow(4, 0, policy="all", peak=800),
               run("budget:77", 4, repeated=12, peak=77, policy_asked="budget:50%"),
               {**run("window:2", 4), "status": "hang"}, run("none", 4, repeated=36, strategy="restart", spares=0)]
    found = drawing.ask("[[list(k), list(v)] for k, v in m.points(found, m.in_common(found)).items()]", records,
                        f"{IMPORTS}; found = m.methods(records)[0]")
    assert sorted(found) == [[["all", "dataflow"], [800, 4, 1]], [["all", "rollback"], [800, 4, 1]],
                             [["budget:50%", "rollback"], [77, 12, 1]], [["none", "dataflow"], [0, 24, 1]],
                             [["none", "rollback"], [0, 36, 1]]], found
    _, title, count = shown("m", records)
    assert count == 5, count
    drawn = drawing.ask("[[float(v) for v in (*line.get_xdata(), *line.get_ydata(), line.get_markersize())] "
                        "for line in axis.lines if line.get_linestyle() == 'None' and len(line.get_xdata())]",
                        [*records, run("teams:3", 4, repeated=12, peak=77)], SHOWN.replace("NAME", "m"))
    assert sorted(drawn) == [[0, 24, 7], [0, 36, 7], [77, 12, 7], [77, 12, 12], [800, 4, 7], [800, 4, 7]], drawn
    for words in ("killed: 4@10:send", "no good run of window:2 with rollback: 1 runs", "1 runs of job restart",
                  "2 runs with kills that not all methods have", "up to 100 bytes in a role", "1 runs not ok or not equal"):
        assert words in title, (words, title)
    assert "means over 2 kills" in shown("m", records[:5])[1]
    dots, _, count = shown("m", [*records[:5], flow(4, 32, how="dataflow:flat"), flow(2, 16, how="dataflow:flat")])
    assert count == 6 and "flat data-flow rollback" in dots, (dots, count)
    assert "no kill in common" in shown("m", [run("none", 4), run("all", 2)])[1]


def capped(percent, role, repeated, supported=None, strategy="", **more):
    """Of 9 roles, 4 lost iterations: global rollback repeats 36."""
    how = {} if supported is None else {"recompute": "dataflow", "supported": supported}
    return run(f"budget:{percent}7", 4, role=role, repeated=repeated, policy_asked=f"budget:{percent}%{strategy}",
               **{**how, **more})


def test_effort_under_a_cap_is_that_of_the_roles_that_all_ways_killed():
    records = [*(capped(30, role, repeated) for role, repeated in ((0, 36), (1, 27), (4, 18), (5, 36))),
               *(capped(30, role, 4, supported) for role, supported in ((0, 5), (1, 14), (4, 32))),
               *(capped(50, role, 9, strategy=":clusters") for role in (0, 1, 4)),
               *(capped(50, role, 4, supported=0) for role in (0, 1, 4)),
               {**capped(50, 0, 4, supported=0), "status": "hang"}, capped(50, 0, 4, supported=0, strategy=":clusters"),
               run("budget:77", policy_asked="budget:30%"), run("none", 4, repeated=36), run("all", 4)]
    effort = "from plots.figures import budget_effort as e; found = e.survey(records)[0]"
    found = drawing.ask("[[*how, {str(k): sorted(v) for k, v in mine.items()}] for how, mine in "
                        "e.points(found, e.in_common(found)).items()]", records, effort)
    assert found == [["heaviest", "rollback", {"30.0": [50, 75, 100]}], ["clusters", "rollback", {"50.0": [25, 25, 25]}],
                     ["heaviest", "dataflow", {"30.0": [25, 50, 100], "50.0": [100 / 9] * 3}]], found
    dots, title, count = shown("e", records)
    assert count == 12 and dots["rollback, heaviest channel first"][1] == [75], (dots, count)
    assert dots["data-flow rollback, heaviest channel first"] == [[30, 50], [50, 100 / 9]], dots
    for words in ("3 roles killed", "1 runs with kills that not all marks have", "1 runs not ok or not equal",
                  "not in this figure: 1 runs of other ways"):
        assert words in title, (words, title)
    _, title, count = shown("e", [capped(30, 0, 36), capped(30, 1, 4, 2)])
    assert count == 0 and "no kill is common" in title, title
    _, title, count = shown("e", [{**capped(30, 0, 36), "status": "hang"}, capped(30, 0, 4, 2)])
    assert count == 1 and "no good run of 30 % with rollback, heaviest channel first" in title, title


def test_effort_is_drawn_from_a_folder():
    said, folder = plot("budget_effort", [capped(30, 0, 36), capped(30, 0, 4, 2)])
    assert "Warning" not in said and drawing.figures(folder) == ["budget-effort"], said
    said, folder = plot("budget_effort", [capped(30, 0, 36)], expect=1)
    assert "--recompute dataflow" in said and not folder.exists(), said


@pytest.mark.long
def test_both_are_drawn_from_a_folder():
    records = [run("none"), run("none", 2, repeated=18), flow(2, 4), run("all", 2, peak=9),
               flow(2, 2, layout="1x9 roles", spares=2)]
    for script, name in (("dataflow_iterations", "dataflow-iterations"), ("dataflow_map", "dataflow-map")):
        said, folder = plot(script, records)
        assert "Warning" not in said and drawing.figures(folder) == [name], said
        said, folder = plot(script, [run("none")], expect=1)
        assert "no records of runs with failures" in said and not folder.exists(), said
        said, folder = plot(script, [{**run("all", 2), "status": "hang"}])
        assert "no good run of" in said and "Warning" not in said and drawing.figures(folder) == [name], said
