"""The kernels under libelc, with messages over plain MPI: the same final state as in `rollbench run`, also after a kill and a restart."""
import itertools
import random
import re

import pytest

from elc_runs import MOMENTS, PAPERS, figures_of, killed, mpirun
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
OF_RANK_0 = ("reported", "committed", "announcing")


def run_kernel(kernel, *more, **environment):
    args, np, _ = SMALL[kernel]
    return mpirun(np, PROGRAM, kernel.split()[0], *args, *more, **environment)


def whole(kernel):
    """The final state of the failure-free run by `rollbench run`."""
    args, np, _ = SMALL[kernel]
    return reference(kernel.split()[0], "--np", np, "--policy", "none", "--interval", 1000, *args)


def kill_and_go_on(kernel, victim, moment, line, rng):
    """Kill this rank at this moment of this line, restart; was it killed? Half of the jobs take their lines by the clock: then processes cut
    in different iterations."""
    args, np, every = SMALL[kernel]
    folder = new_folder()
    environment = {"ELC_DIR": str(folder), **({"ELC_INTERVAL": "0.002"} if rng.random() < 0.5 else {})}
    args = (kernel.split()[0], *args, "--every", every)
    dead = killed(np, PROGRAM, *args, **environment, ELC_TEST_KILL=f"{victim}:{moment}:{line}")
    done = mpirun(np, PROGRAM, *args, **environment, ELC_REPORT="1")
    again = figures_of(done, kernel.split()[0])
    assert again["hash"] == whole(kernel), (kernel, victim, moment, line, environment, again)
    assert list(folder.iterdir()) == []
    return dead, sum(map(int, re.findall(r" (?:transit|orphans) (\d+)", done.stderr)))


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_kernel_has_the_state_of_a_run_of_rollbench():
    for kernel, (_, _, every) in SMALL.items():
        name = kernel.split()[0]
        plain = figures_of(run_kernel(kernel), name)
        lined = figures_of(run_kernel(kernel, "--every", every, ELC_DIR=str(new_folder())), name)
        assert plain["hash"] == lined["hash"] == whole(kernel), (kernel, plain, lined)
        assert plain["lines"] == "0" and int(lined["lines"]) >= 3, (kernel, lined)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_a_killed_kernel_goes_on():
    rng = random.Random(5)
    for kernel, moment in (("cg", "complete"), ("amr", "requested"), ("bfs", "known")):
        dead, _ = kill_and_go_on(kernel, 1, moment, 2, rng)
        assert dead, (kernel, moment)


def kill_everywhere(kernel):
    rng, deaths, expected, crossing = random.Random(kernel), 0, 0, 0
    _, np, _ = SMALL[kernel]
    for victim, moment in itertools.product(sorted({0, np // 2, np - 1}), MOMENTS):
        if victim > 0 and moment in OF_RANK_0:
            continue
        dead, crossed = kill_and_go_on(kernel, victim, moment, rng.choice((1, 2, 3)), rng)
        expected, deaths, crossing = expected + 1, deaths + dead, crossing + crossed
    print(f"note: {kernel}: {deaths} deaths in {expected} runs, 0 wrong; {crossing} messages crossed lines after restarts")
    assert deaths > 0.8 * expected, (kernel, deaths, expected)
    return crossing


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
