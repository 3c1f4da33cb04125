#!/usr/bin/env python3
"""The iteration in which each role is when it notices a failure.

usage: noticed.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 4 of the message-logging-kernels paper, from runs with one death (failures[].fronts): for each role the share of the runs in which
it had already begun the iteration after that of the failure, one series for each kill. Counts, so it does not matter how many roles
share a core. Of the paper's own case, CG on 16 processes with rank 2 killed in iteration 13, its snapshot is drawn, too.
"""
import pathlib
import sys

import matplotlib.ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, with_failures
from plots.common.runs import failed_in, further, label, missing, one_death, survivors
from plots.common.stats import mean

SERIES = (dict(color="#4c72b0", marker="o"), dict(color="#c44e52", marker="s"), dict(color="#55a868", marker="^"), dict(color="#8172b3", marker="v"),
          dict(color="#937860", marker="D"), dict(color="#64b5cd", marker="P"))
PAPER = range(4, 12)  # the processes that its Sect. 4.1 has in iteration 14; the others are in iteration 13


def is_papers(run):
    return run["kernel"] == "cg" and run["np"] == 16 and run["failures"][0]["role"] == 2 and failed_in(run) == 13


def shares(runs):
    """{role: percent of the runs in which it was further}, of all roles that survived."""
    dead = {run["failures"][0]["role"] for run in runs}
    ahead = [further(run) for run in runs]
    return {role: 100 * mean([role in mine for mine in ahead]) for role in range(runs[0]["np"]) if role not in dead}


def by_kill(runs):
    """{words: runs} of each way to recover and kill."""
    found = {}
    for run in runs:
        found.setdefault(f"{label(run)}, killed: {run['plan'][0]}", []).append(run)
    return dict(sorted(found.items()))


def draw(axis, problem, records):
    runs, left_out = one_death([r for r in records if r["plan"]])
    kills = by_kill(runs)
    for at, (kill, mine) in enumerate(kills.items()):
        found, shift = shares(mine), 0.16 * (at - (len(kills) - 1) / 2)
        axis.plot([role + shift for role in found], list(found.values()), linestyle="none", markersize=6, label=f"{kill}, {len(mine)} runs",
                  **SERIES[at % len(SERIES)])
        print(f"{problem.splitlines()[0]}, {kill}: further than iteration {failed_in(mine[0])}, percent of {len(mine)} runs: "
              + ", ".join(f"{role}: {share:g}" for role, share in found.items()))
    if runs and all(map(is_papers, runs)):
        roles = list(survivors(runs[0]))
        axis.hlines([100 if role in PAPER else 0 for role in roles], [role - 0.4 for role in roles], [role + 0.4 for role in roles],
                    color="#555555", linewidth=1, label="the paper's snapshot")
        for row in (3.5, 7.5, 11.5):
            axis.axvline(row, color="#bbbbbb", linewidth=0.8, linestyle=":", label="rows of the grid of roles" if row == 3.5 else None)
    axis.set_ylim(-5, 105)
    axis.set_xlim(-0.7, max([run["np"] for run in runs], default=1) - 0.3)
    axis.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(1 if runs and runs[0]["np"] <= 20 else 8))
    axis.set_xlabel("role")
    axis.set_ylabel("runs in which the role was one\niteration further [%]")
    axis.set_title(problem + missing(problem, left_out), fontsize=10, pad=8 + 13 * (len(kills) + 2))
    legend_above(axis, 1)


def main():
    results, output = arguments(__doc__)
    found = with_failures(results)
    figure, axes = panels(len(found))
    for axis, (problem, records) in zip(axes[0], found.items()):
        draw(axis, problem, records)
    note(figure, "Further than the iteration of the failure, when it noticed the failure. A kill at op+N is at the Nth send or wait of the iteration.")
    figure.tight_layout()
    save(figure, output, "noticed", "where roles notice a failure")


if __name__ == "__main__":
    main()
