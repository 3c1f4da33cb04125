#!/usr/bin/env python3
"""Rollback effort under a cap on the log, from profiles: Tables II to V of the memory-constrained-logging paper, and a figure.

usage: table_study.py STUDY.json OUTPUT-FOLDER

From `rollbench study --json`. The tables have the layout of the paper's and its numbers below ours. Averages are over all ranks as
victims, truncated to whole ranks as the paper prints them; exact ones are in brackets. Programs whose ranks all send about the
same are marked balanced: the paper has none of these. The figure has the exact sets by cap and strategy.
"""
import json
import math
import pathlib
import sys

import matplotlib.pyplot as plt

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, save
from plots.common.files import put
from plots.common.markdown import table
from plots.common.program import ROOT
from plots.common.stats import exact_and_whole
from plots.forecast.profiles import efforts, is_balanced, label, load, program_of, strategies

LOOKS = {
    "heaviest": dict(color="#4c72b0", marker="o", label="heaviest channel first"),
    "clusters": dict(color="#dd8452", marker="D", label="nearest cluster by rank first"),
    "clusters:whole": dict(color="#dd8452", marker="d", label="whole cluster by rank", alpha=0.6),
    "dendrogram": dict(color="#55a868", marker="s", markersize=8, fillstyle="none", label="nearest cluster by traffic first"),
    "dendrogram:whole": dict(color="#55a868", marker="v", label="whole cluster by traffic", alpha=0.6),
    "online": dict(color="#8172b3", marker="x", label="online (Alg. 1)"),
    "online:reset": dict(color="#8172b3", marker="+", label="online, reset at checkpoints"),
}
COLUMNS = 4
PAPER = json.loads((ROOT / "plots" / "papers" / "memory-constrained-logging.json").read_text(encoding="utf-8"))
THETAS = PAPER["thetas"]


def cells(found, thetas, quantity):
    """'57.61 (57.42)' for each cap; '-' where the study has no such cap."""
    return [exact_and_whole(found[t][quantity], found[t]["truncated"][quantity]) if t in found else "-" for t in thetas]


def percents(values):
    return [f"{v:.2f}" for v in values]


def caps(words):
    return [f"{words} {t} %" for t in THETAS]


def gini(study):
    return f"{study['gini']:.2f}" + (", balanced" if is_balanced(study) else "")


def table_ii(studies):
    ours = [[program_of(s), str(s["np"]), gini(s), *cells(efforts(s, "heaviest"), THETAS, "set_percent"),
             *cells(efforts(s, "heaviest"), THETAS, "chain_percent")] for s in studies]
    paper = [[f"paper: {one['program']}", str(one["np"]), f"{one['gini']:.2f}", *percents(one["set_percent"]),
              *percents(one["chain_percent"])] for one in PAPER["table2"]]
    return table("Table II: rollback set and chain, heaviest channel first, percent of the ranks (in brackets truncated to whole ranks)",
                 ["program", "ranks", "Gini", *caps("set"), *caps("chain")], ours + paper)


def series_of(studies):
    """{name without its number of ranks: studies, by number of ranks} of programs that are there with several."""
    found = {}
    for study in studies:
        found.setdefault(program_of(study), []).append(study)
    return {name: some for name, some in found.items() if len({s["np"] for s in some}) > 1}


def tables_iii_and_iv(studies):
    ours = [[name, str(s["np"]), gini(s), *cells(efforts(s, "heaviest"), THETAS, "set_percent")]
            for name, some in series_of(studies).items() for s in some]
    paper = [[f"paper, Table {number}: {one['program']}", str(one["np"]), f"{one['gini']:.2f}", *percents(one["set_percent"])]
             for number, key in (("III, weak scaling", "table3"), ("IV, strong scaling", "table4")) for one in PAPER[key]]
    return table("Tables III and IV: rollback set by number of ranks, percent of the ranks (in brackets truncated to whole ranks)",
                 ["program", "ranks", "Gini", *caps("set")], ours + paper)


def table_v(studies):
    ours = [[program_of(s), str(s["np"]), strategy, *cells(efforts(s, strategy), THETAS, "set_percent")]
            for s in studies for strategy in strategies(s)]
    ours += [[program_of(s), str(s["np"]), f"{one['strategy']}, without a cap; largest log {one['log_percent']:.0f} %",
              *[exact_and_whole(one["set_percent"], one["truncated"]["set_percent"])] * len(THETAS)]
             for s in studies for one in s["teams"]]
    paper = [[f"paper: {one['program']}", str(one["np"]), one["strategy"], *percents(one["set_percent"])]
             for one in PAPER["table5"]]
    return table("Table V: rollback set by strategy, percent of the ranks (in brackets truncated to whole ranks)",
                 ["program", "ranks", "strategy", *caps("set")], ours + paper)


def draw(axis, study):
    for strategy in strategies(study):
        found = efforts(study, strategy)
        axis.plot(list(found), [one["set_percent"] for one in found.values()], linestyle=":",
                  **{"markersize": 5, **LOOKS.get(strategy, dict(label=strategy, marker="."))})
    for one in study["teams"]:
        axis.axhline(one["set_percent"], color="#555555", linewidth=1, linestyle="--",
                     label=f"{one['strategy']}, log {one['log_percent']:.0f} % of the largest")
    axis.set_ylim(0, 1.15 * max(5, *(one["set_percent"] for one in study["caps"] + study["teams"])))
    axis.grid(True, color="#dddddd", linewidth=0.6)
    axis.tick_params(labelsize=8)
    axis.set_title(label(study).replace(" (", "\n("), fontsize=9)
    axis.set_xlabel("cap, percent of the largest log", fontsize=8.5)
    axis.set_ylabel("rollback set, percent of ranks", fontsize=8.5)
    axis.legend(fontsize=6.5)


def main():
    path, output = arguments(__doc__)
    studies = load(path)
    folder = pathlib.Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    put(folder / "study-sets.md", "\n".join([*table_ii(studies), *tables_iii_and_iv(studies), *table_v(studies)]))
    print(f"rollback under a cap, from profiles: {folder / 'study-sets.md'}")
    columns = min(COLUMNS, len(studies))
    rows = math.ceil(len(studies) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.2 * columns, 3.5 * rows), squeeze=False)
    for axis, study in zip(axes.flat, studies):
        draw(axis, study)
    for axis in axes.flat[len(studies):]:
        axis.axis("off")
    figure.tight_layout()
    note(figure, "Computed from exchange matrices; no run, no kill. Mean over all ranks as the victim, exact. Lines only guide the "
                 "eye. The axes differ.")
    save(figure, output, "study-sets", "rollback under a cap, from profiles")


if __name__ == "__main__":
    main()
