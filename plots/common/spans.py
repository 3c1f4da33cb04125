"""What roles used in each iteration and in a recovery: from the spans in records[...]["trace"].

A span is a stretch of a role's time (a step, a repair, waiting blocked, ...) with what it used. What
was not measured stays None: a sum over spans of which one is None is None, too.
"""
import collections
import sys

from plots.common.runs import LOOK, RESTART, groups, load, missing, nothing_of, survey

STRATEGIES = [how for how in LOOK if how != RESTART]
HATCH = dict(zip(STRATEGIES, ("", "///", "...", "xxx", "\\\\\\", "ooo", "|||", "---", "+++", "***", "OO", "**"),
                 strict=True))
OUTSIDE = ("setup", "verify", "close")  # phases before and after the time-step loop
SUMMED = ("wall_s", "cpu_s", "package_j")


def problems(records):
    """{title: {strategy: runs}} and {title: (left out, lines)} for runs that died the same death.

    What is missing is as runs.survey() says. A problem without any good run is told here.
    """
    found, left_out = {}, {}
    for name, mine in groups(records).items():
        for death in dict.fromkeys(tuple(r["plan"]) for r in mine if r["plan"]):
            same = [r for r in mine if tuple(r["plan"]) == death]
            title = f"{name}\nkilled: {', '.join(death)}"
            if any(r["oversubscribed"] for r in same):
                title += "; oversubscribed: more ranks than cores"
            found[title], *left_out[title] = survey(same, STRATEGIES)
            if not found[title]:
                missing(title, *left_out[title])
    return {k: v for k, v in found.items() if v}, left_out


def problems_in(results):
    """problems() of a results folder; a script ends with a message if none can be drawn."""
    found, left_out = problems(load(results))
    if not found:
        sys.exit(f"{results}: no records of runs with failures that can be drawn")
    return found, left_out


def traced(strategies):
    """The runs that have a whole trace."""
    whole = {how: [r for r in runs if r.get("trace") and not any(t["dropped"] for t in r["trace"])]
             for how, runs in strategies.items()}
    return {how: runs for how, runs in whole.items() if runs}


def spans_of(run, without=(*OUTSIDE, "finish")):
    """{role: [span]} in order of time; a span has the trace's columns.

    without: phases that are left out; unless they are named, those that belong to no iteration.
    """
    return {t["role"]: [span for span in (dict(zip(t["columns"], row)) for row in t["rows"])
                        if span["phase"] not in without] for t in run["trace"]}


def add_up(spans):
    return {key: None if any(s[key] is None for s in spans) else sum(s[key] for s in spans)
            for key in SUMMED}


def fronts(spans, failed_at):
    """The iteration that each span helps to complete: the farthest that the role has ever been in.

    What it does after a rollback to get there again is part of the iteration that the failure found
    it in, failed_at: from the start of that to its completion.
    """
    front, incarnation = -1, None
    for span in spans:
        if span["iteration"] < front or incarnation not in (None, span["incarnation"]):
            front = max(front, failed_at)
        front, incarnation = max(front, span["iteration"]), span["incarnation"]
        yield front


def by_iteration(run):
    """{role: {iteration: sums}}, from the start of each iteration to its completion."""
    found = {}
    for role, spans in spans_of(run).items():
        mine = {}
        for front, span in zip(fronts(spans, run["failures"][0]["fronts"][role]), spans):
            mine.setdefault(front, []).append(span)
        found[role] = {i: add_up(spans) for i, spans in mine.items()}
    return found


def at_front(run):
    """{role: sums} of the iteration that the failure found it in; without roles that have none."""
    fronts = run["failures"][0]["fronts"]
    return {role: mine[fronts[role]] for role, mine in by_iteration(run).items() if fronts[role] in mine}


def part(run, role):
    """What the role did in the recovery.

    Active and supporting roles keep their state and work for the restarted ones: active ones replay or only send,
    supporting ones recompute on a duplicate.
    """
    failure = run["failures"][0]
    return ("restarted" if role in failure["rollback_set"] else
            "supporting" if role in failure.get("supporting", ()) else
            "active" if role in (*failure["active"], *failure.get("sending", ())) else "blocked")


def measured_watts(run, role, sums):
    """Of the package that the role reads; None if it reads none."""
    known = sums["package_j"] is not None and sums["wall_s"]
    return sums["package_j"] / sums["wall_s"] if known else None


def whose(run, role, number):
    """What a number of a role is one of: the role, or the package that it happened to read."""
    packages = (run.get("energy") or {}).get("packages") or []
    read = [(p["host"], p["package"]) for p in packages if p["reader"] == role]
    return read[0] if number is measured_watts and read else role


def busy_share(run, role, sums):
    return sums["cpu_s"] / sums["wall_s"] if sums["wall_s"] else None


def modelled_watts(run, role, sums):
    """Of the role's share of its core: roles that share one share its idle watts."""
    profile, share = run["modelled"]["profile"], busy_share(run, role, sums)
    core = next(c for c in run["modelled"]["by_core"] if role in c["roles"])
    idle = profile["idle_w"]
    return None if share is None else (idle / len(core["roles"])
                                       + (profile["busy_w"] - idle) * share)


def one_profile(runs):
    """The name of the power model that all these runs have in common; None: they have none."""
    profiles = [r.get("modelled", {}).get("profile") for r in runs]
    return profiles[0]["name"] if profiles[0] and all(p == profiles[0] for p in profiles) else None


def power_meter(strategies):
    """(how to get a number, its name): the best that all these runs have."""
    runs = [r for mine in strategies.values() for r in mine]
    if all(any(measured_watts(r, role, sums) is not None for role, mine in by_iteration(r).items()
               for sums in mine.values()) for r in runs):
        return measured_watts, "power of a package, measured [W]"
    profile = one_profile(runs)
    if profile and all(r["modelled"]["by_core"] for r in runs):
        return modelled_watts, f"modelled power of a role\n(profile {profile}) [W]"
    return busy_share, "busy share of a role\n(CPU time / wall time)"


def say_left_out(title, left_out, strategies=(), with_trace=()):
    """Aloud, and as lines for the figure's title. left_out: as problems() has it.

    strategies, with_trace: {strategy: runs}, all that are good and those of which traced() is made.
    """
    others, lines = left_out
    without = {how: len(strategies[how]) - len(with_trace.get(how, ())) for how in strategies}
    others = others + collections.Counter({"without a whole trace": sum(without.values())})
    lines = lines + [nothing_of(LOOK[how]["label"], {"without a whole trace": without[how]})
                     for how in strategies if how not in with_trace]
    return missing(title, others, lines)


def must_be_traced(title, strategies, left_out):
    """(traced(), say_left_out()) of a problem; a script ends with a message if no run has a trace."""
    whole = traced(strategies)
    lines = say_left_out(title, left_out, strategies, whole)
    if not whole:
        sys.exit(f"{title.splitlines()[0]}: no trace in the records; run with --meters iterations")
    return whole, lines
