"""A script for gnuplot beside a figure, which draws the same numbers as the column of a paper has them.

gnuplot NAME.gp, in the folder of NAME.data.csv (plots/common/drawn.py), writes NAME-panelN.pdf for each panel, 3.4 inches wide. Numbers are
read from the table. Nothing has a hue: what had one is told apart by marks, dashes, patterns and three greys, the same in all panels.
"""
import collections
import itertools
import math
import re
import textwrap

import matplotlib.colors
import matplotlib.lines
import matplotlib.patches
import matplotlib.text
import numpy

from plots.common import drawn

WIDTH, PANEL = 3.4, 1.9  # inches: of a column, and the height of a panel without words above and below
KEY, LINE = 0.085, 0.11  # inches: of a line in the key, and elsewhere in the small font
WORDS = 60  # letters of the small font in a line
TICKS = 34  # letters of the words on a horizontal axis that stand beside each other
FONT, SMALL, LEAST = ",7", ",6", ",5.5"  # of numbers at axes, of the key and the title, of words in the panel and below; points
# The point types of gnuplot's cairo terminals, hollow and filled, for matplotlib's names.
POINTS = {"o": (6, 7), "s": (4, 5), "^": (8, 9), "v": (10, 11), "D": (12, 13), "d": (12, 13), "h": (14, 15), "P": (1, 1), "+": (1, 1), "X": (2, 2), "x": (2, 2),
          "*": (3, 3), ".": (7, 7)}
