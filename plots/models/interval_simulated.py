"""`rollbench interval --simulate`: the best checkpoint interval by simulation, beside Young's and Daly's.

All intervals meet the same failures (the seeds), so they are compared in pairs. Everything said here is modelled.
"""
import contextlib
import json
import math
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from plots.common import command, files, json_text, simulations
from plots.common.command import Refused
from plots.common.program import need, program
from plots.common.stats import mean, mean_interval, paired_permutation
from plots.models import interval_model as model
from plots.models.interval_model import Costs

SCHEMA = "rollbench-interval-1"
SEEDS, LEAST = 20, 6  # by default; below which there are no intervals of 95 %
FLAGS = ("periodic", "recoveries")  # options of `rollbench simulate` that take no value
OURS = {"figure": None, "json": None, "results": None}
CHOSEN = {"interval": "this command chooses it", "fail": "expected failures that are drawn, by --mtbf-node",
          "against": "not an option of this command", "goal": "not an option of this command"}
SHUFFLES = 2000  # of a permutation test
EXTEND = 8  # times that the range of intervals may grow
NEVER = 1 << 40  # an interval that no run reaches


class Asked:
    """The command line: what is simulated, options of `rollbench simulate` as {name: value or None}, and our own."""

    def __init__(self, words):
        self.what, self.options, self.ours = None, {}, dict(OURS)
        options = command.Options(words)
        for name, behind in options:
            if not name and self.what is None:
                self.what = behind
            elif name in OURS:
                self.ours[name] = options.value()
            elif name in CHOSEN:
                raise Refused(f"--{name}: {CHOSEN[name]}")
            elif not name:
                raise Refused(f"{behind}: unexpected; see --help")
            elif name != "simulate":
                self.options[name] = None if name in FLAGS else options.value()
        if self.what is None:
            raise Refused("--simulate: expected a pattern or FILE.yaml, as `rollbench simulate` does")

    def words(self, **instead):
        """Options for `rollbench simulate`, with some in place of those given."""
        both = {**self.options, **{name.replace("_", "-"): str(value) for name, value in instead.items()}}
        return [word for name, value in both.items() for word in ([f"--{name}"] if value is None else [f"--{name}", value])]


def simulate(words, **more):
    done = subprocess.run([program(), "simulate", *words], stdin=subprocess.DEVNULL, text=True, check=False, **more)
    if done.returncode < 0 or done.returncode > 128:
        sys.exit(128 - done.returncode if done.returncode < 0 else done.returncode)
    return done


def record_of(asked, **instead):
    done = simulate([asked.what, *asked.words(seeds=1, interval=NEVER, **instead), "--json", "-"], capture_output=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip().split("rollbench simulate: ")[-1])
    return json.loads(done.stdout)


class Case:
    """What the formulas need: of a run without failures and checkpoints, and of the model."""

    def __init__(self, asked):
        law = record_of(asked, steps=1)["model"]
        if law["random_failures"] is None:
            raise Refused("--mtbf-node is missing: how often does a node fail?")
        free = record_of(asked, **{"mtbf-node": "0s"})
        self.model = {**free["model"], "random_failures": law["random_failures"]}
        self.steps, costs = free["model"]["steps"], free["model"]["costs"]
        self.free_s = {run["method"]: run["makespan_s"] for run in free["runs"]}
        failures = self.model["random_failures"]
        self.mtbf_s = failures["mtbf_node_s"] * failures["roles_per_node"] / self.model["np"]
        self.recovery_s = costs["detect_s"] + costs["repair_s"] + costs["restore_s"]
        self.checkpoint_s = costs["checkpoint_s"]

    def costs(self, method):
        return Costs(self.free_s[method] / self.steps, self.checkpoint_s, 0, self.recovery_s, 1)

    def iterations(self, method, seconds):
        return min(self.steps, max(1, math.floor(seconds / self.costs(method).iteration + 0.5)))

    def young(self, method):
        return self.iterations(method, model.young(self.costs(method), self.mtbf_s))

    def daly(self, method):
        return self.iterations(method, model.daly(self.costs(method), self.mtbf_s))

    def expected_s(self, method, interval):
        """Of global rollback, by renewal: Daly's Eq. 20 for whole intervals and the rest behind the last checkpoint."""
        costs, count = self.costs(method), (self.steps - 1) // interval
        return (count * model.expected(costs, self.mtbf_s, interval * costs.iteration + costs.checkpoint)
                + model.expected(costs, self.mtbf_s, (self.steps - count * interval) * costs.iteration))


