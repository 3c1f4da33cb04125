#!/usr/bin/env python3
"""The data-flow-rollback paper's simulated experiment (Fig. 6) from records of `rollbench simulate`: modelled, not measured.

usage: fig6_simulated.py RESULTS-FOLDER OUTPUT-FOLDER

A line of roles with random failures. fig6a-simulated: iterations computed again against the number of roles. fig6b-simulated:
energy that data-flow rollback saves compared with global rollback, by 500 J per iteration that is not computed again (the
paper's Fig. 6b), by 10 W for 4 s (its Sect. 6) and by the watts of the model's states, each with a quadratic fit.
fig6c-simulated: time of the whole run, and its difference to global rollback with the same failures. A small dot per run, a
large mark per mean over the seeds. Closed forms and fits are printed.
"""
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save, share_range
from plots.common.runs import LOOK
from plots.common.simulations import makespan
from plots.common.stats import deviation, mean, polynomial
from plots.forecast import records, synchronous
from plots.forecast.records import LOOK_OF, differences, energy, recomputed, values

NAMES = {"global": "global rollback", "flat": "data-flow rollback, flat", "dataflow": "data-flow rollback",
         "local": "local rollback"}
LINES = {"barrier": "all roles wait for each other before a checkpoint", "free": "roles do not wait before a checkpoint"}
SHORT = {"barrier": "with waiting", "free": "without waiting"}
JOULES = {"500 J per iteration that is not computed again\n(4 s at 125 W: the paper's Fig. 6b)": 500,
          "10 W for 4 s per iteration that is not computed again\n(the paper's Sect. 6)": 10 * 4}
OWN = dict(color="#2f6f6f", marker="^", label="local rollback, each role\nhas its own checkpoints")


def look(method):
    return {**LOOK[LOOK_OF[method]], "label": NAMES[method]}


def case_of(record):
    """The arguments of the closed forms."""
    model, costs = record["model"], record["model"]["costs"]
    message = costs["latency_s"] + model["bytes"][0] / costs["bytes_per_s"]
    return synchronous.Case(model["np"], model["steps"], model["work_s"][0] + message, model["interval"],
                            costs["checkpoint_s"], model["random_failures"]["mtbf_node_s"])


def draw_dots(axis, found, style, shift=0):
    """found: {np: values}. Small dots for runs, large marks for means."""
    axis.plot([np + shift for np, mine in found.items() for _ in mine], [v for mine in found.values() for v in mine],
              linestyle="none", markersize=2.5, alpha=0.45, color=style["color"], marker=style["marker"])
    axis.plot([np + shift for np in found], [mean(mine) for mine in found.values()], linestyle="none", markersize=6, **style)


def side_by_side(by_np, count, at):
    """By how much the marks of one of `count` methods are moved, so that equal ones can be seen."""
    step = min([b - a for a, b in zip(by_np, list(by_np)[1:])], default=100)
    return 0.7 * step / count * (at - (count - 1) / 2)


def in_words(value):
    return f"{value:.3g}" if abs(value) < 1e6 else f"{value:.2e}"


def crashes(by_np):
    """'3.2 to 29.1 (expected: 2.8 to 30.2)': of global rollback, at the least and the largest number of roles."""
    found = values(by_np, "global", lambda run: run["failures"])
    ends = (min(found), max(found))
    drawn = " to ".join(f"{mean(found[np]):.3g}" for np in ends)
    return f"{drawn} (expected: {' to '.join(f'{synchronous.crashes(case_of(by_np[np])):.3g}' for np in ends)})"


def set_axes(axis, by_np, up):
    axis.set_xlabel("roles, one per node")
    axis.set_ylabel(up)
    axis.set_xticks(list(by_np))
    step = min([b - a for a, b in zip(by_np, list(by_np)[1:])], default=100)
    axis.set_xlim(min(by_np) - 0.6 * step, max(by_np) + 0.6 * step)


def legend_below(axis, **more):
    axis.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False, title_fontsize=7.5, **more)


