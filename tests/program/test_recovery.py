"""Kill a rank, recover, and prove the answer equal to the failure-free one, bit for bit."""
import ctypes
import errno
import os
import random
import re
import struct
import subprocess
import tempfile
from collections import Counter

import pytest

from problems import CG, CG4, JACOBI, LULESH, PHASES, kill
from rollbench import HELPERS, ROOT, call, descendants_named, new_folder, run


def check_counts(record, policy, np, front, checkpoint):
    """Local: only the dead role repeats, exactly front - checkpoint. Global: all roles do. Of each failure."""
    iterations, lost = record["iterations"], 0
    assert iterations["aborted"] <= np * len(record["failures"]), iterations
    for number, failure in enumerate(record["failures"]):
        assert failure["checkpoint"] == checkpoint[number], failure
        assert failure["rollback_set"] == ([failure["role"]] if policy == "all" else list(range(np))), failure
        lost += len(failure["rollback_set"]) * (front[number] - checkpoint[number])
    # In a global rollback, survivors may be an iteration ahead or behind.
    skew = 0 if policy == "all" else 2 * np * len(record["failures"])
    assert abs(iterations["repeated"] - lost) <= skew, (iterations, lost)


def test_counts_of_local_and_global_rollback():
    for policy in ("all", "none"):
        for kernel, role, np, first, interval in ((CG, 3, 8, 38, 25), (JACOBI, 2, 6, 13, 20)):
            front = [first + n * interval for n in range(3)]
            record = kill(kernel, policy, *(f"{role}@{at}:{phase}" for at, phase in zip(front, PHASES)))
            check_counts(record, policy, np, front, [at // interval * interval for at in front])


TOGETHER = 4  # kills of a sample in one run


def sample(kernel, np, interval, count, seed):
    """A bounded sample of role x iteration x phase x policy, each kill of a run in an interval of its own;
    `make test-exhaustive` does all, each in a run of its own."""
    chance = random.Random(seed)
    for policy in ("none", "all"):
        for _ in range(count // 2 // TOGETHER):
            kills = [(chance.randrange(np), n * interval + chance.randrange(interval), chance.choice(PHASES))
                     for n in range(TOGETHER)]
            record = kill(kernel, policy, *(f"{role}@{at}:{phase}" for role, at, phase in kills))
            for failure, (role, at, phase) in zip(record["failures"], kills, strict=True):
                taken = phase == "checkpoint" and max(interval, -(-at // interval) * interval)
                assert (failure["role"], failure["phase"]) == (role, phase), (kills, failure)
                assert failure["iteration"] == (taken or at), (kills, failure)
                assert failure["checkpoint"] == (taken - interval if taken else at // interval * interval), failure


@pytest.mark.long
@pytest.mark.timeout(300)
def test_sample_cg_8():
    sample(CG, 8, 25, 24, seed=1)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_sample_cg_4():
    sample(CG4, 4, 25, 24, seed=2)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_sample_jacobi_6():
    sample(JACOBI, 6, 20, 24, seed=3)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_sample_lulesh_8():
    sample(LULESH, 8, 20, 24, seed=4)


@pytest.mark.long
def test_lulesh_27_roles():
    kernel = ("lulesh", "--edge", 2, "--steps", 45, "--np", 27, "--interval", 20)
    for policy in ("none", "all"):
        kill(kernel, policy, "13@33:send")


@pytest.mark.long
def test_lulesh_dies_twice_and_in_its_last_step():
    for policy in ("none", "all"):
        kill(("lulesh", "--edge", 5, "--np", 8, "--interval", 20), policy, "5@33:send", "0@41:commit", "7@230:send")


def test_role_0_in_every_phase():
    for policy in ("none", "all"):
        kill(JACOBI, policy, *(f"0@{20 * n + 19}:{phase}" for n, phase in enumerate(PHASES)))


def test_first_and_last_iteration():
    kill(CG4, "none", "1@0:start", "1@374:commit")
    kill(JACOBI, "all", "5@99:send")


@pytest.mark.long
def test_a_second_failure_later():
    for policy in ("none", "all"):
        kill(CG, policy, "3@13", "5@77:send", "3@113", "3@114", "0@151:commit", "1@152:send")


def test_two_at_once():
    kill(CG, "all", "2@13:start", "5@13:start", "0@55:send", "1@55:send")
    kill(JACOBI, "none", "1@33:commit", "4@33:commit")


def test_the_same_role_dies_again_while_it_catches_up():
    for policy in ("none", "all"):
        kill(CG4, policy, "2@20", "2@5:send", "2@12:commit")


def test_death_during_the_checkpoint_of_others():
    for policy in ("none", "all"):
        kill(CG4, policy, "0@25:checkpoint", "3@25:checkpoint", "0@75:checkpoint", "3@76:start")


def test_without_a_checkpoint_the_initial_state_serves():
    for policy in ("none", "all"):
        record = kill(("jacobi", "--grid", 96, "--steps", 60, "--np", 6, "--interval", 1000), policy, "4@41:send")
        assert record["failures"][0]["checkpoint"] == 0, record["failures"]


def under_mpi(np, *command):
    """What a program prints as a job that is to survive a death."""
    return subprocess.run([os.environ.get("ROLLBENCH_MPIRUN", "mpirun"), "--with-ft", "ulfm", "--allow-run-as-root", "--mca", "coll", "^han",
                           "--mca", "btl_tcp_if_include", "lo", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none", "-np", str(np), *command],
                          capture_output=True, text=True, timeout=60).stdout


def run_under_mpi(np, name, *sources):
    """The same of one that is compiled from these files."""
    with tempfile.TemporaryDirectory(prefix="rollbench-test-") as work:
        subprocess.run([os.environ.get("MPICC", "mpicc"), "-D_GNU_SOURCE", f"-I{ROOT}", "-o", f"{work}/{name}", *(ROOT / file for file in sources)],
                       check=True, timeout=60)
        return under_mpi(np, f"{work}/{name}", "self")


def test_a_constructor_that_failed_does_not_block_the_next():
    """What a repair does before it tries again, in this MPI (docs/ulfm-notes.md)."""
    said = run_under_mpi(4, "shrink", "docs/reproducers/shrink-after-dup.c")
    assert said.count("shrunk, 0") == 3, said


def test_the_connection_with_the_runtime_is_found():
    """If it were not, processes would be notified of a death soon after the start up to 40 ms late, and no result would show it."""
    said = run_under_mpi(2, "notices", "tests/mpi/notices.c", "ft/recovery/notices.c")
    assert sorted(said.split("\n")) == ["", "rank 0: found", "rank 1: found"], said


def test_all_roles_tell_each_other():
    """With 1 to 9 roles of 9 processes: only with a number that is no power of two is the last round shorter."""
    files = ("tests/mpi/dissemination.c", "ft/msg/dissemination.c", "ft/msg/link.c", "ft/msg/wait.c", "ft/msg/nap.c")
    said = re.findall(r"rank \d: (\d+) roles, (\d+) wrong", run_under_mpi(9, "dissemination", *files))
    assert [wrong for _, wrong in said] == ["0"] * 9 and sum(int(roles) for roles, _ in said) == 45, said


def test_what_the_runtime_says_is_acknowledged_before_each_epoch():
    work = new_folder()
    record = run(*JACOBI, "--policy", "all", "--kill", "1@20:send", "--spares", 1,
                 env={**os.environ, "LD_PRELOAD": str(HELPERS / "list_acknowledgements.so"), "ACKNOWLEDGEMENTS": str(work / "pids")})
    asked = sorted(Counter((work / "pids").read_text().split()).values())
    # the process that dies knows one epoch, and the others know two
    assert len(asked) == record["np"] + 1 and 2 <= asked[0] < asked[1], asked


def test_survivors_learn_of_a_death_although_the_daemon_of_the_host_is_stopped():
    said = under_mpi(4, HELPERS / "mpi" / "detector", new_folder())
    if "no detector" in said:
        pytest.skip(said)
    assert sorted(said.split("\n")) == ["", *(f"rank {rank}: told, 3 left" for rank in (0, 2, 3))], said


def detector(*options, policy="all"):
    record = kill(JACOBI, policy, "1@20:send", more=options)
    return record["host"].get("detector"), record.get("detector")


def test_the_record_says_who_notifies():
    assert detector("--detector", "runtime") == ({"how": "runtime"}, "runtime")
    assert detector("--strategy", "restart", policy="none") == (None, None)
    found, asked = detector()
    if "why" in found:
        pytest.skip(found["why"])
    assert (found, asked) == ({"how": "host"}, None)


def forbid(call):
    """This process and its children get ENOSYS for a system call, as from a kernel or a container that does not have it."""
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    load_number, equal, give = 0x20, 0x15, 0x06
    error, allow = 0x00050000 | errno.ENOSYS, 0x7FFF0000
    code = b"".join(struct.pack("HBBI", *line) for line in ((load_number, 0, 0, 0), (equal, 0, 1, call), (give, 0, 0, error), (give, 0, 0, allow)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, by_filter = 38, 22, 2
    assert libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
    assert libc.prctl(seccomp, by_filter, ctypes.byref(Program(len(code) // 8, code))) == 0, os.strerror(ctypes.get_errno())


def test_where_processes_cannot_watch_each_other_the_runtime_notifies():
    futex_waitv = 449
    forbid(futex_waitv)
    found, asked = detector()
    assert found["how"] == "runtime" and "futex_waitv" in found["why"] and asked is None, (found, asked)


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
    """Perhaps only spares notice it, or no process is left to notice it."""
    for np, spares, said in ((2, 1, "2 roles died and 1 of them has no spare"), (3, 1, "3 roles died and 2 of them"),
                             (2, 0, "all processes died"), (1, 0, "all processes died")):
        # the roles are a node: of kills by role, a role may learn of the first death before it is where it is to die
        record = run("jacobi", "--grid", 48, "--steps", 40, "--np", np, "--interval", 10, "--spares", spares, "--node-size", np, "--kill-node", "0@13",
                     expect="out-of-spares")
        assert said in record["message"], record["message"]
    for spares, per_node, kills in ((1, 2, ("--kill", "spare0@3", "--kill-node", "0@10")), (2, 4, ("--kill-node", "0@10"))):
        record = run("jacobi", "--grid", 48, "--steps", 40, "--np", 2, "--interval", 10, "--spares", spares, "--node-size",
                     per_node, *kills, expect="out-of-spares")
        assert "all processes died" in record["message"], record["message"]


def test_a_kill_that_never_fires_is_said_aloud():
    record = run(*JACOBI, "--kill", "1@99:checkpoint", "--kill", "1@100")
    assert record["unfired"] == ["1@99:checkpoint", "1@100:start"], record["unfired"]
    assert record["failures"] == []
    assert "1@99:checkpoint" in record["_stderr"] and "1@100" in record["_stderr"], record["_stderr"]


def test_times_of_a_recovery():
    failure = kill(CG, "all", "3@38")["failures"][0]
    for key in ("detect_s", "repair_s", "restore_s", "replay_s", "catchup_s"):
        assert failure[key] is not None and 0 <= failure[key] < 60, (key, failure)
    assert (failure["role"], failure["iteration"], failure["phase"]) == (3, 38, "start")


def test_help_names_the_options():
    text = call("run", "--help").stdout
    for word in ("--np", "--spares", "--policy", "--interval", "--kill", "--json", "--deadline"):
        assert word in text, word
