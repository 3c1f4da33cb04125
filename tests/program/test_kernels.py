"""The kernels' own answers, for every P that fits, and that runs repeat bit for bit."""
import os

import pytest

from problems import LULESH_ENERGIES
from rollbench import HELPERS, call, reference, refuse, refuse_all, run

NON_TEMPORAL = pytest.mark.skipif(os.uname().machine != "x86_64", reason="only builds for x86 have non-temporal stores")

ZETA = {"S": 8.5971775078648, "W": 10.362595087124, "A": 17.130235054029}


def verify_cg(cls, np):
    record = run("cg", "--class", cls, "--np", np)
    verdict = record["verdict"]
    assert verdict["ok"] and verdict["reference"] == ZETA[cls], verdict
    assert abs(verdict["value"] - ZETA[cls]) <= 1e-10 * ZETA[cls], verdict
    assert record["iterations"] == {"useful": 375 * np, "executed": 375 * np, "repeated": 0,
                                    "aborted": 0, "supported": 0}, record["iterations"]
    return record


@pytest.mark.long
def test_cg_stops_after_any_number_of_steps():
    """Within an outer iteration the residual is checked, at the end of one zeta; only the class's own number has a reference."""
    for steps, what, value in ((24, "residual norm", None), (25, "zeta", None), (375, "zeta", 8.5971775078648), (400, "zeta", None)):
        record = run("cg", "--steps", steps, "--np", 4)
        assert (record["verdict"]["what"], record["verdict"]["reference"]) == (what, value), record["verdict"]
        assert record["status"] == "ok" and record["iterations"]["useful"] == 4 * steps, record["iterations"]
    whole, asked = (run("cg", "--np", 2, *args) for args in ((), ("--steps", 375)))
    assert whole["state_hash"] == asked["state_hash"]
    free, killed = (run("cg", "--np", 4, "--steps", 40, "--interval", 10, "--ckpt-lag", "sync", *args)
                    for args in ((), ("--kill", "2@33")))
    assert killed["failures"][0]["checkpoint"] == 30 and killed["failures"][0]["restored_from"] == {"file": [0, 1, 2, 3]}, killed
    assert free["state_hash"] == killed["state_hash"]


@pytest.mark.long
def test_cg_S_on_every_P():
    for np in (1, 2, 4, 8, 16):
        verify_cg("S", np)


@pytest.mark.long
def test_cg_W_on_every_P():
    for np in (1, 2, 4, 8, 16):
        verify_cg("W", np)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_cg_A_on_some_P():
    for np in (1, 4, 8):
        verify_cg("A", np)


def jacobi_has_its_solution(np):
    record = run("jacobi", "--grid", 100, "--steps", 60, "--np", np)
    assert record["verdict"]["ok"], record["verdict"]
    assert record["iterations"]["useful"] == 60 * np


def test_jacobi_has_its_solution():
    jacobi_has_its_solution(6)


@pytest.mark.long
def test_jacobi_on_any_P():
    for np in (1, 2, 3, 4, 5, 7, 8, 12):
        jacobi_has_its_solution(np)


@pytest.mark.long
def test_jacobi_on_grids_that_do_not_divide():
    for grid in (7, 31, 101):
        for np in (2, 6, 7):
            assert run("jacobi", "--grid", grid, "--steps", 20, "--np", np)["verdict"]["ok"]


@NON_TEMPORAL
def test_triad_with_streaming_stores_has_the_same_bits():
    args = ("triad", "--np", 2, "--elements", 100003, "--steps", 3)
    assert run(*args, "--stores", "streaming")["state_hash"] == run(*args, "--stores", "cached")["state_hash"]


@NON_TEMPORAL
def test_jacobi_with_streaming_stores_has_the_same_bits():
    """Also when a role is restarted; its rows of 50 and 51 points begin anywhere in a cache line."""
    args = ("jacobi", "--grid", 101, "--steps", 40, "--np", 4, "--interval", 10)
    expected = reference(*args, "--stores", "cached")
    for policy in ("none", "all"):
        record = run(*args, "--stores", "streaming", "--policy", policy, "--kill", "2@25")
        assert record["state_hash"] == expected and record["verdict"]["ok"], record["verdict"]
        assert "streaming stores" in record["verdict"]["note"]


def verify_bfs(np, owner, *more):
    verdict = run("bfs", "--scale", 9, "--searches", 4, "--owner", owner, "--np", np, *more)["verdict"]
    assert verdict["ok"] and "4 searches" in verdict["note"], verdict
    return verdict["value"], verdict["note"]


