"""Power of roles or nodes over time, relative to a failure: what plots/figures/power_over_time.py draws.

The times of all runs begin when the first survivor notices the failure. Values of a stretch of time are means
over it: of a role from its spans, of which each is taken as even; of a node from the straight lines between
its wattmeter's readings. Where a role has no span, or a node no reading on both sides, there is no value.
"""
import typing

from plots.common.spans import OUTSIDE, modelled_watts, one_profile, spans_of
from plots.common.stats import mean, mean_and_deviation, median

PARTS = ("supporting", "sending", "blocked")  # of a role, from the most active on; a restarted role is in no panel
BINS = 80


class Meter(typing.NamedTuple):
    """kind: "watts", "modelled" or "busy"."""
    kind: str
    name: str
    note: str
    of_nodes: bool = False

    def form(self, value):
        return {"watts": f"{value:.4g} W", "modelled": f"{value:.3g} W", "busy": f"{value:.3g}"}[self.kind]


WATTS = Meter("watts", "power of a node, by wattmeter [W]",
              "Watts: whole nodes, measured from outside (--watts). The axis does not begin at 0.", True)
BUSY = Meter("busy", "busy share of a role\n(CPU time / wall time)",
             "No watts were measured or modelled: the busy share is CPU time over wall time, and no power.")


class Times(typing.NamedTuple):
    run: dict  # as long as it is kept no other object has its id
    noticed: float  # when the first survivor noticed the failure, in the trace's time
    spans: dict  # {role: [(begin, end, span)]} in the time-step loop, 0 being the failure


KNOWN = {}  # {id of a run: its Times}: they are asked for once per stretch of time


def times_of(run):
    if id(run) not in KNOWN:
        by_role = spans_of(run, without=OUTSIDE)
        begins = [s["t_s"] - s["wall_s"] for mine in by_role.values() for s in mine if s["phase"] == "repair"]
        zero = min(begins, default=0.0)
        KNOWN[id(run)] = Times(run, zero, {role: [(s["t_s"] - s["wall_s"] - zero, s["t_s"] - zero, s) for s in mine]
                                           for role, mine in by_role.items()})
    return KNOWN[id(run)]


def spans(run, role):
    return times_of(run).spans.get(role, [])


def noticed(run):
    return times_of(run).noticed


def duration(run):
    """Seconds until the last role that went back has its state and is where the failure found it."""
    failure, end = run["failures"][0], 0.0
    for role in failure["rollback_set"]:
        front = failure["fronts"][role]
        ends = [e for _, e, s in spans(run, role) if e > 0 and (
            s["phase"] == "restore" or (s["phase"] == "step" and s["iteration"] < front))]
        end = max([end, *ends])
    return end


def parts_of(runs):
    """{part: roles} as data-flow rollback has them, without a way of saving power if there is such a run."""
    flow = [r for how in sorted(runs) if "dataflow" in how for r in runs[how]]
    if not flow:
        return {}
    failure = flow[0]["failures"][0]
    return {part: failure[part] for part in PARTS if failure.get(part)}


def nodes_of(run, parts):
    """{part: names of nodes} of which this is the part of the most active role; nodes of restarted roles have none."""
    found = {}
    for node in run["watts"]["nodes"]:
        mine = [next((p for p in PARTS if role in parts.get(p, ())), "restarted") for role in node["roles"]]
        if mine and "restarted" not in mine:
            found.setdefault(min(mine, key=PARTS.index), []).append(node["node"])
    return found


def has_watts(run):
    watts = run.get("watts")
    return bool(watts) and watts["reason"] is None and all(len(n["readings"]) > 1 for n in watts["nodes"])


