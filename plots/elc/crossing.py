#!/usr/bin/env python3
"""How many messages cross a line, and how long identification takes, by the number of processes.

usage: crossing.py RESULTS-FOLDER OUTPUT-FOLDER

From records of `rollbench sweep configs/laptop/crossing.yaml --results FOLDER`, after the reason that the event-logging-checkpoint paper gives
for its Fig. 6 (Sect. 6.3): more processes, fewer messages in transit and orphans, less time to identify them. A panel of counts per program and
its options, and one of seconds for all. A small dot per run, a large mark for the median. Values are printed.
"""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, plot_times, save
from plots.common.elc import a_line, crossing, mode, sharing, slowest, told_apart
from plots.common.points import ELC
from plots.common.stats import median

COUNTS = {
    "transit": dict(color="#c44e52", marker="s", label="messages in transit"),
    "orphans": dict(color="#4c72b0", marker="o", label="orphans"),
    "results": dict(color="#55a868", marker="^", label="results of collective functions"),
}
COLORS = ("#8172b3", "#937860", "#64b5cd", "#ccb974")


def plot(axis, of_np, look, said):
    """Values by the number of processes."""
    plot_times(axis, of_np, {**look, "fillstyle": "none"})
    for np, values in of_np.items():
        print(f"{said}, {np} processes: {median(values):.4g} ({min(values):.4g} to {max(values):.4g}) of {len(values)}")


def across(axis, title, rows, numbers):
    axis.set_xticks(sorted(numbers))
    axis.set_xlabel("processes")
    axis.set_title(title, fontsize=10, pad=12 + 14 * rows)  # above the legend
    axis.set_ylim(bottom=0)
    legend_above(axis, 1)


def draw_counts(axis, name, by_np):
    shown = [count for count in COUNTS if any(process[count] for records in by_np.values() for one in records for process in one["processes"])]
    for count in shown:
        plot(axis, {np: [a_line(record, count) for record in records] for np, records in by_np.items()}, COUNTS[count],
             f"{name}, {COUNTS[count]['label']} a line")
    axis.set_ylabel("cross a line, summed over the processes")
    across(axis, name, max(1, len(shown)), by_np)


def draw_seconds(axis, found, names):
    for (problem, by_np), color in zip(found.items(), itertools.cycle(COLORS)):
        plot(axis, {np: [slowest(record, "identify_s") for record in records] for np, records in by_np.items()},
             dict(color=color, marker="D", label=names[problem]), f"{names[problem]}, milliseconds of identification a line")
    axis.set_ylabel("wall time a line [ms], slowest process")
    across(axis, "closing the logs and identification", len(found), {np for by_np in found.values() for np in by_np})


def main():
    results, output = arguments(__doc__)
    records = list(ELC.load(results).values())
    found = {problem: by_np for problem, by_np in crossing(records).items() if len(by_np) > 1}
    if not found:
        sys.exit(f"{results}: no program with committed lines and several numbers of processes; sweep configs/laptop/crossing.yaml")
    names = told_apart(found)
    figure, axes = panels(len(found) + 1)
    for axis, (problem, by_np) in zip(axes[0], found.items()):
        draw_counts(axis, names[problem], by_np)
    draw_seconds(axes[0][-1], found, names)
    shown = [record for by_np in found.values() for of in by_np.values() for record in of]
    shared = ", ".join(map(str, sharing(shown)))
    note(figure, f"{sum(record['lines_committed'] for record in shown)} lines of {len(shown)} runs. Small dots: runs; large marks: medians. "
                 f"{sum(mode(record) not in ('source', 'off') for record in records) - len(shown)} other runs with the library have no committed line, one "
                 "number of processes, a kill or a wrong result."
                 + (f"\nMore processes than cores: {shared}. Which of them run at the same time decides how far they are apart when they cut."
                    if shared else ""))
    figure.tight_layout()
    save(figure, output, "crossing", "messages that cross a line")


if __name__ == "__main__":
    main()
