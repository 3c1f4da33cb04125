"""Kill a rank, recover, and prove the answer equal to the failure-free one, bit for bit."""
import functools
import os
import random
import subprocess
import tempfile

from rollbench import ROOT, call, deadline, descendants_named, kill_options, main, new_folder, run

MANY_RANKS = True

# Who rolls back to where is then known exactly; draining in the background is test_levels.py's.
SYNC = "--ckpt-sync"

CG = ("cg", "--class", "S", "--np", 8, "--interval", 25, SYNC)
CG4 = ("cg", "--class", "S", "--np", 4, "--interval", 25, SYNC)
JACOBI = ("jacobi", "--grid", 96, "--steps", 60, "--np", 6, "--interval", 20, SYNC)
LULESH = ("lulesh", "--edge", 4, "--steps", 60, "--np", 8, "--interval", 20, SYNC)
PHASES = ("start", "send", "commit", "checkpoint")


@functools.cache
def reference(kernel):
    return run(*kernel)["state_hash"]


def survive(kernel, policy, *kills, spares=None, more=()):
    """A run that must end in the failure-free state; some of the kills may not have fired."""
    args = [*kernel, "--policy", policy, *more, *kill_options(kills)]
    if spares is not None:
        args += ["--spares", spares]
    record = run(*args)
    assert record["state_hash"] == reference(kernel), (policy, kills)
    return record


def kill(kernel, policy, *kills, spares=None):
    """One run with these kills; returns its record after checking hash and completeness."""
    record = survive(kernel, policy, *kills, spares=spares)
    assert record["unfired"] == [], record["unfired"]
    assert len(record["failures"]) == len(kills), record["failures"]
    return record


def check_counts(record, policy, np, front, checkpoint):
    """Local: only the dead role repeats, exactly front - checkpoint. Global: all roles do."""
    failure = record["failures"][0]
    iterations = record["iterations"]
    assert failure["checkpoint"] == checkpoint, failure
    assert iterations["aborted"] <= np, iterations
    if policy == "all":
        assert failure["rollback_set"] == [failure["role"]], failure
        assert iterations["repeated"] == front - checkpoint, iterations
    else:
        assert failure["rollback_set"] == list(range(np)), failure
        repeated = iterations["repeated"]
        skew = 2 * np  # survivors may be an iteration ahead or behind
        assert abs(repeated - np * (front - checkpoint)) <= skew, iterations


def test_counts_of_local_and_global_rollback():
    for policy in ("all", "none"):
        for phase in ("start", "send", "commit"):
            check_counts(kill(CG, policy, f"3@38:{phase}"), policy, 8, 38, 25)
            check_counts(kill(JACOBI, policy, f"2@33:{phase}"), policy, 6, 33, 20)


def sample(kernel, np, interval, count, seed):
    """A bounded sample of role x iteration x phase x policy; `make test-exhaustive` does all."""
    chance = random.Random(seed)
    for _ in range(count):
        role, phase = chance.randrange(np), chance.choice(PHASES)
        iteration, policy = chance.randrange(interval), chance.choice(("none", "all"))
        kill(kernel, policy, f"{role}@{iteration}:{phase}")


@deadline(300)
def test_sample_cg_8():
    sample(CG, 8, 25, 24, seed=1)


@deadline(300)
def test_sample_cg_4():
    sample(CG4, 4, 25, 24, seed=2)


@deadline(300)
def test_sample_jacobi_6():
    sample(JACOBI, 6, 20, 24, seed=3)


@deadline(300)
def test_sample_lulesh_8():
    sample(LULESH, 8, 20, 24, seed=4)


def test_lulesh_27_roles():
    kernel = ("lulesh", "--edge", 2, "--steps", 45, "--np", 27, "--interval", 20)
    for policy in ("none", "all"):
        kill(kernel, policy, "13@33:send")


def test_lulesh_dies_twice_and_in_its_last_step():
    for policy in ("none", "all"):
        kill(LULESH, policy, "5@33:send", "0@41:commit")
        kill(("lulesh", "--edge", 5, "--np", 8, "--interval", 20), policy, "7@230:send")


def test_role_0_in_every_phase():
    for policy in ("none", "all"):
        for phase in PHASES:
            kill(JACOBI, policy, f"0@19:{phase}")


