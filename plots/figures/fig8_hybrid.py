#!/usr/bin/env python3
"""Iterations and time against the failing iteration, hybrid rollback.

usage: fig8_hybrid.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 8 of the message-logging-kernels paper: payloads are logged in the first K iterations of
each interval only (in the paper in half of it), a column for each problem and each such window. Above:
iterations summed over all roles, exact. Below: seconds in the time-step loop, every run and the
median. The mode of a run is what its record says of who rolled back. Job restart stands beside them as
the baseline.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, panels, plot_failure_free, plot_times, save, scale_by_decades
from plots.common.runs import (LOOK, RESTART, by_iteration, executed, failed_in, failure_free, groups, load, missing,
                               survey, useful_iterations, way)

MODES = {  # how a run is drawn, by who rolled back
    "local": dict(color="#4c72b0", marker="o", label="only the dead role rolled back"),
    "mixed": dict(color="#8172b3", marker="^", label="some roles rolled back"),
    "global": dict(color="#c44e52", marker="s", label="all roles rolled back"),
}


def mode(run):
    back = len(run["failures"][0]["rollback_set"])
    return "local" if back == 1 else "global" if back == run["np"] else "mixed"


def looks(runs, restarts):
    """(runs, how they are drawn), the baseline first."""
    found = [(restarts, LOOK[RESTART])]
    found += [([r for r in runs if mode(r) == name], look) for name, look in MODES.items()]
    return [(mine, look) for mine, look in found if mine]


def draw_iterations(axis, drawn, useful):
    for mine, look in drawn:
        axis.plot([failed_in(r) for r in mine], [executed(r) for r in mine],
                  linestyle="none", markersize=7.5 if look is LOOK[RESTART] else 4, **look)
    for count in useful:
        axis.axhline(count, color="#555555", linewidth=1, linestyle="--", label="failure-free")
    axis.set_ylabel("iterations, summed over all roles")
    axis.set_xlabel("")
    legend_above(axis, 2)


def draw_times(axis, drawn, free):
    for mine, look in drawn:
        plot_times(axis, by_iteration(mine), look)
    plot_failure_free(axis, free)
    scale_by_decades(axis, "time to completion [s]")


def draw_problem(column, problem, records, policy):
    found, left_out, lines = survey(records, (RESTART, policy))
    drawn = looks(found.get(policy, []), found.get(RESTART, []))
    draw_iterations(column[0], drawn, useful_iterations(records))
    draw_times(column[1], drawn, [r["loop_s"] for r in failure_free(records, policy)])
    name = f"{problem}; logged: {window(policy)}"
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
