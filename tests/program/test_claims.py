"""Verdicts on the claims of the papers: rules, and readings of made-up records, which agree, differ, or are not there."""
import itertools
import json

import pytest

import over_time_records
import power_records
from claim_records import ITEMS, check_near_misses, judged, killed, of_study, scaled, simulated, study, sweep_of
from drawing import draw
from elc_records import crossing, lines, put, series
from report_results import record
from rollbench import call, new_folder

from plots.claims import items, readings_findings, readings_models, readings_runs, rules, verdicts
from plots.claims.records import Source, absent
from plots.claims.rules import AGREES, DIFFERS, UNDECIDED
from plots.claims.verdicts import CONSTRUCTED, NOT_RUN
from plots.common import elc
from plots.common.points import ELC
from plots.tables import table_memory


def said(rule, cases, **limits):
    return [one.verdict for one in rules.RULES[rule](cases, **limits)]


STEADY = [1.0 + 0.001 * i for i in range(12)]
WILD = [0.2, 3.0, 0.5, 2.2, 0.3, 2.9, 0.4, 2.5, 0.3, 3.1, 0.2, 2.8]


def test_rules_that_count():
    assert said("same-count", [rules.Count("a", 5, 5, 5), rules.Count("b", 6, 5, 7), rules.Count("c", 8, 5, 7)]) == [AGREES, AGREES, DIFFERS]
    assert said("same-set", [rules.Same("a", [1, 2], [2, 1]), rules.Same("b", [1], [1, 2])]) == [AGREES, DIFFERS]
    assert said("near", [rules.Number("a", 0.78, 0.781), rules.Number("b", 0.8, 0.78)], absolute=0.005) == [AGREES, DIFFERS]
    assert said("near", [rules.Number("a", 104, 100), rules.Number("b", 106, 100)], relative=0.05) == [AGREES, DIFFERS]
    assert said("near", [rules.Number("a", 51, 100), rules.Number("b", 49, 100), rules.Number("c", -60, 100)], factor=2) == [AGREES, DIFFERS, DIFFERS]
    one_of_2048 = rules.Number("a", 100 / 2048, 0.10)  # 0.0488: half of two ranks, which are printed as 0.10
    assert said("near", [one_of_2048], factor=2, rounded=0.005) == [AGREES] and said("near", [one_of_2048], factor=2) == [DIFFERS]
    assert said("not-rising", [rules.Series("a", [3, 2, 2]), rules.Series("b", [3, 2, 2.1])]) == [AGREES, DIFFERS]
    assert rules.all_of([]) == UNDECIDED
    assert rules.all_of([rules.Verdict("", AGREES, ""), rules.Verdict("", UNDECIDED, "")]) == UNDECIDED
    assert rules.all_of([rules.Verdict("", AGREES, ""), rules.Verdict("", UNDECIDED, ""), rules.Verdict("", DIFFERS, "")]) == DIFFERS


def test_rules_for_samples():
    """Each agrees, differs, and decides nothing where the noise is too large or the samples too few."""
    twice = [2 * v for v in STEADY]
    assert said("ratio-within", [rules.Two("a", STEADY, STEADY, True), rules.Two("b", twice, STEADY, True), rules.Two("c", WILD, STEADY, False),
                                 rules.Two("d", STEADY[:3], STEADY[:3], True)], least=0.9, most=1.1) == [AGREES, DIFFERS, UNDECIDED, UNDECIDED]
    assert said("ratio-within", [rules.Two("a", twice, STEADY, True)], least=1.5) == [AGREES]
    rising = [(x, 1 + 0.1 * x + 0.001 * (x % 3)) for x in range(12)]
    assert said("slope-not-zero", [rules.Points("a", rising), rules.Points("b", [(x, -y) for x, y in rising]),
                                   rules.Points("c", list(enumerate(WILD))), rules.Points("d", rising[:4])]) == [AGREES, DIFFERS, UNDECIDED, UNDECIDED]
    square = [(x, x * x * (1 + 0.01 * i)) for x in (1, 2, 4, 8) for i in range(3)]
    assert said("exponent-within", [rules.Points("a", square), rules.Points("b", [(x, x) for x, _ in square]),
                                    rules.Points("c", [(x, w * x * x) for x in (1, 2, 3) for w in WILD[:4]])],
                least=1.8, most=2.2) == [AGREES, DIFFERS, UNDECIDED]
    assert said("mean-within", [rules.Mean("a", STEADY, 1), rules.Mean("b", STEADY, 2), rules.Mean("c", WILD, 1.2), rules.Mean("d", [1.0], 1)],
                factor=1.2) == [AGREES, DIFFERS, UNDECIDED, UNDECIDED]
    groups = [rules.Groups("a", {"x": twice, "y": STEADY}), rules.Groups("b", {"x": STEADY, "y": twice}), rules.Groups("c", {"x": WILD, "y": WILD[::-1]})]
    assert said("order-of", groups, names=["x", "y"]) == [AGREES, DIFFERS, UNDECIDED]


