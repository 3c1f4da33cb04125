"""The report as a PDF, by ReportLab: the same blocks on A4 pages. A chapter begins on a page of its own, and folds make the appendix."""
import html
import io

from matplotlib.font_manager import FontProperties, findfont
from reportlab import rl_config
from reportlab.lib import colors
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
LEFT, RIGHT = 0, 2  # ReportLab's numbers for how a paragraph is set
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
    """As large as a picture, which would take a second to be packed."""

    def __init__(self, wide, high):
        super().__init__()
        self.width, self.height = wide, high

    def draw(self):
        pass


class Story:
    """What the pages are made of. places: the page of each anchor, None if it is not known yet; blank: without pictures."""

    def __init__(self, places, blank):
        self.places, self.blank, self.parts, self.folds, self.under, self.count = places, blank, [], [], "", 0

    def markup(self, text):
        return blocks.inline(text, rf'<font face="{MONO}">\1</font>', self.link)

    def link(self, words, anchor):
        if self.places is None:
            return f"{words} (p. 00)"
        if anchor not in self.places:
            return words
        return f'<a href="#{anchor}" color="{ACCENT}">{words}</a> (p. {self.places[anchor]})'

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

    def table(self, block):
        size = next((size for size in SIZES if sum(least(block, size)) <= INSIDE), SIZES[-1])
        sides = [RIGHT if is_number else LEFT for is_number in block.numbers()]
        ways = {(mark, side): style(size, textColor=color, alignment=side) for mark, color in MARKS.items() for side in (LEFT, RIGHT)}
        bold = {side: style(size, BOLD, alignment=side) for side in (LEFT, RIGHT)}
        rows = [[Paragraph(self.markup(text), bold[side]) for text, side in zip(block.header, sides)]]
        rows += [[Paragraph(self.markup(text), ways[getattr(text, "mark", None), side]) for text, side in zip(row, sides)] for row in block.rows]
        self.parts.append(CondPageBreak(BEGIN))
        self.text(block.caption, NOTE)
        wide = columns(block, size)
        lines = max((width(blocks.plain(text), size) / w for row in block.rows for text, w in zip(row, wide)), default=0)
        self.parts.append(LongTable(rows, wide, repeatRows=1, splitInRow=lines * size * LEADING > TALL / 3, hAlign="LEFT", style=[
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


def width(text, size, font=PLAIN):
    return pdfmetrics.stringWidth(text, font, size)


def least(block, size):
    """Points that each column needs so that no word is cut, but paths, which may be longer than a third of the page."""
    def of(i):
        words = [(word, font) for texts, font in (([row[i] for row in block.rows], PLAIN), ([block.header[i]], BOLD))
                 for text in texts for word in blocks.plain(text).split()]
        return min(max((width(word, size, font) for word, font in words), default=0) + 2 * PADDING + 1, INSIDE / 3)
    return [of(i) for i in range(len(block.header))]


def columns(block, size):
    """Their widths, none wider than it needs. Lines of a column are as many as its texts are long, over its width; widths by the root of
    the length make them fewest in all. Of each row the long texts count, which make it tall."""
    texts = [[width(blocks.plain(row[i]), size) for row in block.rows] + [width(block.header[i], size, BOLD)] for i in range(len(block.header))]
    found, wish = least(block, size), [max(of) + 2 * PADDING + 2 for of in texts]
    if sum(found) > INSIDE:
        return [a * INSIDE / sum(found) for a in found]
    long = [sum(text ** 2 / (sum(row) or 1) for text, row in zip(of, zip(*texts))) for of in texts]
    share, open_ones = [0.0] * len(found), set(range(len(found)))
    while open_ones:  # those that get more than they need, or less than they must have, are settled before the others
        rest = INSIDE - sum(share[i] for i in range(len(found)) if i not in open_ones)
        roots = {i: long[i] ** 0.5 for i in open_ones}
        for i in open_ones:
            share[i] = rest * roots[i] / (sum(roots.values()) or 1)
        settled = ({i for i in open_ones if share[i] < found[i]} or {i for i in open_ones if share[i] > wish[i]})
        for i in settled or open_ones:
            share[i] = max(found[i], min(share[i], wish[i]))
        open_ones -= settled or open_ones
    return share


def build(title, origin, summary, good, found, places, blank):
    target = io.BytesIO()
    story = Story(places, blank)
    story.parts += [Paragraph(html.escape(title), style(20, BOLD, spaceAfter=8)), Paragraph(story.markup(origin), NOTE),
                    Paragraph(story.markup(summary), style(11, BOLD, textColor=MARKS["good" if good else "bad"], spaceAfter=6))]
    story.text("; ".join(blocks.link(b.text, b.anchor) for b in [*found, Heading(APPENDIX.partition(":")[0], 2, "appendix")]
                         if isinstance(b, Heading) and b.level == 2 and b.anchor) + ".", NOTE)
    story.add(found)
    story.appendix()
    document = Document(target, title)
    document.build(story.parts)
    return target.getvalue(), document


def document(title, origin, summary, good, found):
    """(the PDF as bytes, its pages, the page of each anchor). Pages that are named move others, so they are counted until they are right."""
    fonts()
    parts, places = (title, origin, summary, good, list(found)), None
    for _ in range(TRIES):
        before = places
        places = build(*parts, before, True)[1].places
        if places == before:
            break
    written, built = build(*parts, places, False)
    return written, built.page, built.places
