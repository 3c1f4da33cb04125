#!/usr/bin/env python3
"""Iterations that are computed again, by failing iteration: global, local and data-flow rollback.

usage: dataflow_iterations.py RESULTS-FOLDER OUTPUT-FOLDER

Of runs in which one role dies: iterations beyond those of a run without a failure, summed over all roles,
also those that duplicates compute under data-flow rollback (data-flow-rollback paper, Sect. 2 and 6). A panel
per problem, a dot per run. Exact counts, so no error bars. Lines are what follows without a run if L
iterations are lost: n L for global and L for local rollback, whatever the kernel; for data-flow rollback of
Jacobi L^2 if the roles stand in a line, L + 2 (L^3 - L) / 3 if they form a grid, as far as no supporter would
lie beyond its border; if all roles at distance L or less repeat all L iterations (flat; the paper's Alg. 1),
L (2 L + 1) and L (2 L (L + 1) + 1). Iterations say how much is computed, and neither how long that takes nor what energy it
needs.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save, scale_by_decades, with_failures
from plots.common.runs import LOOK, failed_in, missing, recomputed, survey

DATAFLOW, FLAT = "none+dataflow", "none+dataflow:flat"
WAYS = ("none", FLAT, DATAFLOW, "all")
DECADES = 100  # ratio from which an axis is logarithmic


def lost(run):
    """Iterations between the checkpoint and the failure."""
    return failed_in(run) - run["failures"][0]["checkpoint"]


def grid_of(run):
    """(rows, columns) of the roles of a 5-point stencil; None for other kernels."""
    match = re.match(r"(\d+)x(\d+) roles", run.get("layout") or "")
    return (int(match[1]), int(match[2])) if match and run["kernel"] == "jacobi" else None


def is_inside(grid, role, radius):
    """Do all roles at that distance exist, in the dimensions that the grid has?"""
    rows, columns = grid
    places = [(role // columns, rows)] * (rows > 1) + [(role % columns, columns)] * (columns > 1)
    return all(radius <= at < size - radius for at, size in places)


def cone(run, count):
    """What data-flow rollback computes if so many iterations are lost; None if no closed form has it."""
    grid = grid_of(run)
    if grid is None or not is_inside(grid, run["failures"][0]["role"], max(count - 1, 0)):
        return None
    return count ** 2 if 1 in grid else count + 2 * (count ** 3 - count) // 3


def flat(run, count):
    """The same if each role that takes part repeats everything, also those at distance L."""
    grid = grid_of(run)
    if grid is None or not is_inside(grid, run["failures"][0]["role"], count):
        return None
    return count * (2 * count + 1 if 1 in grid else 2 * count * (count + 1) + 1)


def by_dimension(line, grid):
    """The name of a closed form for the roles of a run."""
    return lambda run: line if grid_of(run) and 1 in grid_of(run) else grid


FORMS = {  # by way: (its name, what it is for a run in which L iterations are lost)
    "none": (lambda run: f"n L = {run['np']} L", lambda run, count: run["np"] * count),
    "all": (lambda run: "L", lambda run, count: count),
    DATAFLOW: (by_dimension("L²", "L + 2 (L³ - L) / 3"), cone),
    FLAT: (by_dimension("L (2 L + 1)", "L (2 L (L + 1) + 1)"), flat),
}


def closed_form(how, runs):
    """(failing iterations, counts) of the line of one way, of the runs of one checkpoint and role."""
    points = {failed_in(r): FORMS[how][1](r, lost(r)) for r in runs}
    points = {at: count for at, count in sorted(points.items()) if count is not None}
    return list(points), list(points.values())


def draw_way(axis, how, runs):
    look = LOOK[how]
    axis.plot([failed_in(r) for r in runs], [recomputed(r) for r in runs], linestyle="none", markersize=6,
              **{**look, "label": f"{look['label']}, {len(runs)} runs"})
    if len({(r["failures"][0]["role"], r["failures"][0]["checkpoint"]) for r in runs}) > 1:
        return  # L is not a function of the failing iteration
    across, up = closed_form(how, runs)
    if across:
        axis.plot(across, up, color=look["color"], linewidth=1, linestyle="--",
                  label=f"closed form: {FORMS[how][0](runs[0])}")


def border(how, runs):
    """What the panel says if the closed form ends before the runs do."""
    outside = [lost(r) for r in runs if grid_of(r) and FORMS[how][1](r, lost(r)) is None]
    name = "flat cone" if how == FLAT else "cone"
    return [f"the border cuts the {name} off from L = {min(outside)} on: no closed form there"] if outside else []


def draw(axis, problem, records):
    found, left_out, lines = survey(records, WAYS)
    flow = [(how, found[how]) for how in (DATAFLOW, FLAT) if how in found]
    if flow and not grid_of(flow[0][1][0]):
        lines.append("no closed form of data-flow rollback is drawn for this kernel")
    for how, runs in flow:
        lines += border(how, runs)
    for how, runs in found.items():
        draw_way(axis, how, runs)
    values = [recomputed(r) for runs in found.values() for r in runs if recomputed(r) > 0]
    what = "iterations computed again, of all roles"
    if values and max(values) > DECADES * min(values):
        scale_by_decades(axis, what)
    else:
        axis.set_ylabel(what)
        axis.set_ylim(bottom=0)
    axis.set_title(problem + missing(problem, left_out, lines), fontsize=10)
    if found:
        axis.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False)
    return sum(map(len, found.values()))


def main():
    results, output = arguments(__doc__)
    found = with_failures(results)
    figure, axes = panels(len(found))
    figure.set_size_inches(figure.get_figwidth(), 5.8 / 4.2 * figure.get_figheight())  # with the legends
    count = sum(draw(axis, problem, records) for axis, (problem, records) in zip(axes[0], sorted(found.items())))
    figure.tight_layout()
    note(figure, f"{count} runs with one death each; L: iterations lost since the checkpoint. Iterations are no "
                 "measure of time or energy.")
    save(figure, output, "dataflow-iterations", "iterations computed again")


if __name__ == "__main__":
    main()