def test_verdicts_on_made_up_records():
    """Fig. 6: global rollback repeats the lost iterations of all roles, local rollback those of one."""
    good = {f"r{at}": killed("none", at, 100 + 4 * at) for at in (3, 7)} | {f"l{at}": killed("all", at, 100 + at) for at in (3, 7)}
    assert judged(sweep_of(good)) == [AGREES, AGREES]
    assert judged(sweep_of({**good, "l7": killed("all", 7, 108)})) == [AGREES, DIFFERS], "one iteration too many"
    assert judged(sweep_of({**good, "r7": killed("none", 7, 100 + 7)})) == [DIFFERS, AGREES]
    assert judged(sweep_of({"l3": good["l3"]})) == ["not run", AGREES]
    assert judged(sweep_of({**good, "l7": killed("all", 7, 108, status="wrong")})) == [AGREES, AGREES], "a run that is not ok counted"
    assert judged(sweep_of({**good, "l7": killed("all", 7, 107, status="wrong")}), "message-logging-kernels/validation") == [DIFFERS]
    aborted = {**killed("all", 7, 107, status="abort"), "failures": []}
    assert judged(sweep_of({**good, "l7": aborted}), "message-logging-kernels/validation") == [DIFFERS], "it ended before a repair"
    noisy = {f"r{at}-{i}": killed("none", at, 100 + 4 * at, loop_s=WILD[(3 * at + i) % 12]) for at in range(6) for i in range(2)}
    assert judged(sweep_of(noisy, "times"), "message-logging-kernels/fig7")[0] == UNDECIDED
    rising = {f"r{at}-{i}": killed("none", at, 100 + 4 * at, loop_s=0.1 + 0.02 * at + 0.001 * i) for at in range(6) for i in range(2)}
    assert judged(sweep_of(rising, "times"), "message-logging-kernels/fig7")[0] == AGREES
    falling = {name: {**one, "loop_s": 1 - one["loop_s"]} for name, one in rising.items()}
    assert judged(sweep_of(falling, "times"), "message-logging-kernels/fig7")[0] == DIFFERS


def test_a_control_that_ends_right_differs():
    good = {f"c{at}": killed("all", at, 103, status="wrong", equal=False, control="replay") for at in (3, 7)}
    assert judged(sweep_of(good, "controls"), "message-logging-kernels/alg1") == ["not run", AGREES]
    one = {**good, "c9": killed("all", 9, 103, control="replay")}
    assert judged(sweep_of(one, "controls"), "message-logging-kernels/alg1") == ["not run", DIFFERS]


def of_dataflow(repeated, recompute="dataflow", decomp="1x9", role=4, lost=3):
    rows, columns = map(int, decomp.split("x"))
    one = killed("none", lost, 100 + repeated, recompute=recompute, params={"decomp": decomp}, np=rows * columns)
    one["failures"][0]["role"] = role
    return sweep_of({"x": one}, "dataflow")


@pytest.mark.parametrize("recompute, decomp, role, expected", [
    ("dataflow", "1x9", 4, (1, 4, 9, 16, 25)), ("dataflow", "1x9", 1, (1, 4, 8, 13, 19)), ("dataflow", "3x3", 4, (1, 6, 15, 24, 33)),
    ("dataflow", "5x5", 12, (1, 6, 19, 40, 65)), ("dataflow:flat", "1x9", 4, (3, 10, 21, 36, 45)), ("dataflow:flat", "3x3", 4, (5, 18, 27, 36, 45))])
def test_cones_of_data_flow_rollback(recompute, decomp, role, expected):
    """Counted by hand. Where roles that the closed forms count do not exist, a cone is cut off; `5 L - 4` and `L` are not it."""
    def verdicts_on(repeated, lost):
        return judged(of_dataflow(repeated, recompute, decomp, role, lost), "data-flow-rollback/fig7")
    at = ("dataflow", "dataflow:flat").index(recompute) * 2 + (not decomp.startswith("1x"))  # on a line, on a grid; the same with Alg. 1
    for lost, count in enumerate(expected, 1):
        assert verdicts_on(count, lost)[at] == AGREES, (lost, count)
        for wrong in {count - 1, count + 1, lost if lost > 1 else 0, 5 * lost - 4} - {count}:
            found = verdicts_on(wrong, lost)
            assert found[at] == DIFFERS and found.count(NOT_RUN) == 3, (lost, wrong)


def test_records_of_another_form_end_nothing():
    top = sweep_of({"x": {**killed("none", 3, 112), "failures": [{"role": 2}]}})
    one = verdicts.judge(items.find("message-logging-kernels/fig6", ITEMS), top)[0]
    assert one["verdict"] == UNDECIDED and "iteration" in one["text"], one


def test_half_a_sweep_is_not_judged():
    good = {f"l{at}": killed("all", at, 100 + at) for at in (3, 7)}
    top = sweep_of(good)
    (top / "run-all" / "l7.json").unlink()
    item = items.find("message-logging-kernels/fig6", ITEMS)
    assert judged(top) == ["not run"] * 2 and verdicts.state(item, top) == ("begun", f"1 of 2 runs are in {top}/run-all; the same command goes on")
    state, text = verdicts.state(item, sweep_of(good))
    assert state == "records, not drawn" and "fig6-iterations.png" in text, (state, text)


def switched(lost, size):
    one = killed("window:4", lost, 110)
    one["failures"][0]["rollback_set"] = list(range(size))
    return sweep_of({"x": one}, "times")


def test_the_switch_of_the_hybrid():
    """With a window of 4, three lost iterations are local, seven are global, and four are either."""
    def of(at, size):
        return judged(switched(at, size), "message-logging-kernels/fig8")[0]
    assert [of(3, 1), of(7, 4), of(4, 1), of(4, 4)] == [AGREES] * 4
    assert [of(3, 4), of(7, 1)] == [DIFFERS] * 2


def metered(first, second):
    return sweep_of({f"{name}{i}": killed(name, 3, 103, energy={"package_j": joules + 0.01 * i})
                     for name, joules in (("none", first), ("all", second)) for i in range(6)}, "power")


def test_what_cannot_be_measured_is_not_decided():
    item = items.find("power-log-n-roll/fig6", ITEMS)
    one, = verdicts.judge(item, sweep_of({"r": killed("none", 3, 112), "l": killed("all", 3, 103)}, "power"))
    assert one["verdict"] == UNDECIDED and "no counter" in one["text"], one
    one, = verdicts.judge(item, metered(10, 8))
    assert one["verdict"] == AGREES, one


