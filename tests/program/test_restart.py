"""Job restart and `resume`: the job, the harness or the whole machine dies, and the answer is the same."""
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from problems import CG4, JACOBI, LONG, LULESH, resume
from rollbench import COMMAND, descendants_named, kill_options, new_folder, reference, refuse, refuse_all, run, wait_until


def restart(kernel, *kills):
    record = run(*kernel, "--strategy", "restart", *kill_options(kills))
    assert record["state_hash"] == reference(*kernel), kills
    assert record["unfired"] == [] and record["restarts"] == len(kills), record
    assert all(f["replaced_by"] == "restart" for f in record["failures"]), record["failures"]
    return record


@pytest.mark.timeout(200)
def test_the_job_dies_and_starts_again():
    for kernel in (CG4, JACOBI, LULESH):
        record = restart(kernel, "2@38")
        failure, = record["failures"]
        assert (failure["role"], failure["iteration"]) == (2, 38), failure
        assert failure["checkpoint"] == (25 if kernel is CG4 else 20), failure
        assert 0 < failure["restored_s"] < 30, failure


@pytest.mark.long
@pytest.mark.timeout(200)
def test_deaths_in_every_phase_and_in_the_restart():
    restart(JACOBI, "0@20:start", "0@41:send", "0@62:commit", "0@63:op+2", "0@80:checkpoint")
    record = restart(JACOBI, "0@33", "3@41:send", "3@45")
    assert [f["role"] for f in record["failures"]] == [0, 3, 3], record["failures"]
    restart(CG4, "1@38", "3@38:restore")


def test_restart_takes_no_log_and_no_spares():
    refuse_all(("run", "cg", "--strategy", "restart", "--policy", "all", ("--policy none",)),
               ("run", "cg", "--strategy", "restart", "--spares", 1, ("spares",)),
               ("run", "cg", "--strategy", "rewind", ("--strategy rewind",)))


CHECKPOINTS = "*/role.2.iter.*.ckpt"


def killed_run(work, seconds, *args, first="*/spec.json", count=1):
    """SIGKILL the harness, and with it all ranks, that time after `count` files named `first` are there;
    the run's folder."""
    process = subprocess.Popen([*COMMAND, "run", *map(str, (*LONG, *args)), "--workdir", work],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(list(work.glob(first))) >= count or process.poll() is not None)
    time.sleep(seconds)
    assert process.poll() is None, f"it ended before it had {count} of {first}, or was to be killed"
    process.kill()
    process.wait()
    wait_until(lambda: not descendants_named(work))  # the ranks, and their cleaner
    return next(work.iterdir())


def kill_at_random(trials, seed):
    chance = random.Random(seed)
    for trial in range(trials):
        work = new_folder()
        args = ("--policy", "all", "--kill", "1@777") if trial % 2 else ()
        record = resume(killed_run(work, 0.6 * chance.random(), *args))
        assert record["resumed"] and record["state_hash"] == reference(*LONG)
        assert list(work.iterdir()) == []


@pytest.mark.long
@pytest.mark.timeout(300)
def test_the_whole_process_tree_dies_at_random_moments():
    kill_at_random(2, seed=5)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_whole_process_tree_dies_at_more_random_moments():
    kill_at_random(10, seed=6)


def resume_damaged_copy():
    """The record's text on refused checkpoints, and the name of the damaged one."""
    work, elsewhere = new_folder(), new_folder() / "copy"
    run_folder = killed_run(work, 0.1, first=CHECKPOINTS, count=2)
    shutil.copytree(run_folder, elsewhere, ignore=shutil.ignore_patterns("prterun*"))
    shutil.rmtree(run_folder)
    newest = max(elsewhere.glob("role.2.iter.*.ckpt"), key=lambda path: int(path.name.split(".")[3]))
    with open(newest, "r+b") as file:
        file.seek(5000)
        file.write(b"damage")
    record = resume(elsewhere)
    assert record["state_hash"] == reference(*LONG) and not elsewhere.exists()
    return record["refused_checkpoints"], newest.name


@pytest.mark.long
def test_a_copy_resumes_elsewhere_past_a_damaged_checkpoint():
    for _ in range(5):  # the newest checkpoint may not count yet, and then nobody reads it
        refused, name = resume_damaged_copy()
        if refused:
            break
    assert len(refused) == 1 and name in refused[0]["last"], (refused, name)


def test_what_a_killed_run_has_left_is_refused_if_it_cannot_be_resumed():
    """Its checkpoints may be good; no new run may overwrite them."""
    work = new_folder()
    run_folder = killed_run(work, 0.1, first=CHECKPOINTS, count=2)
    for content in (b"BDLR" + b"\1\0\0\0", b"BDLR" + b"\1\0\0\0" + bytes(100000)):
        (run_folder / "role.1.ledger").write_bytes(content)
        refuse("resume", run_folder, words=("role.1.ledger", "another version"))
    shutil.rmtree(run_folder)
    memory = killed_run(work, 0, "--ckpt", "buddy", first="*/role.2.ledger")
    refuse("resume", memory, words=("--ckpt buddy", "in memory"))
    shutil.rmtree(memory)


def test_resume_refuses_what_it_cannot_do():
    refuse_all(("resume", ("run folder",)), ("resume", "/nowhere", ("/nowhere",)))
    work = new_folder()
    process = subprocess.Popen([*COMMAND, "run", *map(str, LONG), "--steps", "40000", "--workdir",
                                work], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running, = wait_until(lambda: [path.parent for path in work.glob("*/role.0.ledger")])
    refuse("resume", running, words=("another rollbench",))
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    assert os.listdir(work) == []
