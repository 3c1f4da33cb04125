"""What records of real runs say about a claim: cases for a rule (plots/claims/rules.py). A reading judges nothing."""
import collections
import re

from plots.claims.records import NotDecidable, NotRun, absent, quietly
from plots.claims.rules import Count, Mean, Number, Points, Same, Two, show
from plots.common import over_time, spans
from plots.common.elc import a_line, cost_model, crossing, is_right, pairs, sharing, times, told_apart
from plots.common.memory import COPIES, by_way, copied, heaps_of, mean_heap
from plots.common.paired import ratios
from plots.common.runs import RESTART, failed_in, failing, failure_free, further, groups, is_control, is_right_control, recomputed, survivors, way
from plots.common.stats import mean, median


def problems(source, kernel=None, whole=False):
    """[(short name, records)] of a sweep, perhaps of one kernel. The name is the first line of the title. whole: with traces."""
    records = source.whole_runs() if whole else source.runs()
    found = [(name.splitlines()[0], mine) for name, mine in groups(records).items() if kernel in (None, mine[0]["kernel"])]
    names = [name for name, _ in found]
    return [(name if names.count(name) == 1 else f"{name} ({at + 1}.)", mine) for at, (name, mine) in enumerate(found)]


def good(records, how):
    return failing(records, how)[0]


def traced(records, how):
    return spans.traced({how: good(records, how)}).get(how, [])


def there(cases, what):
    if not cases:
        raise NotRun(what)
    return cases


def some(cases, what):
    return there(cases, f"no good run with exactly one death: {what}")


def without_failure(cases, what):
    return there(cases, f"no good runs of {what}, without a log and a failure and with a core for each role")


def lost(run):
    """Iterations of the dead role since the checkpoint."""
    failure = run["failures"][0]
    return failure["iteration"] - failure["checkpoint"]


def runs_equal(source, ways=None):
    """Per problem: how many of the runs with a planned death are right, and how many there are; ways: of these only, without those of
    which every run was refused, since their technique is not on this machine. A run that ended before a repair has no failures in its
    record. Only a right run whose kill never fired is no case."""
    cases = []
    for name, records in problems(source):
        died = [r for r in records if r["plan"] and not is_control(r) and (r["failures"] or r["status"] != "ok")]
        if ways is not None:
            there = {how for how in ways if any(way(r) == how and r["status"] != "abort" for r in died)}
            died = [r for r in died if way(r) in there]
        if died:
            cases.append(Count(name, sum(r["status"] == "ok" and bool((r.get("compared") or {}).get("equal")) for r in died), len(died), len(died)))
    return some(cases, "any" if ways is None else " or ".join(ways))


def controls_wrong(source, control):
    """Per problem: how many negative controls ended wrong, and how many there are."""
    cases = []
    for name, records in problems(source):
        mine = [is_right_control(r) for r in records if is_control(r) and r["control"] == control]
        if mine:
            cases.append(Count(name, sum(mine), len(mine), len(mine)))
    return some(cases, control)


def iterations_repeated(source, how):
    """Per run: what was computed again, and what the paper's figure says: lost iterations of the dead role alone with local rollback
    (all), of all roles with global rollback (none) and job restart. Survivors may be one iteration ahead when they notice."""
    cases = []
    for name, records in problems(source):
        for run in good(records, how):
            each = run["np"] if how in ("none", RESTART) else 1
            cases.append(Count(f"{name}, {run['plan'][0]}", recomputed(run), each * lost(run), each * lost(run) + (run["np"] - 1) * (each > 1)))
    return some(cases, how)


def hybrid_switch(source):
    """Per run of `window:K`: the roles that went back. One if fewer than K iterations were lost, all if more; at K both are right,
    since the iteration that the failure struck is logged by some."""
    cases = []
    for name, records in problems(source):
        for how, window in windows(records).items():
            for run in good(records, how):
                size = len(run["failures"][0]["rollback_set"])
                cases.append(Count(f"{name}, {run['plan'][0]}", size, run["np"] if lost(run) > window else 1,
                                   1 if lost(run) < window else run["np"]))
    return some(cases, "window")


def noticed(source, plan):
    """(problem, right run) of all with this kill and local rollback."""
    return some([(name, run) for name, records in problems(source) for run in good(records, "all") if run["plan"] == [plan]], plan)


def noticed_in(source, plan):
    """How many iterations after that of the failure the last survivor and the furthest one are in when they notice it: 0 and 1 in the
    paper's snapshot."""
    seen = collections.Counter()
    for name, run in noticed(source, plan):
        ahead = [front - failed_in(run) for front in survivors(run).values()]
        seen.update([(f"{name}, the last", min(ahead), 0), (f"{name}, the furthest", max(ahead), 1)])
    return [Count(f"{name}, {count} runs", ours, theirs, theirs) for (name, ours, theirs), count in seen.items()]


