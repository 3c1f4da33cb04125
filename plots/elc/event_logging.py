#!/usr/bin/env python3
"""What event-logging checkpoints cost: time with the library, without lines and with them, over the time without it.

usage: event_logging.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench sweep configs/laptop/event-logging.yaml --results FOLDER`, after Fig. 5 to 8 of the event-logging-checkpoint paper:
a panel per program and its options, by the number of processes if there are several and one size, else by size. A small dot per ratio of two
runs with the same seed (a pair), a large mark for the ratio of the two medians over the pairs of a mode, with a bar for its 95 % interval from
6 pairs on (docs/statistics.md). The seconds are those of the programs, without the set-up. Where `rollbench envelopes --json
envelopes/envelopes.json` was run in the folder above RESULTS-FOLDER, what the paper's cost model expects is drawn, too. Values are printed.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, scale_by_decades
from plots.common.elc import cost_model, is_right, pairs, sharing, times, told_apart
from plots.common.points import ELC
from plots.common.stats import ratio_paired

LOOK = {
    "protocol": dict(color="#4c72b0", marker="o", label="with the library, no lines (protocol)"),
    "checkpoint": dict(color="#c44e52", marker="s", label="with lines (checkpoint)"),
    "expected": dict(color="#dd8452", marker="X", label="with lines, expected by the cost model"),
    "protocol, tagging-copy": dict(color="#55a868", marker="^", label="message tagging, no lines"),
    "checkpoint, tagging-copy": dict(color="#8172b3", marker="v", label="message tagging, with lines"),
    "protocol, tagging": dict(color="#ccb974", marker="<", label="message tagging without a copy, no lines"),
    "checkpoint, tagging": dict(color="#8c8c8c", marker=">", label="message tagging without a copy, with lines"),
    "protocol, markers": dict(color="#937860", marker="D", label="markers, no lines"),
    "checkpoint, markers": dict(color="#64b5cd", marker="P", label="markers, with lines"),
}
COLUMNS = 3  # of panels


def by_place(found):
    """(title, what is across, {place: {mode: ...}}) of each panel."""
    problems = {}
    for (kernel, np, options), of_sizes in found.items():
        problems.setdefault((kernel, options), {})[np] = of_sizes
    names = told_apart(problems)
    for problem, by_np in problems.items():
        sizes = {size for of_sizes in by_np.values() for size in of_sizes}
        if len(by_np) > 1 and len(sizes) == 1:
            size, = sizes
            yield f"{names[problem]}, size {size}", "processes", {np: of_sizes[size] for np, of_sizes in by_np.items()}
        else:
            yield from ((f"{names[problem]}, {np} processes", "size", of_sizes) for np, of_sizes in by_np.items())


def draw(axis, title, across, of_places):
    modes = sorted({mode for of in of_places.values() for mode in of if pairs(of, mode) and mode != "source"}, key=list(LOOK).index)
    for at, mode in enumerate(modes):
        style, shift = LOOK[mode], 1 + 0.03 * (at - (len(modes) - 1) / 2)
        places = {place: pairs(of, mode) for place, of in sorted(of_places.items()) if pairs(of, mode)}
        for i, (place, both) in enumerate(places.items()):
            x, found = place * shift, ratio_paired(both)
            axis.plot([x] * len(both), [seconds / without for seconds, without in both], linestyle="none", markersize=3, alpha=0.45,
                      color=style["color"], marker=style["marker"])
            bar, said = None, f"{found.median:.4f} of {len(both)}"
            if found.low is not None:
                bar = [[found.median - found.low], [found.high - found.median]]
                said = f"{found.median:.4f} [{found.low:.4f}, {found.high:.4f}] of {len(both)}"
            axis.errorbar([x], [found.median], yerr=bar, color=style["color"], marker=style["marker"], markersize=7, capsize=3, linestyle="none",
                          fillstyle="none", label=style["label"] if i == 0 else None)
            print(f"{title}, {across} {place}, {mode} / source: {said}")
    axis.axhline(1, color="#555555", linewidth=1, linestyle="--")
    scale_by_decades(axis, "time / time without the library")
    axis.set_xticks(sorted(of_places))
    axis.set_xlabel({"size": "size of the problem", "processes": "processes"}[across])
    axis.set_title(title, fontsize=10, pad=12 + 14 * len(modes))  # above the legend
    legend_above(axis, 1)


def fewer_lines(record):
    """Was a line asked for while the one before was in progress? Then it was not begun."""
    asked = record["params"].get("lines", "0")
    return not record["plan"] and asked != "0" and record["lines_committed"] is not None and record["lines_committed"] < int(asked)


def main():
    results, output = arguments(__doc__)
    records = list(ELC.load(results).values())
    bad = sum(not is_right(record) for record in records)
    model = cost_model(results)
    found = {what: of_sizes for what, of_sizes in times(records, model).items()
             if any(pairs(of, mode) for of in of_sizes.values() for mode in of if mode != "source")}
    if not found:
        sys.exit(f"{results}: no run with the library beside one without it (`protocol: source`)")
    shown = list(by_place(found))
    columns = min(len(shown), COLUMNS)
    figure, axes = panels(columns, -(-len(shown) // columns))
    for axis, (title, across, of_places) in zip(axes.flat, shown):
        draw(axis, title, across, of_places)
    for axis in axes.flat[len(shown):]:
        axis.set_visible(False)
    killed = sum(bool(r["plan"]) for r in records)
    fewer = sum(fewer_lines(r) for r in records)
    shared = ", ".join(map(str, sharing(records)))
    naps = (f"\nWhere processes share cores ({shared} processes), each MPI call that finds nothing sleeps, so that others can run. The library "
              "makes such a call at each safe point." if shared else "")
    is_other = model and {r["host"]["cpu"] for r in records} != {model.cpu}
    other = "\nThe parameters of the cost model were measured on another processor." if is_other else ""
    note(figure, f"{len(records)} runs, {bad} of them not ok or not equal and left out, {killed} with kills and not drawn, {fewer} with fewer lines than "
                 "asked for, since the one before was not complete.\n"
                 f"An interval that contains 1 says that no cost was found beyond the noise.{naps}{other}")
    figure.tight_layout()
    save(figure, output, "event-logging", "cost of event-logging checkpoints")


if __name__ == "__main__":
    main()
