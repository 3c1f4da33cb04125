"""`rollbench interval`: its options, how it ends, and the intervals that it finds by simulation."""
import json
import math
import os
import signal
import statistics
import subprocess

import pytest

import drawing
from rollbench import COMMAND, HELPERS, call, descendants_named, new_folder, refuse_all, wait_until


def test_bad_options_are_refused_before_anything_runs():
    refuse_all(
        ("interval", ("expected a kernel first",)), ("interval", "cg", ("--mtbf", "seconds between")),
        ("interval", "cg", "--mtbf", "x", ("--mtbf x",)), ("interval", "cg", "--mtbf", 9, "--np", "x", ("--np x",)),
        ("interval", "cg", "--mtbf", 9, "--np", 3, ("power of two",)),
        ("interval", "cg", "--mtbf", 9, "--kill", "0@1", ("this command chooses",)),
        ("interval", "cg", "--mtbf", 9, "--spares", 1, ("this command chooses",)),
        ("interval", "cg", "--mtbf", 9, "--strategy", "restart", ("this command chooses",)),
        ("interval", "cg", "--mtbf", 9, "--ckpt", "nowhere", ("--ckpt nowhere",)),
        ("interval", "cg", "--mtbf", 9, "--json", "-", ("--json",)))
    assert call("interval", "--help").stdout.startswith("usage: rollbench interval KERNEL --mtbf S")


def test_it_measures():
    done = call("interval", "jacobi", "--grid", 256, "--steps", 120, "--np", 2, "--mtbf", 60, "--ckpt", "buddy")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0].startswith("jacobi, 2 roles: an iteration takes "), done
    assert [line[:15] for line in lines[4:7]] == ["job restart    ", "global rollback", "local rollback "], done.stdout
    assert all(float(word) >= 0 for line in lines[5:7] for word in line.split()[2:8]), done.stdout


def test_a_run_that_is_not_right_ends_it():
    """What it said and its command are told, and the exit status is its own."""
    folder = new_folder()
    (folder / "mpirun").write_text("#!/bin/sh\necho out of luck\n")
    (folder / "mpirun").chmod(0o755)
    done = call("interval", "jacobi", "--grid", 64, "--steps", 60, "--np", 2, "--mtbf", 60, "--ckpt", "buddy",
                env={**os.environ, "ROLLBENCH_MPIRUN": str(folder / "mpirun"), "TMPDIR": str(folder)})
    assert done.returncode == 4 and done.stdout == "", done
    assert "a run was abort: " in done.stderr and "out of luck\nits command: ./rollbench run jacobi " in done.stderr, done


