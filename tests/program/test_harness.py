"""The command itself: bad input, records, sweeps, interrupts. No existing file is lost."""
import contextlib
import errno
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess

import pytest

from rollbench import (COMMAND, ROOT, call, descendants_named, enter_namespace, mpirun_of, new_folder, ranks, reference,
                       refuse, refuse_all, run, side_by_side, wait_until)
from schema import loads

SMALL = ("jacobi", "--grid", 48, "--steps", 40, "--np", 4, "--interval", 10)

SWEEP = """\
name: tiny
deadline: 60
runs:
  - kernel: jacobi
    grid: 48
    steps: 40
    np: 4
    interval: 10
    policy: [none, all]
    kill:
      roles: [2]
      iterations: 3..5
      phases: [send]
"""
RUNS = 2 + 2 * 3


def sweep_file(text=SWEEP):
    path = new_folder() / "sweep.yaml"
    path.write_text(text)
    return path


def sweep(path, results, *args):
    return call("sweep", path, "--results", results, *args)


def records(results):
    return sorted(p for p in results.glob("*.json") if p.name != "sweep.json")


def test_bad_options():
    refuse_all(("run", ("kernel",)),
               ("run", "cg", "--kill", "9@1", "--np", 8, ("9@1", "0..7")),
               ("run", "cg", "--kill", "x", ("--kill x", "WHO@ITER")),
               ("run", "cg", "--kill", "1@1:lunch", ("lunch", "phases")),
               ("run", "cg", "--np", 0, ("--np 0",)),
               ("run", "cg", "--np", "4x", ("--np 4x",)),
               ("run", "cg", "--np", ("--np", "missing")),
               ("run", "cg", "--interval", 0, ("--interval 0",)),
               ("run", "cg", "--spares", -1, ("--spares -1",)),
               ("run", "cg", "--deadline", "soon", ("--deadline soon",)),
               ("run", "cg", "--policy", "some", ("some", "none, all")),
               ("run", "cg", "stray", ("stray",)),
               ("run", "cg", "--frobnicate", 3, ("--frobnicate", "--class")),
               ("frob", ("frob",)),
               ("list", "cats", ("cats",)),
               ("sweep", ("file",)))


def test_help_everywhere():
    def check(*args):
        done = call(*args)
        assert done.returncode == 0 and "usage: rollbench" in done.stdout, (args, done)

    side_by_side(check, (("--help",), ("run", "--help"), ("sweep", "--help"), ("list", "--help"), ("doctor", "--help"),
                         ("run", "cg", "--help")))
    version = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    said = call("--version").stdout.splitlines()
    assert re.fullmatch(rf"rollbench {re.escape(version)} \(.*\)", said[0]), said
    assert [line.split(":")[0] for line in said[1:5]] == ["compiler", "flags", "cpu", "libraries"], said


def test_list_names_everything():
    text = call("list").stdout
    for word in ("cg", "jacobi", "lulesh", "none", "all", "start", "send", "commit", "checkpoint"):
        assert word in text, word


def test_record_keys():
    record = run(*SMALL, "--policy", "all", "--kill", "3@13:commit")
    for key in ("schema", "status", "kernel", "params", "np", "spares", "policy", "interval",
                "verdict", "state_hash", "iterations", "failures", "unfired", "log", "loop_s",
                "wall_s", "host", "roles"):
        assert key in record, key
    for key in ("hostname", "cpu", "cores", "kernel", "mpi", "prrte", "compiler", "flags", "built_for",
                "commit", "binding"):
        assert record["host"][key], key
    assert record["spares"] == 1 and len(record["host"]["binding"]) == 4
    assert record["loop_s"] <= record["wall_s"]
    assert "Open MPI" in record["host"]["mpi"]


def test_json_dash_prints_the_record_alone_and_file_is_the_same():
    path = new_folder() / "out.json"
    done = call("run", *SMALL, "--json", path)
    assert done.returncode == 0 and "status: ok" in done.stdout
    saved = json.loads(path.read_text())
    alone = run(*SMALL)
    assert saved["state_hash"] == alone["state_hash"] and saved.keys() == alone.keys() - {"_stderr"}
    assert os.listdir(path.parent) == ["out.json"]


