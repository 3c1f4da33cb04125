#!/usr/bin/env python3
"""A map of methods: how much they log against how much they compute again.

usage: dataflow_map.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 8 of the data-flow-rollback paper, where it is a sketch without numbers. Here each point is what
runs recorded under one policy, with rollback (squares) or with data-flow rollback (crosses) of the roles that
lack a log. Across: the bytes of payload in the fullest log of any role at any time. Up: iterations computed
again, summed over all roles, duplicates included. Both are means over the kills that all methods of the panel
have in common. Iterations say how much is computed, and neither how long that takes nor what energy it needs.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.drawing import legend_above, note, panels, save
from plots.common.runs import RESTART, groups, load, missing, one_death, nothing_of, recomputed, way
from plots.common.stats import mean

COLOURS = {"none": "#c44e52", "all": "#4c72b0"}
OTHERS = ("#55a868", "#dd8452", "#8172b3", "#937860", "#64b5cd", "#8c8c8c")  # policies with parameters, in turn
MARKERS = {"rollback": dict(marker="s", fillstyle="none", markersize=9, label="rollback"),
           "dataflow": dict(marker="X", markersize=7, label="data-flow rollback")}


def policy(run):
    """As it was asked for: percentages are in bytes otherwise."""
    return run.get("policy_asked", run["policy"])


def recompute(run):
    return run.get("recompute", "rollback")


def methods(records):
    """({(policy, recompute): good runs}, Counter of what is left out, lines for the title).

    Job restart is no method of a running job, and power techniques change neither number.
    """
    planned = {}
    for record in records:
        if record["plan"] and way(record) != RESTART and record.get("power", "none") == "none":
            planned.setdefault((policy(record), recompute(record)), []).append(record)
    found, lines = {}, []
    good, left_out = one_death([r for runs in planned.values() for r in runs])
    for key, runs in planned.items():
        found[key] = [r for r in good if (policy(r), recompute(r)) == key]
        if not found[key]:
            lines.append(nothing_of(f"{key[0]} with {key[1]}", one_death(runs)[1]))
    restarted = sum(bool(r["plan"]) and way(r) == RESTART for r in records)
    if restarted:
        lines.append(f"not in this figure: {restarted} runs of job restart")
    return {key: runs for key, runs in found.items() if runs}, left_out, lines


def in_common(found):
    """The kills that all methods have."""
    kills = [{tuple(r["plan"]) for r in runs} for runs in found.values()]
    return set.intersection(*kills) if kills else set()


def points(found, kills):
    """{(policy, recompute): (bytes, iterations, number of runs)}."""
    placed = {}
    for key, runs in found.items():
        mine = [r for r in runs if tuple(r["plan"]) in kills]
        placed[key] = (mean(r["log"]["bytes_peak"]["max"] for r in mine), mean(recomputed(r) for r in mine), len(mine))
    return placed


def said_kept(found):
    """What data-flow rollback keeps without a failure, which is no log."""
    kept = [sum(r["dataflow"].values()) for runs in found.values() for r in runs if r.get("dataflow")]
    return [f"data-flow rollback keeps besides, in no log: up to {max(kept)} bytes in a role"] if kept else []


def write_names(axis, placed):
    """Once for all methods that lie on each other: left of the point if one of them is with rollback, else right."""
    names = {}
    for (name, how), (across, up, _) in placed.items():
        names.setdefault((across, up), {}).setdefault(name, set()).add(how)
    for (across, up), here in names.items():
        is_left = any("rollback" in hows for hows in here.values())
        text = ", ".join(name + (" (both)" if len(hows) > 1 else "") for name, hows in here.items())
        axis.annotate(text, (across, up), xytext=(-8 if is_left else 8, 0), textcoords="offset points", fontsize=8,
                      va="center", ha="right" if is_left else "left")


def draw_points(axis, placed):
    policies = sorted({name for name, _ in placed}, key=lambda name: (name in COLOURS, name))
    for turn, name in enumerate(policies):
        colour = COLOURS.get(name, OTHERS[turn % len(OTHERS)])
        mine = {how: placed[name, how] for how in MARKERS if (name, how) in placed}
        if len(mine) == 2:
            ends = list(zip(*mine.values()))
            axis.plot(ends[0], ends[1], color=colour, linewidth=1, linestyle=":")
        for how, (across, up, _) in mine.items():
            axis.plot([across], [up], linestyle="none", color=colour, **{**MARKERS[how], "label": None})
    write_names(axis, placed)
    axis.margins(x=0.3, y=0.12)  # for the names
    axis.set_ylim(bottom=0)
    axis.set_xticks([tick for tick in axis.get_xticks() if 0 <= tick <= axis.get_xlim()[1]])


def said_kills(kills):
    if len(kills) > 1:
        return f"means over {len(kills)} kills"
    return "".join(f"killed: {' '.join(plan)}" for plan in kills) or "the methods have no kill in common"


def draw(axis, problem, records):
    found, left_out, lines = methods(records)
    kills = in_common(found)
    elsewhere = sum(tuple(r["plan"]) not in kills for runs in found.values() for r in runs)
    if elsewhere:
        lines.append(f"not drawn: {elsewhere} runs with kills that not all methods have")
    placed = points(found, kills) if kills else {}
    if placed:
        draw_points(axis, placed)
        for marker in MARKERS.values():
            axis.plot([], [], linestyle="none", color="#555555", **marker)
        legend_above(axis, 2)
    axis.set_title(f"{problem}\n{said_kills(kills)}" + missing(problem, left_out, lines + said_kept(found)), fontsize=10,
                   pad=20)
    axis.set_xlabel("payload in the fullest log of a role [bytes]")
    axis.set_ylabel("iterations computed again, of all roles")
    return sum(count for _, _, count in placed.values())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results, output = sys.argv[1:]
    found = {k: v for k, v in groups(load(results)).items() if any(r["plan"] for r in v)}
    if not found:
        sys.exit(f"{results}: no records of runs with failures")
    figure, axes = panels(len(found))
    count = sum(draw(axis, problem, records) for axis, (problem, records) in zip(axes[0], sorted(found.items())))
    figure.tight_layout()
    note(figure, f"{count} runs with one death each. Iterations are no measure of time or energy.")
    save(figure, output, "dataflow-map", "map of methods")


if __name__ == "__main__":
    main()
