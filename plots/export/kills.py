"""Planned kills, taken apart: those of --kill and --kill-at of the engine, and those of runs with --protocol."""
import re

from plots.export.trace_cut import items

IN_ITERATION = re.compile(r"(spare|node|host|)(\d+)@(\d+)(?::([a-z]+)(?:\+(\d+))?)?(?:#(\d+))?")
BY_CLOCK = re.compile(r"(start\+|)(\d+(?:\.\d+)?):(spare|)(\d+)")
OF_LINE = re.compile(r"(\d+)@(\d+)(?::(\w+))?")


def victim(prefix, number):
    return {"who": prefix or "role", "other" if prefix else "role": int(number)}


def in_iteration(option):
    """"3@13:op+5#2" as a row; {} if it is none."""
    found = IN_ITERATION.fullmatch(option)
    if not found:
        return {}
    prefix, number, iteration, phase, amount, nth = found.groups()
    return {**victim(prefix, number), "iteration": int(iteration), "phase": phase or "start",
            "amount": amount and int(amount), "nth": int(nth or 1)}


def by_clock(option):
    """"start+0.25:spare0" as a row; {} if it is none."""
    found = BY_CLOCK.fullmatch(option)
    return {**victim(*found.groups()[2:]), "at_s": float(found[2]), "at_start": bool(found[1])} if found else {}


def texts(record, key):
    return [one for one in items(record.get(key)) if isinstance(one, str)]


def of_run(record):
    """A row for each planned kill; a plan may have the same kill twice."""
    unfired, kills = texts(record, "unfired"), []
    for option in texts(record, "plan"):
        if not_fired := option in unfired:
            unfired.remove(option)
        kills.append({"option": option, **in_iteration(option), "fired": not not_fired})
    for one in (items(each, dict) for each in items(record.get("killed_from_outside"))):
        option = one.get("kill") if isinstance(one.get("kill"), str) else ""
        kills.append({"option": option, **by_clock(option), "fired": one.get("pid") is not None})
    return [{"id": record.get("id"), "number": number, **kill} for number, kill in enumerate(kills)]


def only(kills):
    """The only planned kill; {} if there is none, or more than one."""
    return kills[0] if len(kills) == 1 else {}


def of_line(option):
    """The processes that an option is for: "1@30:cut", or by the clock "0.25:1,0.25:0" or "start+0.1:2"."""
    if found := OF_LINE.fullmatch(option):
        return [{"rank": int(found[1]), "safe_point": int(found[2]), "phase": found[3] or "start"}]
    clock = [by_clock(each) for each in option.split(",")]
    return [{"rank": each["role"], "at_s": each["at_s"], "at_start": each["at_start"]} for each in clock if "role" in each]


def of_elc_run(record):
    """A row for each process that a job should lose; jobs are numbered from 1."""
    unfired = texts(record, "unfired")
    for number, option in enumerate(texts(record, "plan"), 1):
        for kill in of_line(option):
            yield {"id": record.get("id"), "job": number, "option": option, **kill, "fired": option not in unfired}
