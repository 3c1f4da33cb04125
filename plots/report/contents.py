"""The report as a list of blocks, verdict first, from what plots/report/data.py counted."""
import pathlib
import shlex

from plots.report import captions
from plots.report import data
from plots.report import papers
from plots.report.blocks import Code, Heading, Picture, Table, Terms, Text, marked, number
from plots.report.recovery import recoveries
from plots.common import elc as elc_runs
from plots.common.runs import groups, is_right_control, labels, programs, said_outdated, said_programs
from plots.common.stats import CITED

COPYING = 60  # seconds; records of barriers do not say when they ended, and copies are made in any order


def verdict_row(name, experiments):
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


def verdict(experiments):
    rows = [verdict_row(e.name, [e]) for e in experiments]
    if len(rows) > 1:
        rows.append(verdict_row("all", experiments))
    yield Heading("Verdict", anchor="verdict")
    yield Table("Runs by how they ended; ok: the kernel's own check passed and the final state has the "
                "same bits as the failure-free run's",
                ["experiment", "runs", *data.STATUSES, "not equal to the failure-free run",
                 "escalated", "unreadable", "not run"], rows)
    yield from controls(experiments)
    for e in experiments:
        if e.outdated:
            yield Text(f"{e.name}: {said_outdated(e.outdated)}.")
    bad = [(e, r) for e in experiments for r in e.bad()]
    unreadable = [(e, name) for e in experiments for name in e.unreadable]
    if not bad and not unreadable:
        yield Text("No run that was made ended in any other way than ok.")
        return
    yield Heading("Runs that are not ok", 3)
    for experiment, record in bad:
        yield from not_ok(experiment, record)
    for experiment, name in unreadable:
        yield Text(f"`{name}` in {experiment.name}: no record that can be read. Delete the file and "
                   "run the sweep again.")


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
                "failure-free run can fail (docs/experiments.md). They are in no other number of this page",
                ["experiment", "kernel", "control", "runs", "wrong, as they must be", "otherwise"], rows)
    for e, record in found:
        if not is_right_control(record):
            yield Text(f"{e.name}, `{record['id']}`: {record['status']}, but a negative control must end wrong. {record.get('message') or ''}")


def is_right(record):
    """Of a run with --protocol; None: it is not there."""
    return record is not None and elc_runs.is_right(record)


def elc_verdict(elc):
    """elc: {experiment: records with --protocol, None for one that is not there}."""
    rows = [[name, str(len(of)), marked("good" if all(map(is_right, of)) else "warn", sum(map(is_right, of))),
             number(sum(r is not None and not is_right(r) for r in of), "bad"), str(sum(r["restarts"] for r in of if r)),
             number(sum(r is None for r in of), "warn")] for name, of in elc.items()]
    if rows:
        yield Table("Runs under event-logging checkpoints by how they ended; ok: the program's own check passed, and its result is that of "
                    "the run without lines", ["experiment", "runs", "ok", "not ok or not equal", "restarts", "not run or unreadable"], rows)
    for name, of in elc.items():
        for record in of:
            if record is not None and not is_right(record):
                yield Text(f"{name}, `{record['id']}`: {record['status']}. {record.get('message') or ''}")


def not_ok(experiment, record):
    status = record["status"]
    if record.get("compared", {}).get("equal") is False:
        status += ", not equal to the failure-free run"
    yield Text(f"{experiment.name}, `{record['id']}`: {status}. {record.get('message') or ''}")
    if record.get("hosts"):
        yield Text(f"It ran on the hosts {', '.join(f'`{host}`' for host in record['hosts'])}. FILE names these, "
                   "each with its slots, which no record has; and `--spare-hosts` if the last had the spares.")
    lines = [data.command(record)]
    by_id = {r["id"]: r for r in experiment.records}
    reference = by_id.get(record.get("compared", {}).get("reference"))
    if reference:
        lines.append(data.command(reference))
    yield Code("To repeat it" + (", and the failure-free run" if reference else ""), lines)


def memory(value):
    return f"{value / 2 ** 30:.1f} GiB" if isinstance(value, int) else value


