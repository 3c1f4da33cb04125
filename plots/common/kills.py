"""Rollback sets of real kills under a cap on the log, beside those of `rollbench study`: each role of a problem dies once at the end of an
interval between checkpoints, under budget:PERCENT% (configs/laptop/kills.yaml).

FOLDER.study.json has the set of each role, once played message by message, as the engine decides (budget), and once by the finished
exchange matrix (heaviest).
"""
import collections
import os
import sys

from plots.common.command import read_json
from plots.common.runs import budget_asked, groups, load, one_death, said
from plots.common.stats import mean

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
    path = f"{os.path.abspath(results)}.study.json"
    return read_json(path, f"make it with `rollbench study --records {results} --json {path}`")


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
        self.name, self.short = title.replace("\n", ", "), title.splitlines()[0]
        runs, left_out = one_death([r for r in records if asked(r)])
        self.elsewhere = [r for r in runs if interval_of(r) is None]
        self.left_out = said(left_out + +collections.Counter(
            {"in which a role was not at the end of the interval": len(self.elsewhere)}))
        runs = [r for r in runs if interval_of(r)]
        self.record = runs[0] if runs else None
        self.kills = [kill_of(r) for r in runs]
        self.points = sorted({(k.strategy, k.percent) for k in self.kills}, reverse=True)
        self.efforts, self.unlike, self.chains, self.lacks = {}, [], [], []
        intervals = {interval_of(r) for r in runs}
        if len(intervals) > 1:
            sys.exit(f"{self.name}: kills at the ends of several intervals; expected one")
        for interval in intervals:
            self.compare(interval, found)

    def compare(self, interval, found):
        self.interval = interval
        self.efforts = efforts_of(found, self.record, interval)
        self.unlike = [why for k in self.kills if (why := differences(k, self.played(k.strategy, k.percent)))]
        for strategy, percent in self.points:
            self.check_point(strategy, percent)

    def check_point(self, strategy, percent):
        kills, effort = self.of(strategy, percent), self.played(strategy, percent)
        missing = sorted({*range(self.record["np"])} - {k.role for k in kills})
        if missing:
            self.lacks.append(f"{percent:g} % {strategy}: of roles {', '.join(map(str, missing))}")
        elif abs(mean(k.chain for k in kills) - effort["chain"]) > 1e-9:
            self.chains.append(f"{percent:g} % {strategy}: the mean chain was {mean(k.chain for k in kills)}, "
                               f"in the study {effort['chain']}")

    def wrong(self):
        """What is not as the study says: kills with another set or cap, and mean chains."""
        return self.unlike + self.chains

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

    def mean_rolled(self, strategy, percent):
        """Roles that went back, over the victims."""
        return mean(len(k.rolled) for k in self.of(strategy, percent))

    def mean_set(self, effort, strategy, percent):
        """By the study, over the victims that were killed."""
        return mean(len(effort["sets"][k.role]) for k in self.of(strategy, percent))

    def chain(self, strategy, percent):
        """Measured; None: some victims are missing, and the study's mean is over all."""
        kills = self.of(strategy, percent)
        return mean(k.chain for k in kills) if len({k.role for k in kills}) == self.record["np"] else None


def problems(results):
    """Those of a folder of records. Ends the script if there is none, or if it has no good run."""
    found = studies(results)
    all_of = [Problem(title, mine, found) for title, mine in groups(load(results)).items() if any(map(asked, mine))]
    empty = [p.name for p in all_of if not p.kills]
    if empty or not all_of:
        sys.exit(f"{results}: no good run under budget:PERCENT% in which a role died at the end of an interval"
                 + "".join(f"; {name}" for name in empty))
    return all_of
