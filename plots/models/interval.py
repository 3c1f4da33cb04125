#!/usr/bin/env python3
"""How far apart checkpoints should be: what `rollbench interval` becomes when it has understood its options.

usage: interval.py KERNEL --mtbf S [OPTION ...], all of it checked by harness/cli/cmd_interval.c
       interval.py --simulate PATTERN|FILE.yaml [OPTION ...], checked by `rollbench simulate` (interval_simulated.py)

A signal ends it when the run that is going on has ended, and it says nothing then.
"""
import ctypes
import json
import math
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command
from plots.common.command import Refused
from plots.common.program import program
from plots.common.stats import median
from plots.models import interval_model as model
from plots.models import interval_simulated
from plots.models.interval_model import Costs

WAYS = {  # the kinds of recovery that are compared: how a run is told to be one
    "job restart": ("--policy", "none", "--strategy", "restart"),
    "global rollback": ("--policy", "none"),
    "local rollback": ("--policy", "all"),
}
TRIES, TRIES_MAX = 3, 6
PR_SET_PDEATHSIG = 1  # of prctl(2)


class Runs:
    """Starts `rollbench run` again and again; a signal that ends this program ends the run that is going on."""

    def __init__(self, words):
        self.words, self.process, self.caught = words, None, None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, self._catch)

    def _catch(self, number, _frame):
        self.caught = number
        if self.process:
            self.process.send_signal(number)

    def record(self, *more):
        """Of a run that must end well."""
        end_with_us = ctypes.CDLL(None).prctl
        self.process = subprocess.Popen(
            [program(), "run", *self.words, *more, "--json", "-", "--quiet"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape",
            preexec_fn=lambda: end_with_us(PR_SET_PDEATHSIG, signal.SIGTERM))
        if self.caught:  # before there was a process to tell
            self.process.send_signal(self.caught)
        out, err = self.process.communicate()
        self.process = None
        if self.caught:
            sys.exit(128 + self.caught)
        if not out:
            raise Refused(err.strip().split("rollbench run: ")[-1])
        record = json.loads(out)
        if record["status"] != "ok":
            raise Refused(f"a run was {record['status']}")
        return record


def normal_costs(record):
    """What an iteration and a checkpoint cost in a run without a failure."""
    checkpoints, np = record["checkpoints"], record["np"]
    drained = sum(role.get("drain_s") or 0 for role in record["roles"])  # over all checkpoints of all roles
    count = checkpoints["count"] / np
    if count < 1:
        raise Refused(f"--interval {record['interval']}: the run takes no checkpoint, so none can be "
                      "measured")
    loop = record["loop_s"] - checkpoints["seconds_max"]
    if loop <= 0:
        raise Refused(f"--interval {record['interval']}: checkpoints took all of the time, so that of an "
                      "iteration is unknown; try a larger --interval")
    return Costs(loop / (record["iterations"]["useful"] / np), checkpoints["seconds_max"] / count,
                 drained / max(1, checkpoints["count"]))


def costs_of(way, runs, normal, interval):
    """With a death in the last iteration of the second interval. A run that could not time its recovery is
    made again."""
    found, kill = [], f"0@{2 * interval - 1}"
    for _ in range(TRIES_MAX):
        failures = runs.record(*WAYS[way], "--kill", kill)["failures"]
        if not failures:
            raise Refused(f"--interval {interval}: the run is shorter than two intervals, so no recovery can "
                          "be measured")
        both = model.of_death(failures[0], "restart" in WAYS[way], normal.iteration)
        found += [both] if both else []
        if len(found) == TRIES:
            recovery, rework = map(median, zip(*found))
            return normal._replace(recovery=recovery, rework=rework)
    raise Refused(f"{way}: only {len(found)} of {TRIES_MAX} runs could measure how long the recovery and the "
                  f"repeated iterations took, {TRIES} are needed; try a larger --interval")


def iterations(seconds, costs):
    return max(1, math.floor(seconds / costs.iteration + 0.5))


def say(way, costs, mtbf_s):
    young, daly = model.young(costs, mtbf_s), model.daly(costs, mtbf_s)
    print("%-16s %10.4f %12.2f %11.2f %8.0f %11.2f %8.0f %9.1f %%" % (
        way, costs.recovery, costs.rework, young, iterations(young, costs), daly, iterations(daly, costs),
        100 * model.wasted(costs, mtbf_s, daly)), flush=True)


def arguments(words):
    """(seconds between two deaths, the words for `rollbench run`)."""
    mtbf, rest, words = None, [], iter(words)
    for word in words:
        if word.split("=")[0] == "--mtbf":
            mtbf = word.partition("=")[2] or next(words)
        else:
            rest.append(word)
    return command.real(mtbf), rest


def main(words):
    if "--simulate" in words:
        return interval_simulated.main(words)
    mtbf_s, rest = arguments(words)
    runs = Runs(rest)
    record = runs.record()
    normal, levels = normal_costs(record), record["ckpt"]
    print("%s, %d roles: an iteration takes %.3g s; a checkpoint (%s) keeps it waiting for %.3g s and\n"
          "counts %.3g s after it was taken; a death every %g s\n" % (
              record["kernel"], record["np"], normal.iteration, levels, normal.checkpoint, normal.latency, mtbf_s))
    print("%-16s %10s %12s %11s %8s %11s %8s %11s" % (
        "", "recovery s", "rework speed", "Young s", "iter.", "Daly s", "iter.", "time wasted"), flush=True)
    for way in WAYS:
        if way == "job restart" and "file" not in levels.split(","):
            print("%-16s not possible: --ckpt %s keeps no files" % (way, levels), flush=True)
        else:
            say(way, costs_of(way, runs, normal, record["interval"]), mtbf_s)
    print("\nrework speed: what a repeated iteration costs, in iterations of normal operation;\n"
          "time wasted: by checkpoints, recoveries and rework, at Daly's interval")
    return 0


if __name__ == "__main__":
    command.run("interval", main)
