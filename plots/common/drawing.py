"""The same look for every figure made of a sweep's records; plots/common/runs.py says which of them count."""
import io
import pathlib
import sys
import textwrap

import matplotlib

matplotlib.rcdefaults()  # figures look alike, whatever the user's matplotlibrc says (text.usetex ends them where there is no TeX)
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)
import matplotlib.patches  # noqa: E402
import matplotlib.ticker  # noqa: E402

from plots.common import drawn, gnuplot  # noqa: E402
from plots.common.command import arguments  # noqa: E402
from plots.common.files import put  # noqa: E402
from plots.common.runs import LOOK, crowded, failed_in, groups, label, load, way  # noqa: E402
from plots.common.stats import CITED, median, slope  # noqa: E402


def look_of(record):
    """Of the way in which the run recovers. Hybrids have no look of their own in LOOK, since there is one for each window."""
    return LOOK.get(way(record)) or dict(color="#8172b3", marker="^", fillstyle="none",
                                         label=f"hybrid ({label(record)})")


def mark_checkpoints(axis, runs):
    """A dotted line in front of each iteration in whose beginning a checkpoint counts, as far as the runs reach."""
    if not runs:
        return
    first, last = min(map(failed_in, runs)), max(map(failed_in, runs))
    for at in sorted({at for run in runs for at in checkpoints(run, last)}):
        if first <= at:
            axis.axvline(at - 0.5, color="#aaaaaa", linewidth=0.8, linestyle=":")


def checkpoints(run, last):
    """The iterations up to the last one before which a checkpoint is taken."""
    begin = run.get("ckpt_first") or run["interval"]
    return range(begin, last + 1, run["interval"])


def plot_times(axis, times, look):
    """Every run a small dot, the median of an iteration's repetitions a large one."""
    axis.plot([i for i, all_ in times.items() for _ in all_],
              [t for all_ in times.values() for t in all_], linestyle="none",
              markersize=2, alpha=0.5, color=look["color"], marker=look["marker"])
    axis.plot(list(times), [median(all_) for all_ in times.values()],
              linestyle="none", markersize=5.5, **look)


FEW = 20  # kills; make run-long has 25 a method


def said_slope(found):
    """In words, with whether the rise stands out of the scatter."""
    if found is None:
        return "one iteration: no slope"
    if found.low is None:
        return "fewer than 6 runs: no interval"
    ms = [1000 * value for value in (found.median, found.low, found.high)]
    seen = "rises" if found.low > 0 else "falls" if found.high < 0 else "no slope seen"
    return f"{ms[0]:.1f} [{ms[1]:.1f}, {ms[2]:.1f}] ms an iteration: {seen}"


def said_more(found, kills):
    """What shows more, if the rise does not stand out of the scatter of few runs."""
    few = found is not None and found.low is not None and found.low <= 0 <= found.high and kills < FEW
    return "; make run-long has more" if few else ""


def fitted(axis, runs, color):
    """The slope; if a rise or fall is seen, its line is drawn through the medians of both coordinates. A line would show one."""
    points = [(failed_in(r), r["loop_s"]) for r in runs]
    found = slope(points)
    if found is not None and found.low is not None and not found.low <= 0 <= found.high:
        across, up = (median(side) for side in zip(*points))
        ends = [min(points)[0], max(points)[0]]
        axis.plot(ends, [up + found.median * (x - across) for x in ends], color=color, linewidth=1)
    return found


