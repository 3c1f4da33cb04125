#!/usr/bin/env python3
"""The best interval between checkpoints by simulation (modelled).

usage: interval_simulated.py FILE OUTPUT-FOLDER

FILE: what `rollbench interval --simulate ... --json FILE` wrote. interval-simulated: the time of the run at each interval that was
tried, with Young's and Daly's optimum, the range that is not worse than the best, and the closed form where one is known.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments, read_made
from plots.common.drawing import note, panels, save
from plots.common.stats import mean_interval


def describe(record):
    model = record["model"]
    return (f"{model['pattern']}, {model['np']} roles, {model['steps']} iterations; a checkpoint takes "
            f"{model['costs']['checkpoint_s']:.4g} s, a recovery {record['recovery_s']:.4g} s;\na failure of the system every "
            f"{record['mtbf_s']:.4g} s; {record['seeds']} seeds, the same at all intervals")


def draw_method(axis, at, method):
    color, free = f"C{at}", method["free_s"]
    spreads = [mean_interval(one["runs_s"]) for one in method["intervals"]]
    axis.errorbar([one["interval"] for one in method["intervals"]], [s.mean / free for s in spreads],
                  [[(s.mean - s.low) / free for s in spreads], [(s.high - s.mean) / free for s in spreads]],
                  color=color, marker="os^vDPX*"[at % 8], markersize=4 + 2 * at, fillstyle="none", linewidth=0.8, capsize=2,
                  label="{method}: best {best}, not worse {not_worse[0]} to {not_worse[1]}".format(**method))


def draw_not_worse(axis, methods):
    """A bar for each below all that is drawn."""
    low, high = axis.get_ylim()
    step = 0.02 * (high - low)
    for at, method in enumerate(methods):
        axis.hlines(low - step * at, *method["not_worse"], color=f"C{at}", linewidth=4)
    axis.set_ylim(low - step * len(methods), high)


def draw(record, output):
    figure, axes = panels(1)
    axis, first = axes[0][0], record["methods"][0]
    for at, method in enumerate(record["methods"]):
        draw_method(axis, at, method)
    axis.axvline(first["young"], color="#555555", linestyle=":", linewidth=1, label=f"Young: {first['young']}")
    axis.axvline(first["daly"], color="#555555", linestyle="--", linewidth=1, label=f"Daly: {first['daly']}")
    expected = [(one["interval"], one["expected_in_step_s"] / first["free_s"]) for one in first["intervals"]
                if one["expected_in_step_s"] is not None]
    if expected:
        axis.plot(*zip(*expected), color="black", linewidth=0.8, linestyle="-.", label="expected if all roles go back and are in step")
    draw_not_worse(axis, record["methods"])
    axis.set_xscale("log")
    axis.set_xlabel("iterations between checkpoints, logarithmic")
    axis.set_ylabel("time of the run / without failures and checkpoints")
    axis.legend(fontsize=7)
    figure.tight_layout()
    note(figure, f"Modelled, not measured. {describe(record)}.\nMeans with bootstrap intervals of 95 %; bars below: intervals that are "
                 "not worse than the best (paired test, 5 %).")
    save(figure, output, "interval-simulated", "best interval by simulation")


def main():
    path, output = arguments(__doc__)
    draw(read_made(path, "rollbench-interval-2", "make it with `rollbench interval --simulate ... --json FILE`"), output)


if __name__ == "__main__":
    main()
