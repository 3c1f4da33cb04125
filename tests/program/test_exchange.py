"""LULESH with `--exchange all` and `reference`: the answer, the messages, and every recovery as with the six face neighbours."""
import pytest
from forecasts import MORE_POLICIES, POLICIES, check_forecasts, explain
from problems import FLOW, FLOW_POLICIES, LULESH, LULESH_ENERGIES, kill, survive
from rollbench import new_folder, reference, refuse, run

ALL = (*LULESH, "--exchange", "all")
# Role 0 is a corner of the cube as all of 8 roles are. Sends and waits in an iteration: of the reduction 2 along each axis; of forces 7 sends
# and a wait; of gradients 3 sends and a wait.
OPERATIONS = 3 * 2 + 8 + 4


def verify(np, side, edge, *more):
    record = run("lulesh", "--np", np, "--edge", edge, "--policy", "all", "--interval", 20, *more)
    steps, energy = LULESH_ENERGIES[edge * side]
    assert record["verdict"]["ok"] and f"{record['verdict']['value']:.6e}" == f"{energy:.6e}", record["verdict"]
    assert record["iterations"]["useful"] == steps * np, record["iterations"]
    return record


def check_answers(np, side, edge):
    """Both are right to all digits that are known, and differ by rounding only. Returns whether their bits are the same."""
    six, all_of_them = (verify(np, side, edge, "--exchange", word) for word in ("faces", "all"))
    one, other = (record["verdict"]["value"] for record in (six, all_of_them))
    assert abs(one - other) <= 1e-10 * one, (one, other)
    assert six["state_hash"] == verify(np, side, edge)["state_hash"], "faces is the default"
    return six["state_hash"] == all_of_them["state_hash"]


@pytest.mark.long
def test_the_answer_is_right_on_1_and_8_roles():
    assert check_answers(1, 1, 5), "one role shares no nodes"
    assert not check_answers(8, 2, 5), "the orders of additions are different ones"


@pytest.mark.long
@pytest.mark.timeout(240)
def test_the_answer_is_right_on_27_roles():
    """test_kernels.py has the other exchange."""
    for edge in (2, 3):
        many, one = (verify(np, side, size, "--exchange", "all")["verdict"]["value"] for np, side, size in ((27, 3, edge), (1, 1, 3 * edge)))
        assert abs(many - one) <= 1e-10 * one, (many, one)


def test_three_components_across_a_face_change_nothing_but_the_payload():
    """The viscosity needs one of them. 6 planes of 46^2 nodes, 12 lines of 46 and 8 points with 3 forces; 6 layers of 45^2 elements with 3 or 1 gradients;
    a reduction of 6 messages with 16 bytes."""
    reference_ = (*LULESH, "--exchange", "reference")
    assert reference(*reference_) == reference(*ALL) != reference(*LULESH)
    survive(reference_, "all", "3@13")
    forces, layers = 24 * (6 * 46**2 + 12 * 46 + 8), 8 * 6 * 45**2
    for word, payload in (("all", forces + layers), ("reference", forces + 3 * layers)):
        log = explain("lulesh", "--np", 27, "--edge", 45, "--exchange", word, "--policy", "all", "--interval", 1, "--kill", "0@0")["log_bytes_peak"]
        assert max(log) == payload + 6 * 16, (word, max(log), payload)


def test_bad_input():
    refuse("run", "lulesh", "--np", 8, "--exchange", "corners", words=("--exchange corners", "faces, all or reference"))