def interrupted(number):
    """Send the signal during a run. Returns exit status and output; no process may be left."""
    folder = new_folder().resolve()
    process = subprocess.Popen([*COMMAND, "interval", "jacobi", "--grid", "512", "--steps", "2000000", "--np", "2",
                                "--mtbf", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": str(folder)}, stdin=subprocess.DEVNULL)
    wait_until(lambda: len(descendants_named(str(folder))) >= 3 or process.poll() is not None)  # mpirun and its ranks
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    wait_until(lambda: not descendants_named(str(folder)) and not list(folder.iterdir()))
    return process.returncode, out, err


def test_a_signal_ends_the_run_too():
    ended = "rollbench interval: interrupted; no process is left\n"
    assert interrupted(signal.SIGINT) == (130, "", ended)
    assert interrupted(signal.SIGTERM) == (143, "", ended)
    assert interrupted(signal.SIGKILL) == (-9, "", "")


SIMULATED = ("interval", "--simulate", "stencil1d", "--np", "16", "--work", "1s", "--bytes", "1B", "--latency", "0s", "--bandwidth",
             "1GB/s", "--line", "barrier", "--checkpoint", "10s", "--mtbf-node", "4h")


def expected_s(steps, every, checkpoint=10, mtbf=900):
    """Global rollback in step: an interval begins again at each failure; behind the last checkpoint there is a rest."""
    whole = (steps - 1) // every
    return mtbf * (whole * math.expm1((every + checkpoint) / mtbf) + math.expm1((steps - whole * every) / mtbf))


def test_simulated_times_are_those_of_the_closed_form():
    steps, seeds = 1500, 80
    done = call(*SIMULATED, "--steps", steps, "--seeds", seeds, "--method", "global", "--json", "-")
    assert done.returncode == 0, done
    found, = json.loads(done.stdout)["methods"]
    assert found["daly"] == 128 and found["young"] == 134, found
    # For an endless run the best interval t has 1 - t / M = e^(-(t + C) / M).
    low, high = found["not_worse"]
    best = min(range(1, steps), key=lambda t: math.expm1((t + 10) / 900) / t)
    assert 127 <= best <= 129 and low <= best <= high and low <= 128 <= high and found["daly_is_not_worse"], (best, found)
    assert low <= found["best"] <= high and low > 32 and high < 512, (low, high)
    assert len(found["intervals"]) > 10
    for one in found["intervals"]:
        runs, right = one["runs_s"], expected_s(steps, one["interval"])
        error = statistics.stdev(runs) / math.sqrt(len(runs))
        assert len(runs) == seeds and abs(statistics.mean(runs) - right) < 4 * error, (one["interval"], right, runs)
        assert math.isclose(one["makespan_s"], statistics.mean(runs)), one
        # An iteration takes 1 ns more than its work, for a message of a byte.
        assert math.isclose(one["expected_in_step_s"], right, rel_tol=1e-6), (one["expected_in_step_s"], right)
    least, most = found["best_makespan_95_s"]
    assert least < found["best_makespan_s"] < most, found


@pytest.mark.long
def test_simulated_from_a_file_and_to_a_figure():
    folder = new_folder()
    path = folder / "model.yaml"
    path.write_text("pattern: stencil1d # of four\nnp: 4\nsteps: 200\nwork: 1 s\ninterval: 7\ncheckpoint: 2 s\nmtbf_node: 400 s\n"
                    "seeds: 8\nmethod: global,local\n", encoding="utf-8")
    done = call("interval", "--simulate", path, "--results", folder / "kept", "--json", folder / "best.json")
    assert done.returncode == 0 and "modelled" in done.stdout and "8 seeds" in done.stdout, done
    drawing.draw("interval_simulated", folder / "best.json", folder / "drawn")
    assert drawing.figures(folder / "drawn") == ["interval-simulated"]
    result = json.loads((folder / "best.json").read_text(encoding="utf-8"))
    tried = [one["interval"] for one in result["methods"][0]["intervals"]]
    assert [m["method"] for m in result["methods"]] == ["global", "local"] and tried == sorted(set(tried)), result
    assert {p.stem for p in (folder / "kept").glob("interval=*")} == {f"interval={n}" for n in tried}
    assert call("store", "verify", folder / "kept").returncode == 0
    # What is kept is not simulated again, and what is not kept is simulated in the same way.
    written = {p: p.stat().st_mtime_ns for p in (folder / "kept").glob("interval=*")}
    for more in (("--results", folder / "kept"), ()):
        again = call("interval", "--simulate", path, *more)
        assert again.stdout == done.stdout, (again, done)
    assert written == {p: p.stat().st_mtime_ns for p in (folder / "kept").glob("interval=*")}


def test_what_cannot_be_simulated_is_refused():
    rest = SIMULATED[3:-2]
    path = new_folder() / "model.yaml"
    path.write_text("pattern: stencil1d\nnp: [4, 8]\nmtbf_node: 400 s\n", encoding="utf-8")
    refuse_all((*SIMULATED, "--interval", "7", ("--interval", "chooses")), (*SIMULATED, "--fail", "1@3", ("--fail", "--mtbf-node")),
               (*SIMULATED, "--seeds", "3", "--steps", "50", ("--seeds", "at least 6")), (*SIMULATED[:2], ("pattern",)),
               ("interval", "--simulate", "stencil1d", *rest, ("--mtbf-node is missing",)),
               ("interval", "--simulate", "heat", *rest, ("heat", "expected a pattern")),
               (*SIMULATED, "--steps", "many", ("--steps many",)), (*SIMULATED, "more", ("more: unexpected",)),
               ("interval", "--simulate", path, ("model.yaml", "2 points")), (*SIMULATED, "--goal", "x", ("--goal", "not an option")),
               ("interval", "jacobi", "--mtbf", "9", "--results", "x", ("--results", "--simulate")))


@pytest.mark.skipif(not (HELPERS.parent / "rollbench_simgrid").exists(), reason="SimGrid is not installed")
def test_simgrid_plays_the_same_runs():
    runs = [json.loads(call(*SIMULATED, "--steps", "40", "--seeds", "6", "--method", "global", "--json", "-", "--engine", engine).stdout)
            ["methods"] for engine in ("fast", "simgrid")]
    assert runs[0] == runs[1], runs


def test_an_interrupted_search_goes_on():
    folder = new_folder()
    words = (*SIMULATED, "--steps", "8000", "--seeds", "20", "--results", str(folder / "kept"))
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    wait_until(lambda: len(list((folder / "kept").glob("interval=*.json"))) > 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == "" and "interrupted; no process is left; go on with the same command" in err, (out, err)
    assert call("store", "verify", folder / "kept").returncode == 0
    kept = {p: p.stat().st_mtime_ns for p in (folder / "kept").glob("interval=*")}
    assert call(*words).returncode == 0
    found = {p: p.stat().st_mtime_ns for p in (folder / "kept").glob("interval=*")}
    assert len(found) > len(kept) and kept.items() <= found.items(), (kept, found)
