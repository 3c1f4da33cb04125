"""The chapter on the runs: how those of each experiment ended, what ran on which machine, and how long it took."""
import pathlib
import shlex

from plots.common import elc as elc_runs
from plots.common.runs import groups, is_right_control, labels
from plots.report import data
from plots.report.blocks import Code, Fold, Heading, Picture, Table, Text, marked, number
from plots.report.recovery import recoveries

HOST_NAMES = {"cpu": "CPU", "mpi": "MPI", "prrte": "PRRTE", "pus": "processing units", "topology": "hwloc, children of each",
              "memory_bytes": "memory", "frequency": "frequencies", "clock_modulation": "clock modulation",
              "transport": "messages travel by", "kernel": "operating system"}


def ended_row(name, experiments):
    def sum_of(count):
        return sum(count(e) for e in experiments)
    ok, planned = sum_of(lambda e: e.count("ok")), sum_of(lambda e: e.planned)
    return [name, str(planned), marked("good" if ok == planned else "warn", ok),
            *(number(sum_of(lambda e, s=status: e.count(s)), "bad")
              for status in data.STATUSES[1:]),
            number(sum_of(lambda e: len(e.unequal())), "bad"),
            number(sum_of(data.Experiment.escalated), "warn"),
            number(sum_of(lambda e: len(e.unreadable)), "bad"),
            number(sum_of(data.Experiment.missing), "warn")]


def ended(experiments):
    if not experiments:
        return
    rows = [ended_row(e.name, [e]) for e in experiments]
    if len(rows) > 1:
        rows.append(ended_row("all", experiments))
    yield Table("Runs by how they ended; ok: the kernel's own check passed and the final state has the "
                "same bits as the failure-free run's",
                ["experiment", "runs", *data.STATUSES, "not equal to the failure-free run",
                 "escalated", "unreadable", "not run"], rows)


def controls(experiments):
    """Negative controls, which are in no other count."""
    found = [(e, r) for e in experiments for r in e.controls]
    if not found:
        return
    kinds = {(e.name, r["kernel"], r["control"]): None for e, r in found}
    rows = []
    for name, kernel, control in kinds:
        mine = [is_right_control(r) for e, r in found if (e.name, r["kernel"], r["control"]) == (name, kernel, control)]
        wrong = sum(mine)
        rows.append([name, kernel, control, str(len(mine)), marked("good" if wrong == len(mine) else "warn", wrong),
                     number(len(mine) - wrong, "bad")])
    yield Table("Negative controls: runs with an error on purpose, which must end wrong. They show that the comparison with the "
                "failure-free run can fail (docs/experiments.md). They are in no other number of this report",
                ["experiment", "kernel", "control", "runs", "wrong, as they must be", "otherwise"], rows)
    for e in experiments:
        for record in e.wrong_controls():
            yield Text(f"{e.name}, `{record['id']}`: {record['status']}, but a negative control must end wrong. {record.get('message') or ''}")


def is_right(record):
    """Of a run with --protocol; None: it is not there."""
    return record is not None and elc_runs.is_right(record)


def not_right(elc):
    """[(name of the experiment, record)] of the runs with --protocol that are there and are not right. elc: as plots/report/data.py reads it."""
    return [(name, record) for name, of in elc.items() for record in of if record is not None and not is_right(record)]


def of_elc(elc):
    """elc: {experiment: records with --protocol, None for one that is not there}."""
    rows = [[name, str(len(of)), marked("good" if all(map(is_right, of)) else "warn", sum(map(is_right, of))),
             number(len(not_right({name: of})), "bad"), str(sum(r["restarts"] for r in of if r)),
             number(sum(r is None for r in of), "warn")] for name, of in elc.items()]
    if rows:
        yield Table("Runs under event-logging checkpoints by how they ended; ok: the program's own check passed, and its result is that of "
                    "the run without lines", ["experiment", "runs", "ok", "not ok or not equal", "restarts", "not run or unreadable"], rows)
    for name, record in not_right(elc):
        yield Text(f"{name}, `{record['id']}`: {record['status']}. {record.get('message') or ''}")


def not_ok(experiment, record):
    yield Text(f"{experiment.name}, `{record['id']}`: {data.said_status(record)}. {record.get('message') or ''}")
    if record.get("hosts"):
        yield Text(f"It ran on the hosts {', '.join(f'`{host}`' for host in record['hosts'])}. FILE names these, "
                   "each with its slots, which no record has; and `--spare-hosts` if the last had the spares.")
    lines = [data.command(record)]
    by_id = {r["id"]: r for r in experiment.records}
    reference = by_id.get((record.get("compared") or {}).get("reference"))
    if reference:
        lines.append(data.command(reference))
    yield Code("To repeat it" + (", and the failure-free run" if reference else ""), lines)


