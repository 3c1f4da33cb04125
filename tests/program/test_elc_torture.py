"""Kills by the clock of `rollbench run --protocol`, and `rollbench torture --protocol`."""
import json
import re
import shlex
import shutil

import pytest

from rollbench import call, new_folder, refuse_all
from schema import loads

GAUSS = ("gauss_jordan", "--np", 3, "--size", 400)
HEAD = re.compile(r"^ +runs +ok +wrong +hang +abort +refused +restarts$", re.MULTILINE)


def total(text):
    """runs, ok, wrong, hang, abort, refused, restarts."""
    assert HEAD.search(text), text
    return tuple(map(int, re.search(r"^total" + r" +(\d+)" * 7 + "$", text, re.MULTILINE).groups()))


@pytest.mark.timeout(120)
def test_kills_by_the_clock():
    """Each kind of kill has its own job; two ranks die at once."""
    done = call("run", *GAUSS, "--kill-at", "0.02:1", "--kill", "2@50", "--kill-at", "start+0.1:0,start+0.1:2", "--json", "-")
    assert done.returncode == 0, done
    record = loads(done.stdout)
    assert record["plan"] == ["0.020000:1", "2@50", "start+0.100000:0,start+0.100000:2"] and record["unfired"] == [], record
    assert [job["end"] for job in record["jobs"]] == ["killed"] * 3 + ["finished"] and record["compared"]["equal"], record
    assert [job["struck"] for job in record["jobs"]] == [["0.020000:1"], [], ["start+0.100000:0", "start+0.100000:2"], []], record
    assert [job["death"] and job["death"]["phase"] for job in record["jobs"]] == [None, "start", None, None], record


def test_seconds_count_from_the_begin_or_from_the_start():
    """As in runs of the engine: start+S is in MPI_Init, and S is after all processes have begun."""
    folder = new_folder()
    done = call("run", *GAUSS, "--kill-at", "0:1", "--kill-at", "start+0:1", "--keep", "--workdir", folder, "--reference", "none", "--json", "-")
    jobs = loads(done.stdout)["jobs"]
    assert done.returncode == 0 and [job["end"] for job in jobs] == ["killed", "killed", "finished"], done
    kept, = folder.glob("rollbench-run-*")
    assert {path.name for path in kept.glob("report-*-begun")} == {"report-0-begun", "report-2-begun"}, list(kept.iterdir())
    shutil.rmtree(kept)


def test_a_kill_by_the_clock_that_comes_too_late():
    done = call("run", *GAUSS, "--kill-at", "60:1", "--json", "-")
    record = loads(done.stdout)
    assert done.returncode == 0 and record["unfired"] == ["60.000000:1"] and record["restarts"] == 0, record
    assert "--kill-at 60.000000:1: no job came" in done.stderr, done.stderr


def test_what_is_refused():
    refuse_all(
        ("run", *GAUSS, "--kill-at", "1", ("--kill-at 1", "SECONDS:RANK")),
        ("run", *GAUSS, "--kill-at", "1:spare0", ("SECONDS:RANK",)),
        ("run", *GAUSS, "--kill-at", "begin+1:0", ("SECONDS:RANK",)),
        ("run", *GAUSS, "--kill-at", "start+0.1:0,0.2:1", ("all of them with start+", "or none")),
        ("run", *GAUSS, "--kill-at", "1:0,", ("SECONDS:RANK",)),
        ("run", *GAUSS, "--kill-at", "1:0,2:3", ("no such rank", "--np 3")),
        ("run", *GAUSS, "--protocol", "off", "--kill-at", "1:0", ("--protocol events",)),
        ("torture", "--protocol", "event", ("--protocol event", "events, tagging", "markers")),
        ("torture", "--protocol", "events,", ("--protocol events,",)),
        ("torture", "gauss", "--protocol", "events", ("gauss", "gauss_jordan")),
        ("torture", "lulesh", "--protocol", "events", "--np", 3, ("lulesh", "--np 3")),
        ("torture", "--protocol", "events", "--kernel", "cg", ("--kernel",)),
        ("torture", "--protocol", "events", "--replace", "spawn", ("--replace",)),
        ("torture", "cg", ("cg", "--protocol")),
        ("torture", "--np", 3, ("--np", "--protocol")),
    )


def commands(*args):
    done = call("torture", "--protocol", *args, "--dry-run")
    assert done.returncode == 0, done
    return done.stdout.splitlines()


