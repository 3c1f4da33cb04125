"""The kernels under libelc, with messages over plain MPI: the same final state as in `rollbench run`, also after a kill and a restart."""
import itertools
import random
import re

import pytest

from elc_runs import MOMENTS, OF_RANK_0, PAPERS, figures_of, killed, mpirun
from rollbench import new_folder, reference

PROGRAM = PAPERS / "kernel"
# Kernel (its first word) and options, processes, and steps between lines: an odd number, since kernels swap two pointers in each step.
SMALL = {
    "cg": (("--class", "S"), 2, 61),
    "jacobi": (("--grid", 400, "--steps", 240), 3, 15),
    "lulesh": (("--edge", 3, "--steps", 120), 8, 11),
    "lulesh with all neighbours": (("--edge", 3, "--steps", 120, "--exchange", "all"), 8, 11),
    "amr": (("--blocks", 8, "--steps", 480), 3, 11),  # regions change their sizes
    "bfs": (("--scale", 13, "--searches", 16), 3, 3),
    "triad": (("--elements", 300000, "--steps", 200), 2, 31),
}
# What ranks of triad send each other is only messages of libelc, so one may have come to its end when the other begins: then there is one line.
LINES = {"triad": ((1,), (1,))}
# The lines in which others are killed, if the program asks for lines, and if rank 0 begins them as soon as it may: each run has more.
AMONG = ((1, 2, 3), (5, 10, 20))


def run_kernel(kernel, *more, **environment):
    args, np, _ = SMALL[kernel]
    return mpirun(np, PROGRAM, kernel.split()[0], *args, *more, **environment)


def whole(kernel):
    """The final state of the failure-free run by `rollbench run`."""
    args, np, _ = SMALL[kernel]
    return reference(kernel.split()[0], "--np", np, "--policy", "none", "--interval", 1000, *args)


def kill_and_go_on(kernel, victim, moment, rng):
    """Kill this rank at this moment of a line, and restart. In half of the jobs rank 0 begins a line as soon as it may (the interval is over at
    each safe point): then the others cut in later iterations. How many messages crossed lines after the restart?"""
    args, np, every = SMALL[kernel]
    at_once, folder = rng.random() < 0.5, new_folder()
    environment = {"ELC_DIR": str(folder), **({"ELC_INTERVAL": "1e-9"} if at_once else {})}
    args = (kernel.split()[0], *args, "--every", every)
    kill = f"{victim}:{moment}:{rng.choice(LINES.get(kernel, AMONG)[at_once])}"
    assert killed(np, PROGRAM, *args, **environment, ELC_TEST_KILL=kill), (kernel, kill, environment)
    done = mpirun(np, PROGRAM, *args, **environment, ELC_REPORT="1")
    again = figures_of(done, kernel.split()[0])
    assert again["hash"] == whole(kernel), (kernel, kill, environment, again)
    assert list(folder.iterdir()) == []
    return sum(map(int, re.findall(r" (?:transit|orphans) (\d+)", done.stderr)))


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_kernel_has_the_state_of_a_run_of_rollbench():
    for kernel, (_, _, every) in SMALL.items():
        name = kernel.split()[0]
        plain = figures_of(run_kernel(kernel), name)
        lined = figures_of(run_kernel(kernel, "--every", every, ELC_DIR=str(new_folder()), ELC_TEST_LATE="1"), name)
        assert plain["hash"] == lined["hash"] == whole(kernel), (kernel, plain, lined)
        assert plain["lines"] == "0" and int(lined["lines"]) >= LINES.get(kernel, AMONG)[0][-1], (kernel, lined)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_a_killed_kernel_goes_on():
    rng = random.Random(5)
    for kernel, moment in (("cg", "complete"), ("amr", "requested"), ("bfs", "known")):
        kill_and_go_on(kernel, 1, moment, rng)


def kill_everywhere(kernel):
    rng, np = random.Random(kernel), SMALL[kernel][1]
    return sum(kill_and_go_on(kernel, victim, moment, rng) for victim, moment in itertools.product(sorted({0, np // 2, np - 1}), MOMENTS)
               if victim == 0 or moment not in OF_RANK_0)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_kernels_killed_at_each_moment():
    """Those that move little: cg and jacobi."""
    assert kill_everywhere("cg") + kill_everywhere("jacobi") > 0, "no message has crossed a line"


@pytest.mark.long
@pytest.mark.timeout(400)
def test_kernels_whose_regions_grow_killed_at_each_moment():
    kill_everywhere("amr")
    kill_everywhere("bfs")


@pytest.mark.long
@pytest.mark.timeout(400)
def test_lulesh_and_triad_killed_at_each_moment():
    kill_everywhere("lulesh")
    kill_everywhere("triad")


@pytest.mark.long
@pytest.mark.timeout(400)
def test_lulesh_with_all_neighbours_killed_at_each_moment():
    kill_everywhere("lulesh with all neighbours")


def test_arguments_of_kernels():
    for args, words in (((), "usage: mpirun"), (("cg", "--class", "X"), "--class X"), (("cg", "--clas", "S"), "--clas: no such argument"),
                        (("lulesh", "--lines", 4), "use --every"), (("jacobi", "--grid"), "a value is missing"),
                        (("cg", "--check", 3), "power of two"), (("lulesh", "--check", 8, "--lines", 4), "use --every")):
        done = mpirun(1, PROGRAM, *args)
        assert done.returncode != 0 and words in done.stderr, (args, done.stdout, done.stderr)
    done = mpirun(1, PROGRAM, "cg", "--help")
    assert done.returncode == 0 and "--class" in done.stdout and "--every" in done.stdout, done.stdout
