#!/usr/bin/env python3
"""How long a death keeps the job: the distribution, and its parts.

usage: recovery_time.py RESULTS-FOLDER OUTPUT-FOLDER

First, from the SIGKILL until the last role has its state again, or can go on with the one that it has kept: the
one figure that job restart has, too, so the axis is logarithmic. Every run is a dot, the bar their median. Then the
parts: until the last survivor has the new communicator (repaired), and of that: until the last one
has seen an error (detect), until they share a communicator again (shrink), until all is agreed (the
rest of the repair); and then the loading of the checkpoint (restore).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, panels, save, scale_by_decades, with_failures
from plots.common.recovery import PARTS, milliseconds
from plots.common.runs import LOOK, missing, survey
from plots.common.stats import median


def draw(axis, problem, records):
    found, left_out, lines = survey(records, LOOK)
    apart = 0.81 / max(len(found), 3)
    for turn, (how, runs) in enumerate(found.items()):
        look, shift = LOOK[how], apart * (turn - (len(found) - 1) / 2)
        for place, part in enumerate(PARTS):
            values = milliseconds(runs, part)
            if not values:
                continue
            wide = [place + shift + 0.6 * apart * ((i * 0.618) % 1 - 0.5) for i in range(len(values))]
            label = f"{look['label']}, {len(values)} runs" if place == 0 else None
            axis.plot(wide, values, linestyle="none", markersize=3, alpha=0.6,
                      **{**look, "label": label})
            middle = median(values)
            axis.hlines(middle, place + shift - 0.4 * apart, place + shift + 0.4 * apart, color="black")
            axis.annotate(f"{middle:.3g}", (place + shift, max(values)), xytext=(0, 4),
                          textcoords="offset points", ha="center", fontsize=8)
    axis.set_xticks(range(len(PARTS)), PARTS)
    axis.set_xlabel("")
    scale_by_decades(axis, "milliseconds")
    axis.set_title(problem + missing(problem, left_out, lines), fontsize=10, pad=34)
    legend_above(axis, 2)


def main():
    results, output = arguments(__doc__)
    found = with_failures(results)
    figure, axes = panels(len(found))
    figure.set_size_inches(9 * len(found), 4.4)  # room for three columns and their medians a part
    for axis, (problem, records) in zip(axes[0], found.items()):
        draw(axis, problem, records)
    figure.tight_layout()
    save(figure, output, "recovery-time", "time to recovery")


if __name__ == "__main__":
    main()
