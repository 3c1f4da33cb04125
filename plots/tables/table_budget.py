#!/usr/bin/env python3
"""Rollback effort under a cap on the log, as a table and a figure.

usage: table_budget.py RESULTS-FOLDER OUTPUT-FOLDER

After Table II and V of the memory-constrained-logging paper: the cap in percent of the largest log
that any role has when everything is logged; the average, over the failing roles, of the rollback
set and of the length of the rollback chain, both in percent of the roles. Every role was killed
once, when the logs were fullest. The largest log ever held is measured, and must be below the cap.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import panels, save
from plots.common.files import text_of
from plots.common.runs import budget_asked, groups, labels, load, one_death, said
from plots.common.stats import mean

STRATEGIES = {
    "heaviest": dict(color="#4c72b0", marker="o", label="heaviest channel first"),
    "clusters": dict(color="#dd8452", marker="D", label="nearest cluster first"),
    "online": dict(color="#55a868", marker="s", label="heaviest channel first, Alg. 1"),
    "online:kept": dict(color="#c44e52", marker="^", label="heaviest channel first, Alg. 1, for good"),
}


def asked(record):
    """(percent, strategy) of a record made under a budget; None with data-flow rollback, where nobody else goes back."""
    return budget_asked(record) if record.get("recompute", "rollback") == "rollback" else None


def measure(records):
    """{(percent, strategy): (cap, peak, set %, chain %, runs, left out)} of one problem.

    Without a good run the measured ones are None.
    """
    table = {}
    for point in sorted({asked(r) for r in records if asked(r)}):
        good, left_out = one_death([r for r in records if asked(r) == point and r["plan"]])
        if not good:
            if left_out:
                table[point] = (None, None, None, None, 0, said(left_out))
            continue
        np = good[0]["np"]
        table[point] = (
            int(good[0]["policy"].split(":")[1]),
            max(r["log"]["bytes_peak"]["max"] for r in good),
            mean(100 * len(r["failures"][0]["rollback_set"]) / np for r in good),
            mean(100 * r["failures"][0]["chain"] / np for r in good),
            len(good), said(left_out) or "0")
    return table


def write(found, path):
    """The table as Markdown; returns False if a cap was exceeded."""
    kept = True
    with text_of(path) as out:
        for problem, (table, others) in found.items():
            heading = problem.replace("\n", ", ")
            out.write(f"### {heading}\n\n| cap | strategy | cap, bytes | largest log, bytes | "
                      "rollback set, % of roles | chain, % of roles | runs | left out |\n"
                      "|---|---|---|---|---|---|---|---|\n")
            for (percent, strategy), row in table.items():
                cells = (["-"] * 4 if row[0] is None else
                         [str(row[0]), str(row[1]), f"{row[2]:.1f}", f"{row[3]:.1f}"])
                out.write(f"| {percent:g} % | {strategy} | {' | '.join(cells)} | {row[4]} | {row[5]} |\n")
                kept = kept and (row[0] is None or row[1] <= row[0])
            out.write(f"\nNot in this table: {others}.\n\n" if others else "\n")
    print(f"rollback under a cap: {path}")
    return kept


def not_asked(records):
    """Policies without a cap in percent of which runs with failures are there."""
    return ", ".join(labels(r for r in records if r["plan"] and not asked(r)))


def draw(axis, problem, table):
    nothing = [f"{percent:g} % {strategy}: no good run ({row[5]})"
               for (percent, strategy), row in table.items() if row[0] is None]
    for strategy, look in STRATEGIES.items():
        points = {p: row for (p, s), row in table.items() if s == strategy and row[0] is not None}
        if points:
            axis.plot(list(points), [row[2] for row in points.values()], linestyle=":", **look)
    axis.set_title("\n".join([problem, *nothing]), fontsize=10)
    axis.set_xlabel("cap, percent of the largest log under `all`")
    axis.set_ylabel("average rollback set, percent of roles")
    axis.set_ylim(0, 105)
    axis.legend(fontsize=8)


def main():
    results, output = arguments(__doc__)
    found = {k: (measure(v), not_asked(v)) for k, v in groups(load(results)).items()}
    found = {k: both for k, both in found.items() if both[0]}
    if not found:
        sys.exit(f"{results}: no records of runs with failures under budget:PERCENT%")
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    kept = write(found, pathlib.Path(output) / "budget.md")
    figure, axes = panels(len(found))
    for axis, (problem, (table, _)) in zip(axes[0], found.items()):
        draw(axis, problem, table)
    figure.tight_layout()
    save(figure, output, "budget", "rollback under a cap")
    if not kept:
        sys.exit("a log was larger than its cap")


if __name__ == "__main__":
    main()