def draw_recomputed(axis, line, by_np):
    zeros = 0
    for at, method in enumerate(NAMES):
        found = values(by_np, method, recomputed)
        zeros += sum(v == 0 for mine in found.values() for v in mine)
        draw_dots(axis, found, look(method), side_by_side(by_np, len(NAMES), at))
        if line == "barrier":
            axis.plot(list(by_np), [synchronous.recomputed(case_of(r), method) for r in by_np.values()], linestyle="--",
                      linewidth=1, color=look(method)["color"])
    if line == "barrier":
        axis.plot([], [], linestyle="--", linewidth=1, color="black", label="closed form, expected value")
    axis.set_yscale("log")
    set_axes(axis, by_np, "iterations computed again, logarithmic")
    axis.set_title(f"{LINES[line]}\nfailures per run: {crashes(by_np)}"
                   + (f"\n{zeros} runs with 0 are in the means, but not among the dots" if zeros else ""), fontsize=9)
    legend_below(axis, ncols=2)


def what_is_modelled(lines):
    """Below each figure."""
    record = next(iter(next(iter(lines.values())).values()))
    model, seeds = record["model"], len(records.runs(record, record["runs"][0]["method"]))
    hours = model["random_failures"]["mtbf_node_s"] / 3600
    engines = sorted({run["engine"] for by_np in lines.values() for r in by_np.values() for run in r["runs"]})
    programs = records.commits(lines)
    return (f"Modelled, not measured (rollbench simulate, engine {', '.join(engines)}"
            + (f", records of {len(programs)} programs" if len(programs) > 1 else "") + f"). {model['steps']} iterations "
            f"of {model['work_s'][0]:g} s, {model['bytes'][0] / 1e6:g} MB to each neighbour, checkpoint every "
            f"{model['interval']} iterations,\nMTBF {hours:g} h per node, {seeds} seeds at each number of roles, the same "
            "for all methods. Small dots: runs; large marks: means.")


def figure_recomputed(lines, output):
    figure, axes = panels(len(lines))
    for axis, (line, by_np) in zip(axes[0], lines.items()):
        draw_recomputed(axis, line, by_np)
    share_range(axes[0])
    figure.tight_layout()
    note(figure, what_is_modelled(lines) + "\nIterations of all roles, also on duplicates; of iterations that a failure "
                 "broke off, nothing is counted. Marks are side by side\nso that equal ones are seen; closed forms are at the number itself.")
    save(figure, output, "fig6a-simulated", "iterations computed again, simulated")


def fit(found):
    """(a, b, c) of a n^2 + b n + c by least squares, over all runs."""
    return polynomial([(np, v) for np, mine in found.items() for v in mine], 2)


def say_fit(line, what, found):
    """The legend; on standard output with more digits. The largest np shows the scatter."""
    a, b, c = fit(found)
    most = max(found)
    print(f"{' '.join(what.split())}, {SHORT[line]}: {a:.6g} n^2 {b:+.6g} n {c:+.6g} J; at n = {most}: "
          f"{mean(found[most]):.4g} J, standard deviation {deviation(found[most]):.2g} J of {len(found[most])} seeds")
    return (f"{SHORT[line]}:\n{in_words(a)} n² {'+' if b >= 0 else '−'} {in_words(abs(b))} n "
            f"{'+' if c >= 0 else '−'} {in_words(abs(c))} J")


def is_lost_in_scatter(found):
    """[np] where the mean over the seeds is not above their standard deviation."""
    return [np for np, mine in found.items() if abs(mean(mine)) <= deviation(mine)]


def draw_saved(axis, what, by_line):
    """by_line: {line: {np: joules saved}}"""
    scattered = []
    for shift, (line, found) in enumerate(by_line.items()):
        style = dict(color={"barrier": "#d147a3", "free": "#4c72b0"}[line],
                     marker={"barrier": "X", "free": "P"}[line])
        draw_dots(axis, found, {**style, "label": say_fit(line, what, found)}, side_by_side(found, 2 * len(by_line), shift + 1))
        across = numpy.linspace(min(found), max(found), 100)
        axis.plot(across, numpy.polyval(fit(found), across), color=style["color"], linewidth=1)
        scattered += [f"{np} ({SHORT[line]})" for np in is_lost_in_scatter(found)]
    set_axes(axis, next(iter(by_line.values())), "energy saved by data-flow rollback [J]")
    axis.set_title(what + "\n" + ("mean not above the scatter of the seeds at " + ", ".join(scattered) if scattered
                                  else "all means are above the scatter of the seeds"), fontsize=9)
    axis.legend(fontsize=7.5, loc="upper left", title="means and quadratic fit", title_fontsize=7.5)


