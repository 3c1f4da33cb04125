#!/usr/bin/env python3
"""What `rollbench sweep --dry-run` prints: the runs of a sweep, those done already, and how long the others will take.

harness/sweep/sweep_list.h describes the object on standard input, which the rollbench program writes.
"""
import collections
import contextlib
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command, json_text, stats
from plots.console import duration

# Where an estimate is from, the best first. "alike": the records differ only in the kill's role, place and time, or in
# the repetition; "problem": the same kernel, options and np.
OWN, ALIKE, PROBLEM, RULE, UNKNOWN = "its record", "records like it", "records of the problem", "rule", "unknown"
RULE_TEXT = ("0.5 s to start, and each iteration reads every role's memory once at 4 GB/s, roles on one core one after "
             "the other: an order of magnitude")

Estimate = collections.namedtuple("Estimate", "seconds source")


def recorded(folder, run):
    """The seconds of a run's record; None: there is no record, or it has no time."""
    with contextlib.suppress(OSError, ValueError):
        with open(f"{folder}/{run['id']}.json", "rb") as file:
            seconds = json_text.parse(file.read()).get("wall_s")
        if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds >= 0:
            return seconds
    return None


def by_rule(run):
    """None: the length of the run is not known before it ends. A job that is restarted takes the time twice."""
    if run["iterations"] is None:
        return None
    turns = math.ceil(run["np"] / max(os.sysconf("SC_NPROCESSORS_ONLN"), 1))
    seconds = 0.5 + run["iterations"] * run["bytes_per_role"] * turns / 4e9
    return min(2 * seconds if run["restart"] else seconds, run["deadline_s"])


def estimates(runs, folder):
    """One for each run."""
    own, samples = [recorded(folder, run) for run in runs], collections.defaultdict(list)
    for run, seconds in zip(runs, own):
        for kind in (ALIKE, PROBLEM) if seconds is not None else ():
            samples[kind, run[kind]].append(seconds)
    medians = {kind: stats.median(seconds) for kind, seconds in samples.items()}
    for run, seconds in zip(runs, own):
        for source, found in ((OWN, seconds), (ALIKE, medians.get((ALIKE, run[ALIKE]))),
                              (PROBLEM, medians.get((PROBLEM, run[PROBLEM]))), (RULE, by_rule(run)), (UNKNOWN, None)):
            if found is not None or source == UNKNOWN:
                yield Estimate(found, source)
                break


class Listing:
    def __init__(self, sweep):
        self.sweep, self.runs = sweep, sweep["runs"]
        self.estimates = list(estimates(self.runs, sweep["folder"]))
        both = list(zip(self.runs, self.estimates))
        self.total_s = sum(e.seconds or 0.0 for e in self.estimates)
        self.left_s = sum((e.seconds or 0.0 for run, e in both if not run["done"]), 0.0)
        self.sources = collections.Counter(e.source for run, e in both if not run["done"])

    def object(self):
        """Schema rollbench-dry-run-1 (docs/experiments.md)."""
        runs = [{"id": run["id"], "done": run["done"], "warm_up": run["warm_up"], "estimate_s": e.seconds,
                 "source": e.source} for run, e in zip(self.runs, self.estimates)]
        return {"schema": "rollbench-dry-run-1", "name": self.sweep["name"], "budget_s": self.sweep["budget_s"],
                "total_s": self.total_s, "left_s": self.left_s, "unknown": self.sources[UNKNOWN], "rule": RULE_TEXT,
                "runs": runs, **{key: self.sweep[key] for key in ("order", "order_seed", "warm_up")}}

    def say(self):
        for run, e in zip(self.runs, self.estimates):
            time = "-" if e.seconds is None else duration.text(e.seconds)
            print(f"{time:>10}  {'done' if run['done'] else e.source:<22}  {run['id']}"
                  + (" (warm-up)" if run["warm_up"] else ""))
        budget = self.sweep["budget_s"]
        print(f"order: {'as listed' if self.sweep['order_seed'] is None else 'random, seed ' + str(self.sweep['order_seed'])}"
              + (f"; budget: {duration.text(budget)}" if budget is not None else ""))
        done, warm_up = (sum(run[key] for run in self.runs) for key in ("done", "warm_up"))
        print(f"{done} done, {len(self.runs) - done} left; estimate: {duration.text(self.left_s)} left, "
              f"{duration.text(self.total_s)} in all")
        more = {RULE: f" ({RULE_TEXT})", UNKNOWN: " length: not in the sum; each ends at its deadline"}
        for source in (OWN, ALIKE, PROBLEM, RULE, UNKNOWN):
            if self.sources[source]:
                print(f"  of {self.sources[source]} by {source}{more.get(source, '')}")
        print(f"{len(self.runs)} runs" + (f", {warm_up} of them warm-ups that no figure counts" if warm_up else ""))


def main(words):
    listing = Listing(json_text.parse(sys.stdin.buffer.read()))
    if "--json" in words:
        print(json_text.write(listing.object()))
    else:
        listing.say()
    return 0


if __name__ == "__main__":
    command.run("sweep", main)
