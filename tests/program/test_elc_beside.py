"""libelc writes its files beside the computation (ELC_WRITE): what is committed is in its files, whoever is slow, killed or without room."""
import random
import re

import pytest

import elc_runs
from elc_runs import MOMENTS, OF_RANK_0, PROGRAMS, result
from rollbench import new_folder

CHANGING = (300, 200000)
LATE = {"ELC_TEST_LATE": "1,5"}  # each file of rank 1 takes longer than those of rank 0


def counted(done):
    """Per rank, what the library says at the end with ELC_REPORT=1."""
    found = re.findall(r"elc: rank (\d+): counted protocol \S+ ((?:\w+ \S+ ?)+)$", done.stderr, re.M)
    return {int(rank): dict(zip(words.split()[::2], map(float, words.split()[1::2]))) for rank, words in found}


def committed(folder, np):
    """The newest committed line; every file of each committed one is there under its own name."""
    for line in elc_runs.committed(folder):
        for name in (f"rank-{rank}.{what}" for rank in range(np) for what in ("state", "messages")):
            assert (folder / f"line-{line}" / name).exists(), f"line {line} was committed without {name}: {sorted(folder.rglob('*'))}"
    return elc_runs.newest(folder)


def kill_and_go_on(np, moment, line, whole, *args, **more):
    """Dies at this moment of this line, then goes on from the newest committed one."""
    folder = new_folder()
    environment = {"ELC_DIR": str(folder), **more}
    assert elc_runs.killed(np, PROGRAMS / "changing", *args, **environment, ELC_TEST_KILL=f"{moment}:{line}"), (moment, line, more)
    newest = committed(folder, np)
    done = elc_runs.mpirun(np, PROGRAMS / "changing", *args, **environment)
    assert done.returncode == 0 and "refused" not in done.stderr and f"result {whole} from line {newest}\n" in done.stdout, (
        moment, line, more, newest, done.stdout, done.stderr)


def test_nothing_is_committed_before_it_is_written():
    """Rank 1 writes late, and rank 0 dies as soon as it can."""
    whole, _ = result(2, "changing", *CHANGING)
    for moment in ("complete", "committed"):
        kill_and_go_on(2, f"0:{moment}", 2, whole, *CHANGING, **LATE)


@pytest.mark.long
def test_whenever_rank_0_dies_a_committed_line_is_written():
    whole, _ = result(2, "changing", *CHANGING)
    for moment in ("asked", "reported", "known"):
        kill_and_go_on(2, f"0:{moment}", 2, whole, *CHANGING, **LATE)


def test_the_program_goes_on_while_its_state_is_written():
    """It asks for a line in every tenth of 100 steps. The two files of a line take rank 0 at least 22 steps: it can have every third line only."""
    for how, lines in (("beside", 4), ("waiting", 10)):
        done = elc_runs.mpirun(2, PROGRAMS / "changing", 100, 80000, ELC_DIR=str(new_folder()), ELC_WRITE=how, ELC_TEST_LATE="11,1", ELC_REPORT="1")
        assert done.returncode == 0, done.stderr
        ranks = counted(done)
        assert [rank["committed"] for rank in ranks.values()] == [lines, lines], (how, ranks)
        assert how == "beside" or all(rank["stopped_s"] >= rank["write_s"] > 0 for rank in ranks.values()), ranks


def test_words_that_are_no_way_of_writing_are_refused():
    for name, value, words in (("ELC_WRITE", "later", "this must be beside or waiting"), ("ELC_TEST_LATE", "1,x", "this must be numbers of safe points"),
                               ("ELC_KEEP_INTERVALS", "0", "this must be the number of lines"), ("ELC_KEEP_INTERVALS", "2x", "this must be the number")):
        done = elc_runs.mpirun(1, PROGRAMS / "changing", *CHANGING, ELC_DIR=str(new_folder()), **{name: value})
        assert done.returncode != 0 and f"elc: rank 0: {name}={value}: {words}" in done.stderr, done.stderr


@pytest.mark.long
def test_the_end_of_a_program_waits_for_its_last_line():
    """The line is begun shortly before MPI_Finalize(), and its files take longer than the rest of the program."""
    folder = new_folder()
    whole, _ = result(2, "changing", 8, 80000)
    assert result(2, "changing", 8, 80000, ELC_DIR=str(folder), ELC_KEEP="1", ELC_TEST_LATE="1,1000") == (whole, 0)
    assert committed(folder, 2) == 1
    assert result(2, "changing", 8, 80000, ELC_DIR=str(folder)) == (whole, 1)


@pytest.mark.long
def test_a_file_that_cannot_be_written_ends_the_job():
    """No room, as a limit on the sizes of files says it; the lines before serve."""
    whole, _ = result(2, "changing", *CHANGING)
    for how in ("beside", "waiting"):
        folder = new_folder()
        assert elc_runs.killed(2, PROGRAMS / "changing", *CHANGING, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:2", ELC_WRITE=how)
        newest = committed(folder, 2)
        done = elc_runs.mpirun(2, PROGRAMS / "changing", *CHANGING, "--full", ELC_DIR=str(folder), ELC_WRITE=how)
        assert done.returncode != 0 and "elc: rank 1: " in done.stderr, (how, done.stderr)
        assert re.search(r"line-\d+/rank-1\.state: cannot be written: File too large", done.stderr), done.stderr
        assert committed(folder, 2) == newest
        assert result(2, "changing", *CHANGING, ELC_DIR=str(folder), ELC_WRITE=how) == (whole, newest)


@pytest.mark.long
def test_without_memory_for_a_copy_the_program_waits():
    args = (40, 60000000)
    whole, _ = result(2, "changing", *args)
    folder = new_folder()
    done = elc_runs.mpirun(2, PROGRAMS / "changing", *args, "--tight", ELC_DIR=str(folder), ELC_KEEP="1", ELC_REPORT="1")
    assert done.returncode == 0 and f"result {whole} from line 0\n" in done.stdout, (done.stdout, done.stderr)
    for rank in range(2):
        assert done.stderr.count(f"elc: rank {rank}: no memory for a copy of the state: line ") == 1, done.stderr
    assert committed(folder, 2) > 1 and all(rank["stopped_s"] > 0.8 * rank["write_s"] for rank in counted(done).values()), done.stderr


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_of_a_program_that_changes_its_state_at_once():
    for np in (2, 3):
        whole = result(np, "changing", *CHANGING)[0]
        for moment in MOMENTS:
            for more in ({"ELC_WRITE": "waiting"}, {"ELC_WRITE": "beside"}, LATE):
                kill_and_go_on(np, f"{0 if moment in OF_RANK_0 else np - 1}:{moment}", 2, whole, *CHANGING, **more)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_in_a_mixture_that_waits_or_is_late():
    elc_runs.kill_at_every_moment("mixture", 160, 400, ELC_WRITE="waiting")
    elc_runs.kill_at_every_moment("mixture", 160, 400, ELC_TEST_LATE="1,3")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_between_all_functions_that_wait_or_are_late():
    rng = random.Random(3)
    for more in ({"ELC_WRITE": "waiting"}, {"ELC_TEST_LATE": rng.choice(("1,3", "3,1"))}):
        elc_runs.kill_at_every_moment("every", 30, **more)
