"""Checkpoint levels: each survives what it promises, and other losses are reported."""
import itertools
import json
import random

import pytest

from problems import CG, CG4, JACOBI, LULESH, damaged
from rollbench import call, kill_options, new_folder, reference, refuse_all, run

LAG = ("--ckpt-lag", 3)  # a checkpoint counts exactly three iterations after it was taken


def asynchronous(kernel):
    return tuple(word for word in kernel if word != "--ckpt-sync")


def survive(kernel, levels, *kills, policy="all", more=()):
    record = run(*kernel, "--policy", policy, "--ckpt", levels, *more, *kill_options(kills))
    assert record["state_hash"] == reference(*kernel), (levels, kills)
    assert record["unfired"] == [], (levels, kills, record["unfired"])
    return record


def served(record, *expected):
    """The dead roles were restored from exactly these levels."""
    levels = {level for failure in record["failures"] for level, roles in
              failure["restored_from"].items() if failure["role"] in roles}
    assert levels == set(expected), (levels, expected, record["failures"],
                                     record["refused_checkpoints"])
    return record


def refused(record, *words):
    """No image was left, and the record says what was tried; the initial state was used."""
    assert record["refused_checkpoints"], record["failures"]
    for entry in record["refused_checkpoints"]:
        for word in words:
            assert word in entry["last"], (word, entry)
    return served(record, "initial")


def together(at, first, *others):
    """Kills that one recovery has to repair: the others die when they notice the first death."""
    return [f"{first}@{at}", *(f"{role}@{at}:recovery" for role in others)]


PHASES = ("start", "commit", "checkpoint", "op+2")
KERNELS = ((CG, 38, 25), (LULESH, 33, 20), (JACOBI, 33, 20))  # an iteration in the middle, and the interval
LEVELS = (("file", "file"), ("buddy", "buddy"), ("rs:2+1", "rs"), ("rs:2+1,buddy,file", "buddy"),
          ("file,rs:4+1", "rs"))  # and the level that serves a dead role


def two_deaths(kernel, at, interval, levels, source, policy):
    """In two intervals: the second finds copies that were made after the first."""
    record = survive(kernel, levels, f"3@{at}", f"5@{at + interval}", policy=policy)
    served(record, source)
    back = at // interval * interval
    assert [f["checkpoint"] for f in record["failures"]] == [back, back + interval], record["failures"]


@pytest.mark.long
def test_deaths_under_each_level():
    for number, (levels, source) in enumerate(LEVELS):
        for shift, policy in enumerate(("all", "none")):
            two_deaths(*KERNELS[(number + shift) % 3], levels, source, policy)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_deaths_under_each_level_in_every_kernel():
    for kernel in KERNELS:
        for levels, source in LEVELS:
            for policy in ("all", "none"):
                two_deaths(*kernel, levels, source, policy)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_death_while_a_checkpoint_is_taken():
    """Then the one before is used. Also right after a checkpoint counts, and right before one is taken."""
    for kernel, kills, back in ((CG4, ("2@50:checkpoint", "0@75", "2@99:commit", "1@125:checkpoint"), [25, 75, 75, 100]),
                                (JACOBI, ("2@40:checkpoint", "0@40", "2@59:commit", "1@80:checkpoint"), [20, 40, 40, 60])):
        for levels in ("file", "buddy", "buddy:2", "rs:2+1", "file,buddy"):
            record = survive(kernel, levels, *kills)
            assert record["refused_checkpoints"] == [], record["refused_checkpoints"]
            assert [f["checkpoint"] for f in record["failures"]] == back, (levels, record["failures"])


def check_buddies(policy):
    served(survive(CG, "buddy", *together(38, 3, 5), policy=policy), "buddy")
    served(survive(CG, "buddy:2", *together(38, 3, 4), policy=policy), "buddy")
    refused(survive(CG, "buddy", *together(38, 3, 4), policy=policy), "no partner", "no files")
    refused(survive(JACOBI, "buddy:2", *together(33, 3, 4, 5), policy=policy), "no partner")
    served(survive(CG, "buddy,file", *together(38, 3, 4), policy=policy), "file", "buddy")
    # Partners on the same node are pairs: 2 and 3, 4 and 5.
    served(survive(CG, "buddy:near", *together(38, 3, 4), policy=policy), "buddy")
    refused(survive(CG, "buddy:near", *together(38, 2, 3), policy=policy), "no partner")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_two_deaths_and_what_buddies_promise():
    check_buddies("all")
    # They die one after the other: lost copies of the first are made again before the second dies.
    record = survive(CG, "buddy", "3@38", "4@39", "3@63", "2@65:send", policy="none")
    assert record["refused_checkpoints"] == [], record
    assert [f["checkpoint"] for f in record["failures"]] == [25, 25, 50, 50], record["failures"]
    # A role that dies during its restoration may find only the initial state.
    survive(CG, "buddy", "3@38", "4@38:restore", policy="none")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_two_deaths_and_what_buddies_promise_if_all_roll_back():
    check_buddies("none")


