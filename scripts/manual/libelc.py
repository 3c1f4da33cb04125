"""The man pages of libelc: elc(3), made from elc/elc.h, and libelc(7), made from docs/event-logging.md."""
import re
import textwrap

import roff
from roff import ROOT

SECTIONS = {"What a program is started with": "ENVIRONMENT", "What is covered, and what is refused": "WHAT IS COVERED",
            "What it does": "HOW IT WORKS"}  # of libelc(7)


def plain(text):
    """As roff.plain(), of Markdown: `code` and **strong** are bold."""
    return re.sub(r"`([^`]*)`|\*\*([^*]*)\*\*", r"\\fB\1\2\\fR", roff.plain(text))


def paragraphs(comment):
    """Those of a comment in C; code is indented."""
    for block in re.sub(r"^ \* ?", "", comment, flags=re.MULTILINE).split("\n\n"):
        yield f".PP\n.nf\n{plain(textwrap.dedent(block))}\n.fi" if block.startswith(" ") else f".PP\n{plain(block)}"


def functions():
    """Of each comment of the header that begins a line, its text and the declaration below it."""
    (about, _), *found = re.findall(r"^/\* (.*?) ?\*/\n(.*?)\n(?:\n|$)", (ROOT / "elc/elc.h").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names = [re.match(r"\w+ (elc_\w+)\(", declaration)[1] for _, declaration in found]
    yield f".SH NAME\nelc, {', '.join(names)} \\- checkpoints of MPI programs that log envelopes of messages"
    yield ".SH SYNOPSIS\n.nf\n.B #include <elc.h>\n.PP"
    yield from (f".B {plain(' '.join(declaration.split()))}" for _, declaration in found)
    yield ".PP\ncc `pkg\\-config \\-\\-cflags \\-\\-libs elc`\n.fi\n.SH DESCRIPTION"
    yield from paragraphs(about)
    for name, (comment, _) in zip(names, found):
        yield f".SS {name}()"
        yield from paragraphs(comment)
    yield ".SH SEE ALSO\n.BR libelc (7)"


def markdown(text):
    """Paragraphs, items and tables of two columns; other code than that in a line is left out."""
    for block in re.split(r"\n\n+", re.sub(r"```.*?```", "", text, flags=re.DOTALL).strip()):
        if block.startswith("|"):
            for row in block.split("\n")[2:]:
                name, cell = row.strip("| ").split(" | ", 1)
                yield f".TP\n{plain(name)}\n{plain(cell)}"
        elif block.startswith("* "):
            yield from (f".IP \\(bu 2\n{plain(item)}" for item in re.sub(r"\n +", "\n", block)[2:].split("\n* "))
        else:
            yield f".PP\n{plain(block)}"


def overview():
    head, *parts = re.split(r"^##+ (?=\w)", (ROOT / "docs/event-logging.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = dict(part.split("\n", 1) for part in parts)
    yield ".SH NAME\nlibelc \\- event\\-logging checkpoints for plain MPI programs"
    yield ".SH SYNOPSIS\n.B ELC_DIR=\n.I FOLDER\n.B mpirun \\-n\n.I PROCESSES PROGRAM"
    yield ".SH DESCRIPTION"
    yield from markdown(head.partition("\n")[2])
    for title, name in SECTIONS.items():
        yield f".SH {name}"
        yield from markdown(found[title])
    yield ".SH SEE ALSO\n.BR elc (3);\n.I share/doc/rollbench/event\\-logging.md\nbelow the prefix of the installation"


def pages(version):
    """{name of a page: its text}."""
    return {"elc": roff.page("elc", 3, version, functions()), "libelc": roff.page("libelc", 7, version, overview())}