def machines(experiments, barriers, picture):
    yield Heading("What was run on what", anchor="machines")
    found = data.hosts({**{e.name: e.records for e in experiments},
                        **({"barrier": list(barriers.values())} if barriers else {})})
    names = {"cpu": "CPU", "mpi": "MPI", "prrte": "PRRTE", "pus": "processing units",
             "topology": "hwloc, children of each",
             "memory_bytes": "memory", "transport": "messages travel by", "kernel": "operating system"}
    rows = [["runs", *(", ".join(f"{k} {n}" for k, n in runs.items()) for runs in found.values())]]
    for i, key in enumerate(data.HOST_KEYS):
        values = [memory(v[i]) if key == "memory_bytes" else v[i] for v in found]
        rows.append([names.get(key, key), *("unknown" if v is None else f"{v}" for v in values)])
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
    for e in experiments:
        if len(of := programs(e.records)) > 1:
            yield Text(f"{e.name}: {said_programs(of)}. Its figures and tables have them all together.")
    rows = [[e.name, problem.split("\n")[0], "; ".join(problem.split("\n")[1:]), ", ".join(labels(records)),
             str(len(records))] for e in experiments for problem, records in groups(e.records).items()]
    yield Table("What was run", ["experiment", "problem", "checkpoints", "recovered by", "runs"],
                rows)


def repeating(words, experiments, barriers):
    """How to make the records again that a script drew from, and the drawing. words: its call."""
    source, lines = pathlib.Path(words[1]).name, []  # drawn from another folder, perhaps
    for experiment in experiments:
        if experiment.folder.name == source:
            config = data.config_of(experiment) or f"{experiment.name}.yaml"
            lines.append(f"./rollbench sweep {config} --results {experiment.folder}")
    lines += [data.barrier_command(path, record) for path, record in barriers.items()
              if path.name == source]
    lines += data.simulate_commands(pathlib.Path(words[1]))
    if pathlib.Path(words[0]).stem == "dataflow_saving":
        lines.append(f"./rollbench model dataflow --json >{shlex.quote(words[1])}")
    lines += data.interval_commands(pathlib.Path(words[0]).stem, pathlib.Path(words[1]))
    lines += data.study_commands(pathlib.Path(words[0]).stem, pathlib.Path(words[1]))
    lines += data.forecast_commands(pathlib.Path(words[0]).stem, pathlib.Path(words[1]))
    return Code("To repeat it", [*lines, "scripts/with-env python3 " + " ".join(words)])


def call_of(drawn, results, caption):
    """What drew it, as words: as the figure has it, or as `make run-all` would; None if unknown."""
    words = data.drawn_by(drawn.figure) if drawn.figure else None
    if words:
        return [data.script(words[0]), *words[1:]]
    if not caption:
        return None
    return [data.script(caption["script"]), str(results / (drawn.folder or caption["folder"])),
            str((drawn.figure or drawn.table).parent)]


def stale(drawn, words, experiments, barriers):
    """What to say of one that is older than the newest record that it was drawn from; None otherwise."""
    source = pathlib.Path(words[1]).name if words and len(words) > 1 else None
    newest = max([e.ended for e in experiments if e.folder.name == source]
                 + [path.stat().st_mtime - COPYING for path in barriers if path.name == source], default=0)
    if min(path.stat().st_mtime for path in drawn[2:] if path) >= newest:
        return None
    return Text(f"Not up to date: older than the newest record of `{source}`. "
                "`make run-all` draws it anew, or says why it cannot.")


def beside(caption):
    paper, place = caption["paper"]
    return Terms([(f"The paper ({paper}, {place})", caption["shows"]),
                  ("What differs, and why", caption["differs"].strip())])


def picture_of(drawn, caption):
    if not drawn.figure:
        return Text(caption["caption"] if caption else "Nothing is written about this table in "
                    "plots/report/captions.py.")
    if not caption:
        return Picture(drawn.figure, f"The figure {drawn.name}.png.", "Nothing is written about this "
                       "figure in plots/report/captions.py.")
    return Picture(drawn.figure, caption["alt"], caption["caption"])


def cited(drawn):
    """Of every figure and table, captioned or not."""
    numbers = drawn.figure and drawn.figure.with_name(f"{drawn.figure.stem}.data.csv")
    return Text(f"Intervals, tests and numbers of repetitions: `{CITED}`."
                + (f" The numbers that are drawn: `{numbers.name}`, beside the figure." if numbers and numbers.exists() else ""))


