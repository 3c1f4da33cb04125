"""Data-flow rollback: survivors keep their state, and exactly the backward cone is recomputed on duplicates."""
import os

import pytest

from problems import CG, CG4, FLOW, FLOW_POLICIES, JACOBI, LULESH, SYNC, damaged, kill
from rollbench import HELPERS, kill_options, reference, refuse_all, run

FLAT = ("--recompute", "dataflow:flat")


def survivors_stay(record):
    for failure in record["failures"]:
        assert failure["recompute"] == "dataflow" and failure["role"] in failure["rollback_set"], failure
    return record


def neighbours(p, q):
    """Of each role of a p x q grid."""
    return [[(r // q + a) * q + r % q + b for a, b in ((-1, 0), (1, 0), (0, -1), (0, 1))
             if 0 <= r // q + a < p and 0 <= r % q + b < q] for r in range(p * q)]


def cone(graph, dead, line, fronts):
    """{role: iterations that its duplicate commits} of a stencil without logs, by recursion over messages. The role sends
    before it waits, so a message of iteration i takes the state of iteration i. A survivor gets the messages of a
    neighbour's last iteration from the neighbour."""
    fronts = [line if r in dead else front for r, front in enumerate(fronts)]
    newest, end = max(fronts), {}

    def compute(role, iteration):  # a message of this iteration is needed
        if fronts[role] <= iteration or end.get(role, -1) >= iteration:
            return
        end[role] = iteration
        for before in range(line, iteration):
            for other in graph[role]:
                compute(other, before)

    for role in range(len(graph)):
        for iteration in range(fronts[role], newest):
            for other in graph[role]:
                if role in dead or iteration < fronts[other] - 1:
                    compute(other, iteration)
    return {role: iteration - line for role, iteration in end.items()}


def check_cone(record, p, q):
    """Each failure of a Jacobi run without logs, and the sums."""
    repeated = supported = 0
    for failure in record["failures"]:
        assert failure["recompute"] == "dataflow", failure
        dead, line = failure["rollback_set"], failure["checkpoint"]
        expected = cone(neighbours(p, q), dead, line, failure["fronts"])
        assert failure["supporting"] == sorted(r for r, n in expected.items() if n > 0), (failure, expected)
        assert failure["sending"] == sorted(r for r, n in expected.items() if n == 0), (failure, expected)
        assert failure["supported"] == sum(expected.values()), (failure, expected)
        assert failure["lost"] == max(f for r, f in enumerate(failure["fronts"]) if r not in dead) - line, failure
        repeated += sum(failure["fronts"][r] - line for r in dead)
        supported += failure["supported"]
    assert record["iterations"]["repeated"] == repeated, (record["iterations"], repeated)
    assert record["iterations"]["supported"] == supported, (record["iterations"], supported)
    assert record["log"]["bytes_peak"]["max"] == 0, record["log"]


def check_flat(record, p, q):
    """Each failure of a Jacobi run without logs: the roles of the cone repeat what they have gone through."""
    for failure in record["failures"]:
        assert failure["recompute"] == "dataflow:flat" and failure["sending"] == [], failure
        dead, line, fronts = failure["rollback_set"], failure["checkpoint"], failure["fronts"]
        members = cone(neighbours(p, q), dead, line, fronts)
        assert failure["supporting"] == sorted(members), (failure, members)
        assert failure["supported"] == sum(fronts[r] - line for r in members), (failure, members)
    assert record["iterations"]["supported"] == sum(f["supported"] for f in record["failures"]), record["iterations"]
    assert record["log"]["bytes_peak"]["max"] == 0, record["log"]


def distances_hold(record, p, q):
    for failure in record["failures"]:
        dead = failure["rollback_set"]
        taking_part = {*dead, *failure["supporting"], *failure["sending"]}
        for role, distance in enumerate(failure["distance"]):
            least = min(abs(role // q - d // q) + abs(role % q - d % q) for d in dead)
            assert distance == (least if role in taking_part else None), (role, failure)


def jacobi(p, q, steps=100, interval=10):
    return ("jacobi", "--grid", 64, "--decomp", f"{p}x{q}", "--steps", steps, "--np", p * q, "--interval", interval, SYNC)


def all_losses(p, q, role):
    """Kills of one role, 1 to 8 iterations behind a checkpoint, each in an interval of its own. The work is that of the
    closed form where the cone does not touch a border and no survivor was an iteration further or behind."""
    kernel, exact = jacobi(p, q), 0
    record = kill(kernel, "none", *(f"{role}@{10 * lost + lost}" for lost in range(1, 9)), more=FLOW)
    check_cone(record, p, q)
    distances_hold(record, p, q)
    for failure in record["failures"]:
        lost = failure["lost"]
        away = min(role // q, p - 1 - role // q, role % q, q - 1 - role % q) if p > 1 else min(role % q, q - 1 - role % q)
        if set(failure["fronts"]) != {failure["iteration"]} or lost - 1 > away:
            continue
        work = failure["supported"] + lost
        assert work == (lost ** 2 if p == 1 else lost + 2 * (lost ** 3 - lost) // 3), failure
        assert len(failure["supporting"]) == (2 * (lost - 1) if p == 1 else 2 * lost * (lost - 1)), failure
        exact += lost > 1
    assert exact > 0, record["failures"]


@pytest.mark.long
def test_exact_work_in_one_dimension():
    all_losses(1, 16, 8)


@pytest.mark.long
def test_exact_work_in_two_dimensions():
    all_losses(3, 4, 5)


def flat_losses(p, q, role, losses):
    """As all_losses(), with some of the losses. The closed form holds where all roles at distance L exist."""
    kernel, exact = jacobi(p, q), 0
    record = kill(kernel, "none", *(f"{role}@{10 * lost + lost}" for lost in losses), more=FLAT)
    check_flat(record, p, q)
    distances_hold(record, p, q)
    for failure in record["failures"]:
        lost = failure["lost"]
        away = min(role % q, q - 1 - role % q, *((role // q, p - 1 - role // q) if p > 1 else ()))
        if set(failure["fronts"]) == {failure["iteration"]} and lost <= away:
            assert failure["supported"] == lost * (2 * lost if p == 1 else 2 * lost * (lost + 1)), failure
            exact += 1
    assert exact > 0, record["failures"]


@pytest.mark.long
def test_flat_work():
    flat_losses(1, 16, 8, (2, 4, 7))


def flat(kernel, policy, *kills, more=(), **options):
    record = kill(kernel, policy, *kills, more=(*FLAT, *more), **options)
    assert all(failure["recompute"] == "dataflow:flat" for failure in record["failures"]), record["failures"]


@pytest.mark.long
def test_flat_with_logs_and_more_deaths():
    """What a duplicate goes on without must not reach a restarted role, nor a survivor that lags behind."""
    flat(jacobi(1, 12), "window:3", "5@16", "6@27:commit", "2@38:send", "9@38:send")
    flat(jacobi(1, 6), "none", "2@15", "3@15:support", "2@12:send#2", more=("--ckpt", "buddy"))


@pytest.mark.long
@pytest.mark.timeout(400)
def test_flat_in_all_settings():
    flat(jacobi(1, 12), "budget:40%", "5@18:op+3", "6@37", "7@37")
    flat(jacobi(2, 3), "none", "2@18:op+3", "1@37:commit", "4@37:support", more=("--node-size", "2"))
    flat(jacobi(4, 3), "teams:3", "4@25", "5@48:commit", spares=0, more=("--replace", "spawn", "--power", "sleep"))
    for p, q, role in ((1, 16, 8), (3, 3, 4), (7, 7, 24)):
        flat_losses(p, q, role, range(1, 9))


@pytest.mark.long
def test_the_layout_of_the_paper():
    """Fig. 4 and 5: 4 rows of 2 roles, role 1 dies two iterations behind a checkpoint. Roles 6 and 7 are idle, and role 4, too."""
    kernel = ("jacobi", "--grid", 64, "--decomp", "4x2", "--steps", 40, "--np", 8, "--interval", 10, SYNC)
    flat = kill(kernel, "none", "1@12", "1@22", more=FLAT)
    check_flat(flat, 4, 2)
    assert any(set(failure["fronts"]) == {failure["iteration"]} for failure in flat["failures"]), flat["failures"]
    for failure in flat["failures"]:
        if set(failure["fronts"]) == {failure["iteration"]}:
            assert failure["supporting"] == [0, 2, 3, 5] and failure["blocked"] == [4, 6, 7], failure
    record = kill(kernel, "none", "1@12", "1@22", "1@32", more=FLOW)
    check_cone(record, 4, 2)
    assert any(set(failure["fronts"]) == {failure["iteration"]} for failure in record["failures"]), record["failures"]
    for failure in record["failures"]:
        if set(failure["fronts"]) == {failure["iteration"]}:
            assert failure["supporting"] == [0, 3] and failure["sending"] == [2, 5], failure
            assert failure["blocked"] == [4, 6, 7] and failure["supported"] == 2, failure


@pytest.mark.long
@pytest.mark.timeout(300)
def test_exact_work_with_49_roles():
    all_losses(7, 7, 24)


@pytest.mark.long
def test_memory_without_failures():
    """As without a log, and the results of reductions since the checkpoint: to the byte."""
    for kernel, numbers, np, interval in ((JACOBI, 1, 6, 20), (LULESH, 2, 8, 20), (CG4, 0, 4, 25)):
        record = run(*kernel, "--policy", "none", *FLOW)
        assert record["state_hash"] == reference(*kernel)
        assert record["log"] == {"bytes_peak": {"max": 0, "sum": 0}, "bytes_total": {"max": 0, "sum": 0}}, record["log"]
        assert record["dataflow"]["results_bytes"] == (numbers + 1) * 8 * interval, record["dataflow"]
        assert record["iterations"]["supported"] == record["iterations"]["repeated"] == 0
    # What is kept of an iteration: two rows of 32 and two columns of 48 points of 8 bytes at most.
    assert run(*JACOBI, *FLOW)["dataflow"]["kept_bytes"] == (32 + 2 * 48) * 8


def check_policy(kernel, policy, first, interval, phases):
    record = kill(kernel, policy, *(f"{role}@{first + n * interval}:{phase}" for n, (role, phase) in enumerate(phases)),
                  more=FLOW)
    for failure in record["failures"]:
        assert failure["recompute"] == "dataflow" and failure["rollback_set"] == [failure["role"]], failure
        assert policy != "all" or failure["supporting"] == failure["sending"] == [], failure
    return record


@pytest.mark.long
def test_every_policy_and_phase():
    phases = ((0, "start"), (1, "send"), (2, "commit"), (3, "op+3"))
    for number, policy in enumerate(FLOW_POLICIES):
        kernel, first, interval = ((CG, 33, 25), (LULESH, 27, 20), (JACOBI, 28, 20))[number % 3]
        check_policy(kernel, policy, first, interval, phases)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_every_policy_in_every_kernel():
    phases = ((0, "start"), (3, "send"), (2, "commit"))
    for kernel, first, interval in ((CG, 33, 25), (LULESH, 27, 20), (JACOBI, 28, 20), (CG4, 40, 25)):
        for policy in FLOW_POLICIES:
            check_policy(kernel, policy, first, interval, phases)


@pytest.mark.long
def test_a_reduction_does_not_make_the_cone_global():
    """LULESH has a global time step. If one iteration of a corner of 27 roles is lost, its 7 neighbours have to send it forces
    and gradients again; for the gradients they need forces of 12 others. The other 7 are idle."""
    kernel = ("lulesh", "--edge", 3, "--steps", 50, "--np", 27, "--interval", 10, SYNC)
    record = kill(kernel, "none", "0@11", "0@21", "0@31", "0@41", more=FLOW)
    taking_part = {x + 3 * y + 9 * z for x in range(3) for y in range(3) for z in range(3)
                   if sum(max(0, at - 1) for at in (x, y, z)) <= 1} - {0}
    assert len(taking_part) == 19
    exact = 0
    for failure in record["failures"]:
        if failure["lost"] == 1:
            assert set(failure["sending"]) <= taking_part and failure["supporting"] == [], failure
        if set(failure["fronts"]) == {failure["iteration"]}:
            assert set(failure["sending"]) == taking_part, failure
            exact += 1
    assert exact > 0, record["failures"]


def test_cg_becomes_global():
    record = kill(CG, "none", "3@40", more=FLOW)
    failure = record["failures"][0]
    assert failure["lost"] >= 15 and failure["supporting"] == [0, 1, 2, 4, 5, 6, 7], failure


@pytest.mark.long
def test_several_deaths_at_once():
    record = kill(jacobi(3, 3), "none", "0@17", "8@17", "4@37:commit", "5@37:commit", more=FLOW)
    for failure in record["failures"]:
        assert failure["recompute"] == "dataflow", failure
    survivors_stay(kill(LULESH, "none", "1@35", "6@35", more=FLOW))


@pytest.mark.long
def test_a_supporter_dies():
    """At its first iteration on a duplicate; the restarted role dies again; both."""
    for kernel in (JACOBI, LULESH, CG4):
        record = kill(kernel, "none", "2@48", "3@48:support", more=FLOW)
        assert len({f["epoch"] for f in record["failures"]}) == 2, record["failures"]
        survivors_stay(record)
    survivors_stay(kill(JACOBI, "none", "2@38", "2@25:send#2", more=FLOW))
    survivors_stay(kill(JACOBI, "window:3", "2@38", "1@38:repair+500", "2@26:op+2#2", more=FLOW))


@pytest.mark.long
def test_death_in_the_closing_check():
    for kernel, last in ((JACOBI, 100), (LULESH, 100)):
        survivors_stay(kill(kernel, "none", f"0@{last}:op+1", f"3@{last}:op+2", more=FLOW))


def test_a_spare_dies():
    """Its epoch is no part of the recovery before it."""
    record = run(*jacobi(2, 3), *FLOW, "--spares", 4, *kill_options(("2@33", "spare3@60")))
    assert record["state_hash"] == reference(*jacobi(2, 3)) and record["unfired"] == [], record
    check_cone(record, 2, 3)


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_damaged_checkpoint_of_a_duplicate():
    """A supporter refuses its own image. Its partner has a copy, or has died with it; then all roles go back."""
    record = damaged("buddy", 0, [0], "2@5990", policy="none", more=FLOW)
    assert [entry["role"] for entry in record["refused_checkpoints"]] == [0], record["refused_checkpoints"]
    assert 0 in survivors_stay(record)["failures"][0]["supporting"], record["failures"]
    record = damaged("buddy", 0, [0], "1@5990", policy="none", more=FLOW)
    failure = record["failures"][0]
    assert [entry["role"] for entry in record["refused_checkpoints"]] == [0], record["refused_checkpoints"]
    assert failure["recompute"] == "rollback" and failure["rollback_set"] == [0, 1, 2, 3], failure


def test_levels_and_lags():
    for levels, lag in (("buddy", "async"), ("rs:2+1", "3"), ("file,buddy", "async")):
        kernel = ("jacobi", "--grid", 64, "--steps", 60, "--np", 6, "--interval", 10)
        args = (*kernel, "--policy", "none", *FLOW, "--ckpt", levels, "--ckpt-lag", lag)
        record = run(*args, *kill_options(("1@25", "4@42:commit")))
        assert record["state_hash"] == reference(*kernel) and record["unfired"] == [], record
        assert all(f["recompute"] == "dataflow" and f["checkpoint"] > 0 for f in record["failures"]), record["failures"]


def test_replacements_hosts_and_power():
    kill(JACOBI, "none", "3@33", spares=0, more=(*FLOW, "--replace", "spawn"))
    record = kill(JACOBI, "none", "0@26", more=(*FLOW, "--power", "sleep"))
    fronts = record["failures"][0]["fronts"]  # who has not come as far as others when the death is noticed has something to do
    spans = [role["used"].get("blocked", {"spans": 0})["spans"] for role in record["roles"]]
    assert record["power"] == "sleep" and 1 in spans[1:] and spans[1:] == [int(front == max(fronts)) for front in fronts[1:]], (fronts, spans)
    record = run(*JACOBI, *FLOW, "--node-size", 2, "--kill-node", "1@33")
    assert record["state_hash"] == reference(*JACOBI) and len(record["failures"]) == 2, record


def test_no_memory_for_a_duplicate():
    """The recovery falls back to rollback and says so. The third and later blocks of this size are refused in each process:
    the first two are u and v of the role's own state, with 16 bytes before them (kernels/field.c)."""
    kernel = ("jacobi", "--grid", 60, "--decomp", "1x3", "--steps", 40, "--np", 3, "--interval", 10, SYNC)
    environment = {**os.environ, "LD_PRELOAD": str(HELPERS / "refuse_memory.so"), "REFUSE_BYTES": str(16 + 60 * 20 * 8),
                   "REFUSE_AFTER": "2"}
    record = run(*kernel, *FLOW, *kill_options(("1@25",)), env=environment)
    assert record["state_hash"] == reference(*kernel), record
    failure = record["failures"][0]
    assert failure["recompute"] == "rollback" and failure["rollback_set"] == [0, 1, 2], failure


def test_bad_input():
    refuse_all(("run", "jacobi", *FLOW, "--strategy", "restart", "--ckpt", "file", ("--recompute dataflow", "--strategy")),
               ("run", "jacobi", *FLAT, "--strategy", "restart", "--ckpt", "file", ("--recompute dataflow:flat", "--strategy")),
               ("run", "lulesh", "--np", 8, *FLAT, ("--recompute dataflow:flat", "lulesh", "use --recompute dataflow")),
               ("explain", "cg", "--np", 8, *FLAT, "--kill", "1@3", ("--recompute dataflow:flat", "use --recompute dataflow")),
               ("run", "jacobi", "--recompute", "some", ("--recompute some", "rollback", "dataflow", "dataflow:flat")))
