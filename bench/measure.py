"""Measuring: run the command, keep every sample, say only what the samples bear out."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from plots.common.program import program  # noqa: E402  (the path must be known first)
from plots.common.stats import LEAST, interval, show  # noqa: E402

BUILD = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build")
SPREAD = f"median [95 % interval], of fewer than {LEAST} (range)"  # what show() writes
FOREVER = "1000000000"  # an interval without a checkpoint
LOOK_NS, SLACK_NS = 13000, 50000  # of a nap, as in harness/job/mpirun.c, which says why


def mpirun(ranks, wait="yield"):
    """The words that start so many processes of this host which `rollbench run` does not start. wait: what a process does whose MPI finds nothing to do.
    "yield": it lets others run, so that a busy machine does not make a run many times longer; "default": only where processes share cores, as the MPI
    itself; "nap": there it sleeps, as in `rollbench run`."""
    cores = len(os.sched_getaffinity(0))
    shared = ranks > cores
    naps = {"threads_pthreads_yield_strategy": "nanosleep", "threads_pthreads_nanosleep_time": max(LOOK_NS * ranks // cores - SLACK_NS, 1)}
    parameters = {"mpi_yield_when_idle": int(shared or wait == "yield"), "btl": "self,sm", **(naps if shared and wait == "nap" else {})}
    return ["timeout", "--foreground", "200", "mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", *set_parameters(parameters),
            "-n", str(ranks)]


def set_parameters(values):
    """Of the MPI, as words of mpirun."""
    return [word for name, value in values.items() for word in ("--mca", name, str(value))]


def run(*args, **variables):
    """The record of `rollbench run ARGS`; ends the program if the run is not ok. variables: of its environment, in addition."""
    with subprocess.Popen([program(), "run", *map(str, args), "--json", "-", "--quiet"], env={**os.environ, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as job:
        try:
            said, errors = job.communicate()
        except KeyboardInterrupt:  # it has the signal, too, and ends its processes
            job.wait()
            raise
    record = json.loads(said) if said else {}
    if record.get("status") != "ok":
        sys.exit(f"{' '.join(map(str, args))}: {record.get('status')} {record.get('message')} {errors}")
    return record


def bench_program(name, *args, ranks=0, wait="yield", **variables):
    """What build/bench/NAME ARGS writes to standard output; with ranks, under mpirun(ranks, wait). variables: of its environment, in addition. Ends
    the program if it fails or writes nothing."""
    command = [BUILD / "bench" / name, *map(str, args)]
    if ranks:
        command = [*mpirun(ranks, wait), *command]
    try:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}; `make bench` builds it")
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()}; `make bench` builds it")
    return done.stdout


def bench_numbers(name, *args, **how):
    """The numbers that bench_program() writes."""
    return [float(word) for word in bench_program(name, *args, **how).split()]


def verdict(ratios, goal=None, of="pairs"):
    """In words: the cost in percent, whether it keeps the goal, or that noise hides it."""
    if len(ratios) < LEAST:
        return f"{show([100 * (r - 1) for r in ratios], '{:+.2f} %'.format)}: no conclusion from so few {of}"
    median, low, high, _ = interval(ratios)
    cost = f"{100 * (median - 1):+.2f} % [{100 * (low - 1):+.2f}, {100 * (high - 1):+.2f}]"
    if goal is not None:
        if high <= 1 + goal:
            return f"{cost}: at most {100 * goal:g} %"
        if low > 1 + goal:
            return f"{cost}: MORE than {100 * goal:g} %"
        room = abs(1 + goal - median)
    else:
        if low > 1 or high < 1:
            return cost
        room = abs(median - 1)
    width = max(high - median, median - low)
    if room <= 0:
        return f"{cost}: no conclusion"
    need = int(len(ratios) * (width / room) ** 2) + 1
    return f"{cost}: no conclusion, noise exceeds the effect; about {need} {of} would settle it"


def at_most(goal, values, of="samples"):
    """Is the median at most the goal, as far as its interval tells?"""
    _, low, high, _ = interval(values)
    if low is None:
        return f"no conclusion from so few {of}"
    return "kept" if high <= goal else "MISSED" if low > goal else "no conclusion"


def at_least(goal, values, of="samples"):
    return at_most(-goal, [-value for value in values], of)


def interleave(a, b, pairs):
    """Records of A and B in the order A B B A ..., after a warm-up of each."""
    a(), b()
    found = []
    for i in range(pairs):
        if i % 2 == 0:
            x = a()
            found.append((x, b()))
        else:
            y = b()
            found.append((a(), y))
    return found
