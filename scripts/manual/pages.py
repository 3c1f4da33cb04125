"""The man pages of rollbench: rollbench(1), and one for each command, such as rollbench-run(1)."""
import pathlib
import re

import roff
from roff import plain

FILES = r"""
.SH FILES
.TP
.I share/rollbench
below the prefix of the installation: experiments
.RI ( configs ),
scripts for figures
.RI ( plots ),
and
.IR scripts .
.TP
.I share/doc/rollbench
the documents that help texts refer to as
.IR docs/ .
.SH NOTES
Made from the commands' own
.B \-\-help
texts.
"""
OF_JOBS = (
    ("ROLLBENCH_MPIRUN", "path of mpirun, if it is not the one in PATH"),
    ("ROLLBENCH_MPIRUN_ARGS", "arguments that are added to it"),
    ("ROLLBENCH_NO_ALLOCATION", "set: the hosts of an allocation are not used; jobs run on this host, unless --hostfile names others"),
    ("ROLLBENCH_NO_PING", "set: the network is not measured by ping-pong"),
    ("TMPDIR", "folder for run folders (default /tmp)"),
)
OF_ALL = (
    ("ROLLBENCH_SHARE", "folder with plots and scripts, if they are not where they were installed"),
    ("PATH", "where python3 is looked for, for commands that read records"),
)
OPTIONS = (("--help", "what the commands are; behind a command: its options"), ("--version", "the version, and the commit that was built"))
STATUS = "0 ok, 2 an unknown command; else that of the command"


def notes():
    """{command: what notes.txt says of it, by key; examples: [(command line, what it does)]}."""
    text = pathlib.Path(__file__).with_name("notes.txt").read_text(encoding="utf-8")
    return {name: {"examples": re.findall(r"^\$ (.*)\n(.*)", of, re.MULTILINE), **dict(re.findall(r"^(jobs|see|status): (.*)", of, re.MULTILINE))}
            for name, of in re.findall(r"^\[(\w+)\]$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)}


def tagged(pairs):
    return (f".TP\n.B {plain(name)}\n{plain(text)}" for name, text in pairs)


def render(items):
    """`--name VALUE` with the name bold and the value in italics."""
    for item in items:
        term = f".BI \"{plain(item.name)} \" \"{plain(item.value)}\"" if item.value else f".B \"{plain(item.name)}\""
        entry = f".TP\n{term}\n{plain(item.text)}"
        yield f".RS\n{entry}\n.RE" if item.deep else entry


def synopsis(usage):
    lines = (re.match(r"(\S+ \S+) ?(.*)", line) for line in usage)
    return ".SH SYNOPSIS\n" + "\n.br\n".join(f".B {plain(line[1])}\n{plain(line[2])}" for line in lines)


def statuses(text):
    """"0 ok, 1 wrong" as a list; a number is what follows a comma or semicolon."""
    yield ".SH EXIT STATUS"
    parts = re.split(r"[,;] (?=\d)", text)
    if all(re.match(r"[\d/]+(?: |$)", part) for part in parts):
        yield from tagged((number, meaning or "ok") for number, _, meaning in (part.partition(" ") for part in parts))
    else:
        yield plain(text)


def closing(status, note):
    """The sections that end each page."""
    yield from statuses(status)
    yield ".SH ENVIRONMENT"
    yield from tagged((*(OF_JOBS if "jobs" in note else ()), *OF_ALL))
    yield ".SH EXAMPLES"
    yield from (f".PP\n.nf\n.B {plain(command)}\n.fi\n.RS\n{plain(text)}\n.RE" for command, text in note["examples"])


def see_also(names):
    return ".SH SEE ALSO\n" + ",\n".join(f".BR {plain(name)}" for name in names)


def of_command(command, summary, note):
    yield f".SH NAME\nrollbench\\-{command.name} \\- {plain(summary)}"
    yield synopsis(command.usage)
    yield ".SH DESCRIPTION"
    yield from (f".PP\n{plain(paragraph)}" for paragraph in command.paragraphs)
    yield ".SH OPTIONS"
    yield from render(command.items)
    if command.kernels:
        yield ".PP\nKernels have options of their own, which\n.BR rollbench (1)\nlists."
    yield from closing(command.status or note["status"], note)
    yield see_also(["rollbench (1)", *(f"rollbench-{other} (1)" for other in note["see"].split())])


def overview(program, note):
    names = [f"rollbench-{name} (1)" for name in program.summaries]
    yield f".SH NAME\nrollbench \\- {plain(program.purpose[0].lower() + program.purpose[1:].rstrip('.'))}"
    yield synopsis([line for command in program.commands for line in command.usage])
    yield ".SH DESCRIPTION\nEach command has a page of its own. Commands:"
    yield from (f".TP\n.BR {plain(name)}\n{plain(text)}" for name, text in zip(names, program.summaries.values()))
    yield ".SH OPTIONS"
    yield from tagged(OPTIONS)
    for title, items in program.lists.items():
        yield f".SH {title.upper()}"
        yield from render(items)
    yield from closing(STATUS, note)
    yield FILES.strip("\n")
    yield see_also([*names, "libelc (7)"])


def pages(program):
    """{name of a page: its text}."""
    noted = notes()
    parts = {"rollbench": overview(program, noted["run"]),
             **{f"rollbench-{c.name}": of_command(c, program.summaries[c.name], noted[c.name]) for c in program.commands}}
    return {name: roff.page(name, 1, program.version, of) for name, of in parts.items()}
