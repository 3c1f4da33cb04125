#!/usr/bin/env python3
"""Strategies compared, as tables: time to solution after a failure, and how sure the difference is.

usage: compare.py RESULTS-FOLDER OUTPUT-FOLDER [--warm-up N]

Per problem: the median of the seconds in the time-step loop of each strategy, with its interval, and
every two strategies against each other. Runs with the same kill and repetition are a pair: how late in
the interval a role dies matters as much as the strategy. --warm-up N leaves out the first N
repetitions of every run.
"""
import argparse
import collections
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import program, stats
from plots.common.files import put
from plots.common.runs import (LOOK, crowded, failing, failure_free, groups, load, nothing_of, programs, repetition, said,
                               said_programs, way)

MACHINE = ("hostname", "cpu", "cores", "pus", "topology", "memory_bytes", "kernel")  # of a record's host

METHOD = f"""\
Seconds in the time-step loop (`loop_s`), recovery included, of runs in which one role was killed. Intervals: \
95 %, percentile bootstrap of the median, {stats.ROUNDS} rounds; with fewer than {stats.LEAST} samples no \
interval has 95 %, so there is none, and no paired test can find a p below 0.05. Ratios: of the medians of the runs that are pairs (same kill, same \
repetition), pairs drawn whole. p: two-sided, adjusted for the number of comparisons in a table after Holm. \
An interval that contains 1, or a p above 0.05, does not show that there is no difference.
"""


def name(how):
    return LOOK.get(how, {}).get("label", how)


def show(interval, digits=4):
    if interval.low is None:
        return f"{interval.median:.{digits}g} (n < {stats.LEAST}: no interval)"
    return (f"{interval.median:.{digits}g} [{interval.low:.{digits}g}, "
            f"{interval.high:.{digits}g}]")


def samples_of(records, how):
    """{(kill, repetition): seconds} and which runs were left out.

    ValueError: two runs that differ in nothing that a problem is told by, so in what nobody knows.
    """
    runs, left_out = failing(records, how)
    by_key = {}
    for run in runs:
        other = by_key.setdefault((tuple(run["plan"]), repetition(run.get("id", "")) or 0), run)
        if other is not run:
            raise ValueError(f"{other.get('id')} and {run.get('id')} are the same kill and repetition of the "
                             "same problem; put what makes them two into sweeps of their own")
    return {key: run["loop_s"] for key, run in by_key.items()}, left_out


def pairs_of(first, second):
    return [(first[k], second[k]) for k in first if k in second]


def compare(first, second):
    """(what was compared, ratio, test): of pairs, or without any, of all."""
    pairs = pairs_of(first, second)
    if pairs:
        return f"{len(pairs)} pairs", stats.ratio_paired(pairs), stats.signed_rank(pairs)
    a, b = list(first.values()), list(second.values())
    return f"{len(a)} and {len(b)} runs, no pairs", stats.ratio(a, b), stats.mann_whitney(a, b)


def strategies_table(records, found):
    yield "| strategy | runs | median [95 %], s | shortest, longest, s | failure-free: runs, median [95 %], s |"
    yield "|---|---|---|---|---|"
    for how, (samples, _) in found.items():
        values = list(samples.values())
        free = [r["loop_s"] for r in failure_free(records, how)]
        yield (f"| {name(how)} | {len(values)} | {show(stats.interval(values))} | {min(values):.4g}, "
               f"{max(values):.4g} | {f'{len(free)}, {show(stats.interval(free))}' if free else 'none'} |")


def comparisons_table(found):
    both = list(itertools.combinations(found, 2))
    results = [compare(found[b][0], found[a][0]) for a, b in both]
    yield "| | compared with | samples | ratio of medians [95 %] | p, adjusted | test |"
    yield "|---|---|---|---|---|---|"
    for (a, b), (what, ratio, test), p in zip(both, results,
                                              stats.holm([test.p for _, _, test in results])):
        how = "all permutations" if test.exact else f"{stats.SHUFFLES} random permutations"
        yield (f"| {name(b)} | {name(a)} | {what} | {show(ratio)} | "
               f"{'< 0.001' if p < 0.001 else f'{p:.3f}'} | {test.name}, {how} |")


def problem_text(title, records):
    """(lines about one problem, none if it has no runs with failures; how many runs are compared)."""
    ways = dict.fromkeys(way(r) for r in records if r["plan"])
    found = {how: samples_of(records, how) for how in ways}
    left_out = sum((others for _, others in found.values()), collections.Counter())
    nothing = [nothing_of(name(how), others) for how, (samples, others) in found.items() if not samples]
    found = {how: both for how, both in found.items() if both[0]}
    if not found and not left_out:
        return [], 0
    lines = [f"## {'; '.join(title.splitlines())}", ""]
    if found:
        lines += compared(records, found)
    if left_out:
        lines += [f"Not in it: {said(left_out)} (equal: to the failure-free run, bit for bit).", ""]
    lines += [line for text in nothing for line in (f"{text[0].upper()}{text[1:]}.", "")]
    return lines, sum(len(samples) for samples, _ in found.values())


def compared(records, found):
    lines = []
    if crowded(records):
        lines += ["More roles than cores: seconds include waiting for a core, and roles that wait for a message leave the core to others. How many wait "
                  "depends on the way of recovery, so the ratios are distorted, too. Trust the counts.", ""]
    machines = {tuple(r.get("host", {}).get(key) for key in MACHINE) for r in records}
    if len(machines) > 1:
        lines += [f"Measured on {len(machines)} machines: a difference may be one of theirs.", ""]
    if len(of := programs(records)) > 1:
        text = said_programs(of)
        lines += [f"{text[0].upper()}{text[1:]}: a difference may be one of theirs.", ""]
    lines += [*strategies_table(records, found), ""]
    if len(found) > 1:
        lines += [*comparisons_table(found), ""]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--warm-up", type=int, default=0, metavar="N")
    args = parser.parse_args()
    program.need("numpy")
    records = load(args.results)
    kept = [r for r in records if (repetition(r.get("id", "")) or 0) >= args.warm_up]
    lines = ["# Strategies compared", "", METHOD]
    if args.warm_up:
        lines += [f"The first {args.warm_up} repetitions, {len(records) - len(kept)} runs, are warm-ups "
                  "and not in it.", ""]
    try:
        texts = [problem_text(title, mine) for title, mine in groups(kept).items()]
    except ValueError as error:
        raise SystemExit(f"{args.results}: {error}") from error
    if not any(count for _, count in texts):
        left_out = "; ".join(line for text, _ in texts for line in text if line.startswith("Not in it"))
        raise SystemExit(f"{args.results}: no usable records of runs in which one role was killed"
                         + (f". {left_out}" if left_out else ""))
    args.output.mkdir(parents=True, exist_ok=True)
    path = args.output / "compare.md"
    put(path, "\n".join(lines + [line for text, _ in texts for line in text]))
    print(f"strategies compared: {path}")


if __name__ == "__main__":
    main()