def test_the_state_is_compared_with_that_of_a_failure_free_run():
    """--reference: with a run that is made for it, or with a hash; of another problem the state is wrong."""
    failed = (*SMALL, "--policy", "all", "--kill", "2@7")
    own = run(*failed, "--reference", "run")
    compared = own["compared"]
    assert compared["reference"] == "a failure-free run" and compared["equal"] and compared["hash"] == own["state_hash"], compared
    assert len(own["failures"]) == 1 and 0 < compared["seconds"] < compared["wall_s"], own
    assert run(*failed, "--reference", own["state_hash"])["compared"] == {
        "reference": "--reference", "hash": own["state_hash"], "equal": True, "seconds": None, "wall_s": None}
    other = own["state_hash"][:-1] + ("0" if own["state_hash"][-1] != "0" else "1")
    wrong = run(*failed, "--reference", other, expect="wrong")
    assert not wrong["compared"]["equal"] and wrong["message"] == "the final state differs from the expected one", wrong
    assert "compared" not in run(*failed, "--reference", "none")
    control = run(*failed, "--control", "replay", "--reference", "run", expect="wrong")
    assert not control["compared"]["equal"], "a replay of other payloads is found"


def test_unwritable_record_is_refused_before_anything_runs():
    done = call("run", *SMALL, "--json", "/proc/nowhere/out.json")
    assert done.returncode == 2 and "/proc/nowhere/out.json" in done.stderr, done
    done = call("run", *SMALL, "--workdir", "/proc/nowhere")
    assert done.returncode == 2 and "--workdir" in done.stderr, done


def test_a_relative_workdir():
    work = new_folder()
    done = call("run", *SMALL, "--policy", "all", "--kill", "1@13", "--workdir", ".", cwd=work)
    assert done.returncode == 0, done.stderr
    assert os.listdir(work) == []


@contextlib.contextmanager
def small_disk(size):
    """A folder on a file system of its own."""
    enter_namespace()
    path = new_folder()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", path], check=True)


def fill(path):
    """Write until nothing more fits."""
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError as full:
            assert full.errno == errno.ENOSPC, full


def test_a_full_disk_loses_no_record():
    with small_disk("64k") as path:
        (path / "out.json").write_text("precious")
        fill(path / "filler")
        done = call("run", *SMALL, "--json", path / "out.json")
        assert done.returncode == 2 and "No space left" in done.stderr, done
        assert (path / "out.json").read_text() == "precious"
        assert sorted(os.listdir(path)) == ["filler", "out.json"]


def test_a_full_disk_under_the_checkpoints_is_an_abort_that_says_so():
    with small_disk("900k") as path:
        record = run("jacobi", "--grid", 256, "--steps", 40, "--np", 4, "--interval", 10,
                     "--workdir", path, expect="abort")
        assert "No space left" in record["message"], record["message"]
        assert os.listdir(path) == []


