"""The numbers of a figure as a table beside it, read back from what is drawn.

A row per mark. panel and series count from 0, a series is what was drawn by one call; label is the one in the legend. Kinds:
point and line (x, y), segment and box (x, y to x2, y2), vertex of an area, across and upright (a line or a band through the whole
panel, at y or x), legend (words in it that belong to no mark), cell of an image (x: column, y: row, value), text (x, y where it stands at
a value of that axis), tick (a word on an axis), title, axis (its text, and its range as x to x2 or y to y2; of the values of an image its text
alone), scale (of an axis that is not linear) and note.
"""
import csv

import matplotlib.collections
import matplotlib.colors
import matplotlib.container
import matplotlib.image
import matplotlib.lines
import matplotlib.patches
import matplotlib.text
import numpy

from plots.common.files import text_of

# Words stand last: gnuplot does not know a doubled quote, and would take what follows it for other columns.
COLUMNS = ("panel", "series", "kind", "x", "y", "x2", "y2", "value", "color", "marker", "label", "text")
CELLS = 20000  # with a value, of one image; of one with more only the size is said
NOTE = -1  # the panel of what belongs to none


def named(name):
    """The file of a figure."""
    return f"{name}.data.csv"


def colour(artist, get):
    """As #rrggbb; empty if it has several or none."""
    found = numpy.atleast_2d(getattr(artist, get)())
    try:
        return matplotlib.colors.to_hex(found[0]) if len(found) == 1 else ""
    except (ValueError, TypeError):
        return matplotlib.colors.to_hex(getattr(artist, get)())


def colour_of(artist):
    """Of a line, of what fills an area, or of its edge if nothing does; empty of an image."""
    if isinstance(artist, matplotlib.image.AxesImage):
        return ""
    if isinstance(artist, (matplotlib.lines.Line2D, matplotlib.collections.LineCollection)):
        return colour(artist, "get_color")
    if isinstance(artist, matplotlib.patches.Patch):
        return colour(artist, "get_facecolor" if artist.get_facecolor()[3] > 0 else "get_edgecolor")
    return colour(artist, "get_facecolor") or colour(artist, "get_edgecolor")


def own_label(artist):
    text = str(artist.get_label())
    return "" if text.startswith("_") else text


def labels(axis):
    """{artist: its words in the legend}. Bars and error bars have theirs together."""
    found = {artist: own_label(artist) for artist in artists(axis)}
    for container in axis.containers:
        parts = [container[0]] if isinstance(container, matplotlib.container.ErrorbarContainer) else container
        label = own_label(container) or next(filter(None, map(found.get, parts)), "")
        found.update((part, label) for part in parts if part in found)
    return found


def line_rows(axis, line, label):
    look = {"label": label, "color": colour_of(line), "marker": "" if line.get_marker() in ("None", None) else line.get_marker()}
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


def collection_rows(collection, label):
    look = {"label": label, "color": colour_of(collection)}
    if isinstance(collection, matplotlib.collections.LineCollection):
        yield from ({**look, "kind": "segment", "x": part[0][0], "y": part[0][1], "x2": part[-1][0], "y2": part[-1][1]}
                    for part in collection.get_segments() if len(part))
    elif isinstance(collection, matplotlib.collections.QuadMesh):
        yield from cell_rows(collection)
    elif isinstance(collection, matplotlib.collections.PathCollection):
        yield from ({**look, "kind": "point", "x": x, "y": y} for x, y in collection.get_offsets())
    else:
        yield from ({**look, "kind": "vertex", "x": x, "y": y} for path in collection.get_paths() for x, y in path.vertices)


def patch_rows(axis, patch, label):
    """Boxes; bands through the whole panel are those with the transform of a line through it."""
    (x, y), (x2, y2) = patch.get_path().get_extents(patch.get_patch_transform()).get_points()
    look = {"label": label, "color": colour_of(patch)}
    if axis.get_yaxis_transform(which="grid") in (patch.get_transform(), patch.get_data_transform()):
        yield {**look, "kind": "across", "y": y, "y2": y2}
    elif axis.get_xaxis_transform(which="grid") in (patch.get_transform(), patch.get_data_transform()):
        yield {**look, "kind": "upright", "x": x, "x2": x2}
    else:
        yield {**look, "kind": "box", "x": x, "y": y, "x2": x2, "y2": y2}


