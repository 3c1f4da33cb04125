#!/usr/bin/env python3
"""Exchange matrices as heat maps, after Fig. 3 and 6 of the memory-constrained-logging paper.

usage: study_matrix.py STUDY.json OUTPUT-FOLDER

From `rollbench study --matrix-cells 256 --json`. One panel per profile: sender down, receiver across, bytes as colour, linear, white for
none, as in the paper. Of profiles with more ranks than cells, which would be a grey line on the diagonal, none is drawn, unless
there are no others; then a cell is as many consecutive ranks as the panel says.
"""
import math
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, save
from plots.forecast.profiles import coverage_of, label, load, program_of

COLUMNS = 4


def matrix_of(study):
    """Dense, of cells; not a number where nothing is sent, which is drawn white."""
    cells = study["cells"]
    found = numpy.full((cells["side"], cells["side"]), numpy.nan)
    for sender, receiver, sent in cells["bytes"]:
        found[sender, receiver] = sent
    return found


def in_bytes(value):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            return f"{value:.3g} {unit}"
        value /= 1000


def covered(study):
    within = coverage_of(study, 8)
    return "" if within is None else f", coverage of 8: {within:.2f}"


def draw(figure, axis, study):
    ranks, side = study["cells"]["ranks"], study["cells"]["side"]
    colours = plt.get_cmap("YlOrRd").copy()
    colours.set_bad("white")
    image = axis.imshow(matrix_of(study), cmap=colours, vmin=0, interpolation="nearest", origin="upper",
                        extent=(-0.5, side * ranks - 0.5, side * ranks - 0.5, -0.5))
    bar = figure.colorbar(image, ax=axis, fraction=0.046, pad=0.03)
    bar.set_label("bytes", fontsize=7)
    bar.ax.yaxis.set_major_formatter(lambda value, _: in_bytes(value))
    bar.ax.tick_params(labelsize=7)
    axis.tick_params(labelsize=7)
    axis.set_xlabel("receiver (rank)", fontsize=8)
    axis.set_ylabel("sender (rank)", fontsize=8)
    axis.set_title(f"{label(study)}{covered(study)}".replace(" (", "\n(")
                   + (f"\na cell is {ranks} x {ranks} ranks" if ranks > 1 else ""), fontsize=8.5)


def left_out(every, drawn):
    names = [f"{program_of(s)}, {s['np']} ranks" for s in every if s not in drawn]
    return f" Not drawn, too large for a cell per rank: {'; '.join(names)}." if names else ""


def main():
    path, output = arguments(__doc__)
    every = [s for s in load(path) if s.get("cells")]
    if not every:
        sys.exit(f"{path}: no study has cells; make it with `rollbench study --matrix-cells 256`")
    studies = [s for s in every if s["cells"]["ranks"] == 1] or every
    columns = min(COLUMNS, len(studies))
    rows = math.ceil(len(studies) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.7 * columns, 3.6 * rows), squeeze=False)
    for axis, study in zip(axes.flat, studies):
        draw(figure, axis, study)
    for axis in axes.flat[len(studies):]:
        axis.axis("off")
    figure.tight_layout()
    note(figure, "Bytes of point-to-point messages of the profile; what a rank sends to itself is on the diagonal.\n"
                 "Each panel has its own scale, linear." + left_out(every, studies))
    save(figure, output, "study-matrix", "exchange matrices")


if __name__ == "__main__":
    main()