def check_parity(policy):
    """Groups of 8 roles under rs:2+2 are every other role: 0 2 4 6 and 1 3 5 7."""
    served(survive(CG, "rs:2+2", *together(38, 0, 4, 1, 7), policy=policy), "rs")
    refused(survive(CG, "rs:2+2", *together(38, 0, 4, 6), policy=policy), "rs:2+2")
    served(survive(CG, "rs:6+2", *together(38, 3, 4), policy=policy), "rs")
    refused(survive(CG, "rs:6+2", *together(38, 3, 4, 7), policy=policy), "8 roles")
    served(survive(CG, "rs:6+2,file", *together(38, 3, 4, 7), policy=policy), "file")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_m_and_one_more_deaths_under_parity():
    check_parity("all")
    served(survive(LULESH, "rs:5+3", *together(33, 0, 3, 6)), "rs")
    served(survive(JACOBI, "rs:2+1", *together(33, 0, 1)), "rs")
    survive(JACOBI, "rs:2+1", "0@33", "2@34", "4@35:commit", policy="none")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_m_and_one_more_deaths_under_parity_if_all_roll_back():
    check_parity("none")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_second_death_before_the_first_replacement_has_its_state():
    for levels, source in (("buddy", "buddy"), ("rs:2+2", "rs")):
        for policy, kills in (("all", ("3@38", "5@38:replay", "3@63", "1@63:repair+2500", "3@88", "1@88:repair+5000")),
                              ("none", ("3@38", "1@38:restore"))):
            record = survive(CG, levels, *kills, policy=policy)
            assert record["refused_checkpoints"] == [], (levels, kills, record)
            first = [f for f in record["failures"] if f["role"] == 3]
            assert len(first) == len(kills) // 2, (kills, record["failures"])
            assert all(source in f["restored_from"] for f in first), (levels, kills, first)


def check_pairs(kernel, levels, source, pairs, first, interval):
    """Two roles die at once, another two in each interval."""
    kills = [text for n, (a, b) in enumerate(pairs) for text in together(first + n * interval, a, b)]
    record = served(survive(kernel, levels, *kills), source)
    assert sorted(f["role"] for f in record["failures"]) == sorted(role for pair in pairs for role in pair)


PAIRS = list(itertools.combinations(range(6), 2))


@pytest.mark.long
@pytest.mark.timeout(200)
def test_images_of_different_sizes_in_one_group():
    uneven = ("jacobi", "--grid", 700, "--steps", 120, "--np", 6, "--interval", 20, "--ckpt-sync")
    for n in range(0, len(PAIRS), 5):
        check_pairs(uneven, "rs:2+2", "rs", PAIRS[n:n + 5], 33, 20)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_every_pair_under_two_copies():
    for n in range(0, len(PAIRS), 4):
        check_pairs(JACOBI, "buddy:2", "buddy", PAIRS[n:n + 4], 33, 20)


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_node_dies_and_copies_lie_elsewhere():
    for levels, source in (("buddy", "buddy"), ("rs:2+2", "rs")):
        record = survive(CG, levels, more=("--node-size", 2, "--kill-node", "1@38"))
        served(record, source)
        assert [f["role"] for f in record["failures"]] == [2, 3], record["failures"]
    served(survive(CG, "buddy", more=("--node-size", 4, "--kill-node", "1@38")), "buddy")