def one_drawing(drawn, results, experiments, barriers):
    caption = captions.caption_of(drawn.folder, drawn.name)
    title = caption["title"] if caption else drawn.name
    yield Heading(f"{drawn.folder}: {title}" if drawn.folder else title, 3)
    words = call_of(drawn, results, caption)
    old = stale(drawn, words, experiments, barriers)
    if old:
        yield old
    yield picture_of(drawn, caption)
    yield cited(drawn)
    if caption and "paper" in caption:
        yield beside(caption)
    if drawn.table:
        yield from markdown(drawn.table.read_text(encoding="utf-8"))
    if caption:
        yield repeating(words, experiments, barriers)


def markdown(text):
    """Tables of what the table scripts write: headings, tables, paragraphs."""
    heading, rows = "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if set("".join(cells)) - set("-"):
                rows.append(cells)
            continue
        if rows:
            yield Table(heading, rows[0], rows[1:])
            rows = []
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line:
            yield Text(line)


def figures(results, experiments, barriers):
    yield Heading("Figures", anchor="figures")
    drawn = data.drawings(results)
    if not drawn:
        yield Text(f"Nothing is drawn in `{results}/figures`. `make run-all` draws all figures from the "
                   "records that are there.")
        return
    known = list(captions.CAPTIONS)  # in the papers' order, then what nobody knows
    for one in sorted(drawn, key=lambda d: (d.folder, known.index(d.name) if d.name in known
                                            else len(known))):
        yield from one_drawing(one, results, experiments, barriers)


def missing(experiments, barriers):
    yield Heading("What is absent here, and why", anchor="absent")
    found = data.absent({e.name: e.records for e in experiments}, barriers)
    rows = [[what, ", ".join(f"{k} {n}" for k, n in runs.items()), why]
            for (what, why), runs in found.items()]
    if rows:
        yield Table("Nothing is estimated in place of what could not be measured",
                    ["what", "runs", "why, and what helps"], rows)
    else:
        yield Text("Nothing: all meters were there, and a core for every rank.")


def minutes(seconds):
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def took(experiments):
    yield Heading("How long it took", anchor="time")
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


def again(papers, results, experiments):
    profile, usual = "", "results"
    if any("/configs/paper/" in f"/{data.config_of(e) or ''}" for e in experiments):
        profile, usual = " PROFILE=paper", "results/paper"
    where = "" if str(results) == "results" else f" --results {shlex.quote(str(results))}"
    make = f"make run-all{profile}"
    if pathlib.Path(usual).absolute() != results.absolute():  # not where make would put them
        make = (f"scripts/with-env env{profile} " if profile else "scripts/with-env ") + (
            f"scripts/run-all {shlex.quote(str(results))}")
    yield Heading("All of it again", anchor="again")
    yield Code("The experiments, resumed where they stopped, the figures and this report",
               [make, f"./rollbench report{where}"])
    yield Terms([(key, text + ".") for key, text in papers.items()])


class Report:
    """The whole: what stands on top, and the blocks below it."""

    def __init__(self, results, experiments, barriers, machine):
        """machine: a PNG, or None."""
        self.results, self.experiments = results, experiments
        self.barriers, self.machine = barriers, machine
        self.elc = data.elc_runs(results)
        self.runs = sum(e.planned for e in experiments) + sum(map(len, self.elc.values()))
        self.ok = sum(e.count("ok") for e in experiments) + sum(is_right(r) for of in self.elc.values() for r in of)

    def good(self):
        return self.ok == self.runs

    def summary(self):
        if not self.runs:
            return "No runs of sweeps are among these results."
        return (f"All of {self.runs} runs are ok." if self.good() else
                f"{self.ok} of {self.runs} runs are ok. See the table before any figure.")

    def origin(self):
        """When and where: as the records have it, so that the same records give the same page."""
        records = [r for e in self.experiments for r in e.records] + [*self.barriers.values()]
        names = sorted({str(r.get("host", {}).get("hostname")) for r in records})
        ends = [r["finished_at"] for r in records if r.get("finished_at")]
        until = f", last run {max(ends).replace('T', ' ').replace('Z', ' UTC')}" if ends else ""
        return f"Records of `{self.results}` from {', '.join(names)}{until}"

    def blocks(self):
        yield from verdict(self.experiments)
        yield from elc_verdict(self.elc)
        yield from machines(self.experiments, self.barriers, self.machine)
        yield from figures(self.results, self.experiments, self.barriers)
        yield from papers.chapters(self.results)
        yield from recoveries(self.experiments)
        yield from missing(self.experiments, self.barriers)
        yield from took(self.experiments)
        yield from again(captions.PAPERS, self.results, self.experiments)