def all_not_ok(experiments, elc):
    """Each run of a sweep with what repeats it; those with --protocol and the controls are named with their tables."""
    bad = [(e, r) for e in experiments for r in e.bad()]
    unreadable = [(e, name) for e in experiments for name in e.unreadable]
    if not bad and not unreadable:
        if not not_right(elc):
            yield Text("No run that was made ended in any other way than ok" + (", but for the negative controls." if any(
                e.controls for e in experiments) else "."))
        return
    yield Heading("Runs that are not ok", 3)
    for experiment, record in bad:
        yield from not_ok(experiment, record)
    for experiment, name in unreadable:
        yield Text(f"`{name}` in {experiment.name}: no record that can be read. Delete the file and "
                   "run the sweep again.")


def memory(value):
    return f"{value / 2 ** 30:.1f} GiB" if isinstance(value, int) else value


def machines(experiments, barriers, picture):
    yield Heading("The machine", 3)
    found = data.hosts({**{e.name: e.records for e in experiments},
                        **({"barrier": list(barriers.values())} if barriers else {})})
    rows = [["runs", *(", ".join(f"{k} {n}" for k, n in runs.items()) for runs in found.values())]]
    for i, key in enumerate(data.HOST_KEYS):
        values = [memory(v[i]) if key == "memory_bytes" else v[i] for v in found]
        rows.append([HOST_NAMES.get(key, key), *("unknown" if v is None else f"{v}" for v in values)])
    yield Table("Machine and program, as the records have them",
                ["", *(f"{i + 1}." if len(found) > 1 else "as recorded" for i in range(len(found)))], rows)
    if len(found) > 1:
        yield Text("These records are of more than one machine or program. Within an experiment, "
                   "compare only what is of one column.")
    if picture:
        yield Picture(picture, "Nested boxes: the machine, its packages, caches and cores; in each "
                      "processing unit the numbers of the roles that were bound to it.",
                      "The machine and where the roles ran, by hwloc, as recorded. A line per number "
                      "of roles (np). Spares are not shown: which one takes part is known only after "
                      "a failure.")


def what_was_run(experiments):
    """Nothing of no runs."""
    rows = [[e.name, problem.split("\n")[0], "; ".join(problem.split("\n")[1:]), ", ".join(labels(records)),
             str(len(records))] for e in experiments for problem, records in groups(e.records).items()]
    if rows:
        yield Table("What was run", ["experiment", "problem", "checkpoints", "recovered by", "runs"], rows)


def absent(found):
    """What is absent, with the experiments; the first page has how many runs. found: as plots/report/data.py counts it."""
    if found:
        yield Table("What could not be measured, by experiment", ["what", "runs", "why, and what helps"],
                    [[what, ", ".join(f"{k} {n}" for k, n in runs.items()), why] for (what, why), runs in found.items()])


def minutes(seconds):
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def took(experiments):
    if not experiments:
        return
    rows, runs, harness = [], 0, 0
    for e in experiments:
        t = data.time_taken(e.records)
        share = "unknown"
        if t["between"] is not None and t["runs"]:
            runs, harness = runs + t["runs"], harness + t["between"]
            share = f"{100 * t['between'] / t['runs']:.1f} %"
        rows.append([e.name, str(len(e.records)), minutes(t["runs"]), minutes(t["loops"]),
                     "unknown" if t["between"] is None else f"{t['between']:.0f}", share,
                     str(t["pauses"])])
    if len(rows) > 1 and runs:
        rows.append(["all", str(sum(len(e.records) for e in experiments)), "", "",
                     f"{harness:.0f}", f"{100 * harness / runs:.1f} %", ""])
    yield Table("Launches, of which the time-step loops; the harness: from the end of a run to the start "
                "of the next, by the records' times, in percent of the launches. A sweep that was "
                f"stopped for more than {data.PAUSE} s counts as paused.",
                ["experiment", "runs", "launches, h:m:s", "time-step loops, h:m:s", "harness, s",
                 "harness", "pauses"], rows)


def again(results, experiments):
    profile, usual = "", "results"
    if any("/configs/paper/" in f"/{data.config_of(e) or ''}" for e in experiments):
        profile, usual = " PROFILE=paper", "results/paper"
    where = "" if str(results) == "results" else f" --results {shlex.quote(str(results))}"
    make = f"make run-all{profile}"
    if pathlib.Path(usual).absolute() != results.absolute():  # not where make would put them
        make = (f"scripts/with-env env{profile} " if profile else "scripts/with-env ") + (
            f"scripts/run-all {shlex.quote(str(results))}")
    yield Heading("All of it again", 3)
    yield Code("The experiments, resumed where they stopped, the figures and this report",
               [make, f"./rollbench report{where}"])


def folded(title, found):
    found = list(found)
    if found:
        yield Fold(title, found)


def chapter(report):
    """report: plots/report/contents.py's."""
    yield Heading("Runs and machines", anchor="runs")
    yield from ended(report.experiments)
    yield from controls(report.experiments)
    yield from of_elc(report.elc)
    yield from folded("How long it took", took(report.experiments))
    yield from all_not_ok(report.experiments, report.elc)
    yield from machines(report.experiments, report.barriers, report.machine)
    yield Heading("More on the runs", 3)
    yield from folded("What was run", what_was_run(report.experiments))
    yield from folded("What could not be measured, by experiment", absent(report.absent))
    yield from recoveries(report.experiments)
    yield from again(report.results, report.experiments)
