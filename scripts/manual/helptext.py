"""What the program says of itself, taken apart: the help of its commands, and `rollbench list`.

A help text is: lines of usage, a blank line, then paragraphs and items. An item is an option, a command or an argument: two blanks, its term
(`--name VALUE`), two blanks, its text, which goes on in lines that are indented more. Some texts end with the list of kernels.
"""
import re
import subprocess
from typing import NamedTuple

ITEM = re.compile(r"  (\S.*?)(?:  +|(?<=[A-Z.]) (?=[a-z]))(.*)")  # a long term leaves only one blank before the text
ENTRY = re.compile(r"^( +)(\S+) *(.*)", re.MULTILINE)  # of a list
LABELS = ("exit status: ", "environment: ")  # begin a paragraph without a blank line before it
KERNELS = "\nkernels and their options:\n"


class Item(NamedTuple):
    """deep: it belongs to an item above it, as an option of a kernel does."""
    term: str
    text: str
    deep: bool = False

    @property
    def name(self):
        return self.term.split()[0]

    @property
    def value(self):
        """What an option's value is called; "" for a switch."""
        return self.term.partition(" ")[2]


class Help(NamedTuple):
    """status: what the text says of the exit status, or ""; kernels: it ends with the list of kernels, which is left out."""
    name: str
    usage: list
    paragraphs: list
    items: list
    status: str
    kernels: bool


class Program(NamedTuple):
    """summaries: {command: what it is for}; lists: {title: [Item]} of `rollbench list`."""
    version: str
    purpose: str
    summaries: dict
    commands: list
    lists: dict


def parse(name, text):
    usage, _, rest = text.partition("\n\n")
    rest, kernels, _ = rest.partition(KERNELS)
    paragraphs, items = [""], []
    for line in rest.split("\n"):
        if line.startswith("   "):
            items[-1] += " " + line.strip()
        elif line.startswith("  "):
            items.append(line)
        elif not line or line.startswith(LABELS):
            paragraphs.append(line)
        else:
            paragraphs[-1] = f"{paragraphs[-1]} {line}".strip()
    return Help(name, [line[len("usage: "):] for line in usage.split("\n")],
                [p for p in paragraphs if p and not p.startswith(LABELS)],
                [Item(*ITEM.match(item).groups()) for item in items],
                "".join(p.partition(": ")[2] for p in paragraphs if p.startswith(LABELS[0])), bool(kernels))


def lists(text):
    return {title: [Item(term, told, deep=len(indent) > 2) for indent, term, told in ENTRY.findall(entries)]
            for title, entries in re.findall(r"^(\S+):\n((?: .*\n)*)", text, re.MULTILINE)}


def read(program):
    """Ask the program for all of it."""
    def ask(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=True, timeout=30, stdin=subprocess.DEVNULL).stdout

    top = parse("", ask("--help"))
    summaries = {item.name: item.text for item in top.items if not item.name.startswith("--")}
    return Program(ask("--version").split("\n")[0], top.paragraphs[0], summaries, [parse(name, ask(name, "--help")) for name in summaries],
                   lists(ask("list")))
