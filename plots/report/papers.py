"""A chapter for the findings, one for each paper that the results have records or figures of, and one for figures of no paper."""
from plots.claims import items, papers
from plots.common.command import Refused
from plots.report import captions, drawings
from plots.report.blocks import Fold, Heading, Table, Terms, Text, link, marked
from plots.report.overview import MARKS, anchor, finding_anchor

STATUS_MARKS = {"yes": "good", "partly": "warn", "no": "bad"}
SHORT = 20  # letters; a shorter reason may stand in a text by chance
SHOWN = 6  # of the paper's numbers; plots/papers has all


def found(results):
    """(the items as `rollbench papers list` finds them here, why there are none)."""
    try:
        return [papers.about(item, results) for item in papers.here(items.load(), results)], None
    except (Refused, ImportError) as error:  # PyYAML may be missing
        return [], f"{error}; python3-yaml is in configs/packages.txt" if isinstance(error, ImportError) else str(error)


def said_number(one):
    value = " / ".join(map(str, one["value"])) if isinstance(one["value"], list) else one["value"]
    return f"{one['what']}{' of ' + one['of'] if 'of' in one else ''}: {value} {one.get('unit', '')}".strip()


def numbers(item):
    all_of = [said_number(one) for one in item["numbers"]]
    return "; ".join(all_of[:SHOWN]) + (f"; and {len(all_of) - SHOWN} more" if len(all_of) > SHOWN else "")


def shorter(text, report):
    """Without the reasons that the first page has."""
    for _, why in sorted(report.absent, key=lambda reason: -len(reason[1])):
        if len(why) > SHORT:
            text = text.replace(why, link("see what is absent", "absent"))
    return text


def state(one):
    """Here; why an item is not there at all stands beside it."""
    return one["state"] if one["state_text"] == one["reason"] else f"{one['state']}: {one['state_text']}"


def items_table(mine, report):
    rows = []
    for one in mine:
        drawn = drawings.linked(one["drawn"], report)
        rows.append([f"{one['place']}: {one['title']} (`{one['id']}`)", marked(STATUS_MARKS[one["status"]], f"{one['status']}, {one['evidence']}"),
                     one["shows"] + (f" Its numbers: {numbers(one)}." if one["numbers"] else ""),
                     " ".join(part for part in (one["differs"], one["reason"]) if part),
                     shorter(state(one), report) + (f". Drawn: {drawn}" if drawn else "")])
    return Table("Items in the paper's order. Status: `yes`, the same quantity by the same procedure; `partly`; `no`. Evidence: a "
                 "verdict that records can contradict, a test, or something that is only shown. `rollbench papers run "
                 f"{mine[0]['paper']}/ITEM` repeats one", ["item", "status, evidence", "the paper shows", "what differs, and why", "here"], rows)


def claims_table(mine, report):
    """None: they have no claims."""
    rows = [[*([f"{one['place']} (`{one['id']}`)"] if one["paper"] != items.FINDINGS else []), f"{judged['claim']}. Rule: `{judged['rule']}`",
             marked(MARKS.get(judged["verdict"], "warn"), judged["verdict"]), shorter(judged["text"], report)]
            for one in mine for judged in one["judged"]]
    if not rows:
        return None
    header = ["item", "claim, and the rule that judges it", "verdict", "what the records say"]
    return Table("Verdicts, computed from these records by rules that stand in `plots/papers`; intervals have 95 %. What cannot come out "
                 "otherwise says so: by construction" if len(rows[0]) == len(header) else "What these records say of it",
                 header[-len(rows[0]):], rows)


def place(drawn, findings):
    """The paper or the finding whose chapter has a drawing; None if it is of neither."""
    caption = captions.caption_of(drawn.folder, drawn.name)
    if caption and "paper" in caption:
        return caption["paper"][0]
    paths = {str(path) for path in (drawn.figure, drawn.table) if path}
    return next((one["id"] for one in findings if paths & set(one["drawn"])), None)


def finding(one, mine, report):
    """mine: the drawings that stand here."""
    yield Heading(one["title"], 3, finding_anchor(one))
    yield Terms([(word.capitalize(), one[word]) for word in items.TOLD])
    for drawn in mine:
        yield from drawings.section(drawn, report, 4)
    claims = claims_table([one], report)
    if claims:
        yield claims
    parts = {"here": f"{one['state']}: {one['state_text']}", "drawn": drawings.linked(one["drawn"], report),
             "tests": ", ".join(f"`{test}`" for test in one["tests"]), "more": ", ".join(f"`{page}`" for page in one["read"]),
             "to repeat it": f"`./rollbench papers run {one['name']}`" if one["commands"] else ""}
    yield Terms([(word.capitalize(), text) for word, text in parts.items() if text])


def paper_chapter(paper, mine, drawn, report):
    """mine: its items here, none if it has only drawings."""
    yield Heading(f"Paper: {paper}", anchor=anchor(paper))
    yield Text(f"{captions.PAPERS[paper]}.")
    claims = claims_table(mine, report)
    if claims:
        yield claims
    if mine:
        yield Fold("All items of the paper", [items_table(mine, report)])
    for one in drawn:
        yield from drawings.section(one, report)


def in_order(drawn):
    """As plots/report/captions.py has them, then what it does not know."""
    known = list(captions.CAPTIONS)
    return sorted(drawn, key=lambda d: (d.folder, known.index(d.name) if d.name in known else len(known)))


def chapters(report):
    """report: plots/report/contents.py's."""
    findings = [one for one in report.items if one["paper"] == items.FINDINGS]
    of = {}
    for drawn in in_order(report.drawings):
        of.setdefault(place(drawn, findings), []).append(drawn)
    if findings:
        yield Heading("Findings that no paper has", anchor="findings")
        for one in findings:
            yield from finding(one, of.get(one["id"], []), report)
    for paper in items.PAPERS:
        mine = [one for one in report.items if one["paper"] == paper]
        if mine or paper in of:
            yield from paper_chapter(paper, mine, of.get(paper, []), report)
    if None in of:
        yield Heading("Figures of no paper and no finding", anchor="figures")
        for one in of[None]:
            yield from drawings.section(one, report)
    if not report.drawings:
        yield Heading("Figures", anchor="figures")
        yield Text(f"Nothing is drawn in `{report.results}/figures`. `make run-all` draws all figures from the records that are there.")