def test_studies():
    coverage = "memory-constrained-logging/coverage"
    assert judged(new_folder(), coverage) == [NOT_RUN] * 2
    assert judged(of_study(study("cg", 64), study("miniAMR", 256, coverage=0.5)), coverage) == [CONSTRUCTED, AGREES]
    assert judged(of_study(study("cg", 64, coverage=0.774)), coverage) == [DIFFERS, NOT_RUN], "without what ranks send to themselves"
    table4, rows = "memory-constrained-logging/table4", ((1.95, .78, .19, .19, .19), (.78, .30, .10, .10, .10))
    two = [study("bfs", np, gini, row) for np, gini, row in zip((512, 1024), (0.27, 0.34), rows)]
    assert judged(of_study(*two), table4) == [AGREES] * 3
    assert judged(of_study(study("bfs", 512, 0.27, rows[1]), study("bfs", 1024, 0.27, rows[0])), table4) == [DIFFERS, DIFFERS, DIFFERS]
    assert judged(of_study(two[0]), table4)[2] == NOT_RUN, "one number of ranks has no trend"
    table2 = "memory-constrained-logging/table2"
    assert judged(of_study(study("BT-MZ", 256, 0.2, (61, 16, 8, 3, 0.4))), table2)[:2] == [AGREES] * 2
    assert judged(of_study(study("BT-MZ", 256, 0.3, (61, 16, 18, 3, 0.4))), table2)[:2] == [DIFFERS] * 2
    assert judged(of_study(study("miniAMR", 256)), "memory-constrained-logging/table5") == [UNDECIDED, AGREES], "FLASH cannot be had"


def mcml(saved={0.3: 24.6, 0.7: 2.7}, **changed):
    """saved: {omega: percent of the time}; changed: parameters"""
    parameters = {"solve_s": 86400, "checkpoint_s": 300, "restart_s": 30, "slowdown": 1.05, "speedup": 1.2, "high_w": 100, "low_w": 50, "sigma": 0.1}
    return put(new_folder(), "study/mcml.json", {"parameters": {**parameters, **changed}, "rows": [
        {"sockets": 512000, "omega": omega, "time_saved_percent": percent} for omega, percent in saved.items()]})


def test_the_model_of_memory_constrained_logging():
    assert judged(mcml(), "memory-constrained-logging/fig7a") == [CONSTRUCTED], "its formulas were chosen so"
    assert judged(mcml({0.3: 28.0, 0.7: 2.7}), "memory-constrained-logging/fig7a") == [DIFFERS]
    assert judged(mcml({0.3: 24.6}), "memory-constrained-logging/fig7a") == [NOT_RUN]


LINES = ("barrier", "free", "own")
AS_MANY = {np: {"global": scaled(0.08, np), "dataflow": [np / 5 * (1 + s / 100) for s in range(8)], "local": [np / 20 * (1 + s / 100) for s in range(8)]}
           for np in (100, 500, 1000)}


def test_simulations():
    fig6a, fig6b = "data-flow-rollback/fig6a", "data-flow-rollback/fig6b"
    assert judged(simulated(AS_MANY, lines=LINES), fig6a) == [AGREES, DIFFERS, *[AGREES] * 6], "four crashes are more than about two"
    assert judged(simulated(AS_MANY), fig6b) == [AGREES, AGREES]
    swapped = {np: {**of, "local": of["global"], "global": of["local"]} for np, of in AS_MANY.items()}
    assert judged(simulated(swapped), fig6a)[0] == DIFFERS
    linear = {np: {**of, "global": [100 * np + s for s in range(8)]} for np, of in AS_MANY.items()}
    assert judged(simulated(linear), fig6a)[2] == DIFFERS
    assert judged(simulated({np: {**of, "local": of["dataflow"]} for np, of in AS_MANY.items()}), fig6a)[0] == UNDECIDED, "no difference"
    assert judged(simulated({np: {"global": of["global"]} for np, of in AS_MANY.items()}), fig6a)[:4] == [NOT_RUN, DIFFERS, AGREES, NOT_RUN]
    steeper = {np: {**of, "dataflow": [int(of["dataflow"][0] * np ** 0.7) + s for s in range(8)]} for np, of in AS_MANY.items()}
    assert judged(simulated(steeper, lines=LINES), fig6a)[3::2] == [DIFFERS, DIFFERS, AGREES], "localised, and yet more with each process"


def test_times_of_simulations():
    """Equal times with a common line prove nothing; a difference is one of the paper with lines of their own, and of the simulator otherwise."""
    def fig6c(**of):
        return judged(simulated(AS_MANY, lambda method, line: 1000 * of.get(f"{method}_{line}", 1), LINES), "data-flow-rollback/fig6c")
    assert fig6c() == [CONSTRUCTED, CONSTRUCTED, AGREES]
    assert fig6c(local_barrier=1.1) == [CONSTRUCTED, DIFFERS, AGREES] and fig6c(dataflow_barrier=0.99) == [DIFFERS, CONSTRUCTED, AGREES]
    assert fig6c(local_own=0.98) == [CONSTRUCTED, CONSTRUCTED, DIFFERS]


def test_runs_with_lines():
    fig5 = "event-logging-checkpoint/fig5"
    assert judged(new_folder(), fig5) == [NOT_RUN] * 2
    assert judged(lines({("checkpoint", 800): 1.2, ("checkpoint", 1600): 1.05}), fig5) == [AGREES, AGREES]
    assert judged(lines({("checkpoint", 800): 1.5, ("checkpoint", 1600): 1.9}), fig5) == [DIFFERS, DIFFERS]
    assert judged(lines({("checkpoint", 800): 1.1}), fig5) == [UNDECIDED, AGREES], "one size"
    assert judged(lines({("checkpoint", 800): 1.1}), "event-logging-checkpoint/programs") == [AGREES]