def noticed_further(source, plan, theirs, among=None):
    """The survivors (or those of them among some) that are one iteration further: each set that was seen, against the paper's."""
    seen = collections.Counter((name, tuple(role for role in further(run) if among is None or role in among)) for name, run in noticed(source, plan))
    return [Same(f"{name}, {count} runs", ahead, theirs) for (name, ahead), count in seen.items()]


def seconds_by_iteration(source, how):
    """(lost iterations, seconds of the loop)"""
    cases = [Points(name, [(lost(run), run["loop_s"]) for run in good(records, how)]) for name, records in problems(source)]
    return some([one for one in cases if one.pairs], how)


def windows(records):
    """{way: K} of those that log the first K iterations of an interval."""
    return {way(r): int(re.match(r"window:(\d+)", r["policy"])[1]) for r in records if r["policy"].startswith("window:")}


def log_of_window(source):
    """Bytes of payload in the fullest log of a role with a window, over those without one, and the share of the interval that it is."""
    cases = []
    for name, records in problems(source):
        bytes_of = {how: max(r["log"]["bytes_peak"]["max"] for r in free) for how in {way(r) for r in records} if (free := failure_free(records, how))}
        cases += [Number(f"{name}, {how}", bytes_of[how] / bytes_of["all"], iterations / records[0]["interval"])
                  for how, iterations in windows(records).items() if how in bytes_of and bytes_of.get("all")]
    if not cases:
        raise NotRun("no good run without a failure with a window and one without")
    return cases


def seconds_by_mode(source, back, kernels):
    """seconds_by_iteration() of the runs under `window:K` in which the dead role alone went back (back: one), or all roles (all)."""
    cases = []
    for kernel in kernels:
        of_kernel = [Points(f"{name}, {how}", [(lost(run), run["loop_s"]) for run in good(records, how)
                                               if len(run["failures"][0]["rollback_set"]) == (1 if back == "one" else run["np"])])
                     for name, records in problems(source, kernel) for how in windows(records)]
        some([one for one in of_kernel if one.pairs], f"{kernel} with a window, {back}")
        cases += of_kernel
    return cases


def seconds_of_two(source, first, second, kernel=None):
    """Seconds of the loop under two ways to recover, pairs of the same kill and repetition where there are any."""
    cases = []
    for name, records in problems(source, kernel):
        of = [{(tuple(r["plan"]), re.search(r"(-r\d+)?$", r.get("id", ""))[0]): r["loop_s"] for r in good(records, how)} for how in (first, second)]
        both = [key for key in of[0] if key in of[1]]
        if both:
            cases.append(Two(name, *([one[key] for key in both] for one in of), True))
        elif all(of):
            cases.append(Two(name, *(list(one.values()) for one in of), False))
    return some(cases, f"{first} and {second}")


def active_sizes(source, least, most):
    """Per run with local rollback: how many roles replayed to the dead one."""
    return some([Count(f"{name}, {run['plan'][0]}", len(run["failures"][0]["active"]), least, most)
                 for name, records in problems(source) for run in good(records, "all")], "all")


def forecast_set(source, of, field="active", named=False):
    """A set of roles at the paper's sizes, by `rollbench explain` or `partners`. of: [{name, ask: the command, theirs: the paper's
    set}]; field: which set; named: the paper names these of them, and says nothing of others."""
    def ours(one):
        found = source.forecast(one["ask"])[field]
        return [role for role in found if role in one["theirs"]] if named else found

    return [Same(one["name"], ours(one), one["theirs"]) for one in of]


def active_by_roles(source, of, least, most):
    """The size of active sets at several numbers of roles by `rollbench explain`. of: [{name, ask}]"""
    return [Count(one["name"], len(source.forecast(one["ask"])["active"]), least, most) for one in of]


def partners_most(source, of):
    """The most roles that any role receives from, at several numbers of roles. of: [{name, ask, most}], perhaps with least"""
    return [Count(one["name"], source.forecast(one["ask"])["most"], one.get("least", 1), one["most"]) for one in of]


def payload_forecast(source, of):
    """Bytes of payload in the fullest log of a role, by `rollbench explain`. of: [{name, ask, theirs: bytes}]"""
    return [Number(one["name"], max(source.forecast(one["ask"])["log_bytes_peak"]), one["theirs"]) for one in of]


