#!/usr/bin/env python3
"""What event-logging checkpoints cost: time with the library, without lines and with them, over the time without it, by size.

usage: event_logging.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench sweep configs/laptop/event-logging.yaml --results FOLDER`, after Fig. 5 to 8 of the event-logging-checkpoint paper:
a panel per program, and per number of processes. A small dot per ratio of two runs with the same seed (a pair), a large mark for the ratio
of the two medians over the pairs of a mode, with a bar for its 95 % interval from 6 pairs on (docs/statistics.md). The seconds are those of
the programs, without the set-up. Values are printed.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, scale_by_decades
from plots.common.elc import is_right, pairs, times
from plots.common.points import ELC
from plots.common.stats import ratio_paired

LOOK = {
    "protocol": dict(color="#4c72b0", marker="o", label="with the library, no lines (protocol)"),
    "checkpoint": dict(color="#c44e52", marker="s", label="with lines (checkpoint)"),
    "protocol, tagging": dict(color="#55a868", marker="^", label="message tagging (no copy), no lines"),
    "checkpoint, tagging": dict(color="#8172b3", marker="v", label="message tagging (no copy), with lines"),
    "protocol, markers": dict(color="#937860", marker="D", label="markers, no lines"),
    "checkpoint, markers": dict(color="#64b5cd", marker="P", label="markers, with lines"),
}


def draw(axis, program, of_sizes):
    modes = sorted({mode for of in of_sizes.values() for mode in of if pairs(of, mode) and mode != "source"}, key=list(LOOK).index)
    for at, mode in enumerate(modes):
        style, shift = LOOK[mode], 1 + 0.03 * (at - (len(modes) - 1) / 2)
        sizes = {size: pairs(of, mode) for size, of in sorted(of_sizes.items()) if pairs(of, mode)}
        for i, (size, both) in enumerate(sizes.items()):
            x, found = size * shift, ratio_paired(both)
            axis.plot([x] * len(both), [seconds / without for seconds, without in both], linestyle="none", markersize=3, alpha=0.45,
                      color=style["color"], marker=style["marker"])
            bar, said = None, f"{found.median:.4f} of {len(both)}"
            if found.low is not None:
                bar = [[found.median - found.low], [found.high - found.median]]
                said = f"{found.median:.4f} [{found.low:.4f}, {found.high:.4f}] of {len(both)}"
            axis.errorbar([x], [found.median], yerr=bar, color=style["color"], marker=style["marker"], markersize=7, capsize=3, linestyle="none",
                          fillstyle="none", label=style["label"] if i == 0 else None)
            print(f"{program}, size {size}, {mode} / source: {said}")
    axis.axhline(1, color="#555555", linewidth=1, linestyle="--")
    scale_by_decades(axis, "time / time without the library")
    axis.set_xticks(sorted(of_sizes))
    axis.set_xlabel("size of the problem")
    axis.set_title(program, fontsize=10, pad=12 + 14 * len(modes))  # above the legend
    legend_above(axis, 1)


def fewer_lines(record):
    """Was a line asked for while the one before was in progress? Then it was not begun."""
    asked = record["params"].get("lines", "0")
    return not record["plan"] and asked != "0" and record["lines_committed"] is not None and record["lines_committed"] < int(asked)


def main():
    results, output = arguments(__doc__)
    records = list(ELC.load(results).values())
    bad = sum(not is_right(record) for record in records)
    found = {what: of_sizes for what, of_sizes in times(records).items()
             if any(pairs(of, mode) for of in of_sizes.values() for mode in of if mode != "source")}
    if not found:
        sys.exit(f"{results}: no run with the library beside one without it (`protocol: source`)")
    figure, axes = panels(len(found))
    several = len({np for _, np in found}) > 1
    for axis, ((program, np), of_sizes) in zip(axes[0], found.items()):
        draw(axis, f"{program}, {np} processes" if several else program, of_sizes)
    shared = ", more processes than cores" if any(r["oversubscribed"] for r in records) else ""
    killed = sum(bool(r["plan"]) for r in records)
    fewer = sum(fewer_lines(r) for r in records)
    processes = " or ".join(map(str, sorted({r["np"] for r in records})))
    note(figure, f"{len(records)} runs with {processes} processes{shared}, {bad} of them not ok or not equal and left out, {killed} with kills and "
                 f"not drawn, {fewer} with fewer lines than asked for, since the one before was not complete;\n"
                 "an interval that contains 1 says that no cost was found beyond the noise")
    figure.tight_layout()
    save(figure, output, "event-logging", "cost of event-logging checkpoints")


if __name__ == "__main__":
    main()
