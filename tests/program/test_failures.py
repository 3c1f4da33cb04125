"""Failures of every kind: in recoveries, of spares and nodes, by chance; every policy survives them."""
import json

import pytest
from problems import CG, CG4, JACOBI, LULESH, kill, survive
from rollbench import call, kill_options, reference, refuse, refuse_all, run

OPERATIONS = 10  # sends and waits of role 4 of JACOBI in an iteration
POLICIES = ("none", "all", "window:8", "budget:40%", "budget:40%:clusters", "teams:2",
            "teams:node")
MORE_POLICIES = ("budget:40%:online", "budget:40%:online:kept")  # in the long test


KERNELS = ((CG, 43, 25), (LULESH, 33, 20), (JACOBI, 35, 20))  # an iteration in the middle, and the interval


def check_policy(kernel, front, interval, policy):
    """A send is interrupted in two intervals."""
    fronts = (front, front + interval)
    record = kill(kernel, policy, *(f"3@{at}:send" for at in fronts))
    for failure, at in zip(record["failures"], fronts, strict=True):
        assert failure["iteration"] == at and failure["checkpoint"] == at // interval * interval, failure
        assert 3 in failure["rollback_set"], failure
        if policy in ("none", "all"):
            np = len(record["roles"])
            assert failure["rollback_set"] == ([3] if policy == "all" else list(range(np))), failure


@pytest.mark.long
def test_every_policy_in_a_kernel():
    for number, policy in enumerate(POLICIES):
        check_policy(*KERNELS[number % 3], policy)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_every_policy_in_every_kernel():
    for kernel in KERNELS:
        for policy in (*POLICIES, *MORE_POLICIES):
            check_policy(*kernel, policy)


@pytest.mark.long
@pytest.mark.timeout(200)
def test_deaths_within_a_recovery():
    """Each pair dies in its own interval, the second in the recovery from the first."""
    pairs = [(f"3@{at}", second.format(at)) for at, second in zip(
        (38, 63, 88, 113, 138), ("5@{}:recovery", "5@{}:repair+0", "5@{}:repair+1500", "0@{}:repair+300",
                                 "3@{}:restore"))]
    for policy in ("none", "all", "window:8", "teams:2"):
        for part in (pairs[:3], pairs[3:]):
            kill(CG, policy, *(text for pair in part for text in pair))


def test_death_in_replay():
    for kernel, first, second in ((CG, 3, 2), (LULESH, 4, 5)):
        record = kill(kernel, "all", f"{first}@38", f"{second}@38:replay")
        assert len({f["epoch"] for f in record["failures"]}) == 2, record["failures"]


@pytest.mark.long
@pytest.mark.timeout(200)
def test_the_sender_of_a_needed_message_is_dead_too():
    """Logs die with their owner, so the rollback set must grow, and nothing may be guessed."""
    for policy in ("all", "teams:2", "budget:40%"):
        record = kill(JACOBI, policy, "1@33:commit", "4@33:commit")
        assert {1, 4} <= set(record["failures"][0]["rollback_set"])
        kill(CG, policy, "2@43:send", "3@43:recovery", "2@68:send", "6@68:repair+900",
             *(("2@93:send", "3@93:replay") if policy == "all" else ()))


def test_a_restarted_role_dies_again_where_it_catches_up():
    for policy in ("none", "all"):
        kill(CG4, policy, "2@20", "2@5:send#2", "2@70:commit", "2@70:op+4#2")


def test_every_operation_of_an_iteration():
    """Up to four kills in a run; an iteration of a role with three neighbours has OPERATIONS of them."""
    for first in range(1, OPERATIONS + 1, 4):
        ops = range(first, min(first + 4, OPERATIONS + 1))
        kill(JACOBI, "all", *(f"4@{13 + 20 * n}:op+{op}" for n, op in enumerate(ops)))
    record = survive(JACOBI, "all", f"4@33:op+{OPERATIONS + 1}")
    assert record["unfired"] == [f"4@33:op+{OPERATIONS + 1}"], "an iteration has more operations"


@pytest.mark.parametrize("kernel", (("jacobi", "--grid", 48, "--steps", 3000, "--np", 4, "--interval", 500, "--ckpt-sync"),
                                    ("cg", "--class", "A", "--np", 4, "--interval", 20, "--ckpt", "buddy")), ids=lambda kernel: kernel[0])
