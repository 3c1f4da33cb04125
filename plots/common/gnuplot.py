"""A script for gnuplot beside a figure, which draws the same numbers as the column of a paper has them.

gnuplot NAME.gp, in the folder of NAME.data.csv (plots/common/drawn.py), writes NAME-panelN.pdf for each panel, 3.4 inches wide. Numbers are
read from the table. Greys stay; all that has a hue is black, and told apart by marks, dashes and patterns, the same in all panels.
"""
import collections
import itertools
import math
import re
import textwrap

import matplotlib.colors
import matplotlib.text

from plots.common import drawn

WIDTH, PANEL = 3.4, 1.9  # inches: of a column, and the height of a panel without words above and below
LINE = 0.1  # inches: of the small font
WORDS = 76  # letters of the small font in a line
TICKS = 42  # letters of the words on a horizontal axis that stand beside each other
# The point types of gnuplot's cairo terminals, hollow and filled, for matplotlib's names.
POINTS = {"o": (6, 7), "s": (4, 5), "^": (8, 9), "v": (10, 11), "D": (12, 13), "d": (12, 13), "h": (14, 15), "P": (1, 1), "+": (1, 1), "X": (2, 2), "x": (2, 2),
          "*": (3, 3), ".": (7, 7)}
DASHES = {"-": 1, "--": 2, ":": 3, "-.": 4}
PATTERNS = (4, 0, 5, 2, 6, 7, 1, 3)  # of areas: lines, none, and full
SHADES = ("black", "gray40", "gray70")  # when all dashes or marks are taken
RANKS = ("across band", "upright band", "vertex", "cell", "box", "across", "upright", "segment", "line", "point", "legend")  # what lies on what
HARMLESS = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "`": "\\140", "@": "\\100"}
SUPERSCRIPT = str.maketrans("-\N{MINUS SIGN}0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# kind: of drawn.py, "across band" if it has a width. series: numbers of those that look the same.
Mark = collections.namedtuple("Mark", "kind artist row label series")


def named(name):
    """The script of a figure."""
    return f"{name}.gp"


def quoted(text):
    """For gnuplot, in one line. In double quotes it would run what stands in backquotes, and expand macros after @."""
    clean = "".join(letter for letter in text if letter.isprintable() or letter == "\n")
    return '"' + clean.translate({ord(letter): code for letter, code in HARMLESS.items()}) + '"'


def comment(text):
    """Of one line. A backslash at its end would go on in the next."""
    return f"# {''.join(letter for letter in ' '.join(text.split()) if letter.isprintable())}".rstrip("\\ ")


def wrapped(text, width=WORDS):
    return "\n".join(line for part in text.splitlines() for line in textwrap.wrap(part, width) or [""])


def number(value):
    return f"{float(value):.10g}"


def is_grey(color):
    """None of it is drawn in a hue."""
    red, green, blue = matplotlib.colors.to_rgb(color or "black")
    return max(red, green, blue) - min(red, green, blue) < 0.02


class Looks:
    """What stands for the colours: every one has its own mark, dash or pattern in the whole figure."""

    def __init__(self):
        self.taken = collections.defaultdict(dict)

    def turn(self, what, key, choices, first=None):
        """(choice, round): the one that this key has, or gets: first, if it is free, or the next that is; from the second round on again."""
        taken = self.taken[what]
        if key not in taken:
            every = ((choice, turn) for turn in itertools.count() for choice in ([first] if first in choices else []) + [c for c in choices if c != first])
            taken[key] = next(one for one in every if one not in taken.values())
        return taken[key]

    def point(self, row, artist):
        hollow, filled = POINTS.get(row["marker"], (6, 7))
        is_hollow = getattr(artist, "get_fillstyle", lambda: "full")() == "none"
        first = hollow if is_hollow else filled
        size = artist.get_markersize() if hasattr(artist, "get_markersize") else 4
        if is_grey(row["color"]):
            return f'pt {first} ps {size / 12:.2g} lc rgb "{row["color"] or "black"}"'
        kind, turn = self.turn("point", (row["color"], row["marker"], is_hollow), sorted({t for both in POINTS.values() for t in both}), first)
        return f'pt {kind} ps {size / 12:.2g} lc rgb "{shade(turn)}"'

    def line(self, row, artist):
        style = artist.get_linestyle() if hasattr(artist, "get_linestyle") and isinstance(artist.get_linestyle(), str) else "-"
        width = min(artist.get_linewidth(), 2.5) if hasattr(artist, "get_markersize") else 1
        first = DASHES.get(style, 1)
        if is_grey(row["color"]):
            return f'dt {first} lw {width:.2g} lc rgb "{row["color"] or "black"}"'
        dash, turn = self.turn("line", (row["color"], style), sorted(DASHES.values()) + [5], first)
        return f'dt {dash} lw {width:.2g} lc rgb "{shade(turn)}"'

    def fill(self, row, artist):
        if is_grey(row["color"]):
            return f'fs solid 1.0 noborder lc rgb "{row["color"] or "black"}"'
        pattern, turn = self.turn("fill", row["color"], PATTERNS)
        return f'fs pattern {pattern} border rgb "black" lc rgb "{shade(turn)}"'


def shade(turn):
    return SHADES[turn % len(SHADES)]


def kind_of(row):
    has_width = row["kind"] == "across" and "y2" in row or row["kind"] == "upright" and "x2" in row
    return f"{row['kind']} band" if has_width else row["kind"]


def marks(axis):
    """Marks of a panel, those that look the same together; of what lies below first."""
    found, named = {}, drawn.labels(axis)
    for series, artist in enumerate(drawn.artists(axis)):
        row = next(iter(drawn.artist_rows(axis, artist, named[artist])), None)
        if row is None or "text" in row:
            continue
        look = (kind_of(row), named[artist], row.get("color"), row.get("marker"), *(str(getattr(artist, f"get_{of}", lambda: None)()) for of in (
            "fillstyle", "linestyle", "linewidth", "markersize", "alpha", "drawstyle")))
        key = (*look, series) if row["kind"] == "cell" else look
        mark = found.setdefault(key, Mark(kind_of(row), artist, row, named[artist], []))
        mark.series.append(series)
    return sorted(found.values(), key=lambda mark: RANKS.index(mark.kind))


def entries(axis):
    """{words: (colour, marker, line style)} of the legends of a panel that belong to no mark of it."""
    named = drawn.labels(axis)
    with_marks = {label for artist, label in named.items() if label and any(row["kind"] != "legend" for row in drawn.artist_rows(axis, artist, label))}
    found = {}
    for legend in filter(None, (axis.get_legend(), *axis.figure.legends)):
        for handle, text in zip(legend.legend_handles, legend.get_texts()):
            if text.get_text() not in with_marks:
                color = drawn.colour(handle, "get_facecolor" if hasattr(handle, "get_facecolor") else "get_color")
                found[text.get_text()] = (color, *(without_none(handle, of) for of in ("marker", "linestyle")))
    return found


def without_none(artist, of):
    """Its marker or line style; None if it has none."""
    found = getattr(artist, f"get_{of}", lambda: None)()
    return None if found in ("None", "none", "", " ") else found


def words_of(mark, others):
    """In the key: its own; or those of the legend that have all of its look, or its colour alone and, in grey, its marker alone."""
    if mark.label:
        return mark.label
    color, marker, line = mark.row.get("color"), *(without_none(mark.artist, of) for of in ("marker", "linestyle"))
    exact = [text for text, look in others.items() if look == (color, marker, line)]
    by_color = [text for text, (c, m, style) in others.items() if c == color and m is None and (style == line or line is None)]
    by_marker = [text for text, (c, m, _) in others.items() if marker and m == marker and is_grey(c)]
    return ", ".join(exact or by_color + by_marker)


def listed(series):
    return '" ' + " ".join(map(str, series)) + ' "'


# The columns that a kind plots; {x} and {left} are only in the rows of this mark.
COLUMNS = {
    "point": '({x}):"y"',
    "line": '({x}):"y"',
    "vertex": '({x}):"y"',
    "segment": '({x}):"y":(column("x2") - column("x")):(column("y2") - column("y"))',
    "box": '({x}):(clipped(column("y"))):"x":"x2":(clipped(column("y"))):(clipped(column("y2")))',
    "across": '({left}):"y":(right - left):(0)',
    "upright": '({x}):(bottom):(0):(top - bottom)',
    "across band": '({left}):"y":(left):(right):"y":"y2"',
    "upright band": '({x}):(bottom):"x":"x2":(bottom):(top)',
}
PALE = 'fs transparent solid 0.15 noborder lc rgb "black"'
STEPS = {"steps": "fsteps", "steps-pre": "fsteps", "steps-post": "steps"}  # histeps would be those in the middle, but begins and ends at 0


def style_of(mark, looks):
    kind, artist, row = mark.kind, mark.artist, mark.row
    if kind == "point":
        return f"points {looks.point(row, artist)}"
    if kind == "line":
        dash = looks.line(row, artist)
        if row["marker"]:
            return f"linespoints {looks.point(row, artist)} {dash.partition(' lc ')[0]}"
        return f"{STEPS.get(artist.get_drawstyle(), 'lines')} {dash}"
    if kind in ("segment", "across", "upright"):
        return f"vectors nohead {looks.line(row, artist)}"
    if kind == "box":
        return f"boxxyerror {looks.fill(row, artist)}"
    return f"{'filledcurves closed' if kind == 'vertex' else 'boxxyerror'} {PALE}"


def cell_part(panel, mark):
    """An image: where it lies, a cell is as wide as its part of it."""
    image, (rows, columns) = mark.artist, mark.artist.get_array().shape
    x0, x1, y0, y1 = image.get_extent()
    y0, y1 = (y1, y0) if image.origin == "upper" else (y0, y1)
    wide, high = (x1 - x0) / columns, (y1 - y0) / rows
    at = f'of({panel}, {listed(mark.series)}, {number(x0)} + {number(wide)} * (column("x") + 0.5))'
    up = f'({number(y0)} + {number(high)} * (column("y") + 0.5))'
    return f'data using ({at}):{up}:({number(abs(wide) / 2)}):({number(abs(high) / 2)}):"value" with boxxyerror fs solid 1.0 noborder lc palette notitle'


def part(panel, mark, title, looks):
    """One part of the plot command, or several where lines must not be joined."""
    if mark.kind == "cell":
        yield cell_part(panel, mark)
        return
    style = style_of(mark, looks)
    first, *more = wrapped(title).splitlines() or [""]
    words = f"title {quoted(first)}" if first else "notitle"
    groups = [(mark.series[:1], ""), (mark.series[1:], "for")] if mark.kind in ("line", "vertex") else [(mark.series, "")]
    for series, loop in groups:
        if not series:
            continue
        names = '" ".s." "' if loop else listed(series)
        using = COLUMNS[mark.kind].format(x=f'of({panel}, {names}, column("x"))', left=f"of({panel}, {names}, left)")
        begin = f'for [s in {listed(series)}] ' if loop else ""
        yield f"{begin}data using {using} with {style} {'notitle' if loop else words}"
    yield from (f'keyentry with dots lc rgb "white" title {quoted(line)}' for line in more)


def titled(found, others):
    """{place in found: words in the key}. The same words once: for a mark with a label, and for the largest."""
    best = {}
    for at, mark in enumerate(found):
        weight = bool(mark.label), getattr(mark.artist, "get_markersize", lambda: 0)(), at
        if text := words_of(mark, others):
            best[text] = max(best.get(text, weight), weight)
    return {weight[-1]: text for text, weight in best.items()}


def ticks(axis, name):
    """[(place, words)] at an axis, if gnuplot would choose others than the figure has."""
    of = getattr(axis, f"{name}axis")
    low, high = sorted(of.get_view_interval())
    found = [(at, text.get_text()) for at, text in zip(of.get_majorticklocs(), of.get_majorticklabels()) if low <= at <= high]  # others are not drawn
    if of.get_scale() == "linear" and (of.get_offset_text().get_text() or all(says(text, at) for at, text in found)):
        return []
    return [(at, re.sub(r"\$\\math\w+\{(\w+)\^\{(.*?)\}\}\$", lambda power: power[1] + power[2].translate(SUPERSCRIPT), plain(text))) for at, text in found]


def plain(text):
    return re.sub(r"\$\\math\w+\{([^{}]*)\}\$", r"\1", text)


def says(text, value):
    """Is this the number? Without words it is, too."""
    try:
        return not text or math.isclose(float(text.replace("\N{MINUS SIGN}", "-")), value, rel_tol=0.01, abs_tol=1e-12)
    except ValueError:
        return False


def are_turned(found):
    """Words that do not stand beside each other on a horizontal axis."""
    return sum(len(words) for _, words in found) > TICKS


def tick_lines(axis, name):
    found = ticks(axis, name)
    if found:
        listing = ", ".join(f"{quoted(words.replace('%', '%%'))} {number(at)}" for at, words in found)
        yield f"set {name}tics ({listing})" + (" rotate by -40" if name == "x" and are_turned(found) else "")


def scale(axis, name):
    of = getattr(axis, f"{name}axis")
    if of.get_scale() == "log":
        return [f"set logscale {name} {number(of.get_transform().base)}"]
    if of.get_scale() == "symlog":  # linear up to a threshold, then logarithmic
        edge = number(of.get_transform().linthresh)
        return [f"set nonlinear {name} via abs({name}) <= {edge} ? {name} / {edge} : sgn({name}) * (1 + log10(abs({name}) / {edge})) "
                f"inverse abs({name}) <= 1 ? {name} * {edge} : sgn({name}) * {edge} * 10 ** (abs({name}) - 1)"]
    if of.get_scale() != "linear":
        raise ValueError(f"no gnuplot for a {of.get_scale()} scale")
    return []


def is_outside(text, axis):
    """Above or below the panel."""
    _, (up, of) = drawn.place_of(text, axis)
    return of == "panel" and not 0 <= up <= 1


def texts(axis, style):
    """What is written in a panel, where it stands in the figure."""
    for text in (text for text in axis.texts if not is_outside(text, axis)):
        at = ", ".join(f"{'graph' if of == 'panel' else 'first'} {number(value)}" for value, of in drawn.place_of(text, axis))
        x, y = text.get_position() if isinstance(text, matplotlib.text.Annotation) and text.anncoords == "offset points" else (0, 0)
        y += {"bottom": 3, "top": -3, "baseline": 2}.get(text.get_va(), 0)
        aligned = text.get_ha()
        if text.get_rotation() == 90:
            aligned = {"bottom": "left", "top": "right"}.get(text.get_va(), "center") + " rotate"
        yield (f"set label {quoted(wrapped(text.get_text(), 48))} at {at} {aligned} "
               f"offset character {number(x / 4)}, {number(y / 7)} font \",6\" front{style if 'graph' not in at else ''}")


def drawing(panel, axis, heading, looks, name):
    """The commands for a panel; nothing, if nothing but words is in the panel."""
    found, others = marks(axis), entries(axis)
    shown = [mark for mark in found if mark.kind != "legend"]
    title = "\n".join(filter(None, (heading, *drawn.titles(axis), *(text.get_text() for text in axis.texts if is_outside(text, axis)))))
    if not shown:
        yield from (comment(f"panel {panel}: {text}") for text in (title, *(t.get_text() for t in axis.texts)) if text)
        return
    words, above = titled(shown, others), wrapped(title)
    key = LINE * sum(len(wrapped(text).splitlines()) for text in words.values())
    across, high = wrapped(axis.get_xlabel(), 60), wrapped(axis.get_ylabel(), 44)
    turned = [len(line) for _, text in ticks(axis, "x") for line in text.splitlines()] if are_turned(ticks(axis, "x")) else [0]
    below = key + 0.25 + 0.15 * len(across.splitlines()) + 0.03 * max(turned)
    top = 0.1 + 1.15 * LINE * len(above.splitlines())
    tall = below + PANEL + top
    yield f"# panel {panel}"
    yield "reset; set datafile separator comma; set datafile columnheaders"
    yield f"set terminal pdfcairo size {WIDTH}in,{tall:.2f}in font \",8\" noenhanced"
    yield f'set output "{name}-panel{panel}.pdf"'
    yield f"set xlabel {quoted(across)}"
    yield f"set ylabel {quoted(high)}"
    if (beside := len(high.splitlines()) - 2) > 0:  # gnuplot leaves room for two lines
        yield f"set ylabel offset -{beside}; set lmargin {10 + 2 * beside}"
    yield f"set title {quoted(above)} font \",7\" offset 0, -0.5"
    yield from (line for of in "xy" for line in (*scale(axis, of), *tick_lines(axis, of)))
    (left, right), (bottom, top_) = axis.get_xlim(), axis.get_ylim()
    yield f"left = {number(left)}; right = {number(right)}; bottom = {number(bottom)}; top = {number(top_)}"
    yield "set xrange [left:right]; set yrange [bottom:top]"
    yield f"set bmargin at screen {below / tall:.3f}; set tmargin at screen {1 - top / tall:.3f}"
    yield f'set key at screen 0.02, screen {key / tall:.3f} left top vertical Left reverse maxcols 1 samplen 2.5 spacing 0.85 font ",7"'
    boxed = any(mark.kind == "box" for mark in shown)
    if boxed:
        yield "set style textbox opaque noborder margins 0.3, 0.3"
    yield from texts(axis, " boxed" if boxed else "")
    for mark in shown:
        if mark.kind == "cell":
            yield f"set palette gray negative; set cbrange [{':'.join(map(number, mark.artist.get_clim()))}]"
    yield "plot " + ", \\\n     ".join(one for at, mark in enumerate(shown) for one in part(panel, mark, words.get(at, ""), looks))


def lines(figure, name, source):
    """source: who drew the figure, in a word. The numbers must have been drawn before: ticks are not known earlier."""
    looks, heading = Looks(), figure.get_suptitle()
    yield f"# Draws {drawn.named(name)} with gnuplot 5.4 or later, in the folder of both: gnuplot {name}.gp"
    yield f"# into {name}-panelN.pdf for each panel, as wide as a column, in black and grey. Written by {source}."
    yield from (comment(line) for text in figure.texts if text.get_text() != heading for line in text.get_text().splitlines())
    yield f'data = "{drawn.named(name)}"'
    yield "# The value of a row of the table, if it is of this panel and one of these series."
    yield 'of(panel, series, value) = column("panel") == panel && strstrt(series, " ".strcol("series")." ") ? value : NaN'
    yield "# Boxes begin at 0, which is below a logarithmic axis."
    yield "clipped(y) = y < bottom ? bottom : y"
    for panel, axis in drawn.panels(figure):
        yield ""
        yield from drawing(panel, axis, heading, looks, name)


def script(figure, name, source):
    return "\n".join(lines(figure, name, source)) + "\n"