def test_runs_that_share_cores_decide_no_growth():
    """Each MPI call that finds nothing sleeps there, which made short runs 1.6 times as long and others shorter."""
    for item, kernel, at, of in (("fig6", "neurons", 0, {(np, 64, (), "checkpoint"): 1.2 for np in (4, 16)}),
                                 ("fig5", "gauss_jordan", 0, {(2, size, (), "checkpoint"): 1.2 for size in (64, 128)})):
        assert judged(series(kernel, of, oversubscribed=True), f"event-logging-checkpoint/{item}")[at] == UNDECIDED
    one = verdicts.judge(items.find("event-logging-checkpoint/fig5", ITEMS), series("gauss_jordan", {(2, 64, (), "checkpoint"): 1.1}, oversubscribed=True))[1]
    assert one["verdict"] == AGREES and "gauss_jordan 64 on 2 processes that share cores" in one["text"], one


def test_the_figure_of_lines_has_the_ratio_that_the_verdict_has():
    """That of the two medians over the pairs (docs/statistics.md). The figure had the median of the ratios: 1.5 where the verdict had 2."""
    source, ours = (1, 2, 2, 2, 4, 4, 4, 4), (1.5, 3, 3, 9, 9, 9, 6, 6)
    top = lines({("protocol", 800): None}, lambda ratio, seed: source[seed] if ratio else ours[seed])
    item = items.find("event-logging-checkpoint/fig5", ITEMS)
    case, = readings_runs.line_ratio(Source(top, item["records"]), "gauss_jordan", "protocol")
    assert case == ("gauss_jordan 800 on 2 processes", [*ours], [*source], True)
    drawn = draw("event_logging", top / "event-logging", top / "figures")
    assert "gauss_jordan, 2 processes, size 800, protocol / source: 2.0000 [" in drawn, drawn


def test_repetitions_form_pairs_and_warm_ups_none():
    """Repetitions have the same options, seed included: the last one was all that was left. Those that warm up are no samples."""
    top = new_folder()
    for mode, protocol in (("source", "source"), ("protocol", "events")):
        for r in range(3):
            put(top, f"sweep/{mode}-r{r}.json", {"schema": "rollbench-run-1", "kind": "elc", "id": f"{mode}-r{r}", "status": "ok", "kernel": "x", "np": 2,
                                                 "protocol": protocol, "plan": [], "params": {"seed": "1"}, "line_interval_s": None,
                                                 "result": {"size": 8, "seconds": r + (0.5 if mode == "protocol" else 1)}})
    put(top, "sweep/sweep.json", {"schema": "rollbench-sweep-1", "kind": "elc", "name": "x", "file": "x", "warm_up": 1,
                                  "runs": [f"{mode}-r{r}" for r in range(3) for mode in ("source", "protocol")]})
    of_sizes = elc.times(ELC.load(top / "sweep").values())["x", 2, ()]
    assert elc.pairs(of_sizes[8], "protocol") == [(1.5, 2), (2.5, 3)], of_sizes


def test_a_claim_and_the_table_are_about_the_same_iterations():
    """Of the log of CG the table had 25 iterations and the claim asked for 26, which passed within 5 %."""
    asked = {case["name"]: case["ask"].split()[1:] for verdict in items.find("message-logging-kernels/accumulated-log", ITEMS)["verdicts"]
             for case in verdict["with"]["of"]}
    of_table = {name: [*next(words for known, words, *_ in table_memory.RUNS if known == name).split(), "--policy", "all", "--interval", str(ours),
                       "--kill", f"0@{ours - 1}"] for name, _, _, ours, _ in table_memory.INTERVALS}
    assert asked == of_table, (asked, of_table)


def test_the_first_whole_sweep_counts():
    """A sweep of make run-long that has begun does not hide the whole one of make run-all."""
    top, item = new_folder(), items.find("message-logging-kernels/fig7", ITEMS)
    put(top, "times/sweep.json", {"runs": ["x"]})
    put(top, "times/x.json", {})
    put(top, "times-long/sweep.json", {"runs": ["y", "z"]})
    put(top, "times-long/y.json", {})
    assert verdicts.state(item, top)[0] == "records, not drawn", verdicts.state(item, top)
    put(top, "times-long/z.json", {})
    (top / "times" / "x.json").unlink()
    assert verdicts.state(item, top)[0] == "records, not drawn", verdicts.state(item, top)
    (top / "times-long" / "z.json").unlink()
    assert verdicts.state(item, top) == ("begun", f"1 of 2 runs are in {top}/times-long; the same command goes on"), verdicts.state(item, top)


def with_lines(checkpoint, compared=None):
    """Runs of Gauss-Jordan with 800 unknowns and four lines take so many times as long; those with 1600, 1.1 times."""
    return lines({("protocol", 800): 1.05, ("checkpoint", 800): checkpoint, ("checkpoint", 1600): 1.1}, compared=compared or {"equal": True})


def envelopes(slower=1.5, comparisons=1):
    """A record of `rollbench envelopes`: in the long log an event takes so many times as long, and a search so many times the comparisons."""
    return put(new_folder(), "envelopes/envelopes.json", {
        "logs": [{"form": "list", "kinds": 64, "events": events, "ns": [ns + 0.01 * r for r in range(6)]}
                 for events, ns in ((10000, 3), (1000000, 3 * slower))],
        "searches": [{"sent": 1000, "received": 750, "printed": 94312.5, "removed": 234937.5,
                      "comparisons": [comparisons * 234937.5 * (1 + 0.005 * r) for r in range(-3, 4)]}]})


