"""What the records of a sweep say, before anything is drawn: which runs count, and as what.

A record that is not `ok`, or whose state differs from its failure-free run, or whose power technique
failed, never counts as if it were good; how many are left out, and which strategies have no good run
at all, is said aloud. Only Python's own library is needed.
"""
import collections
import json
import pathlib
import re
import sys
import textwrap

from plots.common.json_text import read_record

# One colour, marker and word per way to recover, in every figure (readable without colour, too).
# Job restart is hollow: where it counts the same as global rollback, both are seen.
RESTART = "restart"
LOOK = {
    RESTART: dict(color="#55a868", marker="D", fillstyle="none", label="job restart"),
    "none": dict(color="#c44e52", marker="s", label="global rollback (none)"),
    "none+dataflow": dict(color="#d147a3", marker="X", label="data-flow rollback (none)"),
    "none+dataflow:flat": dict(color="#333333", marker="h", fillstyle="none", label="flat data-flow rollback (none)"),
    "none+dataflow+sleep": dict(color="#8c2d72", marker="*", label="data-flow, blocked roles sleep"),
    "none+dataflow+slow-all": dict(color="#2f6f6f", marker="8", label="control: all roles slowed down"),
    "none+dataflow:flat+dvfs": dict(color="#888888", marker="H", label="flat data-flow, DVFS"),
    "none+dataflow+dvfs": dict(color="#e9a3c9", marker="p", label="data-flow, DVFS"),
    "all": dict(color="#4c72b0", marker="o", label="local rollback (all)"),
    "all+sleep": dict(color="#dd8452", marker="v", label="local, blocked roles sleep"),
    "all+dvfs": dict(color="#8172b3", marker="^", label="local, DVFS"),
    "all+cm": dict(color="#937860", marker="<", label="local, clock modulation"),
    "all+dvfs+cm": dict(color="#64b5cd", marker="P", label="local, DVFS + clock modulation"),
}

# Why a figure of one death per run leaves runs out. A killed spare is no failure of a role, a killed node
# several, and a kill may never fire: nothing is wrong with such runs, so they are counted apart.
BAD = "not ok or not equal"
TROUBLE = "whose power technique failed"
ESCALATED = "escalated"
OTHER = "ok, but not of exactly one death"

USUAL = ("auto", "double", "0", "faces")  # values of kernels' options that are not said, since they are the defaults

PROGRAM = ("commit", "flags", "compiler", "mpi", "prrte")  # of a record's host: what it was measured with


def manifest_of(folder):
    try:
        return json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"{folder}: no sweep.json there, so it is no results folder of `./rollbench sweep`")


def load(folder):
    """The records of the sweep that a results folder holds, in the sweep's order, without warm-ups.

    Its sweep.json names them: what an older version of the experiment left there is not drawn.
    """
    folder = pathlib.Path(folder)
    records, manifest = {}, manifest_of(folder)
    for name in manifest["runs"]:
        path = folder / f"{name}.json"
        if path.exists():
            records[name] = read_record(path)
    return counted(folder, manifest, records, distrust(records))


def counted(folder, manifest, records, outdated):
    """Those of {name: record} that are samples; ends the script if they are not of a sweep. outdated: as distrust() says."""
    if manifest.get("schema") == "rollbench-simulations-1":
        sys.exit(f"{folder}: records of `rollbench simulate`, not of a sweep")
    if manifest.get("kind") == "elc":
        sys.exit(f"{folder}: records of runs with --protocol; plots/elc draws them")
    if not records:
        sys.exit(f"{folder}: no records; run `./rollbench sweep` first")
    if outdated:
        print(f"{folder}: {said_outdated(outdated)}", file=sys.stderr)
    found = programs(records.values())
    if len(found) > 1:
        print(f"{folder}: {said_programs(found)}", file=sys.stderr)
    samples = [record for name, record in records.items() if not is_warm_up(name, manifest)]
    if len(samples) < len(records):
        print(f"{folder}: {len(records) - len(samples)} warm-up runs left out", file=sys.stderr)
    return samples


