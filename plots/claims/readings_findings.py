"""What records say about findings that no paper has (plots/papers/findings.yaml): cases for a rule. A reading judges nothing."""
from plots.claims.readings_models import of_line
from plots.claims.readings_runs import good, problems, some
from plots.claims.records import NotDecidable, NotRun
from plots.claims.rules import Count, Groups, Points, Series, Two
from plots.common import methods
from plots.common.recovery import milliseconds
from plots.common.runs import in_common
from plots.common.simulations import spreads


def simulated_spread(source, line, method="local"):
    """(roles, iterations between the furthest role and the last one when a failure is found: the mean over the failures of a run)"""
    return [Points(f"line {line}", [(np, value) for np, record in of_line(source, line).items() for value in spreads(record, method)])]


def simulated_spread_most(source, line, method="local"):
    """The largest of these means, which should be below an interval."""
    return [Count(f"{np} roles", max(spreads(record, method), default=0), 0, record["model"]["interval"]) for np, record in of_line(source, line).items()]


def placed(source, kernel=None):
    """(short name, {(policy, recompute): (bytes, iterations)}) of each problem, over the kills that all of its methods have."""
    for name, records in problems(source, kernel):
        found, _, _ = methods.methods(records)
        kills = in_common(found)
        if kills:
            yield name, {method: place[:2] for method, place in methods.points(found, kills).items()}


def work_with_duplicates(source):
    """Iterations computed again under each policy with rollback of the roles that lack a log, then with data-flow rollback."""
    cases = [Series(f"{name}, {policy}", [points[policy, how][1] for how in ("rollback", "dataflow")])
             for name, points in placed(source) for policy in dict.fromkeys(policy for policy, _ in points)
             if (policy, "rollback") in points and (policy, "dataflow") in points]
    return some(cases, "each policy with rollback and with data-flow rollback")


def work_of_a_mix(source, policy, kernel=None, more=False):
    """With data-flow rollback: what a mix of runs without a log and of runs that log everything would compute again if it logs as much as
    this policy on average, then what the policy does; more: the other way round. policy: how its name begins."""
    cases = []
    for name, points in placed(source, kernel):
        if ("none", "dataflow") in points and points.get(("all", "dataflow"), (0,))[0] > 0:
            (_, most), (full, least) = points["none", "dataflow"], points["all", "dataflow"]
            for (other, how), (log, again) in points.items():
                if how == "dataflow" and other.startswith(policy):
                    both = [most + (least - most) * log / full, again]
                    cases.append(Series(f"{name}, {other}", both[::-1] if more else both))
    return some(cases, f"{policy}, no log and a whole log, all with data-flow rollback")


def compared_kills(source):
    """The problems of a sweep under caps on the log of which every role has died. NotDecidable: some has not."""
    found = source.kills()
    lacks = [f"{problem.short}: {what}" for problem in found for what in problem.lacks]
    if lacks:
        raise NotDecidable(f"no kill to compare: {'; '.join(lacks)}")
    return found


def kills_as_played(source):
    """Of each problem: of how many kills the rollback set is that of the study which plays the messages in their order."""
    return [Count(problem.short, len(problem.kills) - len(problem.unlike), *[problem.record["np"] * len(problem.points)] * 2)
            for problem in compared_kills(source)]


def kills_unlike_matrix(source):
    """Of how many kills the exchange matrix of the interval has another set."""
    return [Count(problem.short, sum(problem.unlike_matrix(*point) for point in problem.points), 1, len(problem.kills))
            for problem in compared_kills(source)]


def kills_beside_matrix(source, kernel, percent, larger, strategy="heaviest"):
    """By how many roles the mean set of the kills, or that of the matrix, is larger than the other one: at least by one of one victim."""
    cases = []
    for problem in compared_kills(source):
        if problem.record["kernel"] == kernel and (strategy, percent) in problem.points:
            np, killed = problem.record["np"], problem.mean_rolled(strategy, percent)
            matrix = problem.mean_set(problem.matrix(strategy, percent), strategy, percent)
            more = matrix - killed if larger == "matrix" else killed - matrix
            cases.append(Count(f"{problem.short}, kills {killed:g} roles, matrix {matrix:g}", more, 1 / np, np))
    return some(cases, f"{kernel} under a cap of {percent:g} %")


def mcml_coupled(source, omega, least, most, program=None):
    """Percent of the energy saved at the largest number of sockets, with the share of the processes that go back as a study has it under
    that cap: of the programs of the paper's Table II, or of one of our profiles."""
    found = []
    for study in source.json()["coupled"]:
        if study["strategy"] == "heaviest" and (study["name"] == program if program else study["file"] == "table2"):
            of = {(row["sockets"], row["omega"]): row["relative_energy"] for row in study["rows"]}
            found.append(Count(f"{study['name']}, {study['np']} ranks", 100 * (1 - of[max(of)[0], omega]), least, most))
    if not found:
        raise NotRun(f"the model was computed without a study of {program or 'the programs of Table II'}")
    return found


def restored_of_two(source, first, second):
    """Milliseconds from a death until all roles have their state, under two ways to recover."""
    cases = []
    for name, records in problems(source):
        of = [milliseconds(good(records, how), "all restored") for how in (first, second)]
        if all(of):
            cases.append(Two(name, *of, False))
    return some(cases, f"{first} and {second}")


def recovery_parts(source, how, parts):
    """Milliseconds of parts of a recovery, run by run."""
    cases = [Groups(f"{name}, {how}", {part: milliseconds(runs, part) for part in parts}) for name, records in problems(source)
             if (runs := good(records, how))]
    return some(cases, how)


READINGS = {"simulated-spread": simulated_spread, "simulated-spread-most": simulated_spread_most, "work-with-duplicates": work_with_duplicates,
            "work-of-a-mix": work_of_a_mix, "kills-as-played": kills_as_played, "kills-unlike-matrix": kills_unlike_matrix,
            "kills-beside-matrix": kills_beside_matrix,
            "mcml-coupled": mcml_coupled, "restored-of-two": restored_of_two, "recovery-parts": recovery_parts}
