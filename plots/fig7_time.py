#!/usr/bin/env python3
"""Time to completion against the failing iteration, global and local rollback.

usage: fig7_time.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 7 of the message-logging-kernels paper: seconds in the time-step loop of the
longest role, recovery included. Every run is a small dot, the median of an iteration's
repetitions a large one; the line is the median of the failure-free runs of the same sweep,
the band their range.
"""
import statistics

from records import LOOK, failing, failure_free, figure_by_failing_iteration


def draw_baseline(axis, records):
    times = [r["loop_s"] for policy in LOOK for r in failure_free(records, policy)]
    if not times:
        return
    axis.axhline(statistics.median(times), color="#555555", linewidth=1, linestyle="--",
                 label=f"failure-free, median of {len(times)}")
    axis.axhspan(min(times), max(times), color="#999999", alpha=0.25, linewidth=0)


def draw(axis, name, records):
    for policy, look in LOOK.items():
        times = {}
        for run in failing(records, policy)[0]:
            times.setdefault(run["failures"][0]["iteration"], []).append(run["loop_s"])
        axis.plot([i for i, all_ in times.items() for _ in all_],
                  [t for all_ in times.values() for t in all_], linestyle="none",
                  markersize=2, alpha=0.5, color=look["color"], marker=look["marker"])
        axis.plot(list(times), [statistics.median(all_) for all_ in times.values()],
                  linestyle="none", markersize=5.5, **look)
    draw_baseline(axis, records)
    axis.set_title(name, fontsize=10, pad=34)
    axis.set_ylabel("time to completion [s]")
    axis.set_ylim(bottom=0)
    axis.legend(fontsize=7.5, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3,
                columnspacing=1, handletextpad=0.3, frameon=False)
    if any(r["oversubscribed"] for r in records):
        axis.annotate("oversubscribed: more ranks than cores", (0.02, 0.95),
                      xycoords="axes fraction", fontsize=8, color="#777777")


if __name__ == "__main__":
    figure_by_failing_iteration(__doc__, "fig7-time", "time to completion", draw)