def plot_failure_free(axis, times, label=None):
    """The median as a line, the range as a band."""
    if not times:
        return
    axis.axhline(median(times), color="#555555", linewidth=1, linestyle="--",
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
    if not axis.get_legend_handles_labels()[0]:
        return  # no run is drawn; the title says why
    axis.legend(fontsize=7.5, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns,
                columnspacing=1, handletextpad=0.3, frameon=False)


def narrow(text, letters=46):
    """In lines of at most so many letters: by default, a title for panels of which three stand side by side."""
    return "\n".join(part for line in text.splitlines() for part in textwrap.wrap(line, letters))


LETTERS = 13  # of a note, in an inch


def note(figure, text):
    """Below the panels, in lines that are not longer than they are wide: what is to be known wherever the figure goes."""
    figure.text(0.5, -0.005, narrow(text, int(LETTERS * figure.get_figwidth())), ha="center", va="top", fontsize=8.5, color="#555555")


def cite(figure, name):
    """Below all else: where the rules for intervals and tests stand, and where the numbers of this figure are."""
    figure.draw_without_rendering()  # then it is known where all else ends
    below = figure.get_tightbbox().y0 / figure.get_figheight()
    figure.text(0.5, below - 0.08 / figure.get_figheight(), f"statistics: {CITED}; numbers: {drawn.named(name)}", ha="center", va="top",
                fontsize=7, color="#777777")


def save(figure, folder, name, what):
    """Write PNG, PDF, the numbers that are drawn and a script for gnuplot that draws them, and say where. The only place that writes
    figures, so that each cites the page on statistics. Into the PNG goes what drew it, for the report."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    drawn.write(figure, folder / drawn.named(name))
    put(folder / gnuplot.named(name), gnuplot.script(figure, name, pathlib.Path(sys.argv[0]).name))
    cite(figure, name)
    for suffix, metadata in (("png", {"Source": " ".join(sys.argv), "Statistics": CITED}), ("pdf", {"Subject": f"statistics: {CITED}"})):
        drawing = io.BytesIO()
        figure.savefig(drawing, format=suffix, dpi=150, bbox_inches="tight", metadata=metadata)
        put(folder / f"{name}.{suffix}", drawing.getvalue())
    plt.close(figure)
    print(f"{what}: {folder / name}.png, .pdf; {drawn.named(name)}, {gnuplot.named(name)}")


def slope_drawn(axis, runs, color, name, kills=None):
    """Draw the slope of these runs; in words with their number, which are printed, too. kills: of the method, if these are a part of them."""
    found = fitted(axis, runs, color)
    more = said_more(found, kills or len(runs))
    print(f"{name}: {said_slope(found)} (n = {len(runs)}){more}")
    return f"{said_slope(found)}, n = {len(runs)}{more}"


def seconds_from_zero(axis, records):
    """The axis of seconds of these runs, which says if their roles shared cores."""
    axis.set_ylim(bottom=0)
    axis.set_ylabel("time to completion [s]")
    if crowded(records):
        axis.annotate("more roles than cores", (0.02, 0.03), xycoords="axes fraction", fontsize=8, color="#777777")


def share_range(axes):
    """The same range of y for panels of one quantity, so that they can be compared."""
    ends = [axis.get_ylim() for axis in axes]
    for axis in axes:
        axis.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


BESIDE = 2  # panels: on a printed page three beside each other are too small to be read


def panels(count, rows=1, heights=None):
    """One panel per problem and row; axes[row][problem]. Where more than two problems would stand side by side, a single row goes on below itself, and
    of two rows the panels of a problem stand side by side. heights: of the rows, relative to each other; there widths."""
    many = count > BESIDE
    lying, wraps = many and rows == 2, many and rows == 1
    below, beside = (count, rows) if lying else (-(-count // BESIDE), BESIDE) if wraps else (rows, count)
    figure, axes = plt.subplots(below, beside, figsize=(5.6 * beside, 4.2 * below), squeeze=False,
                                gridspec_kw={"width_ratios" if lying else "height_ratios": heights})
    if lying:
        axes = axes.T
    elif wraps:
        for axis in axes.flat[count:]:
            axis.set_visible(False)
        axes = axes.reshape(1, -1)[:, :count]
    for axis in axes.flat:
        axis.grid(True, color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
        axis.set_xlabel("iteration in which the role is killed")
    return figure, axes


def with_failures(results):
    """{problem: records} of the problems that have failures."""
    found = {k: v for k, v in groups(load(results)).items() if any(r["plan"] for r in v)}
    if not found:
        sys.exit(f"{results}: no records of runs with failures")
    return found


def figure_by_failing_iteration(usage, name, what, draw):
    """A whole script: one panel per problem that has failures; draw(axis, title, records)."""
    results, output = arguments(usage)
    found = with_failures(results)
    figure, axes = panels(len(found))
    for axis, (problem, records) in zip(axes[0], found.items()):
        draw(axis, problem, records)
    figure.tight_layout()
    save(figure, output, name, what)
