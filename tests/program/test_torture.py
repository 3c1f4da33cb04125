"""Random runs: the same for the same seed, killed from outside, resumed, with load; single kills at given
times."""
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading

import pytest

from rollbench import (COMMAND, call, descendants_named, new_folder, reference, refuse,
                       refuse_all, run, wait_until)

SLOT = 88  # bytes of a slot of the roster (inject/roster.h); the first four are the pid
JACOBI = ("jacobi", "--grid", 96, "--steps", 2000, "--np", 3, "--interval", 50)
LOADS = ("cpu", "nice", "memory", "disk")


def torture(runs, seed, *more, first=0):
    done = call("torture", "--runs", runs, "--seed", seed, "--first", first, *more, timeout=590)
    assert done.returncode == 0, done.stdout
    return done.stdout


BROKEN = 1  # runs that may be escalated although nobody died at the start: docs/ulfm-notes.md, "The queue of shared memory"


def as_expected(runs, text, spares_too=True, starts=0):
    """Ok, or out of spares where that may happen; the command knows which may. starts: runs with a death at the start, which
    may be escalated."""
    total, ok, *bad, spares, escalated = map(int, re.search(r"^total" + r" +(\d+)" * 7 + "$", text, re.MULTILINE).groups())
    assert total == runs and ok + spares + escalated == runs and not any(bad), text
    assert (spares == 0 or spares_too) and escalated <= starts + BROKEN, text


def all_ok(runs, text):
    as_expected(runs, text, spares_too=False)


def by_the_clock(runs, seed, first=0):
    asked = ("--kills", "clock")
    starts = torture(runs, seed, *asked, "--dry-run", first=first).count("--kill-at start+")
    as_expected(runs, torture(runs, seed, *asked, first=first), starts=starts)


@pytest.mark.alone
@pytest.mark.timeout(300)
def test_torture():
    all_ok(6, torture(6, 20, "--kills", "planned"))


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(300)
def test_torture_by_the_clock():
    by_the_clock(10, 20)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
def test_more_torture():
    all_ok(90, torture(90, 20, "--kills", "planned", first=10))


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
def test_more_torture_by_the_clock():
    by_the_clock(100, 20, first=10)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
def test_torture_beside_load():
    text = torture(20, 21, "--load", "nice:2,memory,disk")
    as_expected(20, text)
    assert "load beside the runs: nice:2,memory,disk" in text, text


def test_torture_is_the_same_for_the_same_seed():
    first = call("torture", "--runs", 50, "--seed", 3, "--dry-run").stdout
    assert first == call("torture", "--runs", 50, "--seed", 3, "--dry-run").stdout
    assert first != call("torture", "--runs", 50, "--seed", 4, "--dry-run").stdout
    tail = call("torture", "--runs", 10, "--first", 40, "--seed", 3, "--dry-run").stdout
    assert first.endswith(tail) and len(tail.splitlines()) == 10
    each = {kills: call("torture", "--runs", 50, "--seed", 3, "--kills", kills, "--dry-run").stdout.splitlines()
            for kills in ("planned", "clock")}
    for number, line in enumerate(first.splitlines()):
        assert line == each["clock" if "--kill-at" in line else "planned"][number], line


