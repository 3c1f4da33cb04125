"""Paired runs: protection on and off in turn, by blocks of iterations of the same processes (`rollbench run --paired`)."""
from plots.common.runs import crowded, groups, is_good, named


def of_run(record):
    """[seconds with protection over those without] of the pairs of blocks of a run."""
    return [protected / bare for protected, bare in zip(record["paired"]["protected_s"], record["paired"]["bare_s"])]


def ratios(records, kernel):
    """{problem: those of all runs} of good runs of a kernel whose roles have a core each."""
    found = {}
    for name, mine in named(groups([record for record in records if record.get("paired") and record["kernel"] == kernel])).items():
        blocks = [one for record in mine if is_good(record) and not crowded([record]) for one in of_run(record)]
        if blocks:
            found[name] = blocks
    return found