def _heaps(source, one):
    """[bytes by role] of the run without a log whose forecast `one` asks for."""
    return there(heaps_of(source.whole_runs(), one["ask"].removeprefix("explain ")),
                 f"no good run of {one['name']} without a log, or its C library does not tell what malloc() has given out")


def heap(source, of):
    """Bytes of the heap without a log. of: [{name, ask, theirs: bytes of a process}], or all for the sum over processes"""
    return [Number(one["name"], (sum if one.get("all") else mean)(_heaps(source, one)), one["theirs"]) for one in of]


def _share_of_heap(source, one):
    return 100 * max(source.forecast(one["ask"])["log_bytes_peak"]) / mean(_heaps(source, one))


def heap_share(source, of):
    """Percent of the heap of a process that the fullest log of a role has. of: [{name, ask, theirs}]"""
    return [Number(one["name"], _share_of_heap(source, one), one["theirs"]) for one in of]


def heap_share_below(source, of, most):
    """The same against a bound. of: [{name, ask}]"""
    return [Count(one["name"], _share_of_heap(source, one), 0, most) for one in of]


def _two_ways(source, kernel, first, second):
    """[(problem, runs, runs)] of the problems that have both."""
    found = [(name, ways[first], ways[second]) for name, ways in by_way(source.whole_runs()).items()
             if {first, second} <= ways.keys() and ways[first][0]["kernel"] == kernel]
    return without_failure(found, f"{kernel}, {first} and {second}")


def copied_share(source, of):
    """Percent of an iteration that copies of the state take. of: [{kernel, theirs}]"""
    cases = []
    for one in of:
        runs = [(name, ways[COPIES]) for name, ways in by_way(source.whole_runs()).items() if COPIES in ways and ways[COPIES][0]["kernel"] == one["kernel"]]
        cases += [Mean(name, list(map(copied, mine)), one["theirs"]) for name, mine in without_failure(runs, f"{one['kernel']}, {COPIES}")]
    return cases


def memory_of_two(source, kernel, first, second, least, most):
    """How many times the heap of one way to begin an iteration again is that of another."""
    cases = []
    for name, *both in _two_ways(source, kernel, first, second):
        ours, others = ([mean_heap(run) for run in runs] for runs in both)
        if None in ours + others:
            raise NotDecidable("the C library does not tell what malloc() has given out")
        cases.append(Count(name, mean(ours) / mean(others), least, most))
    return cases


def seconds_of_two_ways(source, kernel, first, second):
    """Seconds of the loop under two ways to begin an iteration again."""
    return [Two(name, *([run["loop_s"] for run in runs] for runs in both), False) for name, *both in _two_ways(source, kernel, first, second)]


def protection_cost(source, kernel):
    """Seconds with protection over those without, of paired runs, where each role has a core. Each run has a ratio of its own."""
    return there([Two(name, mine, [1] * len(mine), True) for name, mine in ratios(source.runs(), kernel).items()],
                 f"no good paired runs of {kernel} with a core for each role")


def energy_of_two(source, first, second, quantity="energy", kernel=None):
    """Joules (or joules times seconds) under two ways to recover. NotDecidable: they were not measured."""
    cases = []
    for name, records in problems(source, kernel):
        of = {how: [_joules(run) * (run["loop_s"] if quantity == "edp" else 1) for run in good(records, how)] for how in (first, second)}
        if all(of.values()):
            cases.append(Two(name, of[first], of[second], False))
    if not cases:
        raise NotDecidable(f"no runs with {first} and {second}: the technique is not on this machine, or was not run")
    return cases


def _joules(run):
    energy = run.get("energy") or {}
    if energy.get("package_j") is None:
        why = energy.get("reason") or ((run.get("meters") or {}).get("energy") or {}).get("reason")
        raise NotDecidable(f"energy was not measured: {why or 'not in the record'}")
    return energy["package_j"]


def barrier_watts(source, saved):
    """Percent of the watts of a plain barrier that each technique saves. saved: {technique: the paper's}. NotDecidable: there is no
    energy counter, or a technique is absent."""
    record = source.json()
    techniques, of = {one["name"]: one for one in record["techniques"]}, {}
    for name in ("none", *saved):
        one = techniques.get(name, {"absent": "not asked for"})
        if one.get("absent") or one.get("trouble"):
            raise NotDecidable(f"{name}: {one.get('absent') or one['trouble']}")
        values = [sample["watts"] for phase in record["phases"] if phase["technique"] == name and phase["phase"] == "barrier"
                  for sample in phase["samples"] if sample.get("watts") is not None]
        if not values:
            why = [meter["text"] for meter in record.get("meters", []) if meter["what"] == "energy" and not meter["ok"]]
            raise NotDecidable(f"energy was not measured: {'; '.join(dict.fromkeys(why)) or 'not in the record'}")
        of[name] = median(values)
    return [Number(name, 100 * (1 - of[name] / of["none"]), theirs) for name, theirs in saved.items()]


