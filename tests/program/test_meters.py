"""Measurements of runs: times that add up, energy from a made-up tree, deaths of readers."""
import json
import os
import pathlib
import statistics
import threading
import time

import pytest

from power_tree import Tree
from rollbench import call, refuse, run

JACOBI = ("jacobi", "--grid", 256, "--steps", 600, "--np", 2, "--policy", "all", "--interval", 100,
          "--ckpt-sync")
LOOP = ("step", "checkpoint", "aborted", "repair", "restore", "replay", "blocked", "finish")


def spent(used, key, phases=LOOP):
    return sum(used[phase][key] for phase in phases if phase in used)


@pytest.mark.alone
def test_times_of_the_phases_add_up_to_the_loop():
    for extra in ((), ("--kill", "1@250", "--power", "sleep"), ("--kill", "0@130", "--kill", "1@250")):
        record = run(*JACOBI, *extra)
        assert record["meters"]["detail"] == "phases" and "trace" not in record
        for role in record["roles"]:
            used = role["used"]
            assert used["lost"] == role["incarnations"] - 1
            assert used["step"]["wall_s"] > 0 and used["checkpoint"]["spans"] > 0
            for phase in (p for p in used if p != "lost"):
                assert 0 <= used[phase]["cpu_s"] <= 2.5 * used[phase]["wall_s"] + 0.01, (phase, used)
            if role["incarnations"] == 1:
                wall = spent(used, "wall_s")
                assert abs(wall - record["loop_s"]) < 0.05 * wall + 0.02, (wall, role)
                assert "aborted" not in used  # only iterations have it
        blocked = record["failures"][0]["blocked"] if len(extra) > 2 else []
        for role in blocked:
            assert record["roles"][role]["used"]["blocked"]["spans"] == 1, record["roles"][role]


def test_the_trace_has_every_iteration():
    record = run(*JACOBI, "--kill", "1@250", "--power", "sleep", "--meters", "iterations")
    for trace, role in zip(record["trace"], record["roles"]):
        rows = [dict(zip(trace["columns"], row)) for row in trace["rows"]]
        steps = [row for row in rows if row["phase"] == "step"]
        assert trace["dropped"] == 0
        assert {row["iteration"] for row in steps} == set(range(600))
        assert [row["t_s"] for row in rows] == sorted(row["t_s"] for row in rows)
        for phase in (p for p in role["used"] if p != "lost"):
            mine = [row for row in rows if row["phase"] == phase]
            assert len(mine) == role["used"][phase]["spans"], (phase, role["used"][phase])
            assert abs(sum(row["wall_s"] for row in mine) - role["used"][phase]["wall_s"]) < 1e-6
        repeated = [row["iteration"] for row in steps if row["incarnation"] == 2]
        assert repeated == (list(range(200, 600)) if trace["role"] == 1 else []), repeated[:5]
    assert any(row[1] == "aborted" and row[0] == 250 for row in record["trace"][0]["rows"])


def test_absent_is_null_with_a_reason():
    record = run(*JACOBI)
    meters, energy = record["meters"], record["energy"]
    for count in ("cycles", "instructions"):
        for role in record["roles"]:
            value = role["used"]["step"][count]
            assert (value is None) == bool(meters[count]), (meters, value)
            assert value is None or value > 1e6
    assert (meters["energy"]["source"] is None) == bool(meters["energy"]["reason"]), meters
    assert (energy["package_j"] is None) == bool(energy["reason"]), energy
    off = run(*JACOBI, "--meters", "off")
    assert off["energy"] is None and "used" not in off["roles"][0] and off["meters"]["detail"] == "off"
    bare = run(*JACOBI[:-5], "--policy", "off")
    for role in bare["roles"]:  # each role by itself: on shared cores one may take longer
        assert abs(role["used"]["step"]["wall_s"] - role["loop_s"]) < 0.1 * role["loop_s"] + 0.01, role
    refuse("run", *JACOBI, "--meters", "all", words=("--meters all", "phases, iterations or off"))


def test_both_sides_of_a_paired_run_have_the_same_meters():
    """Else protection would seem to cost what the meters cost."""
    record = run("jacobi", "--grid", 64, "--steps", 40, "--np", 2, "--spares", 0, "--paired", 5, "--meters", "iterations", "--timeline", "on")
    assert len(record["paired"]["bare_s"]) == 4
    for trace, process in zip(record["trace"], record["timeline"]["processes"]):
        assert [row[0] for row in trace["rows"] if row[1] == "step"] == list(range(40)), trace
        assert [row[1] for row in process["rows"] if row[0] == "step"] == list(range(40)), process


def readers(record):
    return [r["role"] for r in record["roles"] if r["used"]["step"]["package_j"] is not None]


LONG = ("jacobi", "--grid", 512, "--steps", 4000, "--np", 2, "--policy", "all", "--interval", 500)