@pytest.mark.long
@pytest.mark.timeout(300)
def test_the_log_spans_two_intervals_until_the_checkpoint_counts():
    for kernel, interval in ((CG, 25), (LULESH, 20), (JACOBI, 20)):
        fronts = [n * interval + late for n, late in enumerate((0, 2, 3, 7), 1)]
        backs = [at // interval * interval - (at % interval < 3) * interval for at in fronts]
        record = survive(asynchronous(kernel), "file", *(f"3@{at}:start" for at in fronts), more=LAG)
        assert [f["checkpoint"] for f in record["failures"]] == backs, (kernel, fronts, record["failures"])
        assert all(f["rollback_set"] == [3] for f in record["failures"]), record["failures"]
        assert record["iterations"]["repeated"] == sum(fronts) - sum(backs), record["iterations"]
    whole = run(*asynchronous(CG), "--policy", "all", *LAG)["log"]["bytes_peak"]["max"]
    short = run(*CG, "--policy", "all")["log"]["bytes_peak"]["max"]
    assert short < whole < 1.3 * short, (short, whole)


def chance_kills(chance, np, at):
    return [f"{chance.randrange(np)}@{at + chance.randrange(8)}:{chance.choice(PHASES)}"
            for _ in range(chance.randrange(1, 3))]


def drain(trials):
    chance = random.Random(9)
    policies = ("all", "none", "window:8", "budget:50%", "teams:2")
    for trial in range(30):
        kernel, np, interval = ((CG, 8, 25), (LULESH, 8, 20), (JACOBI, 6, 20))[trial % 3]
        levels = ("file", "buddy", "rs:2+1", "file,buddy:2")[trial % 4]
        more = ((), LAG, ("--ckpt-lag", 1), ("--ckpt-lag", 12))[trial // 3 % 4]
        kills = chance_kills(chance, np, interval)
        if trial in trials:
            survive(asynchronous(kernel), levels, *kills, policy=policies[trial % 5], more=more)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_deaths_while_a_checkpoint_drains():
    drain(range(0, 30, 4))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_more_deaths_while_a_checkpoint_drains():
    drain(range(30))


def check_forecast(policy, lag):
    """A forecast of a failure between taking and counting agrees with what a run records."""
    path, more = new_folder() / "record.json", ("--ckpt-lag", lag)
    record = survive(asynchronous(CG), "file", "3@52:send", policy=policy, more=more)
    said = call("explain", *asynchronous(CG), *more, "--policy", policy, "--kill", "3@52:send", "--json")
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout)["checkpoint"] == 25, said.stdout
    assert record["failures"][0]["checkpoint"] == 25, record["failures"]
    path.write_text(json.dumps(record))
    said = call("explain", "--record", path)
    assert said.returncode == 0 and "agrees" in said.stdout, (policy, lag, said.stdout)


@pytest.mark.long
def test_policies_forget_no_more_than_they_say_while_draining():
    for policy, lag in (("all", 3), ("none", 40), ("window:8", 40), ("teams:2", 3)):
        check_forecast(policy, lag)


@pytest.mark.long
def test_policies_forget_no_more_than_they_say_whatever_the_lag():
    for policy in ("all", "none", "window:8", "teams:2"):
        for lag in (3, 40):
            check_forecast(policy, lag)


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_damaged_copy_is_refused_and_the_next_level_serves():
    for levels, partner, source in (("buddy,file", 3, "file"), ("buddy,rs:2+1", 3, "rs"),
                                    ("buddy:2", 0, "buddy"), ("buddy", 3, "initial")):
        record = served(damaged(levels, 2, [partner], "2@5990"), source)
        entry, = record["refused_checkpoints"]
        assert entry["role"] == 2 and f"image from buddy {partner}" in entry["last"], entry
        assert "damaged region" in entry["last"], entry


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_damaged_copy_is_made_again():
    """Otherwise nothing of that generation is left when the role dies whose copy was used."""
    record = damaged("buddy:2", 2, [0], "2@5900", "2@5995", "3@5950:recovery")
    first, *later = record["failures"]
    assert sorted(f["role"] for f in later) == [2, 3] and len({f["epoch"] for f in later}) == 1, later
    assert [f["checkpoint"] for f in record["failures"]] == [3000] * 3, record["failures"]
    served({**record, "failures": [first]}, "buddy")
    served({**record, "failures": later}, "buddy")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_damaged_stripe_is_refused_and_parity_is_made_again():
    record = served(damaged("file,rs:2+2", None, (0, 1, 3), "2@5900", "1@5950"), "file")
    said = [entry["last"] for entry in record["refused_checkpoints"]]
    assert len(said) == 2 and all("image from rs" in last for last in said), said


@pytest.mark.long
def test_memory_of_copies_is_accounted_for():
    def memory(levels):
        return max(role["checkpoint_memory"] for role in
                   run("jacobi", "--grid", 512, "--steps", 60, "--np", 6, "--interval", 20,
                       "--ckpt-sync", "--ckpt", levels)["roles"])

    state = 8 * 512 * 512 / 6
    file, buddy, twice, parity = map(memory, ("file", "buddy", "buddy:2", "rs:4+2"))
    assert state < file < 1.3 * state + 20000, (file, state)
    assert 3.6 < buddy / file < 4.4 and 5.4 < twice / file < 6.6, (file, buddy, twice)
    assert 2.7 < parity / file < 3.5, (file, parity)


def test_levels_that_cannot_be():
    refuse_all(("run", "cg", "--ckpt", "tape", ("--ckpt tape", "buddy")),
               ("run", "cg", "--ckpt", "buddy:3", ("buddy:3",)),
               ("run", "cg", "--np", 1, "--ckpt", "buddy", ("1 role",)),
               ("run", "cg", "--np", 4, "--ckpt", "rs:4+2", ("6 roles", "smaller K")),
               ("run", "cg", "--ckpt-lag", "soon", ("--ckpt-lag soon",)),
               ("run", "cg", "--strategy", "restart", "--ckpt", "buddy", ("--ckpt file,buddy",)))