def not_measured(source, because):
    """Why no code judges a claim: what it needs cannot be had. Always NotDecidable."""
    raise NotDecidable(because)


def must_be_there(source, needs):
    """NotDecidable: the machine of these records lacks it."""
    missing = absent({"needs": needs, "records": source.names}, source.results)
    if missing:
        raise NotDecidable("; ".join(f"{need}: {why}" for need, why in missing.items()))


def recovery_watts(source, first, second, needs):
    """Watts under two ways to recover, from the start of the iteration that the failure found to its completion: of a run, the mean of
    the packages that roles read."""
    must_be_there(source, needs)
    cases = []
    for name, records in problems(source, whole=True):
        of = {how: [watts for run in traced(records, how) if (watts := _packages(run)) is not None] for how in (first, second)}
        if all(of.values()):
            cases.append(Two(name, of[first], of[second], False))
    return some(cases, f"{first} and {second}, with a trace (--meters iterations) and an energy counter")


def _packages(run):
    found = [watts for role, sums in spans.at_front(run).items() if (watts := spans.measured_watts(run, role, sums)) is not None]
    return mean(found) if found else None


def node_watts(source, how, part, theirs, needs):
    """Mean watts of a node during a recovery, of nodes whose most active role has this part in it."""
    return [Mean(name, watts, theirs) for name, watts in _nodes(source, how, part, needs).items()]


def node_watts_of_two(source, first, second, part, needs):
    both = [_nodes(source, how, part, needs) for how in (first, second)]
    return some([Two(name, both[0][name], both[1][name], False) for name in both[0] if name in both[1]], f"{first} and {second}")


def _nodes(source, how, part, needs):
    """{problem: watts of each run}"""
    must_be_there(source, needs)
    found = {}
    for name, records in problems(source, whole=True):
        for run in filter(over_time.has_watts, traced(records, how)):
            nodes = over_time.nodes_of(run, over_time.parts_of({how: [run]})).get(part, ())
            if nodes and (watts := over_time.inside(run, nodes, over_time.WATTS)) is not None:
                found.setdefault(name, []).append(watts)
    return some(found, f"{how}, with a trace (--meters iterations) and readings of a wattmeter during the recovery")


def within(distance, role, rows, columns):
    """How many roles of a grid are so far from one of them or nearer; the border cuts the rest off."""
    row, column = divmod(role, columns)
    return sum(abs(y - row) + abs(x - column) <= distance for y in range(rows) for x in range(columns))


def dataflow_work(source, dim, how):
    """Per run of data-flow rollback on a line (dim 1) or a grid of roles that lost L iterations: iterations computed again. The paper's
    Fig. 7 has in the iteration before the last one all roles at distance 1 or less, and so on: 1, then 3 (or 5), then 5 (or 13). With
    its Alg. 1 all roles at distance L or less repeat all L iterations."""
    cases = []
    for name, records in problems(source):
        for run in good(records, how):
            grid = re.fullmatch(r"(\d+)x(\d+)", run["params"].get("decomp", ""))
            if not grid:  # of another kernel, whose roles are on no grid
                continue
            rows, columns = int(grid[1]), int(grid[2])
            if (min(rows, columns) == 1) != (dim == 1):
                continue
            gone, role = lost(run), run["failures"][0]["role"]
            wanted = (gone * within(gone, role, rows, columns) if how.endswith(":flat") else
                      sum(within(distance, role, rows, columns) for distance in range(gone)))
            cases.append(Count(f"{name}, {run['plan'][0]}, {gone} lost", recomputed(run), wanted, wanted))
    return some(cases, how)


def line_times(source, program=None, of=None, model=None):
    """[(name, processes, whether they share cores, {size: {mode: {the rest of the arguments: seconds}}})] of samples, perhaps of one program. of:
    options that they have. model: for the mode `expected`."""
    records = source.lines()
    found = {key: of_sizes for key, of_sizes in times(records, model).items() if key[0] == (program or key[0]) and {*(of or {}).items()} <= {*key[2]}}
    if not found:
        raise NotRun(f"no good run of {program or 'a program'}")
    names = told_apart((kernel, options) for kernel, _, options in found)
    shared = sharing(records)
    return [(names[kernel, options], np, np in shared, of_sizes) for (kernel, np, options), of_sizes in found.items()]


