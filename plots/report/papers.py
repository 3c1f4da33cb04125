"""A chapter for the findings, and one for each paper that the results have records of, in the paper's order, as `rollbench papers list`
finds them here."""
import pathlib

from plots.claims import items, papers
from plots.common.command import Refused
from plots.report.blocks import Heading, Table, Terms, Text, marked

STATUS_MARKS = {"yes": "good", "partly": "warn", "no": "bad"}
VERDICT_MARKS = {"agrees": "good", "differs": "bad"}
SHOWN = 6  # of the paper's numbers; plots/papers has all


def found(results):
    """The items, or why there are none."""
    try:
        return [papers.about(item, results) for item in papers.here(items.load(), results)]
    except (Refused, ImportError) as error:  # PyYAML may be missing
        return str(error)


def number(one):
    value = " / ".join(map(str, one["value"])) if isinstance(one["value"], list) else one["value"]
    return f"{one['what']}{' of ' + one['of'] if 'of' in one else ''}: {value} {one.get('unit', '')}".strip()


def numbers(item):
    all_of = [number(one) for one in item["numbers"]]
    return "; ".join(all_of[:SHOWN]) + (f"; and {len(all_of) - SHOWN} more" if len(all_of) > SHOWN else "")


def drawing(item):
    """Of what is in this report; its heading has the name of the file."""
    return ", ".join(dict.fromkeys(f"`{pathlib.Path(path).name}`" for path in item["drawn"]))


def items_table(mine):
    rows = [[f"{one['place']}: {one['title']} (`{one['id']}`)", one["shows"], marked(STATUS_MARKS[one["status"]], one["status"]), one["evidence"],
             " ".join(part for part in (one["differs"], one["reason"]) if part), f"{one['state']}: {one['state_text']}", drawing(one), numbers(one)]
            for one in mine]
    return Table("Items in the paper's order. Status: `yes`, the same quantity by the same procedure; `partly`; `no`. Evidence: a "
                 "verdict that records can contradict (below), a test, or something that is only shown. `rollbench papers run "
                 f"{mine[0]['paper']}/ITEM` repeats one", ["item", "the paper shows", "status", "evidence", "what differs, and why", "here", "drawn",
                                                           "the paper's numbers"], rows)


def claims_table(mine):
    rows = [[f"{one['place']} (`{one['id']}`)", judged["claim"], judged["rule"], marked(VERDICT_MARKS.get(judged["verdict"], "warn"), judged["verdict"]),
             judged["text"]] for one in mine for judged in one["judged"]]
    return Table("Verdicts, computed from these records by rules that stand in `plots/papers`; intervals have 95 %. What cannot come out "
                 "otherwise says so: by construction (docs/papers.md)",
                 ["item", "claim", "rule", "verdict", "what the records say"], rows) if rows else None


def findings(mine):
    """What no paper has, each with its claims."""
    if not mine:
        return
    yield Heading("Findings that no paper has", anchor="findings")
    for one in mine:
        yield Heading(one["title"], 3)
        parts = {**{word: one[word] for word in items.TOLD}, "here": f"{one['state']}: {one['state_text']}", "drawn": drawing(one),
                 "tests": ", ".join(f"`{test}`" for test in one["tests"]), "more": ", ".join(f"`{page}`" for page in one["read"])}
        yield Terms([(word.capitalize(), text) for word, text in parts.items() if text])
        claims = claims_table([one])
        if claims:
            yield claims


def chapters(results):
    all_of = found(results)
    if isinstance(all_of, str):
        yield Heading("The papers, item by item", anchor="papers")
        yield Text(f"Not known: {all_of}")
        return
    yield from findings([one for one in all_of if one["paper"] == items.FINDINGS])
    for paper in dict.fromkeys(one["paper"] for one in items.of_papers(all_of)):
        mine = [one for one in all_of if one["paper"] == paper]
        yield Heading(f"Paper: {paper}", anchor=f"paper-{paper}")
        yield items_table(mine)
        claims = claims_table(mine)
        if claims:
            yield claims