def test_first_and_last_iteration():
    for policy in ("none", "all"):
        kill(CG4, policy, "1@0:start")
        kill(CG4, policy, "1@374:commit")
        kill(JACOBI, policy, "5@59:send")


def test_a_second_failure_later():
    for policy in ("none", "all"):
        for kills in (("3@13", "5@77:send"), ("3@13", "3@14"), ("0@26:commit", "1@27:send")):
            kill(CG, policy, *kills)


def test_two_at_once():
    for policy in ("none", "all"):
        kill(CG, policy, "2@13:start", "5@13:start")
        kill(CG, policy, "0@30:send", "1@30:send")
        kill(JACOBI, policy, "1@33:commit", "4@33:commit")


def test_the_same_role_dies_again_while_it_catches_up():
    for policy in ("none", "all"):
        kill(CG4, policy, "2@20", "2@5:send", "2@12:commit")


def test_death_during_the_checkpoint_of_others():
    for policy in ("none", "all"):
        kill(CG4, policy, "0@25:checkpoint", "3@25:checkpoint")
        kill(CG4, policy, "0@25:checkpoint", "3@26:start")


def test_without_a_checkpoint_the_initial_state_serves():
    for policy in ("none", "all"):
        kill(("jacobi", "--grid", 96, "--steps", 60, "--np", 6, "--interval", 1000), policy,
             "4@41:send")


def test_a_constructor_that_failed_does_not_block_the_next():
    """What a repair does before it tries again, in this MPI (docs/ulfm-notes.md)."""
    mpirun = os.environ.get("ROLLBENCH_MPIRUN", "mpirun")
    with tempfile.TemporaryDirectory(prefix="rollbench-test-") as work:
        subprocess.run([os.environ.get("MPICC", "mpicc"), "-o", f"{work}/shrink",
                        ROOT / "docs/reproducers/shrink-after-dup.c"], check=True, timeout=60)
        done = subprocess.run([mpirun, "--with-ft", "ulfm", "--allow-run-as-root", "--mca", "coll", "^han", "--mca",
                               "btl_tcp_if_include", "lo", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none",
                               "-np", "4", f"{work}/shrink", "self"], capture_output=True, text=True, timeout=60)
    assert done.stdout.count("shrunk, 0") == 3, done


def test_out_of_spares_is_a_status_not_a_hang():
    record = run(*CG4, "--policy", "all", "--kill", "1@9", "--kill", "2@30", "--spares", 1,
                 expect="out-of-spares")
    assert "spare" in record["message"], record["message"]
    assert record["state_hash"] is None
    work = new_folder()
    record = run(*JACOBI, "--kill", "0@3", "--spares", 0, "--workdir", work,
                 expect="out-of-spares")
    assert not descendants_named(work), descendants_named(work)


def test_out_of_spares_when_no_role_or_nobody_lives():
    """Those who find out may be spares alone, or there is nobody who could."""
    for np, spares, said in ((2, 1, "2 roles died and 1 of them has no spare"), (3, 1, "3 roles died and 2 of them"),
                             (2, 0, "all processes died"), (1, 0, "all processes died")):
        kills = [word for role in range(np) for word in ("--kill", f"{role}@13")]
        record = run("jacobi", "--grid", 48, "--steps", 40, "--np", np, "--interval", 10, "--spares", spares, *kills,
                     expect="out-of-spares")
        assert said in record["message"], record["message"]


def test_a_kill_that_never_fires_is_said_aloud():
    record = run(*JACOBI, "--kill", "1@59:checkpoint")
    assert record["unfired"] == ["1@59:checkpoint"], record["unfired"]
    assert record["failures"] == []
    assert "1@59:checkpoint" in record["_stderr"]
    record = run(*JACOBI, "--kill", "1@60")
    assert record["unfired"] == ["1@60:start"]


def test_times_of_a_recovery():
    failure = kill(CG, "all", "3@38")["failures"][0]
    for key in ("detect_s", "repair_s", "restore_s", "replay_s", "catchup_s"):
        assert failure[key] is not None and 0 <= failure[key] < 60, (key, failure)
    assert (failure["role"], failure["iteration"], failure["phase"]) == (3, 38, "start")


def test_help_names_the_options():
    text = call("run", "--help").stdout
    for word in ("--np", "--spares", "--policy", "--interval", "--kill", "--json", "--deadline"):
        assert word in text, word


if __name__ == "__main__":
    main()
