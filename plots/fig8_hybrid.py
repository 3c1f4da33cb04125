#!/usr/bin/env python3
"""Iterations and time against the failing iteration, hybrid rollback.

usage: fig8_hybrid.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 8 of the message-logging-kernels paper: payloads are logged in the first half of each
interval only. Above: iterations summed over all roles, exact. Below: seconds in the time-step
loop, every run and the median. The mode of a run is what its record says of who rolled back.
"""
import statistics
import sys

from records import failing, failure_free, groups, load, panels, save

MODES = {  # how a run is drawn, by who rolled back
    "local": dict(color="#4c72b0", marker="o", label="only the dead role rolled back"),
    "mixed": dict(color="#8172b3", marker="^", label="some roles rolled back"),
    "global": dict(color="#c44e52", marker="s", label="all roles rolled back"),
}


def mode(run):
    back = len(run["failures"][0]["rollback_set"])
    return "local" if back == 1 else "global" if back == run["np"] else "mixed"


def draw_iterations(axis, runs, records):
    for name, look in MODES.items():
        mine = [r for r in runs if mode(r) == name]
        if mine:
            axis.plot([r["failures"][0]["iteration"] for r in mine],
                      [r["iterations"]["executed"] for r in mine], linestyle="none",
                      markersize=4.5, **look)
    axis.axhline(records[0]["iterations"]["useful"], color="#555555", linewidth=1,
                 linestyle="--", label="failure-free")
    axis.set_ylabel("iterations, summed over all roles")
    axis.legend(fontsize=8, loc="upper left")


def draw_times(axis, runs, free):
    times = {}
    for run in runs:
        times.setdefault((run["failures"][0]["iteration"], mode(run)), []).append(run["loop_s"])
    for (iteration, name), seconds in times.items():
        look = {**MODES[name], "label": None}
        axis.plot([iteration] * len(seconds), seconds, linestyle="none", color=look["color"],
                  marker=look["marker"], markersize=2, alpha=0.5)
        axis.plot([iteration], [statistics.median(seconds)], linestyle="none", markersize=5.5,
                  **look)
    if free:
        axis.axhline(statistics.median(free), color="#555555", linewidth=1, linestyle="--")
        axis.axhspan(min(free), max(free), color="#999999", alpha=0.25, linewidth=0)
    axis.set_ylabel("time to completion [s]")
    axis.set_ylim(bottom=0)


def draw_problem(column, problem, records, policy):
    runs, bad = failing(records, policy)
    window = policy.split(":")[1]
    draw_iterations(column[0], runs, records)
    draw_times(column[1], runs, [r["loop_s"] for r in failure_free(records, policy)])
    column[0].set_title(f"{problem}\nlogged: the first {window} iterations"
                        + (f" ({bad} runs not ok, not drawn)" if bad else ""), fontsize=10)
    column[0].set_xlabel("")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results, output = sys.argv[1:]
    found = {}
    for problem, records in groups(load(results)).items():
        policy = next((r["policy"] for r in records if r["policy"].startswith("window:")), None)
        if policy and any(r["plan"] for r in records):
            found[problem] = records, policy
    if not found:
        sys.exit(f"{results}: no records of runs with failures under window:K")
    figure, axes = panels(len(found), rows=2)
    for i, (problem, (records, policy)) in enumerate(found.items()):
        draw_problem([axes[0][i], axes[1][i]], problem, records, policy)
    figure.tight_layout()
    save(figure, output, "fig8-hybrid", "hybrid rollback")


if __name__ == "__main__":
    main()