def cell_rows(image):
    values = numpy.ma.masked_invalid(numpy.ma.atleast_2d(image.get_array()))
    if values.ndim != 2 or values.count() > CELLS:
        yield {"kind": "cell", "text": f"{'x'.join(map(str, values.shape))} cells, not listed"}
        return
    yield from ({"kind": "cell", "x": column, "y": row, "value": value} for (row, column), value in numpy.ma.ndenumerate(values))


def place_of(text, axis):
    """((coordinate, of what), the same upwards) of a text: a value of the axis ("data"), or a share of the panel ("panel")."""
    of = ((axis.transData, ("data", "data")), (axis.get_xaxis_transform(), ("data", "panel")), (axis.get_yaxis_transform(), ("panel", "data")))
    at = text.xy if isinstance(text, matplotlib.text.Annotation) else text.get_position()
    if isinstance(text, matplotlib.text.Annotation):
        kinds = ("data", "data") if text.xycoords == "data" else ("panel", "panel")
    else:
        kinds = next((kinds for transform, kinds in of if transform == text.get_transform()), ("panel", "panel"))
    return tuple(zip(at, kinds))


def words(axis):
    """What is written in and around a panel."""
    yield from ({"kind": "title", "text": text} for text in titles(axis))
    for name, text, (first, last) in (("x", axis.get_xlabel(), axis.get_xlim()), ("y", axis.get_ylabel(), axis.get_ylim())):
        yield {"kind": "axis", "label": name, "text": text, name: first, f"{name}2": last}
    yield from ({"kind": "axis", "label": "value", "text": image.colorbar.ax.get_ylabel()} for image in axis.images if image.colorbar)
    yield from ({"kind": "scale", "label": name, "text": of} for name, of in (("x", axis.get_xscale()), ("y", axis.get_yscale())) if of != "linear")
    for name, ticks in (("x", axis.xaxis), ("y", axis.yaxis)):
        for at, text in zip(ticks.get_majorticklocs(), (text.get_text() for text in ticks.get_majorticklabels())):
            if any(letter.isalpha() for letter in text) and "$" not in text:
                yield {"kind": "tick", "label": name, name: at, "text": text}
    for text in axis.texts:
        at = {name: value for name, (value, of) in zip("xy", place_of(text, axis)) if of == "data"}
        yield {"kind": "text", "text": text.get_text(), **at}


def titles(axis):
    return [axis.get_title(loc=where) for where in ("left", "center", "right") if axis.get_title(loc=where)]


def artists(axis):
    """In the order of their series. Without white frames, which part what is filled, and the ends of error bars, whose segments have them."""
    caps = {cap for bars in axis.containers if isinstance(bars, matplotlib.container.ErrorbarContainer) for cap in bars.lines[1]}
    return [*(line for line in axis.get_lines() if line not in caps), *axis.collections,
            *(patch for patch in axis.patches if patch.get_facecolor()[3] > 0 or colour(patch, "get_edgecolor") != "#ffffff"), *axis.images]


def artist_rows(axis, artist, label):
    """All marks of one series."""
    if isinstance(artist, matplotlib.lines.Line2D):
        return line_rows(axis, artist, label)
    if isinstance(artist, matplotlib.collections.Collection):
        return collection_rows(artist, label)
    if isinstance(artist, matplotlib.patches.Patch):
        return patch_rows(axis, artist, label)
    return cell_rows(artist)


def panel_rows(axis):
    """(series, row) of all that is in a panel."""
    label_of = labels(axis)
    for series, artist in enumerate(artists(axis)):
        yield from ((series, row) for row in artist_rows(axis, artist, label_of[artist]))
    yield from (("", row) for row in words(axis))


def panels(figure):
    """[(number, axis)] of those that show something. A scale of colours is none."""
    return [(number, axis) for number, axis in enumerate(figure.axes) if axis.get_visible() and axis.get_label() != "<colorbar>"]


def rows(figure):
    figure.draw_without_rendering()  # ticks are not there before
    for panel, axis in panels(figure):
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