def expected(checkpoint):
    """Runs with lines take so many times as long as those without the library, of which the cost model expects nothing more."""
    top = series("disks", {(2, 64, (), "checkpoint"): checkpoint}, lines_committed=4, log_form="counted", processes=[{"events": 10}] * 2)
    return put(top, "envelopes/envelopes.json", {
        "schema": "rollbench-envelopes-1", "host": {"cpu": "here"}, "searches": [{"ns": [1.0]}],
        "logs": [{"form": "counted", "kinds": 64, "events": 1000000, "ns": [3.0]}]})


def products(wrong=None):
    """The matrix product as in Fig. 8. wrong: {mode: of the largest size}; with the other number of columns nothing is as the claims have it."""
    right = {"protocol": (1.02, 1.02), "checkpoint": (1.02, 1.02), "tagging": (1.06, 1.08), "tagging with lines": (1.06, 1.08)}
    modes = {mode: (smallest, (wrong or {}).get(mode, largest)) for mode, (smallest, largest) in right.items()}
    of_claim = {mode: "4" if mode in ("checkpoint", "tagging with lines") else "0" for mode in modes}
    return series("matmul", {(2, size, (("columns", columns),), mode): ratio if columns == of_claim[mode] else 1 / ratio ** 3
                             for columns in "40" for mode, both in modes.items() for size, ratio in zip((512, 2048), both)})


def timed(experiment, first, second, how="all", **more):
    """Six kills each of global rollback and of another way."""
    return sweep_of({f"{name}-r{i}": killed(name, 3, 103, loop_s=seconds + 0.001 * i, **more)
                     for name, seconds in (("none", first), (how, second)) for i in range(6)}, experiment)


def of_packages(blocked, power="dvfs+cm", plain="none"):
    """Six runs of two ways, in which the packages of blocked roles take 80 W, and so many with power saving."""
    records = []
    for how, watts in ((plain, 80), (power, blocked)):
        for repetition in range(6):
            one = power_records.make("all", how, repetition, "measured")
            for trace in one["trace"]:
                trace["rows"] = [[*row[:8], row[4] * (watts if row[1] == "blocked" else 90) if row[8] is not None else None, *row[9:]]
                                 for row in trace["rows"]]
            records.append(one)
    return sweep_of({f"run-{i}": one for i, one in enumerate(records)}, "power")


def of_nodes(idle):
    """Six runs with readings of a wattmeter: an idle node takes 122 W, and so many with capped frequency; all others 125 W."""
    found = {}
    for power, watts in (("none", 122), ("dvfs", idle)):
        for r in range(6):
            nodes = [{"node": f"n{n}", "roles": [2 * n, 2 * n + 1], "readings": [[t / 4, (watts if n == 3 else 125) + 0.1 * r] for t in range(-1, 20)]}
                     for n in range(4)]
            found[f"{power}-r{r}"] = {**over_time_records.record("flow", r), "recompute": "dataflow:flat", "power": power,
                                      "watts": {"reason": None, "nodes": nodes}}
    return sweep_of(found, "power-over-time")


def barrier(watts):
    phases = [{"technique": name, "phase": "barrier", "samples": [{"watts": of}] * 3} for name, of in {"none": 90, **watts}.items()]
    return put(new_folder(), "barrier/barrier.json", {"techniques": [{"name": phase["technique"]} for phase in phases], "phases": phases})


def active(roles):
    one = killed("all", 3, 103)
    one["failures"][0]["active"] = roles
    return sweep_of({"x": one}, "power")


NOTICED = [0] * 4 + [1] * 8 + [0] * 4  # the paper's snapshot: iterations after that of the failure


def noticed(ahead, phase):
    one = killed("all", 13, 103, np=16, plan=[f"2@13:{phase}"])
    one["failures"][0].update(role=2, fronts=[13 + further for further in ahead])
    return sweep_of({"x": one}, "noticed")


def of_modes(local, everyone, kernels=("cg", "lulesh")):
    """Runs with a window of 6 of 12 iterations; how many seconds an iteration costs in each mode."""
    found = {}
    for kernel, at, i in itertools.product(kernels, range(12), range(2)):
        one = killed("window:6", at, 110, kernel=kernel, loop_s=1 + (local if at < 6 else everyone) * at + 0.001 * i)
        one["failures"][0]["rollback_set"] = [2] if at < 6 else [0, 1, 2, 3]
        found[f"{kernel}-{at}-{i}"] = one
    return sweep_of(found, "times")


def test_a_program_without_runs_is_not_left_out_of_a_claim():
    both, one = ([claim["verdict"] for claim in verdicts.judge(items.find(MLK + "fig8", ITEMS), of_modes(0.01, 0.01, kernels))[1:]]
                 for kernels in (("cg", "lulesh"), ("cg",)))
    assert both == [AGREES] * 2 and one == [NOT_RUN] * 2, (both, one)


PAYLOADS = {"explain cg --class B --np 16 --policy all --interval 1 --kill 0@0": 450048,
            "explain cg --class C --np 16 --policy all --interval 1 --kill 0@0": 900048,
            "explain lulesh --edge 45 --np 27 --policy all --interval 1 --kill 0@0": 402000}


def with_heaps(class_b, class_c, lulesh):
    """Table 3 of the message-logging-kernels paper: a run of each problem, whose processes have these heaps."""
    runs = {f"{kernel}-{of}": record("none", kernel=kernel, np=np, params={option: of, "steps": "3"},
                                     roles=[{"role": r, "heap_bytes": heap} for r in range(np)])
            for kernel, np, option, of, heap in (("cg", 16, "class", "B", class_b), ("cg", 16, "class", "C", class_c), ("lulesh", 27, "edge", "45", lulesh))}
    return put(sweep_of(runs, "memory"), "forecasts.json", {"answers": {ask: {"log_bytes_peak": [of]} for ask, of in PAYLOADS.items()}})


