"""The pieces that a report is made of; plots/report/page.py and plots/report/pdf.py render them.

Texts may have `code` in backticks.
"""
import dataclasses


class Cell(str):
    """A table's cell that is to be seen: mark is "good", "bad" or "warn"."""

    mark = None


def marked(mark, text):
    cell = Cell(text)
    cell.mark = mark
    return cell


def number(value, mark):
    """A count that is remarkable unless it is 0."""
    return marked(mark, value) if value else "0"


@dataclasses.dataclass
class Heading:
    text: str
    level: int = 2
    anchor: str = ""


@dataclasses.dataclass
class Text:
    text: str


@dataclasses.dataclass
class Code:
    """Commands, one a line; what: a few words on them."""

    what: str
    lines: list


@dataclasses.dataclass
class Table:
    """Columns of which every cell begins with a digit are set to the right."""

    caption: str
    header: list
    rows: list


@dataclasses.dataclass
class Picture:
    """A PNG; alt: what is to be seen, for those who do not see it."""

    path: object
    alt: str
    caption: str


@dataclasses.dataclass
class Terms:
    """[(term, text)], shown beside the picture before it where there is room."""

    pairs: list
