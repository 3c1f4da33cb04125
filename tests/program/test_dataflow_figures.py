"""Figures of data-flow rollback: iterations computed again by failing iteration, and the map of methods, from records made
by hand."""
import itertools

import drawing
from rollbench import main
from test_counting import DRAWN
from test_figures import plot, record

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
    return run(policy, lost, supported, recompute="dataflow", **more)


def cone_by_hand(rows, columns, role, lost):
    """Each role at distance d computes L - d iterations, roles beyond the border do not exist; and whether one would."""
    x, y = divmod(role, columns)
    total, cut = 0, False
    for i, j in itertools.product(range(-lost, lost + 1), repeat=2):
        if (rows == 1 and i) or (columns == 1 and j) or abs(i) + abs(j) >= lost:
            continue
        inside = 0 <= x + i < rows and 0 <= y + j < columns
        total, cut = total + (lost - abs(i) - abs(j)) * inside, cut or not inside
    return None if cut else total


def test_closed_forms_where_the_border_cuts_nothing_off():
    cases = [(rows, columns, role, lost) for rows, columns in ((1, 9), (9, 1), (3, 3), (7, 7), (2, 5), (5, 4))
             for role in range(rows * columns) for lost in range(6)]
    records = [({"kernel": "jacobi", "layout": f"{rows}x{columns} roles", "np": rows * columns,
                 "failures": [{"role": role}]}, lost) for rows, columns, role, lost in cases]
    found = drawing.ask("[f.cone(run, lost) for run, lost in records]", records, IMPORTS)
    expected = [cone_by_hand(*case) for case in cases]
    assert found == expected, [both for both in zip(cases, found, expected) if both[1] != both[2]]
    assert 50 < sum(one is not None for one in expected) < len(expected) - 50
    assert drawing.ask("f.cone(records, 2)", {**records[0][0], "kernel": "lulesh"}, IMPORTS) is None


def test_lines_end_where_the_cone_is_cut_off():
    grid, line = ([flow(lost, lost, layout=layout) for lost in range(1, 6)] for layout in ("3x3 roles", "1x9 roles"))
    found = drawing.ask("[[f.closed_form(how, runs) for how in f.FORMS] + [f.border(runs)] for runs in records]",
                        [grid, line], IMPORTS)
    at, linear = [7, 8, 9, 10, 11], [[7, 8, 9, 10, 11], [9, 18, 27, 36, 45]]
    assert found[0][:3] == [linear, [at, [1, 2, 3, 4, 5]], [[7, 8], [1, 6]]], found[0]
    assert found[1][:3] == [linear, [at, [1, 2, 3, 4, 5]], [at, [1, 4, 9, 16, 25]]], found[1]
    assert "from L = 3 on" in found[0][3][0] and found[1][3] == [], found


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
from plots.figures import dataflow_iterations as f, dataflow_map as m
axis = plt.subplots()[1]
count = quiet(NAME.draw, axis, "problem", records)
dots = {line.get_label(): [line.get_xdata(), line.get_ydata()] for line in axis.lines if line.get_linestyle() == "None"}
dots = {label: [list(map(float, values)) for values in both] for label, both in dots.items()}
title = " ".join(axis.get_title().split())"""


def shown(name, records):
    return drawing.ask("[dots, title, count]", records, SHOWN.replace("NAME", name))


def test_a_dot_per_run_and_what_is_left_out_is_said():
    records = [run("none"), run("all"), run("none", recompute="dataflow"), *(flow(lost, lost * lost) for lost in (1, 2)),
               run("none", 2, repeated=18), run("all", 2), {**run("all", 3), "status": "hang"}, run("window:2", 1),
               {**run("none", 2, repeated=18, repetition=1), "escalations": 1},
               run("none", 1, repeated=9, strategy="restart", spares=0)]
    dots, title, count = shown("f", records)
    assert count == 4 and dots["data-flow rollback (none), 2 runs"] == [[7, 8], [2, 6]], dots
    assert dots["global rollback (none), 1 runs"] == [[8], [18]] and dots["local rollback (all), 1 runs"] == [[8], [2]]
    for words in ("1 runs not ok or not equal", "1 runs escalated", "not in this figure: job restart, window:2"):
        assert words in title, (words, title)
    assert "no closed form" in shown("f", [{**flow(1, 0), "kernel": "lulesh"}])[1]
    wide = [run("none", 5, repeated=4500), run("all", 5)]
    assert drawing.ask("axis.get_yscale()", wide, SHOWN.replace("NAME", "f")) == "log"
    assert drawing.ask("axis.get_yscale()", records, SHOWN.replace("NAME", "f")) == "linear"


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
    assert "no kill in common" in shown("m", [run("none", 4), run("all", 2)])[1]


def test_both_are_drawn_from_a_folder():
    records = [run("none"), run("none", 2, repeated=18), flow(2, 4), run("all", 2, peak=9),
               flow(2, 2, layout="1x9 roles", spares=2)]
    for script, name in (("dataflow_iterations", "dataflow-iterations"), ("dataflow_map", "dataflow-map")):
        said, folder = plot(script, records)
        assert "Warning" not in said and sorted(p.name for p in folder.iterdir()) == [f"{name}.pdf", f"{name}.png"], said
        said, folder = plot(script, [run("none")], expect=1)
        assert "no records of runs with failures" in said and not folder.exists(), said
        said, folder = plot(script, [{**run("all", 2), "status": "hang"}])
        assert "no good run of" in said and "Warning" not in said and len(list(folder.iterdir())) == 2, said


if __name__ == "__main__":
    main()
