#!/usr/bin/env python3
"""Time, iterations computed again, energy and log against the number of roles: simulated runs (modelled).

usage: scaling.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench simulate configs/laptop/simulate-scaling.yaml --results FOLDER`. scaling-simulated: a column for weak scaling
(the work of a role is the same at all numbers of roles) and one for strong scaling (that of all roles together is). A small dot per
run, a large mark per mean over the seeds, with its 95 % interval. masking-simulated: time lost to a failure with a common line and with
checkpoints of each role at its own time, where delays of distant failures overlap. Values are printed.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import simulations
from plots.common.command import arguments
from plots.common.drawing import note, panels, save
from plots.common.runs import LOOK
from plots.common.stats import mean, mean_interval, ratio_of_sums
from plots.forecast.records import LOOK_OF, NAMES

LINES = {"free": dict(color="#4c72b0", marker="o", label="common line"),
         "own": dict(color="#2f6f6f", marker="^", label="each role its own checkpoints")}


def kind(record, works):
    """Which figure or column a record is for. works: {MTBF: all works}."""
    model = record["model"]
    if model["stops"] == "affected":
        return "masking"
    return "strong" if len(works[model["random_failures"]["mtbf_node_s"]]) > 1 else "weak"


def sorted_out(records):
    """{kind: [records]} in ascending order of the number of roles."""
    works, found = {}, {}
    for record in records:
        works.setdefault(record["model"]["random_failures"]["mtbf_node_s"], set()).add(tuple(record["model"]["work_s"]))
    for record in sorted(records, key=lambda r: r["model"]["np"]):
        found.setdefault(kind(record, works), []).append(record)
    return found


def ideal_s(model):
    """Work alone: without messages, checkpoints and failures."""
    return model["steps"] * model["work_s"][0]


MEASURES = {
    "time of the run / time of the work alone": lambda run, model: run["makespan_s"] / ideal_s(model),
    "iterations computed again, share of all": lambda run, model: simulations.recomputed(run) / run["iterations"]["useful"],
    "energy / energy of the work alone": lambda run, model: simulations.energy(run) / (
        ideal_s(model) * model["np"] * model["watts"]["compute"]),
    "bytes in the logs of all roles": lambda run, model: run["log_bytes"]["sum"],
}
LOGARITHMIC = ("iterations computed again, share of all", "bytes in the logs of all roles")


def values_of(record, method, measure):
    return [MEASURES[measure](run, record["model"]) for _, run in sorted(simulations.runs(record, method).items())]


def draw(axis, records, measure, kind_of):
    least = []
    for at, (method, name) in enumerate(NAMES.items()):
        style, shift = LOOK[LOOK_OF[method]], 1.12 ** (at - 1)
        found = {r["model"]["np"]: values_of(r, method, measure) for r in records}
        shown = {np: mean(mine) for np, mine in found.items() if mean(mine) > 0 or measure not in LOGARITHMIC}
        axis.plot([np * shift for np, mine in found.items() for v in mine if v > 0],
                  [v for mine in found.values() for v in mine if v > 0],
                  linestyle="none", markersize=2.5, alpha=0.45, color=style["color"], marker=style["marker"])
        axis.plot([np * shift for np in shown], list(shown.values()), markersize=6, linewidth=0.8,
                  **{**style, "label": name, "fillstyle": "none"})
        draw_intervals(axis, {np * shift: mean_interval(found[np]) for np in shown}, style["color"])
        zero = [np for np in found if np not in shown]
        if zero:
            least.append(f"{name}: 0 at {', '.join(f'{np:,}' for np in zero)}")
        print(f"{kind_of}, {measure}, {name}: " + ", ".join(f"{np}: {mean(mine):.5g}" for np, mine in found.items()))
    axis.set_xscale("log")
    if measure in LOGARITHMIC and axis.lines and any(len(line.get_ydata()) for line in axis.lines):
        axis.set_yscale("log")
    axis.set_xlabel("roles, one per node, logarithmic")
    axis.set_ylabel(measure)
    axis.set_title("\n".join(least), fontsize=8.5)


def draw_intervals(axis, found, color):
    """found: {where: MeanInterval}; one that begins at 0 begins below a logarithmic axis."""
    known = {at: one for at, one in found.items() if one.low is not None}
    axis.vlines(list(known), [one.low for one in known.values()], [one.high for one in known.values()], color=color, linewidth=1)


def failures(records):
    """Of a run at each number of roles, and in how many runs."""
    counts = [[run["failures"] for run in simulations.runs(r, r["runs"][0]["method"]).values()] for r in records]
    return ", ".join(f"{mean(mine):.2g} ({sum(mine)} in {len(mine)})" for mine in counts)


def duration(seconds):
    return f"{seconds / 86400:.3g} d" if seconds < 365.25 * 86400 else f"{seconds / (365.25 * 86400):.3g} years"


def title(name, records):
    first, last = records[0]["model"], records[-1]["model"]
    work = (f"{first['work_s'][0]:g} s" if first["work_s"] == last["work_s"] else
            f"{first['work_s'][0]:g} s to {last['work_s'][0]:g} s")
    return f"{name} scaling: {work} an iteration, MTBF of a node {duration(first['random_failures']['mtbf_node_s'])}"


def what_is_modelled(records):
    model, costs = records[0]["model"], records[0]["model"]["costs"]
    return (f"Modelled, not measured (rollbench simulate). {model['pattern']}, {model['steps']} iterations, {model['bytes'][0] / 1e6:g} MB "
            f"to each neighbour, checkpoint of {costs['checkpoint_s']:g} s every {model['interval']} iterations, repair "
            f"{costs['repair_s']:g} s, restore {costs['restore_s']:g} s;\nthe same seeds for all methods. Small dots: runs; large marks: means "
            "with their 95 % intervals, side by side so that equal ones are seen. On logarithmic axes runs with 0 are in the means, but not among "
            "the dots.")


def figure_scaling(found, output):
    kinds = [name for name in ("weak", "strong") if name in found]
    figure, axes = panels(len(kinds), len(MEASURES))
    figure.set_size_inches(5.6 * len(kinds), 3.4 * len(MEASURES))
    for column, name in zip(axes.T, kinds):
        for axis, measure in zip(column, MEASURES):
            draw(axis, found[name], measure, name)
        column[0].set_title(title(name, found[name]), fontsize=8.5)
        column[0].legend(fontsize=8)
    figure.tight_layout()
    said = "; ".join(f"{name}: {failures(found[name])}" for name in kinds)
    note(figure, what_is_modelled([r for name in kinds for r in found[name]]) + f"\nFailures per run, and in how many runs, from the fewest roles on: {said}.")
    save(figure, output, "scaling-simulated", "time, iterations, energy and log against the number of roles, simulated")


def lost(record):
    """[(seconds lost, failures)] of each run."""
    model = record["model"]
    message = model["costs"]["latency_s"] + model["bytes"][0] / model["costs"]["bytes_per_s"]
    free = model["steps"] * (model["work_s"][0] + message) + (model["steps"] - 1) // model["interval"] * model["costs"]["checkpoint_s"]
    return [(run["makespan_s"] - free, run["failures"]) for _, run in sorted(simulations.runs(record, "local").items())]


def figure_masking(records, output):
    figure, axes = panels(1)
    axis = axes[0][0]
    for line, style in LINES.items():
        mine = {r["model"]["np"]: r for r in records if r["model"]["line"] == line}
        runs = {np: of for np, of in ((np, lost(record)) for np, record in mine.items()) if any(failed for _, failed in of)}
        found, shift = {np: ratio_of_sums(of) for np, of in runs.items()}, 1.04 if line == "own" else 0.96
        each = [(np * shift, seconds / failed) for np, of in runs.items() for seconds, failed in of if failed]
        axis.plot(*zip(*each), linestyle="none", markersize=2.5, alpha=0.45, color=style["color"], marker=style["marker"])
        axis.plot([np * shift for np in found], [one.mean for one in found.values()], markersize=6, linewidth=0.8, **style)
        draw_intervals(axis, {np * shift: one for np, one in found.items()}, style["color"])
        print(f"masking, {style['label']}: seconds lost per failure: " + ", ".join(
            f"{np}: {one.mean:.4g} of {failures([mine[np]])}" for np, one in found.items()))
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
    axis.set_xlabel("roles, one per node, logarithmic")
    axis.set_ylabel("time of the run lost to a failure [s]")
    axis.set_title("local rollback; failures per run, and in how many runs:\n" + failures([r for r in records if r["model"]["line"] == "free"]),
                   fontsize=8.5)
    axis.legend(fontsize=8)
    figure.tight_layout()
    model = records[0]["model"]
    note(figure, f"Modelled, not measured (rollbench simulate). {model['pattern']}, {model['steps']} iterations of "
                 f"{model['work_s'][0]:g} s, checkpoint every {model['interval']} iterations,\nMTBF of a node "
                 f"{model['random_failures']['mtbf_node_s'] / 3600:g} h, detection and repair take no time. Time beyond a run without "
                 "failures,\nof all runs together, divided by the failures of all runs, with its 95 % interval. Small dots: runs with a failure.")
    save(figure, output, "masking-simulated", "failure masking, simulated")


def main():
    folder, output = arguments(__doc__)
    found = sorted_out(list(simulations.load(folder).values()))
    if not found.get("weak") and not found.get("strong"):
        sys.exit(f"{folder}: no records of weak or strong scaling; expected those of configs/laptop/simulate-scaling.yaml")
    figure_scaling(found, output)
    if "masking" in found:
        figure_masking(found["masking"], output)


if __name__ == "__main__":
    main()
