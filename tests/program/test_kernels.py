"""The kernels' own answers, for every P that fits, and that runs repeat bit for bit."""
from rollbench import deadline, main, refuse, run

ZETA = {"S": 8.5971775078648, "W": 10.362595087124, "A": 17.130235054029}


def verify_cg(cls, np):
    record = run("cg", "--class", cls, "--np", np)
    verdict = record["verdict"]
    assert verdict["ok"] and verdict["reference"] == ZETA[cls], verdict
    assert abs(verdict["value"] - ZETA[cls]) <= 1e-10 * ZETA[cls], verdict
    assert record["iterations"] == {"useful": 375 * np, "executed": 375 * np, "repeated": 0,
                                    "aborted": 0}, record["iterations"]
    return record


def test_cg_S_on_every_P():
    for np in (1, 2, 4, 8, 16):
        verify_cg("S", np)


def test_cg_W_on_every_P():
    for np in (1, 2, 4, 8, 16):
        verify_cg("W", np)


@deadline(240)
def test_cg_A_on_some_P():
    for np in (1, 4, 8):
        verify_cg("A", np)


def test_jacobi_on_any_P():
    for np in (1, 2, 3, 4, 5, 6, 7, 8, 12):
        record = run("jacobi", "--grid", 100, "--steps", 60, "--np", np)
        assert record["verdict"]["ok"], record["verdict"]
        assert record["iterations"]["useful"] == 60 * np


def test_jacobi_on_grids_that_do_not_divide():
    for grid in (7, 31, 101):
        for np in (2, 6, 7):
            assert run("jacobi", "--grid", grid, "--steps", 20, "--np", np)["verdict"]["ok"]


LULESH = {5: (72, 7.853665e3), 10: (231, 2.720531e4), 20: (575, 9.668856e4),
          6: (102, 1.045418e4), 9: (196, 2.221045e4), 12: (297, 3.782734e4)}


def verify_lulesh(np, side, edge):
    record = run("lulesh", "--np", np, "--edge", edge, "--policy", "all", "--interval", 20)
    steps, energy = LULESH[edge * side]
    verdict = record["verdict"]
    assert verdict["ok"] and verdict["reference"] == energy, verdict
    assert f"{verdict['value']:.6e}" == f"{energy:.6e}", verdict
    assert record["iterations"]["useful"] == steps * np, record["iterations"]
    return verdict["value"]


def test_lulesh_reaches_the_reference_on_1_and_8_roles():
    verify_lulesh(1, 1, 5)
    one, eight = verify_lulesh(1, 1, 10), verify_lulesh(8, 2, 5)
    assert abs(one - eight) <= 1e-10 * one, (one, eight)
    one, eight = verify_lulesh(1, 1, 20), verify_lulesh(8, 2, 10)
    assert abs(one - eight) <= 1e-10 * one, (one, eight)


def test_lulesh_reaches_the_reference_on_27_roles():
    many, one = verify_lulesh(27, 3, 2), verify_lulesh(1, 1, 6)
    assert abs(many - one) <= 1e-10 * one, (many, one)
    verify_lulesh(27, 3, 3)


def test_lulesh_without_a_reference_says_so():
    for args in (("--edge", 4), ("--edge", 5, "--steps", 30)):
        verdict = run("lulesh", "--np", 1, *args)["verdict"]
        assert verdict["reference"] is None and verdict["ok"], verdict


def test_lulesh_in_place_gives_the_same_bits_and_cannot_be_killed():
    args = ("lulesh", "--edge", 5, "--np", 8)
    assert run(*args)["state_hash"] == run(*args, "--buffers", "single")["state_hash"]
    refuse("run", *args, "--buffers", "single", "--kill", "1@3", words=("in place",))


def test_hash_repeats_and_does_not_depend_on_policy_or_interval():
    for kernel in (("cg", "--class", "S", "--np", 4), ("jacobi", "--grid", 64, "--np", 6)):
        hashes = {run(*kernel, "--policy", policy, "--interval", interval)["state_hash"]
                  for policy in ("none", "all") for interval in (1, 7, 1000)}
        assert len(hashes) == 1, hashes


def test_log_bytes_are_accounted():
    none = run("cg", "--class", "S", "--np", 4, "--policy", "none")
    everything, longer = (run("cg", "--class", "S", "--np", 4, "--policy", "all", "--interval",
                              interval, "--ckpt-sync") for interval in (25, 50))
    assert none["log"]["bytes_total"]["sum"] == 0
    assert longer["log"]["bytes_total"] == everything["log"]["bytes_total"]
    peaks = [r["log"]["bytes_peak"]["sum"] for r in (everything, longer)]
    assert peaks[1] == 2 * peaks[0] and peaks[0] > 0, peaks


def test_bad_kernel_input():
    refuse("run", "cg", "--np", 6, words=("--np 6", "power of two"))
    refuse("run", "cg", "--class", "Q", words=("class", "Q"))
    refuse("run", "cg", "--grid", 10, words=("grid",))
    refuse("run", "jacobi", "--grid", 0, words=("grid",))
    refuse("run", "jacobi", "--grid", "12x", words=("grid", "12x"))
    refuse("run", "jacobi", "--steps", -1, words=("steps",))
    refuse("run", "jacobi", "--np", 6, "--decomp", "2x2", words=("decomp",))
    refuse("run", "jacobi", "--np", 16, "--grid", 2, words=("grid",))
    refuse("run", "lulesh", "--np", 9, words=("--np 9", "cube"))
    refuse("run", "lulesh", "--np", 8, "--edge", "big", words=("--edge big",))
    refuse("run", "lulesh", "--np", 8, "--buffers", "triple", words=("--buffers triple",))
    refuse("run", "lattice", words=("lattice", "cg"))


if __name__ == "__main__":
    main()
