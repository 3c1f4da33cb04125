"""Negative controls: runs with an error on purpose, which must end wrong."""
import json

import pytest

from rollbench import call, new_folder, reference, refuse_all, run

HEAD = "name: controls\ndeadline: 60\nruns:\n"
REPLAY = ("  - {kernel: jacobi, grid: 96, steps: 60, np: 6, interval: 20, ckpt_lag: sync, control: replay, policy: all,\n"
          "     kill: {roles: 2, iterations: 33, phases: start}}\n")
IN_PLACE = ("  - {kernel: lulesh, edge: 3, steps: 60, buffers: single, np: 8, interval: 20, ckpt_lag: sync, control: in-place,\n"
            "     detector: runtime, policy: all, kill: {roles: 3, iterations: 53, phases: 'op+1'}}\n")


def sweep(text, results):
    path = new_folder() / "controls.yaml"
    path.write_text(HEAD + text)
    return call("sweep", path, "--results", results)


def test_a_wrong_replay_is_wrong_as_it_must_be():
    results = new_folder() / "results"
    done = sweep(REPLAY, results)
    assert done.returncode == 0 and "1 ok, 1 wrong as they must be, 0 not ok" in done.stderr, done
    free, killed = (json.loads(path.read_text()) for path in sorted(results.glob("jacobi-*.json"), key=lambda p: "free" not in p.name))
    assert (free["status"], killed["status"], killed["control"]) == ("ok", "wrong", "replay"), (free["status"], killed["status"])
    assert killed["compared"]["equal"] is False and killed["failures"][0]["active"], killed["failures"]
    again = sweep(REPLAY, results)
    assert again.returncode == 0 and "2 of 2 runs were already done" in again.stdout, again


def test_a_control_that_ends_right_is_named():
    """Role 3 dies before it has sent anything: no other role has changed its state yet, so nothing is wrong."""
    done = sweep(IN_PLACE, new_folder() / "results")
    assert done.returncode == 1 and "1 ok, 1 not ok" in done.stderr, done
    assert ": ok (a negative control: it must end wrong)" in done.stdout, done.stdout


def test_controls_that_could_not_be_wrong_are_refused():
    kill = ("--kill", "1@3")
    refuse_all(("run", "jacobi", "--grid", 48, "--policy", "all", "--control", "in-place", *kill, ("in-place", "--buffers single")),
               ("run", "jacobi", "--grid", 48, "--policy", "none", "--control", "replay", *kill, ("replay", "--policy all")),
               ("run", "lulesh", "--np", 8, "--buffers", "single", "--policy", "all", *kill, ("updates its state in place",)),
               ("run", "lulesh", "--np", 8, "--buffers", "single", "--policy", "all", "--transaction", "copy", "--control", "in-place", *kill,
                ("--transaction copy", "nothing can be wrong")),
               ("run", "jacobi", "--policy", "off", "--transaction", "copy", ("--transaction copy", "--policy off")),
               ("run", "lulesh", "--np", 8, "--buffers", "single", "--policy", "all", "--control", "in-place", *kill, ("in-place", "--detector runtime")),
               ("run", "jacobi", "--control", "some", ("--control some", "in-place")))


def test_copies_of_the_state_undo_what_an_update_in_place_has_done():
    """Role 3 dies between the exchanges of an iteration, when others have moved their nodes."""
    problem = ("lulesh", "--edge", 5, "--steps", 210, "--np", 8)
    death = (*problem, "--buffers", "single", "--interval", 20, "--ckpt-lag", "sync", "--policy", "all", "--kill", "3@207:op+8")
    assert run(*death, "--control", "in-place", "--detector", "runtime", expect="wrong")["state_hash"] != reference(*problem)
    copied = run(*death, "--transaction", "copy")
    assert copied["state_hash"] == reference(*problem) and copied["transaction"] == "copy" and copied["iterations"]["aborted"] > 0, copied
    assert all(0 < role["phases"]["copy_s"] < role["phases"]["total_s"] for role in copied["roles"]), copied["roles"]


@pytest.mark.long
def test_copies_with_each_kernel_and_each_way_back():
    """States that change their size, and duplicates, too."""
    for kernel in (("amr", "--blocks", 8, "--np", 5, "--steps", 90), ("bfs", "--scale", 11, "--np", 8, "--steps", 90), ("cg", "--class", "S", "--np", 4),
                   ("jacobi", "--grid", 64, "--np", 6)):
        one = run(*kernel, "--interval", 20, "--policy", "all", "--transaction", "copy", "--kill", "2@33:op+3", "--kill", "1@55")
        assert one["state_hash"] == reference(*kernel) and len(one["failures"]) == 2, kernel
    problem = ("lulesh", "--edge", 5, "--np", 8)
    for how in (("none",), ("window:10",), ("receiver",), ("none", "--recompute", "dataflow"), ("budget:30%", "--recompute", "dataflow"),
                ("none", "--strategy", "restart")):
        one = run(*problem, "--buffers", "single", "--interval", 20, "--transaction", "copy", "--policy", *how, "--kill", "3@207:op+8", "--kill", "5@213:op+9")
        assert one["state_hash"] == reference(*problem), how