@pytest.mark.alone
def test_one_role_reads_a_package_and_wraps_are_undone():
    with Tree() as tree:
        record = run(*LONG, "--kill", "0@1700", "--meters", "iterations")
    energy, package = record["energy"], record["energy"]["packages"][0]
    assert record["meters"]["energy"] == {"source": "powercap", "reason": None}, record["meters"]
    assert readers(record) == [1] and package["reader"] == 1, package  # role 0 is to die
    watts = energy["package_j"] / record["loop_s"]
    assert abs(watts - tree.WATTS) < 0.15 * tree.WATTS, (watts, record["loop_s"])
    assert energy["dram_j"] is None and energy["reason"] is None, energy
    rows = [dict(zip(record["trace"][1]["columns"], row)) for row in record["trace"][1]["rows"]]
    inside = sum(row["package_j"] for row in rows if row["phase"] in LOOP)
    assert abs(inside - energy["package_j"]) < 1e-3, (inside, energy)
    assert all(row[8] is None for row in record["trace"][0]["rows"])


@pytest.mark.alone
def test_energy_ends_where_the_last_role_does():
    """Energy counts to the same end for roles that finish early, as those of the triad do."""
    triad = ("triad", "--elements", 300000, "--steps", 900, "--interval", 1000, "--np", 2, "--policy",
             "all", "--kill", "1@800")
    with Tree() as tree:
        for how in ("none", "sleep"):
            record = run(*triad, "--power", how)
            watts = record["energy"]["package_j"] / record["loop_s"]
            assert abs(watts - tree.WATTS) < 0.15 * tree.WATTS, (how, watts, record["loop_s"])


def test_a_counter_that_stands_still_has_measured_nothing():
    """The record had 0.0 J as measured: virtual machines show such counters."""
    with Tree() as tree:
        tree.still.set()
        record = run("jacobi", "--grid", 512, "--steps", 1200, "--np", 2, "--meters", "iterations")
    energy = record["energy"]
    assert energy["package_j"] is None and "stood still for" in energy["reason"] and "takes energy" in energy["reason"], energy
    assert all(role["used"]["step"]["package_j"] is None for role in record["roles"]), record["roles"]
    assert all(row[8] is None for trace in record["trace"] for row in trace["rows"])


def test_a_reader_that_dies_for_good_has_measured_nothing():
    with Tree():
        record = run(*JACOBI, "--kill", "0@250", "--kill", "1@300", "--spares", 0, expect="out-of-spares")
    energy = record["energy"]
    assert energy["package_j"] is None and "did not finish" in energy["reason"], energy
    assert [role["used"]["lost"] for role in record["roles"]] == [1, 1], record["roles"]


@pytest.mark.long
def test_energy_is_unmeasured_if_its_reader_dies():
    with Tree():
        record = run(*LONG, "--kill", "0@1200", "--kill", "1@2700", "--meters", "iterations")
    energy = record["energy"]
    assert energy["package_j"] is None and "died" in energy["reason"], energy
    assert energy["packages"][0]["reader"] is None, energy
    # Whoever took over, a survivor or a replacement, reports what it has measured since, by iteration.
    joules = [[row[trace["columns"].index("package_j")] for row in trace["rows"] if row[1] == "step"] for trace in record["trace"]]
    assert sorted(of[-1] is None for of in joules) == [False, True], joules
    assert readers(record) == [role for role, of in enumerate(joules) if None not in of], record["roles"]


def set_in_the_loop(event):
    """Set it when the run below $TMPDIR has its first checkpoint."""
    end = time.monotonic() + 60
    while not any(pathlib.Path(os.environ["TMPDIR"]).glob("*/role.0.iter.*.ckpt")) and time.monotonic() < end:
        time.sleep(0.005)
    event.set()


@pytest.mark.long
def test_a_counter_that_vanishes_takes_its_joules_with_it():
    with Tree() as tree:
        within = threading.Thread(target=set_in_the_loop, args=(tree.gone,))
        within.start()
        record = run(*LONG, "--grid", 256, "--steps", 30000)
        within.join()
    energy = record["energy"]
    assert energy["package_j"] is None and "package" in energy["reason"], energy
    assert record["roles"][0]["used"]["step"]["package_j"] is None, record["roles"][0]["used"]


@pytest.mark.long
@pytest.mark.alone
def test_watts_of_the_barrier_benchmark():
    with Tree() as tree:
        done = call("barrier", "--np", 2, "--seconds", 0.3, "--repetitions", 3, "--techniques", "none,sleep",
                    "--json", "-")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert [rank["reads_energy"] for rank in record["ranks"]] == [True, False], record["ranks"]
    assert any(line["ok"] and "powercap" in line["text"] for line in record["meters"]), record["meters"]
    watts = [phase["samples"][0]["watts"] for phase in record["phases"]]
    assert len(watts) == 9 and all("watts" not in phase["samples"][1] for phase in record["phases"])
    # Watts of the product and of both barriers; the counter wraps in one of them. If the thread that feeds it
    # is late, the next phase gets what one phase lacks.
    assert abs(statistics.median(watts) - tree.WATTS) < 0.15 * tree.WATTS, watts
    used = [phase["samples"][0] for phase in record["phases"]]
    mean = sum(s["energy_j"]["package"] for s in used) / sum(s["wall_s"] for s in used)
    assert abs(mean - tree.WATTS) < 0.15 * tree.WATTS, watts
