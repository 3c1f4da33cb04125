"""The first page: how the runs ended, what the claims of the papers and of the findings come to, and what could not be measured."""
import collections

from plots.claims import items
from plots.claims.rules import AGREES, DIFFERS, UNDECIDED
from plots.claims.verdicts import CONSTRUCTED, NOT_RUN
from plots.common.runs import programs, said_outdated, said_programs
from plots.report import data, runs
from plots.report.blocks import Heading, Table, Text, link, marked, number

SHOWN = 10  # runs that are not ok; the chapter on the runs has all
FINDINGS = 5
VERDICTS = (AGREES, DIFFERS, UNDECIDED, CONSTRUCTED, NOT_RUN)
MARKS = {AGREES: "good", DIFFERS: "bad"}


def anchor(paper):
    return f"paper-{paper}"


def finding_anchor(item):
    return f"finding-{item['id']}"


def said_control(record):
    return f"a negative control must end wrong, against a failure-free run{': ' if record.get('message') else ''}{record.get('message') or ''}"


def not_ok(experiments, elc):
    """The runs themselves, before anything that is said of them. elc: as plots/report/data.py reads it."""
    bad = [(e.name, r["id"], data.said_status(r), r.get("message") or "") for e in experiments for r in e.bad()]
    bad += [(e.name, name, "unreadable", "the file has no record") for e in experiments for name in e.unreadable]
    bad += [(e.name, r["id"], r["status"], said_control(r)) for e in experiments for r in e.wrong_controls()]
    bad += [(name, r["id"], data.said_status(r), r.get("message") or "") for name, r in runs.not_right(elc)]
    if bad:
        more = f", the first {SHOWN} of {len(bad)}" if len(bad) > SHOWN else ""
        yield Table(f"Runs that are not ok{more}; more on each: {link('Runs and machines', 'runs')}", ["experiment", "run", "how it ended", "message"],
                    [[name, f"`{run}`", marked("bad", how), message] for name, run, how, message in bad[:SHOWN]])


def warnings(experiments):
    """What is to be known before any figure."""
    for e in experiments:
        if e.outdated:
            yield Text(f"{e.name}: {said_outdated(e.outdated)}.")
        if len(of := programs(e.records)) > 1:
            yield Text(f"{e.name}: {said_programs(of)}. Its figures and tables have them all together.")
        if e.escalated():
            yield Text(f"{e.name}: {e.escalated()} runs were escalated to a restart; their times are no samples.")


def counts(mine):
    """A cell for each verdict on the claims of these items."""
    found = collections.Counter(judged["verdict"] for item in mine for judged in item["judged"])
    return [number(found[verdict], MARKS.get(verdict)) for verdict in VERDICTS]


def of_papers(all_of):
    mine = items.of_papers(all_of)
    if not mine:
        return
    rows = [["all" if paper == "all" else link(paper, anchor(paper)), *map(str, statuses.values()),
             str(sum(item["state"] == "run" for item in of)), *counts(of)]
            for (paper, statuses), (_, of) in zip(items.count(mine).items(), items.by_paper(mine))]
    yield Table("The papers' figures, tables, equations, algorithms and numbers: how many this suite repeats (yes, partly, no), how many of them "
                "have been run here, and what these records say of their claims, by the rules in `plots/papers`",
                ["paper", *items.STATUSES, "run here", *VERDICTS], rows)


def is_result(item):
    """Whether records could contradict it and are there: it has claims of which not all are true by construction or without records."""
    return bool({AGREES, DIFFERS, UNDECIDED} & {judged["verdict"] for judged in item["judged"]})


def of_findings(all_of):
    mine = [item for item in all_of if item["paper"] == items.FINDINGS]
    results = [item for item in mine if is_result(item)]
    first = sorted(results, key=lambda item: all(judged["verdict"] != DIFFERS for judged in item["judged"]))[:FINDINGS]
    if not first:
        return
    yield Heading("What no paper has", 3)
    yield Table(f"Findings that records can contradict, with the verdicts of these records on their claims. {link('The chapter', 'findings')} has all "
                f"{len(mine)}", ["finding", *VERDICTS],
                [*([link(item["title"], finding_anchor(item)), *counts([item])] for item in first), ["all findings", *counts(mine)]])


def absent(found):
    """found: as plots/report/data.py counts it."""
    yield Heading("What is absent here, and why", 3, "absent")
    if found:
        yield Table("Nothing is estimated in place of what could not be measured", ["what", "records", "why, and what helps"],
                    [[what, str(sum(runs.values())), why] for (what, why), runs in found.items()])
    else:
        yield Text("Nothing: all meters were there, and a core for every rank.")


def first_page(report):
    """report: plots/report/contents.py's."""
    yield Heading("Verdict", anchor="verdict")
    yield from not_ok(report.experiments, report.elc)
    yield from warnings(report.experiments)
    if report.no_items:
        yield Text(f"What the records say of the papers is not known: {report.no_items}")
    yield from of_papers(report.items)
    yield from of_findings(report.items)
    yield from absent(report.absent)