def point_file(asked, intervals):
    """The model file with a list of intervals; what it becomes is read by `rollbench simulate`, which refuses what is none."""
    lines = [f"pattern: {asked.what}"]
    if asked.what.endswith((".yaml", ".yml")):
        lines = pathlib.Path(asked.what).read_text(encoding="utf-8-sig").splitlines()
    lines = [line for line in lines if not re.match(r"(interval|name)\s*:", line)]
    if not any(re.match(r"seeds\s*:", line) for line in lines):
        lines.append(f"seeds: {SEEDS}")
    return "\n".join([*lines, "name: interval", f"interval: {sorted(intervals)}", ""])


class Scan:
    """Runs of all methods at the intervals that were tried."""

    def __init__(self, asked, case, folder):
        self.asked, self.case, self.folder, self.times = asked, case, pathlib.Path(folder), {}

    def try_all(self, intervals):
        """{interval: {method: [seconds by seed]}} of these and those before."""
        path = self.folder / "intervals.yaml"
        files.put(str(path), point_file(self.asked, {*intervals, *self.times}).encode())
        done = simulate([str(path), "--results", str(self.folder), *self.asked.words()], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Refused("a simulation failed; see above")
        for record in simulations.load(self.folder).values():
            self.times[record["model"]["interval"]] = {
                method: [run["makespan_s"] for _, run in sorted(simulations.runs(record, method).items())]
                for method in self.case.free_s}
        if any(len(times) < LEAST for found in self.times.values() for times in found.values()):
            raise Refused(f"--seeds: expected at least {LEAST}; fewer say nothing about the scatter")

    def of(self, method):
        return {interval: times[method] for interval, times in sorted(self.times.items())}

    def best(self, method):
        found = self.of(method)
        return min(found, key=lambda interval: mean(found[interval]))

    def not_worse(self, method):
        """The intervals around the best one that are not worse by a paired permutation test at 5 %."""
        found, best, kept = self.of(method), self.best(method), []
        tried = list(found)
        for way in (range(tried.index(best), -1, -1), range(tried.index(best), len(tried))):
            for at in way:
                pairs = list(zip(found[tried[at]], found[best]))
                if tried[at] != best and paired_permutation(pairs, SHUFFLES).p < 0.05:
                    break
                kept.append(tried[at])
        return min(kept), max(kept)


def grid(low, high, ratio):
    """Whole numbers at about equal ratios."""
    count = max(1, math.ceil(math.log(high / low) / math.log(ratio)))
    return {round(low * (high / low) ** (i / count)) for i in range(count + 1)}


def around(case, method):
    daly = case.daly(method)
    return {min(case.steps, max(1, round(daly * 2.0 ** k))) for k in range(-3, 4)}


def search(scan):
    """Wide steps first, further out if the best is at an end, then narrow steps where it may be."""
    methods, steps = scan.case.free_s, scan.case.steps
    scan.try_all(set.union(*(around(scan.case, method) for method in methods)))
    for _ in range(EXTEND):
        tried = sorted(scan.times)
        ends = {scan.not_worse(method)[side] for method in methods for side in (0, 1)}
        more = ({max(1, tried[0] // 2)} if tried[0] in ends else set()) | (
            {min(steps, tried[-1] * 2)} if tried[-1] in ends else set())
        if more <= set(tried):
            break
        scan.try_all(more)
    tried, more = sorted(scan.times), set()
    for method in methods:
        low, high = scan.not_worse(method)
        more |= grid(tried[max(0, tried.index(low) - 1)], tried[min(len(tried) - 1, tried.index(high) + 1)], 2 ** 0.25)
    scan.try_all(more | {n for method in methods for n in (scan.case.young(method), scan.case.daly(method))})


def result(scan, method):
    case, best, found = scan.case, scan.best(method), scan.of(method)
    low, high = scan.not_worse(method)
    at_daly = [a - b for a, b in zip(found[case.daly(method)], found[best])]
    spread = mean_interval(found[best])
    return {"method": method, "iteration_s": case.costs(method).iteration, "young": case.young(method), "daly": case.daly(method),
            "best": best, "not_worse": [low, high], "daly_is_not_worse": low <= case.daly(method) <= high,
            "best_makespan_s": spread.mean, "best_makespan_95_s": [spread.low, spread.high],
            "daly_minus_best_s": mean(at_daly), "free_s": case.free_s[method],
            "intervals": [{"interval": n, "makespan_s": mean(times), "makespan_95_s": list(mean_interval(times)[1:3]),
                           "runs_s": times} for n, times in found.items()]}


def describe(case, seeds):
    return (f"{case.model['pattern']}, {case.model['np']} roles, {case.steps} iterations; a checkpoint takes "
            f"{case.checkpoint_s:.4g} s, a recovery {case.recovery_s:.4g} s;\na failure of the system every {case.mtbf_s:.4g} s; "
            f"{seeds} seeds, the same at all intervals")


def say(case, results):
    seeds = len(results[0]["intervals"][0]["runs_s"])
    print(f"modelled: {describe(case, seeds)}\n")
    print("%-20s %12s %7s %7s %7s %16s %26s %14s" % ("method", "iteration s", "Young", "Daly", "best", "not worse (95 %)",
                                                    "time at best s (95 %)", "at Daly's"))
    for one in results:
        low, high = one["best_makespan_95_s"]
        print("%-20s %12.5g %7d %7d %7d %16s %26s %14s" % (
            one["method"], one["iteration_s"], one["young"], one["daly"], one["best"], "{} to {}".format(*one["not_worse"]),
            f"{one['best_makespan_s']:.6g} [{low:.6g}, {high:.6g}]", f"{one['daly_minus_best_s']:+.4g} s"))
    print("\nIntervals in iterations. not worse: tried intervals around the best one whose time does not differ from it\n"
          "(paired permutation test over the seeds, p >= 0.05, each for itself). Young, Daly: of the costs above.")


def draw(case, results, path):
    from plots.common import drawing
    figure, axes = drawing.panels(1)
    axis = axes[0][0]
    for at, one in enumerate(results):
        color, across = f"C{at}", [x["interval"] for x in one["intervals"]]
        up = [x["makespan_s"] / one["free_s"] for x in one["intervals"]]
        ends = list(zip(*(x["makespan_95_s"] for x in one["intervals"])))
        axis.errorbar(across, up, [[u - low / one["free_s"] for u, low in zip(up, ends[0])],
                                   [high / one["free_s"] - u for u, high in zip(up, ends[1])]],
                      color=color, marker="os^vDPX*"[at % 8], markersize=4 + 2 * at, fillstyle="none", linewidth=0.8, capsize=2,
                      label=f"{one['method']}: best {one['best']}, not worse {one['not_worse'][0]} to {one['not_worse'][1]}")
        axis.axvspan(*one["not_worse"], ymin=0.012 * at, ymax=0.012 * (at + 1), color=color, linewidth=0)
    first = results[0]
    axis.axvline(first["young"], color="#555555", linestyle=":", linewidth=1, label=f"Young: {first['young']}")
    axis.axvline(first["daly"], color="#555555", linestyle="--", linewidth=1, label=f"Daly: {first['daly']}")
    if case.model["random_failures"]["shape"] == 1:
        across = [x["interval"] for x in first["intervals"]]
        axis.plot(across, [case.expected_s(first["method"], n) / first["free_s"] for n in across], color="black", linewidth=0.8,
                  linestyle="-.", label="expected if all roles go back and are in step")
    axis.set_xscale("log")
    axis.set_xlabel("iterations between checkpoints, logarithmic")
    axis.set_ylabel("time of the run / without failures and checkpoints")
    axis.legend(fontsize=7)
    figure.tight_layout()
    drawing.note(figure, f"Modelled, not measured. {describe(case, len(first['intervals'][0]['runs_s']))}.\nMeans with bootstrap "
                         "intervals of 95 %; bars below: intervals that are not worse than the best (paired test, 5 %).")
    path = pathlib.Path(path)
    drawing.save(figure, path.parent, path.stem, "best interval by simulation")


def end(number, _frame):
    sys.exit(128 + number)


def main(words):
    asked = Asked(words)
    if asked.ours["figure"]:
        need("matplotlib")
    need("numpy")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    case = Case(asked)
    with contextlib.ExitStack() as stack:
        folder = asked.ours["results"] or stack.enter_context(tempfile.TemporaryDirectory(prefix="rollbench-interval-"))
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        scan = Scan(asked, case, folder)
        search(scan)
        results = [result(scan, method) for method in case.free_s]
    if asked.ours["json"] != "-":
        say(case, results)
    if asked.ours["figure"]:
        draw(case, results, asked.ours["figure"])
    if asked.ours["json"]:
        text = json_text.write({"schema": SCHEMA, "modelled": True, "model": case.model, "mtbf_s": case.mtbf_s,
                                "recovery_s": case.recovery_s, "methods": results}) + "\n"
        if asked.ours["json"] == "-":
            print(text, end="")
        else:
            files.put(asked.ours["json"], text.encode())
    return 0
