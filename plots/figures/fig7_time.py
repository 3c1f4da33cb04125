#!/usr/bin/env python3
"""Time to completion against the failing iteration: global and local rollback, job restart.

usage: fig7_time.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 7 of the message-logging-kernels paper: seconds in the time-step loop of the
longest role, recovery included. Every run is a small dot, the median of an iteration's
repetitions a large one; the line is the median of the failure-free runs of the same sweep,
the band their range.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.drawing import (figure_by_failing_iteration, legend_above, plot_failure_free, plot_times,
                                  scale_by_decades)
from plots.common.runs import LOOK, by_iteration, failure_free, missing, survey


def draw(axis, name, records):
    found, left_out, lines = survey(records, LOOK)
    for how, runs in found.items():
        plot_times(axis, by_iteration(runs), LOOK[how])
    free = [r["loop_s"] for how in LOOK for r in failure_free(records, how)]
    plot_failure_free(axis, free, f"failure-free, median of {len(free)}")
    axis.set_title(name + missing(name, left_out, lines), fontsize=10, pad=34)
    scale_by_decades(axis, "time to completion [s]")
    legend_above(axis, 2)
    if any(r["oversubscribed"] for r in records):
        axis.annotate("oversubscribed: more ranks than cores", (0.02, 0.95),
                      xycoords="axes fraction", fontsize=8, color="#777777")


if __name__ == "__main__":
    figure_by_failing_iteration(__doc__, "fig7-time", "time to completion", draw)