def test_bad_options_are_refused():
    folder = new_folder()
    (folder / "file").write_text("")
    cg = ("run", "cg", "--class", "S", "--np", 4)
    refuse_all(("torture", "--runs", "many", ("--runs many",)), ("torture", "--kernel", "cat", ("--kernel cat",)),
               ("torture", "stray", ("stray",)), ("torture", "--kills", "some", ("--kills some", "planned, clock or both")),
               ("torture", "--load", "cpu,noise", ("--load cpu,noise", "cpu:2,disk")),
               ("torture", "--load", "cpu:0", ("--load cpu:0",)),
               ("torture", "--runs", 1, "--results", folder / "file", (folder / "file",)),
               ("torture", "--runs", 1, "--keep", folder / "file", (folder / "file",)),
               ("torture", "--runs", 1, "--load", "disk", "--workdir", folder / "none", ("--load disk",)),
               (*cg, "--kill-at", "3", ("--kill-at 3", "SECONDS:WHO")), (*cg, "--kill-at", "1:4", ("--np 4", "no such role")),
               (*cg, "--kill-at", "1:spare1", ("--spares 1", "no such spare")),
               (*cg, "--kill-at", "1:node0", ("--kill-at 1:node0", "--kill")),
               (*cg, "--policy", "off", "--kill-at", "1:0", ("--policy off",)),
               ("sweep", "x.yaml", "--kill-at", "1:0", ("--kill-at",)))
    refuse(*cg, "--kill-at", "1:0", words=("--kill-at", "ROLLBENCH_MPIRUN_ARGS"),
           env={**os.environ, "ROLLBENCH_MPIRUN_ARGS": "--host localhost:9"})


def test_a_role_killed_from_outside():
    record = run(*JACOBI, "--policy", "all", "--kill-at", "0.05:1")
    (kill,), (failure,) = record["killed_from_outside"], record["failures"]
    assert kill["kill"] == "0.050000:1" and kill["role"] == 1 and kill["spare"] is None and kill["pid"] > 1, kill
    assert failure["role"] == 1 and failure["phase"] == "unplanned" and failure["kill"] is None, failure
    assert record["spares"] == 1 and record["state_hash"] == reference(*JACOBI), record
    assert "killed_from_outside" not in run(*JACOBI, "--policy", "all", "--spares", 1, "--kill", "1@40")


def test_a_process_killed_while_it_starts():
    """After a death in MPI_Init, only a new job helps."""
    record = run(*JACOBI, "--spares", 1, "--kill-at", "start+0:2", "--no-escalation", "--deadline", 5, expect="hang")
    assert record["killed_from_outside"][0]["pid"], record
    record = run(*JACOBI, "--strategy", "restart", "--kill-at", "start+0:2", "--kill-at", "0.05:1")
    assert record["killed_from_outside"][0]["pid"] and record["restarts"] >= 1, record
    assert record["state_hash"] == reference(*JACOBI)


@pytest.mark.long
def test_a_job_that_lost_a_process_at_its_start_is_started_again():
    done = call("run", *JACOBI, "--spares", 1, "--kill-at", "start+0:spare0", "--json", "-")
    record = json.loads(done.stdout)
    assert record["status"] == "ok" and record["escalations"] == 1 and record["state_hash"] == reference(*JACOBI)
    assert record["escalated"][0]["why"] == "start", record["escalated"]
    kill, = record["killed_from_outside"]
    assert kill["pid"] and kill["role"] is kill["spare"] is None and record["failures"] == [], record


def test_spares_and_jobs_killed_from_outside():
    record = run(*JACOBI, "--policy", "none", "--spares", 2, "--kill-at", "0.04:spare1", "--kill-at", "0.06:2",
                 "--kill-at", "1000:0")
    spare, role, late = record["killed_from_outside"]
    assert spare["spare"] == 1 and spare["role"] is None and spare["phase"] is None, spare
    assert role["role"] == 2 and role["pid"] != spare["pid"], role
    # The seconds of --kill-at begin with the first role's loop; on a busy machine this role has not begun its own by then.
    assert role["loop_s"] is None or role["loop_s"] < 10, role
    assert all(late[key] is None for key in late if key != "kill"), late
    assert [f["role"] for f in record["failures"]] == [2] and record["state_hash"] == reference(*JACOBI), record
    record = run(*JACOBI, "--strategy", "restart", "--kill-at", "0.05:1")
    assert record["restarts"] == 1 and record["state_hash"] == reference(*JACOBI), record
    assert [(f["role"], f["phase"]) for f in record["failures"]] == [(1, "unplanned")], record["failures"]


