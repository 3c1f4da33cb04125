"""Job restart and `resume`: the job, the harness or the whole machine dies, and the answer is the same."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

from rollbench import COMMAND, call, deadline, kill_options, main, new_folder, refuse, run
from test_recovery import CG4, JACOBI, LULESH, reference

LONG = ("jacobi", "--grid", 512, "--steps", 9000, "--np", 4, "--interval", 50)


def restart(kernel, *kills):
    record = run(*kernel, "--strategy", "restart", *kill_options(kills))
    assert record["state_hash"] == reference(*kernel), kills
    assert record["unfired"] == [] and record["restarts"] == len(kills), record
    assert all(f["replaced_by"] == "restart" for f in record["failures"]), record["failures"]
    return record


@deadline(200)
def test_the_job_dies_and_starts_again():
    for kernel in (CG4, JACOBI, LULESH):
        record = restart(kernel, "2@38")
        failure, = record["failures"]
        assert (failure["role"], failure["iteration"]) == (2, 38), failure
        assert failure["checkpoint"] == (25 if kernel is CG4 else 20), failure
        assert 0 < failure["restart_s"] < 30, failure


@deadline(200)
def test_deaths_in_every_phase_and_in_the_restart():
    for phase in ("start", "send", "commit", "checkpoint", "op+2"):
        restart(JACOBI, f"0@20:{phase}")
    record = restart(JACOBI, "0@33", "3@41:send", "3@45")
    assert [f["role"] for f in record["failures"]] == [0, 3, 3], record["failures"]
    restart(CG4, "1@38", "3@38:restore")


def test_restart_takes_no_log_and_no_spares():
    refuse("run", "cg", "--strategy", "restart", "--policy", "all", words=("--policy none",))
    refuse("run", "cg", "--strategy", "restart", "--spares", 1, words=("spares",))
    refuse("run", "cg", "--strategy", "rewind", words=("--strategy rewind",))


CHECKPOINTS = "*/role.2.iter.*.ckpt"


def killed_run(work, seconds, *args, first="*/spec.json", count=1):
    """SIGKILL the harness, and with it all ranks, that time after `count` files named `first` are there;
    the run's folder."""
    process = subprocess.Popen([*COMMAND, "run", *map(str, (*LONG, *args)), "--workdir", work],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(list(work.glob(first))) < count:
        assert process.poll() is None, f"ended before it had {count} of {first}"
        time.sleep(0.005)
    time.sleep(seconds)
    process.kill()
    process.wait()
    time.sleep(0.3)  # the ranks die by themselves
    return next(work.iterdir())


def resume(run_folder, *args):
    done = call("resume", run_folder, "--json", "-", *args)
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return json.loads(done.stdout)


@deadline(300)
def test_the_whole_process_tree_dies_at_random_moments():
    right = run(*LONG)["state_hash"]
    chance = random.Random(5)
    for trial in range(6):
        work = new_folder()
        args = ("--policy", "all", "--kill", "1@777") if trial % 2 else ()
        run_folder = killed_run(work, 1.3 * chance.random(), *args)
        record = resume(run_folder)
        assert record["resumed"] and record["state_hash"] == right
        assert list(work.iterdir()) == []


def test_a_copy_resumes_elsewhere():
    work, elsewhere = new_folder(), new_folder() / "copy"
    run_folder = killed_run(work, 0.1, first=CHECKPOINTS)
    shutil.copytree(run_folder, elsewhere, ignore=shutil.ignore_patterns("prterun*"))
    shutil.rmtree(work)
    assert resume(elsewhere)["state_hash"] == run(*LONG)["state_hash"]


def test_a_damaged_newest_generation_is_passed_over():
    work = new_folder()
    run_folder = killed_run(work, 0.1, first=CHECKPOINTS, count=2)
    newest = {}
    for path in run_folder.glob("role.2.iter.*.ckpt"):
        newest[int(path.name.split(".")[3])] = path
    with open(newest[max(newest)], "r+b") as file:
        file.seek(5000)
        file.write(b"damage")
    assert resume(run_folder)["state_hash"] == run(*LONG)["state_hash"]


def test_what_was_in_memory_only_cannot_be_resumed():
    work = new_folder()
    refuse("resume", killed_run(work, 0.7, "--ckpt", "buddy"), words=("--ckpt buddy", "in memory"))
    shutil.rmtree(work)


def test_a_ledger_of_another_version_is_refused():
    """Its checkpoints may be good; nothing is begun anew over them."""
    work = new_folder()
    run_folder = killed_run(work, 0.1, first=CHECKPOINTS, count=2)
    for content in (b"BDLR" + b"\1\0\0\0", b"BDLR" + b"\1\0\0\0" + bytes(100000)):
        (run_folder / "role.1.ledger").write_bytes(content)
        refuse("resume", run_folder, words=("role.1.ledger", "another version"))
    shutil.rmtree(work)


def test_resume_refuses_what_it_cannot_do():
    refuse("resume", words=("run folder",))
    refuse("resume", "/nowhere", words=("/nowhere",))
    work = new_folder()
    process = subprocess.Popen([*COMMAND, "run", *map(str, LONG), "--steps", "40000", "--workdir",
                                work], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.7)
    refuse("resume", next(work.iterdir()), words=("another rollbench",))
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    assert os.listdir(work) == []


if __name__ == "__main__":
    main()
