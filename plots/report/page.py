"""The report as one HTML page that loads nothing: styles inside, figures as data.

Wide tables and commands scroll within themselves, so the page never does sideways; they can be
reached by keyboard. A figure fits the page and grows when it is tapped, without a script.
"""
import base64
import html
import itertools
import pathlib
import re
import struct

from plots.report import blocks
from plots.report.blocks import Code, Fold, Heading, Picture, Table, Terms, Text

STYLE = pathlib.Path(__file__).resolve().parent / "report.css"
LONG, WORDY = 60, 20  # characters beyond which a cell, a heading gets room to wrap in
# Belt and braces: a browser refuses to load anything, should there ever be something.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def inline(text):
    """`code` as such, links within the page."""
    return blocks.inline(text, r"<code>\1</code>", lambda words, anchor: f'<a href="#{anchor}">{words}</a>')


def cell(text, column_is_number):
    classes = [mark for mark in (getattr(text, "mark", None),) if mark]
    classes += ["number"] if column_is_number else ["long"] if len(blocks.plain(text)) > LONG else []
    attribute = f' class="{" ".join(classes)}"' if classes else ""
    shown = inline(text)
    if column_is_number:  # an interval goes below its median
        shown = re.sub(r" ([\[(].*)$", r' <span class="range">\1</span>', shown)
    return f"<td{attribute}>{shown}</td>"


def table(block, count):
    numbers = block.numbers()
    yield f'<div class="table"><p id="t{count}">{inline(block.caption)}</p>'
    yield (f'<div class="scroll" role="region" tabindex="0" aria-labelledby="t{count}">'
           f'<table aria-labelledby="t{count}"><thead><tr>')
    for i, text in enumerate(block.header):
        classes = ("number " if numbers[i] else "") + ("wide" if len(text) > WORDY else "")
        yield f'<th scope="col" class="{classes.strip()}">{inline(text)}</th>'
    yield "</tr></thead><tbody>"
    for row in block.rows:
        long = ' class="long"' if len(blocks.plain(row[0])) > WORDY else ""
        yield f'<tr><th scope="row"{long}>{inline(row[0])}</th>'
        yield from (cell(text, numbers[i + 1]) for i, text in enumerate(row[1:]))
        yield "</tr>"
    yield "</tbody></table></div></div>"


def size(png):
    """Width and height of a figure of 150 dots an inch in a page's pixels of 100."""
    return [round(n / 1.5) for n in struct.unpack(">II", png[16:24])]


def picture(block, count):
    png = block.path.read_bytes()
    width, height = size(png)
    data = base64.b64encode(png).decode("ascii")
    yield '<figure class="figure">'
    yield (f'<input class="zoom" type="checkbox" id="z{count}" aria-label="enlarge this figure">'
           f'<label class="paper" for="z{count}"><img src="data:image/png;base64,{data}" '
           f'width="{width}" height="{height}" alt="{html.escape(block.alt)}"></label>')
    yield f"<figcaption>{inline(block.caption)}</figcaption></figure>"


def terms(block):
    yield "<dl>"
    for term, text in block.pairs:
        yield f"<div><dt>{inline(term)}</dt><dd>{inline(text)}</dd></div>"
    yield "</dl>"


def code(block):
    lines = html.escape("\n".join(block.lines))
    yield (f'<div class="commands"><p>{inline(block.what)}</p>'
           f'<pre tabindex="0"><code>{lines}</code></pre></div>')


def heading(block):
    anchor = f' id="{block.anchor}"' if block.anchor else ""
    return f"<h{block.level}{anchor}>{inline(block.text)}</h{block.level}>"


def fold(block, count):
    yield f"<details><summary>{inline(block.title)}</summary>"
    yield from body(block.blocks, count)
    yield "</details>"


RENDER = {Text: lambda block, _: [f"<p>{inline(block.text)}</p>"], Table: lambda block, count: table(block, next(count)),
          Picture: lambda block, count: picture(block, next(count)), Terms: lambda block, _: terms(block),
          Code: lambda block, _: code(block), Fold: fold}


def body(found, count):
    """A section for each heading of level 2, in it an article for each below. count: the next number of a table or picture."""
    opened = []
    for block in found:
        if isinstance(block, Heading):
            while opened and opened[-1][0] >= block.level:
                yield f"</{opened.pop()[1]}>"
            opened.append((block.level, "section" if block.level == 2 else "article"))
            yield f"<{opened[-1][1]}>"
            yield heading(block)
        else:
            yield from RENDER[type(block)](block, count)
    while opened:
        yield f"</{opened.pop()[1]}>"


def page(title, origin, summary, good, found):
    links = "".join(f'<li><a href="#{b.anchor}">{inline(b.text)}</a></li>' for b in blocks.chapters(found))
    return "\n".join([
        '<!DOCTYPE html>', '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title>", f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>", "</head>",
        "<body>", "<header>", f"<h1>{html.escape(title)}</h1>", f'<p class="from">{inline(origin)}</p>',
        f'<p class="summary {"good" if good else "bad"}">{inline(summary)}</p>',
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>', "</header>", "<main>", *body(found, itertools.count(1)),
        "</main>", "<footer>Made by <code>rollbench report</code> from the records alone. Tap a figure "
        "to enlarge it, and a line with a triangle to open what is below it.</footer>", "</body>", "</html>", ""])
