"""Made-up results folders for verdicts on the claims of the papers: sweeps, studies and simulations."""
import itertools
import json

from elc_records import put
from report_results import record
from rollbench import new_folder

from plots.claims import items, verdicts
from plots.claims.rules import AGREES, DIFFERS
from plots.claims.verdicts import CONSTRUCTED


ITEMS = items.load()


def judged(top, item="message-logging-kernels/fig6"):
    """The verdict on each claim of an item."""
    return [one["verdict"] for one in verdicts.judge(items.find(item, ITEMS), top)]


def check_near_misses(cases):
    """cases: (reading, item, which of its claims, records that agree, records with the error of a wrong program). Returns the readings."""
    tried = set()
    for reading, name, at, right, wrong in cases:
        item = items.find(name, ITEMS)
        assert item["verdicts"][at]["of"] == reading, (reading, name)
        for records, expected in ((right, (AGREES, CONSTRUCTED)), (wrong, (DIFFERS,))):
            one = verdicts.judge(item, records)[at]
            assert one["verdict"] in expected, (reading, name, at, one)
        tried.add(reading)
    return tried


def sweep_of(found, experiment="run-all"):
    top = new_folder()
    folder = top / experiment
    folder.mkdir()
    for name, one in found.items():
        (folder / f"{name}.json").write_text(json.dumps({"id": name, **one}), encoding="utf-8")
    (folder / "sweep.json").write_text(json.dumps({"schema": "rollbench-sweep-1", "kind": "engine", "name": experiment,
                                                   "runs": list(found)}), encoding="utf-8")
    return top


def killed(policy, at, executed, **more):
    one = record(policy, f"2@{at}:send", **more)
    one["failures"][0].update(iteration=at, checkpoint=0, fronts=[at] * 4, rollback_set=[2] if policy == "all" else [0, 1, 2, 3])
    one["iterations"] = {"useful": 100, "executed": executed, "repeated": executed - 100, "aborted": 0}
    return one


def study(program, np, gini=0.2, sets=(40, 30, 20, 10, 5), coverage=0.78, clusters=-1):
    """clusters: how much larger their sets are than those of the heaviest channel first"""
    caps = [{"theta": theta, "strategy": strategy, "set_percent": value, "truncated": {"set_percent": value}}
            for strategy, shift in (("heaviest", 0), ("clusters", clusters)) for theta, value in zip((30, 40, 50, 60, 70), (v + shift for v in sets))]
    return {"schema": "rollbench-study-1", "name": f"{program}-{np}", "np": np, "gini": gini, "caps": caps, "teams": [],
            "coverage": [{"cluster": 8, "with_diagonal": coverage, "without_diagonal": 0.1}]}


def of_study(*studies):
    return put(new_folder(), "study/study.json", list(studies))


def simulated(counts, seconds=lambda method, line: 1000, lines=("barrier",), failures=lambda np: np // 25, **model):
    """counts: {np: {method: iterations of each seed}}, the same with each kind of line"""
    top, names = new_folder(), []
    for (np, of), line in itertools.product(counts.items(), lines):
        runs = [{"method": method, "seed": seed, "failures": failures(np), "iterations": {"repeated": value, "supported": 0, "useful": 1},
                 "makespan_s": seconds(method, line) + seed, "energy_j": {"compute": 1.0}}
                for method, values in of.items() for seed, value in enumerate(values)]
        names.append(f"np={np}-line={line}")
        put(top, f"fig6-simulated/{names[-1]}.json",
            {"schema": "rollbench-simulate-1", "model": {"np": np, "line": line, **model}, "runs": runs})
    return put(top, "fig6-simulated/sweep.json", {"schema": "rollbench-simulations-1", "name": "x", "file": "x.yaml", "runs": names})


def scaled(factor, np):
    return [round(factor * np * np * (1 + 0.01 * seed)) for seed in range(8)]