@pytest.mark.long
def test_bfs_finds_the_same_trees_on_every_P():
    for owner in ("hash", "cyclic"):
        assert len({verify_bfs(np, owner, "--policy", policy, "--interval", 7) for np in (1, 2, 3, 5, 8, 12)
                    for policy in ("none", "all")}) == 1


@pytest.mark.long
def test_bfs_goes_back_or_repeats_and_ends_with_the_same_bits():
    args = ("bfs", "--scale", 9, "--np", 6, "--steps", 40, "--interval", 10)
    hashes = [reference(*args)]
    for policy, *more in (("none",), ("all",), ("window:3",), ("budget:40%",), ("teams:2",), ("all", "--replace", "spawn"),
                          ("none", "--recompute", "dataflow"), ("window:3", "--recompute", "dataflow")):
        record = run(*args, "--policy", policy, "--kill", "2@15:send", "--kill", "4@33:op+3", *more)
        assert record["verdict"]["ok"] and len(record["failures"]) == 2, record
        hashes.append(record["state_hash"])
    assert len(set(hashes)) == 1, hashes
    refuse("run", *args, "--recompute", "dataflow:flat", words=("dataflow:flat", "bfs"))


def verify_amr(np, *more):
    verdict = run("amr", "--cells", 4, "--steps", 60, "--np", np, *more)["verdict"]
    assert verdict["ok"] and verdict["value"] == verdict["reference"], verdict
    return verdict["value"], verdict["note"]


@pytest.mark.long
def test_amr_has_the_same_field_on_every_P():
    assert len({verify_amr(np, "--policy", policy, "--interval", 7) for np in (1, 2, 3, 5, 8, 12)
                for policy in ("none", "all")}) == 1


@pytest.mark.long
@pytest.mark.timeout(240)
def test_amr_goes_back_to_a_state_of_another_size():
    args = ("amr", "--blocks", 8, "--np", 6, "--steps", 50, "--regrid", 4, "--interval", 10)
    hashes = [reference(*args)]
    for policy, *more in (("none",), ("all",), ("window:3",), ("budget:40%",), ("teams:2",), ("all", "--replace", "spawn"),
                          ("none", "--ckpt", "buddy"), ("all", "--ckpt", "rs:2+1"), ("all", "--ckpt", "file,buddy:2"),
                          ("none", "--recompute", "dataflow"), ("window:3", "--recompute", "dataflow", "--ckpt", "buddy")):
        record = run(*args, "--policy", policy, "--kill", "2@17:send", "--kill", "4@38:op+3", *more)
        assert record["verdict"]["ok"] and len(record["failures"]) == 2, record
        hashes.append(record["state_hash"])
    assert len(set(hashes)) == 1, hashes
    refuse("run", *args, "--recompute", "dataflow:flat", words=("dataflow:flat", "amr"))


def verify_lulesh(np, side, edge):
    record = run("lulesh", "--np", np, "--edge", edge, "--policy", "all", "--interval", 20)
    steps, energy = LULESH_ENERGIES[edge * side]
    verdict = record["verdict"]
    assert verdict["ok"] and verdict["reference"] == energy, verdict
    assert f"{verdict['value']:.6e}" == f"{energy:.6e}", verdict
    assert record["iterations"]["useful"] == steps * np, record["iterations"]
    return verdict["value"]


def test_lulesh_reaches_the_reference_on_1_and_8_roles():
    verify_lulesh(1, 1, 5)
    one, eight = verify_lulesh(1, 1, 10), verify_lulesh(8, 2, 5)
    assert abs(one - eight) <= 1e-10 * one, (one, eight)


def test_lulesh_on_small_blocks():
    """Blocks of one element have only neighbours in other roles; those of 3 and 4 fill a vector with two rows and with one."""
    for edge in (1, 2, 3, 4):
        one, eight = (run("lulesh", "--np", np, "--edge", e, "--steps", 25, "--policy", "off")["verdict"]["value"] for np, e in ((1, 2 * edge), (8, edge)))
        assert abs(one - eight) <= 1e-10 * one, (edge, one, eight)


def test_lulesh_without_memory_says_so():
    """The third array of nodes is the second buffer of the first; behind the nodes is room for a vector but one (kernels/lulesh/batch.h),
    before them are 16 bytes (kernels/field.c)."""
    said = []
    for lanes in (2, 4, 8):
        refused = {"LD_PRELOAD": str(HELPERS / "refuse_memory.so"), "REFUSE_BYTES": str(16 + (11 ** 3 + lanes - 1) * 8), "REFUSE_AFTER": "2"}
        said.append(call("run", "lulesh", "--np", 1, "--edge", 10, "--steps", 3, env={**os.environ, **refused}))
    assert sorted("out of memory for --edge 10" in done.stdout + done.stderr for done in said) == [False, False, True], said
    assert sorted(done.returncode == 0 for done in said) == [False, True, True], said


