"""docs/reproducers and docs/upstream: what a reader of a report would do first works as it is written there."""
import os
import re
import subprocess
import tempfile

from rollbench import ROOT

PROGRAMS = sorted((ROOT / "docs/reproducers").glob("*.c"))


def commands(text, comment=""):
    """The commands that compile and run a program, each on one line, in the order of the text."""
    text = re.sub(rf"\\\n\s*{comment}\s*", "", text)
    return [re.sub(r"\s+", " ", line) for line in re.findall(rf"^\s*{comment}\s+((?:mpicc|timeout) .*)$", text, re.MULTILINE)]


def test_reproducers_compile_without_a_warning():
    """As C11, where what POSIX adds to it is hidden unless a program asks for it."""
    assert len(PROGRAMS) >= 10, PROGRAMS
    with tempfile.TemporaryDirectory(prefix="rollbench-test-") as work:
        for program in PROGRAMS:
            done = subprocess.run([os.environ.get("MPICC", "mpicc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-o",
                                   f"{work}/{program.stem}", program], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr


def test_reports_have_the_commands_of_their_programs():
    for program in PROGRAMS:
        head = commands(program.read_text(encoding="utf-8").split("*/")[0], r"\*")
        report = commands((ROOT / f"docs/upstream/{program.stem}.md").read_text(encoding="utf-8"))
        assert len(head) == 2 and head == report, (program.name, head, report)
        assert head[0] == f"mpicc -o {program.stem} {program.name}" and f" ./{program.stem}" in head[1], head
        assert re.match(r"timeout \d+ mpirun --with-ft ulfm ", head[1]), head