def ratios_of(found, mode, over):
    """Two samples for each of the sizes of line_times(), in pairs."""
    return [Two(f"{name} {size} on {np} processes{' that share cores' if shared else ''}", *map(list, zip(*both)), True)
            for name, np, shared, of_sizes in found for size, of_modes in of_sizes.items() if (both := pairs(of_modes, mode, over))]


def lines_equal(source):
    """Per program: how many of its runs that are compared are right, and how many there are. Those without the library are what others
    are compared with."""
    of = {}
    for record in source.lines():
        if record.get("compared") or record["status"] != "ok":
            of.setdefault(record["kernel"], []).append(is_right(record))
    return [Count(name, sum(map(bool, right)), len(right), len(right)) for name, right in of.items()]


def line_ratio(source, program, mode, over="source", of=None):
    """Seconds in a mode over those in another, in pairs, by size and number of processes."""
    return some(ratios_of(line_times(source, program, of), mode, over), f"{mode} and {over} of {program}")


def line_expected(source):
    """Seconds of runs with lines over those that the cost model expects, by program, size and number of processes."""
    model = quietly(cost_model, source.folder())
    if not model:
        raise NotRun(f"no envelopes/envelopes.json beside {source.folder()}")
    return some(ratios_of(line_times(source, model=model), "checkpoint", "expected"), "with lines")


def line_overhead_growth(source, program, by="size", mode="checkpoint", over="source", of=None):
    """Seconds in a mode over those in another at the largest size, over the same at the smallest, for each number of processes. by: size, or
    processes for the same by their number. Where processes share cores, the naps of those that wait are another part of each run."""
    series, shared = {}, set()
    for name, np, shares, of_sizes in line_times(source, program, of):
        for size, of_modes in of_sizes.items():
            if found := pairs(of_modes, mode, over):
                rest, place = (f"{name} {size}", np) if by == "processes" else (f"{name} on {np} processes", size)
                series.setdefault(rest, {})[place] = [seconds / without for seconds, without in found]
                shared |= {np} if shares else set()
    some(series, f"{mode} and {over} of {program}")
    cases = [Two(f"{rest}, {by} {max(found)} over {min(found)}", found[max(found)], found[min(found)], False)
             for rest, found in series.items() if len(found) > 1]
    if shared:
        raise NotDecidable(f"{', '.join(map(str, sorted(shared)))} processes share cores, and naps of those that wait are not the same part of each run")
    if not cases:
        raise NotDecidable(f"{program} was run with one {'number of processes' if by == 'processes' else by} only")
    return cases


def crossing_growth(source, program):
    """Messages in transit and orphans for each line with the most processes, over the same with the fewest."""
    cases = []
    for (name, _), by_np in crossing(source.lines()).items():
        if name == program and len(by_np) > 1:
            most, fewest = max(by_np), min(by_np)
            for count in ("transit", "orphans"):
                first, second = ([a_line(one, count) for one in by_np[np]] for np in (most, fewest))
                if not median(second):
                    raise NotDecidable(f"{program}: no {count} with {fewest} processes, {show(median(first))} a line with {most}")
                cases.append(Two(f"{name}: {count} a line, {most} processes over {fewest}", first, second, False))
    if not cases:
        raise NotDecidable(f"{program} has no lines with several numbers of processes")
    return cases


READINGS = {
    "heap": heap, "heap-share": heap_share, "heap-share-below": heap_share_below, "copied-share": copied_share, "memory-of-two": memory_of_two,
    "seconds-of-two-ways": seconds_of_two_ways,
    "active-by-roles": active_by_roles, "active-sizes": active_sizes, "barrier-watts": barrier_watts, "controls-wrong": controls_wrong,
    "crossing-growth": crossing_growth, "dataflow-work": dataflow_work, "energy-of-two": energy_of_two, "forecast-set": forecast_set,
    "hybrid-switch": hybrid_switch, "iterations-repeated": iterations_repeated, "line-expected": line_expected,
    "line-overhead-growth": line_overhead_growth, "line-ratio": line_ratio, "lines-equal": lines_equal, "log-of-window": log_of_window,
    "node-watts": node_watts, "node-watts-of-two": node_watts_of_two, "not-measured": not_measured, "noticed-further": noticed_further,
    "noticed-in": noticed_in, "partners-most": partners_most, "payload-forecast": payload_forecast, "recovery-watts": recovery_watts,
    "runs-equal": runs_equal, "seconds-by-iteration": seconds_by_iteration, "seconds-by-mode": seconds_by_mode, "seconds-of-two": seconds_of_two,
    "protection-cost": protection_cost}
