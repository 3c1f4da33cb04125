"""What studies, simulations and models say about a claim: cases for a rule (plots/claims/rules.py). A reading judges nothing."""
import json
import re

from plots.claims.items import FOLDER
from plots.claims.records import NotRun
from plots.claims.rules import Groups, Mean, Number, Points, Series, Two
from plots.common.simulations import energy, makespan, recomputed, runs
from plots.common.stats import means, sums_over_sums

THETAS = (30, 40, 50, 60, 70)  # caps in percent of the largest log, of the memory-constrained-logging paper's tables


def table(key):
    """Rows of a table of the memory-constrained-logging paper."""
    return json.loads((FOLDER / "memory-constrained-logging.json").read_text(encoding="utf-8"))[key]


def study_of(source, program, np):
    """The study of a program with so many ranks, by the name of its profile."""
    found = source.json()
    for one in found if isinstance(found, list) else [found]:
        if one["np"] == np and re.sub(rf"[-_.]?{np}$", "", one["name"]) == program:
            return one
    raise NotRun(f"no study of {program} with {np} ranks")


def efforts(study, strategy="heaviest"):
    """{cap: effort}"""
    return {one["theta"]: one for one in study["caps"] if one["strategy"] == strategy}


def coverage(source, program, np, theirs, cluster=8):
    """Share of the bytes within clusters of so many ranks, with what ranks send to themselves."""
    of = {one["cluster"]: one["with_diagonal"] for one in study_of(source, program, np)["coverage"]}
    if cluster not in of:
        raise NotRun(f"the study of {program} has no clusters of {cluster}")
    return [Number(f"{program}, {np} ranks", of[cluster], theirs)]


def gini(source, of):
    """of: [{program, np, theirs}]; a program that was not studied is left out if others were."""
    return _those_there([(lambda one=one: Number(f"{one['program']}, {one['np']} ranks", study_of(source, one["program"], one["np"])["gini"],
                                                 one["theirs"])) for one in of])


def _those_there(makers):
    found, why = [], None
    for make in makers:
        try:
            found.append(make())
        except NotRun as error:
            why = error
    if not found:
        raise why
    return found


def sets_fall(source, of):
    """Mean sets, exact, by rising cap. of: [{program, np}]"""
    return _those_there([(lambda one=one: Series(f"{one['program']}, {one['np']} ranks", [
        efforts(study_of(source, one["program"], one["np"]))[t]["set_percent"] for t in THETAS])) for one in of])


def sets_by_ranks(source, program, nps, theta):
    """Mean sets of a program at one cap, by rising number of ranks."""
    found = _those_there([(lambda np=np: (np, efforts(study_of(source, program, np))[theta]["set_percent"])) for np in nps])
    if len(found) < 2:
        raise NotRun(f"{program} was studied with one number of ranks only")
    return [Series(f"{program}, cap {theta} %", [value for _, value in sorted(found)])]


def table_sets(source, key, program, named):
    """Sets, truncated to whole ranks as the paper prints them, cell by cell. named: the paper's name of the program."""
    def cells(row):
        found = efforts(study_of(source, program, row["np"]))
        return [Number(f"{program}, {row['np']} ranks, {t} %", found[t]["truncated"]["set_percent"], theirs)
                for t, theirs in zip(THETAS, row["set_percent"])]

    rows = [row for row in table(key) if row["program"] == named]
    return sum(_those_there([(lambda row=row: cells(row)) for row in rows]), [])


def strategies(source, of, large="heaviest", small="clusters"):
    """Exact sets of two strategies at each cap: the first, then the second, which should not be larger."""
    return sum(_those_there([(lambda one=one: [
        Series(f"{one['program']}, {t} %", [efforts(study_of(source, one["program"], one["np"]), large)[t]["set_percent"],
                                            efforts(study_of(source, one["program"], one["np"]), small)[t]["set_percent"]])
        for t in THETAS]) for one in of]), [])


def mcml_saved(source, quantity, sockets, of):
    """Percent saved by the model. of: {omega: the paper's}"""
    rows = {(row["sockets"], row["omega"]): row[f"{quantity}_saved_percent"] for row in source.json()["rows"]}
    wanted = {float(omega): theirs for omega, theirs in of.items()}
    if any((sockets, omega) not in rows for omega in wanted):
        raise NotRun(f"the model was not computed for {sockets} sockets")
    return [Number(f"{sockets} sockets, omega {omega:g}", rows[sockets, omega], theirs) for omega, theirs in wanted.items()]


def mcml_parameters(source, of):
    """The model's parameters as the records have them, in the paper's units. of: {name: [the paper's, units of ours in one of the paper's]}"""
    parameters = source.json()["parameters"]
    return [Number(name, parameters[name] / unit, theirs) for name, (theirs, unit) in of.items()]


def simulated_parameters(source, of):
    """What was simulated, in each record. of: {name, with points between keys: the paper's}"""
    def value(model, name):
        for key in name.split("."):
            model = model[int(key) if key.isdecimal() else key]
        return model

    return [Number(f"{record['model']['np']} roles, {record['model']['line']}, {name}", value(record["model"], name), theirs)
            for record in source.simulated() for name, theirs in of.items()]


