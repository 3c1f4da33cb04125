"""The model of data-flow rollback: the paper's numbers, a count by brute force, and the command that prints it."""
import csv
import io
import itertools
import json
import math

import pytest

import drawing
from rollbench import call, new_folder, refuse_all

from plots.models import dataflow_model as model
from plots.models.dataflow_model import Case

PAPER = Case(10000, 50, 10, 4, 10, 2)


def near(value, expected, within=1e-12):
    assert abs(value - expected) <= within * max(1, abs(expected)), (value, expected)


def test_the_papers_numbers():
    """Sect. 6.4: about 13 J/s, 13 * 10^2 J/s, 13 machines of 100 W; Sect. 6.3: 20 C."""
    near(model.per_process_printed(PAPER), 200)
    near(model.saved_approximately(PAPER), 12.675, 1e-4)
    near(model.saved_approximately(PAPER._replace(nodes=10 ** 5)), 1267.5, 1e-4)
    assert round(model.saved_approximately(PAPER)) == 13
    near(model.failure_rate(PAPER) * 50 * 365.25 * 86400, 10000)


def test_neighbours_counted_one_by_one():
    """Roles other than the middle one at distance 1 to i - 1 on a line and on a grid. As printed, a grid has too few."""
    for dim, i in itertools.product((1, 2), range(9)):
        reach = range(-9, 10)
        places = itertools.product(reach, reach) if dim == 2 else ((x, 0) for x in reach)
        assert model.neighbours(dim, i) == sum(0 < abs(x) + abs(y) <= i - 1 for x, y in places), (dim, i)
    assert [model.neighbours_printed(1, i) for i in range(5)] == [0, 0, 2, 4, 6]
    assert [model.neighbours_printed(2, i) for i in range(5)] == [0, 0, 2, 8, 18]
    assert [model.neighbours(2, i) for i in range(5)] == [0, 0, 4, 12, 24]


def test_means_over_an_interval():
    near(model.active_printed(PAPER), 57)
    near(model.active(PAPER), 48)
    line = PAPER._replace(dim=1)
    near(model.active_printed(line), 9)
    near(model.active(line), 7.2)
    near(model.idle_printed(PAPER), 9943)
    near(model.idle(PAPER), 9951)
    near(model.per_process(PAPER), 180)
    near(model.saved_printed(PAPER), 12.675235 * 0.9943, 1e-6)


def test_the_saving_is_the_mean_over_all_failures():
    for nodes, interval, dim in itertools.product((2, 10, 90, 5000), (1, 2, 7, 30), (1, 2)):
        case = Case(nodes, 3, interval, 0.5, 8, dim)
        joules = [8 * 0.5 * i * max(0, nodes - 1 - model.neighbours(dim, i)) for i in range(interval)]
        near(model.saved(case), nodes / (3 * model.YEAR) * math.fsum(joules) / interval)
        assert 0 <= model.idle(case) <= nodes - 1 and model.saved(case) <= model.saved_approximately(case), case
    assert model.idle_printed(Case(10, 3, 30, 1, 1, 2)) < 0, "what is printed has no lower bound"


def test_borders():
    """With a checkpoint in every iteration nothing is rolled back. For many nodes the saving grows with their square."""
    assert model.saved(PAPER._replace(interval=1)) == 0 == model.active(PAPER._replace(interval=1))
    ratio = model.saved(PAPER._replace(nodes=10 ** 9)) / model.saved(PAPER._replace(nodes=10 ** 8))
    near(ratio, 100, 1e-5)


def ask(*args):
    done = call("model", "dataflow", *args)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def test_what_the_command_prints():
    text = ask()
    for words in ("Modelled, not measured", "12.6752", "11.3184", "2 r (r + 1)", "the paper's"):
        assert words in text, (words, text)
    assert "given" not in text and "given" in ask("--nodes", 500)
    found = json.loads(ask("--json", "-", "--nodes", "1e5", "--dim=1"))
    near(found["saved_eq7_printed_w"], 1267.5, 1e-4)
    assert found["parameters"]["nodes"] == 100000 and found["parameters"]["dim"] == 1, found["parameters"]
    rows = list(csv.DictReader(io.StringIO(ask("--csv", "--interval", 77))))
    assert {(r["by"], r["dim"]) for r in rows} == {(by, dim) for by in ("nodes", "interval") for dim in "12"}
    one, = (r for r in rows if r["by"] == "interval" and r["interval"] == "77" and r["dim"] == "2")
    near(float(one["saved_exact_w"]), model.saved(PAPER._replace(interval=77)))
    both = call("model", "--help").stdout
    assert both.startswith("usage: rollbench model energy [") and "--mtbf-node Y" in both and "--lambda X" in both, both


def test_what_the_command_refuses():
    this = ("model", "dataflow")
    refuse_all(("model", ("energy", "dataflow", "mcml")), ("model", "flow", ("flow:", "energy, dataflow, mcml")),
               *((*this, option, value, (option, value, "expected"))
                 for option, value in (("--nodes", "1"), ("--nodes", "2.5"), ("--nodes", "many"), ("--interval", "0"),
                                       ("--interval", "1e7"), ("--dim", "3"), ("--mtbf-node", "0"), ("--mtbf-node", "inf"),
                                       ("--iteration", "-1"), ("--saved", "nan"))),
               (*this, "--nodes", ("--nodes", "missing")), (*this, "--json", "--csv", ("only one",)),
               (*this, "--lambda", "1", ("--lambda", "unexpected")), (*this, "x", ("x", "unexpected")))


@pytest.mark.long
def test_the_figure():
    folder = new_folder()
    path = folder / "model.json"
    path.write_text(ask("--json", "--interval", 20))
    said = drawing.draw("dataflow_saving", path, folder / "drawn")
    assert "Warning" not in said and drawing.figures(folder / "drawn") == ["dataflow-saving"], said
    nodes, saved = drawing.ask("f.series(records, 'nodes', 2, 'saved_eq7_printed_w')", json.loads(path.read_text()),
                               "from plots.figures import dataflow_saving as f")
    slopes = [math.log(b / a) / math.log(n / m) for m, n, a, b in zip(nodes, nodes[1:], saved, saved[1:])]
    assert len(slopes) > 10 and all(abs(slope - 2) < 1e-9 for slope in slopes), slopes
    for text in ("", '{"schema": "rollbench-run-1"}'):
        path.write_text(text)
        assert "rollbench model dataflow --json" in drawing.draw("dataflow_saving", path, folder / "none", expect=1)
    assert not (folder / "none").exists()
