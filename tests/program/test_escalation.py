"""A repair or a start that does not end: the harness ends the job, starts it again and reports this."""
import contextlib
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rollbench import COMMAND, new_folder, ranks, reference, refuse_all, wait_until
from schema import loads

LONG = ("jacobi", "--grid", 256, "--steps", 4000, "--np", 4, "--interval", 100)


def start(*args, **environment):
    return subprocess.Popen([*COMMAND, "run", *map(str, args), "--json", "-"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})


def stuck(*options):
    """A spare is stopped: it neither answers nor dies. Then a role dies, and its repair waits for that spare."""
    work = new_folder()
    process = start(*LONG, "--spares", 1, "--workdir", work, *options)
    if "file" in options:
        wait_until(lambda: list(work.glob("*/role.3.iter.100.ckpt")))
    wait_until(lambda: len(ranks(work)) == 5 and len(list(work.glob("*/role.*.ledger"))) == 4)
    time.sleep(0.3)
    pids = ranks(work)
    os.kill(pids[4], signal.SIGSTOP)
    os.kill(pids[1], signal.SIGKILL)
    out, err = process.communicate(timeout=100)
    assert not ranks(work) and os.listdir(work) == []
    return loads(out), err


def check(record, err):
    assert record["status"] == "ok" and record["state_hash"] == reference(*LONG), record["status"]
    assert record["escalations"] == 1 and record["restarts"] == 1, record
    escalated, = record["escalated"]
    assert escalated["why"] == "repair" and escalated["limit_s"] == 1 < escalated["seconds"] < 5, escalated
    assert [r["role"] for r in escalated["roles"]] == [0, 1, 2, 3], escalated
    assert [r["process"] == "dead" for r in escalated["roles"]] == [False, True, False, False], escalated
    assert "escalated: the repair of a job had not ended" in err, err


def test_a_stuck_repair_starts_again_from_the_newest_checkpoint():
    record, err = stuck("--repair-deadline", 1, "--ckpt", "file")
    check(record, err)
    assert record["iterations"]["repeated"] < 4 * max(r["front"] for r in record["escalated"][0]["roles"]), record


@pytest.mark.long
def test_without_checkpoints_in_files_it_starts_again_from_the_beginning():
    record, err = stuck("--repair-deadline", 1, "--ckpt", "buddy")
    check(record, err)
    fronts = [r["front"] for r in record["escalated"][0]["roles"]]
    assert record["iterations"]["repeated"] >= sum(fronts) - 4, (fronts, record["iterations"])
    assert record["refused_checkpoints"] == [], record["refused_checkpoints"]


def test_without_escalation_it_is_a_hang():
    record, _ = stuck("--no-escalation", "--repair-deadline", 1, "--deadline", 6, "--ckpt", "file")
    assert record["status"] == "hang" and record["escalations"] == 0 and "escalated" not in record, record
    assert record["escalation"] == "off" and "roles were in" in record["message"], record


def killed_after(delay, chance):
    """A run of which one process is killed so long after all five exist; its record."""
    work = new_folder()
    process = start("jacobi", "--grid", 64, "--steps", 200, "--np", 4, "--spares", 1, "--workdir", work)
    pids = wait_until(lambda: ranks(work) if len(ranks(work)) == 5 else None, nap=0.001)
    time.sleep(delay)
    with contextlib.suppress(ProcessLookupError):  # on a fast machine the run may be over
        os.kill(pids[chance.randrange(5)], signal.SIGKILL)
    record = loads(process.communicate(timeout=100)[0])
    assert record["status"] == "ok", record
    assert record["state_hash"] == reference("jacobi", "--grid", 64, "--steps", 200, "--np", 4)
    return record


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_death_before_the_roles_have_begun():
    chance = random.Random(1)
    for _ in range(6):
        record = killed_after(0, chance)
        assert record["escalations"] == 1 and record["escalated"][0]["why"] == "start", record


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(400)
def test_a_death_anywhere_in_mpi_init():
    """Open MPI ends such a job in many ways, also with signal 11 in a process that nobody killed; most of them where cores are busy,
    so three jobs run at a time."""
    chance = random.Random(2)
    with ThreadPoolExecutor(3) as pool:
        ends = [*pool.map(lambda delay: killed_after(delay, chance)["escalations"], [chance.uniform(0, 0.3) for _ in range(18)])]
    print(f"note: {ends.count(1)} of {len(ends)} escalated")
    assert 1 in ends, "no process died in MPI_Init"


def test_what_is_wrong_before_mpi_init_is_not_tried_again():
    record = loads(start("jacobi", "--grid", 64, "--steps", 200, "--np", 4, "--workdir", new_folder(),
                         ROLLBENCH_MPIRUN_ARGS="--no-such-option").communicate(timeout=60)[0])
    assert record["status"] == "abort" and record["escalations"] == 0 and record["restarts"] == 0, record


def test_bad_options():
    refuse_all(("run", *LONG, "--repair-deadline", 0, ("--repair-deadline 0", "positive")),
               ("run", *LONG, "--repair-deadline", "soon", ("--repair-deadline soon",)),
               ("run", *LONG, "--escalation", "perhaps", ("--escalation perhaps", "on or off")),
               ("explain", *LONG, "--no-escalation", ("--no-escalation",)))
