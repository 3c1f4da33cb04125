"""Running the commands of an item, and only these."""
import importlib.util
import os
import pathlib
import shlex
import subprocess
import sys

from plots.common.command import REFUSED, Refused
from plots.common.files import put
from plots.common.program import OTHER, ROOT, program

GO_ON = (0, 1)  # of a sweep: 1 says that runs are not ok; they are drawn around


def python():
    """One that has matplotlib."""
    return sys.executable if importlib.util.find_spec("matplotlib") else OTHER


def argv(words):
    """What a command line of the data calls here."""
    if words[0] == "./rollbench":
        return [program(), *words[1:]]
    if words[0] == "python3":
        return [python(), str(ROOT / words[1]), *words[2:]]
    if words[0] == "make":
        return ["make", "-C", str(ROOT), *words[1:]]
    return [str(ROOT / words[0]), *words[1:]]


def test(name):
    """The command for a test: of a C program or of a module, or MODULE.FUNCTION."""
    return f"""make test ARGS='-k "{name.replace(".", " and ")}"'"""


def split(line):
    """(words, the file that standard output goes to or None)."""
    words = shlex.split(line)
    target = next((word for word in words if word.startswith(">")), None)
    if target is None:
        return words, None
    return words[:words.index(target)], target[1:] or words[words.index(target) + 1]


def typed(line):
    """As a person types it in the checkout: scripts run where the libraries are."""
    return line if line.startswith(("./rollbench", "make ")) else f"scripts/with-env {line}"


def outputs(words, target):
    """Folders that must be there before the command."""
    files = [target] + [after for word, after in zip(words, words[1:]) if word in ("--json", "--out") and after != "-"]
    return {pathlib.Path(file).parent for file in files if file and not file.startswith("-")}


def check_there(words):
    """Refused: what the command reads belongs to a checkout, and this is an installation without it."""
    for word in words:
        if word.startswith(("configs/", "plots/", "scripts/", "tests/", "data/")) and not (ROOT / word).exists():
            raise Refused(f"{word}: it is not in {ROOT}; run this in a checkout")
    if words[0] == "make" and not (ROOT / "Makefile").exists():
        raise Refused(f"{ROOT} has no Makefile; run this in a checkout")


def run(lines):
    """Run them one after the other; the exit status of the last one that was not 0, else 0."""
    status = 0
    for at, line in enumerate(lines, 1):
        words, target = split(line)
        check_there(words)
        print(f"papers: {at} of {len(lines)}: {typed(line)}", flush=True)
        for folder in outputs(words, target):
            folder.mkdir(parents=True, exist_ok=True)
        calling = [str(ROOT / word) if word.startswith(("configs/", "data/")) else word for word in argv(words)]
        one = _call(calling, target)
        if one not in GO_ON or (one and words[:2] != ["./rollbench", "sweep"]):
            what = {6: "its budget is spent; the same command goes on", REFUSED: "refused"}.get(one, "")
            print(f"papers: ended with exit status {one}{': ' + what if what else ''}", file=sys.stderr)
            return one
        status = status or one
    return status


def _call(words, target):
    """A file is written whole or not at all."""
    environment = {**os.environ, "ROLLBENCH_PROGRAM": program()}
    try:
        if target is None:
            return subprocess.run(words, env=environment, check=False).returncode
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=False)
        if done.returncode == 0:
            put(target, done.stdout)
        return done.returncode
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from error
