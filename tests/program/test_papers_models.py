"""Claims about studies, simulations, models and runs with lines: readings of made-up records, which agree, differ, or are not there."""
from drawing import draw
from elc_records import lines, put
from rollbench import new_folder

from plots.claims import items, readings_runs, verdicts
from plots.claims.records import Source
from plots.claims.rules import AGREES, DIFFERS, UNDECIDED
from plots.common import elc
from plots.common.points import ELC
from plots.tables import logging_memory

NOT_RUN = "not run"


def judged(item, top):
    return [one["verdict"] for one in verdicts.judge(items.find(item, items.load()), top)]


def study(program, np, gini=0.2, sets=(40, 30, 20, 10, 5), coverage=0.78):
    caps = [{"theta": theta, "strategy": strategy, "set_percent": value, "truncated": {"set_percent": value}}
            for strategy, shift in (("heaviest", 0), ("clusters", -1)) for theta, value in zip((30, 40, 50, 60, 70), (v + shift for v in sets))]
    return {"schema": "rollbench-study-1", "name": f"{program}-{np}", "np": np, "gini": gini, "caps": caps, "teams": [],
            "coverage": [{"cluster": 8, "with_diagonal": coverage, "without_diagonal": 0.1}]}


def of_study(*studies):
    return put(new_folder(), "study/study.json", list(studies))


def test_studies():
    coverage = "memory-constrained-logging/coverage"
    assert judged(coverage, new_folder()) == [NOT_RUN] * 2
    assert judged(coverage, of_study(study("cg", 64), study("miniAMR", 256, coverage=0.5))) == [AGREES] * 2
    assert judged(coverage, of_study(study("cg", 64, coverage=0.774))) == [DIFFERS, NOT_RUN], "without what ranks send to themselves"
    table4, rows = "memory-constrained-logging/table4", ((1.95, .78, .19, .19, .19), (.78, .30, .10, .10, .10))
    two = [study("bfs", np, gini, row) for np, gini, row in zip((512, 1024), (0.27, 0.34), rows)]
    assert judged(table4, of_study(*two)) == [AGREES] * 3
    assert judged(table4, of_study(study("bfs", 512, 0.27, rows[1]), study("bfs", 1024, 0.27, rows[0]))) == [DIFFERS, DIFFERS, DIFFERS]
    assert judged(table4, of_study(two[0]))[2] == NOT_RUN, "one number of ranks has no trend"
    table2 = "memory-constrained-logging/table2"
    assert judged(table2, of_study(study("BT-MZ", 256, 0.2, (61, 16, 8, 3, 0.4))))[:2] == [AGREES] * 2
    assert judged(table2, of_study(study("BT-MZ", 256, 0.3, (61, 16, 18, 3, 0.4))))[:2] == [DIFFERS] * 2
    assert judged("memory-constrained-logging/table5", of_study(study("miniAMR", 256))) == [UNDECIDED, AGREES], "FLASH cannot be had"


def test_the_model_of_memory_constrained_logging():
    def model(saved):
        return put(new_folder(), "study/mcml.json", {"rows": [{"sockets": 512000, "omega": o, "time_saved_percent": s, "energy_saved_percent": s}
                                                              for o, s in saved.items()]})
    assert judged("memory-constrained-logging/fig7a", model({0.3: 24.6, 0.7: 2.7})) == [AGREES]
    assert judged("memory-constrained-logging/fig7a", model({0.3: 28.0, 0.7: 2.7})) == [DIFFERS]
    assert judged("memory-constrained-logging/fig7a", model({0.3: 24.6})) == [NOT_RUN]


def simulated(counts, seconds=lambda method, seed: 1000 + seed):
    """counts: {np: {method: iterations of each seed}}"""
    top, names = new_folder(), []
    for np, of in counts.items():
        runs = [{"method": method, "seed": seed, "failures": np // 25, "iterations": {"repeated": value, "supported": 0, "useful": 1},
                 "makespan_s": seconds(method, seed), "energy_j": {"compute": 1.0}} for method, values in of.items() for seed, value in enumerate(values)]
        names.append(f"np={np}")
        put(top, f"fig6-simulated/np={np}.json", {"schema": "rollbench-simulate-1", "model": {"np": np, "line": "barrier"}, "runs": runs})
    return put(top, "fig6-simulated/sweep.json", {"schema": "rollbench-simulations-1", "name": "x", "file": "x.yaml", "runs": names})