def figure_saved(lines, output):
    watts = next(iter(next(iter(lines.values())).values()))["model"]["watts"]
    figure, axes = panels(len(JOULES) + 1)
    for axis, (what, joules) in zip(axes[0], JOULES.items()):
        draw_saved(axis, what, {line: {np: [joules * v for v in mine] for np, mine in
                                       differences(by_np, "global", "dataflow", recomputed).items()}
                                for line, by_np in lines.items()})
    own = f"the model's states: {watts['compute']:g} W computing, {watts['wait']:g} W waiting,\nfor the time they take"
    draw_saved(axes[0][-1], own, {line: differences(by_np, "global", "dataflow", energy) for line, by_np in lines.items()})
    figure.tight_layout()
    note(figure, what_is_modelled(lines) + "\nGlobal rollback minus data-flow rollback with the same failures. "
         "The first two panels value a number of iterations, the third the "
                 "states of the roles over time: three prices of the same runs. The axes differ.")
    save(figure, output, "fig6b-simulated", "energy saved, simulated")


def drawn_of(by_np, own, first):
    """[(name, look, {np: runs' times or differences})] of a panel; first: what makes them of records and a method."""
    found = [(NAMES[method], look(method), first(by_np, method)) for method in NAMES]
    return found + ([("own checkpoints", OWN, first(own, "local"))] if own else [])


def draw_time(axis, line, by_np, own):
    drawn = drawn_of(by_np, own, lambda folder, method: values(folder, method, makespan))
    for at, (_, style, found) in enumerate(drawn):
        draw_dots(axis, found, style, side_by_side(by_np, len(drawn), at))
    if line == "barrier":
        axis.plot(list(by_np), [synchronous.makespan(case_of(r)) for r in by_np.values()], linestyle="--", linewidth=1,
                  color="black", label="closed form, expected value")
    set_axes(axis, by_np, "time of the run [s]")
    axis.set_title(LINES[line], fontsize=9)
    axis.legend(fontsize=7.5, loc="upper left")


def say_difference(line, name, found, by_np):
    """Where the mean is above the standard deviation of global rollback over the same seeds; also printed."""
    scatter = {np: deviation(mine) for np, mine in values(by_np, "global", makespan).items()}
    above = [np for np, mine in found.items() if abs(mean(mine)) > scatter[np]]
    most = max(found)
    text = (f"{mean(found[most]):+.3g} s at {most} roles, where the scatter of the seeds is ±{scatter[most]:.3g} s; "
            + (f"above it at {', '.join(map(str, above))}" if above else "nowhere above it"))
    print(f"time of the run, {SHORT[line]}, {name} - global rollback: {text}")
    return text


def draw_difference(axis, line, by_np, own):
    drawn = drawn_of(by_np, own, lambda folder, method: differences(folder, method, "global", makespan, by_np))
    for at, (name, style, found) in enumerate(drawn[1:]):
        text = say_difference(line, name, found, by_np).replace("; ", ";\n")
        draw_dots(axis, found, {**style, "label": f"{name}: {text}"}, side_by_side(by_np, len(drawn) - 1, at))
    axis.axhline(0, color="black", linewidth=0.8)
    set_axes(axis, by_np, "minus global rollback, same failures [s]")
    legend_below(axis, title="mean difference")


def figure_time(lines, all_lines, output):
    figure, axes = panels(len(lines), 2)
    for column, (line, by_np) in enumerate(lines.items()):
        own = all_lines.get("own", {}) if line == "free" else {}
        draw_time(axes[0][column], line, by_np, own)
        draw_difference(axes[1][column], line, by_np, own)
    for row in axes:
        share_range(row)
    figure.tight_layout()
    note(figure, what_is_modelled(lines) + "\nMarks are side by side so that equal ones are seen. Panels of a row have the "
                 "same axis.")
    save(figure, output, "fig6c-simulated", "time of the run, simulated")


def main():
    folder, output = arguments(__doc__)
    all_lines = records.load(folder)
    lines = {line: by_np for line, by_np in all_lines.items() if line in LINES}
    if not lines:
        sys.exit(f"{folder}: only records with line own; simulate barrier or free, too")
    figure_recomputed(lines, output)
    figure_saved(lines, output)
    figure_time(lines, all_lines, output)


if __name__ == "__main__":
    main()
