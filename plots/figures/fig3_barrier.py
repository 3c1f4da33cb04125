#!/usr/bin/env python3
"""What waiting in a barrier costs, by technique (after Fig. 3 of the power-log-n-roll paper).

usage: fig3_barrier.py RECORD.json OUTPUT-FOLDER

From one record of `rollbench barrier`. Left: watts of all packages, a dot per repetition, if the
machine has the meters; else the share of the wall time that a rank was on its core, a dot per rank and
repetition (in barriers, per rank that waits). Bars are medians. Right: how far behind the late rank the
last of the waiting ranks goes on, a dot per repetition; written above: how much more that is than with
`none` in the same repetition, as median with its bootstrap 95 % interval, or of fewer than 6
repetitions with the range. A technique that the machine
cannot do has no bar, but its reason.
"""
import json
import pathlib
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import plt, save, scale_by_decades
from plots.common.stats import LEAST, extent, median

LOOK = {  # one colour per phase, in both panels
    None: dict(color="#8c8c8c", label="matrix\nproduct"),
    "none": dict(color="#c44e52", label="barrier\n(default)"),
    "sleep": dict(color="#55a868", label="barrier\n(sleep)"),
    "dvfs": dict(color="#4c72b0", label="barrier\n(DVFS)"),
    "cm": dict(color="#dd8452", label="barrier\n(CM)"),
    "dvfs+cm": dict(color="#8172b3", label="barrier\n(DVFS+CM)"),
}
WIDTH = 0.62


def load(path):
    record = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if record.get("schema") != "rollbench-barrier-1":
        sys.exit(f"{path}: no record of `rollbench barrier`")
    return record


def reasons(record):
    """{technique: why it has no numbers, or None}, in the record's order."""
    return {t["name"]: t["absent"] or t["trouble"] for t in record["techniques"]}


def phases(record, technique):
    return [p for p in record["phases"] if p["technique"] == technique]


def watts(record, technique):
    """Of all packages together, by repetition; None if any reading is missing."""
    found = []
    for phase in phases(record, technique):
        packages = [s["watts"] for s in phase["samples"] if "watts" in s]
        if not packages or None in packages:
            return None
        found.append(sum(packages))
    return found or None


def shares(record, technique):
    """CPU time / wall time of each rank; in barriers, of each that waits."""
    return [s["cpu_s"] / s["wall_s"] for phase in phases(record, technique)
            for s in phase["samples"] if technique is None or s["rank"] != record["late_rank"]]


def spread(place, values):
    """Dots beside each other, so that equal ones are seen."""
    return [place + 0.8 * WIDTH * ((i * 0.618) % 1 - 0.5) for i in range(len(values))]


def write_absent(axis, place, why):
    """Upwards from the axis, where the bar would be."""
    text = textwrap.fill("absent: " + textwrap.shorten(why, 110, placeholder=" ..."), 38)
    axis.text(place, 0.03, text, rotation=90, ha="center", va="bottom", fontsize=7,
              color="#555555", transform=axis.get_xaxis_transform())


def write_above(axis, place, text):
    """In a row of its own below the upper edge."""
    axis.text(place, 0.98, text, ha="center", va="top", fontsize=8,
              transform=axis.get_xaxis_transform())


def draw_used(axis, record, why):
    rows = [None, *why]
    measured = {t: watts(record, t) for t in rows if not why.get(t)}
    in_watts = all(measured.values())
    if not in_watts:
        measured = {t: shares(record, t) for t in measured}
    for place, technique in enumerate(rows):
        if technique not in measured:
            write_absent(axis, place, why[technique])
            continue
        values = measured[technique]
        middle = median(values)
        axis.bar(place, middle, WIDTH, color=LOOK[technique]["color"], alpha=0.75)
        axis.plot(spread(place, values), values, "o", color="black", markersize=2.5, alpha=0.5)
        write_above(axis, place, f"{middle:.1f}" if in_watts else f"{middle:.3f}")
    axis.set_xticks(range(len(rows)), [LOOK[t]["label"] for t in rows], fontsize=8)
    axis.set_xlim(-0.6, len(rows) - 0.4)
    axis.set_ylim(0, 1.12 * max(max(values) for values in measured.values()))
    axis.set_ylabel("power of all packages, W" if in_watts
                    else "CPU time / wall time of a rank (watts: absent)")
    axis.set_title("bars and figures: medians", fontsize=9)


def latencies(record, technique):
    """{repetition: milliseconds}."""
    return {p["repetition"]: 1000 * p["latency_max_s"] for p in phases(record, technique)
            if p["latency_max_s"] is not None}


def differences(values, none):
    """To none, repetition by repetition."""
    return [values[r] - none[r] for r in values if r in none]


def extra(both):
    """In words: the differences' median and what is around it."""
    if not both:
        return ""
    middle, low, high, is_interval = extent(both)
    return (f"{middle:+.2g} ms\n[{low:+.2g},\n{high:+.2g}]" if is_interval else
            f"{middle:+.2g} ms\n({low:+.2g} to\n{high:+.2g})")


def what_is_written(counts):
    """Of the figures over the dots, of so many samples each: the kinds of spread behind the medians."""
    kinds = [text for text, is_there in (
        ("[95 % interval]", any(n >= LEAST for n in counts)),
        (f"(range, of fewer than {LEAST})", any(0 < n < LEAST for n in counts))) if is_there]
    return f"lines: medians; figures: more than default{' ' if kinds else ''}{' or '.join(kinds)}"


def draw_latency(axis, record, why):
    none = latencies(record, "none")
    drawn, counts = False, []
    for place, technique in enumerate(why):
        values = {} if why[technique] else latencies(record, technique)
        if not values:
            write_absent(axis, place, why[technique] or "no common clock with the late rank")
            continue
        drawn = True
        axis.plot(spread(place, values), list(values.values()), "o", markersize=4, alpha=0.6,
                  color=LOOK[technique]["color"])
        axis.hlines(median(values.values()), place - WIDTH / 2, place + WIDTH / 2,
                    color="black")
        both = [] if technique == "none" else differences(values, none)
        counts.append(len(both))
        write_above(axis, place, "reference" if technique == "none" else extra(both))
    axis.set_xticks(range(len(why)), [LOOK[t]["label"] for t in why], fontsize=8)
    axis.set_xlim(-0.6, len(why) - 0.4)
    if drawn:
        scale_by_decades(axis, "ms behind the late rank")
        axis.margins(y=0.32)  # three lines are written over the dots
    axis.set_title(what_is_written(counts), fontsize=9)


def main():
    path, output = arguments(__doc__)
    record = load(path)
    why = reasons(record)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), width_ratios=(1.1, 1))
    for axis in axes:
        axis.grid(True, axis="y", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
    draw_used(axes[0], record, why)
    draw_latency(axes[1], record, why)
    crowd = ", oversubscribed" if record["oversubscribed"] else ""
    figure.suptitle(f"{record['np']} ranks on {record['host']['cores']} cores{crowd}; one comes "
                    f"{record['seconds']:g} s late; {record['repetitions']} repetitions; "
                    f"{record['host']['cpu']}", fontsize=9.5)
    figure.tight_layout()
    save(figure, output, "fig3-barrier", "waiting in a barrier")


if __name__ == "__main__":
    main()