def start(*args, **kwargs):
    return subprocess.Popen([*COMMAND, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)


def damaged_checkpoint(damage):
    """Damage role 1's checkpoint of iteration 400 before the kill in 590 needs it: all roles go back to that
    of 200."""
    work = new_folder()
    plain = ("jacobi", "--grid", 1024, "--steps", 700, "--np", 2, "--interval", 200)
    process = start("run", *plain, "--policy", "all", "--ckpt-sync", "--kill", "1@590", "--json", "-", "--workdir", work)
    found = wait_until(lambda: list(work.glob("*/role.1.iter.400.ckpt")), nap=0.001)
    damage(found[0])
    out, err = process.communicate(timeout=60)
    record = loads(out)
    assert process.returncode == 0 and record["status"] == "ok", (record["status"], err)
    assert os.listdir(work) == []
    assert record["state_hash"] == reference(*plain)
    assert [f["checkpoint"] for f in record["failures"]] == [400], record["failures"]
    assert record["iterations"]["repeated"] >= 2 * 390, record["iterations"]
    refused, = record["refused_checkpoints"]
    assert refused["role"] == 1 and "role.1.iter.400.ckpt" in refused["last"], refused
    return refused["last"]


def test_a_rank_writes_a_complaint_at_once():
    """Written in pieces, those of two ranks are mixed up in the last words of a job."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # a packet is one write
    with ours, its:
        subprocess.run([f"{COMMAND[0]}_worker", "worker", "/no/such/folder" * 20, "0"], stderr=its.fileno(), check=False)
        its.shutdown(socket.SHUT_WR)
        said = [*iter(lambda: ours.recv(4096), b"")]
    assert len(said) == 1 and said[0].endswith(b"all hosts must see the folder of the run (--workdir)\n"), said


def test_a_flipped_bit_in_a_checkpoint_is_refused():
    def flip(path):
        with open(path, "r+b") as file:
            file.seek(100000)
            byte = file.read(1)[0]
            file.seek(100000)
            file.write(bytes([byte ^ 4]))

    assert "CRC32C" in damaged_checkpoint(flip)


def test_a_truncated_checkpoint_is_refused():
    assert "truncated" in damaged_checkpoint(lambda path: os.truncate(path, 100000))


@pytest.mark.long
def test_an_unplanned_death_is_recovered_too():
    """Kill a rank from outside, as the system's out-of-memory killer would."""
    work = new_folder()
    args = ("jacobi", "--grid", 1024, "--steps", 600, "--np", 3, "--interval", 100, "--policy", "all")
    process = start("run", *args, "--spares", 1, "--json", "-", "--workdir", work)
    wait_until(lambda: list(work.glob("*/role.1.iter.100.ckpt")), nap=0.001)
    os.kill(ranks(work)[1], signal.SIGKILL)
    record = loads(process.communicate(timeout=60)[0])
    assert record["status"] == "ok", record
    assert record["state_hash"] == reference(*args)
    failure, = record["failures"]
    assert failure["role"] == 1 and failure["phase"] == "unplanned" and failure["detect_s"] is None, failure


def test_a_hang_is_a_result_class():
    """A stopped rank never answers and never dies: only the deadline ends that."""
    work = new_folder()
    process = start("run", "jacobi", "--grid", 256, "--steps", 10000000, "--np", 3, "--json", "-", "--deadline", 3,
                    "--workdir", work)
    wait_until(lambda: list(work.glob("*/role.0.iter.*.ckpt")))
    os.kill(ranks(work)[0], signal.SIGSTOP)
    record = loads(process.communicate(timeout=60)[0])
    assert process.returncode == 3 and record["status"] == "hang", record
    assert "roles were in" in record["message"] and record["state_hash"] is None
    assert not descendants_named(work) and os.listdir(work) == []


@pytest.mark.timeout(200)
def test_sweep_runs_resumes_and_repeats_nothing():
    path, results = sweep_file(), new_folder() / "results"
    done = sweep(path, results)
    assert done.returncode == 0, done
    assert len(records(results)) == RUNS
    first = {p: p.stat().st_mtime_ns for p in records(results)}
    for p in records(results):
        record = json.loads(p.read_text())
        assert record["status"] == "ok"
        assert not record["plan"] or record["compared"]["equal"]
    done = sweep(path, results)
    assert done.returncode == 0 and f"{RUNS} of {RUNS} runs were already done" in done.stdout
    assert {p: p.stat().st_mtime_ns for p in records(results)} == first
    victim = records(results)[3]
    victim.write_text(victim.read_text()[:100])  # as a crash without atomic records would
    assert sweep(path, results).returncode == 0
    changed = [p for p in first if p.stat().st_mtime_ns != first[p]]
    assert changed == [victim], changed
    check_a_wrong_state_is_found_and_never_retried(path, results)


def check_a_wrong_state_is_found_and_never_retried(path, results):
    """In the folder of a finished sweep."""
    reference = next(p for p in records(results) if "none-i10-free" in p.name)
    record = json.loads(reference.read_text())
    record["state_hash"] = "0" * 32
    reference.write_text(json.dumps(record))
    (results / "manifest").unlink()  # otherwise it would be a changed file, and be made again
    victim = next(p for p in records(results) if "2@4" in p.name and "-all-" in p.name)
    victim.unlink()
    done = sweep(path, results)
    assert done.returncode == 1 and "differs" in done.stdout, done
    assert json.loads(victim.read_text())["status"] == "wrong"
    stamp = victim.stat().st_mtime_ns
    assert sweep(path, results).returncode == 1
    assert victim.stat().st_mtime_ns == stamp


def interrupt(sig):
    path, results, work = sweep_file(), new_folder() / "results", new_folder()
    process = subprocess.Popen([*COMMAND, "sweep", path, "--results", results, "--workdir", work],
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_until(lambda: len(records(results)) >= 3 and descendants_named(str(work)))  # somewhere inside a run
    process.send_signal(sig)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + sig, (process.returncode, err)
    said = err.split("Resume with the same command:\n", 1)[1]
    assert shlex.split(said) == ["./rollbench", *map(str, process.args[1:])], err
    assert not descendants_named(str(work)), descendants_named(str(work))
    assert os.listdir(work) == []
    for p in results.iterdir():
        assert p.name in (".lock", "sweep.json", "manifest") or json.loads(p.read_text())["status"] == "ok", p
    return path, results


def test_ctrl_c_leaves_nothing_and_resumes():
    path, results = interrupt(signal.SIGINT)
    before = len(records(results))
    done = sweep(path, results)
    assert done.returncode == 0 and f"{before} of {RUNS} runs were already done" in done.stdout


def test_sigterm_leaves_nothing():
    interrupt(signal.SIGTERM)


def test_killing_the_harness_leaves_no_rank():
    """It leaves no shared memory, either. A run leaves what `resume` needs, a sweep nothing."""
    work = new_folder()
    (work / "long.yaml").write_text(SWEEP.replace("steps: 40", "steps: 10000000"))
    for args, left in ((("run", "jacobi", "--steps", 10000000, "--np", 4), 1),
                       (("sweep", work / "long.yaml", "--results", work / "results"), 0)):
        place = new_folder()
        process = start(*args, "--workdir", place)
        memory, = wait_until(lambda: [p.read_text().strip() for p in place.glob("*/shared-memory") if p.read_text()])
        wait_until(lambda: len(ranks(place)) >= 4 and list(place.glob("*/role.3.ledger")))
        assert os.path.isdir(memory)
        process.kill()
        process.communicate()
        wait_until(lambda: not descendants_named(place), seconds=20)
        assert not os.path.exists(memory), memory
        folders = list(place.iterdir())
        assert len(folders) == left and all((folder / "spec.json").exists() for folder in folders), folders
        for folder in folders:
            shutil.rmtree(folder)


def test_two_sweeps_in_one_folder():
    path, results = sweep_file(), new_folder() / "results"
    first = subprocess.Popen([*COMMAND, "sweep", path, "--results", results],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until((results / "sweep.json").exists)
    done = sweep(path, results)
    assert done.returncode == 2 and "in use" in done.stderr, done
    first.send_signal(signal.SIGINT)
    first.wait(20)


def yaml_error(before, after, *words):
    """The file with one thing wrong must be refused, naming the file, the line and the matter."""
    assert before in SWEEP
    path = sweep_file(SWEEP.replace(before, after, 1))
    results = new_folder() / "results"
    done = sweep(path, results)
    assert done.returncode == 2, done
    for word in (path.name, *words):
        assert word in done.stderr, (word, done.stderr)
    assert not results.exists()


def test_an_experiment_file_comes_from_a_pipe():
    """It was read twice: the second time it was empty."""
    lines = "name: x\nprotocol: [source, events]\nlines: 0\nruns:\n  - program: gauss_jordan\n    np: 2\n"
    for text, runs in ((SWEEP, RUNS), (lines, 2)):
        done = subprocess.run([*COMMAND, "sweep", "/dev/stdin", "--dry-run"], input="\ufeff" + text, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and len(re.findall(r"-np[42]-", done.stdout)) == runs, done


def test_bad_yaml():
    side_by_side(yaml_error, (
        ("    np: 4", "    np: four", ".yaml:7:"),
        ("    np: 4", "    np: 0x4", ".yaml:7:", "whole number"),
        ("3..5", "3..+5", ".yaml:12:", "first..last"),
        ("    np: 4", "    np: 4\n    nodes: 2", ".yaml:8:", "nodes"),
        ("name: tiny", "title: tiny", ".yaml:1:", "title"),
        ("name: tiny", "name: ../evil", ".yaml:1:", "a folder can have"),
        ("deadline: 60", "deadline: [60, none]", ".yaml:2:", "run 1", "deadline none"),
        ("    np: 4\n", "", "np"),
        ("runs:", "runs: [", ".yaml:"),
        ("kernel: jacobi", "kernel: lattice", ".yaml:4:", "run 1", "lattice"),
        ("grid: 48", "grod: 48", ".yaml:5:", "run 1", "grod"),
        ("[none, all]", "[none, some]", ".yaml:9:", "run 1", "some"),
        ("roles: [2]", "roles: [0, 7]", ".yaml:11:", "run 1", "role 7"),
        ("3..5", "5..3", ".yaml:12:", "run 1", "5..3"),
        ("3..5", "40", ".yaml:12:", "iterations: 40", "the last one of such a run is 39"),
        ("[send]", "[sand]", ".yaml:13:", "run 1", "sand"),
        ("    np: 4", "    np: 4\n    strategy: maybe", ".yaml:8:", "run 1", "maybe", "restart"),
        ("    np: 4", "    np: 4\n    meters: [off, on]", ".yaml:8:", "run 1", "meters on"),
        ("    np: 4", "    np: 4\n    meters: {of: iterations}", ".yaml:8:", "meters"),
        ("    np: 4", "    np: 4\n    power: [none, nap]", ".yaml:8:", "run 1", "nap", "sleep"),
        ("    np: 4", "    np: 4\n    meters: all", ".yaml:8:", "run 1", "all", "phases"),
        ("deadline: 60", "power_model: absent.yaml", ":2:", "absent.yaml", "No such file"),
        ("    np: 4", "    np: 4\n    ckpt: floppy", ".yaml:8:", "run 1", "floppy", "buddy"),
        ("    np: 4", "    np: 4\n    ckpt: rs:3+2", ".yaml:8:", "run 1", "rs:3+2", "only 4"),
        ("    np: 4", "    np: 4\n    ckpt: " + 99 * "x", ".yaml:8:", "run 1", "too long"),
        ("    np: 4", "    np: 4\n    ckpt_lag: soon", ".yaml:8:", "run 1", "soon", "async, sync"),
        ("    np: 4", "    np: 4\n    ckpt: buddy\n    strategy: [repair, restart]", ".yaml:8:", "run 1", "dies with"),
        ("    np: 4", "    np: 4\n    json: record.json", ".yaml:8:", "json", "unknown key"),
        (SWEEP[SWEEP.index("    kill:"):], "    strategy: [repair, restart]\n", ".yaml:10:", "run 1", "strategy: restart: has no effect"),
    ))
    done = call("sweep", "no-such-file.yaml")
    assert done.returncode == 2 and "no-such-file.yaml" in done.stderr


def names(text):
    """The runs of an experiment file."""
    done = call("sweep", sweep_file(text), "--dry-run", "--json")
    assert done.returncode == 0, done
    return [run["id"] for run in json.loads(done.stdout)["runs"]]


def test_names_of_runs_say_what_differs():
    plain = names(SWEEP)
    assert len(set(plain)) == RUNS and not any("ckpt" in n or "lag" in n for n in plain), plain
    for keys, word in (("ckpt: file,buddy", "-ckpt=file,buddy-"), ("ckpt_lag: sync", "-lag=sync-"),
                       ("ckpt_lag: 3", "-lag=3-"), ("meters: off", "-meters=off-")):
        other = names(SWEEP.replace("    np: 4", f"    np: 4\n    {keys}"))
        assert len(set(other)) == RUNS and all(word in n for n in other), other
        assert not set(other) & set(plain), other
    assert names(SWEEP.replace("grid=48", "grid=048").replace("np: 4", "np: 04").replace("interval: 10", "interval: 010")) == plain, "decimal"
    both = names(SWEEP.replace("    np: 4", "    np: 4\n    power: [none, sleep]"))
    fresh = set(both) - set(plain)  # techniques only where roles are blocked
    assert len(set(both)) == len(both) and set(plain) < set(both) and len(fresh) == 3, both
    assert all("-all-sleep-i10-" in n for n in fresh), fresh
    same = SWEEP.replace("    np: 4", "    np: 4\n    power: [none]\n    meters: phases\n    ckpt: file\n"
                         "    ckpt_lag: async\n"
                         "    strategy: repair")
    assert names(same) == plain


RESTART = (SWEEP.replace("    np: 4", "    np: 4\n    strategy: [repair, restart]\n    ckpt_lag: sync")
           .replace("3..5", "13"))


def test_names_of_restarts():
    text = RESTART.replace("deadline: 60", "deadline: 60\nrepetitions: 3")
    runs = names(text)
    assert len(set(runs)) == len(runs) == 3 * (2 + 2 + 1), runs
    assert [n.partition("-np4-")[2] for n in runs if "restart" in n] == [f"s0-restart-i10-lag=sync-2@13.send-r{r}" for r in range(3)], runs
    assert [re.search(r"-s\d-(\w+)-i10-", n)[1] for n in runs[2:5]] == ["none", "all", "restart"], "the last axis changes fastest"


def test_a_sweep_restarts_jobs_beside_the_policies():
    path, results = sweep_file(RESTART), new_folder() / "results"
    done = sweep(path, results)
    assert done.returncode == 0 and "np=4 restart with a failure" in done.stdout, done
    found = [json.loads(p.read_text()) for p in records(results)]
    assert len(found) == 5 and all(r["ckpt_lag"] == "sync" for r in found)
    restarted, = [r for r in found if r["strategy"] == "restart"]
    assert restarted["policy"] == "none" and restarted["spares"] == 0
    assert restarted["restarts"] == 1 and restarted["compared"]["equal"], restarted
    assert "-none-" in restarted["compared"]["reference"], restarted["compared"]
    assert restarted["failures"][0]["rollback_set"] == [0, 1, 2, 3]


def test_unwritable_results():
    done = sweep(sweep_file(), "/proc/nowhere/results")
    assert done.returncode == 2 and "/proc/nowhere" in done.stderr and "--results" in done.stderr


@pytest.mark.long
def test_shipped_configs_are_valid():
    experiments = {p for folder in ("", "laptop") for p in (ROOT / "configs" / folder).glob("*.yaml")
                   if not p.name.startswith(("power-model", "simulate"))}
    for path in sorted(experiments):
        done = call("sweep", path, "--dry-run")
        assert done.returncode == 0, done
    text = call("sweep", ROOT / "configs" / "exhaustive.yaml", "--dry-run").stdout
    assert text.strip().endswith(f"{2 * 4 * (8 * 25 + 4 * 25 + 6 * 20) + 6} runs"), text[-100:]


def test_doctor_finds_ulfm_by_killing_a_rank():
    done = call("doctor")
    assert done.returncode == 0, done.stdout
    for word in ("ulfm       ok", "topology", "cpu time", "cycles", "instr", "energy", "rapl",
                 "power      ok       sleep", "dvfs: ", "cm: ", "dvfs+cm: ", "memory", "disk"):
        assert word in done.stdout, word


def test_a_workdir_with_too_long_a_name_stays_as_it_is():
    """The name of the run folder is cut off behind the name of the workdir, or of a folder above it."""
    long = new_folder() / "/".join(["x" * 200] * 6)
    for length in (1004, 1022, 1023, 1024):
        work = pathlib.Path(str(long)[:length].rstrip("/"))
        work.mkdir(parents=True, exist_ok=True)
        (work / "precious").touch()
        refuse("run", *SMALL, "--quiet", "--workdir", work, words=("--workdir", "too long"))
        assert (work / "precious").exists(), length


@pytest.mark.long
def test_nohup_is_respected():
    work = new_folder()
    run_it = [*COMMAND, "run", *map(str, SMALL), "--steps", "10000", "--json", "-", "--quiet", "--workdir", work]
    with subprocess.Popen(run_it, stdout=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        wait_until(lambda: descendants_named(str(work)))
        process.send_signal(signal.SIGHUP)
        record = loads(process.communicate(timeout=60)[0])
    assert record["status"] == "ok" and process.returncode == 0


def test_last_words_in_no_known_encoding():
    """Output that is not UTF-8 must not prevent the record."""
    work = new_folder()
    mpirun = work / "mpirun"
    mpirun.write_bytes(b"#!/bin/sh\nprintf 'gr\\374\\337e\\n'\n")
    mpirun.chmod(0o755)
    done = call("run", *SMALL, "--json", "-", "--quiet", "--workdir", work, env={**os.environ, "ROLLBENCH_MPIRUN": str(mpirun)})
    assert done.returncode == 4 and json.loads(done.stdout)["message"].endswith("gr??e"), done
    shutil.rmtree(work)


def test_the_log_of_a_job_that_did_not_start_is_kept():
    """Its folder is removed, and the record has one line of it. One cause stops all jobs of a command: one log is enough."""
    work = new_folder()
    mpirun, runs = work / "mpirun", work / "runs"
    runs.mkdir()
    said = f"{'-' * 74}\nIt cannot be done:\n\n  Why: x\n\nSorry.\n{'-' * 74}\n"
    mpirun.write_text(f"#!/bin/sh\ncat <<'END'\n{said}END\nexit 3\n")
    mpirun.chmod(0o755)
    (work / "tiny.yaml").write_text(SWEEP)
    fake = {**os.environ, "ROLLBENCH_MPIRUN": str(mpirun)}
    for args, status in ((("run", *SMALL, "--json", "-", "--quiet"), 4), (("sweep", work / "tiny.yaml", "--results", work / "results"), 1),
                         (("run", "gauss_jordan", "--np", 2, "--protocol", "off"), 4),
                         (("barrier", "--np", 2, "--techniques", "none"), 4)):
        done = call(*args, "--workdir", runs, env=fake)
        assert done.returncode == status, done
        left, = runs.iterdir()
        assert re.fullmatch(r"rollbench-run-.{6}\.log", left.name) and left.read_text() == f"{said}mpirun: ended by exit status 3\n", left
        assert done.stderr.count(f"the log of the job that did not start: {left}\n") == 1, done.stderr
        assert args[0] != "run" or "it said: It cannot be done: Why: x Sorry." in done.stdout + done.stderr, done
        left.unlink()
    mpirun.write_text("#!/bin/sh\nsleep 100\n")
    with subprocess.Popen([*COMMAND, "run", *map(str, SMALL), "--workdir", runs], env=fake, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: descendants_named(str(mpirun)))
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130 and not list(runs.iterdir())


def test_mpirun_is_killed():
    """The checkpoints in files stay, as they do where the command itself is killed."""
    work = new_folder()
    long = ("jacobi", "--grid", 64, "--steps", 4000, "--np", 2, "--interval", 200)
    with subprocess.Popen([*COMMAND, "run", *map(str, long), "--workdir", work, "--quiet"], stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: list(work.glob("rollbench-run-*/role.1.iter.*.ckpt")), nap=0.001)
        os.kill(mpirun_of(work), signal.SIGKILL)
        said = process.communicate(timeout=60)[1]
    folder, = work.glob("rollbench-run-*")
    assert process.returncode == 4 and f"mpirun was killed; go on with: rollbench resume {folder}\n" in said, (process.returncode, said)
    done = call("resume", folder, "--json", work / "record.json")
    record = loads((work / "record.json").read_text(encoding="utf-8"))
    assert done.returncode == 0 and record["resumed"] and record["state_hash"] == reference(*long) and not folder.exists(), done


def test_a_limit_of_file_sizes_is_told():
    """SIGXFSZ ended the command, and its run folder stayed. That of mpirun is told, too."""
    work, json_ = new_folder(), new_folder()
    for most, status, words in ((100, 2, "File too large"), (20000, 4, "(`ulimit -f unlimited`)")):
        done = call("run", *SMALL, "--workdir", work, "--json", json_ / "record.json",
                    preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        assert done.returncode == status and words in done.stdout + done.stderr, done
        assert [path.suffix for path in work.iterdir()] == [".log"] * (status == 4)


def test_a_sweep_whose_program_is_rebuilt_stops():
    """Ranks of another build would make records under this one's name."""
    work = new_folder()
    for name in ("rollbench", "rollbench_worker"):
        shutil.copy(COMMAND[0], work / "rollbench")
        shutil.copy(COMMAND[0] + "_worker", work / "rollbench_worker")
        (work / "tiny.yaml").write_text(SWEEP)
        with subprocess.Popen([work / "rollbench", "sweep", work / "tiny.yaml", "--results", work / f"of-{name}"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            wait_until(lambda: list((work / f"of-{name}").glob("jacobi*.json")))
            shutil.copy(work / name, work / "new")
            os.replace(work / "new", work / name)
            said = process.communicate(timeout=60)[1]
        assert process.returncode == 2 and "rebuilt" in said, (name, process.returncode, said)
        assert all(loads(p.read_text())["status"] == "ok" for p in (work / f"of-{name}").glob("jacobi*.json"))
    shutil.rmtree(work)
