#!/usr/bin/env python3
"""Total summed iterations against the failing iteration: global and local rollback, job restart.

usage: fig6_iterations.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 6 of the message-logging-kernels paper: iterations executed, summed over all roles,
for one failure in each iteration of a checkpoint interval. Exact counts, so no error bars.
"""
import collections

from records import (LOOK, RESTART, failed_in, failing, figure_by_failing_iteration, not_drawn,
                     useful_iterations)


def draw(axis, name, records):
    left_out = collections.Counter()
    for how, look in LOOK.items():
        runs, others = failing(records, how)
        left_out += others
        if runs:
            axis.plot([failed_in(r) for r in runs], [r["iterations"]["executed"] for r in runs],
                      linestyle="none", markersize=7.5 if how == RESTART else 4, **look)
    for count in useful_iterations(records):
        axis.axhline(count, color="#555555", linewidth=1, linestyle="--",
                     label="failure-free")
    axis.set_title(name + not_drawn(left_out), fontsize=10)
    axis.set_ylabel("iterations, summed over all roles")
    axis.legend(fontsize=8, loc="upper left")


if __name__ == "__main__":
    figure_by_failing_iteration(__doc__, "fig6-iterations", "summed iterations", draw)
