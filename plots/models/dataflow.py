"""usage: rollbench model dataflow [OPTION ...]

Print how much energy data-flow rollback saves compared with global rollback, in joules per second of
the whole run, by the model of the data-flow-rollback paper (Sect. 6, Eq. 3 to 7): as printed there, and
exactly. Nothing is run, and nothing is measured (docs/energy.md).

  --nodes N         nodes, with one process each (default 10000)
  --mtbf-node Y     mean time between two failures of one node, years (default 50)
  --interval C      iterations from one checkpoint to the next (default 10)
  --iteration S     seconds that an iteration takes (default 4)
  --saved W         watts that a process saves while it is idle in a recovery (default 10)
  --dim D           of the stencil: 1 (three points) or 2 (five points; default)
  --json [-]        print JSON, also by number of nodes and by interval
  --csv [-]         print these as a table with commas
  --help            this text
"""
import math

from plots.common import command, json_text
from plots.common.command import Refused
from plots.models import dataflow_model as model
from plots.models.dataflow_model import Case

SCHEMA = "rollbench-model-dataflow-1"
PAPER = Case(nodes=10000, mtbf_years=50, interval=10, iteration_s=4, saved_w=10, dim=2)
WHOLE = {"nodes": (2, 10 ** 12), "interval": (1, 10 ** 6), "dim": (1, 2)}  # least and most
FIELDS = {"nodes": "nodes", "mtbf-node": "mtbf_years", "interval": "interval", "iteration": "iteration_s",
          "saved": "saved_w", "dim": "dim"}  # of Case, by option
NODES = [step * 10 ** decade for decade in range(1, 6) for step in (1, 2, 5)] + [10 ** 6]
INTERVALS = range(1, 51)
WATTS_OF_A_MACHINE = 100  # the paper's, Sect. 6.4


def number(name, text):
    value = command.real(text)
    if name in WHOLE:
        least, most = WHOLE[name]
        if value is None or value != math.floor(value) or not least <= value <= most:
            raise Refused(f"--{name} {text}: expected a whole number from {least} to {most}")
        return int(value)
    if value is None or not 0 < value:
        raise Refused(f"--{name} {text}: expected a number above 0")
    return value


def arguments(words):
    """(the options that were given, as members of Case; "text", "json" or "csv")."""
    given, form, options = {}, "text", command.Options(words)
    for name, behind in options:
        if name in FIELDS:
            given[FIELDS[name]] = number(name, options.value())
        elif name in ("json", "csv") and behind in (None, "-"):
            form = options.form(form)
        else:
            raise options.unexpected(": unexpected argument; see `rollbench model dataflow --help`")
    return given, form


def rows(case):
    """The cases of the tables: by nodes, then by interval, each for stencils in one and in two dimensions."""
    for dim in (1, 2):
        for nodes in sorted({*NODES, case.nodes}):
            yield "nodes", case._replace(nodes=nodes, dim=dim)
    for dim in (1, 2):
        for interval in sorted({*INTERVALS, case.interval}):
            yield "interval", case._replace(interval=interval, dim=dim)


def as_rows(case):
    return [{"by": by, **one._asdict(), **model.results(one)} for by, one in rows(case)]


def say_table(case):
    found = model.results(case)
    print("%-46s%16s%16s" % ("", "as printed", "exact"))
    for what, name in (("P_active, processes that help (Eq. 4, 5)", "active_{}"),
                       ("P_idle, idle processes (Eq. 6)", "idle_{}"),
                       ("C_e, J per recovery and process (Sect. 6.3)", "per_process_{}_j")):
        print("%-46s%16.6g%16.6g" % (what, found[name.format("printed")], found[name.format("exact")]))
    print("%-46s%16.6g%16.6g" % ("E, J/s (Eq. 3)", found["saved_eq3_printed_w"], found["saved_exact_w"]))
    print("%-46s%16.6g" % ("E, J/s (Eq. 7: P_idle taken as n)", found["saved_eq7_printed_w"]))
    print("\nEq. 7 is as much as %.3g machines of %d W need" % (
        found["saved_eq7_printed_w"] / WATTS_OF_A_MACHINE, WATTS_OF_A_MACHINE))


def say_differences(case):
    print("\nexact: C_e is of the mean of 0 to C - 1, which is (C - 1) / 2; failures are in 0 <= i < C, not in 1 to C\n"
          "(Eq. 5); the replacement is not idle (Eq. 6); E is the mean of products over i. In two dimensions there are\n"
          "2 r (r + 1) neighbours within the radius r = i - 1, not 2 r^2 (Eq. 4).")
    print("\n%10s%18s%18s%18s%18s" % ("nodes", "E, Eq. 7", "E, Eq. 3", "E, Eq. 3 exact", "P_idle exact"))
    for nodes in sorted({*(n for n in NODES if str(n)[0] == "1"), case.nodes}):
        found = model.results(case._replace(nodes=nodes))
        print("%10d%18.6g%18.6g%18.6g%18.6g" % (nodes, found["saved_eq7_printed_w"], found["saved_eq3_printed_w"],
                                                found["saved_exact_w"], found["idle_exact"]))


def say(case, given):
    units = {"nodes": "nodes, one process each", "mtbf_years": "years between failures of a node",
             "interval": "iterations between checkpoints (C)", "iteration_s": "seconds per iteration",
             "saved_w": "watts saved by an idle process", "dim": "dimensions of the stencil"}
    for name, value in case._asdict().items():
        print("%-36s%12g   %s" % (units[name], value, "given" if name in given else "the paper's"))
    print()
    say_table(case)
    say_differences(case)
    print("\nModelled, not measured.")


def say_csv(case):
    table = as_rows(case)
    print(",".join(table[0]))
    for row in table:
        print(",".join(value if isinstance(value, str) else f"{value:.17g}" for value in row.values()))


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    given, form = arguments(words)
    case = PAPER._replace(**given)
    if form == "json":
        print(json_text.write({"schema": SCHEMA, "parameters": case._asdict(), **model.results(case),
                               "rows": as_rows(case)}))
    elif form == "csv":
        say_csv(case)
    else:
        say(case, given)
    return 0
