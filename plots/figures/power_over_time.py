#!/usr/bin/env python3
"""Power over time around a recovery, of roles that support it and of roles that it leaves idle.

usage: power_over_time.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 5 of the data-flow-rollback paper, from runs with --meters iterations and one death. A panel
per part that roles have in data-flow rollback (supporting, sending only, idle), a line per way to recover:
the same roles under each. The time is 0 when the first survivor notices the failure. Lines are means over
roles or nodes and runs, as long as half of the runs last, bands the standard deviation over runs. Power is what wattmeters read (--watts),
of nodes, by their most active role; else modelled (--power-model), of roles; else there is no power, but
the busy share of roles, which is called so. Bars at the top: the recovery, until the last restarted role
is where the failure found it.
"""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, share_range
from plots.common.over_time import (PARTS, control_words, duration, grid, inside, meter_of, parts_of, power,
                                    spread_of, summary)
from plots.common.runs import LOOK
from plots.common.spans import problems_in, say_left_out, traced
from plots.common.stats import mean, median

STYLES = ("-", "--", "-.", ":")  # of the ways to recover, in turn: not everybody sees colours
WORDS = {"supporting": "recompute on a duplicate", "sending": "only send from their checkpoint", "blocked": "idle"}


def draw_line(axis, how, style, times, lines):
    """The mean over runs, and its standard deviation if there are several."""
    spread = [(t, *both) for t, both in zip(times, spread_of(lines)) if both[0] is not None]
    at, middle, around = zip(*spread) if spread else ((), (), ())
    axis.plot(at, middle, color=LOOK[how]["color"], linewidth=1.4, linestyle=style, drawstyle="steps-mid")
    if len(lines) > 1:
        axis.fill_between(at, [m - d for m, d in zip(middle, around)], [m + d for m, d in zip(middle, around)],
                          step="mid", color=LOOK[how]["color"], alpha=0.18, linewidth=0)


def recovery_words(values, meter):
    """The mean within the recovery, over runs."""
    middle, deviation = summary(values)
    return (f"{meter.form(middle)}" + (f" ± {meter.form(deviation)}" if len(values) > 1 else "")
            if values else "nothing measured")


def draw_recoveries(axis, runs):
    """A bar per way at the top, as long as the median of its recoveries."""
    low, high = axis.get_ylim()
    step = 0.035 * (high - low)
    axis.set_ylim(low, high + step * (len(runs) + 1))
    for place, ((how, mine), style) in enumerate(zip(runs.items(), itertools.cycle(STYLES))):
        axis.hlines(high + step * (len(runs) - place), 0, median([duration(r) for r in mine]),
                    color=LOOK[how]["color"], linewidth=3, linestyles=style)
    axis.axvspan(0, max(median([duration(r) for r in mine]) for mine in runs.values()), color="#f2e6c9", zorder=0)


def draw_panel(axis, runs, part, roles, meter):
    """Returns {how: mean power of each run within its recovery}."""
    times, found = grid(runs), {}
    for (how, mine), style in zip(runs.items(), itertools.cycle(STYLES)):
        lines = [[power(run, roles, meter, t, step) for t, step in times] for run in mine]
        found[how] = [v for v in (inside(run, roles, meter) for run in mine) if v is not None]
        draw_line(axis, how, style, [t for t, _ in times], lines)
        axis.plot([], [], color=LOOK[how]["color"], linestyle=style,
                  label=f"{LOOK[how]['label']}: {recovery_words(found[how], meter)} in the recovery, {len(mine)} runs")
    if not meter.of_nodes:  # a node takes most of its power whatever its processes do
        axis.set_ylim(bottom=0)
    axis.set_xlabel("seconds since the first survivor noticed the failure")
    axis.set_ylabel(meter.name)
    what = "nodes, most active role" if meter.of_nodes else "roles"
    axis.text(0.5, -0.27, f"{what}: {WORDS[part]} ({', '.join(map(str, roles))})", transform=axis.transAxes,
              ha="center", va="top", fontsize=10, fontweight="bold")
    return found


def draw(axes, title, strategies, left_out):
    """One row of panels, one problem."""
    runs = traced(strategies)
    said = say_left_out(title, left_out, strategies, runs)
    parts = parts_of(runs)
    if not parts:
        sys.exit(f"{title.splitlines()[0]}: no run with data-flow rollback and --meters iterations, so no role has a part")
    meter, drawn = meter_of(runs, parts), []
    for axis, part in zip(axes, PARTS):
        if part not in parts:
            axis.set_axis_off()
            axis.text(0.5, 0.5, f"no roles that {WORDS[part]}", transform=axis.transAxes, ha="center", color="#555555")
            continue
        draw_panel(axis, runs, part, parts[part], meter)
        drawn.append(axis)
        legend_above(axis, 1)
    share_range(drawn)
    for axis in drawn:
        draw_recoveries(axis, runs)
    axes[0].set_title(title + said, fontsize=10, pad=12 + 13 * len(runs), loc="left")
    lengths = "; ".join(f"{LOOK[how]['label']} {mean([duration(r) for r in mine]):.3g} s" for how, mine in runs.items())
    print(f"{title.splitlines()[0]}: recoveries: {lengths}")
    return [meter.note, *control_words(runs)]


def main():
    results, output = arguments(__doc__)
    found, left_out = problems_in(results)
    figure, axes = panels(len(PARTS), rows=len(found))
    notes = [draw(row, title, strategies, left_out[title]) for row, (title, strategies) in zip(axes, found.items())]
    note(figure, "\n".join(dict.fromkeys(line for lines in notes for line in lines)))
    figure.tight_layout()
    save(figure, output, "power-over-time", "power over time in a recovery")


if __name__ == "__main__":
    main()
