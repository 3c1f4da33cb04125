#!/usr/bin/env python3
"""How long a death keeps the survivors: the distribution, and its parts.

usage: recovery_time.py RESULTS-FOLDER OUTPUT-FOLDER

From the SIGKILL until the last survivor has the new communicators and goes on. Every run is a
dot, the bar their median. Parts: until the last survivor has seen an error (detect); until the
survivors share a communicator again (shrink); until all is agreed (the rest of the repair).
"""
import statistics
import sys

from records import LOOK, failing, groups, load, panels, save

PARTS = {
    "in all": lambda f: f["resume_s"],
    "detect": lambda f: f["detect_s"],
    "shrink": lambda f: f["shrink_s"],
    "rest of\nrepair": lambda f: f["repair_s"] - f["shrink_s"],
}


def milliseconds(runs, part):
    values = []
    for run in runs:
        failure = run["failures"][0]
        if None not in (failure["resume_s"], failure["shrink_s"], failure["repair_s"]):
            values.append(1000 * part(failure))
    return values


def draw(axis, problem, records):
    for shift, (policy, look) in zip((-0.16, 0.16), LOOK.items()):
        runs, bad = failing(records, policy)
        for place, part in enumerate(PARTS.values()):
            values = milliseconds(runs, part)
            if not values:
                continue
            wide = [place + shift + 0.1 * ((i * 0.618) % 1 - 0.5) for i in range(len(values))]
            axis.plot(wide, values, linestyle="none", markersize=3, alpha=0.6,
                      color=look["color"], marker=look["marker"],
                      label=f"{look['label']}, {len(values)} runs" if place == 0 else None)
            median = statistics.median(values)
            axis.hlines(median, place + shift - 0.13, place + shift + 0.13, color="black")
            axis.annotate(f"{median:.1f}", (place + shift, median), xytext=(0, 4),
                          textcoords="offset points", ha="center", fontsize=8)
        if bad:
            print(f"{problem}, {policy}: {bad} runs not ok, not drawn")
    axis.set_xticks(range(len(PARTS)), PARTS)
    axis.set_xlabel("")
    axis.set_ylabel("milliseconds")
    axis.set_ylim(bottom=0)
    axis.set_title(problem, fontsize=10)
    axis.legend(fontsize=8, loc="upper right")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results, output = sys.argv[1:]
    found = {k: v for k, v in groups(load(results)).items() if any(r["plan"] for r in v)}
    figure, axes = panels(len(found))
    for axis, (problem, records) in zip(axes[0], found.items()):
        draw(axis, problem, records)
    figure.tight_layout()
    save(figure, output, "recovery-time", "time to recovery")


if __name__ == "__main__":
    main()
