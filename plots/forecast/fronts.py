#!/usr/bin/env python3
"""How far roles are apart when a failure is found, by kind of recovery line: simulated, not measured.

usage: fronts.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench simulate configs/laptop/simulate-fronts.yaml --results FOLDER`, which have the front of each role at each
failure. fronts-simulated: above, of one run with the most roles, how many iterations each role is behind the furthest one at each of its
failures, a panel for each kind of line; below, the spread, which is the most of these, against the number of roles: a small dot per run
(its mean over the failures), a large mark per mean over the seeds.
"""
import pathlib
import sys

import matplotlib.pyplot as plt

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save, share_range
from plots.common.simulations import spreads
from plots.common.stats import exponent, mean
from plots.forecast import records

LINES = {"barrier": ("all roles wait for each other before a checkpoint", dict(color="#c44e52", marker="s")),
         "free": ("roles do not wait before a checkpoint", dict(color="#4c72b0", marker="o"))}
METHOD = "local"


def draw_behind(axis, line, record):
    """Of the first seed."""
    run = min((one for one in record["runs"] if one["method"] == METHOD), key=lambda one: one["seed"])
    steps = record["model"]["steps"]
    for recovery in run["recoveries"]:
        furthest = max(recovery["fronts"])
        axis.plot([furthest - front for front in recovery["fronts"]], linewidth=0.9, color=plt.get_cmap("viridis")(furthest / steps * 0.9))
    axis.set_xlabel("role")
    axis.set_ylabel("iterations behind the furthest role")
    axis.set_title(f"{LINES[line][0]}\n{record['model']['np']} roles, seed {run['seed']}: a curve per failure, {run['failures']} in all", fontsize=9)


def draw_spread(axis, lines, interval):
    for line, by_np in lines.items():
        found = {np: spreads(record, METHOD) for np, record in by_np.items()}
        look = LINES[line][1]
        axis.plot([np for np, mine in found.items() for _ in mine], [v for mine in found.values() for v in mine], linestyle="none",
                  markersize=3, alpha=0.5, **look)
        axis.plot(list(found), [mean(mine) for mine in found.values()], markersize=6, linestyle="none", label=said(line, found), **look)
    axis.axhline(interval, color="black", linewidth=0.8, linestyle="--", label="iterations between two checkpoints")
    axis.set_xscale("log")
    axis.set_yscale("symlog", linthresh=1)  # runs without a spread are there, too
    axis.set_ylim(bottom=-0.05)
    ticks = sorted({np for by_np in lines.values() for np in by_np})
    axis.set_xticks(ticks, labels=map(str, ticks))
    axis.minorticks_off()
    axis.set_xlabel("roles, one per node, logarithmic")
    axis.set_ylabel("spread of the fronts [iterations],\nlogarithmic from 1 on")
    axis.set_title("mean over the failures of a run", fontsize=9)
    axis.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False)


def said(line, found):
    power = exponent([(np, v) for np, mine in found.items() for v in mine])
    grows = power is not None and power.low > 0
    text = f"{LINES[line][0]}: " + (f"grows as n^{power.median:.2f} [{power.low:.2f}, {power.high:.2f}]" if grows else "no growth is seen")
    print(f"spread of the fronts, {text}")
    return text


def main():
    folder, output = arguments(__doc__)
    found = records.load(folder)
    lines = {line: found[line] for line in LINES if line in found}
    shown = [record for by_np in lines.values() for record in by_np.values()]
    if not shown or any("recoveries" not in run for record in shown for run in record["runs"]):
        sys.exit(f"{folder}: no fronts in its records; simulate with --recoveries (configs/laptop/simulate-fronts.yaml)")
    figure, axes = panels(len(lines) + 1)
    for axis, (line, by_np) in zip(axes[0], lines.items()):
        draw_behind(axis, line, by_np[max(by_np)])
    share_range(axes[0][:len(lines)])
    draw_spread(axes[0][-1], lines, shown[0]["model"]["interval"])
    figure.tight_layout()
    note(figure, "Modelled, not measured (rollbench simulate). A front is the iteration that a role is in when the failure is found. Curves from dark "
                 "to light: from the start of the run to its end.\nSmall dots: runs; large marks: means over the seeds.")
    save(figure, output, "fronts-simulated", "fronts of the roles, simulated")


if __name__ == "__main__":
    main()
