"""The report as a PDF: the same blocks on A4 pages, with matplotlib, which draws the figures, too."""
import functools
import io
import textwrap

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from plots.common.drawing import plt
from plots.report.blocks import Code, Heading, Picture, Table, Terms, Text

WIDE, HIGH, MARGIN = 8.27, 11.69, 0.7  # inches
INSIDE = WIDE - 2 * MARGIN
MARKS = {"good": "#1d6b3a", "bad": "#a11b24", "warn": "#7a5200"}
SOFT = "#5a6475"


@functools.cache
def _measure():
    return FigureCanvasAgg(Figure(dpi=72)).get_renderer()


@functools.cache
def width(text, size, family="sans-serif", weight="normal"):
    """Of a text in inches."""
    font = FontProperties(family=family, size=size, weight=weight)
    return _measure().get_text_width_height_descent(text.replace("$", r"\$"), font, False)[0] / 72


def wrapped(text, room, size, **font):
    """Lines no wider than room (inches); words longer than that are cut."""
    lines = [""]
    for word in text.split():
        while width(word, size, **font) > room and len(word) > 1:
            keep = max(1, int(len(word) * room / width(word, size, **font)))
            lines.append(word[:keep])
            word = word[keep:]
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size, **font) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line] or [""]


class Pages:
    """Writes from top to bottom and turns the page where there is no room."""

    def __init__(self, pdf):
        self.pdf, self.figure, self.count = pdf, None, 0
        self.turn()

    def turn(self):
        self.close()
        self.figure = plt.figure(figsize=(WIDE, HIGH))
        self.count += 1
        self.y = HIGH - MARGIN
        self.put(WIDE - MARGIN, 0.4, str(self.count), 8, color=SOFT, ha="right")

    def close(self):
        if self.figure:
            self.pdf.savefig(self.figure)
            plt.close(self.figure)

    def room(self, inches):
        if self.y - inches < MARGIN:
            self.turn()

    def put(self, x, y, text, size, **how):
        self.figure.text(x / WIDE, y / HIGH, text.replace("$", r"\$"), fontsize=size,
                         **{"va": "top", **how})

    def lines(self, lines, size, x=MARGIN, **how):
        high = size / 72 * 1.4
        for line in lines:
            self.room(high)
            self.put(x, self.y, line, size, **how)
            self.y -= high

    def text(self, text, size=9, after=0.08, **how):
        font = {k: v for k, v in how.items() if k in ("family", "weight")}
        self.lines(wrapped(text.replace("`", ""), INSIDE, size, **font), size, **how)
        self.y -= after

    def image(self, path):
        pixels = plt.imread(path)
        wide = min(INSIDE, pixels.shape[1] / 150)
        high = wide * pixels.shape[0] / pixels.shape[1]
        most = HIGH - 2 * MARGIN
        if high > most:
            wide, high = wide * most / high, most
        self.room(high)
        axis = self.figure.add_axes((MARGIN / WIDE, (self.y - high) / HIGH, wide / WIDE, high / HIGH))
        axis.imshow(pixels, aspect="auto", interpolation="none")
        axis.set_axis_off()
        self.y -= high + 0.1


def columns(block, size):
    """Widths in inches that fill the page: no column wider than it needs, long ones share the rest."""
    def need(i, parts):
        return 0.12 + max([width(part, size) for row in block.rows for part in parts(row[i])]
                          + [width(part, size, weight="bold") for part in parts(block.header[i])] + [0.2])

    wish = [need(i, lambda text: [text.replace("`", "")]) for i in range(len(block.header))]
    least = [need(i, str.split) for i in range(len(wish))]
    least = [min(a, INSIDE / 3) for a in least]
    if sum(wish) <= INSIDE:
        return wish
    spare = max(INSIDE - sum(least), 0)
    more = [max(w - a, 0) for w, a in zip(wish, least)]
    share = min(spare / sum(more), 1) if sum(more) else 0
    scale = min(1, INSIDE / sum(least))
    return [scale * a + share * m for a, m in zip(least, more)]


def table(pages, block):
    size = 7 if len(block.header) < 10 else 5.5
    pages.text(block.caption, 8, after=0.04, color=SOFT)
    wide, high = columns(block, size), size / 72 * 1.35
    for number, row in enumerate([block.header, *block.rows]):
        weight = "normal" if number else "bold"
        cells = [wrapped(text.replace("`", ""), w - 0.1, size, weight=weight)
                 for text, w in zip(row, wide)]
        tall = high * max(map(len, cells)) + 0.05
        pages.room(tall)
        x = MARGIN
        for text, lines, w in zip(row, cells, wide):
            color = MARKS.get(getattr(text, "mark", None), "black")
            for k, line in enumerate(lines):
                pages.put(x, pages.y - k * high, line, size, weight=weight, color=color)
            x += w
        pages.y -= tall
        rule = plt.Line2D((MARGIN / WIDE, (MARGIN + sum(wide)) / WIDE), 2 * [(pages.y + 0.035) / HIGH],
                          linewidth=0.4, color="#b0b7c3")
        pages.figure.add_artist(rule)
    pages.y -= 0.15


def picture(pages, block):
    pages.image(block.path)
    pages.text(block.caption, 8, color=SOFT)


def terms(pages, block):
    for term, text in block.pairs:
        pages.room(0.5)
        pages.text(term, 8.5, after=0, weight="bold")
        pages.text(text, 8.5)


def code(pages, block):
    pages.room(0.4)
    pages.text(block.what + ":", 8, after=0.02, color=SOFT)
    for line in block.lines:
        pages.lines(textwrap.wrap(line, 105, subsequent_indent="    ", break_on_hyphens=False), 7,
                    family="monospace")
    pages.y -= 0.1


def heading(pages, block):
    pages.room(3.5)  # never alone at the foot of a page
    pages.y -= 0.2
    pages.text(block.text, 14 if block.level == 2 else 11, weight="bold")


RENDER = {Heading: heading, Text: lambda pages, block: pages.text(block.text), Table: table,
          Picture: picture, Terms: terms, Code: code}


def document(title, origin, summary, good, blocks):
    """The PDF as bytes."""
    target = io.BytesIO()
    with PdfPages(target, metadata={"Title": title, "CreationDate": None}) as pdf:
        pages = Pages(pdf)
        pages.text(title, 20, weight="bold")
        pages.text(origin, 9, color=SOFT)
        pages.text(summary, 12, weight="bold", color=MARKS["good" if good else "bad"])
        for block in blocks:
            RENDER[type(block)](pages, block)
        pages.close()
    return target.getvalue()
