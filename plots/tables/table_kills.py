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
import collections
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments, read_json
from plots.common.files import text_of
from plots.common.program import ROOT
from plots.common.runs import budget_asked, groups, load, one_death, said
from plots.common.stats import exact_and_whole, mean

PAPER = json.loads((ROOT / "plots" / "papers" / "memory-constrained-logging.json").read_text(encoding="utf-8"))
SAME_PROGRAM = {"bfs": "Graph500", "amr": "MiniAMR"}  # in the paper

# What a run under a cap has shown.
Kill = collections.namedtuple("Kill", "percent strategy role rolled chain cap")


def asked(record):
    return budget_asked(record) if record.get("recompute", "rollback") == "rollback" and record["plan"] else None


def interval_of(record):
    """(first, behind the last) iteration of the interval at whose end all roles were found; None: they were elsewhere."""
    failure = record["failures"][0]
    fronts = set(failure["fronts"])
    begin = failure["checkpoint"]
    return (begin, begin + record["interval"]) if fronts == {begin + record["interval"]} else None


def kill_of(record):
    failure = record["failures"][0]
    return Kill(*asked(record), failure["role"], tuple(failure["rollback_set"]), failure["chain"],
                int(record["policy"].split(":")[1]))


def studies(results):
    """What `rollbench study --records` has written of the runs."""
    path, command = f"{os.path.abspath(results)}.study.json", f"rollbench study --records {results} --json"
    found = read_json(path, f"make it with `{command} {path}`")
    return found


def efforts_of(found, record, interval):
    """{(strategy, percent): effort} of the record's problem."""
    for one in found:
        kernel = one["kernel"]
        if (kernel["name"], one["np"], (kernel["from"], kernel["to"])) == (record["kernel"], record["np"], interval) \
                and record["params"].items() <= kernel["params"].items():
            return {(effort["strategy"], effort["theta"]): effort for effort in one["caps"]}
    sys.exit(f"{record['id']}: its kernel has not been studied; call `rollbench study --records` again")


def name_of_played(strategy):
    """By the strategy of the policy: what decides as the engine does, message by message."""
    return "budget" if strategy == "heaviest" else f"budget:{strategy}"


def differences(kill, forecast):
    """Why this run is not as the study says; None if it is."""
    expected = tuple(forecast["sets"][kill.role])
    if kill.cap != forecast["cap_bytes"]:
        return f"the cap was {kill.cap} bytes and is {forecast['cap_bytes']} in the study"
    if kill.rolled != expected:
        return f"role {kill.role} at {kill.percent:g} % {kill.strategy}: rolled back {kill.rolled}, in the study {expected}"
    return None


class Problem:
    """One kernel with its options, roles and interval: its kills, and what the study says of them."""

    def __init__(self, title, records, found):
        self.name = title.replace("\n", ", ")
        runs, left_out = one_death([r for r in records if asked(r)])
        self.elsewhere = [r for r in runs if interval_of(r) is None]
        self.left_out = said(left_out + +collections.Counter(
            {"in which a role was not at the end of the interval": len(self.elsewhere)}))
        runs = [r for r in runs if interval_of(r)]
        self.record = runs[0] if runs else None
        self.kills = [kill_of(r) for r in runs]
        self.points = sorted({(k.strategy, k.percent) for k in self.kills}, reverse=True)
        self.efforts, self.wrong, self.lacks = {}, [], []
        intervals = {interval_of(r) for r in runs}
        if len(intervals) > 1:
            sys.exit(f"{self.name}: kills at the ends of several intervals; expected one")
        for interval in intervals:
            self.compare(interval, found)

    def compare(self, interval, found):
        self.interval = interval
        self.efforts = efforts_of(found, self.record, interval)
        self.wrong = [why for k in self.kills if (why := differences(k, self.played(k.strategy, k.percent)))]
        for strategy, percent in self.points:
            self.check_point(strategy, percent)

    def check_point(self, strategy, percent):
        kills, effort = self.of(strategy, percent), self.played(strategy, percent)
        missing = sorted({*range(self.record["np"])} - {k.role for k in kills})
        if missing:
            self.lacks.append(f"{percent:g} % {strategy}: of roles {', '.join(map(str, missing))}")
        elif abs(mean(k.chain for k in kills) - effort["chain"]) > 1e-9:
            self.wrong.append(f"{percent:g} % {strategy}: the mean chain was {mean(k.chain for k in kills)}, "
                              f"in the study {effort['chain']}")

    def of(self, strategy, percent):
        return [k for k in self.kills if (k.strategy, k.percent) == (strategy, percent)]

    def played(self, strategy, percent):
        try:
            return self.efforts[name_of_played(strategy), percent]
        except KeyError:
            sys.exit(f"{self.name}: {name_of_played(strategy)} at {percent:g} % has not been studied; call `rollbench study --records` again")

    def matrix(self, strategy, percent):
        """With the finished exchange matrix, channels in the same order."""
        return self.efforts[self.played(strategy, percent)["matrix"], percent]

    def unlike_matrix(self, strategy, percent):
        """Of how many victims the set of the finished matrix is another one."""
        return sum(k.rolled != tuple(self.matrix(strategy, percent)["sets"][k.role]) for k in self.of(strategy, percent))

    def mean_set(self, effort, strategy, percent):
        """By the study, over the victims that were killed."""
        return mean(len(effort["sets"][k.role]) for k in self.of(strategy, percent))

    def chain(self, strategy, percent):
        """Measured; None: some victims are missing, and the study's mean is over all."""
        kills = self.of(strategy, percent)
        return mean(k.chain for k in kills) if len({k.role for k in kills}) == self.record["np"] else None


def percent_of(ranks, np):
    return "-" if ranks is None else exact_and_whole(100 * ranks / np, 100 * int(ranks) / np)


def row(words):
    return "| " + " | ".join(map(str, words)) + " |\n"


def rows(problem):
    np = problem.record["np"]
    for strategy in dict.fromkeys(s for s, _ in problem.points):
        caps = sorted(p for s, p in problem.points if s == strategy)
        kills = [problem.of(strategy, p) for p in caps]
        yield ["real kills", strategy, *[percent_of(mean(len(k.rolled) for k in some), np) for some in kills],
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
              f"Sets that differ from the study, message by message: {len(problem.wrong)}. Not in it: {problem.left_out or 'none'}.\n\n")
    for why in problem.wrong:
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
    found = studies(results)
    problems = [Problem(title, mine, found) for title, mine in groups(load(results)).items() if any(map(asked, mine))]
    empty = [p.name for p in problems if not p.kills]
    if empty or not problems:
        sys.exit(f"{results}: no good run under budget:PERCENT% in which a role died at the end of an interval"
                 + "".join(f"; {name}" for name in empty))
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(output) / "kills.md"
    with text_of(path) as out:
        for problem in problems:
            write(out, problem)
    kills, wrong = sum(len(p.kills) for p in problems), [why for p in problems for why in p.wrong]
    print(f"rollback sets of real kills: {path}\n{kills} kills, {len(wrong)} differ from the study" + "".join(f"\n{w}" for w in wrong))
    for problem in problems:
        tell_lacks(problem, results)
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
