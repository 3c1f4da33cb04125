#!/usr/bin/env python3
"""What memory-constrained message logging saves, by the memory-constrained-logging paper's model (Fig. 7a and 7b).

usage: mcml_saving.py MODEL.json OUTPUT-FOLDER

From what `rollbench model mcml --json` printed. Time and energy of MCML, relative to logging everything with a checkpoint every
omega tau*, against the number of sockets. If the model was given studies (--study), a second row has the energy with sigma as
each study found it under the cap omega, at the largest number of sockets: those of the paper, and ours. Nothing of it is measured.
"""
import pathlib
import sys

import matplotlib.pyplot as plt

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments, read_model
from plots.common.drawing import note, panels, save, share_range
from plots.forecast.profiles import program_of

PAPER_FILE = "table2"  # what a record has as the file of a study that is the paper's own table


def series(rows, omega, name):
    """(sockets, values) of one omega; runs that have no end are left out."""
    found = [r for r in rows if r["omega"] == omega and r[name] is not None]
    return [r["sockets"] for r in found], [r[name] for r in found]


def draw_relative(axis, model, name, what):
    omegas = sorted({r["omega"] for r in model["rows"]})
    for i, omega in enumerate(omegas):
        axis.plot(*series(model["rows"], omega, name), marker="os^Dvpx"[i % 7], markersize=4, linewidth=1.2,
                  color=plt.get_cmap("viridis")(i / max(1, len(omegas) - 1) * 0.9), label=f"ω = {omega:g}")
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k")
    axis.set_xticks(sorted({r["sockets"] for r in model["rows"]}))
    axis.set_xlabel("sockets, logarithmic")
    axis.set_ylabel(f"{what} of MCML / {what} of SCML")
    axis.set_ylim(top=1.005)
    axis.legend(fontsize=8, loc="lower left")


def of_the_paper(study):
    return study["file"] == PAPER_FILE


def draw_coupled(axis, model, studies, whose):
    """Energy against omega, with sigma of each study, and with the fixed one."""
    most = max(r["sockets"] for r in model["rows"])
    fixed = [r for r in model["rows"] if r["sockets"] == most and r["relative_energy"] is not None]
    axis.plot([r["omega"] for r in fixed], [100 * (1 - r["relative_energy"]) for r in fixed], color="black", marker="o",
              markersize=4, linewidth=1.6, label=f"σ = {model['parameters']['sigma']:g} (Table VI)")
    for i, study in enumerate(studies):
        rows = [r for r in study["rows"] if r["sockets"] == most and r["relative_energy"] is not None]
        axis.plot([r["omega"] for r in rows], [100 * (1 - r["relative_energy"]) for r in rows], linewidth=1,
                  linestyle=("--", ":", "-.")[i % 3], marker="^vDsPX"[i % 6], markersize=4, color=plt.get_cmap("tab10" if len(studies) <= 10 else "tab20")(i),
                  label=study["name"].split(" (")[0] if of_the_paper(study) else
                  f"{program_of(study)}, {study['np']} ranks")
    axis.axhline(0, color="black", linewidth=0.8)
    axis.xaxis.set_major_locator(plt.MultipleLocator(0.1))
    axis.set_xlabel("ω = θ: the cap on the log")
    axis.set_ylabel("energy that MCML saves [%]")
    axis.set_title(f"{most / 1000:g}k sockets, σ: sets under that cap, {whose}", fontsize=10)
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.02), frameon=False)


def main():
    path, output = arguments(__doc__)
    model = read_model(path, "mcml")
    heaviest = [s for s in model["coupled"] if s["strategy"] == "heaviest"]
    coupled = {"of the paper's Table II": [s for s in heaviest if of_the_paper(s)], "of our profiles": [s for s in heaviest if not of_the_paper(s)]}
    coupled = {whose: studies for whose, studies in coupled.items() if studies}
    figure, axes = panels(2, 1 + bool(coupled))
    fixed = f"σ = {model['parameters']['sigma']:g} at every ω"
    for axis, name, what in ((axes[0][0], "relative_time", "time"), (axes[0][1], "relative_energy", "energy")):
        draw_relative(axis, model, name, what)
        axis.set_title(fixed if name == "relative_energy" else "time does not depend on σ", fontsize=10)
    for axis, (whose, studies) in zip(axes[-1], coupled.items()):
        draw_coupled(axis, model, studies, whose)
    share_range(axes[-1][:len(coupled)])
    for axis in axes[-1][len(coupled) or 2:]:
        axis.set_visible(False)
    figure.tight_layout()
    note(figure, "Modelled, not measured, with the values of Table VI unless the record says otherwise. SCML logs everything, its "
                 "log is full after ω τ*, and so it takes a checkpoint there; MCML every τ*.")
    save(figure, output, "mcml-saving", "model of memory-constrained logging")


if __name__ == "__main__":
    main()
