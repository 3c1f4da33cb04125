"""The completion of zsh and fish, asked in these shells; that of bash is in test_install.py."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from rollbench import COMMAND, ROOT, call, new_folder

INIT = """PROMPT= ; fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u; unsetopt beep autolist; LISTMAX=9999
compadd() {{
	local -a hits
	[[ " ${{(j: :)@[1,(i)(-|--)]}} " == *" -"[OAD]* ]] || {{ builtin compadd -A hits "$@"; print -l -- "<hit>"$^hits }}
	builtin compadd "$@"
}}
tab() {{ zle complete-word; print "<end>" }}
zle -N tab; bindkey '^I' tab; bindkey '^U' kill-whole-line; stty -echo columns 400; print "<""ready>"
"""


def written(shell, name):
    """The file with the completion for that shell, in a folder of its own."""
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here to complete in")
    done = subprocess.run([ROOT / "scripts" / "completion", COMMAND[0], shell], capture_output=True, text=True, timeout=60, check=True)
    (file := new_folder() / name).write_text(done.stdout, encoding="utf-8")
    return file


class Zsh:
    """An interactive zsh without a configuration, in a terminal of its own."""

    def __init__(self, folder):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb"})
        self.say(INIT.format(folder=folder))
        self.hear("<ready>")

    def say(self, text):
        os.write(self.terminal, text.encode())

    def hear(self, until):
        heard, end = "", time.monotonic() + 20
        while until not in heard:
            assert select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0], heard[-2000:]
            heard += os.read(self.terminal, 65536).decode(errors="replace")
        return heard

    def complete(self, line):
        """The words that Tab would offer."""
        self.say("\x15" + line + "\t")
        return set(re.findall(r"<hit>([^\r\n]+)", self.hear("<end>")))

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def fish_complete(file, line):
    done = subprocess.run(["fish", "--no-config", "-c", f'source {file}; complete -C "{line}"'], capture_output=True, text=True, timeout=30,
                          cwd=file.parent, env={**os.environ, "HOME": str(file.parent)}, check=True)
    assert done.stderr == "", done.stderr
    return {one.partition("\t")[0] for one in done.stdout.splitlines()}


def listed(kind):
    return set(re.findall(r"^  ([a-z]+)", call("list", kind).stdout, re.MULTILINE))


def options(*command):
    return set(re.findall(r"^  (--[a-z][\w-]*)", call(*command, "--help").stdout, re.MULTILINE))


def check(complete, folder):
    """What a shell offers at each place is what the program knows."""
    (folder / "mine.yaml").touch()
    (folder / "results").mkdir()
    commands = set(re.findall(r"^  ([a-z]+)\b", call("--help").stdout, re.MULTILINE))
    assert commands <= complete("rollbench "), commands - complete("rollbench ")
    assert listed("kernels") <= complete("rollbench run "), complete("rollbench run ")
    assert listed("policies") == {word.rstrip(":") for word in complete("rollbench run cg --policy ")}
    assert complete("rollbench run cg --strategy ") == {"repair", "restart"}
    assert {"repair", "restart"} == {word.rpartition("=")[2] for word in complete("rollbench run cg --strategy=re")}
    assert listed("phases") == {word.rpartition(":")[2].rstrip("+") for word in complete("rollbench run cg --kill 3@4:")}
    assert {word.rstrip("=") for word in complete("rollbench run lulesh --bu")} == {"--buffers"}
    assert not complete("rollbench run cg --bu"), "an option of another kernel"
    assert {"verify", "merge", "overhead"} <= complete("rollbench store ")
    assert "jacobi" in complete("rollbench torture --kernel j")
    assert "mine.yaml" in complete("rollbench sweep "), complete("rollbench sweep ")
    assert {word.rstrip("/") for word in complete("rollbench sweep mine.yaml --results r")} == {"results"}
    assert {word.rstrip("/") for word in complete("rollbench store verify r")} == {"results"}
    for command in sorted(commands):
        offered = {word.rstrip("=") for word in complete(f"rollbench {command} --")}
        assert options(command) - listed("kernels") <= offered, (command, options(command) - offered)


def test_zsh():
    file = written("zsh", "_rollbench")
    shell = Zsh(file.parent)
    check(shell.complete, file.parent)
    shell.close()


def test_fish():
    file = written("fish", "rollbench.fish")
    check(lambda line: fish_complete(file, line), file.parent)


def test_every_option_is_in_both():
    """Where there is no such shell, at least the words are there."""
    for shell, form in (("zsh", "*{}"), ("fish", " -l {} ")):
        text = subprocess.run([ROOT / "scripts" / "completion", COMMAND[0], shell], capture_output=True, text=True, timeout=60, check=True).stdout
        for command in ("run", "sweep", "export", "simulate", "torture"):
            for name in options(command):
                assert form.format(name if shell == "zsh" else name[2:]) in text, (shell, command, name)
        assert "@phases@" not in text and text.endswith("\n")
    bad = subprocess.run([ROOT / "scripts" / "completion", COMMAND[0], "tcsh"], capture_output=True, text=True, check=False)
    assert bad.returncode != 0 and "usage: completion" in bad.stderr
