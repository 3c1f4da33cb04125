"""Event-logging checkpoints (libelc): plain MPI programs that are killed and started again, and what is refused."""
import json
import os
import subprocess

import pytest

import elc_runs
from elc_runs import PROGRAMS, check_functions, kill_at_every_moment, newest, result
from rollbench import HELPERS, new_folder


def mpirun(np, program, *args, **environment):
    return elc_runs.mpirun(np, PROGRAMS / program, *args, **environment)


def killed(np, program, *args, **environment):
    return elc_runs.killed(np, PROGRAMS / program, *args, **environment)


def test_a_killed_program_goes_on_from_its_line():
    folder = new_folder()
    whole, _ = result(3, "mixture", 60, 500)
    assert killed(3, "mixture", 60, 500, "--kill", 1, 50, ELC_DIR=str(folder))
    assert [p for p in folder.iterdir() if p.suffix == ".commit"], "no line was committed in 50 steps"
    again, line = result(3, "mixture", 60, 500, ELC_DIR=str(folder))
    assert again == whole and line > 0, (again, whole, line)
    assert list(folder.iterdir()) == [], "a program that has ended leaves no lines"


def test_a_message_may_be_in_transit_at_so_many_lines():
    """Its tokens are four to eight steps under way, and there are lines as often as can be. What was refused goes on where more lines are allowed."""
    folder, often = new_folder(), {"ELC_INTERVAL": "1e-9", "ELC_WRITE": "waiting"}
    whole, _ = result(3, "mixture", 60, 500)
    done = mpirun(3, "mixture", 60, 500, ELC_DIR=str(folder), ELC_KEEP_INTERVALS="1", **often)
    assert done.returncode != 0 and "would be in transit at 2 lines, and ELC_KEEP_INTERVALS=1 allows fewer" in done.stderr, done.stderr
    line = newest(folder)
    assert line > 0 and result(3, "mixture", 60, 500, ELC_DIR=str(folder), ELC_KEEP_INTERVALS="20", **often) == (whole, line)


def test_every_function_is_covered_or_refused():
    check_functions(os.environ.get("MPICC", "mpicc"), HELPERS.parent / "libelc.so")


REFUSED = ("MPI_Win_create", "MPI_Comm_spawn", "MPI_Intercomm_create", "MPI_Comm_free", "MPI_Start", "MPI_Neighbor_allgather", "MPI_Ineighbor_alltoall",
           "MPI_Comm_dup", "MPI_Cancel", "MPI_Request_free", "MPI_Init_thread")
RULES = (("set-up", "tag 5"), ("active-set-up", "requests are active"), ("too-early", "before elc_restarted()"), ("twice", "called twice"),
         ("too-late", "elc_protect(2) after"), ("matched-set-up", "1 messages that matched probes have found"), ("matched-free", "MPI_Comm_free: a matched"),
         ("receiving-free", "MPI_Comm_free: a receive"))


@pytest.mark.long
def test_what_is_not_covered_is_refused_by_its_name():
    for what, words in (*((name, name) for name in REFUSED), *RULES):
        done = mpirun(1, "refused", what, ELC_DIR=str(new_folder()))
        assert done.returncode != 0 and "elc: rank 0:" in done.stderr and words in done.stderr, (what, done.returncode, done.stderr)
        assert "done" not in done.stdout, what
    done = mpirun(1, "refused", "active", ELC_DIR=str(new_folder()))
    assert done.returncode == 0 and "3 safe points" in done.stderr, done.stderr
    done = mpirun(1, "refused", "MPI_Comm_dup")
    assert done.returncode == 0 and "done" in done.stdout, "without ELC_DIR, calls pass through"
    done = mpirun(1, "refused", "nothing", ELC_DIR=str(new_folder() / "not here"))
    assert done.returncode != 0 and "cannot be read" in done.stderr, done.stderr


def test_a_refusal_is_reported():
    """For whoever runs jobs from outside: the report says why the library has ended the job, and is JSON whatever the text has in it."""
    folder = new_folder()
    absent = folder / 'no "such" \\ für'
    done = mpirun(1, "refused", "nothing", ELC_DIR=str(absent), ELC_REPORT=f"{folder}/")
    report = json.loads((folder / "0.json").read_text())
    assert done.returncode != 0 and report["killed"] is None and report["safe_points"] == 0, report
    assert report["restored"] is None and report["line"] is None, report
    assert report["refused"].startswith(f"ELC_DIR={absent}: this folder cannot be read") and report["refused"] in done.stderr, (report, done)


