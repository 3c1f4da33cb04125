"""The energy model compared with numbers worked out by hand and with roots found numerically; and what it
reads from records."""
import itertools
import json
import math

from rollbench import new_folder

from plots.common.command import Refused
from plots.common.stats import median
from plots.models import energy_model as model
from plots.models.energy_model import Load, Model
from plots.models.energy_records import Records

PAPER = Model(0.98, 1, 0.75)
PAPER_FAST = Model(0.98, 2, 0.75)


def near(value, expected):
    assert value == expected or abs(value - expected) <= 1e-12 * max(1, abs(expected)), (value, expected)


def test_times_and_energies_by_hand():
    load = Load(980, 100)
    near(model.time_global(load), 1080)
    near(model.time_local(PAPER, load), 1100)
    near(model.time_local(PAPER_FAST, load), 1050)
    near(model.energy_global(load), 1080)
    near(model.energy_local(PAPER, load), 1075)
    near(model.difference(PAPER, load), -5)
    near(model.energy_local(PAPER_FAST, load), 1037.5)
    near(model.difference(PAPER_FAST, load), -42.5)
    near(model.difference_printed(PAPER, load), 19.6 - 25)
    near(model.difference_printed(PAPER_FAST, load), 19.6 - 12.5)


def test_the_papers_figures():
    near(model.break_even(PAPER), 0.02 / 0.98 / 0.25)
    near(model.break_even_printed(PAPER), 0.08)
    near(model.break_even_quoted(PAPER), 0.08)
    near(model.break_even(PAPER_FAST), 0.02 / 0.98 / 0.625)
    near(model.break_even_printed(PAPER_FAST), 0.16)
    near(model.break_even_quoted(PAPER_FAST), 0.04)


def test_a_longer_run_sees_more_failures():
    """1 - e^(-T/M) with T / lambda for T. In a run as long as the MTBF it is 1 - 1/e; the rise is largest about there, and 0.74 %."""
    near(model.failure_probability(PAPER, Load(98, 0), 98)[0], 1 - math.exp(-1))
    near(model.failure_probability(PAPER, Load(98, 0), 100)[1], 1 - math.exp(-1))
    rises = [after - before for before, after in (model.failure_probability(PAPER, Load(t, 0), 100) for t in range(1, 1000))]
    assert rises.index(max(rises)) in (97, 98, 99) and round(max(rises), 4) == 0.0074 and min(rises) > 0, max(rises)
    near(model.rise_printed(PAPER, Load(98, 0), 100), math.exp(0.98) - math.e)
    assert model.rise_printed(PAPER, Load(1e9, 0), 1) == -math.inf


def root(m):
    """Where local rollback no longer needs more energy, by bisection; infinity if it always does."""
    def excess(share):
        return model.energy_local(m, Load(1, share)) - model.energy_global(Load(1, share))

    low, high = 0, 1e6
    if excess(high) > 0:
        return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def test_break_even_is_the_root():
    never = 0
    cases = [Model(*values) for values in itertools.product((0.5, 0.9, 0.98, 0.9895), (0.3, 0.9, 1, 1.5, 2, 7),
                                                           (0.1, 0.5, 0.75, 1))]
    for i, m in enumerate(cases):
        found, load = root(m), Load(3600, 10 * i)
        never += math.isinf(found)
        assert model.break_even(m) == found or abs(model.break_even(m) - found) < 1e-9 * found, (m, found)
        assert abs(model.difference(m, load) - model.energy_local(m, load) + model.energy_global(load)) < 1e-9, m
    assert 1 <= never < len(cases) == 96, never


def test_borders():
    assert math.isinf(model.break_even(Model(0.98, 1, 1))) and math.isinf(model.break_even_printed(Model(0.98, 1, 1)))
    assert math.isinf(model.break_even(Model(0.98, 0.5, 0.75)))
    near(model.break_even(Model(1, 1, 0.75)), 0)
    near(model.break_even(Model(0.98, 2, 1)), 0.02 / 0.98 / 0.5)


def add(records, status="ok", **members):
    """A record of jacobi on 2 roles."""
    path = new_folder() / "record.json"
    path.write_text(json.dumps({"schema": "rollbench-run-1", "kind": "engine", "status": status, "kernel": "jacobi", "np": 2, **members}))
    records.add(str(path))


PAIRED = {"policy": "all", "failures": [], "paired": {"protected_s": [1.0, 2.0, 4.0, 1.0],
                                                  "bare_s": [0.9, 1.9, 3.92, 0.96]}}


def failed(*failures):
    """100 iterations in 2 s without the recovery and the checkpoints; failures: (rollback set, catchup_s);
    each repeats 40 iterations."""
    return {"policy": "all", "loop_s": 3.0, "checkpoints": {"seconds_max": 0.2}, "iterations": {"useful": 200},
            "failures": [{"iteration": 90, "checkpoint": 50, "rollback_set": rolled, "restored_s": 0.3,
                          "catchup_s": catchup} for rolled, catchup in failures]}


def test_records_hold_lambda_and_mu():
    records = Records()
    add(records, **PAIRED)
    add(records, **failed(([1], 0.5)))
    found = records.samples["lambda"], records.samples["mu"]
    assert [(len(s.values), s.records) for s in found] == [(4, 1), (1, 1)], vars(found[0])
    near(median(found[0].values), (0.95 + 0.96) / 2)
    near(median(found[1].values), 0.02 / (0.5 / 40))


def test_records_without_them_say_why():
    for members, of_lambda, of_mu in (
            ({"policy": "none", "paired": {}, "failures": []}, "not `all`", "no record"),
            ({"policy": "all", "paired": {}}, "no pair", "no record"),
            (failed(([0, 1], 0.5)), "no record", "not local"),
            (failed(([1], None)), "no record", "catch up"),
            (failed(([1], 2.9)), "no record", "all recovery"),
            (failed(([1], 1), ([1], 1)), "no record", "more than one")):
        records = Records()
        add(records, **members)
        found = records.samples["lambda"], records.samples["mu"]
        assert not found[0].values and not found[1].values, members
        assert of_lambda in found[0].why_not and of_mu in found[1].why_not, vars(found[1])


def refused(records, *words, **members):
    try:
        add(records, **members)
    except Refused as error:
        assert all(word in str(error) for word in ("--record", *words)), error
        return
    raise AssertionError(members)


def test_other_records_are_refused():
    records = Records()
    records.problem = "cg", 2
    refused(records, "cg on 2", **PAIRED)
    refused(Records(), "hang", status="hang", **PAIRED)
    refused(Records(), schema="x")
    path = new_folder() / "record.json"
    for text in (b"no JSON", b"5", b"", b"\xff", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}', b'{"a": 01}'):
        path.write_bytes(text)
        try:
            Records().add(str(path))
        except Refused as error:
            assert "cannot be read as JSON" in str(error), error
        else:
            raise AssertionError(text)
