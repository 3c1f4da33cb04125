#!/usr/bin/env python3
"""Who replays, as a table: active sets observed in records, and those of the paper's sizes.

usage: table_active.py RESULTS-FOLDER OUTPUT-FOLDER

After the last row of Table 2 of the power-log-n-roll paper. Beside what runs under `all` recorded stands the forecast for where
the failure found the roles (`rollbench explain --record RESULTS-FOLDER --json >RESULTS-FOLDER.explained.json`); for the paper's own
sizes, which need a cluster, there is the forecast alone (`rollbench papers forecasts`), beside what the paper observed there. Then
the same by shape of the reduction, and how the sets grow with the number of roles.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.files import text_of
from plots.common.forecasts import NoForecast, beside, explained
from plots.common.runs import failing, groups, load, said, way
from plots.tables import active_shapes

# The kernels have exchanges and reductions along the axes of their grids because this gives the paper's sets, so that they agree proves
# nothing (docs/kernels.md).
CHOSEN = "by construction: exchanges and reductions were chosen so"
# (the paper's row, what explain is asked, the paper's set, what is to be said of it)
PAPER = (
    ("lulesh, 125 roles", "lulesh --np 125 --edge 45 --interval 100 --policy all --kill 0@90", [1, 5, 25], CHOSEN),
    ("lulesh, 125 roles, exchange=all", "lulesh --np 125 --edge 45 --interval 100 --exchange all --policy all --kill 0@90", [1, 5, 25],
     "forces with all 26 neighbours, as the reference LULESH: the paper's set has no roles across edges and corners"),
    ("cg class D, 128 roles", "cg --class D --np 128 --interval 100 --policy all --kill 0@95", [1, 2, 4, 8], CHOSEN),
    ("jacobi, 144 roles as 18x8", "jacobi --np 144 --decomp 18x8 --grid 90000 --interval 25 --policy all --kill 0@18", [1, 8], CHOSEN),
    ("jacobi, 144 roles, most square", "jacobi --np 144 --grid 90000 --interval 25 --policy all --kill 0@18", [1, 8],
     "our default is 12x12, so the neighbour below is role 12; the paper's grid of roles has rows of 8"),
)


def show(roles):
    return "{" + ", ".join(map(str, roles)) + "}"


def foretold(answer):
    perhaps = answer["perhaps_active"]
    return show(answer["active"]) + (f", perhaps {show(perhaps)}" if perhaps else "")


def agrees(answer, active):
    return set(answer["active"]) <= set(active) <= {*answer["active"], *answer["perhaps_active"]}


def recovery_of(answers, record):
    """(its forecast in words, does it agree?) of the record's only recovery."""
    found, failure = answers.get(record["id"], {}), record["failures"][0]
    if "left_out" in found:
        return f"unknown: {found['left_out']}", "unknown"
    recovery = next(iter(found.get("recoveries", [])), {"fronts": None})
    if recovery["fronts"] != failure["fronts"]:
        raise NoForecast(f"{record['id']}: this recovery has not been explained; call `rollbench explain --record` again")
    if recovery["forecast"] is None:
        return "unknown: a role died before it noted where it was", "unknown"
    return foretold(recovery["forecast"]), "yes" if recovery["agrees"] and agrees(recovery["forecast"], failure["active"]) else "NO"


def observed(records, answers):
    """Rows of the first table with their runs, and which runs were left out. Techniques change no set."""
    rows, left_out = collections.Counter(), collections.Counter()
    for name, mine in groups(records).items():
        for how in dict.fromkeys(way(r) for r in mine if r["policy"] == "all"):
            runs, others = failing(mine, how)
            left_out += others
            for run in runs:
                failure = run["failures"][0]
                rows[(name.splitlines()[0], run["plan"][0], tuple(failure["active"]), len(failure["blocked"]),
                      *recovery_of(answers, run))] += 1
    return rows, left_out


def write_observed(out, records, answers):
    rows, left_out = observed(records, answers)
    out.write("### Observed\n\n| run | killed | restarted | active, observed | blocked | runs "
              "| active, foretold | agrees |\n|---|---|---|---|---|---|---|---|\n")
    for (name, kill, active, blocked, forecast, same), count in rows.items():
        out.write(f"| {name} | {kill} | {show([kill.split('@')[0]])} | {show(active)} | {blocked} | {count} | {forecast} | {same} |\n")
    out.write(f"\nNot in it: {said(left_out) or 'none'}.\n")
    return all(row[-1] != "NO" for row in rows)


def write_paper(out, forecasts):
    out.write("\n### The paper's sizes (Table 2, role 0 killed)\n\n| run | paper, observed | "
              "foretold | the same | |\n|---|---|---|---|---|\n")
    for name, words, theirs, why in PAPER:
        answer = forecasts.answer(f"explain {words}")
        same = "no" if not agrees(answer, theirs) else "by construction" if why == CHOSEN else "yes"
        out.write(f"| {name} | {show(theirs)} | {foretold(answer)} | {same} | {why} |\n")


def main():
    results, output = arguments(__doc__)
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(output) / "active.md"
    try:
        with text_of(path) as out:
            fine = write_observed(out, load(results), explained(results))
            write_paper(out, beside(results))
            active_shapes.write_variants(out, beside(results))
            active_shapes.write_growth(out, beside(results))
    except NoForecast as error:
        sys.exit(str(error))
    print(f"who replays: {path}")
    if not fine:
        sys.exit("a recovery is not the one foretold")


if __name__ == "__main__":
    main()
