"""The first page: how the runs ended, what the claims of the papers and of the findings come to, and what could not be measured."""
import collections

from plots.claims import items
from plots.claims.rules import AGREES, DIFFERS, UNDECIDED
from plots.claims.verdicts import CONSTRUCTED, NOT_RUN
from plots.common.runs import is_right_control
from plots.report import data, runs
from plots.report.blocks import Heading, Table, Text, link, marked, number

SHOWN = 10  # runs that are not ok; the chapter on the runs has all
FINDINGS = 5
VERDICTS = (AGREES, DIFFERS, UNDECIDED, CONSTRUCTED, NOT_RUN)


def anchor(paper):
    return f"paper-{paper}"


def finding_anchor(item):
    return f"finding-{item['id']}"


def not_ok(experiments, elc):
    """The runs themselves, before anything that is said of them. elc: as plots/report/runs.py has it."""
    bad = [[e.name, f"`{r['id']}`", marked("bad", data.said_status(r)), r.get("message") or ""] for e in experiments for r in e.bad()]
    bad += [[e.name, f"`{name}`", marked("bad", "unreadable"), "the file has no record"] for e in experiments for name in e.unreadable]
    bad += [[e.name, f"`{r['id']}`", marked("bad", r["status"]), "a negative control, which must end wrong"]
            for e in experiments for r in e.controls if not is_right_control(r)]
    bad += [[name, f"`{r['id']}`", marked("bad", data.said_status(r)), r.get("message") or ""]
            for name, of in elc.items() for r in of if r is not None and not runs.is_right(r)]
    if not bad:
        return
    more = f"; {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
    yield Table(f"Runs that are not ok{more}. {link('Runs and machines', 'runs')} has all, with the commands that repeat them",
                ["experiment", "run", "how it ended", "message"], bad[:SHOWN])


def counts(mine):
    """A cell for each verdict on the claims of these items."""
    found = collections.Counter(judged["verdict"] for item in mine for judged in item["judged"])
    marks = {AGREES: "good", DIFFERS: "bad"}
    return [number(found[verdict], marks.get(verdict)) for verdict in VERDICTS]


def of_papers(all_of):
    mine = items.of_papers(all_of)
    if not mine:
        return
    rows = []
    for paper, of in items.by_paper(mine):
        name = "all" if paper == "all" else link(paper, anchor(paper))
        rows.append([name, *(str(sum(item["status"] == status for item in of)) for status in items.STATUSES), *counts(of)])
    yield Table("The papers' figures, tables, equations, algorithms and numbers: how many are repeated here (yes, partly, no), and what these "
                "records say of their claims, by the rules in `plots/papers`",
                ["paper", *items.STATUSES, *VERDICTS], rows)


def is_result(item):
    """Whether records could contradict it: it has claims of which not all are true by construction or without records."""
    return bool({AGREES, DIFFERS, UNDECIDED} & {judged["verdict"] for judged in item["judged"]})


def of_findings(all_of):
    mine = [item for item in all_of if item["paper"] == items.FINDINGS]
    first = [item for item in mine if is_result(item)][:FINDINGS]
    if not first:
        return
    yield Heading("What no paper has", 3)
    rest = len(mine) - len(first)
    yield Table("Findings, with the verdicts of these records on their claims" + (f"; {rest} more in {link('the chapter', 'findings')}" if rest else ""),
                ["finding", *VERDICTS], [[link(item["title"], finding_anchor(item)), *counts([item])] for item in first])


def absent(found):
    """found: as plots/report/data.py counts it."""
    yield Heading("What is absent here, and why", 3, "absent")
    if found:
        yield Table("Nothing is estimated in place of what could not be measured", ["what", "runs", "why, and what helps"],
                    [[what, str(sum(runs.values())), why] for (what, why), runs in found.items()])
    else:
        yield Text("Nothing: all meters were there, and a core for every rank.")


def first_page(report):
    """report: plots/report/contents.py's."""
    yield Heading("Verdict", anchor="verdict")
    yield from not_ok(report.experiments, report.elc)
    if report.no_items:
        yield Text(f"What the records say of the papers is not known: {report.no_items}")
    yield from of_papers(report.items)
    yield from of_findings(report.items)
    yield from absent(report.absent)
