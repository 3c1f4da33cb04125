"""libelc with message tagging and with markers (ELC_PROTOCOL): the same kills as with event logging, and what only one of them cannot do."""
import itertools
import os
import random
import subprocess

import pytest

import elc_runs
from elc_runs import MOMENTS, OF_RANK_0, PAPERS, PROGRAMS, kill_everybody_everywhere
from rollbench import new_folder

PROTOCOLS = ("events", "tagging", "tagging-copy", "markers")
UNORDERED = "have not come in the order in which they were sent"


def test_a_killed_program_goes_on_with_tagging():
    whole, _ = elc_runs.result(3, "mixture", 160, 400)
    elc_runs.play(random.Random(2), "mixture", (160, 400), whole, 3, ("asked", "known"), ELC_PROTOCOL="tagging")


def test_a_line_is_of_one_protocol():
    """Other words are refused with those that exist, and so are lines of another protocol; these stay for their own one."""
    done = elc_runs.mpirun(1, PROGRAMS / "refused", "nothing", ELC_DIR=str(new_folder()), ELC_PROTOCOL="marker")
    assert done.returncode != 0 and "ELC_PROTOCOL=marker: this must be events, tagging, tagging-copy or markers" in done.stderr, done.stderr
    folder = new_folder()
    whole, _ = elc_runs.result(2, "every", 300)
    assert elc_runs.killed(2, PROGRAMS / "every", 300, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:2", ELC_PROTOCOL="tagging")
    before = sorted(folder.rglob("*"))
    for other in ("events", "markers"):
        done = elc_runs.mpirun(2, PROGRAMS / "every", 300, ELC_DIR=str(folder), ELC_PROTOCOL=other)
        assert done.returncode != 0 and "ELC_PROTOCOL=tagging, and this one has ELC_PROTOCOL=" + other in done.stderr, done.stderr
        assert sorted(folder.rglob("*")) == before
    assert elc_runs.result(2, "every", 300, ELC_DIR=str(folder), ELC_PROTOCOL="tagging") == (whole, 2)


@pytest.mark.long
def test_lines_with_copies_and_without_are_the_same():
    """Whether messages are copied is not seen in a line; but all processes of a job do the same."""
    whole, _ = elc_runs.result(2, "every", 30)
    for first, second in (("tagging", "tagging-copy"), ("tagging-copy", "tagging")):
        folder = new_folder()
        assert elc_runs.killed(2, PROGRAMS / "every", 30, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:2", ELC_PROTOCOL=first)
        assert elc_runs.result(2, "every", 30, ELC_DIR=str(folder), ELC_PROTOCOL=second) == (whole, 2)


def test_processes_must_have_one_protocol():
    script = f'case $OMPI_COMM_WORLD_RANK in 0) ELC_PROTOCOL=events;; *) ELC_PROTOCOL=tagging;; esac; export ELC_PROTOCOL; exec {PROGRAMS}/overtake'
    done = subprocess.run(elc_runs.command(2, "sh", "-c", script), env={**os.environ, "ELC_DIR": str(new_folder())}, capture_output=True, text=True)
    assert done.returncode not in (0, 124) and "ELC_PROTOCOL=tagging here, and events at rank 0" in done.stderr, done.stderr


@pytest.mark.long
def test_programs_do_not_see_the_stamps():
    """Lengths by probes and statuses, datatypes of all kinds, buffers: as without the library."""
    whole, _ = elc_runs.result(2, "lengths")
    for protocol in PROTOCOLS[:3]:
        assert elc_runs.result(2, "lengths", ELC_DIR=str(new_folder()), ELC_PROTOCOL=protocol)[0] == whole
        elc_runs.play(random.Random(5), "lengths", (), whole, 2, ("known", "requested"), ELC_PROTOCOL=protocol)


@pytest.mark.long
def test_fig_3_with_tagging_and_with_markers():
    """M2 overtakes M1 and the checkpoint: with tagging, the line is right; with markers, it would lose M1, so the job ends and says so."""
    whole = elc_runs.mpirun(2, PROGRAMS / "overtake", ELC_DIR=str(new_folder())).stdout
    for protocol in PROTOCOLS[:3]:
        folder = new_folder()
        assert elc_runs.killed(2, PROGRAMS / "overtake", ELC_DIR=str(folder), ELC_TEST_KILL="0:known:1", ELC_PROTOCOL=protocol)
        done = elc_runs.mpirun(2, PROGRAMS / "overtake", ELC_DIR=str(folder), ELC_PROTOCOL=protocol)
        assert done.returncode == 0 and done.stdout == whole.replace("line 0", "line 1"), (protocol, done.stdout, done.stderr)
    for program, args, np in (("overtake", (), 2), ("mixture", (60, 500), 2)):
        folder = new_folder()
        done = elc_runs.mpirun(np, PROGRAMS / program, *args, ELC_DIR=str(folder), ELC_PROTOCOL="markers")
        assert done.returncode != 0 and UNORDERED in done.stderr, (program, done.stdout, done.stderr)
        assert not list(folder.glob("*.commit")), "a line that is wrong must not be committed"


@pytest.mark.long
def test_a_sender_must_repeat_itself_with_tagging_too():
    for how in ("--differ", "--silent"):
        folder = new_folder()
        assert elc_runs.killed(2, PROGRAMS / "overtake", how, ELC_DIR=str(folder), ELC_TEST_KILL="0:known:1", ELC_PROTOCOL="tagging")
        done = elc_runs.mpirun(2, PROGRAMS / "overtake", how, ELC_DIR=str(folder), ELC_PROTOCOL="tagging")
        assert done.returncode != 0 and "does not repeat its messages" in done.stderr and "tag 2" in done.stderr, done.stderr


@pytest.mark.long
@pytest.mark.timeout(300)
def test_tagging_kills_in_a_mixture():
    elc_runs.kill_at_every_moment("mixture", 160, 400, ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_tagging_with_a_copy_kills_in_a_mixture():
    elc_runs.kill_at_every_moment("mixture", 160, 400, ELC_PROTOCOL="tagging-copy")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_tagging_with_a_copy_kills_between_all_functions():
    elc_runs.kill_at_every_moment("every", 30, ELC_PROTOCOL="tagging-copy")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tagging_with_a_copy_kills_in_matmul():
    kill_everybody_everywhere("matmul", ELC_PROTOCOL="tagging-copy")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tagging_with_a_copy_kills_in_disks():
    kill_everybody_everywhere("disks", ELC_PROTOCOL="tagging-copy")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_tagging_kills_between_all_functions():
    elc_runs.kill_at_every_moment("every", 30, ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_tagging_kills_between_all_collective_functions():
    elc_runs.kill_at_every_moment("together", 28, ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_markers_kills_between_all_collective_functions():
    """There are no messages that could come in a wrong order."""
    elc_runs.kill_at_every_moment("together", 28, ELC_PROTOCOL="markers")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tagging_kills_in_gauss_jordan():
    kill_everybody_everywhere("gauss_jordan", ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tagging_kills_in_matmul():
    kill_everybody_everywhere("matmul", ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tagging_kills_in_neurons():
    kill_everybody_everywhere("neurons", ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tagging_kills_in_disks():
    kill_everybody_everywhere("disks", ELC_PROTOCOL="tagging")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_tagging_kills_between_matched_probes():
    for protocol in ("tagging", "tagging-copy"):
        elc_runs.kill_at_every_moment("matched", 60, ELC_PROTOCOL=protocol)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_markers_kills_between_matched_probes():
    elc_runs.kill_at_every_moment("matched", 60, "--ordered", ELC_PROTOCOL="markers")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_markers_kills_where_messages_keep_their_order():
    """The four programs receive from each process in the order of sending. A life may be told that they did not, once in a while; none may
    be wrong."""
    rng, told, deaths, lives = random.Random(23), 0, 0, 0
    for name, (args, processes) in elc_runs.SMALL.items():
        np = processes[-1]
        whole = elc_runs.reference(name, np)
        for moment, victim in itertools.product(MOMENTS, (0, np - 1)):
            if victim > 0 and moment in OF_RANK_0:
                continue
            lives += 1
            folder = new_folder()
            environment = {"ELC_DIR": str(folder), "ELC_PROTOCOL": "markers"}
            done = elc_runs.mpirun(np, PAPERS / name, *args, **environment, ELC_TEST_LATE="1",
                                   ELC_TEST_KILL=f"{victim}:{moment}:{rng.randrange(1, 5)}")
            if UNORDERED not in done.stderr:
                assert "elc:" not in done.stderr, done.stderr
                deaths += done.returncode != 0
                done = elc_runs.mpirun(np, PAPERS / name, *args, **environment)
            if UNORDERED in done.stderr:
                told += 1
                continue
            assert done.returncode == 0 and f" hash {whole} checks ok " in done.stdout, (name, moment, victim, done.stdout, done.stderr)
    print(f"note: markers: {deaths} deaths in {lives} lives, {told} told that the order was wrong, 0 wrong")
    assert deaths > 0.8 * lives and told < 0.1 * lives, (deaths, lives, told)


@pytest.mark.long
def test_the_report_says_the_protocol():
    for protocol in PROTOCOLS:
        done = elc_runs.mpirun(2, PAPERS / "gauss_jordan", "--lines", "2", ELC_DIR=str(new_folder()), ELC_PROTOCOL=protocol, ELC_REPORT="1")
        assert f"counted protocol {protocol} events" in done.stderr, done.stderr
