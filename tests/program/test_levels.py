"""Checkpoint levels: what each promises to survive it survives, and what it does not is said."""
import itertools
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import time

from rollbench import COMMAND, call, deadline, kill_options, main, new_folder, refuse, run
from schema import loads
from test_recovery import CG, CG4, JACOBI, LULESH, reference

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
    """Nothing was left, and the record says what was tried; the initial state served."""
    assert record["refused_checkpoints"], record["failures"]
    for entry in record["refused_checkpoints"]:
        for word in words:
            assert word in entry["last"], (word, entry)
    return served(record, "initial")


def together(at, first, *others):
    """Kills that one recovery has to cope with: the others die when they notice the first death."""
    return [f"{first}@{at}", *(f"{role}@{at}:recovery" for role in others)]


PHASES = ("start", "commit", "checkpoint", "op+2")


@deadline(300)
def test_one_death_under_each_level():
    for kernel, at in ((CG, 38), (LULESH, 33), (JACOBI, 33)):
        for levels, source in (("file", "file"), ("buddy", "buddy"), ("rs:2+1", "rs"),
                               ("rs:2+1,buddy,file", "buddy"), ("file,rs:4+1", "rs")):
            for policy in ("all", "none"):
                served(survive(kernel, levels, f"3@{at}", policy=policy), source)


@deadline(300)
def test_a_death_while_a_checkpoint_is_taken():
    """In the second checkpoint, so that the first one must serve; and right after it counts."""
    for kernel, at in ((CG4, 50), (JACOBI, 40)):
        for levels in ("file", "buddy", "buddy:2", "rs:2+1", "file,buddy"):
            for kill in (f"2@{at}:checkpoint", f"0@{at}", f"2@{at - 1}:commit"):
                record = survive(kernel, levels, kill)
                assert record["refused_checkpoints"] == [], record["refused_checkpoints"]
            back = survive(kernel, levels, f"1@{at}:checkpoint")["failures"][0]["checkpoint"]
            assert back == at // 2, (levels, back)


@deadline(300)
def test_two_deaths_and_what_buddies_promise():
    for policy in ("all", "none"):
        served(survive(CG, "buddy", *together(38, 3, 5), policy=policy), "buddy")
        served(survive(CG, "buddy:2", *together(38, 3, 4), policy=policy), "buddy")
        refused(survive(CG, "buddy", *together(38, 3, 4), policy=policy), "no partner", "no files")
        refused(survive(JACOBI, "buddy:2", *together(33, 3, 4, 5), policy=policy), "no partner")
        served(survive(CG, "buddy,file", *together(38, 3, 4), policy=policy), "file", "buddy")
    # One after the other: what died with the first is made again before the second dies.
    for second in ("4@39", "4@38:restore", "2@40:send"):
        record = survive(CG, "buddy", "3@38", second, policy="none")
        assert record["refused_checkpoints"] == [] or "restore" in second, record


@deadline(300)
def test_m_and_one_more_deaths_under_parity():
    """Groups of 8 roles under rs:2+2 are every other role: 0 2 4 6 and 1 3 5 7."""
    for policy in ("all", "none"):
        served(survive(CG, "rs:2+2", *together(38, 0, 4, 1, 7), policy=policy), "rs")
        refused(survive(CG, "rs:2+2", *together(38, 0, 4, 6), policy=policy), "rs:2+2")
        served(survive(CG, "rs:6+2", *together(38, 3, 4), policy=policy), "rs")
        refused(survive(CG, "rs:6+2", *together(38, 3, 4, 7), policy=policy), "8 roles")
        served(survive(CG, "rs:6+2,file", *together(38, 3, 4, 7), policy=policy), "file")
    served(survive(LULESH, "rs:5+3", *together(33, 0, 3, 6)), "rs")
    served(survive(JACOBI, "rs:2+1", *together(33, 0, 1)), "rs")
    survive(JACOBI, "rs:2+1", "0@33", "2@34", "4@35:commit", policy="none")


@deadline(200)
def test_a_second_death_before_the_first_replacement_has_its_state():
    for levels, source in (("buddy", "buddy"), ("rs:2+2", "rs")):
        for second in ("5@38:replay", "1@38:repair+2500", "1@38:repair+5000", "1@38:restore"):
            policy = "none" if "restore" in second else "all"
            record = survive(CG, levels, "3@38", second, policy=policy)
            assert record["refused_checkpoints"] == [], (levels, second, record)
            assert source in record["failures"][0]["restored_from"], (levels, second, record)


@deadline(200)
def test_images_of_different_sizes_in_one_group():
    uneven = ("jacobi", "--grid", 1000, "--steps", 60, "--np", 6, "--interval", 20, "--ckpt-sync")
    for first, second in itertools.combinations(range(6), 2):
        served(survive(uneven, "rs:2+2", *together(33, first, second)), "rs")


