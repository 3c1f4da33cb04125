#!/usr/bin/env python3
"""What `rollbench explain` prints of forecasts, which the rollbench program computes.

The object on standard input is one forecast, or {"failures": [...]} with the recoveries of a record, each with what was
recorded and its forecast; null: the record does not say where the roles were.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command, json_text

SETS = ("restarted", "perhaps_restarted", "active", "perhaps_active", "blocked")


def say(forecast):
    print(f"back to iteration {forecast['checkpoint']}")
    for key in SETS:
        roles = forecast[key]
        if roles or not key.startswith("perhaps"):
            print(f"  {key.replace('_', ' '):<18} {len(roles):3}:" + "".join(f" {role}" for role in roles))
    least, most = forecast["chain"]
    print(f"  rollback chain     {least:3}" + (f" to {most}" if most > least else ""))
    print(f"  largest log        {max(forecast['log_bytes_peak'])} bytes of payload in one role")


def agrees(observed, certain, perhaps):
    """The recorded set must have all that was certain and nothing that was impossible."""
    there = {role for role in observed if isinstance(role, int)} if isinstance(observed, list) else set()
    return set(certain) <= there <= set(certain) | set(perhaps)


def compare(failure):
    """Does the recovery agree with its forecast, as far as that can be told?"""
    print(f"role {failure['role']} in iteration {failure['iteration']}: ", end="")
    forecast = failure["forecast"]
    if forecast is None:
        print("cannot be compared: a role died before it noted where it was")
        return True
    same = (agrees(failure["rollback_set"], forecast["restarted"], forecast["perhaps_restarted"])
            and agrees(failure["active"], forecast["active"], forecast["perhaps_active"]))
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
