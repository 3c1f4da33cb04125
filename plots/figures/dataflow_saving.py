#!/usr/bin/env python3
"""What data-flow rollback saves by the data-flow-rollback paper's model (Sect. 6), as printed and exactly.

usage: dataflow_saving.py MODEL.json OUTPUT-FOLDER

From what `rollbench model dataflow --json` printed. Left: joules saved per second of the whole run against the
number of nodes, both logarithmic; Eq. 7 is a straight line of slope 2. Right: processes that compute again in a
recovery besides the replacement (P_active), against the checkpoint interval. Nothing of it is measured.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments, read_model
from plots.common.drawing import note, panels, save

COLOURS = {1: "#4c72b0", 2: "#c44e52"}  # by dimension of the stencil
STENCILS = {1: "1D", 2: "2D"}


def series(model, by, dim, name):
    """(the values of `by`, those of `name`) of a row each; what is not above 0 has no logarithm."""
    rows = [r for r in model["rows"] if r["by"] == by and r["dim"] == dim and r[name] > 0]
    return [r[by] for r in rows], [r[name] for r in rows]


def name_curve(axis, dim, x, y, offset):
    """Beside one of its ends: in print its colour may be that of the other."""
    axis.annotate(STENCILS[dim], (x, y), xytext=offset, textcoords="offset points", fontsize=8, color=COLOURS[dim])


def draw_saved(axis, model):
    p = model["parameters"]
    axis.plot(*series(model, "nodes", 1, "saved_eq7_printed_w"), color="#555555", linewidth=1.2, linestyle="--",
              label="Eq. 7, all processes idle: slope 2")
    for dim, colour in COLOURS.items():
        axis.plot(*series(model, "nodes", dim, "saved_eq3_printed_w"), color=colour, linewidth=1, linestyle=":",
                  label=f"Eq. 3 as printed, {STENCILS[dim]}")
        axis.plot(*series(model, "nodes", dim, "saved_exact_w"), color=colour, linewidth=1.2,
                  label=f"Eq. 3, exact, {STENCILS[dim]}")
        name_curve(axis, dim, *(of[0] for of in series(model, "nodes", dim, "saved_exact_w")), {1: (-13, -3), 2: (8, -4)}[dim])
    here = model["saved_eq7_printed_w"]
    axis.plot([p["nodes"]], [here], marker="o", color="black", markersize=5, linestyle="none")
    axis.annotate(f"{here:.4g} J/s", (p["nodes"], here), xytext=(-6, 6), textcoords="offset points", ha="right",
                  fontsize=8)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("nodes, one process each, logarithmic")
    axis.set_ylabel("modelled saving [J/s], logarithmic")
    axis.set_title(f"node MTBF {p['mtbf_years']:g} years, interval {p['interval']}, {p['iteration_s']:g} s per "
                   f"iteration,\n{p['saved_w']:g} W saved by an idle process", fontsize=10)
    axis.legend(fontsize=7.5, loc="upper left")


def draw_active(axis, model):
    for dim, colour in COLOURS.items():
        axis.plot(*series(model, "interval", dim, "active_printed"), color=colour, linewidth=1, linestyle=":",
                  label=f"Eq. 4 and 5 as printed, {STENCILS[dim]}")
        axis.plot(*series(model, "interval", dim, "active_exact"), color=colour, linewidth=1.2,
                  label=f"exact, {STENCILS[dim]}")
        name_curve(axis, dim, *(of[-1] for of in series(model, "interval", dim, "active_exact")), (-4, -11))
    axis.set_yscale("log")
    axis.set_xlabel("iterations between checkpoints")
    axis.set_ylabel("processes that help, mean, logarithmic")
    axis.set_title(f"of {model['parameters']['nodes']} processes, one has died", fontsize=10)
    axis.legend(fontsize=7.5, loc="lower right")


def main():
    path, output = arguments(__doc__)
    model = read_model(path, "dataflow")
    figure, axes = panels(2)
    draw_saved(axes[0][0], model)
    draw_active(axes[0][1], model)
    figure.tight_layout()
    note(figure, "Modelled, not measured; data-flow rollback compared with global rollback. Exact: by the paper's own "
                 "assumptions; what differs is in docs/energy.md.")
    save(figure, output, "dataflow-saving", "model of data-flow rollback")


if __name__ == "__main__":
    main()
