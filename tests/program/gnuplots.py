"""Drawing a figure again with gnuplot alone, from its script and its numbers."""
import collections
import csv
import math
import pathlib
import re
import shutil
import subprocess
import tempfile

# The place of a mark of each kind in what gnuplot says that it plots: x and y, or one of them, then the other is an end of the panel.
PLACES = {"point": ("x", "y"), "line": ("x", "y"), "vertex": ("x", "y"), "segment": ("x", "y"), "box": ("x", "y"), "across": (None, "y"),
          "upright": ("x", None)}


def run(text, folder):
    done = subprocess.run(["gnuplot", "-"], input=text, capture_output=True, text=True, cwd=folder, timeout=60)
    assert done.returncode == 0, done
    return done.stderr


def panels_of(table):
    """{panel: rows} of a table of drawn.py, of those in which something is drawn."""
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    drawn = {row["panel"] for row in rows if row["kind"] in PLACES or row["kind"] == "cell" and row["value"]}
    return {panel: [row for row in rows if row["panel"] == panel] for panel in drawn}


def rounded(x, y):
    """As `set table` writes numbers."""
    return tuple(f"{float(value):g}" for value in (x, y))


def expected(rows, left, bottom, top):
    """The places of all marks of a panel, with how many there are."""
    found = collections.Counter()
    for row in rows:
        if row["kind"] in PLACES:
            x, y = (row[name] if name else end for name, end in zip(PLACES[row["kind"]], (left, bottom)))
            y = max(float(y), min(bottom, top)) if row["kind"] == "box" else y
            found[rounded(x, y)] += 1
    return found


def plotted(path):
    """The same of what `set table` writes: x, y and more columns, then i (inside), o (outside) or u (no number)."""
    lines = (line.split() for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return collections.Counter(rounded(*line[:2]) for line in lines if line[-1] in ("i", "o") and not any(math.isnan(float(at)) for at in line[:2]))


def check(folder, name):
    """The script of a figure draws all of its numbers, and nothing else, with its axes; folder is not written into."""
    with tempfile.TemporaryDirectory() as there:
        there = pathlib.Path(there)
        for end in (".gp", ".data.csv"):
            shutil.copy(folder / f"{name}{end}", there)
        text = (there / f"{name}.gp").read_text(encoding="utf-8")
        panels = panels_of(there / f"{name}.data.csv")
        assert run(text, there) == "", f"{name}.gp: a warning"
        made = sorted(path.name for path in there.glob("*.pdf"))
        assert made == sorted(f"{name}-panel{panel}.pdf" for panel in panels), (name, made)
        assert all((there / one).read_bytes().startswith(b"%PDF") for one in made), made
        asked = re.sub(r"^plot ((?:.*\\\n)*.*)$", r'set table sprintf("%d.table", panel)\nplot \1\nunset table\n'
                       "print panel, GPVAL_X_MIN, GPVAL_X_MAX, GPVAL_Y_MIN, GPVAL_Y_MAX", text, flags=re.MULTILINE)
        asked = re.sub(r"^# panel (\d+)$", r"panel = \1", asked, flags=re.MULTILINE)
        for line in run(asked, there).splitlines():
            panel, *ends = line.split()
            compare(name, panels[panel], plotted(there / f"{panel}.table"), list(map(float, ends)))


def compare(name, rows, found, ends):
    said = {row["label"]: (float(row[row["label"]]), float(row[f"{row['label']}2"])) for row in rows if row["kind"] == "axis"}
    wanted = [*said["x"], *said["y"]]
    assert all(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) for a, b in zip(wanted, ends)), (name, wanted, ends)
    cells = sum(row["kind"] == "cell" for row in rows)
    if cells:
        assert sum(found.values()) >= cells, (name, cells)
        return
    marks = expected(rows, said["x"][0], *said["y"])
    assert found == marks, (name, found - marks, marks - found)
