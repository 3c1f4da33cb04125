"""Methods of recovery by policy and by what roles do that lack a log: how much they log against how much they compute again."""
from plots.common.runs import RESTART, nothing_of, one_death, recomputed, way
from plots.common.stats import mean


def policy(run):
    """As it was asked for: percentages are in bytes otherwise."""
    return run.get("policy_asked", run["policy"])


def recompute(run):
    return run.get("recompute", "rollback")


def methods(records):
    """({(policy, recompute): good runs}, Counter of what is left out, lines for the title).

    Job restart is no method of a running job, and power techniques change neither number.
    """
    planned = {}
    for record in records:
        if record["plan"] and way(record) != RESTART and record.get("power", "none") == "none":
            planned.setdefault((policy(record), recompute(record)), []).append(record)
    found, lines = {}, []
    good, left_out = one_death([r for runs in planned.values() for r in runs])
    for key, runs in planned.items():
        found[key] = [r for r in good if (policy(r), recompute(r)) == key]
        if not found[key]:
            lines.append(nothing_of(f"{key[0]} with {key[1]}", one_death(runs)[1]))
    restarted = sum(bool(r["plan"]) and way(r) == RESTART for r in records)
    if restarted:
        lines.append(f"not in this figure: {restarted} runs of job restart")
    return {key: runs for key, runs in found.items() if runs}, left_out, lines


def points(found, kills):
    """{(policy, recompute): (bytes, iterations, number of runs)}."""
    placed = {}
    for key, runs in found.items():
        mine = [r for r in runs if tuple(r["plan"]) in kills]
        placed[key] = (mean(r["log"]["bytes_peak"]["max"] for r in mine), mean(recomputed(r) for r in mine), len(mine))
    return placed


def front(placed):
    """[(bytes, iterations)] by bytes, of methods that no other one beats in one of the two without losing in the other."""
    found = []
    for across, up in sorted({(across, up) for across, up, _ in placed.values()}):
        if not found or up < found[-1][1]:
            found.append((across, up))
    return found
