#!/usr/bin/env python3
"""Total summed iterations against the failing iteration: global, local and hybrid rollback, job restart.

usage: fig6_iterations.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 6 of the message-logging-kernels paper, and the counts behind its Fig. 8: iterations executed, summed over
all roles, for one failure in each iteration of a checkpoint interval. Exact counts, so no error bars. Dotted
lines: checkpoints.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.drawing import figure_by_failing_iteration, look_of, mark_checkpoints
from plots.common.runs import RESTART, executed, failed_in, in_one_panel, missing, survey, useful_iterations


def draw(axis, name, records):
    found, left_out, lines = survey(records, in_one_panel(records))
    mark_checkpoints(axis, [run for runs in found.values() for run in runs])
    for how, runs in found.items():
        axis.plot([failed_in(r) for r in runs], [executed(r) for r in runs],
                  linestyle="none", markersize=7.5 if how == RESTART else 4, **look_of(runs[0]))
    for count in useful_iterations(records):
        axis.axhline(count, color="#555555", linewidth=1, linestyle="--",
                     label="failure-free")
    victims = sorted({r["failures"][0]["role"] for runs in found.values() for r in runs})
    axis.set_title(f"{name}, killed: role {', '.join(map(str, victims))}{missing(name, left_out, lines)}", fontsize=10)
    axis.set_ylabel("iterations, summed over all roles" + ("" if axis.get_ylim()[0] <= 0 else "\n(the axis does not begin at 0)"))
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8, loc="upper left")


if __name__ == "__main__":
    figure_by_failing_iteration(__doc__, "fig6-iterations", "summed iterations", draw)
