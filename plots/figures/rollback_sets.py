#!/usr/bin/env python3
"""Rollback sets of real kills under a cap on the log, against those that the exchange matrix of the interval gives.

usage: rollback_sets.py RESULTS-FOLDER OUTPUT-FOLDER

From a sweep in which each role dies once at the end of an interval (configs/laptop/kills.yaml), and from RESULTS-FOLDER.study.json, which
`rollbench study --records RESULTS-FOLDER --json RESULTS-FOLDER.study.json` writes. Across: the cap in percent of the largest log. Up: the
mean share of the roles that go back, over all victims. Filled: real kills; hollow: the heaviest channels of the finished matrix are
switched off until the rest is within the cap. Above: of how many victims the set is another one.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save, share_range
from plots.common.kills import problems

LOOKS = {"heaviest": dict(color="#4c72b0", marker="o"), "clusters": dict(color="#c44e52", marker="s")}
OTHER = dict(color="#55a868", marker="^")  # of further strategies


def draw(axis, problem):
    np, strategies = problem.record["np"], dict.fromkeys(strategy for strategy, _ in problem.points)
    for strategy in strategies:
        look, caps = LOOKS.get(strategy, OTHER), sorted(percent for of, percent in problem.points if of == strategy)
        killed = [100 / np * problem.mean_rolled(strategy, cap) for cap in caps]
        matrix = [100 / np * problem.mean_set(problem.matrix(strategy, cap), strategy, cap) for cap in caps]
        axis.plot(caps, killed, linestyle="-", markersize=7, label=f"real kills, {strategy}", **look)
        axis.plot(caps, matrix, linestyle="--", markersize=11, fillstyle="none", label=f"finished matrix, {strategy}", **look)
        for cap, *both in zip(caps, killed, matrix):
            of = problem.of(strategy, cap)
            axis.annotate(f"{problem.unlike_matrix(strategy, cap)} of {len(of)}", (cap, max(both)), xytext=(0, 9), textcoords="offset points",
                          ha="center", fontsize=8)
    axis.set_xticks(sorted({percent for _, percent in problem.points}))
    axis.margins(x=0.12)
    axis.set_ylim(0, 105)
    axis.set_xlabel("cap on the log, percent of the largest log")
    axis.set_ylabel("roles that go back, mean over all victims [%]")
    axis.set_title(problem.name.replace(", ", "\n", 1) + (f"\nleft out: {problem.left_out}" if problem.left_out else ""), fontsize=9)
    axis.legend(fontsize=7.5, loc="lower left")


def main():
    results, output = arguments(__doc__)
    found = sorted(problems(results), key=lambda problem: problem.name)
    figure, axes = panels(len(found))
    for axis, problem in zip(axes[0], found):
        draw(axis, problem)
    share_range(axes[0])
    figure.tight_layout()
    note(figure, f"{sum(len(problem.kills) for problem in found)} runs with one death each. Over the marks: of how many victims the finished matrix "
                 "has another set than the kill. Both can be of one size.")
    save(figure, output, "rollback-sets", "rollback sets of kills and of matrices")


if __name__ == "__main__":
    main()