def scaled(factor, np):
    return [round(factor * np * np * (1 + 0.01 * seed)) for seed in range(8)]


def test_simulations():
    fig6a, fig6b = "data-flow-rollback/fig6a", "data-flow-rollback/fig6b"
    good = {np: {"global": scaled(0.08, np), "dataflow": [np // 5 + s for s in range(8)], "local": [np // 20 + s for s in range(8)]}
            for np in (100, 500, 1000)}
    assert judged(fig6a, simulated(good)) == [AGREES, DIFFERS, AGREES], "four crashes are more than about two"
    assert judged(fig6b, simulated(good)) == [AGREES, AGREES]
    swapped = {np: {**of, "local": of["global"], "global": of["local"]} for np, of in good.items()}
    assert judged(fig6a, simulated(swapped))[0] == DIFFERS
    linear = {np: {**of, "global": [100 * np + s for s in range(8)]} for np, of in good.items()}
    assert judged(fig6a, simulated(linear))[2] == DIFFERS
    assert judged(fig6a, simulated({np: {**of, "local": of["dataflow"]} for np, of in good.items()}))[0] == UNDECIDED, "no difference"
    assert judged("data-flow-rollback/fig6c", simulated(good)) == [AGREES, AGREES]
    slower = simulated(good, lambda method, seed: (1100 if method == "local" else 1000) + seed)
    assert judged("data-flow-rollback/fig6c", slower) == [AGREES, DIFFERS]


def test_runs_with_lines():
    fig5 = "event-logging-checkpoint/fig5"
    assert judged(fig5, new_folder()) == [NOT_RUN] * 2
    assert judged(fig5, lines({("checkpoint", 800): 1.2, ("checkpoint", 1600): 1.05})) == [AGREES, AGREES]
    assert judged(fig5, lines({("checkpoint", 800): 1.5, ("checkpoint", 1600): 1.9})) == [DIFFERS, DIFFERS]
    assert judged(fig5, lines({("checkpoint", 800): 1.1})) == [UNDECIDED, AGREES], "one size"
    assert judged("event-logging-checkpoint/programs", lines({("checkpoint", 800): 1.1})) == [AGREES]


def test_the_figure_of_lines_has_the_ratio_that_the_verdict_has():
    """That of the two medians over the pairs (docs/statistics.md). The figure had the median of the ratios: 1.5 where the verdict had 2."""
    source, ours = (1, 2, 2, 2, 4, 4, 4, 4), (1.5, 3, 3, 9, 9, 9, 6, 6)
    top = lines({("protocol", 800): None}, lambda ratio, seed: source[seed] if ratio else ours[seed])
    item = items.find("event-logging-checkpoint/fig5", items.load())
    case, = readings_runs.line_ratio(Source(top, item["records"]), "gauss_jordan", "protocol")
    assert case == ("gauss_jordan 800 on 2 processes", [*ours], [*source], True)
    drawn = draw("event_logging", top / "event-logging", top / "figures")
    assert "gauss_jordan, size 800, protocol / source: 2.0000 [" in drawn, drawn


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
    of_sizes = elc.times(ELC.load(top / "sweep").values())["x", 2]
    assert elc.pairs(of_sizes[8], "protocol") == [(1.5, 2), (2.5, 3)], of_sizes


def test_a_claim_and_the_table_are_about_the_same_iterations():
    """Of the log of CG the table had 25 iterations and the claim asked for 26, which passed within 5 %."""
    asked = {case["name"]: case["ask"].split()[1:] for verdict in items.find("message-logging-kernels/accumulated-log", items.load())["verdicts"]
             for case in verdict["with"]["of"]}
    of_table = {name: [*next(words for known, words, *_ in logging_memory.RUNS if known == name).split(), "--policy", "all", "--interval", str(ours),
                       "--kill", f"0@{ours - 1}"] for name, _, _, ours, _ in logging_memory.INTERVALS}
    assert asked == of_table, (asked, of_table)


def test_the_first_whole_sweep_counts():
    """A sweep of make run-long that has begun does not hide the whole one of make run-all."""
    top, item = new_folder(), items.find("message-logging-kernels/fig7", items.load())
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