@deadline(300)
def test_every_pair_under_two_copies():
    for a, b in itertools.combinations(range(6), 2):
        served(survive(JACOBI, "buddy:2", *together(33, a, b)), "buddy")


@deadline(200)
def test_a_node_dies_and_copies_lie_elsewhere():
    for levels, source in (("buddy", "buddy"), ("rs:2+2", "rs")):
        record = survive(CG, levels, more=("--node-size", 2, "--kill-node", "1@38"))
        served(record, source)
        assert [f["role"] for f in record["failures"]] == [2, 3], record["failures"]
    served(survive(CG, "buddy", more=("--node-size", 4, "--kill-node", "1@38")), "buddy")


@deadline(300)
def test_the_log_spans_two_intervals_until_the_checkpoint_counts():
    for kernel, interval in ((CG, 25), (LULESH, 20), (JACOBI, 20)):
        for late, back in ((0, interval), (2, interval), (3, 2 * interval), (7, 2 * interval)):
            kill = f"3@{2 * interval + late}:start"
            record = survive(asynchronous(kernel), "file", kill, more=LAG)
            failure = record["failures"][0]
            assert failure["checkpoint"] == back, (kernel, late, failure)
            assert failure["rollback_set"] == [3], failure
            assert record["iterations"]["repeated"] == 2 * interval + late - back, record
    whole = run(*asynchronous(CG), "--policy", "all", *LAG)["log"]["bytes_peak"]["max"]
    short = run(*CG, "--policy", "all")["log"]["bytes_peak"]["max"]
    assert short < whole < 1.3 * short, (short, whole)


def chance_kills(chance, np, at):
    return [f"{chance.randrange(np)}@{at + chance.randrange(8)}:{chance.choice(PHASES)}"
            for _ in range(chance.randrange(1, 3))]


