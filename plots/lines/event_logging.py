#!/usr/bin/env python3
"""What event-logging checkpoints cost: time with the library, without lines and with them, over the time without it, by size.

usage: event_logging.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench sweep configs/laptop/event-logging.yaml --results FOLDER`, after Fig. 5 to 8 of the event-logging-checkpoint paper:
a panel per program. A small dot per ratio of two runs with the same seed, a large mark with a bar for the median of a mode and its 95 %
interval from 6 ratios on. The seconds are those of the programs, without the set-up. Values are printed.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, scale_by_decades
from plots.common.points import LINES
from plots.common.stats import LEAST, interval, median

LOOK = {
    "protocol": dict(color="#4c72b0", marker="o", label="with the library, no lines (protocol)"),
    "checkpoint": dict(color="#c44e52", marker="s", label="with lines (checkpoint)"),
    "protocol, tagging": dict(color="#55a868", marker="^", label="message tagging (no copy), no lines"),
    "checkpoint, tagging": dict(color="#8172b3", marker="v", label="message tagging (no copy), with lines"),
    "protocol, markers": dict(color="#937860", marker="D", label="markers, no lines"),
    "checkpoint, markers": dict(color="#64b5cd", marker="P", label="markers, with lines"),
}


def arguments_of(record):
    """{name: value} of the program, as texts."""
    words = record["arguments"]
    return dict(zip((word.removeprefix("--") for word in words[::2]), words[1::2]))


def mode(record):
    """As the paper calls it: source, protocol or checkpoint; with the protocol where that is not event logging."""
    if record["protocol"] in ("source", "off"):
        return record["protocol"]
    with_lines = "lines" in arguments_of(record) or "every" in arguments_of(record) or record["line_interval_s"] is not None
    return ("checkpoint" if with_lines else "protocol") + ("" if record["protocol"] == "events" else f", {record['protocol']}")


def is_good(record):
    """It ended as it must, and with the result of the run without lines."""
    return record["status"] == "ok" and (record["compared"] or {"equal": True})["equal"]


def ratios(records):
    """({program: {mode: {size: [ratio]}}}, how many runs were left out): over the run without the library of the same arguments."""
    source, found, bad = {}, {}, 0
    for record in records:
        problem = problem_of(record)
        if not is_good(record):
            bad += 1
        elif mode(record) == "source":
            source[problem] = record["result"]["seconds"]
    for record in records:  # a killed run has the seconds of its last job only
        problem = problem_of(record)
        if is_good(record) and not record["plan"] and mode(record) != "source" and problem in source:
            of_mode = found.setdefault(record["program"], {}).setdefault(mode(record), {})
            of_mode.setdefault(record["result"]["size"], []).append(record["result"]["seconds"] / source[problem])
    return found, bad


def problem_of(record):
    return (record["program"], record["np"], *sorted((k, v) for k, v in arguments_of(record).items() if k not in ("lines", "every")))


def draw(axis, program, of_modes):
    for at, (mode, of_sizes) in enumerate(sorted(of_modes.items(), key=lambda one: list(LOOK).index(one[0]))):
        style, shift = LOOK[mode], 1 + 0.03 * (at - (len(of_modes) - 1) / 2)
        for i, (size, values) in enumerate(sorted(of_sizes.items())):
            x, middle = size * shift, median(values)
            axis.plot([x] * len(values), values, linestyle="none", markersize=3, alpha=0.45, color=style["color"], marker=style["marker"])
            bar, said = None, f"{middle:.4f} of {len(values)}"
            if len(values) >= LEAST:
                _, low, high, _ = interval(values)
                bar, said = [[middle - low], [high - middle]], f"{middle:.4f} [{low:.4f}, {high:.4f}] of {len(values)}"
            axis.errorbar([x], [middle], yerr=bar, color=style["color"], marker=style["marker"], markersize=7, capsize=3, linestyle="none",
                          fillstyle="none", label=style["label"] if i == 0 else None)
            print(f"{program}, size {size}, {mode} / source: {said}")
    axis.axhline(1, color="#555555", linewidth=1, linestyle="--")
    scale_by_decades(axis, "time / time without the library")
    axis.set_xticks(sorted({size for of_sizes in of_modes.values() for size in of_sizes}))
    axis.set_xlabel("size of the problem")
    axis.set_title(program, fontsize=10, pad=12 + 14 * len(of_modes))  # above the legend
    legend_above(axis, 1)


def fewer_lines(record):
    """Was a line asked for while the one before was in progress? Then it was not begun."""
    asked = arguments_of(record).get("lines", "0")
    return not record["plan"] and asked != "0" and record["lines_committed"] is not None and record["lines_committed"] < int(asked)


def main():
    results, output = arguments(__doc__)
    records = list(LINES.load(results).values())
    found, bad = ratios(records)
    if not found:
        sys.exit(f"{results}: no run with the library beside one without it (`line: source`)")
    figure, axes = panels(len(found))
    for axis, (program, of_modes) in zip(axes[0], found.items()):
        draw(axis, program, of_modes)
    shared = ", more processes than cores" if any(r["oversubscribed"] for r in records) else ""
    killed = sum(bool(r["plan"]) for r in records)
    fewer = sum(fewer_lines(r) for r in records)
    note(figure, f"{len(records)} runs with {records[0]['np']} processes{shared}, {bad} of them not ok or not equal and left out, {killed} with kills and "
                 f"not drawn, {fewer} with fewer lines than asked for, since the one before was not complete;\n"
                 "an interval that contains 1 says that no cost was found beyond the noise")
    figure.tight_layout()
    save(figure, output, "event-logging", "cost of event-logging checkpoints")


if __name__ == "__main__":
    main()
