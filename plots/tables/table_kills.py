#!/usr/bin/env python3
"""Rollback sets of real kills under a cap on the log, beside those of `rollbench study`.

usage: table_kills.py RESULTS-FOLDER OUTPUT-FOLDER

After Tables II and III of the memory-constrained-logging paper. The runs are of a sweep in which each role dies once at the end of
an interval between checkpoints, under budget:PERCENT% (configs/laptop/kills.yaml). `rollbench study --records RESULTS-FOLDER --json
RESULTS-FOLDER.study.json` has the rollback set of each role, once played message by message, as the engine decides (budget), and once
by the finished exchange matrix (heaviest). The sets of runs must be those that are played, role by role; otherwise the exit status
is 1. A run in which the failure found a role one iteration behind, which happens on a machine with much other work, is left out and
named.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.files import text_of
from plots.common.kills import problems
from plots.common.program import ROOT
from plots.common.stats import exact_and_whole

PAPER = json.loads((ROOT / "plots" / "papers" / "memory-constrained-logging.json").read_text(encoding="utf-8"))
SAME_PROGRAM = {"bfs": "Graph500", "amr": "MiniAMR"}  # in the paper


def percent_of(ranks, np):
    return "-" if ranks is None else exact_and_whole(100 * ranks / np, 100 * int(ranks) / np)


def row(words):
    return "| " + " | ".join(map(str, words)) + " |\n"


def rows(problem):
    np = problem.record["np"]
    for strategy in dict.fromkeys(s for s, _ in problem.points):
        caps = sorted(p for s, p in problem.points if s == strategy)
        yield ["real kills", strategy, *[percent_of(problem.mean_rolled(strategy, p), np) for p in caps],
               *[percent_of(problem.chain(strategy, p), np) for p in caps]]
        for words, form in (("study, message by message", problem.played), ("study, finished matrix", problem.matrix)):
            found = [form(strategy, p) for p in caps]
            yield [words, found[0]["strategy"], *[percent_of(problem.mean_set(one, strategy, p), np) for one, p in zip(found, caps)],
                   *[percent_of(one["chain"], np) for one in found]]
        yield ["victims whose set the matrix has otherwise", "", *[problem.unlike_matrix(strategy, p) for p in caps],
               *[""] * len(caps)]


def paper_rows(problem, caps):
    for one in PAPER["table2"]:
        if one["program"] == SAME_PROGRAM.get(problem.record["kernel"]):
            both = [[f"{one[key][PAPER['thetas'].index(p)]:.2f}" if p in PAPER["thetas"] else "" for p in caps]
                    for key in ("set_percent", "chain_percent")]
            yield [f"paper, Table II: {one['program']}, {one['np']} ranks, simulated", "heaviest", *both[0], *both[1]]


def write(out, problem):
    caps = sorted({p for _, p in problem.points})
    header = ["", "strategy", *[f"set {p:g} %" for p in caps], *[f"chain {p:g} %" for p in caps]]
    out.write(f"### {problem.name}\n\n" + row(header) + "|" + "---|" * len(header) + "\n")
    for one in [*rows(problem), *paper_rows(problem, caps)]:
        out.write(row(one))
    out.write("\nPercent of the roles, means over all victims; in brackets truncated to whole roles, as the paper prints them. "
              f"Killed at the end of iterations {problem.interval[0]} to {problem.interval[1] - 1}: {len(problem.kills)} kills. "
              f"Sets that differ from the study, message by message: {len(problem.wrong())}. Not in it: {problem.left_out or 'none'}.\n\n")
    for why in problem.wrong():
        out.write(f"* DIFFERS: {why}\n")
    for what in problem.lacks:
        out.write(f"* no run to compare at {what}\n")


def tell_lacks(problem, results):
    if problem.left_out:
        print(f"{problem.name}: left out: {problem.left_out}")
    for what in problem.lacks:
        print(f"{problem.name}: no run to compare at {what}")
    if problem.elsewhere:
        names = " ".join(f"{r['id']}.json" for r in problem.elsewhere)
        print(f"remove these and sweep again to repeat them: {results}: {names}")


def main():
    results, output = arguments(__doc__)
    found = problems(results)
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(output) / "kills.md"
    with text_of(path) as out:
        for problem in found:
            write(out, problem)
    kills, wrong = sum(len(p.kills) for p in found), [why for p in found for why in p.wrong()]
    print(f"rollback sets of real kills: {path}\n{kills} kills, {len(wrong)} differ from the study" + "".join(f"\n{w}" for w in wrong))
    for problem in found:
        tell_lacks(problem, results)
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
