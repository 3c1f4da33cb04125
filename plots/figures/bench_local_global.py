#!/usr/bin/env python3
"""Time to solution with a failure, local rollback and job restart against global rollback.

usage: bench_local_global.py BENCH-FOLDER OUTPUT-FOLDER

Of `make bench`'s part local-global (local-global.json): ratios of paired runs, every pair a dot, the median
and its bootstrap 95 % interval, or of fewer than 6 pairs the range. Below 1: faster than global
rollback.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, scale_by_decades
from plots.common.runs import LOOK, RESTART
from plots.common.stats import LEAST, extent

HOW = {"local": LOOK["all"], "restart": LOOK[RESTART]}  # in the order of the table's columns


def draw(axis, place, ratios, look):
    wide = [place + 0.12 * ((i * 0.618) % 1 - 0.5) for i in range(len(ratios))]
    axis.plot(wide, ratios, linestyle="none", markersize=3, alpha=0.5, **look)
    median, low, high, _ = extent(ratios)
    axis.errorbar([place + 0.12], [median], [[median - low], [high - median]], fmt="s",
                  markersize=4, color="black", capsize=3)
    axis.annotate(f"{median:.2f}", (place + 0.12, median), xytext=(5, -3),
                  textcoords="offset points", fontsize=8)


def what_is_shown(samples):
    """The kind of spread around the medians."""
    few = [len(ratios) < LEAST for of in samples.values() for ratios in of.values()]
    if all(few):
        return f"medians with ranges (fewer than {LEAST} pairs have no interval)"
    return "medians with 95 % intervals" + (f", of fewer than {LEAST} pairs ranges" if any(few) else "")


def two_cores(samples, cores):
    """What this is a property of: who looks at the picture alone must not take it for a gain of local rollback as such."""
    roles = max((int(found[1]) for name in samples if (found := re.search(r"(\d+) roles", name))), default=0)
    if roles <= cores:
        return f"{roles} roles on {cores} cores: each has one."
    return (f"A property of {cores} cores for {roles} roles: while the restarted role catches up, the others wait and leave the cores to it.\n"
            "With a core for each role the papers see no gain in time, and none is to be read from this figure.")


def main():
    bench, output = arguments(__doc__)
    path = pathlib.Path(bench) / "local-global.json"
    if not path.exists():
        sys.exit(f"{path}: not there; run `make bench` first")
    part = json.loads(path.read_text(encoding="utf-8"))
    table, = part["blocks"]
    samples = {name: dict(zip(HOW, (ratios["values"] for ratios in both))) for name, *both in table["rows"]}
    figure, axes = panels(1)
    axis = axes[0][0]
    for place, ratios in enumerate(samples.values()):
        for shift, (how, look) in zip((-0.22, 0.22), HOW.items()):
            label = look["label"] if place == 0 else None
            draw(axis, place + shift, ratios[how], {**look, "label": label})
    axis.axhline(1, color="#555555", linewidth=1, linestyle="--", label="global rollback (none)")
    axis.set_xticks(range(len(samples)), samples)
    axis.set_xlim(-0.5, len(samples) - 0.3)
    axis.set_xlabel("")
    scale_by_decades(axis, "time, global rollback being 1")
    axis.set_title(f"One failure, 98 iterations lost; {what_is_shown(samples)}", fontsize=10,
                   pad=22)
    legend_above(axis, 3)
    figure.tight_layout()
    note(figure, two_cores(samples, part["host"]["cores"]))
    save(figure, output, "local-global", "local against global rollback")


if __name__ == "__main__":
    main()
