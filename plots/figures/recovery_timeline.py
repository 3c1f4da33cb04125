#!/usr/bin/env python3
"""A recovery as its processes saw it: what each of them did, and when.

usage: recovery_timeline.py RESULTS-FOLDER OUTPUT-FOLDER

From runs with --timeline on and one death. Of each problem and way to recover, the run is drawn whose time from
the SIGKILL until all roles had their state is the median of these runs (of an even number the shorter one of both).
A row per process, the time is 0 at the SIGKILL. Broad bars are iterations and phases of a recovery, narrow ones
what the process did within them.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import legend_above, note, panels, save, with_failures
from plots.common.runs import LOOK, crowded, missing, survey
from plots.common.timelines import PHASES, end_of_recovery, first_death, processes

RESTORED, REST = "state restored, messages sent again", "rest of the repair"
KINDS = {  # of what a process does: colour, in the order of the key
    "iteration": "#c6d3e8", "waits for others": "#f3ead2", "checkpoint": "#9c9c9c", "given up by the failure": "#efc9c4",
    "agreement": "#dd8452", "shrink": "#c44e52", REST: "#937860", RESTORED: "#55a868", "iteration repeated": "#4c72b0",
    "waits as a spare": "#efefef", "end of the run": "#d9d9d9"}
KIND_OF = {"step": "iteration", **dict.fromkeys(("wait", "blocked", "finish"), "waits for others"), "checkpoint": "checkpoint",
           "aborted": "given up by the failure", "agree": "agreement", "shrink": "shrink",
           **dict.fromkeys(("adopt", "setup", "restore", "replay"), RESTORED), **dict.fromkeys(("support", "catchup"), "iteration repeated"),
           "standby": "waits as a spare", **dict.fromkeys(("verify", "close"), "end of the run")}  # all others: REST
BROAD, NARROW = 0.8, 0.4  # of the height of a row
AROUND = 0.12  # of the recovery is drawn before and behind it, too


def restored(run):
    """Seconds; infinite if that was not measured."""
    seconds = run["failures"][0]["restored_s"]
    return float("inf") if seconds is None else seconds


def middle(runs):
    return sorted(runs, key=restored)[(len(runs) - 1) // 2]


def draw_rows(axis, rows, first, last):
    """The bars of each kind by one call, or two; the key has each once. Those that lie within others are drawn later."""
    bars = {kind: [] for kind in KINDS}
    for number, process in enumerate(rows):
        for span in process.spans:
            begun, ended = max(span.begun, first), min(last if span.ended is None else span.ended, last)
            if begun < ended:
                bars[KIND_OF.get(span.what, REST)].append((number, begun, ended - begun, BROAD if span.what in PHASES + ("standby",) else NARROW))
    keyed = set()
    for height in (BROAD, NARROW):
        for kind, found in bars.items():
            if mine := [bar[:3] for bar in found if bar[3] == height]:
                number, begun, length = zip(*mine)
                axis.barh(number, length, left=begun, height=height, color=KINDS[kind], label="_" if kind in keyed else kind)
                keyed.add(kind)


def draw(axis, title, runs, look):
    run = middle(runs)
    rows = processes(run)
    end = end_of_recovery(rows)
    first, last = -AROUND * end, (1 + AROUND) * end
    draw_rows(axis, rows, first, last)
    dead, seen = ([(at, number) for number, process in enumerate(rows) for at in [of(process)] if at is not None and first <= at <= last]
                  for of in (lambda process: process.died, lambda process: process.detected))
    for found, marker, words in ((dead, "X", "SIGKILL"), (seen, "d", "sees the failure")):
        if found:
            axis.plot(*zip(*found), linestyle="none", marker=marker, color="black", markersize=7 if marker == "X" else 4, label=words)
    axis.set_yticks(range(len(rows)), [process.name for process in rows])
    axis.invert_yaxis()
    axis.set_xlim(first, last)
    axis.set_xlabel("milliseconds since the SIGKILL")
    axis.grid(False)
    others = f"the median of {len(runs)} runs" if len(runs) > 1 else "the only run"
    axis.set_title(f"{title}\n{look['label']}: all restored after {1000 * restored(run):.1f} ms, {others}", fontsize=9, pad=52)
    legend_above(axis, 3)
    print(f"{title.splitlines()[0]}, {look['label']}: {run.get('id', 'a run')}, all restored after {1000 * restored(run):.1f} ms; {others}")


def drawable(records):
    """{way: runs} with a timeline in which a role died, and what is left out, as lines for a title."""
    noted = [r for r in records if r.get("timeline")]
    whole = [r for r in noted if not any(process["dropped"] for process in r["timeline"]["processes"])]
    found, left_out, lines = survey(whole, LOOK)
    if len(whole) < len(noted):
        left_out["whose timeline had no room for all rows"] += len(noted) - len(whole)
    return {how: [run for run in runs if first_death(run) is not None] for how, runs in found.items()}, left_out, lines


def main():
    results, output = arguments(__doc__)
    found = {problem: drawable(records) for problem, records in with_failures(results).items()}
    count = sum(bool(runs) for ways, _, _ in found.values() for runs in ways.values())
    if not count:
        sys.exit(f"{results}: no good run with a death and a timeline; run with --timeline on (in an experiment file: timeline: on)")
    figure, axes = panels(count)
    figure.set_size_inches(8.2 * min(count, 2), 4.8 * -(-count // 2))
    every = iter(axes[0])
    for problem, (ways, left_out, lines) in found.items():
        title = problem + missing(problem, left_out, lines)
        for how, runs in ways.items():
            if runs:
                draw(next(every), title, runs, LOOK[how])
    if any(crowded(runs) for ways, _, _ in found.values() for runs in ways.values()):
        note(figure, "More processes than cores: waits are also for a core.")
    figure.tight_layout()
    save(figure, output, "recovery-timeline", "a recovery by process")


if __name__ == "__main__":
    main()
