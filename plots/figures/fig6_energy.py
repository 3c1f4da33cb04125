#!/usr/bin/env python3
"""Time, energy and energy-delay product of a run with one failure, by recovery strategy.

usage: fig6_energy.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 6 of the power-log-n-roll paper. Every run is a dot, the bar the median. Energy is what the
packages were measured to use in the time-step loop; without such a measurement what a power model
makes of it (--power-model, named so); without either the CPU time that all roles took, which is no
energy and not called one. A problem's runs are all drawn from the same source.
"""
import pathlib
import sys
import textwrap

import matplotlib.ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import narrow, panels, save
from plots.common.runs import LOOK
from plots.common.spans import OUTSIDE, one_profile, problems_in, say_left_out
from plots.common.stats import median

TICK = 16  # characters of a line below an axis


def measured_packages(run):
    """{(host, package): joules} of those that were measured throughout."""
    packages = (run.get("energy") or {}).get("packages") or []
    return {(p["host"], p["package"]): p["package_j"] for p in packages
            if p["package_j"] is not None}


def a_process_died(run):
    """What it used after its last sample nobody knows."""
    return any(role.get("used", {}).get("lost") for role in run["roles"])


def cpu_seconds(run):
    """Of all processes in the loop, as far as they have been sampled. Local rollback is repeated by the role that died alone, so a sum
    without it would leave out the whole price."""
    return sum(span["cpu_s"] for role in run["roles"] for phase, span in role["used"].items() if phase not in (*OUTSIDE, "lost"))


def source(runs):
    """(energy of a run, its name, unit, the product's name) from the best source they all have."""
    common = set.intersection(*(set(measured_packages(r)) for r in runs))
    if common:
        every = max(len(r["energy"]["packages"]) for r in runs)
        part = "" if len(common) == every else f" of {len(common)} of {every} packages"
        return (lambda run: sum(measured_packages(run)[p] for p in common),
                f"energy{part}, measured", "J", "energy x time, measured")
    profile = one_profile(runs)
    if (profile and all(r["modelled"]["energy_j"] is not None for r in runs)
            and len({tuple(r["modelled"]["unmeasured"]) for r in runs}) == 1):
        part = (", without the\ncores of roles that died"
                if any(r["modelled"]["unmeasured"] for r in runs) else "")
        return (lambda run: run["modelled"]["energy_j"],
                f"modelled energy\n(profile {profile}{part})", "J",
                "modelled energy x time")
    if all(role.get("used") for r in runs for role in r["roles"]):
        until = ";\nof a process that died\nup to its last sample" if any(map(a_process_died, runs)) else ""
        return cpu_seconds, f"CPU time of all roles\n(no energy was measured{until})", "s", "CPU time x time"
    return None, "", "", ""


def draw_values(axis, strategies, number, name):
    for place, (how, runs) in enumerate(strategies.items()):
        values = [number(run) for run in runs]
        wide = [place + 0.24 * ((i * 0.618) % 1 - 0.5) for i in range(len(values))]
        axis.plot(wide, values, linestyle="none", markersize=4.5, alpha=0.7,
                  **{**LOOK[how], "label": None})
        middle = median(values)
        axis.hlines(middle, place - 0.24, place + 0.24, color="black")
        axis.annotate(f"{middle:.3g}", (place + 0.26, middle), va="center", fontsize=8)
    axis.set_xticks(range(len(strategies)), ["\n".join([*textwrap.wrap(LOOK[how]["label"], TICK), f"{len(runs)} runs"])
                                             for how, runs in strategies.items()], fontsize=8)
    axis.set_xlim(-0.6, len(strategies) - 0.2)
    axis.set_ylim(0, 1.12 * max(number(run) for runs in strategies.values() for run in runs) or 1)
    axis.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(6))
    axis.set_xlabel("")
    axis.set_ylabel(name)


def draw(axes, title, strategies, left_out):
    energy, name, unit, product = source([r for runs in strategies.values() for r in runs])
    axes[0].set_title(narrow(title + say_left_out(title, left_out)), fontsize=10)
    draw_values(axes[0], strategies, lambda run: run["loop_s"], "time [s]")
    if not energy:
        for axis in axes[1:]:
            axis.annotate("neither energy nor CPU time in the records (--meters off)", (0.5, 0.5),
                          xycoords="axes fraction", ha="center", fontsize=8)
        return
    draw_values(axes[1], strategies, energy, f"{name} [{unit}]")
    draw_values(axes[2], strategies, lambda run: energy(run) * run["loop_s"],
                f"{product} [{'s²' if unit == 's' else unit + ' s'}]")


def main():
    results, output = arguments(__doc__)
    found, left_out = problems_in(results)
    figure, axes = panels(len(found), rows=3)
    figure.set_size_inches(4.3 * len(found), 8.5)
    for column, (title, strategies) in enumerate(found.items()):
        draw([row[column] for row in axes], title, strategies, left_out[title])
    figure.tight_layout()
    save(figure, output, "fig6-energy", "time and energy by strategy")


if __name__ == "__main__":
    main()