@pytest.mark.long
@pytest.mark.timeout(200)
def test_runs_of_a_seed_are_the_same_and_each_kind_is_among_them():
    drawn = commands("all", "--runs", 150, "--seed", 5)
    assert drawn[40:50] == commands("all", "--runs", 10, "--first", 40, "--seed", 5) and drawn[:5] != commands("all", "--runs", 5, "--seed", 6)
    text = "\n".join(drawn)
    for word in ("gauss_jordan", "matmul", "neurons", "disks", "cg", "jacobi", "lulesh", "bfs", "amr", "triad", "--protocol events", "--protocol tagging",
                 "--protocol markers", "--log-form list", "--line-interval", "--every", "--lines 3", "--np 2", "--np 3", "--np 4", "--apart 1", "--deal 1",
                 "--columns 1", ":cut", ":committed", ":requested", ":known"):
        assert f"{word} " in text + " ", word
    kills = [line.count("--kill ") + line.count("--kill-at ") for line in drawn]
    assert set(kills) == {0, 1, 2, 3}, kills
    both = [re.findall(r"--kill-at \S+:(\d),\S+:(\d)", line) for line in drawn]
    assert any(both) and all(a != b for pairs in both for a, b in pairs), "two ranks, and not one twice"
    assert {word for line in drawn for word in re.findall(r"--kill (\d)@", line)} >= {"0", "1", "2", "3"}
    planned, clock = ("\n".join(commands("events", "--runs", 8, "--kills", how)) for how in ("planned", "clock"))
    assert "--kill-at" not in planned and "--kill " in planned and "--kill " not in clock and "--kill-at" in clock
    only = commands("tagging,markers", "--np", 2, "--runs", 8)
    assert all("--np 2 " in line and "--protocol events" not in line for line in only)


@pytest.mark.long
@pytest.mark.timeout(200)
def test_torture_and_its_resume():
    """Ten runs in two parts; the table of both has all of them."""
    results = new_folder() / "results"
    args = ("torture", "gauss_jordan,cg", "--protocol", "all", "--seed", 7, "--results", results)
    first = call(*args, "--runs", 4, timeout=150)
    assert first.returncode == 0 and total(first.stdout)[:5] == (4, 4, 0, 0, 0), first
    kept = (results / "runs.jsonl").read_bytes()
    done = call(*args, "--runs", 7, timeout=150)
    assert done.returncode == 0 and "4 of these runs were already done" in done.stdout and (results / "runs.jsonl").read_bytes().startswith(kept)
    runs = [line for line in map(json.loads, (results / "runs.jsonl").read_text().splitlines()) if "run" in line]
    assert total(done.stdout) == (7, 7, 0, 0, 0, 0, sum(line.get("restarts", 0) for line in runs)), (done.stdout, runs)
    assert total(done.stdout)[6] > 4, "most kills fire"


@pytest.mark.timeout(120)
def test_a_wrong_run_is_kept_with_its_command():
    """The reference of a run is given another hash: the run is wrong, and has a folder, a record and a command that repeats it."""
    results = new_folder() / "results"
    asked = ("torture", "gauss_jordan", "--protocol", "events", "--np", 2, "--seed", 7, "--runs", 1, "--results", results)
    assert call(*asked).returncode == 0
    terms, reference, _ = (results / "runs.jsonl").read_text().splitlines()
    (results / "runs.jsonl").write_text(terms + "\n" + json.dumps({**json.loads(reference), "state_hash": 16 * "0"}) + "\n")
    done = call(*asked)
    assert done.returncode == 1 and total(done.stdout)[:3] == (1, 0, 1) and "differs from the failure-free run's" in done.stdout, done
    bad, folder = json.loads((results / "runs.jsonl").read_text().splitlines()[2]), results / "bad" / "run-0"
    assert bad["status"] == "wrong" and not bad["expected"] and str(folder) in done.stdout, bad
    assert json.loads((folder / "record.json").read_text())["status"] == "wrong" and (folder / "mpirun.log").exists()
    words = shlex.split((folder / "command").read_text())
    assert words[1:3] == ["run", "gauss_jordan"] and " ".join(words) == bad["command"] and bad["command"] in done.stdout, words
    assert call(*words[1:]).returncode == 0, "without the changed reference it is right"


@pytest.mark.long
@pytest.mark.timeout(600)
def test_more_torture():
    runs, ok, wrong, hang, abort, refused, restarts = total(call("torture", "--protocol", "all", "--runs", 60, "--seed", 12, timeout=590).stdout)
    print(f"note: {restarts} restarts in {runs} runs, {refused} refused")
    assert (wrong, hang, abort) == (0, 0, 0) and ok + refused == runs == 60
    assert restarts > 30  # of 52 planned kills and 59 by the clock; on a quiet machine most of these come after the program's end
