"""The report as a PDF, by ReportLab: the same blocks on A4 pages. A chapter begins on a page of its own, and folds make the appendix."""
import html
import io

from matplotlib.font_manager import FontProperties, findfont
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import inch
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (BaseDocTemplate, CondPageBreak, Flowable, Frame, Image, LongTable, PageBreak, PageTemplate, Paragraph,
                                Preformatted, Spacer)

from plots.report import blocks
from plots.report.blocks import Code, Fold, Heading, Picture, Table, Terms, Text

MARGIN = 0.7 * inch
INSIDE, TALL = A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN
DOTS = 150  # of a figure's inch
BEGIN = 1.4 * inch  # a heading or a table begins only where there is so much room
PADDING, LEADING = 3, 1.35
SIZES = (7.5, 6.5, 5.5)  # of a table's text: the first in which every word fits into its column
MARKS = {None: colors.black, "good": colors.HexColor("#1d6b3a"), "bad": colors.HexColor("#a11b24"), "warn": colors.HexColor("#7a5200")}
SOFT, RULE, ACCENT = colors.HexColor("#5a6475"), colors.HexColor("#b0b7c3"), "#2f5fa8"
PLAIN, BOLD, MONO = "report", "report-bold", "report-mono"
TRIES = 5
APPENDIX = "Appendix: numbers, commands and tables to look up"


def fonts():
    """matplotlib's own, which have all letters that records have and are where it is."""
    for name, how in ((PLAIN, {}), (BOLD, {"weight": "bold"}), (MONO, {"family": "DejaVu Sans Mono"})):
        pdfmetrics.registerFont(TTFont(name, findfont(FontProperties(**{"family": "DejaVu Sans", **how}))))
    rl_config.useA85 = 0  # readers take bytes, and text in their place takes seconds
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=PLAIN, boldItalic=BOLD)


def style(size, font=PLAIN, **how):
    return ParagraphStyle("", fontName=font, fontSize=size, leading=size * LEADING, splitLongWords=1, **how)


HEADINGS = {2: style(15, BOLD, spaceAfter=6), 3: style(11, BOLD, spaceBefore=8, spaceAfter=4), 4: style(9.5, BOLD, spaceBefore=6, spaceAfter=3)}
BODY, NOTE = style(8.5, spaceAfter=4), style(7.5, textColor=SOFT, spaceAfter=5)
COMMANDS = style(6.5, MONO, leftIndent=6, spaceAfter=6)