def is_warm_up(name, manifest):
    """Is it one of the first repetitions, which the experiment file's `warm_up` does not count?"""
    number = repetition(name)
    return number is not None and number < manifest.get("warm_up", 0)


def repetition(name):
    """The number that the name of a run ends with; None: it has none."""
    found = re.search(r"-r(\d+)$", name)
    return int(found[1]) if found else None


def distrust(records):
    """Names of the runs of {name: record} whose comparison is no longer true.

    What they were compared with was made again or is another machine's (`store merge`): whatever they
    say, they are not known to be equal until the next sweep compares them, and are marked so.
    """
    outdated = []
    for name, record in records.items():
        compared = record.get("compared") or {}
        other = records.get(compared.get("reference"))
        if other is None or "state_hash" not in record or "state_hash" not in other:
            continue
        equal = bool(record["state_hash"]) and record["state_hash"] == other["state_hash"]
        if equal != bool(compared.get("equal")):
            outdated.append(name)
            record["compared"] = {**compared, "equal": False}
    return outdated


def said_outdated(names):
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return (f"{len(names)} comparisons with the failure-free run are out of date, so these runs count as not "
            f"equal ({shown}); the same sweep again compares them anew")


def programs(records):
    """Counter {values of PROGRAM: runs}: by how many programs the results in these records were made.

    A run that did not end ok is no result, and may not have got as far as to know its MPI.
    """
    return collections.Counter(tuple((r.get("host") or {}).get(key) for key in PROGRAM)
                               for r in records if r["status"] == "ok")


def said_programs(found):
    """Which of their properties differ, and how."""
    differ = [(key, dict.fromkeys(values)) for key, values in zip(PROGRAM, zip(*found)) if len(set(values)) > 1]
    return (f"records of {len(found)} programs, not of one: "
            + "; ".join(f"{key} {' or '.join(map(str, values))}" for key, values in differ))


def unusual(record):
    """What else may differ between two entries of one file, where it is not what most have."""
    detail = (record.get("meters") or {}).get("detail", "phases")
    spares = record.get("spares", 1)
    return [text for text, is_unusual in (
        (f"the first after {record.get('ckpt_first')}", record.get("ckpt_first")),
        (record.get("ckpt"), record.get("ckpt", "file") != "file"),
        (f"{spares or 'no'} spares", spares != 1 and way(record) != RESTART),
        (f"nodes of {record.get('node_size')} ranks", record.get("node_size")),
        (f"on {len(record.get('hosts') or [])} hosts", record.get("hosts")),
        (f"meters {detail}", detail != "phases"),
        ("constants computed", record.get("constants")),
        ("notified by the runtime", record.get("detector") or ((record.get("host") or {}).get("detector") or {}).get("why")),
        ("with a timeline", record.get("timeline"))) if is_unusual]


def title(record):
    """What was run: 'cg class=S, 8 roles' and 'checkpoints every 25 iterations, sync'."""
    params = " ".join(f"{k}={v}" for k, v in record["params"].items() if v not in USUAL)
    return (f"{record['kernel']} {params}, {record['np']} roles\n"
            + ", ".join([f"checkpoints every {record['interval']} iterations",
                         record.get("ckpt_lag", "sync"), *unusual(record)]))


def named(problems):
    """groups() by the first line of their titles, or by the whole where two have the same."""
    short = [name.splitlines()[0] for name in problems]
    return {first if short.count(first) == 1 else ", ".join(name.splitlines()): mine for first, (name, mine) in zip(short, problems.items())}


def besides(record):
    """What belongs to a way besides the policy: how others recompute, what is copied, and what blocked roles do: "+dataflow+sleep"."""
    usual = {"recompute": "rollback", "transaction": "swap", "power": "none"}
    return "".join(f"+{record[key]}" for key, value in usual.items() if record.get(key, value) != value)