@deadline(300)
def test_deaths_while_a_checkpoint_drains():
    chance = random.Random(9)
    policies = ("all", "none", "window:8", "budget:50%", "teams:2")
    for trial in range(30):
        kernel, np, interval = ((CG, 8, 25), (LULESH, 8, 20), (JACOBI, 6, 20))[trial % 3]
        levels = ("file", "buddy", "rs:2+1", "file,buddy:2")[trial % 4]
        args = [*asynchronous(kernel), "--policy", policies[trial % 5], "--ckpt", levels,
                *((), LAG, ("--ckpt-lag", 1), ("--ckpt-lag", 12))[trial // 3 % 4],
                *kill_options(chance_kills(chance, np, interval))]
        assert run(*args)["state_hash"] == reference(*kernel), args


def test_policies_forget_no_more_than_they_say_while_draining():
    """Forecasts of a failure between taking and counting agree with what runs record."""
    path = new_folder() / "record.json"
    for policy in ("all", "none", "window:8", "teams:2"):
        for lag in (3, 40):
            more = ("--ckpt-lag", lag)
            record = survive(asynchronous(CG), "file", "3@52:send", policy=policy, more=more)
            said = call("explain", *asynchronous(CG), *more, "--policy", policy, "--kill",
                        "3@52:send", "--json")
            assert said.returncode == 0, said.stderr
            assert json.loads(said.stdout)["checkpoint"] == 25, said.stdout
            assert record["failures"][0]["checkpoint"] == 25, record["failures"]
            path.write_text(json.dumps(record))
            said = call("explain", "--record", path)
            assert said.returncode == 0 and "agrees" in said.stdout, (policy, lag, said.stdout)


def images(pid):
    """Checkpoint images in a process's memory (ft/line/image.c): {(role, iteration): [address]}."""
    found = {}
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        where, mode, *_ = line.split()
        begin, end = (int(x, 16) for x in where.split("-"))
        if mode != "rw-p" or end - begin > 1 << 28:
            continue
        try:
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(begin)
                data = memory.read(end - begin)
        except OSError:
            continue  # unmapped meanwhile
        at = data.find(b"RKCP\1\0\0\0")
        while at >= 0:
            role, iteration = struct.unpack_from("<iq", data, at + 16 + 32 + 128 + 4)
            found.setdefault((role, iteration), []).append(begin + at)
            at = data.find(b"RKCP\1\0\0\0", at + 1)
    return found


def ledger(work, role):
    """Pid of a role's process and its newest checkpoint that counts (ft/ledger.h, version 9)."""
    path, = pathlib.Path(work).glob(f"*/role.{role}.ledger")
    data = path.read_bytes()
    if len(data) < 792 or not any(data[:8]):
        raise ValueError("the ledger is only just being made")
    assert struct.unpack_from("<II", data) == (0x524c4442, 9), "the ledger's layout has changed"
    return struct.unpack_from("<q", data, 536)[0], struct.unpack_from("<q", data, 784)[0]


def damage_copies(process, work, role, partner, iteration):
    """Overwrite some bytes of the partner's copies once the checkpoint counts."""
    while process.poll() is None:
        time.sleep(0.005)
        try:
            pid, agreed = ledger(work, partner)
        except ValueError:
            continue  # not there yet
        if agreed != iteration:
            continue
        os.kill(pid, signal.SIGSTOP)  # so that the failure waits for the damage
        for address in images(pid)[role, iteration]:
            with open(f"/proc/{pid}/mem", "r+b") as memory:
                memory.seek(address + 8000)
                memory.write(b"damage")
        os.kill(pid, signal.SIGCONT)
        return


@deadline(200)
def test_a_damaged_copy_is_refused_and_the_next_level_serves():
    kernel = ("jacobi", "--grid", 80, "--steps", 9000, "--np", 4, "--interval", 3000)
    right = run(*kernel)["state_hash"]
    for levels, partner, source in (("buddy,file", 3, "file"), ("buddy,rs:2+1", 3, "rs"),
                                    ("buddy:2", 0, "buddy"), ("buddy", 3, "initial")):
        work = new_folder()
        with subprocess.Popen([*COMMAND, "run", *map(str, kernel), "--policy", "all", "--ckpt",
                               levels, "--kill", "2@5990", "--json", "-", "--workdir", work],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            damage_copies(process, work, 2, partner, 3000)
            record = loads(process.communicate(timeout=60)[0])
        assert record["status"] == "ok" and record["state_hash"] == right, record["status"]
        served(record, source)
        entry, = record["refused_checkpoints"]
        assert entry["role"] == 2 and f"image from buddy {partner}" in entry["last"], entry
        assert "damaged region" in entry["last"], entry


@deadline(200)
def test_a_damaged_copy_is_made_again():
    """Else the next death, of the one whose copy served, would find nothing of that generation."""
    kernel = ("jacobi", "--grid", 80, "--steps", 9000, "--np", 4, "--interval", 3000)
    work = new_folder()
    with subprocess.Popen([*COMMAND, "run", *map(str, kernel), "--policy", "all", "--ckpt", "buddy:2", "--kill",
                           "2@5900", "--kill", "2@5995", "--kill", "3@5950:recovery", "--json", "-", "--workdir",
                           work], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        damage_copies(process, work, 2, 0, 3000)
        record = loads(process.communicate(timeout=60)[0])
    assert record["status"] == "ok" and record["state_hash"] == run(*kernel)["state_hash"], record["status"]
    first, *later = record["failures"]
    assert sorted(f["role"] for f in later) == [2, 3] and len({f["epoch"] for f in later}) == 1, later
    assert [f["checkpoint"] for f in record["failures"]] == [3000] * 3, record["failures"]
    served({**record, "failures": [first]}, "buddy")
    served({**record, "failures": later}, "buddy")


@deadline(200)
def test_a_damaged_stripe_is_refused_and_parity_is_made_again():
    kernel = ("jacobi", "--grid", 80, "--steps", 9000, "--np", 4, "--interval", 3000)
    work = new_folder()
    with subprocess.Popen([*COMMAND, "run", *map(str, kernel), "--policy", "all", "--ckpt", "file,rs:2+2", "--kill",
                           "2@5900", "--kill", "1@5950", "--json", "-", "--workdir", work],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for member in (0, 1, 3):
            damage_copies(process, work, member, member, 3000)
        record = loads(process.communicate(timeout=60)[0])
    assert record["status"] == "ok" and record["state_hash"] == run(*kernel)["state_hash"], record["status"]
    said = [entry["last"] for entry in record["refused_checkpoints"]]
    served(record, "file")
    assert len(said) == 2 and all("image from rs" in last for last in said), said


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
    refuse("run", "cg", "--ckpt", "tape", words=("--ckpt tape", "buddy"))
    refuse("run", "cg", "--ckpt", "buddy:3", words=("buddy:3",))
    refuse("run", "cg", "--np", 1, "--ckpt", "buddy", words=("1 role",))
    refuse("run", "cg", "--np", 4, "--ckpt", "rs:4+2", words=("6 roles", "smaller K"))
    refuse("run", "cg", "--ckpt-lag", "soon", words=("--ckpt-lag soon",))
    refuse("run", "cg", "--strategy", "restart", "--ckpt", "buddy", words=("--ckpt file,buddy",))


if __name__ == "__main__":
    main()
