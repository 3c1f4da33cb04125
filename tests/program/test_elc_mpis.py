"""libelc does not depend on one MPI: the same programs with MPICH, and with an Open MPI whose fault tolerance is off."""
import random
import re
import shutil
import subprocess

import pytest

from elc_runs import (MOMENTS, MPICH, MPIRUN, OF_RANK_0, PROGRAMS, SMALL, check_functions, die_and_go_on, figures, kill_at_every_moment, killed,
                      mpirun, play, result)
from rollbench import new_folder

MIXTURE = (100, 500)


def need_mpich():
    if not shutil.which("mpicc.mpich") or not shutil.which("mpiexec.mpich"):
        pytest.skip("MPICH is not installed (mpicc.mpich, mpiexec.mpich): libelc was not tested with a second MPI")
    assert (MPICH / "libelc.so").exists(), f"no {MPICH}: make elc-mpich"
    return MPICH / "tests/elc", MPICH / "elc/programs"


def test_a_program_goes_on_with_mpich():
    small, _ = need_mpich()
    needed = subprocess.run(["ldd", small / "mixture"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"libmpich\S* =>", needed) and f"{MPICH}/" in needed and "libopen" not in needed, needed
    whole = result(2, small / "mixture", *MIXTURE)[0]
    assert whole == result(2, "mixture", *MIXTURE)[0], "the program computes the same with both"
    folder = new_folder()
    assert killed(2, small / "mixture", *MIXTURE, "--kill", 1, 50, ELC_DIR=str(folder))
    again, line = result(2, small / "mixture", *MIXTURE, ELC_DIR=str(folder))
    assert again == whole and line > 0 and list(folder.iterdir()) == [], (again, whole, line)


def test_every_function_of_mpich_is_covered_or_refused():
    need_mpich()
    check_functions("mpicc.mpich", MPICH / "libelc.so")


# MPICH's processes never sleep while they wait: with more of them than cores, each message costs a time slice of the scheduler.
@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
@pytest.mark.parametrize("protocol, program, args", [
    ("events", "every", (30,)), ("events", "together", (28,)), ("events", "mixture", (160, 400)), ("events", "matched", (60,)),
    ("tagging", "every", (30,)), ("tagging", "mixture", (160, 400)), ("tagging-copy", "every", (30,))])
def test_kills_with_mpich(protocol, program, args):
    kill_at_every_moment(need_mpich()[0] / program, *args, processes=(2,), ELC_PROTOCOL=protocol)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_tagging_with_mpich():
    """Stamps that a program does not see, buffers of MPI 4.1 among them; and kills."""
    small, _ = need_mpich()
    whole, _ = result(2, small / "lengths")
    for protocol in ("events", "tagging", "tagging-copy"):
        assert result(2, small / "lengths", ELC_DIR=str(new_folder()), ELC_PROTOCOL=protocol)[0] == whole
        play(random.Random(5), small / "lengths", (), whole, 2, ("known", "requested"), ELC_PROTOCOL=protocol)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(300)
def test_kills_in_the_programs_of_the_paper_with_mpich():
    _, papers = need_mpich()
    rng = random.Random(5)
    for name, (args, processes) in SMALL.items():
        np = processes[0]
        whole = figures(np, papers / name, *args)["hash"]
        assert whole == figures(np, name, *args)["hash"], "the program computes the same with both"
        for moment in MOMENTS:
            die_and_go_on(rng, papers / name, args, whole, np, 0 if moment in OF_RANK_0 else rng.randrange(np), moment)


@pytest.mark.long
def test_refusals_with_mpich():
    small, _ = need_mpich()
    for what in ("MPI_Win_create", "MPI_Ineighbor_alltoall", "MPI_Cancel", "MPI_Request_free"):
        done = mpirun(1, small / "refused", what, ELC_DIR=str(new_folder()))
        assert done.returncode != 0 and "elc: rank 0:" in done.stderr and what in done.stderr, (what, done.returncode, done.stderr)


@pytest.mark.long
def test_lines_of_one_mpi_serve_with_another():
    """The files of a line have nothing of the MPI in them."""
    small, _ = need_mpich()
    whole = result(3, "mixture", *MIXTURE)[0]
    for first, second in ((small / "mixture", PROGRAMS / "mixture"), (PROGRAMS / "mixture", small / "mixture")):
        folder = new_folder()
        assert killed(3, first, *MIXTURE, "--kill", 1, 50, ELC_DIR=str(folder))
        again, line = result(3, second, *MIXTURE, ELC_DIR=str(folder))
        assert again == whole and line > 0, (again, whole, line)
    whole = result(3, "together", 28)[0]
    for first, second in ((small / "together", PROGRAMS / "together"), (PROGRAMS / "together", small / "together")):
        folder = new_folder()
        assert killed(3, first, 28, ELC_DIR=str(folder), ELC_TEST_KILL="1:known:4")
        again, line = result(3, second, 28, ELC_DIR=str(folder))
        assert again == whole and line > 0, (again, whole, line)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_open_mpi_without_its_fault_tolerance():
    """No test of libelc starts mpirun with it (--with-ft); here it is switched off in so many words."""
    assert "--with-ft" not in MPIRUN
    off = {"OMPI_MCA_mpi_ft_enable": "0"}
    for program, args in (("mixture", MIXTURE), ("every", (30,))):
        whole = result(3, program, *args, **off)[0]
        for moment in ("cut", "requested", "identified", "known"):
            folder = new_folder()
            assert killed(3, PROGRAMS / program, *args, **off, ELC_DIR=str(folder), ELC_TEST_KILL=f"1:{moment}:2")
            assert result(3, program, *args, **off, ELC_DIR=str(folder))[0] == whole, (program, moment)