def test_roles_go_on_without_a_spare(kernel):
    """It is a member of the communicator on which they send, CG also images of 100 KiB."""
    record = survive(kernel, "all", "spare0@100", spares=2)
    assert record["unfired"] == record["failures"] == [] and record["iterations"]["aborted"] == 0, record["iterations"]


@pytest.mark.long
def test_a_spare_dies():
    record = survive(CG4, "all", "2@38", "spare0@20", spares=2)
    assert record["unfired"] == [] and len(record["failures"]) == 1, record
    record = survive(CG4, "all", "2@38", "spare1@38:repair+300", spares=3)
    assert record["unfired"] == [] and len(record["failures"]) == 1, record
    longer = ("jacobi", "--grid", 48, "--steps", 6000, "--np", 4, "--interval", 500, "--ckpt-sync")
    record = survive(longer, "all", "2@5500", "spare0@100", "spare1@1500", spares=3)
    assert record["unfired"] == [], record["unfired"]  # all kills fire, also after one death
    record = run(*CG4, "--policy", "all", "--kill", "2@38", "--kill", "spare0@20", "--spares", 1,
                 expect="out-of-spares")
    assert "spare" in record["message"]


@pytest.mark.long
def test_a_node_dies():
    for policy in ("none", "all", "teams:node"):
        record = survive(CG, policy, more=("--node-size", 2, "--kill-node", "1@38"))
        assert [f["role"] for f in record["failures"]] == [2, 3], record["failures"]
        assert record["failures"][0]["epoch"] == record["failures"][1]["epoch"]
        fronts = record["failures"][0]["fronts"]
        if policy != "none":
            # No log has what one of a team sent to the other in an iteration that the other had not left.
            skewed = [r for r in (0, 1, 4, 5, 6, 7) if policy == "teams:node" and fronts[r] != fronts[r ^ 1]]
            assert record["failures"][0]["rollback_set"] == sorted([2, 3, *skewed]), record["failures"]
    record = survive(CG, "all", "7@38", more=("--node-size", 2, "--kill", "node0@38:repair+500"))
    assert sorted(f["role"] for f in record["failures"]) == [0, 1, 7], record["failures"]
    record = survive(CG, "all", more=("--node-size", 4, "--kill", "node1@38:commit"))
    assert [f["role"] for f in record["failures"]] == [4, 5, 6, 7], record["failures"]


def test_all_roles_die_at_once():
    """No survivor knows of the checkpoint, but the ledgers do."""
    alone = ("jacobi", "--grid", 64, "--steps", 60, "--np", 1, "--interval", 25)
    kill(alone, "none", "0@35")
    pair = ("jacobi", "--grid", 64, "--steps", 60, "--np", 2, "--interval", 25, "--ckpt-sync")
    for policy in ("none", "all"):
        record = survive(pair, policy, "1@57", more=("--node-size", 2, "--kill-node", "0@42"))
        assert record["failures"][0]["checkpoint"] == 25, record["failures"]


@pytest.mark.long
def test_death_in_the_closing_check():
    for policy in ("none", "all"):
        kill(JACOBI, policy, "4@100:op+1")
        kill(JACOBI, policy, "4@100:op+2", "1@100:op+2")
        kill(LULESH, policy, "0@100:op+1", "7@100:repair+200")


def test_nodes_that_are_not_there():
    refuse_all(("run", "cg", "--np", 8, "--node-size", 4, "--kill-node", "7@3", ("node7",)),
               ("run", "cg", "--np", 8, "--spares", 1, "--kill", "spare1@3", ("spare1",)),
               ("run", "cg", "--np", 8, "--node-size", 0, ("--node-size",)),
               ("run", "cg", "--mtbf", "never", ("--mtbf",)),
               ("run", "cg", "--replace", "clone", ("--replace clone", "spawn")))


def deaths_by_chance(args, policy, mtbf, seeds):
    """The kills of the first of these runs in which roles died; all are at points with a name."""
    for seed in seeds:
        record = run(*args, "--policy", policy, "--mtbf", mtbf, "--seed", seed, "--spares", 12)
        assert record["state_hash"] == reference(*args)
        assert record["mtbf"] == {"seconds": mtbf, "seed": seed}
        kills = [f["kill"] for f in record["failures"]]
        if kills and None not in kills:
            return kills
    raise AssertionError(f"nobody died by chance, or nobody knows how: seeds {seeds}")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_deaths_by_chance_and_the_same_as_a_plan():
    args = ("jacobi", "--grid", 96, "--steps", 2000, "--np", 6, "--interval", 100)
    right = reference(*args)
    mtbf = round(run(*args)["loop_s"] / 2, 3)  # for any speed and load of this machine
    for first, policy in ((1, "all"), (2, "none"), (3, "window:10")):
        kills = deaths_by_chance(args, policy, mtbf, range(first, 10, 3))
        again = run(*args, "--policy", policy, *kill_options(kills), "--spares", len(kills) + 1)
        assert again["state_hash"] == right
        fired = len(kills) - len(again["unfired"])
        assert fired >= 0.5 * len(kills), (kills, again["unfired"])


