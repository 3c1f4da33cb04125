"""Text for man pages: what the pages of the command and those of libelc have in common."""
import datetime
import os
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 79  # of a line of input


def plain(text):
    """Text in which roff sees no requests and no minus signs that are hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def day():
    """The day of the release, of CITATION.cff; of SOURCE_DATE_EPOCH where that file is not there."""
    for path in (ROOT / "CITATION.cff", ROOT.parent / "doc" / "rollbench" / "CITATION.cff"):
        if path.exists() and (found := re.search(r"^date-released: (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)):
            return found[1]
    return datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), datetime.timezone.utc).strftime("%Y-%m-%d")


def head(name, section, version):
    return f".TH {name.upper()} {section} {day()} \"{plain(version)}\" \"Rollbench\""


def folded(line):
    """A line of text as several; a line that would begin with a request's sign does not."""
    parts = textwrap.wrap(line, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [part if i == 0 or not part.startswith((".", "'")) else "\\&" + part for i, part in enumerate(parts)]


def page(parts):
    """The whole page: long lines folded, and no paragraph where a section begins anyway."""
    lines, literal = [], False
    for line in "\n".join(parts).split("\n"):
        literal = (literal or line == ".nf") and line != ".fi"
        if line == ".PP" and lines and lines[-1].startswith((".SH", ".SS")):
            continue
        lines += [line] if literal or line.startswith(".") or len(line) <= WIDTH else folded(line)
    return "\n".join(lines)