def meter_of(runs, parts):
    """The best that all runs have. With watts, parts becomes {part: nodes}: only whole nodes are measured."""
    every = [r for mine in runs.values() for r in mine]
    nodes = nodes_of(every[0], parts) if all(has_watts(r) for r in every) else {}
    if nodes and all(nodes_of(r, parts) == nodes for r in every):
        parts.clear()
        parts.update(nodes)
        return WATTS
    profile = one_profile(every)
    if profile and all(r["modelled"]["by_core"] for r in every):
        return Meter("modelled", f"modelled power of a role\n(profile {profile}) [W]",
                     f"Modelled, not measured: CPU time with the watts of the profile {profile}.")
    return BUSY


def span_mean(run, role, meter, begin, end):
    """Of a role from begin to end; None if its spans do not fill that time to nine tenths."""
    cpu = wall = 0.0
    for first, last, span in spans(run, role):
        common = min(last, end) - max(first, begin)
        if common > 0 and span["cpu_s"] is not None:
            wall += common
            cpu += span["cpu_s"] * common / (last - first)
    if wall < 0.9 * (end - begin):
        return None
    sums = {"cpu_s": cpu, "wall_s": wall}
    return modelled_watts(run, role, sums) if meter.kind == "modelled" else cpu / wall


def integral(readings, begin, end):
    """Joules by the trapezoid rule; None without a reading on both sides."""
    if not readings or readings[0][0] > begin or readings[-1][0] < end:
        return None
    total = 0.0
    for (t, w), (u, v) in zip(readings, readings[1:]):
        first, last = max(t, begin), min(u, end)
        if first < last:
            total += (last - first) * (w + (v - w) * ((first + last) / 2 - t) / (u - t))
    return total


def node_mean(run, name, begin, end):
    node, = (n for n in run["watts"]["nodes"] if n["node"] == name)
    zero = noticed(run)
    joules = integral(node["readings"], begin + zero, end + zero)
    return None if joules is None else joules / (end - begin)


def stretch(run, units, meter, begin, end):
    """Mean over the units; None if one of them has no value."""
    values = [node_mean(run, u, begin, end) if meter.of_nodes else span_mean(run, u, meter, begin, end) for u in units]
    return None if not values or None in values else mean(values)


def power(run, units, meter, middle, width):
    return stretch(run, units, meter, middle - width / 2, middle + width / 2)


def inside(run, units, meter):
    """Mean within the recovery."""
    return stretch(run, units, meter, 0, duration(run)) if duration(run) > 0 else None


def grid(runs):
    """[(middle, width)] of stretches of equal length over the time that all runs have in common."""
    every = [r for mine in runs.values() for r in mine]
    ends = [[(s[0][0], s[-1][1]) for role in range(r["np"]) if (s := spans(r, role))] for r in every]
    begin = max(min(b for b, _ in one) for one in ends)
    end = max(max(e for _, e in one) for one in ends)
    width = (end - begin) / BINS
    return [(begin + (i + 0.5) * width, width) for i in range(BINS)]


def summary(values):
    """(mean, standard deviation), (0 of one value)."""
    return mean_and_deviation(values) if len(values) > 1 else (values[0], 0.0) if values else (None, None)


def spread_of(lines):
    """[(mean, standard deviation)] of several runs' values at the same times.

    None where fewer than half of them have one.
    """
    found = []
    for values in zip(*lines):
        known = [v for v in values if v is not None]
        found.append(summary(known) if 2 * len(known) >= len(values) else (None, None))
    return found


def control_words(runs):
    """What the control shows: recoveries in which also the working roles are slowed down, beside those in which only
    idle roles sleep."""
    slowed, others = ([duration(r) for r in runs.get(how, ())]
                      for how in ("none+dataflow+slow-all", "none+dataflow+sleep"))
    if not slowed or not others:
        return []
    said = (f"Control: with all roles slowed down recoveries took {min(slowed):.3g} to {max(slowed):.3g} s, with only "
            f"idle roles asleep {min(others):.3g} to {max(others):.3g} s: ")
    return [said + (f"{median(slowed) / median(others):.2g} times as long (medians)." if min(slowed) > max(others) else
                    "these ranges overlap, so no loss of time is shown.")]
