"""The commands' own --help texts, taken apart: what the man page and the completion are made of.

A help text is: lines of usage, a blank line, then paragraphs, options (two blanks, `--name VALUE`,
two blanks, text that goes on in deeper lines) and lists that begin with a line ending in a colon.
"""
import dataclasses
import pathlib
import re
import subprocess

ITEM = re.compile(r"( +)(\S.*?)(?:  +(\S.*))?$")
ALONE = re.compile(r"(exit status|environment): ")  # begin a paragraph wherever they stand


@dataclasses.dataclass
class Item:
    """An option, a command or a kernel: what comes first in its line, and its text."""
    depth: int
    term: str
    text: str

    @property
    def name(self):
        return self.term.split()[0]

    @property
    def value(self):
        """What an option's value is called; "" for a switch."""
        return self.term.partition(" ")[2]


@dataclasses.dataclass
class Help:
    """One command's help: its usage, and paragraphs (str) and Items in their order."""
    name: str
    usage: list
    body: list

    def items(self, option):
        return [i for i in self.body if isinstance(i, Item) and i.name.startswith("--") == option]

    def takes(self, word):
        return any(word in line.split() for line in self.usage)


def parse(name, text):
    """Take a help text apart."""
    lines = text.rstrip("\n").split("\n")
    end = lines.index("") if "" in lines else len(lines)
    usage = [re.sub(r"^(usage:|      ) *", "", line) for line in lines[:end]]
    body, open_paragraph, column = [], False, None
    for line in lines[end:]:
        item = ITEM.match(line)
        if not line:
            open_paragraph = False
        elif item is None:
            if open_paragraph and not ALONE.match(line):
                body[-1] += " " + line
            else:
                body.append(line)
            open_paragraph = True
        elif body and isinstance(body[-1], Item) and len(item[1]) > body[-1].depth + 2 \
                and not item[2].startswith("--"):
            body[-1].text += " " + line.strip()
        else:
            depth, term, told = len(item[1]), item[2], item[3]
            if told is None and column and not term.startswith("--"):  # the term fills its column
                term, told = line[:column].strip(), line[column:]
            elif told is not None:
                column = line.index(told, len(item[1]) + len(term))
            body.append(Item(depth, term, (told or "").strip()))
            open_paragraph = False
    return Help(name, usage, body)


def ask(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True, check=True, timeout=30,
                          stdin=subprocess.DEVNULL)
    return done.stdout


def commands(program):
    """(the program's own help, those of its commands in the order in which it lists them)."""
    top = parse("", ask(program, "--help"))
    names = list(dict.fromkeys(item.name for item in top.items(option=False)))
    return top, [parse(name, ask(program, name, "--help")) for name in names]


def lists(program):
    """What `rollbench list` says: {"kernels": [Item], "policies": ...}."""
    found, items = {}, None
    for line in ask(program, "list").split("\n"):
        if line.endswith(":") and not line.startswith(" "):
            items = found.setdefault(line[:-1], [])
        elif items is not None and line:
            item = ITEM.match(line)
            term, text = item[2], item[3] or ""
            if term.startswith("--"):  # a long name leaves one blank before the text
                term, _, more = term.partition(" ")
                text = f"{more} {text}".strip()
            items.append(Item(len(item[1]), term, text))
    return found


@dataclasses.dataclass
class Notes:
    """What a command's man page says besides its help. see: related commands; jobs: it starts MPI jobs."""
    examples: list = dataclasses.field(default_factory=list)
    see: list = dataclasses.field(default_factory=list)
    status: str = ""
    jobs: bool = False


def notes():
    """{command: Notes} of man-page.txt beside this file."""
    found, mine = {}, None
    for line in pathlib.Path(__file__).with_name("man-page.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            mine = found.setdefault(line.strip("[]"), Notes())
        elif line.startswith("$ "):
            mine.examples.append((line[2:], ""))
        elif line.startswith("see: "):
            mine.see = line.split()[1:]
        elif line.startswith("status: "):
            mine.status = line.partition(": ")[2]
        elif line == "jobs":
            mine.jobs = True
        elif line and not line.startswith("#"):
            command, text = mine.examples[-1]
            mine.examples[-1] = (command, f"{text} {line}".strip())
    return found
