"""What the whole-program tests share: run the command, read its record, look for orphans."""
import faulthandler
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = [str(ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "rollbench")]

EXIT = {"ok": 0, "wrong": 1, "usage": 2, "hang": 3, "abort": 4, "out-of-spares": 5}


def deadline(seconds):
    """Mark a test that needs another deadline; tests/run-tests reads it from the source."""
    assert seconds > 0
    return lambda function: function


def alone(function):
    """Mark a test that compares times: no other runs beside it."""
    return function


def call(*args, timeout=110, **kwargs):
    """Run rollbench; returns the completed process with text output."""
    return subprocess.run([*COMMAND, *map(str, args)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=timeout, **kwargs)


def run(*args, expect="ok", timeout=110):
    """Run `rollbench run ARGS --json -`; returns the record after checking the exit status."""
    done = call("run", *args, "--json", "-", timeout=timeout)
    assert done.returncode == EXIT[expect], (
        f"{args}: exit {done.returncode}, expected {EXIT[expect]} ({expect})\n"
        f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    record = json.loads(done.stdout)
    assert record["status"] == expect, record["status"]
    record["_stderr"] = done.stderr
    return record


def kill_options(kills):
    """A plan as options of the command."""
    return [word for text in kills for word in ("--kill", text)]


def refuse(*args, words=()):
    """The command must refuse its input: exit 2, a message with these words, nothing on stdout."""
    done = call(*args)
    assert done.returncode == 2, f"{args}: exit {done.returncode}\n{done.stderr}"
    for word in words:
        assert str(word) in done.stderr, f"{args}: no '{word}' in: {done.stderr}"
    assert done.stdout == "", done.stdout
    return done.stderr


def descendants_named(needle):
    """Pids of processes whose command line contains needle (a run folder, say)."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if needle in line:
            found.append((int(entry.name), line))
    return found


def main():
    """Run the one test function named on the command line; when its deadline ends it, it says where it was."""
    faulthandler.register(signal.SIGTERM, chain=True)
    module = sys.modules["__main__"]
    getattr(module, sys.argv[1])()