def ways_to_repeat(**changed):
    """LULESH with second buffers, with copies of its state and in place, and CG with copies: (heap, seconds, percent that is copied)."""
    ways = {"double": (15.8e6, 1.005, 0), "copies": (16.9e6, 1.02, 8), "single": (14.3e6, 1, 0), "cg": (82.6e6, 1.01, 1)} | changed
    found = {}
    for (name, (heap, seconds, percent)), i in itertools.product(ways.items(), range(8)):
        params = {"class": "B"} if name == "cg" else {"edge": "30", "buffers": "double" if name == "double" else "single"}
        found[f"{name}-r{i}"] = record(
            "none", kernel="cg" if name == "cg" else "lulesh", np=1, params=params, loop_s=seconds + 0.0001 * i, **({"transaction": "copy"} if percent else {}),
            roles=[{"role": 0, "heap_bytes": heap, "phases": {"iterations": 8, "total_s": 1.0, "copy_s": percent / 100 + 0.0001 * i}}])
    return sweep_of(found, "transactions")


def paired(more, np=2):
    """CG with protection takes so much more than without, in pairs of blocks, whose seconds differ by more than that; on two cores."""
    bare = [1 + 0.1 * block for block in range(10)]
    blocks = {"block": 25, "protected_s": [(1 + more) * seconds for seconds in bare], "bare_s": bare}
    return sweep_of({f"r{i}": record("all", kernel="cg", np=np, params={"class": "B"}, oversubscribed=np > 2, paired=blocks) for i in range(6)}, "protection")


def by_iteration(step):
    return sweep_of({f"r{at}-{i}": killed("none", at, 100 + 4 * at, loop_s=1 + step * at + 0.001 * i) for at in range(6) for i in range(2)}, "times")


def saved_watts(many):
    return put(new_folder(), "dataflow-model/model.json", {"parameters": {"dim": 2}, "rows": [
        {"by": "nodes", "dim": 2, "nodes": nodes, "saved_eq7_printed_w": watts} for nodes, watts in ((10000, 12.7), (100000, many))]})


def break_even(twice):
    return put(new_folder(), "energy-model/model.json", {"paper": [{"mu": 1.0, "eq2": 0.0816}, {"mu": 2.0, "eq2": twice}]})


def simulated_model(**changed):
    return simulated({100: {"global": [1]}}, work_s=[10.0], costs={"bytes_per_s": 125e6, "latency_s": 50e-6, **changed})


MLK, POWER, MCML, DATAFLOW, EVENTS = (f"{name}/" for name in items.PAPERS)


def grown(method, exponent):
    """Iterations of a method that grow as this power of the roles."""
    return {np: {method: [round(0.08 * np ** exponent) + s for s in range(8)]} for np in AS_MANY}