def test_who_replays():
    """A corner of 5^3 roles: its 7 neighbours, and not only the 3 across faces. From the middle: all 26."""
    kills = {"faces": {0: [1, 5, 25]}, "all": {0: [1, 5, 6, 25, 26, 30, 31], 62: [
        r for r in range(125) if r != 62 and all(abs(r // n % 5 - 62 // n % 5) <= 1 for n in (1, 5, 25))]}}
    for word, sets in kills.items():
        for role, active in sets.items():
            found = explain("lulesh", "--np", 125, "--exchange", word, "--policy", "all", "--kill", f"{role}@40")
            assert found["active"] == active, (word, role, found["active"])
    assert len(kills["all"][62]) == 26


def test_the_log_is_as_large_as_foretold():
    forecast = explain(*ALL, "--policy", "all", "--kill", "0@19:commit")["log_bytes_peak"]
    peaks = [role["log_bytes_peak"] for role in run(*ALL, "--policy", "all")["roles"]]
    assert all(a >= b > 0 for a, b in zip(forecast, peaks, strict=True)), (forecast, peaks)
    assert max(peaks) <= max(forecast) * 1.1, (peaks, forecast)


@pytest.mark.long
def test_local_and_global_rollback():
    for policy in ("all", "none"):
        record = kill(ALL, policy, "0@13", "5@33:send", "0@53:commit", "7@71:checkpoint")
        for failure in record["failures"]:
            assert failure["rollback_set"] == ([failure["role"]] if policy == "all" else list(range(8))), failure
    far = [failure for failure in kill(ALL, "all", "0@38:start")["failures"] if 7 in failure["active"]]
    assert far, "the role across the corner replays, too; with faces it would not"


def test_death_in_replay_and_in_repair():
    kill(ALL, "all", "4@38", "5@38:replay", "0@58", "3@58:repair+300")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_every_policy():
    for policy in ("receiver", *POLICIES, *MORE_POLICIES, "window:8", "teams:node", "teams:2:receiver", "budget:60%:receiver"):
        kill(ALL, policy, "0@13:send", "3@33", "0@53:op+5", "6@73:commit", more=("--node-size", 2) if "node" in policy else ())


@pytest.mark.long
@pytest.mark.timeout(300)
def test_every_operation_of_an_iteration():
    """Up to four kills in a run, each in its own interval, of role 0 and of another one."""
    for first in range(1, OPERATIONS + 1, 4):
        for role in (0, 6):
            ops = range(first, min(first + 4, OPERATIONS + 1))
            kill(ALL, "all" if role else "none", *(f"{role}@{13 + 20 * n}:op+{op}" for n, op in enumerate(ops)))
    record = survive(ALL, "all", f"0@33:op+{OPERATIONS + 1}")
    assert record["unfired"] == [f"0@33:op+{OPERATIONS + 1}"], "an iteration has more operations"


@pytest.mark.long
@pytest.mark.timeout(300)
def test_dataflow():
    for policy in FLOW_POLICIES:
        record = kill(ALL, policy, "0@27", "3@47:send", "2@67:commit", more=FLOW)
        for failure in record["failures"]:
            assert failure["recompute"] == "dataflow" and failure["rollback_set"] == [failure["role"]], failure
            assert policy != "all" or failure["supporting"] == failure["sending"] == [], failure


@pytest.mark.long
@pytest.mark.timeout(300)
def test_other_replacements_and_levels():
    for policy, *more in (("all", "--replace", "spawn"), ("none", "--ckpt", "buddy"), ("all", "--ckpt", "rs:2+1"), ("none", "--strategy", "restart")):
        record = run(*ALL, "--policy", policy, "--kill", "0@33:send", *more)
        assert record["state_hash"] == reference(*ALL) and len(record["failures"]) == 1, record


@pytest.mark.long
@pytest.mark.timeout(240)
def test_27_roles():
    """The middle has all 26 neighbours."""
    many = ("lulesh", "--edge", 2, "--steps", 50, "--np", 27, "--interval", 10, "--ckpt-sync", "--exchange", "all")
    for policy in ("all", "none"):
        record = kill(many, policy, "13@15:send", "0@33")
        if policy == "all":
            assert record["failures"][0]["rollback_set"] == [13] and len(record["failures"][0]["active"]) > 6, record["failures"]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_runs_agree_with_forecasts():
    path = new_folder() / "record.json"
    for policy in POLICIES:
        check_forecasts(ALL, policy, ("2@33", "7@59:commit"), path)
