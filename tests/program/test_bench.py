"""The numbers of `make bench`: phases that add up, memory that does not grow, paired runs."""
import json
import subprocess
import sys
import tempfile

import pytest

from rollbench import ROOT, call, new_folder, reference, refuse, refuse_all, run


def test_phases_add_up():
    """Compute, pack, log, communication and commit add up to the timed iterations, every eighth."""
    for kernel in (("cg", "--class", "W", "--np", 2), ("lulesh", "--edge", 8, "--np", 1),
                   ("jacobi", "--grid", 512, "--steps", 300, "--np", 2)):
        record = run(*kernel, "--policy", "all", "--interval", 50)
        for role in record["roles"]:
            phases = role["phases"]
            parts = sum(phases[p] for p in ("compute_s", "pack_s", "log_s", "communicate_s",
                                            "commit_s"))
            work = phases.pop("work_quantiles_s")
            assert 0 < work[0] <= work[-1] <= phases["total_s"] and work == sorted(work), work
            assert all(value >= 0 for value in phases.values()), phases
            assert abs(parts - phases["total_s"]) < 1e-6 * max(parts, 1), phases
            assert phases["iterations"] == (role["executed"] + 7) // 8, (phases, role)
            assert phases["total_s"] < record["loop_s"], (phases, record["loop_s"])


def test_off_has_no_books_and_the_same_answer():
    off = run("cg", "--np", 4, "--policy", "off")
    assert off["state_hash"] == reference("cg", "--np", 4, "--policy", "all")
    assert off["checkpoints"]["count"] == 0 and off["log"]["bytes_peak"]["max"] == 0
    assert off["iterations"]["executed"] == off["iterations"]["useful"]
    refuse("run", "cg", "--policy", "off", "--kill", "1@3", words=("--policy off", "kills"))


def test_a_paired_run_has_pairs_and_the_right_answer():
    record = run("jacobi", "--grid", 128, "--steps", 400, "--np", 2, "--policy", "all",
                 "--paired", 10)
    paired = record["paired"]
    assert paired["block"] == 10 and len(paired["protected_s"]) == len(paired["bare_s"]) == 20
    assert all(s > 0 for s in paired["protected_s"] + paired["bare_s"])
    assert record["state_hash"] == reference("jacobi", "--grid", 128, "--steps", 400, "--np", 2)
    path = new_folder() / "pairs.yaml"
    path.write_text("kernel: jacobi\ngrid: 96\nsteps: 40\nnp: 2\ninterval: 1000\npolicy: all\npaired: 10\n")
    assert call("sweep", path, "--results", path.parent / "found").returncode == 0
    swept, = (path.parent / "found").glob("jacobi-*-paired=10-free-r0.json")
    assert len(json.loads(swept.read_text())["paired"]["bare_s"]) == 2
    path.write_text(path.read_text() + "kill: {roles: [1], iterations: [3], phases: [send]}\n")
    done = call("sweep", path, "--results", path.parent / "killed")
    assert done.returncode == 2 and "--paired" in done.stderr, done
    refuse_all(("run", "jacobi", "--paired", 10, "--kill", "1@3", ("--paired",)),
               ("run", "jacobi", "--paired", 0, ("--paired 0",)))


def test_the_log_weighs_little_more_than_its_payload():
    record = run("cg", "--class", "W", "--np", 2, "--interval", 250, "--policy", "all", "--ckpt-sync")
    for role in record["roles"]:
        assert role["log_bytes_peak"] > 10 << 20
        assert role["log_memory"] <= 1.01 * role["log_bytes_peak"], role


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_thousand_intervals_do_not_grow():
    """Our own memory does not grow at all; that of the process only by buffers that the MPI touches."""
    for policy in ("all", "budget:30%"):
        few, many = (run("jacobi", "--grid", 128, "--np", 2, "--interval", 2, "--policy", policy,
                         "--steps", steps, "--deadline", 90) for steps in (20, 2000))
        for a, b in zip(few["roles"], many["roles"]):
            assert b["rss_peak"] <= a["rss_peak"] + (2 << 20), (policy, a, b)
            assert b["log_memory"] == a["log_memory"], (policy, a, b)
        assert many["checkpoints"]["count"] >= 2 * 990


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.timeout(200)
def test_checkpoints_are_measured_and_samples_kept():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, ROOT / "scripts" / "bench", "--quick", "--only",
                               "checkpoints", "--results", folder], capture_output=True, text=True,
                              timeout=180, check=True)
        kept = {}
        for name in ("checkpoints", "draining", "checkpoint-memory"):
            with open(f"{folder}/{name}.json", encoding="utf-8") as file:
                kept[name] = json.load(file)
    for name, found in kept["checkpoints"].items():
        assert found["bytes"] > 0, (name, found)
        for what in ("file", "buddy", "write", "copy"):
            assert len(found[what]) == 1 and found[what][0] > 0, (name, what, found)
    for name, rounds in kept["draining"].items():
        for runs in rounds:
            assert runs["none"]["count"] == 0 and runs["none"]["waited_s"] == 0, (name, runs)
            assert runs["file sync"]["count"] == runs["file async"]["count"] > 0, (name, runs)
    for name, found in kept["checkpoint-memory"].items():
        assert found["memory"] >= found["bytes"], (name, found)
    row = next(line for line in done.stdout.splitlines() if "| cg A, 2" in line)
    assert "no conclusion" in row, row  # one round only


def test_every_file_of_the_engine_is_counted():
    """bench/lines.py refuses to make a table that leaves files out."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, ROOT / "scripts" / "bench", "--only", "lines", "--results", folder],
                              capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "| log and policies |" in done.stdout, done


def test_triad_is_a_kernel_like_any_other():
    args = ("triad", "--np", 2, "--elements", 100000, "--steps", 30, "--interval", 10)
    right = run(*args)
    assert right["verdict"]["value"] == 0
    record = run(*args, "--policy", "all", "--kill", "1@15")
    assert record["state_hash"] == right["state_hash"]
    refuse_all(("explain", "triad", "--np", 2, "--kill", "1@15", ("run apart",)),
               ("run", "triad", "--elements", 0, ("--elements 0",)))
