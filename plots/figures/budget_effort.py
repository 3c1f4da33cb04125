#!/usr/bin/env python3
"""Iterations computed again under a cap on the log, with rollback and with data-flow rollback.

usage: budget_effort.py RESULTS-FOLDER OUTPUT-FOLDER

Of runs in which one role dies under budget:PERCENT%: iterations beyond those of a run without a failure, summed over all
roles, also those that duplicates compute under data-flow rollback, in percent of n L, which global rollback repeats if L
iterations of n roles are lost. A panel per problem that has both ways. Large marks are medians over the killed roles, lines
reach from the least to the most, small dots are runs. Only kills that all marks of a panel have in common are drawn. Exact
counts: they say how much is computed, and neither how long that takes nor what energy it needs.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save
from plots.common.runs import (budget_asked, failed_in, groups, in_common, load, missing, not_in_common, nothing_of,
                               one_death, recomputed)
from plots.common.stats import median

WAYS = {  # (how channels are chosen, what is done by who lacks a log): its look, and how far beside the cap it is drawn
    ("heaviest", "rollback"): (dict(color="#4c72b0", marker="o", label="rollback, heaviest channel first"), -0.9),
    ("clusters", "rollback"): (dict(color="#dd8452", marker="D", label="rollback, nearest cluster first"), 0.9),
    ("heaviest", "dataflow"): (dict(color="#d147a3", marker="X", label="data-flow rollback, heaviest channel first"), 0),
}


def way(record):
    """(how channels are chosen, recompute), percent; None: it is no run with a death under a cap in percent."""
    asked = budget_asked(record)
    return ((asked[1], record.get("recompute", "rollback")), asked[0]) if asked and record["plan"] else None


def effort(run):
    """Iterations computed again, in percent of n L."""
    return 100 * recomputed(run) / (run["np"] * (failed_in(run) - run["failures"][0]["checkpoint"]))


def survey(records):
    """({(way, percent): good runs}, Counter of what is left out, lines for the title)."""
    planned = {}
    for record in records:
        if way(record):
            planned.setdefault(way(record), []).append(record)
    drawn = {key: runs for key, runs in planned.items() if key[0] in WAYS}
    good, left_out = one_death([r for runs in drawn.values() for r in runs])
    found = {key: [r for r in good if way(r) == key] for key in drawn}
    lines = [nothing_of(f"{key[1]:g} % with {WAYS[key[0]][0]['label']}", one_death(drawn[key])[1])
             for key, runs in found.items() if not runs]
    others = sum(len(runs) for key, runs in planned.items() if key[0] not in WAYS)
    if others:
        lines.append(f"not in this figure: {others} runs of other ways")
    return {key: runs for key, runs in found.items() if runs}, left_out, lines


def points(found, kills):
    """{way: {percent: efforts of the killed roles}}."""
    placed = {}
    for (how, percent), runs in sorted(found.items()):
        mine = [effort(r) for r in runs if tuple(r["plan"]) in kills]
        placed.setdefault(how, {})[percent] = mine
    return {how: placed[how] for how in WAYS if how in placed}


def draw_way(axis, how, efforts):
    look, beside = WAYS[how]
    across = [percent + beside for percent in efforts]
    axis.plot(across, [median(mine) for mine in efforts.values()], linestyle=":", markersize=7, **look)
    axis.vlines(across, [min(mine) for mine in efforts.values()], [max(mine) for mine in efforts.values()],
                color=look["color"], linewidth=1)
    axis.plot([at for at, mine in zip(across, efforts.values()) for _ in mine],
              [value for mine in efforts.values() for value in mine], linestyle="none", marker=".", markersize=4,
              color=look["color"], alpha=0.6)


def draw(axis, problem, records):
    found, left_out, lines = survey(records)
    kills = in_common(found)
    lines += not_in_common(found, kills, "marks")
    for how, efforts in points(found, kills).items() if kills else ():
        draw_way(axis, how, efforts)
    said = f"{len(kills)} roles killed, one per run" if kills else "no kill is common to all marks"
    axis.set_title(f"{problem}\n{said}{missing(problem, left_out, lines)}", fontsize=10)
    axis.set_xlabel("cap, percent of the largest log under `all`")
    axis.set_ylabel("iterations computed again,\npercent of n L (global rollback)")
    axis.set_ylim(bottom=0)
    if kills:
        axis.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False)
    return sum(tuple(r["plan"]) in kills for runs in found.values() for r in runs)


def main():
    results, output = arguments(__doc__)
    found = {problem: records for problem, records in groups(load(results)).items()
             if any(way(r) and way(r)[0][1] == "dataflow" for r in records)}
    if not found:
        sys.exit(f"{results}: no records of runs with failures under budget:PERCENT% with --recompute dataflow")
    figure, axes = panels(len(found))
    figure.set_size_inches(5.6 * len(found), 5.2)  # with the legends
    count = sum(draw(axis, problem, records) for axis, (problem, records) in zip(axes[0], found.items()))
    figure.tight_layout()
    note(figure, f"{count} runs with one death each; L: iterations lost since the checkpoint. Iterations are no "
                 "measure of time or energy.")
    save(figure, output, "budget-effort", "iterations computed again under a cap")


if __name__ == "__main__":
    main()
