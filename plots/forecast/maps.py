#!/usr/bin/env python3
"""Which method of recovery needs the least energy, and which the least time, where: maps of simulated runs (modelled).

usage: maps.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench simulate configs/laptop/simulate-maps.yaml --results FOLDER`. A panel for each pattern: number of roles
across; MTBF of a node, cost of the log, or power of a role that waits up. A cell has the colour of the method that is better than both
others by more than the scatter of the seeds (a paired test) and enough to matter, two pale ones if only the third is worse, and none otherwise.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
import matplotlib.patches
import matplotlib.pyplot as plt

from plots.common import simulations
from plots.common.command import arguments
from plots.common.drawing import note, save
from plots.common.runs import LOOK
from plots.common.stats import mean
from plots.forecast import winners
from plots.forecast.records import LOOK_OF, NAMES

LETTERS = {"global": "G", "dataflow": "D", "local": "L"}
IDLE_W = (125, 115, 90, 60, 30)  # of a role that waits; one that computes takes what the model says
FASTEST = 0  # seconds per byte: the log takes no time


def log_cost(model):
    bandwidth = model["costs"]["log_bytes_per_s"]
    return 1 / bandwidth if bandwidth else FASTEST


def percent(share):
    """Two digits that count, without an exponent."""
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


class Runs:
    """{(roles, MTBF, seconds per logged byte): {method: {seed: run}}} of one pattern."""

    def __init__(self, records):
        self.found, self.model = {}, records[0]["model"]
        for record in records:
            model = record["model"]
            key = (model["np"], model["random_failures"]["mtbf_node_s"], log_cost(model))
            for method in dict.fromkeys(run["method"] for run in record["runs"]):
                if method not in NAMES:
                    sys.exit(f"{record['id']}: method {method}: these maps have {', '.join(NAMES)} only")
                self.found.setdefault(key, {})[method] = simulations.runs(record, method)
        self.roles = sorted({np for np, _, _ in self.found})
        self.mtbf = sorted({mtbf for _, mtbf, cost in self.found if cost == FASTEST})
        self.costs = sorted({cost for _, _, cost in self.found})
        # where the cost of the log was varied
        self.middle = next((mtbf for _, mtbf, cost in self.found if cost != FASTEST), self.mtbf[0])

    def at(self, np, mtbf, cost):
        """{method: [run by seed]}; those that keep no log do not depend on its cost."""
        both = {**self.found[np, mtbf, FASTEST], **self.found[np, mtbf, cost]}
        seeds = set.intersection(*(set(runs) for runs in both.values()))
        return {method: [both[method][seed] for seed in sorted(seeds)] for method in NAMES if method in both}

    def share(self, cost):
        """'0.3 %': what the log takes of an iteration, at the largest number of roles."""
        local = next(iter(self.found[self.roles[-1], self.middle, FASTEST]["local"].values()))
        each = local["log_bytes"]["largest"] / self.model["interval"] * cost / self.model["work_s"][0]
        return percent(float(f"{each:.1g}"))


def joules(run, watts):
    """watts: of a role, by state."""
    return sum(watts[state] * seconds for state, seconds in run["state_s"].items())


def idle(watts, wait_w):
    """The same, but in all states in which a role does not compute it takes wait_w."""
    return {state: watts["compute"] if state == "compute" else wait_w for state in watts}


def by_method(runs, number):
    return {method: [number(run) for run in mine] for method, mine in runs.items()}


def duration(seconds):
    return f"{seconds / 86400:.3g} d"


def failures(runs):
    mine = runs["global"] if "global" in runs else next(iter(runs.values()))
    return mean(run["failures"] for run in mine)


def rows_of(runs, what):
    """[(label of the row, {roles: {method: values}})] of a map, from below."""
    if what == "MTBF":
        return [(duration(mtbf), {np: runs.at(np, mtbf, FASTEST) for np in runs.roles}) for mtbf in runs.mtbf]
    return [(runs.share(cost), {np: runs.at(np, runs.middle, cost) for np in runs.roles}) for cost in runs.costs]


def energy_maps(runs):
    """{axis: [(label, {roles: Winner})]}"""
    given = runs.model["watts"]
    found = {what: [(label, {np: winners.winner(by_method(at, lambda run: joules(run, given))) for np, at in row.items()})
                    for label, row in rows_of(runs, what)] for what in ("MTBF", "log")}
    base = {np: runs.at(np, runs.middle, FASTEST) for np in runs.roles}
    found["idle"] = [(f"{watts} W", {np: winners.winner(by_method(at, lambda run, w=watts: joules(run, idle(given, w))))
                                     for np, at in base.items()}) for watts in IDLE_W]
    return found


def time_maps(runs):
    return {what: [(label, {np: winners.winner(by_method(at, simulations.makespan)) for np, at in row.items()})
                   for label, row in rows_of(runs, what)] for what in ("MTBF", "log")}


NONE = "#eeeeee"
UP = {"MTBF": "MTBF of a node", "log": "time of the log, share of an iteration", "idle": "power of a role that waits"}


def cell(axis, across, up, won):
    """A band for each of the best methods, unless all are; paler if there are several."""
    names = [name for name in NAMES if name in won.names]
    if won.margin is None:
        axis.add_patch(matplotlib.patches.Rectangle((across, up), 1, 1, facecolor=NONE))
    else:
        for i, name in enumerate(names):
            axis.add_patch(matplotlib.patches.Rectangle((across + i / len(names), up), 1 / len(names), 1, facecolor=LOOK[LOOK_OF[name]]["color"],
                                                        alpha=0.75 if len(names) == 1 else 0.35))
    axis.add_patch(matplotlib.patches.Rectangle((across, up), 1, 1, facecolor="none", edgecolor="white", linewidth=1.5))
    text = "=".join(LETTERS[name] for name in names) + (f"\n{percent(won.margin)}" if won.margin is not None else "")
    axis.text(across + 0.5, up + 0.5, text, ha="center", va="center", fontsize=8, color="black")


def draw_map(axis, roles, rows, up):
    for y, (_, row) in enumerate(rows):
        for x, np in enumerate(roles):
            cell(axis, x, y, row[np])
    axis.set_xlim(0, len(roles))
    axis.set_ylim(0, len(rows))
    axis.set_xticks([x + 0.5 for x in range(len(roles))], roles)
    axis.set_yticks([y + 0.5 for y in range(len(rows))], [label for label, _ in rows])
    axis.tick_params(length=0, labelsize=8)
    axis.set_ylabel(UP[up], fontsize=8.5)
    axis.set_xlabel("roles", fontsize=8.5)


def say(name, pattern, up, rows):
    """On standard output, as the figure has it."""
    cells = [won for _, row in rows for won in row.values()]
    print(f"{name}, {pattern}, {UP[up]}: {len(cells)} cells, no difference in {sum(won.margin is None for won in cells)}, one best in "
          f"{sum(len(won.names) == 1 for won in cells)}")
    for label, row in rows:
        print("  " + f"{label:>8}: " + "  ".join(
            f"{np}: {'='.join(LETTERS[n] for n in won.names)}" + (f" {percent(won.margin)}" if won.margin is not None else "")
            for np, won in row.items()))


def figure(name, what, patterns, maps, output):
    """maps: {pattern: {axis: rows}}"""
    kinds = list(next(iter(maps.values())))
    drawn, axes = plt.subplots(len(kinds), len(patterns), figsize=(3.3 * len(patterns), 2.9 * len(kinds)), squeeze=False)
    for column, (pattern, runs) in enumerate(patterns.items()):
        for row, kind in enumerate(kinds):
            draw_map(axes[row][column], runs.roles, maps[pattern][kind], kind)
            say(name, pattern, kind, maps[pattern][kind])
        axes[0][column].set_title(f"{pattern}\n{spread(runs)}", fontsize=9)
    handles = [matplotlib.patches.Patch(color=LOOK[LOOK_OF[method]]["color"], alpha=0.75, label=f"{LETTERS[method]}: {text}")
               for method, text in NAMES.items()]
    handles.append(matplotlib.patches.Patch(color=NONE, label=f"no difference beyond scatter and {100 * winners.LEAST:g} %; "
                                                              "in two pale colours: none between these two"))
    drawn.legend(handles=handles, loc="upper center", ncols=4, fontsize=8.5, frameon=False, bbox_to_anchor=(0.5, 0.0))
    drawn.tight_layout()
    note(drawn, "\n\n" + caption(what, patterns))
    save(drawn, output, name, what)


def spread(runs):
    """How many failures the runs of the first row have."""
    found = [failures(at) for key, at in ((key, runs.at(*key)) for key in runs.found if key[2] == FASTEST)]
    return f"{min(found):.2g} to {max(found):.2g} failures per run"


def caption(what, patterns):
    first = next(iter(patterns.values()))
    model, seeds = first.model, len(next(iter(first.at(first.roles[0], first.mtbf[0], FASTEST).values())))
    costs = model["costs"]
    return (f"Modelled, not measured (rollbench simulate): {what}. {model['steps']} iterations of {model['work_s'][0]:g} s, checkpoint "
            f"of {costs['checkpoint_s']:g} s every {model['interval']} iterations, repair {costs['repair_s']:g} s, restore "
            f"{costs['restore_s']:g} s, {model['watts']['compute']:g} W computing and {model['watts']['wait']:g} W waiting, where these do "
            f"not vary.\nLog and idle power: MTBF {duration(first.middle)}. {seeds} seeds at each number of roles, the same for all "
            f"methods. Time of the log: at the most roles. A cell has one colour if the best differs from both others\n"
            f"(paired permutation test over the seeds, p < {winners.LEVEL:g}, and by more than {100 * winners.LEAST:g} %), "
            "two pale ones if only the third is worse, and none otherwise.\nPer cent: by how much the next one behind is worse.")


def main():
    folder, output = arguments(__doc__)
    of = {}
    for record in simulations.load(folder).values():
        of.setdefault(record["model"]["pattern"], []).append(record)
    patterns = {pattern: Runs(records) for pattern, records in of.items()}
    figure("maps-energy-simulated", "the method that needs the least energy", patterns,
           {pattern: energy_maps(runs) for pattern, runs in patterns.items()}, output)
    figure("maps-time-simulated", "the method that takes the least time", patterns,
           {pattern: time_maps(runs) for pattern, runs in patterns.items()}, output)


if __name__ == "__main__":
    main()