def test_all_spares_may_be_gone():
    record = run(*JACOBI, "--policy", "all", "--spares", 0, "--kill-at", "0.05:1", expect="out-of-spares")
    assert record["killed_from_outside"][0]["role"] == 1, record


def put_into_roster(work, slot, pid):
    """Put another process into that slot of the roster of the run below work, once the slot is used."""
    path = pathlib.Path(wait_until(lambda: glob.glob(f"{work}/*/roster.*"))[0])
    with open(path, "r+b") as roster:
        wait_until(lambda: os.pread(roster.fileno(), 4, slot * SLOT) not in (b"", bytes(4)), nap=0.0005)
        os.pwrite(roster.fileno(), struct.pack("i", pid), slot * SLOT)


def test_nobody_else_is_killed_from_outside():
    """The roster is changed to name another process, with the command line of a worker of the run."""
    work, folder = new_folder(), new_folder()
    (folder / "worker").write_text("import time\ntime.sleep(100)\n")
    decoys = []

    def betray():
        path = wait_until(lambda: glob.glob(f"{work}/rollbench-run-*"))[0]
        decoys.append(subprocess.Popen(["rollbench", "worker", path, "0"], executable=sys.executable, cwd=folder))
        put_into_roster(work, 3, decoys[0].pid)

    traitor = threading.Thread(target=betray)
    traitor.start()
    try:
        record = run("jacobi", "--grid", 96, "--steps", 6000, "--np", 3, "--spares", 2, "--policy", "all", "--workdir",
                     work, "--kill-at", "0.3:spare0", "--kill-at", "0.35:0")
        traitor.join()
        assert decoys[0].poll() is None, "a process was killed that is not of the job"
        other, role = record["killed_from_outside"]
        assert other["pid"] is None and role["role"] == 0, record["killed_from_outside"]
    finally:
        for decoy in decoys:
            decoy.kill()
            decoy.wait()


