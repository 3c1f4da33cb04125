"""Read the records of a sweep and give every figure the same look.

Figures are made from records alone. A record that is not `ok`, or whose state differs from
its failure-free run, is never drawn as if it were; how many were left out is said aloud.
"""
import collections
import json
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)
import matplotlib.patches  # noqa: E402
import matplotlib.ticker  # noqa: E402

# One colour, marker and word per way to recover, in every figure (readable without colour, too).
# Job restart is hollow: where it counts the same as global rollback, both are seen.
RESTART = "restart"
LOOK = {
    RESTART: dict(color="#55a868", marker="D", fillstyle="none", label="job restart"),
    "none": dict(color="#c44e52", marker="s", label="global rollback (none)"),
    "all": dict(color="#4c72b0", marker="o", label="local rollback (all)"),
    "all+sleep": dict(color="#dd8452", marker="v", label="local, blocked roles sleep"),
    "all+dvfs": dict(color="#8172b3", marker="^", label="local, DVFS"),
    "all+cm": dict(color="#937860", marker="<", label="local, clock modulation"),
    "all+dvfs+cm": dict(color="#64b5cd", marker="P", label="local, DVFS + clock modulation"),
}

# Why a figure of one death per run leaves runs out. A killed spare is no failure of a role, a killed node
# several, and a kill may never fire: nothing is wrong with such runs, so they are counted apart.
BAD = "not ok or not equal"
OTHER = "ok, but not of exactly one death"


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


def unusual(record):
    """What else may differ between two entries of one file, where it is not what most have."""
    detail = (record.get("meters") or {}).get("detail", "phases")
    spares = record.get("spares", 1)
    return [text for text, is_unusual in (
        (record.get("ckpt"), record.get("ckpt", "file") != "file"),
        (f"{spares or 'no'} spares", spares != 1 and way(record) != RESTART),
        (f"nodes of {record.get('node_size')} ranks", record.get("node_size")),
        (f"on {len(record.get('hosts') or [])} hosts", record.get("hosts")),
        (f"meters {detail}", detail != "phases")) if is_unusual]


def title(record):
    """What was run: 'cg class=S, 8 roles' and 'checkpoints every 25 iterations, sync'."""
    params = " ".join(f"{k}={v}" for k, v in record["params"].items()
                      if v not in ("auto", "double", "0"))
    return (f"{record['kernel']} {params}, {record['np']} roles\n"
            + ", ".join([f"checkpoints every {record['interval']} iterations",
                         record.get("ckpt_lag", "sync"), *unusual(record)]))


def way(record):
    """How the run recovers: RESTART, or the policy and what blocked roles do: "all+sleep".

    Job restart runs under policy `none`, too.
    """
    if record.get("strategy") == RESTART:
        return RESTART
    power = record.get("power", "none")
    return record["policy"] + (f"+{power}" if power != "none" else "")


def groups(records):
    """Runs of the same problem together: {title: [records]}, in order of appearance.

    Job restart has no spares; it is the baseline whatever number of them the others had.
    """
    found, without_spares = {}, {}
    for record in records:
        if way(record) != RESTART:
            name = title(record)
            found.setdefault(name, []).append(record)
            without_spares.setdefault(title({**record, "spares": 1}), {})[name] = None
    for record in records:
        if way(record) == RESTART:
            name = title(record)
            for same in without_spares.get(name, [name]):
                found.setdefault(same, []).append(record)
    return found


def is_good(record):
    """ok, and if it is one with a failure, equal to the failure-free run."""
    return record["status"] == "ok" and bool(not record["plan"]
                                             or (record.get("compared") or {}).get("equal"))


def one_death(runs):
    """Good runs with exactly one failure, ordered by failing iteration, and Counter {why: left out}."""
    good = [r for r in runs if is_good(r)]
    one = [r for r in good if len(r["failures"]) == 1]
    left_out = +collections.Counter({BAD: len(runs) - len(good), OTHER: len(good) - len(one)})
    return sorted(one, key=failed_in), left_out


def failing(records, how):
    """one_death() of the runs in which a kill was planned; how: as way() says."""
    return one_death([r for r in records if way(r) == how and r["plan"]])


def said(left_out):
    """Of a Counter of runs left out: '2 runs not ok or not equal, ...'; empty if there are none."""
    return ", ".join(f"{count} runs {why}" for why, count in left_out.items())


def not_drawn(left_out):
    """The same for a figure's title, a line for each reason."""
    return "".join(f"\nnot drawn: {count} runs {why}" for why, count in left_out.items())


def failure_free(records, how):
    return [r for r in records if way(r) == how and not r["plan"] and r["status"] == "ok"]


def failed_in(run):
    """The iteration that the failure found the dead role in."""
    return run["failures"][0]["iteration"]


def useful_iterations(records):
    """As many as a run without a failure has, as a set: a kernel's end may be unknown before, and a
    run that did not reach it has None."""
    return {r["iterations"]["useful"] for r in records if not r["plan"] and r["status"] == "ok"}


def by_iteration(runs):
    """{failing iteration: [seconds in the time-step loop]}."""
    times = {}
    for run in runs:
        times.setdefault(failed_in(run), []).append(run["loop_s"])
    return times


def plot_times(axis, times, look):
    """Every run a small dot, the median of an iteration's repetitions a large one."""
    axis.plot([i for i, all_ in times.items() for _ in all_],
              [t for all_ in times.values() for t in all_], linestyle="none",
              markersize=2, alpha=0.5, color=look["color"], marker=look["marker"])
    axis.plot(list(times), [statistics.median(all_) for all_ in times.values()],
              linestyle="none", markersize=5.5, **look)


def plot_failure_free(axis, times, label=None):
    """The median as a line, the range as a band."""
    if not times:
        return
    axis.axhline(statistics.median(times), color="#555555", linewidth=1, linestyle="--",
                 label=label)
    axis.axhspan(min(times), max(times), color="#999999", alpha=0.25, linewidth=0)


def scale_by_decades(axis, what):
    """A new job takes many times as long as a repair: plain numbers on a logarithmic axis."""
    axis.set_yscale("log")
    axis.margins(y=0.12)  # for what is written over the dots
    low, high = axis.get_ylim()
    steps = (1, 2, 5) if high > 10 * low else (1, 1.5, 2, 3, 4, 5, 7)
    axis.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=steps, numticks=20))
    axis.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    axis.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axis.set_ylabel(f"{what}, logarithmic")


def legend_above(axis, columns):
    axis.legend(fontsize=7.5, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns,
                columnspacing=1, handletextpad=0.3, frameon=False)


def save(figure, folder, name, what):
    """Write PNG and PDF, and say where. Into the PNG goes what drew it, for the report."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    drawn_by = {"Source": " ".join(sys.argv)}
    for suffix, metadata in (("png", drawn_by), ("pdf", None)):
        figure.savefig(folder / f"{name}.{suffix}", dpi=150, bbox_inches="tight", metadata=metadata)
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