@pytest.mark.long
def test_lulesh_reaches_the_reference_of_20_elements():
    one, eight = verify_lulesh(1, 1, 20), verify_lulesh(8, 2, 10)
    assert abs(one - eight) <= 1e-10 * one, (one, eight)


@pytest.mark.long
def test_lulesh_reaches_the_reference_on_27_roles():
    many, one = verify_lulesh(27, 3, 2), verify_lulesh(1, 1, 6)
    assert abs(many - one) <= 1e-10 * one, (many, one)
    verify_lulesh(27, 3, 3)


def test_lulesh_without_a_reference_says_so():
    for args in (("--edge", 4), ("--edge", 5, "--steps", 30)):
        verdict = run("lulesh", "--np", 1, *args)["verdict"]
        assert verdict["reference"] is None and verdict["ok"], verdict


@pytest.mark.long
def test_lulesh_in_place_gives_the_same_bits_and_cannot_be_killed():
    args = ("lulesh", "--edge", 5, "--np", 8)
    assert run(*args, "--buffers", "single")["state_hash"] == reference(*args)
    refuse("run", *args, "--buffers", "single", "--kill", "1@3", words=("in place",))


def check_hashes(cases):
    for kernel in (("cg", "--class", "S", "--np", 4), ("jacobi", "--grid", 64, "--np", 6)):
        hashes = {run(*kernel, "--policy", policy, "--interval", interval)["state_hash"] for policy, interval in cases}
        assert hashes == {reference(*kernel)}, (kernel, hashes)


@pytest.mark.long
def test_hash_repeats_and_does_not_depend_on_policy_or_interval():
    check_hashes((("none", 7), ("all", 1), ("all", 1000)))


@pytest.mark.long
def test_hash_does_not_depend_on_any_policy_and_interval():
    check_hashes([(policy, interval) for policy in ("none", "all") for interval in (1, 7, 1000)])


def test_log_bytes_are_accounted():
    none = run("cg", "--class", "S", "--np", 4, "--policy", "none")
    everything, longer = (run("cg", "--class", "S", "--np", 4, "--policy", "all", "--interval",
                              interval, "--ckpt-sync") for interval in (25, 50))
    assert none["log"]["bytes_total"]["sum"] == 0
    assert longer["log"]["bytes_total"] == everything["log"]["bytes_total"]
    peaks = [r["log"]["bytes_peak"]["sum"] for r in (everything, longer)]
    assert peaks[1] == 2 * peaks[0] and peaks[0] > 0, peaks


def test_bad_kernel_input():
    refuse_all(("run", "cg", "--np", 6, ("--np 6", "power of two")),
               ("run", "cg", "--class", "Q", ("class", "Q")),
               ("run", "cg", "--grid", 10, ("grid",)),
               ("run", "jacobi", "--grid", 0, ("grid",)),
               ("run", "jacobi", "--grid", "12x", ("grid", "12x")),
               ("run", "jacobi", "--steps", -1, ("steps",)),
               ("run", "jacobi", "--np", 6, "--decomp", "2x2", ("decomp",)),
               ("run", "jacobi", "--np", 16, "--grid", 2, ("grid",)),
               ("run", "jacobi", "--stores", "fast", ("--stores fast", "streaming")),
               ("run", "lulesh", "--np", 9, ("--np 9", "cube")),
               ("run", "lulesh", "--np", 8, "--edge", "big", ("--edge big",)),
               ("run", "lulesh", "--np", 8, "--buffers", "triple", ("--buffers triple",)),
               ("run", "bfs", "--scale", 3, ("--scale 3", "from 4 to 31")),
               ("run", "bfs", "--edgefactor", 0, ("--edgefactor 0",)),
               ("run", "bfs", "--searches", 0, ("--searches 0",)),
               ("run", "bfs", "--owner", "block", ("--owner block",)),
               ("run", "bfs", "--scale", 4, "--np", 17, ("--scale 4", "--np 17")),
               ("run", "amr", "--blocks", 12, ("--blocks 12", "power of two")),
               ("run", "amr", "--cells", 7, ("--cells 7", "even")),
               ("run", "amr", "--levels", 9, ("--levels 9",)),
               ("run", "amr", "--regrid", 33, ("--regrid 33", "to 32")),
               ("run", "amr", "--cells", 1024, ("--cells 1024", "16384")),
               ("run", "amr", "--blocks", 2, "--np", 5, ("--np 5", "--blocks")),
               ("run", "lattice", ("lattice", "cg")))
