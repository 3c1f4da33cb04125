#!/usr/bin/env python3
"""Time to completion against the failing iteration: global, local and hybrid rollback, job restart.

usage: fig7_time.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 7 of the message-logging-kernels paper: seconds in the time-step loop of the
longest role, recovery included. Every run is a small dot, the median of an iteration's
repetitions a large one; the dashed line is the median of the failure-free runs of the same sweep,
the band their range. The slope over the failing iteration (Theil and Sen's, with a bootstrap interval) is
drawn and printed: it is the paper's message, so the figure says whether it is seen. Job restart has a panel of
its own.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import (legend_above, look_of, mark_checkpoints, panels, plot_failure_free, plot_times, save,
                                  seconds_from_zero, slope_drawn, with_failures)
from plots.common.runs import (LOOK, RESTART, by_iteration, failure_free, in_one_panel, label, missing, survey, way)
from plots.common.stats import median


def draw(axis, name, records):
    """All ways but job restart, on a linear axis."""
    ways = [how for how in in_one_panel(records) if how != RESTART]
    found, left_out, lines = survey([r for r in records if way(r) != RESTART], ways)
    free = [r for how in ways for r in failure_free(records, how)]
    mark_checkpoints(axis, [run for runs in found.values() for run in runs])
    for runs in found.values():
        look = look_of(runs[0])
        plot_times(axis, by_iteration(runs), look)
        text = slope_drawn(axis, runs, look["color"], f"{name.splitlines()[0]}: {label(runs[0])}")
        axis.plot([], [], " ", label=f"  {text}")
    each = median([r["loop_s"] / (r["iterations"]["useful"] / r["np"]) for r in free]) if free else 0
    plot_failure_free(axis, [r["loop_s"] for r in free], f"failure-free, median of {len(free)}; {1000 * each:.1f} ms an iteration")
    seconds_from_zero(axis, records)
    axis.set_title(name + missing(name, left_out, lines), fontsize=10, pad=14 * (2 * len(found) + 1))
    legend_above(axis, 1)


def draw_restarts(axis, name, records):
    found, left_out, lines = survey([r for r in records if way(r) == RESTART], [RESTART])
    if RESTART in found:
        plot_times(axis, by_iteration(found[RESTART]), LOOK[RESTART])
        axis.set_ylim(0, 1.15 * max(r["loop_s"] for r in found[RESTART]))
    else:
        axis.text(0.5, 0.5, "no run with job restart", transform=axis.transAxes, ha="center", color="#777777")
    axis.set_title(f"job restart, n = {len(found.get(RESTART, []))}" + missing(name, left_out, lines), fontsize=9)
    axis.set_ylabel("time to completion [s]")


def main():
    results, output = arguments(__doc__)
    found = with_failures(results)
    figure, axes = panels(len(found), rows=2, heights=(3, 1))
    for column, (name, records) in zip(axes.T, found.items()):
        draw(column[0], name, records)
        draw_restarts(column[1], name, records)
    figure.tight_layout()
    save(figure, output, "fig7-time", "time to completion")


if __name__ == "__main__":
    main()
