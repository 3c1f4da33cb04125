"""Text for man pages: what those of the commands and those of libelc have in common."""
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH = 79  # of a line of input


def plain(text):
    """Text in which roff sees no requests, and no minus signs that are hyphens."""
    return re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE)


def folded(line):
    """A line of text as several, none of which begins like a request."""
    parts = textwrap.wrap(line, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return ["\\&" + part if part.startswith((".", "'")) else part for part in parts]


def page(name, section, version, parts):
    """The whole page: long lines folded, and no paragraph where a section begins anyway."""
    day = re.search(r"^date-released: (\S+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)[1]
    lines, literal = [f".TH {name.upper()} {section} {day} \"{plain(version)}\" \"Rollbench\""], False
    for line in "\n".join(parts).split("\n"):
        literal = (literal or line == ".nf") and line != ".fi"
        if line == ".PP" and lines[-1].startswith((".SH", ".SS")):
            continue
        lines += [line] if literal or line.startswith(".") or len(line) <= WIDTH else folded(line)
    return "\n".join(lines) + "\n"
