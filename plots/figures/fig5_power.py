#!/usr/bin/env python3
"""Time and power of each iteration around the failing one, by recovery strategy.

usage: fig5_power.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 5 of the power-log-n-roll paper, from runs with --meters iterations. An iteration lasts from
its start to its completion, failure or not: what a role repeats, restores and waits for until it has
completed the iteration that the failure found it in is part of that iteration, under global rollback,
too. What a process used after its last sample before it died is not in it. Bars: mean over the roles
(of each role, over its runs), of measured power over the packages; black lines: their standard deviation. The busy share
is not drawn where roles share cores: its mean is then the cores divided by the roles, whatever the roles do.
"""
import pathlib
import sys
import textwrap

import matplotlib.ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save
from plots.common.runs import LOOK, crowded, failed_in
from plots.common.spans import HATCH, busy_share, by_iteration, must_be_traced, power_meter, problems_in, traced, whose
from plots.common.stats import mean, mean_and_deviation

AROUND = 3  # iterations before and after the failing one


def seconds(run, role, sums):
    return sums["wall_s"]


def by_role(runs, iteration, number):
    """One value per role, or package: its mean over the runs. number(run, role, sums)."""
    values = {}
    for run, used in runs:
        for role, mine in used.items():
            value = number(run, role, mine[iteration]) if iteration in mine else None
            if value is not None:
                values.setdefault(whose(run, role, number), []).append(value)
    return [mean(all_) for all_ in values.values()]


def draw_bars(axis, strategies, around, number):
    """One group of bars an iteration, one bar a strategy."""
    width = 0.84 / len(strategies)
    for place, (how, runs) in enumerate(strategies.items()):
        shift = width * (place - (len(strategies) - 1) / 2)
        bars = [(i + shift, mean_and_deviation(by_role(runs, i, number))) for i in around]
        bars = [(x, *both) for x, both in bars if both]
        axis.bar([x for x, _, _ in bars], [mean for _, mean, _ in bars], width,
                 yerr=[deviation for _, _, deviation in bars], color=LOOK[how]["color"],
                 hatch=HATCH[how], edgecolor="white", linewidth=0.5,
                 error_kw=dict(ecolor="black", elinewidth=1, capsize=2),
                 label=f"{LOOK[how]['label']}, {len(runs)} runs")
    axis.grid(False, axis="x")
    axis.set_xlabel("iteration")
    axis.set_ylim(bottom=0)


def pinned_share(strategies):
    """Why the busy share says nothing of these runs; None if it does."""
    run = next(r for runs in strategies.values() for r in runs)
    if not crowded([run]):
        return None
    return (f"power: not drawn. {run['np']} roles share {run['host']['cores']} cores, so their mean busy share is "
            f"{run['host']['cores']}/{run['np']} whatever they do. It needs power counters, a power model, or a core for each role.")


def draw(time, power, title, strategies, left_out):
    with_trace, said = must_be_traced(title, strategies, left_out)
    number, name = power_meter(with_trace)
    failed = failed_in(next(iter(with_trace.values()))[0])
    runs = {how: [(r, by_iteration(r)) for r in mine] for how, mine in with_trace.items()}
    last = max(i for mine in runs.values() for _, used in mine for all_ in used.values()
               for i in all_)
    around = range(max(failed - AROUND, 0), min(failed + AROUND, last) + 1)
    pinned = pinned_share(with_trace) if number is busy_share else None
    for axis, what, label in ((time, seconds, "time of the iteration [s]"), (power, number, name)):
        if axis is power and pinned:
            print(f"{title.splitlines()[0]}: {pinned}")
            axis.text(0.5, 0.5, textwrap.fill(pinned, 46), transform=axis.transAxes, ha="center", va="center", fontsize=9)
            axis.set_axis_off()
            continue
        draw_bars(axis, runs, around, what)
        axis.set_ylabel(label)
        axis.axvspan(failed - 0.5, failed + 0.5, color="#f2e6c9", zorder=0)
        axis.xaxis.set_major_locator(matplotlib.ticker.FixedLocator(list(around)))
    time.set_title(title + said, fontsize=10, pad=10 + 13 * ((len(runs) + 1) // 2))
    legend_above(time, 2)


def main():
    results, output = arguments(__doc__)
    found, left_out = problems_in(results)
    drawn = [power_meter(traced(strategies))[0] is not busy_share or not pinned_share(strategies) for strategies in found.values()]
    figure, axes = panels(len(found), rows=2, heights=None if any(drawn) else (2, 1))
    for time, power, (title, strategies) in zip(*axes, found.items()):
        draw(time, power, title, strategies, left_out[title])
    figure.tight_layout()
    if crowded(run for strategies in found.values() for runs in strategies.values() for run in runs):
        note(figure, "Roles share cores: those that wait leave them to those that work. How many wait depends on the way of recovery,\n"
                     "so its time is not what it would be with a core for each role.")
    save(figure, output, "fig5-power", ("time and power" if any(drawn) else "time, without power,") + " around the failing iteration")


if __name__ == "__main__":
    main()
