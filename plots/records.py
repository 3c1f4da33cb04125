"""Read the records of a sweep and give every figure the same look.

Figures are made from records alone. A record that is not `ok`, or whose state differs from
its failure-free run, is never drawn as if it were; how many were left out is said aloud.
"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)
import matplotlib.ticker  # noqa: E402

# One colour, marker and word per policy, in every figure (readable without colour, too).
LOOK = {
    "none": dict(color="#c44e52", marker="s", label="global rollback (none)"),
    "all": dict(color="#4c72b0", marker="o", label="local rollback (all)"),
}


def load(folder):
    """The records of the sweep that a results folder holds, in the sweep's order.

    Its sweep.json names them: what an older version of the experiment left there is not drawn.
    """
    folder = pathlib.Path(folder)
    records = []
    for name in json.loads((folder / "sweep.json").read_text())["runs"]:
        path = folder / f"{name}.json"
        if path.exists():
            records.append(json.loads(path.read_text()))
    if not records:
        sys.exit(f"{folder}: no records; run `./rollbench sweep` first")
    return records


def title(record):
    """What was run, in one line: 'cg class=S, 8 roles, interval 25'."""
    params = " ".join(f"{k}={v}" for k, v in record["params"].items()
                      if v not in ("auto", "double", "0"))
    return f"{record['kernel']} {params}, {record['np']} roles, interval {record['interval']}"


def groups(records):
    """Runs of the same problem together: {title: [records]}, in order of appearance."""
    found = {}
    for record in records:
        found.setdefault(title(record), []).append(record)
    return found


def failing(records, policy):
    """Usable runs with exactly one failure, ordered by failing iteration, and how many were not."""
    runs = [r for r in records if r["policy"] == policy and r["plan"]]
    good = [r for r in runs if r["status"] == "ok" and len(r["failures"]) == 1
            and r.get("compared", {}).get("equal")]
    return sorted(good, key=lambda r: r["failures"][0]["iteration"]), len(runs) - len(good)


def failure_free(records, policy):
    return [r for r in records if r["policy"] == policy and not r["plan"] and r["status"] == "ok"]


def save(figure, folder, name, what):
    """Write PNG and PDF, and say where."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in ("png", "pdf"):
        figure.savefig(folder / f"{name}.{suffix}", dpi=150, bbox_inches="tight")
    plt.close(figure)
    print(f"{what}: {folder / name}.png, .pdf")


def panels(count, rows=1):
    """One panel per problem, side by side; axes[row][column]."""
    figure, axes = plt.subplots(rows, count, figsize=(5.6 * count, 4.2 * rows), squeeze=False)
    for axis in axes.flat:
        axis.grid(True, color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
        axis.set_xlabel("iteration in which the role is killed")
    return figure, axes


def figure_by_failing_iteration(usage, name, what, draw):
    """A whole script: one panel per problem that has failures; draw(axis, title, records)."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    results, output = sys.argv[1:]
    found = {k: v for k, v in groups(load(results)).items() if any(r["plan"] for r in v)}
    if not found:
        sys.exit(f"{results}: no records of runs with failures")
    figure, axes = panels(len(found))
    for axis, (problem, records) in zip(axes[0], found.items()):
        draw(axis, problem, records)
    figure.tight_layout()
    save(figure, output, name, what)
