#!/usr/bin/env python3
"""Iterations and time against the failing iteration, hybrid rollback.

usage: fig8_hybrid.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 8 of the message-logging-kernels paper: payloads are logged in the first K iterations of
each interval only (in the paper in half of it), a column for each problem and each such window. Above:
iterations summed over all roles, exact. Below: seconds in the time-step loop, every run and the
median, and the slope over the failing iteration of each mode. The mode of a run is what its record says of who rolled back.
The dash-dotted line is where the paper's printed test (its Alg. 4: failing iteration modulo interval < window) would switch:
one iteration before the closure does, which asks for messages that no log has.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import (checkpoints, legend_above, mark_checkpoints, panels, plot_failure_free, plot_times, save,
                                  seconds_from_zero, slope_drawn)
from plots.common.runs import (by_iteration, executed, failed_in, failure_free, groups, load, missing,
                               survey, useful_iterations, way)

MODES = {  # how a run is drawn, by who rolled back
    "local": dict(color="#4c72b0", marker="o", label="only the dead role rolled back"),
    "mixed": dict(color="#8172b3", marker="^", label="some roles rolled back"),
    "global": dict(color="#c44e52", marker="s", label="all roles rolled back"),
}


def mode(run):
    back = len(run["failures"][0]["rollback_set"])
    return "local" if back == 1 else "global" if back == run["np"] else "mixed"


def looks(runs):
    """[(runs, how they are drawn)]"""
    found = [([r for r in runs if mode(r) == name], look) for name, look in MODES.items()]
    return [(mine, look) for mine, look in found if mine]


def printed_switch(axis, runs):
    """Where the paper's Alg. 4 would go over to global rollback."""
    for at in sorted({switch for run in runs for switch in switches(run, failed_in(run))}):
        axis.axvline(at - 0.5, color="#333333", linewidth=1, linestyle="-.")


def switches(run, last):
    """The first iteration of the interval of `last` that the printed test calls global, if it is not behind `last`."""
    at = [0, *checkpoints(run, last)][-1] + int(re.match(r"window:(\d+)", way(run))[1])
    return [at] if at <= last else []


def draw_iterations(axis, drawn, useful):
    for mine, look in drawn:
        axis.plot([failed_in(r) for r in mine], [executed(r) for r in mine], linestyle="none", markersize=4, **look)
    for count in useful:
        axis.axhline(count, color="#555555", linewidth=1, linestyle="--", label="failure-free")
    axis.set_ylabel("iterations, summed over all roles")
    axis.plot([], [], color="#333333", linewidth=1, linestyle="-.", label="the paper's printed test switches")
    legend_above(axis, 2)


def draw_times(axis, problem, drawn, free, records):
    kills = sum(len(mine) for mine, _ in drawn)
    for mine, look in drawn:
        plot_times(axis, by_iteration(mine), {**look, "label": None})
        said = slope_drawn(axis, mine, look["color"], f"{problem}: hybrid, {look['label']}", kills)
        axis.plot([], [], color=look["color"], marker=look["marker"], markersize=4, label=said)
    plot_failure_free(axis, free, f"failure-free, median of {len(free)}")
    seconds_from_zero(axis, records)
    axis.legend(fontsize=7.5, loc="lower right")


def draw_problem(column, problem, records, policy):
    found, left_out, lines = survey([r for r in records if way(r) == policy], [policy])
    runs = found.get(policy, [])
    drawn = looks(runs)
    for axis in column:
        mark_checkpoints(axis, runs)
        printed_switch(axis, runs)
    draw_iterations(column[0], drawn, useful_iterations(records))
    name = f"{problem}; logged: {window(policy)}"
    draw_times(column[1], f"{problem.splitlines()[0]}, {policy}", drawn, [r["loop_s"] for r in failure_free(records, policy)], records)
    column[0].set_title(name + missing(f"{problem.splitlines()[0]}, {policy}", left_out, lines), fontsize=10,
                        pad=34)


def window(policy):
    """'window:12+sleep' -> 'the first 12, sleep'."""
    return "the first " + policy.split(":")[1].replace("+", ", ")


def main():
    results, output = arguments(__doc__)
    found = [(problem, records, policy) for problem, records in groups(load(results)).items()
             for policy in dict.fromkeys(way(r) for r in records if r["plan"])
             if policy.startswith("window:")]
    if not found:
        sys.exit(f"{results}: no records of runs with failures under window:K")
    figure, axes = panels(len(found), rows=2)
    for i, (problem, records, policy) in enumerate(found):
        draw_problem([axes[0][i], axes[1][i]], problem, records, policy)
    figure.tight_layout()
    save(figure, output, "fig8-hybrid", "hybrid rollback")


if __name__ == "__main__":
    main()