def way(record):
    """How the run recovers: RESTART, or the policy and what else there is: "none+dataflow", "all+sleep".

    Job restart runs under policy `none`, too.
    """
    return RESTART if record.get("strategy") == RESTART else record["policy"] + besides(record)


def label(record):
    """How it recovers, for people; budgets as they were asked for, not in bytes."""
    if record.get("transaction") == "copy":
        return label({**record, "transaction": "swap"}) + ", state copied"
    how = way(record)
    return LOOK[how]["label"] if how in LOOK else record.get("policy_asked", record["policy"]) + besides(record)


def by_label(records):
    """{label(): those records}: labels that have a look in its order, then the others by name."""
    found, known = {}, [look["label"] for look in LOOK.values()]
    for record in records:
        found.setdefault(label(record), []).append(record)
    return {name: found[name] for name in sorted(found, key=lambda name: (
        known.index(name) if name in known else len(known), [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]))}


def labels(records):
    return list(by_label(records))


def groups(records):
    """Runs of the same problem together: {title: [records]}, in order of appearance.

    Job restart has no spares; it is the baseline whatever number of them the others had. A title says
    so if the runs are of more than one program.
    """
    found, without_spares = {}, {}
    for record in records:
        if way(record) != RESTART:
            name = title(record)
            found.setdefault(name, []).append(record)
            usual = name if record.get("spares", 1) == 1 else title({**record, "spares": 1})
            without_spares.setdefault(usual, {})[name] = None
    for record in records:
        if way(record) == RESTART:
            name = title(record)
            for same in without_spares.get(name, [name]):
                found.setdefault(same, []).append(record)
    return {name + (f"\nrecords of {count} programs" if (count := len(programs(mine))) > 1 else ""): mine
            for name, mine in found.items()}


def why_not(record):
    """Why a run is not good; None if it is.

    Good: ok, if it is one with a failure equal to the failure-free run, and no power technique failed in
    it: with a core that was not reduced, or not set again, it is no sample of that technique. A run that was
    escalated has the right result, but its times are those of a job that was ended from outside.
    """
    equal = (record.get("compared") or {}).get("equal")
    if record["status"] != "ok" or (not equal if record["plan"] else equal is False):
        return BAD
    if record.get("escalations"):
        return ESCALATED
    return TROUBLE if record.get("power_trouble") else None


def is_control(record):
    """Is it a negative control, which must end wrong?"""
    return bool(record.get("control") and record["plan"])


NOTHING_TO_COMPARE = "there is no failure-free run to compare with"  # harness/record/compare.c


def is_right_control(record):
    """Did a negative control end as it must? Not if it is called wrong only for want of a failure-free run."""
    return record["status"] == "wrong" and record.get("message") != NOTHING_TO_COMPARE


def is_good(record):
    return why_not(record) is None


def one_death(runs):
    """Good runs with exactly one failure, ordered by failing iteration, and Counter {why: left out}."""
    left_out = collections.Counter(why_not(r) for r in runs)
    good = [r for r in runs if is_good(r)]
    one = [r for r in good if len(r["failures"]) == 1]
    return sorted(one, key=failed_in), +collections.Counter(
        {BAD: left_out[BAD], TROUBLE: left_out[TROUBLE], ESCALATED: left_out[ESCALATED], OTHER: len(good) - len(one)})


def failing(records, how):
    """one_death() of the runs in which a kill was planned; how: as way() says."""
    return one_death([r for r in records if way(r) == how and r["plan"]])


def survey(records, ways):
    """({how: failing()'s runs}, Counter {why: left out}, what else is missing, a line each).

    Of the ways asked for, those that have good runs. The lines name strategies of which every run is
    left out, and those that are there but not asked for.
    """
    planned = {}
    for record in records:
        if record["plan"]:
            planned.setdefault(way(record), []).append(record)
    found, left_out, lines = {}, collections.Counter(), []
    for how in ways:
        if how in planned:
            runs, others = one_death(planned[how])
            left_out += others
            if runs:
                found[how] = runs
            else:
                lines.append(nothing_of(label(planned[how][0]), others))
    strange = labels(mine[0] for how, mine in planned.items() if how not in ways)
    if strange:
        lines.append(f"not in this figure: {', '.join(strange)}")
    return found, left_out, lines


