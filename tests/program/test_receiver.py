"""Messages that receivers keep: who goes back, which messages come from a role's own log, and that the answer is the same."""
import csv
import json

import pytest

from rollbench import call, kill_options, new_folder, reference, refuse_all, run

SYNC = "--ckpt-sync"
JACOBI = ("jacobi", "--grid", 96, "--steps", 60, "--np", 6, "--interval", 20, SYNC)  # 2 x 3 roles
KERNELS = (
    JACOBI,
    ("cg", "--class", "S", "--np", 8, "--interval", 25, SYNC),
    ("lulesh", "--edge", 4, "--steps", 60, "--np", 8, "--interval", 20, SYNC),
    ("bfs", "--scale", 8, "--steps", 60, "--np", 8, "--interval", 20, SYNC),
    ("amr", "--cells", 4, "--steps", 60, "--np", 8, "--interval", 20, SYNC),
)
POLICIES = ("receiver", "budget:40%:receiver", "budget:60%:clusters:receiver", "teams:2:receiver")


def explain(*args):
    done = call("explain", *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def channels(kernel, iterations):
    """{(sender, receiver): (messages, bytes)} of the first iterations, from the pattern."""
    path = new_folder() / "profile.csv"
    done = call("profile", *kernel[:-3], "--iterations", iterations, "--out", path)  # without the interval
    assert done.returncode == 0, done.stderr
    with open(path, encoding="utf-8") as f:
        rows = csv.DictReader(line for line in f if not line.startswith("#"))
        return {(int(row["source"]), int(row["destination"])): (int(row["count"]), int(row["bytes"]))
                for row in rows if row["kind"] == "p2p"}


def test_who_goes_back():
    """The dead role and all that have sent to it; each of these has its own copies, so nobody else."""
    jacobi = ("jacobi", "--np", 12, "--decomp", "3x4", "--interval", 20, SYNC)
    alone = explain(*jacobi, "--policy", "receiver", "--kill", "5@33")
    assert alone["restarted"] == [1, 4, 5, 6, 9] and alone["perhaps_restarted"] == [] and alone["chain"] == [1, 1], alone
    # Nobody sends a logged message again; survivors may have to send their last iteration again.
    assert alone["active"] == [], alone
    # Senders keep what crosses rows, receivers what stays in a row: 1 and 9 replay, 4 and 6 go back.
    teams = explain(*jacobi, "--policy", "teams:4:receiver", "--kill", "5@33")
    assert teams["restarted"] == [4, 5, 6] and {1, 9} <= set(teams["active"]), teams
    # Where only one iteration is lost, the senders still have it.
    first = explain(*jacobi, "--policy", "receiver", "--kill", "5@21:send")
    assert first["restarted"] == [5] and first["perhaps_restarted"] == [], first
    assert first["active"] == [] and first["perhaps_active"] == [1, 4, 6, 9], first
    # As much memory as senders would need, at the other end.
    for policy in POLICIES[::3]:
        mine, all_ = (explain(*KERNELS[3], "--policy", p, "--kill", "5@33")["log_bytes_peak"] for p in (policy, "all"))
        assert sum(mine) == sum(all_), (policy, mine, all_)


def test_what_is_refused():
    refuse_all(
        ("run", "jacobi", "--policy", "receiver:3", ("receiver takes no parameter",)),
        ("run", "jacobi", "--policy", "teams:2:sender", ("teams:node, and perhaps :receiver",)),
        ("run", "jacobi", "--policy", "budget:1K:receiver:clusters", (":clusters, and :receiver",)),
        ("run", "jacobi", "--policy", "receiver", "--recompute", "dataflow", ("use --recompute rollback",)),
        ("simulate", "jacobi", "--np", "4", "--method", "receiver+dataflow", ("duplicates do not read", "logs at the senders")),
    )


def check(record, kernel, dead, front, line):
    """The run did what explain says, and read again exactly what survivors had sent to the roles that went back with the dead
    ones."""
    told = explain(*kernel, "--policy", record["policy"], *(["--kill", record["plan"][0]]))
    failure = record["failures"][0]
    back = failure["rollback_set"]
    assert set(told["restarted"]) <= set(back) <= {*told["restarted"], *told["perhaps_restarted"]}, (told, back)
    assert set(told["active"]) <= set(failure["active"]) <= {*told["active"], *told["perhaps_active"]}, (told, failure)
    if record["policy"] != "receiver" or set(failure["fronts"]) != {front}:
        return
    early, late = channels(kernel, line), channels(kernel, front)
    again = [(messages - early.get(c, (0, 0))[0], size - early.get(c, (0, 0))[1])
             for c, (messages, size) in late.items() if c[1] in back and c[1] not in dead and c[0] not in back]
    assert record["receivers"]["reread"] == sum(a[0] for a in again), (record["receivers"], again)
    assert record["receivers"]["reread_bytes"] == sum(a[1] for a in again), (record["receivers"], again)
    assert failure["replayed_bytes"] == 0, failure


def test_a_death():
    record = run(*JACOBI, "--policy", "receiver", "--kill", "3@33")
    assert record["state_hash"] == reference(*JACOBI)
    assert record["failures"][0]["rollback_set"] == [0, 3, 4] and record["receivers"]["reread"] > 0, record["failures"]
    check(record, JACOBI, {3}, 33, 20)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_every_kernel():
    """Deaths of one role, of two at once, one after the other in an interval, and within recoveries."""
    folder = new_folder()
    checked = 0
    for kernel in KERNELS:
        second = 2 * kernel[kernel.index("--interval") + 1]  # the checkpoint behind the second interval
        for policy in POLICIES:
            for i, kills in enumerate((("3@33",), ("0@34:commit",), ("5@47:op+3",), ("1@30", "4@30:op+2"), ("2@41:send", "1@44"),
                                       ("2@35", "2@36:recovery"), ("0@35", "3@36:replay"),
                                       (f"1@{second}:checkpoint", f"1@{second + 1}:restore"))):
                record = run(*kernel, "--policy", policy, *kill_options(kills))
                assert record["state_hash"] == reference(*kernel), (kernel, policy, kills)
                assert record["failures"], (kernel, policy, kills)
                if len(kills) == 1 and kernel[0] != "cg":
                    check(record, kernel, {record["failures"][0]["role"]}, int(kills[0].partition("@")[2].partition(":")[0]),
                          record["failures"][0]["checkpoint"])
                checked += record["receivers"]["reread"] > 0
                (folder / f"{kernel[0]}-{policy.replace(':', '-').replace('%', '')}-{i}.json").write_text(json.dumps(record))
    assert checked > 20, checked
    done = call("simulate", "--against", folder)
    assert done.returncode == 0 and " 0 differ" in done.stdout, done.stdout


@pytest.mark.long
def test_a_checkpoint_under_way():
    """Checkpoints that count late: the log of a receiver spans two intervals when it rolls back."""
    for lag in (3, 9):
        late = (*JACOBI[:-1], "--ckpt-lag", lag)
        for kills in (("3@42",), ("3@48", "0@49"), ("1@41", "2@43:recovery")):
            for policy in POLICIES:
                record = run(*late, "--policy", policy, *kill_options(kills))
                assert record["state_hash"] == reference(*JACOBI), (policy, lag, kills)
