"""docs/findings.md: the findings of plots/papers/findings.yaml, each with its figures and with what the records of a results folder say."""
import pathlib

from plots.claims import items, papers

HEAD = """# Findings

What this suite shows that none of the five papers has: the question, the experiment, the answer, its limits, and claims with rules that
records can contradict (`docs/papers.md`). A claim that cannot come out otherwise says so, and the last finding has tests in the place of
claims. This page is written from `plots/papers/findings.yaml` and from the records of one
`make run-all` on two cores; `./rollbench papers show findings/NAME` says the same of your own records, and `./rollbench papers run findings/NAME`
makes them.
"""


def findings():
    return [item for item in items.load() if item["paper"] == items.FINDINGS]


def pictures():
    """The names of the figures that the page shows."""
    return [drawing for item in findings() for drawing in item["drawings"]]


def cell(text):
    return text.replace("|", "\\|")


def section(one):
    yield f"\n## {one['title']}\n\n`{one['name']}`\n"
    for word in items.TOLD:
        yield f"\n**{word.capitalize()}.** {one[word]}\n"
    for drawing in one["drawings"]:
        yield f"\n![{pathlib.Path(drawing).stem}]({drawing})\n"
    if one["judged"]:
        yield "\n| claim | rule | verdict | what the records say |\n|---|---|---|---|\n"
        for judged in one["judged"]:
            yield "| " + " | ".join(cell(judged[key]) for key in ("claim", "rule", "verdict", "text")) + " |\n"
    if one["tests"]:
        yield "\nTests: " + ", ".join(f"`{papers.test(test)}`" for test in one["tests"]) + ".\n"
    if one["read"]:
        yield f"\nMore: {', '.join(f'`{page}`' for page in one['read'])}.\n"


def written(results):
    """The page as text."""
    return HEAD + "".join(part for item in findings() for part in section(papers.about(item, results)))