class Document(BaseDocTemplate):
    """Knows, once it is built, the page of each anchor."""

    def __init__(self, target, title):
        super().__init__(target, pagesize=A4, title=title, author="rollbench report", invariant=1)
        frame = Frame(MARGIN, MARGIN, INSIDE, TALL, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
        self.addPageTemplates(PageTemplate(frames=[frame], onPage=self.number))
        self.places = {}

    def number(self, canvas, _):
        canvas.setFont(PLAIN, 8)
        canvas.setFillColor(SOFT)
        canvas.drawRightString(A4[0] - MARGIN, 0.4 * inch, str(canvas.getPageNumber()))

    def afterFlowable(self, flowable):
        heading = getattr(flowable, "heading", None)
        if heading:
            self.places[heading.anchor] = self.page
            self.canv.addOutlineEntry(blocks.plain(heading.text), heading.anchor, heading.level - 2, closed=True)


class Blank(Flowable):
    """In the place of a picture, while page numbers are counted: to compress all pictures takes seconds."""

    def __init__(self, wide, high):
        super().__init__()
        self.width, self.height = wide, high

    def draw(self):
        pass


class Story:
    """What the pages are made of. places: the page of each anchor, None if it is not known yet; blank: without pictures; numbered: links tell
    the page."""

    def __init__(self, places, blank, numbered=True):
        self.places, self.blank, self.numbered, self.parts, self.folds, self.under, self.count = places, blank, numbered, [], [], "", 0

    def markup(self, text):
        return blocks.inline(text, rf'<font face="{MONO}">\1</font>', self.link)

    def link(self, words, anchor):
        if self.places is None:
            return f"{words} (p. 00)"
        if anchor not in self.places:
            return words
        return f'<a href="#{anchor}" color="{ACCENT}">{words}</a>' + f" (p. {self.places[anchor]})" * self.numbered

    def text(self, text, how=BODY):
        self.parts.append(Paragraph(self.markup(text), how))

    def heading(self, block, after=BEGIN):
        """after: the room that what follows needs on the same page."""
        if block.level == 2 and self.count:
            self.parts.append(PageBreak())
        self.count += 1
        block = Heading(block.text, block.level, block.anchor or f"heading-{self.count}")
        self.parts.append(CondPageBreak(min(after + 0.4 * inch, TALL)))
        part = Paragraph(f'<a name="{block.anchor}"/>{self.markup(block.text)}', HEADINGS[block.level])
        part.heading = block
        self.parts.append(part)
        self.under = blocks.plain(block.text)

    def cells(self, block, size):
        sides = [TA_RIGHT if is_number else TA_LEFT for is_number in block.numbers()]
        ways = {(mark, side): style(size, textColor=color, alignment=side) for mark, color in MARKS.items() for side in (TA_LEFT, TA_RIGHT)}
        bold = {side: style(size, BOLD, alignment=side) for side in (TA_LEFT, TA_RIGHT)}
        return [[Paragraph(self.markup(text), bold[side]) for text, side in zip(block.header, sides)],
                *([Paragraph(self.markup(text), ways[getattr(text, "mark", None), side]) for text, side in zip(row, sides)] for row in block.rows)]

    def table(self, block):
        for size in SIZES:
            cells = self.cells(block, size)
            low = least(cells)
            if sum(low) <= INSIDE:
                break
        wide = columns(cells, low)
        lines = max(length(cell) / w for row in cells for cell, w in zip(row, wide))
        self.parts.append(CondPageBreak(BEGIN))
        self.text(block.caption, NOTE)
        self.parts.append(LongTable(cells, wide, repeatRows=1, splitInRow=lines * size * LEADING > TALL / 3, hAlign="LEFT", style=[
            ("VALIGN", (0, 0), (-1, -1), "TOP"), ("LINEBELOW", (0, 0), (-1, -1), 0.4, RULE),
            *((side, (0, 0), (-1, -1), PADDING) for side in ("LEFTPADDING", "RIGHTPADDING")),
            *((side, (0, 0), (-1, -1), 1.5) for side in ("TOPPADDING", "BOTTOMPADDING"))]))
        self.parts.append(Spacer(0, 8))

    def picture(self, block):
        self.parts.append(Blank(*size_of(block)) if self.blank else Image(str(block.path), *size_of(block)))
        self.parts.append(Spacer(0, 4))
        self.text(block.caption, NOTE)

    def terms(self, block):
        for term, text in block.pairs:
            self.parts.append(Paragraph(f"<b>{self.markup(term)}.</b> {self.markup(text)}", BODY))

    def code(self, block):
        self.parts.append(CondPageBreak(0.5 * inch))
        self.text(f"{block.what}:", NOTE)
        self.parts.append(Preformatted("\n".join(block.lines), COMMANDS, maxLineLength=120, splitChars=" ", newLineChars="    "))

    def fold(self, block):
        number = len(self.folds) + 1
        self.folds.append((Heading(f"A{number}. {self.under}: {block.title}", 3, f"fold-{number}"), block.blocks))
        self.text(blocks.link(f"{block.title}: appendix A{number}", f"fold-{number}"), NOTE)

    def add(self, found):
        found = list(found)
        for block, after in zip(found, [*found[1:], None]):
            if isinstance(block, Heading):
                self.heading(block, size_of(after)[1] + 0.6 * inch if isinstance(after, Picture) else BEGIN)
            else:
                {Text: lambda b: self.text(b.text), Table: self.table, Picture: self.picture, Terms: self.terms,
                 Code: self.code, Fold: self.fold}[type(block)](block)

    def appendix(self):
        if self.folds:
            self.heading(Heading(APPENDIX, 2, "appendix"))
        for heading, found in self.folds:
            self.heading(heading)
            self.add(found)


def size_of(picture):
    """Width and height on the page."""
    wide, high = (n * inch / DOTS for n in ImageReader(str(picture.path)).getSize())
    scale = min(1, INSIDE / wide, (TALL - inch) / high)
    return wide * scale, high * scale


def length(cell):
    """Of its text in one line."""
    return sum(pdfmetrics.stringWidth(part.text, part.fontName, part.fontSize) for part in cell.frags if hasattr(part, "text"))


def least(cells):
    """What each column needs so that no word is cut, but paths, which may be longer than a third of the page."""
    return [min(max(cell.minWidth() for cell in column) + 2 * PADDING + 1, INSIDE / 3) for column in zip(*cells)]


def columns(cells, low):
    """The widths of the columns: each at least as low says and at most as its longest text needs. A column has about as many lines as its
    texts are long, divided by its width. The sum over all columns is least if widths are as the roots of the lengths. Of each row the
    longest text makes the height, so a text counts by its share in its row."""
    if sum(low) > INSIDE:
        return [a * INSIDE / sum(low) for a in low]
    texts = [[length(cell) for cell in column] for column in zip(*cells)]
    high = [max(a, max(of) + 2 * PADDING + 2) for a, of in zip(low, texts)]
    roots = [sum(text ** 2 / (sum(row) or 1) for text, row in zip(of, zip(*texts))) ** 0.5 or 1 for of in texts]
    found, left = [0.0] * len(low), set(range(len(low)))
    while left:  # columns that would get less than they must have are settled before those that would get more than they need
        rest = INSIDE - sum(found[i] for i in range(len(low)) if i not in left)
        shares = {i: rest * roots[i] / sum(roots[j] for j in left) for i in left}
        settled = {i for i in left if shares[i] < low[i]} or {i for i in left if shares[i] > high[i]} or set(left)
        for i in settled:
            found[i] = max(low[i], min(shares[i], high[i]))
        left -= settled
    return found


def build(title, origin, summary, good, found, story):
    target = io.BytesIO()
    story.parts += [Paragraph(html.escape(title), style(20, BOLD, spaceAfter=8)), Paragraph(story.markup(origin), NOTE),
                    Paragraph(story.markup(summary), style(11, BOLD, textColor=MARKS["good" if good else "bad"], spaceAfter=6))]
    story.text("; ".join(blocks.link(b.text, b.anchor) for b in [*blocks.chapters(found), Heading("Appendix", 2, "appendix")]) + ".", NOTE)
    story.add(found)
    story.appendix()
    document = Document(target, title)
    document.build(story.parts)
    return target.getvalue(), document


def document(title, origin, summary, good, found):
    """(the PDF as bytes, its pages, the page of each anchor). Page numbers in a text can change where its lines and pages end, so the
    pages are counted until the numbers stay the same. They nearly always do at once."""
    fonts()
    parts = title, origin, summary, good, list(found)
    places = build(*parts, Story(None, True))[1].places
    for _ in range(TRIES):
        written, built = build(*parts, Story(places, False))
        if built.places == places:
            return written, built.page, built.places
        places = built.places
    written, built = build(*parts, Story(places, False, numbered=False))
    return written, built.page, built.places
