"""Results folders of `rollbench simulate FILE --results DIR`: a record for each point of the file."""
from plots.common.points import Points
from plots.common.stats import mean

LISTED = Points({"schema": "rollbench-simulations-1"}, {"schema": "rollbench-simulate-1"}, "./rollbench simulate",
                "`rollbench simulate FILE --results {folder}`", "`rollbench simulate`")
listed, command, load = LISTED.listed, LISTED.command, LISTED.load


def runs(record, method):
    """{seed: run}"""
    return {run["seed"]: run for run in record["runs"] if run["method"] == method}


def recomputed(run):
    """Iterations computed again, also on duplicates."""
    return run["iterations"]["repeated"] + run["iterations"]["supported"]


def energy(run):
    return sum(run["energy_j"].values())


def makespan(run):
    return run["makespan_s"]


def commits(records):
    return sorted({record["rollbench"]["commit"] for record in records})


def spread(recovery):
    """Iterations between the furthest role and the last one when a failure is found."""
    return max(recovery["fronts"]) - min(recovery["fronts"])


def spreads(record, method):
    """Of each run with a failure, by seed: the mean over its failures. The record is of --recoveries."""
    of = [run["recoveries"] for _, run in sorted(runs(record, method).items())]
    return [mean(spread(one) for one in recoveries) for recoveries in of if recoveries]
