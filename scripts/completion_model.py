"""What the shells complete: the commands, their options and what the values of these are, from the program's own help."""
import dataclasses
import re

import helptext

# What the value of an option is: by the option's name, or its words in `rollbench list options`, or by what its
# help calls it.
BY_OPTION = {"--policy": "policies", "--kernel": "kernels", "--ckpt": "levels", "--kill": "phases",
             "--kill-node": "phases"}
BY_VALUE = {"FILE": "files", "F": "files", "PATH": "files", "DIR": "folders"}
FOLDERS = {"RUN", "DIR", "FOLDER", "RESULTS", "RESULTS-FOLDER"}


@dataclasses.dataclass
class Option:
    """kind: what its value is: "policies", "kernels", "levels", "phases", "files", "folders", "=word word", "other", or None: a switch."""
    name: str
    text: str
    kind: str


@dataclasses.dataclass
class Command:
    """argument: what its argument is, as an Option's kind; folders: after that come folders; kernels: it takes a kernel."""
    name: str
    text: str
    options: list
    argument: str
    folders: bool
    kernels: bool


@dataclasses.dataclass
class Model:
    """of_kernel: {kernel: [its options]}; the others are {word: text} of `rollbench list`; a word that needs more ends with : or +."""
    commands: list
    of_kernel: dict
    policies: dict
    kernels: dict
    levels: dict
    phases: dict
    lists: dict

    def words(self, kind):
        """{word: text} of a kind of value; {} if it has no words of its own."""
        if kind and kind.startswith("="):
            return dict.fromkeys(kind[1:].split(), "")
        return getattr(self, kind) if kind in ("policies", "kernels", "levels", "phases", "lists") else {}


def choices(item):
    """`window:K` as `window:`, what can be completed of a form with parameters."""
    match = re.match(r"[\w,-]+:?", item.term)
    return match[0] if match else item.name


def words_of(options):
    """What `rollbench list options` begins with: `repair|restart; ...`."""
    words = {o.name: "=" + o.text.split(";")[0].replace("|", " ") for o in options if "|" in o.text.split(";")[0]}
    return {**words, "--techniques": words["--power"]}  # a list of what --power takes


def value_kind(option, words):
    return BY_OPTION.get(option.name) or words.get(option.name) or BY_VALUE.get(option.value)


def argument_kind(help_):
    """What a command's argument is, by what its usage calls it; "=..." for words of its own."""
    arguments = [re.sub(r"\[--[^]]*\]", "", line).split()[2:] for line in help_.usage]
    first = [re.sub(r"[\[\]]", "", words[0]) for words in arguments if words]
    if "KERNEL" in first:
        return "kernels"
    if any(word.endswith(".yaml") for word in first):
        return "yaml"
    words = [word for word in first if re.fullmatch(r"[a-z]+", word)]  # "model energy"
    if words:
        return "=" + " ".join(dict.fromkeys(words))
    if any(word.strip("[].") in FOLDERS for line in arguments for word in line):
        return "folders"
    return "lists" if help_.name == "list" else None


def folders_follow(help_):
    """Words of its own come first, then folders (`store verify DIR`)."""
    return any(re.fullmatch(r"[a-z]+", line.split()[2]) and FOLDERS & set(line.split()[3:])
               for line in help_.usage if len(line.split()) > 3)


def kernel_options(items):
    """{kernel: [options]} of the list of kernels."""
    found, last = {}, None
    for item in items:
        if item.depth <= 2:
            last = found.setdefault(item.name, [])
        else:
            last.append(Option(item.name, item.text, "other"))
    return found


def options_of(help_, words):
    """Each once; a value that may be left out (`--json [-]`) is not completed."""
    found = {}
    for o in (o for o in help_.items(option=True) if o.depth <= 2):
        takes = o.value and not o.value.startswith("[")
        found.setdefault(o.name, Option(o.name, o.text, (value_kind(o, words) or "other") if takes else None))
    return [*found.values()] + ([] if "--help" in found else [Option("--help", "this text", None)])


def model(program):
    top, commands = helptext.commands(program)
    lists = helptext.lists(program)
    words, said = words_of(lists["options"]), {item.name: item.text for item in reversed(top.items(option=False))}
    return Model(
        [Command(h.name, said[h.name], options_of(h, words), argument_kind(h), folders_follow(h), h.takes("KERNEL")) for h in commands],
        kernel_options(lists["kernels"]),
        {choices(i): i.text for i in lists["policies"]},
        {i.name: i.text for i in lists["kernels"] if i.depth <= 2},
        {choices(i): i.text for i in lists["levels"]},
        {i.name + "+" * i.text.startswith(i.name + "+"): i.text for i in lists["phases"]},
        {name: "" for name in lists})
