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

from plots.report.blocks import Code, Heading, Picture, Table, Terms, Text

STYLE = pathlib.Path(__file__).resolve().parent / "report.css"
LONG, WORDY = 60, 20  # characters beyond which a cell, a heading gets room to wrap in
# Belt and braces: a browser refuses to load anything, should there ever be something.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def inline(text):
    """Escaped, `code` in backticks as such."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(str(text)))


def is_number(cell):
    return bool(re.match(r"[-+<]?[\d.]+([ %(\[:]|$)|-$", cell))


def cell(text, column_is_number):
    classes = [mark for mark in (getattr(text, "mark", None),) if mark]
    classes += ["number"] if column_is_number else ["long"] if len(text) > LONG else []
    attribute = f' class="{" ".join(classes)}"' if classes else ""
    shown = inline(text)
    if column_is_number:  # an interval goes below its median
        shown = re.sub(r" ([\[(].*)$", r' <span class="range">\1</span>', shown)
    return f"<td{attribute}>{shown}</td>"


def table(block):
    numbers = [all(is_number(row[i]) or not row[i] for row in block.rows)
               and any(row[i] for row in block.rows) for i in range(len(block.header))]
    yield f'<div class="table"><p id="t{id(block)}">{inline(block.caption)}</p>'
    yield (f'<div class="scroll" role="region" tabindex="0" aria-labelledby="t{id(block)}">'
           f'<table aria-labelledby="t{id(block)}"><thead><tr>')
    for i, text in enumerate(block.header):
        classes = ("number " if numbers[i] else "") + ("wide" if len(text) > WORDY else "")
        yield f'<th scope="col" class="{classes.strip()}">{inline(text)}</th>'
    yield "</tr></thead><tbody>"
    for row in block.rows:
        yield f'<tr><th scope="row">{inline(row[0])}</th>'
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


def body(blocks):
    """A section for each heading of level 2, in it an article for each of level 3."""
    opened, pictures = [], itertools.count(1)
    for block in blocks:
        if isinstance(block, Heading):
            while opened and opened[-1][0] >= block.level:
                yield f"</{opened.pop()[1]}>"
            opened.append((block.level, "section" if block.level == 2 else "article"))
            yield f"<{opened[-1][1]}>"
            yield heading(block)
        elif isinstance(block, Text):
            yield f"<p>{inline(block.text)}</p>"
        elif isinstance(block, Table):
            yield from table(block)
        elif isinstance(block, Picture):
            yield from picture(block, next(pictures))
        elif isinstance(block, Terms):
            yield from terms(block)
        elif isinstance(block, Code):
            yield from code(block)
    while opened:
        yield f"</{opened.pop()[1]}>"


def page(title, origin, summary, good, blocks):
    links = "".join(f'<li><a href="#{b.anchor}">{inline(b.text)}</a></li>' for b in blocks
                    if isinstance(b, Heading) and b.anchor)
    return "\n".join([
        '<!DOCTYPE html>', '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title>", f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>", "</head>",
        "<body>", "<header>", f"<h1>{html.escape(title)}</h1>", f'<p class="from">{inline(origin)}</p>',
        f'<p class="summary {"good" if good else "bad"}">{inline(summary)}</p>',
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>', "</header>", "<main>", *body(blocks),
        "</main>", "<footer>Made by <code>rollbench report</code> from the records alone. Tap a figure "
        "to enlarge it.</footer>", "</body>", "</html>", ""])
