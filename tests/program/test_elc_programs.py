"""The four programs of the event-logging-checkpoint paper under libelc: killed at each moment and from outside, they give the same result."""
import random
import re
import subprocess

import pytest

from elc_runs import MOMENTS, OF_RANK_0, PAPERS, ROUNDS, SEED, SMALL, command, die_and_go_on, figures, kill_everybody_everywhere, kill_in_line, killed, mpirun
from rollbench import call, new_folder

# Long enough to be killed from outside while they write a line.
LONGER = {
    "gauss_jordan": ("--size", 700, "--lines", 8),
    "matmul": ("--size", 700, "--lines", 8),
    "neurons": ("--size", 100, "--steps", 3000, "--lines", 8),
    "disks": ("--size", 32, "--sweeps", 400, "--lines", 8),
}


def test_a_killed_program_of_the_paper_goes_on():
    """One of the two that receive from any source; the others in the long tests."""
    rng, (args, _) = random.Random(1), SMALL["matmul"]
    die_and_go_on(rng, "matmul", args, figures(3, "matmul", *args)["hash"], 3, 1, "requested")


def test_a_barrier_ends_the_setup_without_the_library_too():
    """libelc has one. Without it, what process 0 measures of the program alone lacks work that others have begun before its clock."""
    for mode in ("source", "programs"):
        path = new_folder() / "calls.csv"
        done = call("profile", "--out", path, "--", *command(2, PAPERS.parent / mode / "matmul", *SMALL["matmul"][0]))
        assert done.returncode == 0, done.stderr
        barriers = re.findall(r"^-?\d+,barrier,(\d),", path.read_text(), re.M)
        assert barriers == ["0", "1"], (mode, path.read_text())


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_in_gauss_jordan():
    kill_everybody_everywhere("gauss_jordan")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_in_matmul():
    kill_everybody_everywhere("matmul")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_in_neurons():
    kill_everybody_everywhere("neurons")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_in_neurons_whose_messages_cross():
    """Lines that process 0 begins by itself: the others are a step ahead. With collective functions no message crosses them."""
    args, rng = ("--size", 24, "--steps", 3000, "--messages", 1), random.Random(12 + SEED)
    whole = figures(3, "neurons", *args)["hash"]
    assert whole == figures(3, "neurons", *args[:-1], 0)["hash"]
    for moment in MOMENTS:
        for victim in range(3) if moment not in OF_RANK_0 else (0,):
            die_and_go_on(rng, "neurons", args, whole, 3, victim, moment, ELC_INTERVAL="0.01")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_in_disks():
    kill_everybody_everywhere("disks")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_from_outside():
    """While a line is written, at any instruction: up to three deaths of a job, then it must come to the right end."""
    rng, kills, deaths, from_line = random.Random(11 + SEED), 0, 0, 0
    for name, args in LONGER.items():
        whole = figures(3, name, *args)["hash"]
        assert figures(3, name, *args, ELC_DIR=str(new_folder()))["hash"] == whole
        for _ in range(2 * ROUNDS):
            folder, lines = new_folder(), sorted(rng.sample(range(1, 6), rng.randint(1, 3)))
            kills, deaths = kills + len(lines), deaths + sum(kill_in_line(3, name, args, folder, line, rng) for line in lines)
            again = figures(3, name, *args, ELC_DIR=str(folder))
            assert again["hash"] == whole, (name, again, whole)
            from_line += int(again["from"]) > 0
    print(f"note: {deaths} deaths in {kills} kills from outside, {from_line} restarts from a line, 0 wrong")
    assert deaths > kills / 2 and from_line > 0, (deaths, kills, from_line)


@pytest.mark.long
def test_results_do_not_depend_on_processes_or_dealing():
    for name, (args, _) in SMALL.items():
        assert len({figures(np, name, *args)["hash"] for np in (2, 3, 4)}) == 1, name
    assert figures(3, "matmul", "--size", 96)["hash"] == figures(3, "matmul", "--size", 96, "--columns", 0)["hash"]
    assert figures(4, "disks", "--size", 24)["hash"] == figures(4, "disks", "--size", 24, "--deal", 1)["hash"]
    assert figures(1, "gauss_jordan")["hash"] == figures(3, "gauss_jordan", "--apart", 1)["hash"]
    figures(3, "neurons", "--size", 25, "--steps", 100, "--verify", 1)
    figures(3, "neurons", "--size", 25, "--steps", 100, "--messages", 1, "--verify", 1)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_dealing_to_whoever_answers_is_never_wrong():
    """Such a master does not send the same after a restart. Either nobody depends on that, or the job is told; it is never silently wrong."""
    args = ("--size", 24, "--sweeps", 100, "--deal", 1, "--lines", 6)
    rng, whole, told = random.Random(3), figures(4, "disks", *args)["hash"], 0
    for _ in range(6):
        folder = new_folder()
        assert killed(4, PAPERS / "disks", *args, ELC_DIR=str(folder), ELC_TEST_KILL=f"{rng.randrange(4)}:known:{rng.randrange(1, 5)}")
        done = mpirun(4, PAPERS / "disks", *args, ELC_DIR=str(folder))
        if done.returncode == 0:
            assert f" hash {whole} checks ok " in done.stdout, done.stdout
        else:
            assert "does not repeat its messages" in done.stderr, done.stderr
            told += 1
    print(f"note: told in {told} of 6 runs")


@pytest.mark.long
def test_arguments():
    for name in SMALL:
        done = subprocess.run([PAPERS / name, "--help"], capture_output=True, text=True)
        assert done.returncode == 0 and re.search(r"^  --lines ", done.stdout, re.M) and done.stdout.startswith("usage: mpirun"), done
        for args in (("--no",), ("--size",), ("--size", "0"), ("--size", "8x"), ("--lines", "-1"), ("5", "5")):
            done = subprocess.run([PAPERS / name, *args], capture_output=True, text=True)
            assert done.returncode == 2 and name in done.stderr and not done.stdout, (args, done)
    assert mpirun(1, PAPERS / "disks").returncode != 0 and mpirun(1, PAPERS / "matmul").returncode != 0
