#!/usr/bin/env python3
"""A map of methods: how much they log against how much they compute again.

usage: dataflow_map.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 8 of the data-flow-rollback paper, where it is a sketch without numbers. Here each point is what
runs recorded under one policy, which a letter beside it names, with rollback (squares) or with data-flow rollback (crosses) of the roles that
lack a log. Across: the bytes of payload in the fullest log of any role at any time. Up: iterations computed
again, summed over all roles, duplicates included. Both are means over the kills that all methods of the panel
have in common. A step line goes through the methods that no other one beats in both. Iterations say how much is
computed, and neither how long that takes nor what energy it needs.
"""
import itertools
import pathlib
import string
import sys

import matplotlib.ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save, with_failures
from plots.common.methods import front, methods, points
from plots.common.runs import in_common, missing, not_in_common

COLOURS = {"none": "#c44e52", "all": "#4c72b0"}
OTHERS = ("#55a868", "#dd8452", "#8172b3", "#937860", "#64b5cd", "#8c8c8c")  # policies with parameters, in turn
MARKERS = {"rollback": "s", "dataflow": "X", "dataflow:flat": "h"}
NAMES = {"rollback": "rollback", "dataflow": "data-flow rollback", "dataflow:flat": "flat data-flow rollback"}


def said_kept(found):
    """What data-flow rollback keeps without a failure, which is no log."""
    kept = [sum(r["dataflow"].values()) for runs in found.values() for r in runs if r.get("dataflow")]
    return [f"data-flow rollback keeps besides, in no log: up to {max(kept)} bytes in a role"] if kept else []


def colours(names):
    """{policy: colour}."""
    others = [name for name in sorted(names) if name not in COLOURS]
    return {**{name: COLOURS[name] for name in COLOURS if name in names},
            **{name: OTHERS[turn % len(OTHERS)] for turn, name in enumerate(others)}}


def draw_points(axis, placed):
    """Points that lie on each other are drawn around each other."""
    there = []
    axis.step(*zip(*front(placed)), where="post", color="#999999", linewidth=1.2, zorder=1, label="no method has less of both")
    for letter, (name, colour) in zip(itertools.cycle(string.ascii_lowercase), colours({name for name, _ in placed}).items()):
        mine = {how: placed[name, how] for how in MARKERS if (name, how) in placed}
        ends = list(zip(*mine.values()))
        axis.plot(ends[0], ends[1], color=colour, linewidth=1, linestyle=":")
        for how, (across, up, _) in mine.items():
            place = (how, across, up)
            axis.plot([across], [up], linestyle="none", color=colour, marker=MARKERS[how], fillstyle="none",
                      markeredgewidth=1.5, markersize=7 + 5 * there.count(place))
            beside = 8 + 5 * there.count(place)  # rollback on the right, data-flow rollback on the left
            axis.annotate(letter, (across, up), xytext=(beside if how == "rollback" else -6 - beside, -3), textcoords="offset points", fontsize=8,
                          color=colour)
            there.append(place)
        axis.plot([], [], linestyle="-", linewidth=4, color=colour, label=f"{letter}: {name}")
    for how, marker in MARKERS.items():
        if any(how == drawn for _, drawn in placed):
            axis.plot([], [], linestyle="none", color="#555555", marker=marker, fillstyle="none", label=NAMES[how])
    axis.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False)
    axis.margins(x=0.1, y=0.1)
    axis.set_ylim(bottom=0)
    axis.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))


def said_kills(kills):
    if len(kills) > 1:
        return f"means over {len(kills)} kills"
    return "".join(f"killed: {' '.join(plan)}" for plan in kills) or "the methods have no kill in common"


def draw(axis, problem, records):
    found, left_out, lines = methods(records)
    kills = in_common(found)
    lines += not_in_common(found, kills, "methods")
    placed = points(found, kills) if kills else {}
    if placed:
        draw_points(axis, placed)
    said = missing(problem, left_out, lines + said_kept(found))
    axis.set_title(f"{problem}\n{said_kills(kills)}{said}", fontsize=10)
    axis.set_xlabel("payload in the fullest log of a role [bytes]")
    axis.set_ylabel("iterations computed again, of all roles")
    return sum(count for _, _, count in placed.values())


def main():
    results, output = arguments(__doc__)
    found = with_failures(results)
    figure, axes = panels(len(found))
    figure.set_size_inches(figure.get_figwidth(), 5.6 / 4.2 * figure.get_figheight())  # with the legends
    count = sum(draw(axis, problem, records) for axis, (problem, records) in zip(axes[0], sorted(found.items())))
    figure.tight_layout()
    note(figure, f"{count} runs with one death each. Iterations are no measure of time or energy.")
    save(figure, output, "dataflow-map", "map of methods")


if __name__ == "__main__":
    main()