DASHES = {"-": 1, "--": 2, ":": 3, "-.": 4}
PATTERNS = (4, 0, 5, 2, 6, 7, 1, 3)  # of areas: lines, none, and full
SHADES = ("black", "gray40", "gray70")
PALE = 'fs transparent solid 0.15 noborder lc rgb "black"'
SEQUENCE = 6  # more lines without words than this are a sequence of colours, from dark to light
RANKS = ("across band", "upright band", "vertex", "cell", "box", "across", "upright", "segment", "line", "point")  # what lies on what
HARMLESS = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "`": "\\140", "@": "\\100"}
SUPERSCRIPT = str.maketrans("-\N{MINUS SIGN}0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# kind: of drawn.py, "across band" if it has a width. series: numbers of those that look the same.
Mark = collections.namedtuple("Mark", "kind artist row label series")


def named(name):
    """The script of a figure."""
    return f"{name}.gp"


def printable(text):
    return "".join(letter for letter in text if letter.isprintable() or letter == "\n")


def quoted(text):
    """For gnuplot, in one line. In double quotes it would run what stands in backquotes, and expand macros after @."""
    return '"' + printable(text).translate({ord(letter): code for letter, code in HARMLESS.items()}) + '"'


def comment(text):
    """Of one line. A backslash at its end would go on in the next."""
    return f"# {printable(' '.join(text.split()))}".rstrip("\\ ")


def wrapped(text, width=WORDS):
    return "\n".join(line for part in text.splitlines() for line in textwrap.wrap(part, width) or [""])


def number(value):
    return f"{float(value):.10g}"


def brightness(color):
    red, green, blue = matplotlib.colors.to_rgb(color or "black")
    return 0.3 * red + 0.59 * green + 0.11 * blue


def is_grey(color):
    """None of it is drawn in a hue."""
    rgb = matplotlib.colors.to_rgb(color or "black")
    return max(rgb) - min(rgb) < 0.02


def shade(color):
    """Of a grey the nearest; of a hue the darkest."""
    return SHADES[min(2, int(3 * brightness(color)))] if is_grey(color) else SHADES[0]


def is_line(artist):
    return isinstance(artist, matplotlib.lines.Line2D)


def without_none(artist, of):
    """Its marker or line style; None if it has none."""
    found = getattr(artist, f"get_{of}", lambda: None)()
    return found if isinstance(found, str) and found.strip() not in ("None", "none", "") else None


def interval(artist):
    """Of the points that have a mark, where not all points of a line have one."""
    every = artist.get_markevery()
    return f" pi {every[1]}" if isinstance(every, tuple) else ""


class Looks:
    """What stands for the colours: each has a mark, dash or pattern in a grey that no other one of the figure has."""

    def __init__(self):
        self.taken = collections.defaultdict(dict)

    def turn(self, what, key, first, choices):
        """(choice, shade, round): the one that this key has, or gets: first, if it is free, or the next that is."""
        taken = self.taken[what]
        if key not in taken:
            others = ((choice, grey, turn) for turn in itertools.count() for grey in SHADES for choice in choices)
            taken[key] = next(one for one in itertools.chain([(*first, 0)], others) if one not in taken.values())
        return taken[key]

    def point(self, row, artist):
        marker = row.get("marker") or "o"
        is_hollow = is_line(artist) and artist.get_fillstyle() == "none"
        size = artist.get_markersize() if is_line(artist) else 4
        first = POINTS.get(marker, POINTS["o"])[0 if is_hollow else 1]
        every = sorted(set(itertools.chain(*POINTS.values())))
        kind, grey, turn = self.turn("point", (row["color"], marker, is_hollow), (first, shade(row["color"])), every)
        return f'pt {kind} ps {size / 12 * (1 + turn / 2):.2g} lc rgb "{grey}"'

    def line(self, row, artist):
        style = without_none(artist, "linestyle") or "-"
        width = min(max(numpy.atleast_1d(artist.get_linewidth())), 3)
        dash, grey, turn = self.turn("line", (row["color"], style), (DASHES.get(style, 1), shade(row["color"])), [*DASHES.values(), 5])
        return f'dt {dash} lw {width * (1 + turn):.2g} lc rgb "{grey}"'

    def both(self, row, artist, line_row, line):
        """Of a line with marks, or of marks and the line that belongs to them: the grey is that of the marks."""
        return f"{self.point(row, artist)} {self.line(line_row, line).partition(' lc ')[0]}"

    def fill(self, row, artist):
        if isinstance(artist, matplotlib.patches.Patch) and artist.get_facecolor()[3] == 0:
            return f'fs empty border rgb "{shade(row["color"])}" lc rgb "{shade(row["color"])}"'
        if is_grey(row["color"]):
            return f'fs solid 1.0 noborder lc rgb "{row["color"] or "black"}"'
        pattern, grey, _ = self.turn("fill", row["color"], (PATTERNS[0], SHADES[0]), PATTERNS)
        return f'fs pattern {pattern} border rgb "black" lc rgb "{grey}"'

    def area(self, row):
        """Below all else."""
        if is_grey(row["color"]):
            return PALE
        pattern, _, _ = self.turn("fill", row["color"], (PATTERNS[0], SHADES[0]), PATTERNS)
        return f'fs transparent pattern {pattern} noborder lc rgb "gray70"'


def kind_of(row):
    has_width = row["kind"] == "across" and "y2" in row or row["kind"] == "upright" and "x2" in row
    return f"{row['kind']} band" if has_width else row["kind"]


def marks(axis):
    """Marks of a panel, those that look the same together; of what lies below first."""
    found, label_of = {}, drawn.labels(axis)
    for series, artist in enumerate(drawn.artists(axis)):
        row = next(iter(drawn.artist_rows(axis, artist, label_of[artist])), None)
        if row is None or "text" in row or row["kind"] == "legend":
            continue
        kind = kind_of(row)
        look = (kind, label_of[artist], row.get("color"), row.get("marker"), *(str(getattr(artist, f"get_{of}", lambda: None)()) for of in (
            "fillstyle", "linestyle", "linewidth", "markersize", "markevery", "alpha", "drawstyle")))
        mark = found.setdefault((*look, series) if kind == "cell" else look, Mark(kind, artist, row, label_of[artist], []))
        mark.series.append(series)
    return sorted(found.values(), key=lambda mark: RANKS.index(mark.kind))


def continued(axis):
    """The panels above one that has no title, the nearest first, up to one that has: it goes on with what they show. [] for a panel with a title."""
    spec, found = axis.get_subplotspec(), []
    if spec is None or words_around(axis):
        return found
    column = [other for other in axis.figure.axes if (of := other.get_subplotspec()) and of.get_gridspec() is spec.get_gridspec()
              and of.colspan == spec.colspan and of.rowspan.stop <= spec.rowspan.start]
    for other in sorted(column, key=lambda one: one.get_subplotspec().rowspan.start, reverse=True):
        found.append(other)
        if words_around(other):
            break
    return found


# Of a legend. look: look_of() its handle. is_own: the legend is one of this panel.
Entry = collections.namedtuple("Entry", "handle look is_own")
Look = collections.namedtuple("Look", "color marker line")


def look_of(artist):
    return Look(drawn.colour_of(artist), without_none(artist, "marker"), without_none(artist, "linestyle"))


def entries(axis, found):
    """({words: Entry} of the legends of a panel that belong to no mark of it, {words: what the legend says below them beside nothing}). A legend
    of the figure is for its other panels, too, and that of a panel for those that go on below it."""
    with_marks, others, more = {mark.label for mark in found}, {}, {}
    for legend in filter(None, (axis.get_legend(), *axis.figure.legends, *(above.get_legend() for above in continued(axis)))):
        before = ""
        for handle, text in zip(legend.legend_handles, map(matplotlib.text.Text.get_text, legend.get_texts())):
            look = look_of(handle)
            if before and is_line(handle) and not look.marker and not look.line:
                more[before] = text.strip()
                continue
            before = text
            if text not in with_marks:
                others.setdefault(text, Entry(handle, look, legend is axis.get_legend()))
    for artist, text in drawn.labels(axis).items():  # without marks here, perhaps since none of its values is above 0
        if text and is_line(artist) and not len(artist.get_xdata()) and text.strip() not in more.values():
            others.setdefault(text, Entry(artist, look_of(artist), True))
    return others, more


def words_of(mark, others):
    """Of a mark without words of its own: those of the legend that look the same in all; or those with its colour and, if the legend has
    marks in grey, those with its mark."""
    mine, looks = look_of(mark.artist), {text: entry.look for text, entry in others.items()}
    exact = [text for text, look in looks.items() if look == mine]
    by_color = [text for text, look in looks.items() if look.color == mine.color and look.marker is None and mine.line in (look.line, None)]
    by_marker = [text for text, look in looks.items() if mine.marker and look.marker == mine.marker and is_grey(look.color)]
    return exact or by_color + by_marker


def shows(mark):
    """How much of it a sample in the key shows."""
    return bool(mark.label), mark.artist.get_markersize() if is_line(mark.artist) else 0


def key_of(axis, found):
    """({place in found: words in the key}, {words: Entry} that belong to no mark). The same words stand once, at the mark that shows most."""
    others, more = entries(axis, found)
    texts = [[mark.label] if mark.label else words_of(mark, others) for mark in found]
    best = {}
    for at, words in enumerate(map(", ".join, texts)):
        if words and (words not in best or shows(found[at]) >= shows(found[best[words]])):
            best[words] = at
    used, whole = set(itertools.chain(*texts)), lambda words: f"{words}: {more[words]}" if words in more else words
    return ({at: whole(words) for words, at in best.items()},
            {whole(text): entry for text, entry in others.items() if entry.is_own and text not in used})


def line_of(mark, found):
    """The line without words that belongs to points: it has their colour."""
    return next((one for one in found if mark.kind == "point" and one.kind == "line" and not one.label and one.row["color"] == mark.row["color"]
                 and not one.row["marker"] and not is_grey(one.row["color"])), None)


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
STEPS = {"steps": "fsteps", "steps-pre": "fsteps", "steps-post": "steps"}  # histeps would be those in the middle, but begins and ends at 0


def style_of(mark, looks, is_sequence):
    """(gnuplot's plotting style, look)"""
    kind, artist, row = mark.kind, mark.artist, mark.row
    if kind == "cell":
        return "boxxyerror", "fs solid 1.0 noborder lc palette"
    if kind == "point":
        return "points", looks.point(row, artist)
    if kind == "line" and is_sequence:
        return "lines", f'lw 0.9 lc rgb "{matplotlib.colors.to_hex([0.8 * brightness(row["color"])] * 3)}"'
    if kind == "line" and row["marker"]:
        return "linespoints", looks.both(row, artist, row, artist) + interval(artist)
    if kind == "line":
        return STEPS.get(artist.get_drawstyle(), "lines"), looks.line(row, artist)
    if kind in ("segment", "across", "upright"):
        return "vectors nohead", looks.line(row, artist)
    if kind == "vertex":
        return "filledcurves closed", looks.area(row)
    return "boxxyerror", looks.fill(row, artist) if kind == "box" else PALE


def cell_part(panel, mark, style):
    """An image: where it lies, a cell is as wide as its part of it."""
    if not hasattr(mark.artist, "get_extent"):
        raise ValueError("no gnuplot for cells that are not of one size")
    image, (rows, columns) = mark.artist, mark.artist.get_array().shape
    x0, x1, y0, y1 = image.get_extent()
    y0, y1 = (y1, y0) if image.origin == "upper" else (y0, y1)
    wide, high = (x1 - x0) / columns, (y1 - y0) / rows
    at = f'of({panel}, {listed(mark.series)}, {number(x0)} + {number(wide)} * (column("x") + 0.5))'
    up = f'({number(y0)} + {number(high)} * (column("y") + 0.5))'
    return f'data using ({at}):{up}:({number(abs(wide) / 2)}):({number(abs(high) / 2)}):"value" with {style} notitle'


def key_parts(words, style):
    """Parts of the plot command that are in the key alone."""
    first, *more = wrapped(words).splitlines()
    return [f"keyentry with {style} title {quoted(first)}", *(f'keyentry with dots lc rgb "white" title {quoted(line)}' for line in more)]


def parts(panel, mark, style):
    """Parts of the plot command: one, or two where lines must not be joined."""
    if mark.kind == "cell":
        yield cell_part(panel, mark, style)
        return
    for series, loop in [(mark.series[:1], ""), (mark.series[1:], "for")] if mark.kind in ("line", "vertex") else [(mark.series, "")]:
        if series:
            names = '" ".s." "' if loop else listed(series)
            using = COLUMNS[mark.kind].format(x=f'of({panel}, {names}, column("x"))', left=f"of({panel}, {names}, left)")
            yield f"{f'for [s in {listed(series)}] ' if loop else ''}data using {using} with {style} notitle"


SAMPLES = {"boxxyerror": "boxes", "vectors nohead": "lines", "filledcurves closed": "boxes"}  # where the key shows another style


def sample(mark, style, look, found, looks):
    """What the key shows of a mark."""
    line = line_of(mark, found)
    return f"linespoints {looks.both(mark.row, mark.artist, line.row, line.artist)}" if line else f"{SAMPLES.get(style, style)} {look}"


def sample_of_entry(entry, looks):
    row = {"color": entry.look.color, "marker": entry.look.marker}
    if entry.look.marker:
        return f"points {looks.point(row, entry.handle)}"
    return f"lines {looks.line(row, entry.handle)}" if is_line(entry.handle) else f"boxes {looks.fill(row, entry.handle)}"


def plot_command(panel, found, words, left, looks):
    wordless = {mark.row.get("color") for at, mark in enumerate(found) if mark.kind == "line" and not mark.label and at not in words}
    styles = [style_of(mark, looks, len(wordless) > SEQUENCE and mark.row.get("color") in wordless) for mark in found]
    yield from (part for mark, style in zip(found, styles) for part in parts(panel, mark, " ".join(style)))
    for at, text in words.items():
        yield from key_parts(text, sample(found[at], *styles[at], found, looks))
    for text, entry in left.items():
        yield from key_parts(text, sample_of_entry(entry, looks))


def ticks(axis, name):
    """[(place, words)] at an axis; None if gnuplot would choose such ones, too."""
    of = getattr(axis, f"{name}axis")
    low, high = sorted(of.get_view_interval())
    found = [(at, text.get_text()) for at, text in zip(of.get_majorticklocs(), of.get_majorticklabels()) if low <= at <= high]  # others are not drawn
    is_usual = of.get_offset_text().get_text() or found and all(says(text, at) for at, text in found)
    return None if of.get_scale() == "linear" and is_usual else [(at, plain(text)) for at, text in found]


def plain(text):
    """Powers as matplotlib's own formatters write them, without their markup."""
    inside = re.sub(r"\$\\math\w+\{(.*)\}\$", r"\1", text)
    return re.sub(r"\^\{(.*?)\}", lambda power: power[1].translate(SUPERSCRIPT), inside)


def says(text, value):
    """Is this the number? Without words it is, too."""
    try:
        return not text or math.isclose(float(text.replace("\N{MINUS SIGN}", "-")), value, rel_tol=0.01, abs_tol=1e-12)
    except ValueError:
        return False


def turned(found):
    """The letters of the longest word at a horizontal axis with these ticks(), if its words do not stand beside each other; else 0."""
    words = [words for _, words in found or []]
    return max(len(line) for text in words for line in text.splitlines() or [""]) if sum(map(len, words)) > TICKS else 0


def tick_lines(axis, name):
    found = ticks(axis, name)
    if found:
        listing = ", ".join(f"{quoted(words.replace('%', '%%'))} {number(at)}" for at, words in found)
        yield f"set {name}tics ({listing})" + (" rotate by -40" if name == "x" and turned(found) else "")
    elif found is not None:
        yield f"unset {name}tics"


def scale(axis, name):
    of = getattr(axis, f"{name}axis")
    if of.get_scale() == "log":
        yield f"set logscale {name} {number(of.get_transform().base)}"
    elif of.get_scale() == "symlog":  # linear up to a threshold, then logarithmic
        edge = number(of.get_transform().linthresh)
        yield (f"set nonlinear {name} via abs({name}) <= {edge} ? {name} / {edge} : sgn({name}) * (1 + log10(abs({name}) / {edge})) "
               f"inverse abs({name}) <= 1 ? {name} * {edge} : sgn({name}) * {edge} * 10 ** (abs({name}) - 1)")
    elif of.get_scale() != "linear":
        raise ValueError(f"no gnuplot for a {of.get_scale()} scale")


def is_outside(text, axis):
    """Above or below the panel."""
    _, (up, of) = drawn.place_of(text, axis)
    return of == "panel" and not 0 <= up <= 1


def words_around(axis):
    """Of a panel: its titles, and what is written above or below it."""
    return [*drawn.titles(axis), *(text.get_text() for text in axis.texts if is_outside(text, axis))]


def label_lines(axis, are_boxed):
    """What is written in a panel, where it stands in the figure. Words over boxes have a background."""
    if are_boxed:
        yield "set style textbox opaque noborder margins 0.3, 0.3"
    for text in (text for text in axis.texts if not is_outside(text, axis)):
        at = ", ".join(f"{'graph' if of == 'panel' else 'first'} {number(value)}" for value, of in drawn.place_of(text, axis))
        x, y = text.get_position() if isinstance(text, matplotlib.text.Annotation) and text.anncoords == "offset points" else (0, 0)
        y += {"bottom": 3, "top": -3, "baseline": 2}.get(text.get_va(), 0)
        aligned = text.get_ha()
        if text.get_rotation() == 90:
            aligned = {"bottom": "left", "top": "right"}.get(text.get_va(), "center") + " rotate"
        yield (f"set label {quoted(wrapped(text.get_text(), 40))} at {at} {aligned} offset character {number(x / 4)}, {number(y / 7)} "
               f"font \"{LEAST}\" front{' boxed' if are_boxed and 'graph' not in at else ''}")


def lines_in(text):
    return len(text.splitlines())


def layout(axis, title, key, notes):
    """The page, from below: notes, key, words of the horizontal axis, the panel, the title."""
    across, up = wrapped(axis.get_xlabel(), 48), wrapped(axis.get_ylabel(), 36)
    under = 0.05 + 0.95 * LINE * lines_in(notes)
    key_top = under + 0.04 + KEY * key
    below = key_top + 0.25 + 0.15 * lines_in(across) + 0.04 * turned(ticks(axis, "x"))
    above = 0.1 + 1.15 * LINE * lines_in(title)
    tall = below + PANEL + above
    yield f'set terminal pdfcairo size {WIDTH}in,{tall:.2f}in font "{FONT}" fontscale 0.75 noenhanced'
    yield f"set xlabel {quoted(across)}"
    yield f"set ylabel {quoted(up)}"
    if (beside := lines_in(up) - 2) > 0:  # gnuplot leaves room for two lines
        yield f"set ylabel offset -{beside}; set lmargin {10 + 2 * beside}"
    yield f'set title {quoted(title)} font "{SMALL}" offset 0, -0.5'
    yield f"set bmargin at screen {below / tall:.3f}; set tmargin at screen {1 - above / tall:.3f}"
    yield f"set key at screen 0.02, screen {key_top / tall:.3f} left top vertical Left reverse maxcols 1"
    yield f'set key samplen 2.5 spacing 0.85 font "{SMALL}"'
    yield f'set label notes at screen 0.02, screen {(under - 0.05) / tall:.3f} left font "{LEAST}" textcolor rgb "gray40"'


def panel_lines(panel, axis, heading, notes, looks, name):
    """The commands for a panel; a comment, if nothing but words is in it."""
    found = marks(axis)
    title = "\n".join(filter(None, (heading, *(words_around(axis) or [text for above in continued(axis)[-1:] for text in words_around(above)]))))
    if not found:
        yield from (comment(f"panel {panel}: {text}") for text in (title, *(t.get_text() for t in axis.texts)) if text)
        return
    words, left = key_of(axis, found)
    yield f"# panel {panel}"
    yield "reset; set datafile separator comma; set datafile columnheaders"
    yield from layout(axis, wrapped(title), sum(lines_in(wrapped(text)) for text in (*words.values(), *left)), notes)
    yield f'set output "{name}-panel{panel}.pdf"'
    yield from (line for of in "xy" for line in (*scale(axis, of), *tick_lines(axis, of)))
    (start, end), (low, high) = axis.get_xlim(), axis.get_ylim()
    yield f"left = {number(start)}; right = {number(end)}; bottom = {number(low)}; top = {number(high)}"
    yield "set xrange [left:right]; set yrange [bottom:top]"
    yield from label_lines(axis, any(mark.kind == "box" for mark in found))
    for image in axis.images:
        label = image.colorbar.ax.get_ylabel() if image.colorbar else ""
        yield f"set palette gray negative; set cbrange [{':'.join(map(number, image.get_clim()))}]; set cblabel {quoted(label)}"
    yield "plot " + ", \\\n     ".join(plot_command(panel, found, words, left, looks))


def all_lines(figure, name, source):
    heading = "\n".join(text.get_text() for text in figure.texts if text.get_position()[1] > 0.5)
    notes = "\n".join(wrapped(text.get_text(), 70) for text in figure.texts if text.get_position()[1] <= 0.5)
    yield f"# Draws {drawn.named(name)} with gnuplot 5.4 or later, in the folder of both: gnuplot {named(name)}"
    yield f"# into {name}-panelN.pdf for each panel, as wide as a column and without colours. Written by {source}."
    yield f'data = "{drawn.named(name)}"'
    yield f"notes = {quoted(notes)} # below each panel"
    yield "# The value of a row of the table, if it is of this panel and one of these series."
    yield 'of(panel, series, value) = column("panel") == panel && strstrt(series, " ".strcol("series")." ") ? value : NaN'
    yield "# Boxes begin at 0, which is below a logarithmic axis."
    yield "clipped(y) = y < bottom && bottom < top ? bottom : y"
    looks = Looks()
    for panel, axis in drawn.panels(figure):
        yield ""
        yield from panel_lines(panel, axis, heading, notes, looks, name)


def script(figure, name, source):
    """source: who drew the figure, in a word. The numbers must have been drawn before: ticks are not known earlier."""
    return "\n".join(all_lines(figure, name, source)) + "\n"
