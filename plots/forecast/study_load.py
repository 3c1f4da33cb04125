#!/usr/bin/env python3
"""How unequal the ranks' shares of the traffic are, and how much of it stays within clusters.

usage: study_load.py STUDY.json OUTPUT-FOLDER

After Fig. 4 of the memory-constrained-logging paper, and its coverage of clusters (Sect. III-A). From `rollbench study --matrix-cells 256
--json`. First: bytes that a rank sends, ranks sorted by them, in units of the mean. Second: share F of the bytes that the ranks
with the least load send; the Gini index is twice the area between it and the straight line. Third: share of the bytes within
clusters of consecutive ranks.
"""
import pathlib
import sys

import matplotlib.pyplot as plt

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save
from plots.forecast.profiles import label, load, program_of

LINES = ("-", "--", ":", "-.")
MARKS = "os^Dv<>pPX*hd8"
APART = 0.005  # with and without the diagonal


def looks(studies):
    """A colour for each program, a style for each of its numbers of ranks, and a mark for each study: balanced programs have the same curve, and
    not everybody sees colours."""
    programs = list(dict.fromkeys(map(program_of, studies)))
    styles = [[program_of(s) for s in studies[:i]].count(program_of(study)) for i, study in enumerate(studies)]
    return [dict(color=plt.get_cmap("tab10")(programs.index(program_of(study)) % 10), linestyle=LINES[at % len(LINES)],
                 linewidth=1.3 + 0.5 * ((len(studies) - i) % 3), marker=MARKS[i % len(MARKS)], markersize=4)
            for i, (study, at) in enumerate(zip(studies, styles))]


def some(at, count):
    """Where a curve of so many points has its marks: a few, at other places than those of the next study."""
    step = max(1, count // 7)
    return dict(markevery=(at * step // len(MARKS), step))


def sorted_load(study):
    """(share of the ranks, load in units of the mean), ascending."""
    loads, mean = sorted(study["loads"]), study["load"]["mean"]
    return [(k + 1) / len(loads) for k in range(len(loads))], [v / mean if mean else 0 for v in loads]


def draw_load(axis, studies):
    for at, (study, look) in enumerate(zip(studies, looks(studies))):
        axis.plot(*sorted_load(study), label=label(study), **look, **some(at, len(study["loads"])))
    axis.set_xlabel("share of the ranks, sorted by load")
    silent = [f"{sum(v == 0 for v in study['loads'])} of {label(study)}" for study in studies if 0 in study["loads"]]
    if silent:
        axis.set_title("ranks that send nothing are not drawn:\n" + "\n".join(silent), fontsize=8)
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_ylabel("bytes that a rank sends,\nin units of the mean, logarithmic")


def draw_lorenz(axis, studies):
    axis.plot([0, 1], [0, 1], color="#555555", linewidth=0.8, label="identity: all ranks send the same")
    for at, (study, look) in enumerate(zip(studies, looks(studies))):
        axis.plot(*zip(*study["lorenz"]), label=label(study), **look, **some(at, len(study["lorenz"])))
    axis.set_xlabel("share of the ranks, those with the least load first")
    axis.set_ylabel("F: their share of the bytes")


def draw_coverage(axis, studies):
    for study, look in zip(studies, looks(studies)):
        axis.plot([one["cluster"] for one in study["coverage"]], [one["with_diagonal"] for one in study["coverage"]], **look)
        if any(abs(one["with_diagonal"] - one["without_diagonal"]) > APART for one in study["coverage"]):
            axis.plot([one["cluster"] for one in study["coverage"]], [one["without_diagonal"] for one in study["coverage"]],
                      alpha=0.5, **{**look, "marker": "x", "linewidth": 0.6})
    axis.plot([], [], color="black", marker="x", markersize=4, linewidth=0.6, label=f"without the diagonal, if {APART:g} apart")
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_xlabel("ranks in a cluster, logarithmic")
    axis.set_ylabel("coverage: share of the bytes within clusters")
    axis.set_ylim(0, 1.03)
    axis.legend(fontsize=7.5, loc="lower right")


def in_the_free_place(figure, axis):
    """A legend of the lines of an axis, in the place of a fourth panel."""
    figure.legend(*axis.get_legend_handles_labels(), fontsize=8.5, loc="center", bbox_to_anchor=(0.76, 0.25), frameon=False)


def main():
    path, output = arguments(__doc__)
    studies = [s for s in load(path) if s.get("loads")]
    if not studies:
        sys.exit(f"{path}: no study has loads; make it with `rollbench study --matrix-cells 256`")
    figure, axes = panels(3)
    for axis in axes[0][:2]:
        axis.xaxis.set_major_locator(plt.MultipleLocator(0.2))
    draw_load(axes[0][0], studies)
    draw_lorenz(axes[0][1], studies)
    draw_coverage(axes[0][2], studies)
    figure.tight_layout()
    in_the_free_place(figure, axes[0][1])
    note(figure, "Bytes of point-to-point messages of the profile, what a rank sends to itself included where not said "
                 "otherwise. Balanced: Gini index below 0.1.")
    save(figure, output, "study-load", "load of the ranks")


if __name__ == "__main__":
    main()
