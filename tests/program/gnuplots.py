"""Drawing a figure again with gnuplot alone, from its script and its numbers."""
import collections
import csv
import math
import pathlib
import re
import shutil
import subprocess
import tempfile

# What gnuplot plots of a mark of each kind, from its row and the ends of the panel (left, right, bottom, top).
PLOTTED = {
    "point": lambda x, y, x2, y2, ends: (x, y),
    "line": lambda x, y, x2, y2, ends: (x, y),
    "vertex": lambda x, y, x2, y2, ends: (x, y),
    "segment": lambda x, y, x2, y2, ends: (x, y, x2 - x, y2 - y),
    "box": lambda x, y, x2, y2, ends: (x, max(y, ends[2]), x, x2, max(y, ends[2]), max(y2, ends[2])),
    "across": lambda x, y, x2, y2, ends: (ends[0], y, ends[1] - ends[0], 0) if y2 is None else (ends[0], y, ends[0], ends[1], y, y2),
    "upright": lambda x, y, x2, y2, ends: (x, ends[2], 0, ends[3] - ends[2]) if x2 is None else (x, ends[2], x, x2, ends[2], ends[3]),
}
SCALES = {"log": r"set logscale {} ", "symlog": r"set nonlinear {} via "}


def run(there, name):
    """As it is documented; what gnuplot says on standard error."""
    done = subprocess.run(["gnuplot", name], capture_output=True, text=True, cwd=there, timeout=60)
    assert done.returncode == 0, done
    return done.stderr


def panels_of(table):
    """{panel: rows} of a table of drawn.py, of those in which something is drawn."""
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    drawn = {row["panel"] for row in rows if row["kind"] in PLOTTED or row["kind"] == "cell" and row["value"]}
    return {panel: [row for row in rows if row["panel"] == panel] for panel in drawn}


def as_written(values):
    """As `set table` writes numbers."""
    return tuple(f"{float(value):g}" for value in values)


def number(text):
    return float(text) if text else None


def expected(rows, ends):
    """All marks of a panel, with how many there are. Images fill their panel, are square, and have their first row on top."""
    found = collections.Counter()
    cells = [row for row in rows if row["kind"] == "cell"]
    side = 1 + max((int(row[at]) for row in cells for at in "xy"), default=0)
    for row in rows:
        at = [number(row[of]) for of in ("x", "y", "x2", "y2")]
        if row["kind"] == "cell":
            x, y = (first + (last - first) * (place + 0.5) / side for place, first, last in zip(at, (ends[0], ends[3]), (ends[1], ends[2])))
            found[as_written((x, y, number(row["value"])))] += 1
        elif row["kind"] in PLOTTED and not any(value is not None and math.isnan(value) for value in at):
            found[as_written(PLOTTED[row["kind"]](*at, ends))] += 1
    return found


def plotted(path):
    """The same of what `set table` writes: numbers, then i (inside), o (outside) or u (no number). Of cells the place and the value; an area
    has y twice."""
    found = collections.Counter()
    for line in path.read_text().splitlines():
        *values, state = line.split() if line and not line.startswith("#") else ["u"]
        if state in ("i", "o") and not any(math.isnan(float(value)) for value in values[:2]):
            found[as_written({3: values[:2], 7: [*values[:2], values[-1]]}.get(len(values), values))] += 1
    return found


def check(folder, name):
    """The script of a figure draws all of its numbers, and nothing else, with its axes and words; folder is not written into."""
    with tempfile.TemporaryDirectory() as there:
        there = pathlib.Path(there)
        for end in (".gp", ".data.csv"):
            shutil.copy(folder / f"{name}{end}", there)
        text = (there / f"{name}.gp").read_text(encoding="utf-8")
        panels = panels_of(there / f"{name}.data.csv")
        assert run(there, f"{name}.gp") == "", f"{name}.gp: a warning"
        made = sorted(path.name for path in there.glob("*.pdf"))
        assert made == sorted(f"{name}-panel{panel}.pdf" for panel in panels), (name, made)
        assert all((there / one).read_bytes().startswith(b"%PDF") for one in made), made
        asked = re.sub(r"^plot ((?:.*\\\n)*.*)$", r'set table sprintf("%d.table", panel)\nplot \1\nunset table\n'
                       "print panel, GPVAL_X_MIN, GPVAL_X_MAX, GPVAL_Y_MIN, GPVAL_Y_MAX", text, flags=re.MULTILINE)
        (there / "asked.gp").write_text(re.sub(r"^# panel (\d+)$", r"panel = \1", asked, flags=re.MULTILINE), encoding="utf-8")
        for line in run(there, "asked.gp").splitlines():
            panel, *ends = line.split()
            compare(name, panels[panel], plotted(there / f"{panel}.table"), list(map(float, ends)))
        for panel, rows in panels.items():
            compare_words(rows, re.search(rf"^# panel {panel}\n(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)[1])


def compare(name, rows, found, ends):
    said = {row["label"]: (float(row[row["label"]]), float(row[f"{row['label']}2"])) for row in rows if row["kind"] == "axis" and row["label"] in "xy"}
    wanted = [*said["x"], *said["y"]]
    assert all(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) for a, b in zip(wanted, ends)), (name, wanted, ends)
    marks = expected(rows, wanted)
    assert found == marks, (name, found - marks, marks - found)


def bare(text):
    """Letters and digits alone: what is between them is escaped, wrapped or joined."""
    return re.sub(r"\\\d{3}|\\n|[\W_]", "", text)


def compare_words(rows, script):
    """Scales, ticks that are words, titles, and for each series with words in the legend a sample with these words that looks like it."""
    for row in rows:
        if row["kind"] == "scale":
            assert re.search(SCALES[row["text"]].format(row["label"]), script), (row, script)
        if row["kind"] == "tick":
            assert re.search(rf"^set {row['label']}tics ", script, re.MULTILINE) and bare(row["text"]) in bare(script), row
        if row["kind"] == "axis" and row["label"] in "xy":
            assert bare(row["text"]) in bare(re.search(rf"^set {row['label']}label (.*)$", script, re.MULTILINE)[1]), row
    parts = script.partition("\nplot ")[2].split(", \\\n")
    key = "".join(bare(part.partition(" title ")[2]) for part in parts)
    for words, series in {row["label"]: row["series"] for row in rows if row["label"] and row["series"]}.items():
        assert bare(words) in key, (words, key)
        drawn = [part for part in parts if any(series in listed.split() for listed in re.findall(r'" ([ \d]+) "', part))]
        samples = [part for part in parts if "keyentry" in part and begins_like(bare(words), bare(part.partition(" title ")[2]))]
        assert not drawn or any(look_of(part) & look_of(sample) for part in drawn for sample in samples), (words, drawn, samples)


def begins_like(one, other):
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def look_of(part):
    """What tells it from others: the mark, the dash or the pattern, with the grey."""
    style = part.partition(" with ")[2].partition(" title ")[0]
    grey = re.search(r"lc (\S+ \S+)", style)
    return {(found, grey and grey[1]) for found in re.findall(r"(?:pt|dt|pattern|solid|empty) ?[\d.]*", style)}
