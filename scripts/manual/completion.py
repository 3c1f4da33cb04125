"""The completion of bash: completion.bash, where what the program says of itself takes the place of each @name@."""
import pathlib
import re

# What is completed: files, folders, yaml, phases, or these words: "=word word".
VALUES = {"FILE": "files", "F": "files", "PATH": "files", "DIR": "folders"}  # by what the help calls an option's value
FOLDERS = {"RUN", "DIR", "RESULTS-FOLDER"}  # arguments


def words(names):
    return "=" + " ".join(dict.fromkeys(names))


def of_list(items):
    """Words that can be typed: `window:` of `window:K`, and `op+` of what is told as `op+N: ...`."""
    for item in items:
        if not item.deep:
            yield re.match(r"[\w,-]+:?", item.term)[0] + "+" * item.text.startswith(item.name + "+")


def of_options(lists):
    """{option: what its value is}, of options that mean the same wherever they are."""
    choices = {item.name: item.text.split(";")[0] for item in lists["options"]}  # `repair|restart; ...`
    found = {name: words(text.split("|")) for name, text in choices.items() if "|" in text}
    return {**found, "--techniques": found["--power"], "--policy": words(of_list(lists["policies"])), "--ckpt": words(of_list(lists["levels"])),
            "--kernel": words(of_list(lists["kernels"])), "--kill": "phases", "--kill-node": "phases"}


def arguments(command):
    """The words of each line of the usage behind the command, without options in brackets."""
    return [re.sub(r"\[--[^]]*\]|[][]", "", line).split()[2:] for line in command.usage]


def argument(command, kernels):
    """What comes first behind the command, by what its usage calls it."""
    lines = arguments(command)
    first = [name for line in lines if line for name in line[0].split("|")]
    own = [name for name in first if re.fullmatch(r"[a-z][a-z-]*", name)]  # `model energy`
    if "KERNEL" in first:
        return kernels
    if any(name.endswith(".yaml") for name in first):
        return "yaml"
    return words(own) if own else "folders" if any(FOLDERS.intersection(line) for line in lines) else ""


def options(command):
    return {item.name: item for item in command.items if item.name.startswith("--")}


def kernel_options(items):
    """{kernel: [its options]}."""
    found = {}
    for item in items:
        if not item.deep:
            found[item.name] = own = []
        else:
            own.append(item.name)
    return found


def case(pattern, text):
    return f"\t{pattern}) echo \"{text}\" ;;"


def values(program, known, of_kernels):
    """What the value of each option is; one that may be left out (`--json [-]`) is not completed."""
    for command in program.commands:
        yield from (case(f"{command.name}:{name}", known.get(name) or VALUES.get(option.value, "other"))
                    for name, option in options(command).items() if option.value and not option.value.startswith("["))
    yield case(" | ".join(f"*:{name}" for name in sorted(of_kernels)), "other")


def bash(program):
    known, of_kernel = of_options(program.lists), kernel_options(program.lists["kernels"])
    parts = {
        "commands": program.summaries,
        "of_folders": [command.name for command in program.commands if any(FOLDERS.intersection(line[1:]) for line in arguments(command))],
        "phases": of_list(program.lists["phases"]),
        "options": [case(command.name, " ".join(options(command))) for command in program.commands],
        "kernel": [known["--kernel"]],
        "kernel_options": [case(kernel, " ".join(names)) for kernel, names in of_kernel.items()],
        "values": values(program, known, set().union(*of_kernel.values())),
        "arguments": [case(command.name, what) for command in program.commands if (what := argument(command, known["--kernel"]))],
    }
    text = pathlib.Path(__file__).with_name("completion.bash").read_text(encoding="utf-8")
    text = re.sub(r"^@(\w+)@$", lambda match: "\n".join(parts[match[1]]), text, flags=re.MULTILINE)
    return re.sub(r"@(\w+)@", lambda match: " ".join(parts[match[1]]), text)