def started(*args):
    """Start a torture in the background."""
    return subprocess.Popen([*COMMAND, "torture", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def lines(results):
    """{run: line} of a journal, whose lines must be whole, and the numbers of its references."""
    path = results / "runs.jsonl"
    text = path.read_text() if path.exists() else ""
    parsed = [json.loads(line) for line in text.split("\n")[1:-1]]
    runs = [line["run"] for line in parsed if "run" in line]
    answers = [line["reference"] for line in parsed if "reference" in line]
    assert len(set(runs)) == len(runs) and len(set(answers)) == len(answers), (runs, answers)
    return {line["run"]: line for line in parsed if "run" in line}


def nothing_left(work):
    wait_until(lambda: not descendants_named(work))
    wait_until(lambda: not os.listdir(work))


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_torture_goes_on_where_it_was_killed():
    work, results, runs = new_folder(), new_folder() / "torture", 9
    args = ("--runs", runs, "--seed", 20, "--kernel", "jacobi", "--results", results, "--workdir", work)
    for enough in (1, 2):
        process = started(*args)
        wait_until(lambda: len(lines(results)) >= enough and os.listdir(work))  # in the middle of the next run
        process.kill()
        process.communicate()
        nothing_left(work)
    kept = (results / "runs.jsonl").read_bytes()
    with open(results / "runs.jsonl", "ab") as journal:
        journal.write(b'{"run":3,"stat')
    done = call("torture", *args)
    made = lines(results)
    assert done.returncode == 0, done
    were = kept.count(b'"run"')
    assert re.search(rf"^{were} of these runs were already done", done.stdout, re.MULTILINE), done.stdout
    assert (results / "runs.jsonl").read_bytes().startswith(kept), "a line was changed"
    as_expected(len(made), done.stdout)
    before = (results / "runs.jsonl").read_bytes()
    done = call("torture", *args, timeout=20)
    assert done.returncode == 0 and f"{len(made)} of these runs were already done" in done.stdout, done
    assert (results / "runs.jsonl").read_bytes() == before, "what was finished was made again"
    assert sorted(os.listdir(results)) == ["bad", "runs.jsonl"]
    others(args, results)


def others(args, results):
    """Other runs, and lines not written by a torture, are refused."""
    before = (results / "runs.jsonl").read_bytes()
    refuse("torture", *args, "--seed", 21, words=("seed 20", "21", "--results"))
    refuse("torture", *args, "--kills", "clock", words=('kills "both"', "clock"))
    refuse("torture", *args, "--load", "cpu", words=('load "none"', "cpu"))
    assert (results / "runs.jsonl").read_bytes() == before
    with open(results / "runs.jsonl", "ab") as journal:
        journal.write(b"rubbish\n")
    last = before.count(b"\n") + 1
    refuse("torture", *args, words=(f"runs.jsonl:{last}", "not a line"))


@pytest.mark.long
def test_a_bad_run_is_kept_with_its_command():
    """The state of the failure-free run is changed afterwards."""
    work, results = new_folder(), new_folder()
    args = ("--runs", 1, "--seed", 20, "--kills", "planned", "--results", results, "--workdir", work)
    torture(1, 20, *args[4:])
    path = results / "runs.jsonl"
    terms, answer, _ = path.read_text().splitlines()
    path.write_text(f"{terms}\n{json.dumps({**json.loads(answer), 'state_hash': '0' * 32})}\n")
    for again in (False, True):
        done = call("torture", *args)
        command = call("torture", *args, "--dry-run").stdout
        assert done.returncode == 1 and re.search(r"^total +1 +0 +1 +0 +0 +0 +0$", done.stdout, re.MULTILINE), done
        assert f"wrong: run 0: the final state differs from the failure-free run's\n  {command}" in done.stdout, done
        assert again == ("1 of these runs were already done" in done.stdout), done
    folder = results / "bad" / "run-0"
    assert (folder / "command").read_text() == command
    assert json.loads((folder / "record.json").read_text())["status"] == "wrong"
    assert lines(results)[0] | {"wall_s": 0} == {
        "run": 0, "status": "wrong", "expected": False, "escalated": False, "wall_s": 0, "folder": str(folder),
        "message": "the final state differs from the failure-free run's", "command": command.strip()}
    assert not os.listdir(work), os.listdir(work)
    shutil.rmtree(folder)


def hogs(parent):
    """{pid} of the processes of a torture's load: they have its command line."""
    found = set()
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = pathlib.Path(stat).read_text()
        except OSError:
            continue
        if "(rollbench-load)" in text and int(text.rpartition(")")[2].split()[1]) == parent:
            found.add(int(stat.split("/")[2]))
    return found


def alive(pids):
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


@pytest.mark.long
@pytest.mark.timeout(120)
def test_load_ends_with_the_torture():
    work, results = new_folder(), new_folder()
    args = ("--runs", 50, "--kernel", "jacobi", "--load", ",".join(LOADS), "--workdir", work, "--results", results)
    for sig, status in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
        process = started(*args)
        before = len(lines(results))
        wait_until(lambda: len(lines(results)) > before)
        load = hogs(process.pid)
        process.send_signal(sig)
        _, said = process.communicate(timeout=60)
        assert process.returncode == status and len(load) == len(LOADS), (process.returncode, load, said)
        assert sig == signal.SIGKILL or "Go on with the same command" in said, said
        wait_until(lambda: not alive(load))
        nothing_left(work)
    assert len(lines(results)) >= 2


def test_load_that_ends_is_noticed():
    work = new_folder()
    process = started("--runs", 50, "--kernel", "jacobi", "--load", "nice", "--workdir", work)
    (hog,) = wait_until(lambda: hogs(process.pid))
    os.kill(hog, signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2 and "--load nice: its process has ended" in said, said
    nothing_left(work)
