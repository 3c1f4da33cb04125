#!/usr/bin/env python3
"""How power is spread over the roles during a recovery, by recovery strategy.

usage: fig7_distribution.py RESULTS-FOLDER OUTPUT-FOLDER

After Fig. 7 of the power-log-n-roll paper, from runs with --meters iterations: of every role of every
run, its power from the start of the iteration that the failure found it in to that iteration's
completion, so with all that it repeated, restored or waited for. In the paper, there are two peaks where blocked roles save
power, blocked roles below and active and restarted ones above, and one peak where they do not. How far they are apart here, the figure
says: the median of the blocked roles over that of the active ones of the same run. The restarted role is in neither; it alone repeats.
"""
import pathlib
import sys

import matplotlib.ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import narrow, panels, save
from plots.common.runs import LOOK
from plots.common.spans import at_front, measured_watts, must_be_traced, part, power_meter, problems_in
from plots.common.stats import median, ratio_paired

PARTS = {
    "blocked": dict(color="#b8b8b8", hatch=""),
    "active": dict(color="#dd8452", hatch="///"),
    "supporting": dict(color="#d147a3", hatch="\\\\\\"),
    "restarted": dict(color="#c44e52", hatch="xxx"),
    "all that runs on a package": dict(color="#4c72b0", hatch="..."),
}
BINS = 24


def values_by_part(runs, number):
    """{part: [value]}. A package's power is that of all its roles, whatever their parts."""
    values = {}
    for run in runs:
        for role, sums in at_front(run).items():
            value = number(run, role, sums)
            if value is not None:
                name = "all that runs on a package" if number is measured_watts else part(run, role)
                values.setdefault(name, []).append(value)
    return values


def blocked_and_active(runs, number):
    """[(median of the blocked roles, median of the active ones)] of each run that has both."""
    values = [values_by_part([run], number) for run in runs]
    return [(median(mine["blocked"]), median(mine["active"])) for mine in values if mine.get("blocked") and mine.get("active")]


def said_apart(pairs):
    """How far both are apart, in words."""
    if not pairs or median(active for _, active in pairs) <= 0:
        return ""
    found = ratio_paired(pairs)
    if found.low is None:
        return f"; blocked / active {found.median:.2f}, {found.n} runs: too few for an interval"
    return f"; blocked / active {found.median:.2f} [{found.low:.2f}, {found.high:.2f}]" + (": no difference seen" if found.low <= 1 <= found.high else "")


def draw_histogram(axis, values, top):
    parts = [name for name in PARTS if values.get(name)]
    _, _, drawn = axis.hist([values[name] for name in parts], bins=BINS, range=(0, top),
                            stacked=True, color=[PARTS[name]["color"] for name in parts],
                            edgecolor="white", linewidth=0.5,
                            label=[f"{name} ({len(values[name])})" for name in parts])
    for name, bars in zip(parts, drawn if len(parts) > 1 else [drawn]):
        for bar in bars:
            bar.set_hatch(PARTS[name]["hatch"])
    axis.legend(fontsize=7.5, frameon=False)
    axis.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5, integer=True))
    axis.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(8))
    axis.set_ylabel("roles, all runs")


def draw(axes, title, strategies, left_out):
    with_trace, said = must_be_traced(title, strategies, left_out)
    number, name = power_meter(with_trace)
    values = {how: values_by_part(runs, number) for how, runs in with_trace.items()}
    top = 1.05 * max(v for parts in values.values() for all_ in parts.values() for v in all_)
    for axis in axes:
        axis.set_visible(False)
    for axis, (how, parts) in zip(axes, values.items()):
        axis.set_visible(True)
        draw_histogram(axis, parts, top or 1)
        apart = said_apart(blocked_and_active(with_trace[how], number))
        if apart:
            print(f"{title.splitlines()[0]}: {LOOK[how]['label']}{apart}")
        axis.set_title(f"{LOOK[how]['label']}, {len(with_trace[how])} runs" + apart.replace(";", "\n", 1), fontsize=9)
        axis.set_xlabel("")
    axis.set_xlabel(f"{name},\nin the recovery")
    axes[0].set_title(f"{narrow(title + said)}\n\n{axes[0].get_title()}", fontsize=9)


def main():
    results, output = arguments(__doc__)
    found, left_out = problems_in(results)
    rows = max(map(len, found.values()))
    figure, axes = panels(len(found), rows)
    figure.set_size_inches(4.3 * len(found), 2.1 * rows + 1)
    for column, (title, strategies) in enumerate(found.items()):
        draw([row[column] for row in axes], title, strategies, left_out[title])
    figure.tight_layout()
    save(figure, output, "fig7-distribution", "distribution of power over the roles")


if __name__ == "__main__":
    main()