def near_misses():
    """(reading, item, which of its claims, records that agree, records with the error of a wrong program)"""
    yield "active-sizes", POWER + "active-size", 0, active([1, 3]), active([0, 1, 3, 4, 5])
    yield "active-sizes", POWER + "active-size", 0, active([1, 3]), active([1])
    yield "barrier-watts", POWER + "fig3", 0, *(barrier({"dvfs": 65, "cm": 65, "dvfs+cm": both}) for both in (60, 70))
    yield "controls-wrong", MLK + "alg1", 1, *(sweep_of({"x": killed("all", 3, 103, status=status, equal=equal, control="replay")}, "controls")
                                               for status, equal in (("wrong", False), ("ok", True)))
    yield "coverage", MCML + "coverage", 1, *(of_study(study("miniAMR", 256, coverage=of)) for of in (0.5, 0.6))
    yield "dataflow-model", DATAFLOW + "eq7", 0, saved_watts(1267), saved_watts(127)
    yield "dataflow-work", DATAFLOW + "fig7", 0, of_dataflow(9), of_dataflow(8)
    yield "energy-model", POWER + "break-even", 1, break_even(0.0363), break_even(0.16)
    yield "energy-of-two", POWER + "fig6", 0, metered(10, 8), metered(10, 10.5)
    yield "crossing-growth", EVENTS + "fig6-reason", 0, crossing(14, transit=17), crossing(16, transit=17)
    yield "gini", MCML + "table4", 0, *(of_study(study("bfs", 512, 0.27), study("bfs", 1024, of)) for of in (0.34, 0.27))
    yield "hybrid-switch", MLK + "fig8", 0, switched(3, 1), switched(5, 1)
    yield "hybrid-switch", MLK + "fig8", 0, switched(5, 4), switched(3, 4)
    yield "iterations-repeated", MLK + "fig6", 0, *(sweep_of({"x": killed("none", 7, 100 + repeated)}) for repeated in (28, 7))
    for repeated in (6, 8):
        yield "iterations-repeated", MLK + "fig6", 1, *(sweep_of({"x": killed("all", 7, 100 + of)}) for of in (7, repeated))
    yield "line-expected", EVENTS + "modes", 0, expected(1.05), expected(1.15)
    yield "line-overhead-growth", EVENTS + "fig5", 0, with_lines(1.2), with_lines(1.05)
    yield "line-overhead-growth", EVENTS + "fig6", 0, *(series("neurons", {(4, 64, (), "checkpoint"): 1.2, (16, 64, (), "checkpoint"): of})
                                                        for of in (1.1, 1.22))
    for claim, mode, wrong in ((0, "checkpoint", 1.03), (1, "protocol", 1.03), (2, "tagging with lines", 1.01), (3, "tagging", 1.01), (4, "tagging", 1.05),
                               (5, "protocol", 1.03)):
        yield "line-overhead-growth" if claim > 3 else "line-ratio", EVENTS + "fig8", claim, products(), products({mode: wrong})
    yield "line-ratio", EVENTS + "fig5", 1, with_lines(1.2), with_lines(1.3)
    for wrong in ((434e6, 67.5e6, 70e6), (27e6, 67.5e6, 55e6)):  # the sum for a process; four fifths
        yield "heap", MLK + "table3", 2, with_heaps(27e6, 67.5e6, 70e6), with_heaps(*wrong)
    yield "heap-share", MLK + "table3", 3, with_heaps(450e6, 1e9, 57e6), with_heaps(450e6 / 16, 1e9 / 16, 57e6)
    yield "heap-share-below", POWER + "log-memory", 0, with_heaps(50e6, 100e6, 57e6), with_heaps(50e6, 100e6, 35e6)
    yield "copied-share", MLK + "overheads", 0, ways_to_repeat(), ways_to_repeat(cg=(82.6e6, 1.01, 2.1))
    yield "copied-share", MLK + "overheads", 1, ways_to_repeat(), ways_to_repeat(copies=(16.9e6, 1.02, 3.9))
    for heap in (14.3e6, 29e6):  # nothing has a second buffer; more than everything
        yield "memory-of-two", POWER + "second-buffers", 0, ways_to_repeat(), ways_to_repeat(double=(heap, 1.005, 0))
    yield "seconds-of-two-ways", POWER + "second-buffers", 1, ways_to_repeat(), ways_to_repeat(double=(15.8e6, 1.021, 0))
    yield "seconds-of-two-ways", POWER + "second-buffers", 2, ways_to_repeat(), ways_to_repeat(double=(15.8e6, 1.022, 0))
    for claim, wrong in ((0, 0.06), (1, 0.02)):
        yield "protection-cost", MLK + "table1", claim, paired(0.002), paired(wrong)
    yield "runs-equal", MLK + "alg2", 0, *(sweep_of({"x": killed("all", 3, 103, transaction="copy", equal=equal)}, "transactions") for equal in (True, False))
    yield "lines-equal", EVENTS + "programs", 0, with_lines(1.2), with_lines(1.2, compared={"equal": False})
    yield "log-time-growth", EVENTS + "logging-cost", 0, envelopes(), envelopes(2.1)
    yield "mcml-parameters", MCML + "table6", 0, mcml(), mcml(restart_s=300)
    yield "mcml-saved", MCML + "fig7a", 0, mcml(), mcml({0.3: 2.7, 0.7: 24.6})
    for plan, claim, right, wrong in (("op+7", 0, NOTICED, [0] * 16), ("op+7", 0, NOTICED, [0] * 4 + [1] * 11 + [2]), ("op+7", 0, NOTICED, [1] * 16),
                                      ("op+7", 1, NOTICED, [0, 0, 0, 1] + NOTICED[4:]), ("op+7", 2, NOTICED, [0] * 4 + [1] * 12)):
        reading = "noticed-in" if claim == 0 else "noticed-further"
        yield reading, MLK + "fig4", claim, noticed(right, plan), noticed(wrong, plan)
    yield "node-watts", DATAFLOW + "fig5", 0, of_nodes(110), of_nodes(118)
    yield "node-watts-of-two", DATAFLOW + "headline-watts", 0, of_nodes(110), of_nodes(118)
    for blocked in (25, 60):
        yield "recovery-watts", POWER + "half-the-power", 0, of_packages(38), of_packages(blocked)
    yield "runs-equal", POWER + "alg1", 0, *(sweep_of({"none": killed("none", 3, 112, equal=False), "x": killed("all", 3, 103, power="sleep", equal=equal)},
                                                      "power") for equal in (True, False))
    yield "runs-equal", MLK + "validation", 0, *(sweep_of({"x": killed("all", 3, 103, equal=equal)}) for equal in (True, False))
    for other in (45, 55):  # of 20 iterations, one less or one more is logged
        yield "log-of-window", MLK + "half-window", 0, *(sweep_of({way: record(way, interval=20, log={"bytes_peak": {"max": of}})
                                                                   for way, of in (("all", 100), ("window:10", part))}, "times") for part in (50, other))
    yield "seconds-by-mode", MLK + "fig8", 1, of_modes(0.01, -0.01), of_modes(-0.01, 0.01)
    yield "seconds-by-mode", MLK + "fig8", 2, of_modes(-0.01, 0.01), of_modes(0.01, -0.01)
    yield "seconds-by-iteration", MLK + "fig7", 0, by_iteration(0.01), by_iteration(-0.01)
    yield "search-comparisons", EVENTS + "identification-cost", 0, envelopes(comparisons=94312.5 / 234937.5), envelopes()
    yield "search-comparisons", EVENTS + "identification-cost", 1, envelopes(), envelopes(comparisons=1.07)
    for other in (0.8, 1.2):
        yield "seconds-of-two", MLK + "no-gain", 0, timed("times", 1, 1), timed("times", 1, other)
    yield "sets-by-ranks", MCML + "table4", 2, *(of_study(study("bfs", 512, sets=of), study("bfs", 1024, sets=(20, 15, 10, 5, 2)))
                                                 for of in ((40, 30, 20, 10, 5), (19, 15, 10, 5, 2)))
    yield "sets-fall", MCML + "table2", 0, *(of_study(study("BT-MZ", 256, sets=of)) for of in ((61, 16, 8, 3, 0.4), (61, 16, 8, 9, 0.4)))
    yield "simulated-growth", DATAFLOW + "fig6a", 2, simulated(AS_MANY), simulated(grown("global", 1.5))
    yield "simulated-growth", DATAFLOW + "fig6a", 4, simulated(AS_MANY), simulated(grown("local", 1.4))
    yield "simulated-means", DATAFLOW + "fig6a", 1, *(simulated(AS_MANY, failures=lambda np, hours=hours: {100: 2, 500: 15, 1000: 30}[np] * 100 // hours)
                                                      for hours in (100, 50))
    yield "simulated-order", DATAFLOW + "fig6a", 0, simulated(AS_MANY), simulated({**AS_MANY, 500: {**AS_MANY[500], "dataflow": [20] * 8}})
    yield "simulated-parameters", DATAFLOW + "cluster", 0, simulated_model(), simulated_model(bytes_per_s=1e9)
    yield "simulated-saving", DATAFLOW + "fig6b", 0, *(simulated({1000: {"global": scaled(of, 1000), "dataflow": [200] * 8}}) for of in (0.08, 0.04))
    yield "simulated-two", DATAFLOW + "fig6c", 2, *(simulated(AS_MANY, lambda method, line, own=own: 1000 * (own if line == "own" else 1), LINES)
                                                    for own in (1, 0.98))
    yield "strategies", MCML + "table5", 1, of_study(study("miniAMR", 256)), of_study(study("miniAMR", 256, clusters=1))
    yield "table-sets", MCML + "table4", 1, *(of_study(study("bfs", 512, sets=row)) for row in ((1.95, .78, .19, .19, .19), (.78, .30, .10, .10, .10)))


def test_what_protection_costs_is_of_roles_with_a_core_each():
    assert judged(paired(0.5, np=4), MLK + "table1") == ["not run"] * 2 and judged(paired(0.5), MLK + "table1") == [DIFFERS] * 2


def test_a_wattmeter_is_there_if_a_run_has_its_readings():
    """It was absent on every machine."""
    item = items.find(DATAFLOW + "fig5", ITEMS)
    assert absent(item, of_nodes(110)) == {} and judged(of_nodes(110), DATAFLOW + "fig5") == [AGREES]
    without = sweep_of({f"dvfs-r{r}": {**over_time_records.record("flow", r), "recompute": "dataflow:flat", "power": "dvfs"} for r in range(6)},
                       "power-over-time")
    assert "no reading of a wattmeter" in absent(item, without)["wattmeter"] and judged(without, DATAFLOW + "fig5") == [UNDECIDED]
    put(without, "barrier/barrier.json", {"techniques": [{"name": "dvfs", "absent": "no cpufreq here", "trouble": None}]})
    assert absent(item, without)["dvfs"] == "no cpufreq here"


def test_near_misses_are_rejected():
    check_near_misses(near_misses())


# (reading, item, which of its claims, one of its questions, a wrong answer or another question that has one)
FORECASTS = (
    ("forecast-set", MLK + "fig3", 0, "explain cg --class S --np 16", {"active": [0, 3, 6]}),
    ("forecast-set", MLK + "fig3", 0, "explain cg --class S --np 16", {"active": [0, 3]}),
    ("forecast-set", DATAFLOW + "fig4", 0, "explain jacobi --np 8 --decomp 4x2",
     "explain jacobi --np 8 --decomp 2x4 --interval 10 --ckpt-first 1 --recompute dataflow --kill 1@3"),
    ("forecast-set", POWER + "table2-active", 0, "explain lulesh --np 125", "explain lulesh --np 125 --reduce doubling --policy all --kill 0@90"),
    ("active-by-roles", POWER + "savings-grow", 0, "explain jacobi --np 4096", "explain jacobi --np 4096 --reduce doubling --policy all --kill 0@18"),
    ("partners-most", POWER + "fig4", 2, "partners allreduce --np 1048576 --reduce ring", "partners allreduce --np 1024 --reduce doubling"),
    ("partners-most", "findings/reductions", 0, "partners allreduce --np 1048576 --reduce binomial", {"most": 19}),
    ("partners-most", "findings/reductions", 1, "partners allreduce --np 1048576 --reduce ring", {"most": 2}),
    ("partners-most", "findings/reductions", 2, "partners allreduce --np 1048576 --reduce central", {"most": 1048574}),
    ("payload-forecast", MLK + "accumulated-log", 0, "explain cg --class D --np 16 --policy all --interval 25",
     "explain cg --class D --np 16 --policy all --interval 26 --kill 0@25"),
)


def test_near_misses_of_forecasts_are_rejected():
    top = new_folder() / "results"
    assert call("papers", "forecasts", "--results", top).returncode == 0
    answers = json.loads((top / "forecasts.json").read_text(encoding="utf-8"))["answers"]
    for reading, name, at, asked, wrong in FORECASTS:
        claim = items.find(name, ITEMS)["verdicts"][at]
        line, = (one["ask"] for one in claim["with"]["of"] if one["ask"].startswith(asked))
        assert claim["of"] == reading and judged(top, name)[at] in (AGREES, CONSTRUCTED), (reading, name)
        instead = wrong if isinstance(wrong, dict) else json.loads(call(*wrong.split(), "--json").stdout)
        other = put(new_folder(), "forecasts.json", {"answers": {**answers, line: {**answers[line], **instead}}})
        assert judged(other, name)[at] == DIFFERS, (reading, name, instead)


def test_every_reading_is_used_and_has_a_near_miss():
    used = {claim["of"] for item in ITEMS for claim in item["verdicts"]}
    known = set(readings_runs.READINGS) | set(readings_models.READINGS)  # those of findings: test_findings.py
    assert known | set(readings_findings.READINGS) == used, known ^ used
    tried = {reading for reading, *_ in (*near_misses(), *FORECASTS)}
    assert known - {"not-measured"} == tried, known ^ tried
    assert set(rules.RULES) <= {claim["rule"] for item in ITEMS for claim in item["verdicts"]}
