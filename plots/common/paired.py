"""Paired runs: protection on and off in turn, by blocks of iterations of the same processes (`rollbench run --paired`)."""
from plots.common.runs import crowded, groups, is_good, named
from plots.common.stats import median


def of_run(record):
    """Seconds with protection over those without, the median of the pairs of blocks of a run: one sample, since its blocks share places in memory."""
    return median(of_blocks(record))


def of_blocks(record):
    """Of each pair of blocks of a run."""
    return [protected / bare for protected, bare in zip(record["paired"]["protected_s"], record["paired"]["bare_s"])]


def ratios(records, kernel):
    """{problem: [of_run()]} of good runs of a kernel whose roles have a core each."""
    found = {}
    for name, mine in named(groups([record for record in records if record.get("paired") and record["kernel"] == kernel])).items():
        samples = [of_run(record) for record in mine if is_good(record) and not crowded([record])]
        if samples:
            found[name] = samples
    return found
