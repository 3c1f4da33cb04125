"""The numbers of a figure as a table beside it, read back from what is drawn.

A row per mark. panel and series count from 0, a series is what was drawn by one call; label is the one in the legend. Kinds:
point and line (x, y), segment and box (x, y to x2, y2), vertex of an area, across and upright (a line or a band through the whole
panel, at y or x), legend (words in it that belong to no mark), cell of an image (x: column, y: row, value), text (x, y), tick (a word on an axis), title,
axis and note.
"""
import csv

import numpy

from plots.common.files import text_of

COLUMNS = ("panel", "series", "kind", "label", "x", "y", "x2", "y2", "value", "color", "marker", "text")
CELLS = 20000  # of the images of one panel; of larger ones only the size is said
NOTE = -1  # the panel of what belongs to none


def named(name):
    """The file of a figure."""
    return f"{name}.data.csv"


def colour(artist, get):
    """As #rrggbb; empty if it has several or none."""
    from matplotlib.colors import to_hex

    found = numpy.atleast_2d(getattr(artist, get)())
    try:
        return to_hex(found[0]) if len(found) == 1 else ""
    except (ValueError, TypeError):
        return to_hex(getattr(artist, get)())


def label_of(artist):
    text = str(artist.get_label())
    return "" if text.startswith("_") else text


def line_rows(axis, line):
    look = {"label": label_of(line), "color": colour(line, "get_color"), "marker": "" if line.get_marker() in ("None", None) else line.get_marker()}
    x, y = (numpy.atleast_1d(of) for of in (line.get_xdata(orig=False), line.get_ydata(orig=False)))
    if line.get_transform() == axis.get_yaxis_transform(which="grid"):
        yield {**look, "kind": "across", "y": y[0]}
    elif line.get_transform() == axis.get_xaxis_transform(which="grid"):
        yield {**look, "kind": "upright", "x": x[0]}
    else:
        if not len(x) and look["label"]:  # a line of the legend alone
            yield {**look, "kind": "legend"}
        kind = "point" if line.get_linestyle() == "None" else "line"
        yield from ({**look, "kind": kind, "x": a, "y": b} for a, b in zip(x, y))


def collection_rows(collection):
    import matplotlib.collections as of

    look = {"label": label_of(collection), "color": colour(collection, "get_facecolor") or colour(collection, "get_edgecolor")}
    if isinstance(collection, of.LineCollection):
        look["color"] = colour(collection, "get_color")
        yield from ({**look, "kind": "segment", "x": part[0][0], "y": part[0][1], "x2": part[-1][0], "y2": part[-1][1]}
                    for part in collection.get_segments() if len(part))
    elif isinstance(collection, of.QuadMesh):
        yield from cell_rows(collection)
    elif isinstance(collection, of.PathCollection):
        yield from ({**look, "kind": "point", "x": x, "y": y} for x, y in collection.get_offsets())
    else:
        yield from ({**look, "kind": "vertex", "x": x, "y": y} for path in collection.get_paths() for x, y in path.vertices)


def patch_rows(axis, patch):
    """Boxes; bands through the whole panel are those with the transform of a line through it."""
    (x, y), (x2, y2) = patch.get_path().get_extents(patch.get_patch_transform()).get_points()
    look = {"label": label_of(patch), "color": colour(patch, "get_facecolor")}
    if axis.get_yaxis_transform(which="grid") in (patch.get_transform(), patch.get_data_transform()):
        yield {**look, "kind": "across", "y": y, "y2": y2}
    elif axis.get_xaxis_transform(which="grid") in (patch.get_transform(), patch.get_data_transform()):
        yield {**look, "kind": "upright", "x": x, "x2": x2}
    else:
        yield {**look, "kind": "box", "x": x, "y": y, "x2": x2, "y2": y2}


def cell_rows(image):
    values = numpy.ma.masked_invalid(numpy.ma.atleast_2d(image.get_array()))
    if values.ndim != 2 or values.size > CELLS:
        yield {"kind": "cell", "text": f"{'x'.join(map(str, values.shape))} cells, not listed"}
        return
    yield from ({"kind": "cell", "x": column, "y": row, "value": value} for (row, column), value in numpy.ma.ndenumerate(values))


def words(axis):
    """What is written in and around a panel."""
    yield from ({"kind": "title", "text": axis.get_title(loc=where)} for where in ("left", "center", "right") if axis.get_title(loc=where))
    yield from ({"kind": "axis", "label": name, "text": of.get_label_text()} for name, of in (("x", axis.xaxis), ("y", axis.yaxis)))
    for name, ticks in (("x", axis.xaxis), ("y", axis.yaxis)):
        for at, text in zip(ticks.get_majorticklocs(), (text.get_text() for text in ticks.get_majorticklabels())):
            if any(letter.isalpha() for letter in text) and "$" not in text:
                yield {"kind": "tick", "label": name, name: at, "text": text}
    for text in axis.texts:
        x, y = text.xy if hasattr(text, "xy") else text.get_position()
        yield {"kind": "text", "x": x, "y": y, "text": text.get_text()}


def panel_rows(axis):
    """(series, row) of all that is in a panel."""
    groups = [*(line_rows(axis, one) for one in axis.get_lines()), *map(collection_rows, axis.collections),
              *(patch_rows(axis, one) for one in axis.patches), *map(cell_rows, axis.images)]
    for series, rows in enumerate(groups):
        yield from ((series, row) for row in rows)
    yield from (("", row) for row in words(axis))


def rows(figure):
    figure.draw_without_rendering()  # ticks are not there before
    for panel, axis in enumerate(figure.axes):
        if axis.get_visible():
            yield from ({"panel": panel, "series": series, **row} for series, row in panel_rows(axis))
    yield from ({"panel": NOTE, "kind": "note", "text": text.get_text()} for text in figure.texts)


def plain(value):
    """A number with all of its digits; a text in one line."""
    if isinstance(value, (float, numpy.floating)):
        return repr(float(value))
    return " / ".join(value.splitlines()) if isinstance(value, str) else value


def write(figure, path):
    with text_of(path) as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows({key: plain(value) for key, value in row.items()} for row in rows(figure))
