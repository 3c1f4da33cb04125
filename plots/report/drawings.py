"""Figures and tables of a report: each with its caption, what the paper's figure shows, and, folded, its numbers and commands."""
import pathlib
import re
import shlex

from plots.common.stats import CITED
from plots.report import captions, data
from plots.report.blocks import Code, Fold, Heading, Picture, Table, Terms, Text, link

COPYING = 60  # seconds; records of barriers do not say when they ended, and copies are made in any order


def repeating(words, experiments, barriers):
    """How to make the records again that a script drew from, and the drawing. words: its call."""
    source, lines = pathlib.Path(words[1]).name, []  # drawn from another folder, perhaps
    for experiment in experiments:
        if experiment.folder.name == source:
            config = data.config_of(experiment) or f"{experiment.name}.yaml"
            lines.append(f"./rollbench sweep {config} --results {experiment.folder}")
    lines += [data.barrier_command(path, record) for path, record in barriers.items()
              if path.name == source]
    lines += data.simulate_commands(pathlib.Path(words[1]))
    if pathlib.Path(words[0]).stem == "dataflow_saving":
        lines.append(f"./rollbench model dataflow --json >{shlex.quote(words[1])}")
    lines += data.interval_commands(pathlib.Path(words[0]).stem, pathlib.Path(words[1]))
    lines += data.study_commands(pathlib.Path(words[0]).stem, pathlib.Path(words[1]))
    lines += data.forecast_commands(pathlib.Path(words[0]).stem, pathlib.Path(words[1]))
    return Code("To repeat it", [*lines, "scripts/with-env python3 " + " ".join(words)])


def call_of(drawn, results, caption):
    """What drew it, as words: as the figure has it, or as `make run-all` would; None if unknown."""
    words = data.drawn_by(drawn.figure) if drawn.figure else None
    if words:
        return [data.script(words[0]), *words[1:]]
    if not caption:
        return None
    return [data.script(caption["script"]), str(results / (drawn.folder or caption["folder"])),
            str((drawn.figure or drawn.table).parent)]


def stale(drawn, words, experiments, barriers):
    """What to say of one that is older than the newest record that it was drawn from; None otherwise."""
    source = pathlib.Path(words[1]).name if words and len(words) > 1 else None
    newest = max([e.ended for e in experiments if e.folder.name == source]
                 + [path.stat().st_mtime - COPYING for path in barriers if path.name == source], default=0)
    if min(path.stat().st_mtime for path in drawn[2:] if path) >= newest:
        return None
    return Text(f"Not up to date: older than the newest record of `{source}`. "
                "`make run-all` draws it anew, or says why it cannot.")


def beside(caption):
    paper, place = caption["paper"]
    return Terms([(f"The paper ({paper}, {place})", caption["shows"]),
                  ("What differs, and why", caption["differs"].strip())])


def picture_of(drawn, caption):
    if not drawn.figure:
        return Text(caption["caption"] if caption else "Nothing is written about this table in "
                    "plots/report/captions.py.")
    if not caption:
        return Picture(drawn.figure, f"The figure {drawn.name}.png.", "Nothing is written about this "
                       "figure in plots/report/captions.py.")
    return Picture(drawn.figure, caption["alt"], caption["caption"])


def cited(drawn):
    """Of every figure and table, captioned or not."""
    beside = [drawn.figure.with_name(f"{drawn.figure.stem}{end}") for end in (".data.csv", ".gp")] if drawn.figure else []
    return Text(f"Intervals, tests and numbers of repetitions: `{CITED}`."
                + (f" Beside the figure: the numbers that are drawn (`{beside[0].name}`), and a script that draws them with gnuplot, as wide as a column "
                   f"of a paper and without colours (`{beside[1].name}`)." if beside and all(path.exists() for path in beside) else ""))


def title_of(drawn):
    caption = captions.caption_of(drawn.folder, drawn.name)
    title = caption["title"] if caption else drawn.name
    return f"{drawn.folder}: {title}" if drawn.folder else title


def anchor(drawn):
    """One for each, whatever their names are made of."""
    return re.sub("[^A-Za-z0-9/-]", lambda letter: f"_{ord(letter[0]):x}_", f"drawing/{drawn.folder}/{drawn.name}")


def linked(paths, report):
    """Where the report has these files, which are drawings of an item."""
    found = [(path, report.drawing_of.get(path)) for path in paths]
    return "; ".join(dict.fromkeys(link(title_of(drawn), anchor(drawn)) if drawn else f"`{pathlib.Path(path).name}`" for path, drawn in found))


def section(drawn, report, level=3):
    """report: plots/report/contents.py's."""
    caption = captions.caption_of(drawn.folder, drawn.name)
    yield Heading(title_of(drawn), level, anchor(drawn))
    words = call_of(drawn, report.results, caption)
    old = stale(drawn, words, report.experiments, report.barriers)
    if old:
        yield old
    yield picture_of(drawn, caption)
    if caption and "paper" in caption:
        yield beside(caption)
    tables = list(markdown(drawn.table.read_text(encoding="utf-8"))) if drawn.table else []
    yield Fold("Numbers and commands" if drawn.figure else "Commands",
               [cited(drawn), *(tables if drawn.figure else []), *([repeating(words, report.experiments, report.barriers)] if caption else [])])
    if not drawn.figure:
        yield from tables


def markdown(text):
    """Tables of what the table scripts write: headings, tables, paragraphs."""
    heading, rows = "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
            if set("".join(cells)) - set("-:"):
                rows.append(cells)
            continue
        if rows:
            yield Table(heading, rows[0], rows[1:])
            rows = []
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line:
            yield Text(line)
