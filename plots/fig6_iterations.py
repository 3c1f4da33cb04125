#!/usr/bin/env python3
"""Total summed iterations against the failing iteration, global and local rollback.

usage: fig6_iterations.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 6 of the message-logging-kernels paper: iterations executed, summed over all roles,
for one failure in each iteration of a checkpoint interval. Exact counts, so no error bars.
"""
import sys

from records import LOOK, failing, groups, load, panels, save


def draw(axis, name, records):
    left_out = 0
    for policy, look in LOOK.items():
        runs, bad = failing(records, policy)
        left_out += bad
        axis.plot([r["failures"][0]["iteration"] for r in runs],
                  [r["iterations"]["executed"] for r in runs], linestyle="none",
                  markersize=4.5, **look)
    useful = {r["iterations"]["useful"] for r in records}
    for count in useful:
        axis.axhline(count, color="#555555", linewidth=1, linestyle="--",
                     label="failure-free")
    axis.set_title(name + (f"\n({left_out} runs not ok, not drawn)" if left_out else ""),
                   fontsize=10)
    axis.set_ylabel("iterations, summed over all roles")
    axis.legend(fontsize=8, loc="upper left")


def main(results, output):
    found = groups(load(results))
    found = {k: v for k, v in found.items() if any(r["plan"] for r in v)}
    figure, axes = panels(len(found))
    for axis, (name, records) in zip(axes, found.items()):
        draw(axis, name, records)
    figure.tight_layout()
    save(figure, output, "fig6-iterations", "summed iterations")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
