#!/usr/bin/env python3
"""What `rollbench explain` prints of forecasts, which the rollbench program computes.

The object on standard input is one forecast, or {"failures": [...]} with the recoveries of a record, each with what was
recorded and its forecast; null: the record does not say where the roles were.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command, json_text

SETS = ("restarted", "perhaps_restarted", "active", "perhaps_active", "blocked")
FLAT = "dataflow:flat"
DATAFLOW = ("dataflow", FLAT)
NAMED = 32  # roles of a set that are named with data-flow rollback; --json has them all
DRAWN = 16  # rows and columns of the largest grid of roles that is drawn


def say_set(name, roles, named):
    left_out = f" ... ({len(roles) - named} more)" if len(roles) > named else ""
    print(f"  {name:<18} {len(roles):3}:" + "".join(f" {role}" for role in roles[:named]) + left_out)


def say_log(forecast):
    print(f"  largest log        {max(forecast['log_bytes_peak'])} bytes of payload in one role")


def say_rollback(forecast):
    print(f"back to iteration {forecast['checkpoint']}")
    for key in SETS:
        if forecast[key] or not key.startswith("perhaps"):
            say_set(key.replace("_", " "), forecast[key], len(forecast[key]))
    least, most = forecast["chain"]
    print(f"  rollback chain     {least:3}" + (f" to {most}" if most > least else ""))
    say_log(forecast)


def plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def say_distances(case):
    """Supporters by distance, and how many iterations each of them computes on its duplicate."""
    by_distance = {}
    for role in case["supporting"]:
        by_distance.setdefault(case["distance"][role], []).append(case["supported_each"][role])
    for distance, iterations in sorted(by_distance.items()):
        least, most = min(iterations), max(iterations)
        many = plural(most, "iteration") if least == most else f"{least} to {most} iterations"
        print(f"    distance {distance}: {plural(len(iterations), 'role')}, {many} each")


def say_iterations(case, flat):
    sums = case["iterations"]
    print("  iterations computed again")
    print(f"    with data-flow rollback  {sums['restarted'] + sums['supported']:>8} ({sums['restarted']} by restarted roles, "
          f"{sums['supported']} on duplicates)")
    if flat:
        print(f"    of these, in the cone    {sums['cone']:>8} (with --recompute dataflow that would be all)")
    print(f"    with rollback            {sums['rollback']:>8} (with the same policy)")
    print(f"    with full logging        {sums['full_logging']:>8} (policy all)")
    print(f"    with global rollback     {sums['global']:>8} (policy none)")


def cell(case, role):
    """Iterations that a role computes again."""
    if case["distance"][role] == 0:
        return f"{case['front'] - case['checkpoint']}*"
    each = case["supported_each"][role]
    return ". " if each is None else f"{each} "


def draw(case, layout):
    """The cone as a table, in the manner of the data-flow-rollback paper, Fig. 7."""
    grid = re.fullmatch(r"(\d+)x(\d+) roles", layout or "")
    if not grid or max(int(grid[1]), int(grid[2])) > DRAWN:
        return
    rows, columns = int(grid[1]), int(grid[2])
    cells = [cell(case, role) for role in range(rows * columns)]
    width = max(map(len, cells)) + 1
    print("  iterations of each role (*: restarted, 0: only sends, .: no duplicate)")
    for row in range(rows):
        print("   " + "".join(text.rjust(width) for text in cells[row * columns:(row + 1) * columns]).rstrip())


def say_case(case, layout, flat):
    """Data-flow rollback for one assumption about where the survivors are."""
    say_set("supporting", case["supporting"], NAMED)
    say_distances(case)
    say_set("sending only", case["sending"], NAMED)
    say_set("idle", case["idle"], NAMED)
    if case["global_after"] is not None:
        print(f"  the cone is global: with {plural(case['global_after'], 'lost iteration')} or more, all roles take part")
    say_iterations(case, flat)
    draw(case, layout)


def say_dataflow(forecast):
    later = forecast.get("perhaps")
    logs = bool(later) and later["front"] == forecast["front"]
    flat = forecast["recompute"] == FLAT
    print(f"back to iteration {forecast['checkpoint']}, with duplicates" + " that repeat everything" * flat)
    say_set("restarted", forecast["restarted"], NAMED)
    say_set("active", forecast["active"], NAMED)
    if forecast["perhaps_active"]:
        say_set("perhaps active", forecast["perhaps_active"], NAMED)
    say_log(forecast)
    for case in [forecast, later] if later else [forecast]:
        state = "" if not logs else " and have sent all messages of it" if case is later else " and have sent nothing in it"
        print(f"assumed that all survivors are in iteration {case['front']}{state}:")
        say_case({**case, "checkpoint": forecast["checkpoint"]}, forecast.get("layout"), flat)


def say(forecast):
    if forecast["recompute"] in DATAFLOW:
        say_dataflow(forecast)
    else:
        say_rollback(forecast)


def roles_of(observed):
    return {role for role in observed if isinstance(role, int)} if isinstance(observed, list) else set()


def agrees(observed, certain, perhaps):
    """The recorded set must have all that was certain and nothing that was impossible."""
    return set(certain) <= roles_of(observed) <= set(certain) | set(perhaps)


def agrees_exactly(failure, case, checkpoint):
    """Data-flow rollback of which only one course is possible."""
    return (failure.get("lost") == case["front"] - checkpoint
            and all(failure.get(key) == case[key] for key in ("supporting", "sending", "distance", "supported")))


def agrees_roughly(failure, least, most):
    """Of data-flow rollback two courses were foreseen, one of which needs more duplicates than the other."""
    def taking_part(case):
        return roles_of(case.get("supporting")) | roles_of(case.get("sending"))

    supported = failure.get("supported")
    return (taking_part(least) <= taking_part(failure) <= taking_part(most) and isinstance(supported, int)
            and least["supported"] <= supported <= most["supported"])


def same_duplicates(failure, forecast):
    if forecast["recompute"] not in DATAFLOW:
        return True
    if "perhaps" not in forecast:
        return agrees_exactly(failure, forecast, forecast["checkpoint"])
    return agrees_roughly(failure, forecast, forecast["perhaps"])


def compare(failure):
    """Does the recovery agree with its forecast, as far as that can be told?"""
    print(f"role {failure.get('role')} in iteration {failure.get('iteration')}: ", end="")
    forecast = failure["forecast"]
    if forecast is None:
        print("cannot be compared: a role died before it noted where it was")
        return True
    same = (agrees(failure.get("rollback_set"), forecast["restarted"], forecast["perhaps_restarted"])
            and agrees(failure.get("active"), forecast["active"], forecast["perhaps_active"])
            and same_duplicates(failure, forecast))
    print("agrees" if same else "DIFFERS")
    if not same:
        say(forecast)
    return same


def main(_):
    told = json_text.parse(sys.stdin.buffer.read())
    if "failures" not in told:
        say(told)
        return 0
    if not told["failures"]:
        print("no failure is recorded")
    return 0 if all([compare(failure) for failure in told["failures"]]) else 1


if __name__ == "__main__":
    command.run("explain", main)