@pytest.mark.long
def test_later_message_overtakes():
    """The paper's Fig. 3, with a message in transit and an orphan at one line; and senders that do not repeat themselves."""
    whole = mpirun(2, "overtake", ELC_DIR=str(new_folder())).stdout
    assert whole.endswith("from line 0\n"), whole
    for how, words in (("", ""), ("--differ", "MPI_Send: this program does not repeat its messages"), ("--silent", "were not sent again")):
        folder = new_folder()
        assert killed(2, "overtake", how, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:1")
        done = mpirun(2, "overtake", how, ELC_DIR=str(folder))
        if how == "--differ":
            assert done.returncode != 0 and words in done.stderr and "tag 2" in done.stderr, done.stderr
        elif how == "":
            assert done.returncode == 0 and done.stdout == whole.replace("line 0", "line 1"), (done.stdout, done.stderr)
        else:  # the next message with this envelope comes in its place
            assert done.returncode != 0 and "does not repeat its messages" in done.stderr and "tag 2" in done.stderr, done.stderr


@pytest.mark.long
def test_wildcards_may_receive_too_early_after_a_restart():
    """A hole of the paper that is documented and not closed: the answer to an orphan is in transit. With tags, the program keeps the rule. A barrier
    does not help: who is served it does not wait there."""
    for how, after in (("--tags", "received from 1 and 2\n"), ("", "received from 2 and 1\n"), ("--barrier", "received from 2 and 1\n")):
        folder = new_folder()
        assert killed(3, "early", how, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:1")
        done = mpirun(3, "early", how, ELC_DIR=str(folder))
        assert done.returncode == 0 and done.stdout == after, (how, done.stdout, done.stderr)
        assert mpirun(3, "early", how, ELC_DIR=str(new_folder())).stdout == "received from 1 and 2\n"


def test_results_of_collective_functions_are_served():
    """Rank 0 cuts behind four functions that rank 1 comes to after its cut. A rank that does not repeat itself is told so."""
    whole = sorted(mpirun(2, "ahead", ELC_DIR=str(new_folder())).stdout.splitlines())
    assert whole == ["rank 0: 5 7 30 0 60", "rank 1: 5 7 30 10 60"], whole
    for how, words in (("", None), ("--differ", "MPI_Allreduce: this program does not repeat its collective functions"),
                       ("--other", "MPI_Reduce: this program does not repeat"), ("--root", "now root 1, 4 bytes"),
                       ("--size", "MPI_Bcast: this program does not repeat"), ("--silent", "not called again, the first is MPI_Allreduce")):
        folder = new_folder()
        assert killed(2, "ahead", how, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:1")
        done = mpirun(2, "ahead", how, ELC_DIR=str(folder), ELC_REPORT="1")
        if words:
            assert done.returncode != 0 and words in done.stderr, (how, done.stdout, done.stderr)
        else:
            assert done.returncode == 0 and sorted(done.stdout.splitlines()) == whole and " served 4 " in done.stderr, (done.stdout, done.stderr)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_between_all_collective_functions():
    kill_at_every_moment("together", 28)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_in_a_mixture():
    kill_at_every_moment("mixture", 160, 400)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_between_all_functions():
    kill_at_every_moment("every", 30)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_kills_between_matched_probes():
    kill_at_every_moment("matched", 60)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_random_messages_against_an_observer():
    """elc/core without MPI: what is in transit and what is an orphan in random programs, with and without crashes."""
    done = subprocess.run([HELPERS / "unit_elc_random"], env={**os.environ, "ROLLBENCH_TEST_ELC_CASES": "30000"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("30000 programs") == 2, done.stdout


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.long
def test_damaged_lines_are_refused_and_the_older_one_serves():
    args = (80, 400)
    whole, _ = result(3, "mixture", *args)
    for name in ("rank-1.state", "rank-2.messages", "commit", "gone"):
        folder = new_folder()
        assert killed(3, "mixture", *args, "--kill", 0, 75, ELC_DIR=str(folder))
        line = newest(folder)
        assert line > 1
        if name == "gone":
            (folder / f"line-{line}" / "rank-0.state").unlink()
        else:
            flip(folder / f"line-{line}.commit" if name == "commit" else folder / f"line-{line}" / name)
        done = mpirun(3, "mixture", *args, ELC_DIR=str(folder))
        assert done.returncode == 0 and f"result {whole} from line {line - 1}\n" in done.stdout, (name, line, done.stdout, done.stderr)
        assert f"line {line} is refused: " in done.stderr and f"line-{line}" in done.stderr, done.stderr


@pytest.mark.long
def test_lines_of_others_are_refused():
    """Another number of processes, other state: the job ends, and the lines stay for the program that they belong to."""
    folder = new_folder()
    whole, _ = result(3, "mixture", 80, 400)
    assert killed(3, "mixture", 80, 400, "--kill", 0, 75, ELC_DIR=str(folder))
    before = sorted(folder.rglob("*"))
    for np, program, args, words in ((2, "mixture", (80, 400), "another number of processes"), (3, "mixture", (80, 401), "region 1 of line"),
                                     (3, "every", (30,), "another program")):
        done = mpirun(np, program, *args, ELC_DIR=str(folder))
        assert done.returncode != 0 and words in done.stderr and "none can be used" in done.stderr, (words, done.stderr)
        assert sorted(folder.rglob("*")) == before
    assert result(3, "mixture", 80, 400, ELC_DIR=str(folder))[0] == whole