def crowded(records):
    """Did roles share cores in any of the runs? A spare that waits for a failure does not count: it sleeps."""
    return any(r["oversubscribed"] and r["np"] > ((r.get("host") or {}).get("cores") or 0) for r in records)


def in_one_panel(records):
    """The ways of Fig. 6 and 7: those that have a look, and hybrids; in the order of LOOK, then of the records."""
    hybrids = dict.fromkeys(way(r) for r in records if r["plan"] and way(r).startswith("window:") and way(r).count("+") == 0)
    return [*LOOK, *hybrids]


def nothing_of(name, left_out):
    return f"no good run of {name}: {said(left_out)}"


def said(left_out):
    """Of a Counter of runs left out: '2 runs not ok or not equal, ...'; empty if there are none."""
    return ", ".join(f"{count} runs {why}" for why, count in left_out.items())


def missing(problem, left_out, lines=()):
    """What a figure leaves out, aloud, and as lines for its title."""
    whole = [*([f"not drawn: {said(left_out)}"] if left_out else []), *lines]
    for line in whole:
        print(f"{problem.splitlines()[0]}: {line}")
    return "".join(f"\n{part}" for line in whole for part in textwrap.wrap(line, 72))


def failure_free(records, how):
    """The samples. The run that all others are compared with is made before them, also in random order, so it is none if there
    are others."""
    good = [r for r in records if way(r) == how and not r["plan"] and is_good(r)]
    return [r for r in good if r.get("compared")] or good


def budget_asked(record):
    """(percent, how channels are chosen) of a record made under budget:PERCENT%; None of all others."""
    match = re.fullmatch(r"budget:([\d.]+)%(?::(\w+(?::kept|:receiver)?))?", record.get("policy_asked", ""))
    return (float(match[1]), match[2] or "heaviest") if match else None


def in_common(found):
    """The kills that all ways have. found: {way: runs}."""
    kills = [{tuple(r["plan"]) for r in runs} for runs in found.values()]
    return set.intersection(*kills) if kills else set()


def not_in_common(found, kills, what):
    """Lines for the title: how many runs have other kills, if any. kills: in_common(); what: "methods"."""
    elsewhere = sum(tuple(r["plan"]) not in kills for runs in found.values() for r in runs)
    return [f"not drawn: {elsewhere} runs with kills that not all {what} have"] if elsewhere else []


def failed_in(run):
    """The iteration that the failure found the dead role in."""
    return run["failures"][0]["iteration"]


def survivors(run):
    """{role: the iteration in which it noticed the only failure}."""
    failure = run["failures"][0]
    return {role: front for role, front in enumerate(failure["fronts"]) if role != failure["role"] and front is not None}


def further(run):
    """The survivors that had begun an iteration after that of the failure when they noticed it."""
    return [role for role, front in survivors(run).items() if front > failed_in(run)]


def executed(run):
    """Iterations that were committed, summed over all roles, also those on duplicates (data-flow rollback)."""
    return run["iterations"]["executed"] + run["iterations"].get("supported", 0)


def recomputed(run):
    """Those of executed() that a run without a failure would not have had."""
    return executed(run) - run["iterations"]["useful"]


def useful_iterations(records):
    """As many as a run without a failure has, as a set: a kernel's end may be unknown before, and a
    run that did not reach it has None."""
    return {r["iterations"]["useful"] for r in records if not r["plan"] and is_good(r)}


def by_iteration(runs):
    """{failing iteration: [seconds in the time-step loop]}."""
    times = {}
    for run in runs:
        times.setdefault(failed_in(run), []).append(run["loop_s"])
    return times