def dataflow_model(source, column, of):
    """What the model saves, J/s. of: [{nodes, theirs}]; without nodes: of the model's own parameters"""
    model = source.json()
    rows = {row["nodes"]: row for row in model["rows"] if row["by"] == "nodes" and row["dim"] == model["parameters"]["dim"]}
    cases = [(f"{one['nodes']:g} processes", rows[int(one["nodes"])], one) if "nodes" in one else ("model dataflow", model, one) for one in of]
    return [Number(name, row[column], one["theirs"]) for name, row, one in cases]


def energy_model(source, column, of):
    """Break-even of the power-log-n-roll model in percent. of: {mu: the paper's}"""
    rows = {row["mu"]: row for row in source.json()["paper"]}
    return [Number(f"mu = {mu}", 100 * rows[float(mu)][column], theirs) for mu, theirs in of.items()]


def of_line(source, line):
    """{np: record} of one kind of line."""
    found = {record["model"]["np"]: record for record in source.simulated() if record["model"]["line"] == line}
    if not found:
        raise NotRun(f"{source.path()}: nothing simulated with line {line}")
    return dict(sorted(found.items()))


def by_seed(record, method, number):
    of = runs(record, method)
    if not of:
        raise NotRun(f"{method} was not simulated with {record['model']['np']} roles and line {record['model']['line']}")
    return [number(of[seed]) for seed in sorted(of)]


MEASURES = {"recomputed": recomputed, "seconds": makespan, "energy": energy, "failures": lambda run: run["failures"]}


def simulated_order(source, names, measure, line="barrier"):
    """Of each number of roles: what the methods have, seed by seed."""
    return [Groups(f"{np} roles", {name: by_seed(record, name, MEASURES[measure]) for name in names})
            for np, record in of_line(source, line).items()]


def simulated_two(source, first, second, measure, lines=("barrier", "barrier")):
    """Of each number of roles two methods, each with its kind of line, in pairs with the same failures."""
    records = [of_line(source, line) for line in lines]
    cases = []
    for np in (np for np in records[0] if np in records[1]):
        both = [runs(by_np[np], method) for by_np, method in zip(records, (first, second))]
        seeds = sorted(both[0].keys() & both[1].keys())
        if seeds:
            cases.append(Two(f"{np} roles", *([MEASURES[measure](of[seed]) for seed in seeds] for of in both), True))
    if not cases:
        raise NotRun(f"{first} with line {lines[0]} and {second} with line {lines[1]} have no failures in common")
    return cases


def simulated_means(source, method, what, of, line="barrier"):
    """What runs have, by seed. what: failures or recomputed; of: {np: the paper's}"""
    records = of_line(source, line)
    wanted = {int(np): theirs for np, theirs in of.items()}
    if set(wanted) - set(records):
        raise NotRun(f"not simulated: {sorted(set(wanted) - set(records))} roles")
    return [Mean(f"{np} roles", by_seed(records[np], method, MEASURES[what]), theirs) for np, theirs in wanted.items()]


def simulated_growth(source, method, measure, other=None, line="barrier", a_failure=False):
    """(roles, what a run has); with other: what it has less than a run of the other method with the same failures; a_failure: for each of
    its failures, which is a sum over a sum, in which runs without a failure count, too."""
    pairs = []
    for np, record in of_line(source, line).items():
        mine = by_seed(record, method, MEASURES[measure])
        rest = [a - b for a, b in zip(by_seed(record, other, MEASURES[measure]), mine)] if other else mine
        pairs += [(np, value) for value in (zip(rest, by_seed(record, method, MEASURES["failures"])) if a_failure else rest)]
    return [Points(f"{other} - {method}" if other else method, pairs, sums_over_sums if a_failure else means)]


def simulated_saving(source, joules, np, theirs, line="barrier"):
    """Joules that data-flow rollback saves, at so many for each iteration that is not computed again."""
    record = of_line(source, line).get(np)
    if record is None:
        raise NotRun(f"not simulated: {np} roles")
    both = zip(by_seed(record, "global", recomputed), by_seed(record, "dataflow", recomputed))
    return [Mean(f"{np} roles", [joules * (a - b) for a, b in both], theirs)]


def log_time_growth(source):
    """Nanoseconds of an event in the longest list of so many kinds of envelopes, over those in the shortest. The counted form is as long as there
    are kinds, so its length does not depend on the events."""
    lengths = {}
    for one in source.json()["logs"]:
        if one["form"] == "list":
            lengths.setdefault(one["kinds"], {})[one["events"]] = one["ns"]
    return [Two(f"{kinds} kinds, {max(of)} events over {min(of)}", of[max(of)], of[min(of)], False) for kinds, of in lengths.items() if len(of) > 1]


def search_comparisons(source, formula):
    """Of a sequential search for so many envelopes in a list of others, over what a formula expects."""
    return [Two(f"{one['received']} of {one['sent']}", one["comparisons"], [one[formula]] * len(one["comparisons"]), False)
            for one in source.json()["searches"]]


READINGS = {"coverage": coverage, "gini": gini, "sets-fall": sets_fall, "sets-by-ranks": sets_by_ranks, "table-sets": table_sets,
            "strategies": strategies, "mcml-saved": mcml_saved, "mcml-parameters": mcml_parameters, "dataflow-model": dataflow_model,
            "energy-model": energy_model, "simulated-order": simulated_order, "simulated-means": simulated_means,
            "simulated-parameters": simulated_parameters, "simulated-two": simulated_two, "simulated-growth": simulated_growth,
            "simulated-saving": simulated_saving, "log-time-growth": log_time_growth, "search-comparisons": search_comparisons}