def test_a_budget_is_kept_and_said():
    record = kill(CG, "budget:40%", "3@43")
    cap = int(record["policy"].split(":")[1])
    assert record["policy_asked"] == "budget:40%"
    assert 0 < record["log"]["bytes_peak"]["max"] <= cap, record["log"]
    assert record["switched_off"], record
    assert {"from", "to", "iteration", "bytes"} == set(record["switched_off"][0])
    refuse_all(("run", "cg", "--policy", "budget:140%", ("budget:140%",)),
               ("run", "cg", "--policy", "budget:40%:lightest", ("lightest",)))


def test_the_window_switches_by_itself():
    early, late = kill(CG, "window:10", "3@34", "3@65")["failures"]
    assert early["rollback_set"] == [3] and late["rollback_set"] == list(range(8)), (early, late)


# A repair that starts processes takes many seconds on a busy machine, so that it would be escalated; without escalation, one that
# does not close is a hang.
SPAWN = ("--replace", "spawn", "--no-escalation")


@pytest.mark.timeout(200)
def test_replacement_by_spawning():
    for policy in ("none", "all"):
        record = survive(CG4, policy, "2@38", spares=0, more=SPAWN)
        assert record["failures"][0]["replaced_by"] == "spawn", record["failures"]
    record = survive(CG4, "all", "2@38", "1@77:send", spares=1, more=SPAWN)
    assert [f["replaced_by"] for f in record["failures"]] == ["spare", "spawn"], record


def test_one_of_two_that_were_started_in_one_repair_dies():
    """The MPI ends all processes that were started together when one dies, so each is started alone. In about one run of a hundred on a busy
    machine the first one never comes out of PMIx_Init (docs/ulfm-notes.md): such a run hangs before the death that this is about."""
    kills = ("1@28:commit", "4@28:commit", "1@31:send")
    for _ in range(3):
        done = call("run", *JACOBI, "--policy", "all", *SPAWN, *kill_options(kills), "--spares", 0, "--deadline", 20, "--json", "-")
        record = json.loads(done.stdout)
        if record["status"] != "hang" or record["unfired"] != ["1@31:send"] or record["failures"]:
            break
    assert record["status"] == "ok" and record["state_hash"] == reference(*JACOBI), (record["status"], record.get("message"), record["failures"])
    assert len(record["failures"]) == 3 and {f["replaced_by"] for f in record["failures"]} == {"spawn"}, record["failures"]


SLEEP = ("--power", "sleep")


def two_deaths(kernel, front, policy, which):
    """Two deaths at about the same time, while blocked roles sleep."""
    kills = ((f"3@{front}", f"3@{front}:restore"), (f"3@{front}", f"0@{front}:op+1"),
             (f"3@{front}:commit", f"5@{front}"), (f"3@{front}",))
    for number in which:
        kill(kernel, policy, *kills[number], more=SLEEP)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_what_happens_while_blocked_roles_sleep():
    for number, (kernel, front, _) in enumerate(KERNELS):
        two_deaths(kernel, front, "all", (number,))
        blocked = kill(kernel, "all", f"3@{front}", more=SLEEP)["failures"][0]["blocked"]
        kill(kernel, "all", f"3@{front}", f"{blocked[0]}@{front}:blocked", more=SLEEP)
    kill(JACOBI, "all", "4@100:op+1", more=SLEEP)
    kill(LULESH, "all", "0@40:checkpoint", "1@41", more=SLEEP)
    refuse("run", "cg", "--power", "nap", words=("--power nap", "sleep"))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_what_happens_while_blocked_roles_sleep_under_every_policy():
    for number, (kernel, front, _) in enumerate(KERNELS):
        for policy in ("all", "none", "teams:2"):
            two_deaths(kernel, front, policy, range(4) if policy == "all" else (number, 3))
