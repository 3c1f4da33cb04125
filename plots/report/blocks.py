"""The pieces that a report is made of; plots/report/page.py and plots/report/pdf.py render them.

Texts may have `code` in backticks, and what link() returns.
"""
import dataclasses
import html
import re


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


BEGIN, MIDDLE, END = "\ue000", "\ue001", "\ue002"  # of a link; for private use in Unicode, so no message of a record has them
LINK = re.compile(f"{BEGIN}([^{BEGIN}{END}]*){MIDDLE}([^{BEGIN}{END}]*){END}")


def link(text, anchor):
    """A part of a text that leads to the heading with this anchor."""
    return f"{BEGIN}{text}{MIDDLE}{anchor}{END}"


def inline(text, code, link):
    """As markup that both renderings take, with all else escaped. code: a template of re.sub; link(text, anchor): the markup of one."""
    text = LINK.sub(lambda found: link(found[1], found[2]), html.escape(str(text)))
    return re.sub(r"`([^`]+)`", code, text)


def plain(text):
    """Without marks, to measure or to list."""
    return LINK.sub(r"\1", str(text)).replace("`", "")


@dataclasses.dataclass
class Heading:
    """Level 2 is a chapter."""

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
    caption: str
    header: list
    rows: list

    def __post_init__(self):
        wide = len(self.header)
        self.rows = [[*row, *[""] * (wide - len(row))][:wide] for row in self.rows]  # a file of somebody else may have others

    def numbers(self):
        """Of each column, whether it is set to the right: every cell begins with a digit."""
        return [all(is_number(row[i]) or not row[i] for row in self.rows) and any(row[i] for row in self.rows)
                for i in range(len(self.header))]


def is_number(cell):
    return bool(re.match(r"[-+<]?[\d.]+([ %(\[:]|$)|-$", cell))


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


@dataclasses.dataclass
class Fold:
    """What only some readers look up: closed on the page, in the appendix of the PDF. It has no headings."""

    title: str
    blocks: list


def chapters(found):
    """The headings that a list of contents has."""
    return [block for block in found if isinstance(block, Heading) and block.level == 2]
