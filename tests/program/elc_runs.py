"""Starting plain MPI programs under libelc, killing them, and reading what they print. Not a test."""
import os
import pathlib
import random
import re
import signal
import subprocess
import time

from rollbench import HELPERS

PROGRAMS = HELPERS / "elc"  # small ones for tests
PAPERS = HELPERS.parent / "elc" / "programs"  # the paper's four
MOMENTS = ("cut", "saved", "asking", "asked", "requested", "identified", "complete", "reported", "committed", "announcing", "known")
# Processes that wait let others run: these jobs often have more processes than cores.
MPIRUN = ("mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,sm")


def command(np, program, *args):
    return ["timeout", "60", *MPIRUN, "-n", str(np), str(program), *map(str, args)]


def mpirun(np, program, *args, **environment):
    """The completed process; it must not run into its deadline."""
    done = subprocess.run(command(np, program, *args), env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode != 124, f"{program} {args} {environment}: no end\n{done.stdout}\n{done.stderr}"
    return done


def killed(np, program, *args, **environment):
    """A run that may be killed: was it? It must not end for another reason."""
    done = mpirun(np, program, *args, **environment)
    assert "elc:" not in done.stderr and "unable to launch" not in done.stderr, done.stderr
    return done.returncode != 0


def figures(np, name, *args, **environment):
    """The line that one of the paper's programs prints at its end, as a dict of text; its checks must hold."""
    return figures_of(mpirun(np, PAPERS / name, *args, **environment), name)


def figures_of(done, name):
    """The same, of a job that has ended; a kernel's job prints such a line, too."""
    found = re.search(rf"^{name} ((?:\w+ \S+ ?)+)$", done.stdout, re.M)
    assert done.returncode == 0 and found, f"{done.args}: exit {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
    words = found[1].split()
    line = dict(zip(words[::2], words[1::2]))
    assert line["checks"] == "ok", line
    return line


def processes_of(folder):
    """The ranks of the job whose ELC_DIR is this folder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(PAPERS) in os.readlink(path / "exe") and f"ELC_DIR={folder}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
        except OSError:  # it has ended
            continue
    return sorted(found)


def kill_later(np, name, args, folder, seconds, rng=random):
    """Start a job, and kill one of its processes from outside after so many seconds. Was it killed before its end?"""
    job = subprocess.Popen(command(np, PAPERS / name, *args), env={**os.environ, "ELC_DIR": str(folder)}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while not processes_of(folder) and job.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(seconds)
    ranks = processes_of(folder)
    if ranks:
        try:
            os.kill(rng.choice(ranks), signal.SIGKILL)
        except ProcessLookupError:
            pass
    _, said = job.communicate()
    assert job.returncode != 124 and "elc:" not in said, (name, args, job.returncode, said)
    return job.returncode != 0
