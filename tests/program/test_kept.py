"""budget:...:online:kept: a role has the status of channels of the line that it goes back to, in every level and in a new job."""
import json
import subprocess

import pytest

from problems import kill, resume
from rollbench import COMMAND, call, descendants_named, new_folder, wait_until

BFS = ("bfs", "--scale", 8, "--steps", 42, "--np", 8)
AMR = ("amr", "--blocks", 8, "--cells", 16, "--steps", 102, "--np", 8)
BUDGET = "budget:{}%:online:kept"


def sets(problem, iterations, percent):
    """Of a run without earlier failures: the rollback set of each role with the status kept, and with all channels on again."""
    done = call("study", *problem, "--iterations", iterations, "--caps", percent, "--strategy", "budget:online:kept,budget:online",
                "--sets", "--json", "-")
    assert done.returncode == 0, done
    return [one["sets"] for one in json.loads(done.stdout)["caps"]]


def check_agreement(record):
    path = new_folder() / "record.json"
    path.write_text(json.dumps(record))
    for command in (("explain", "--record"), ("simulate", "--against")):
        done = call(*command, path)
        assert done.returncode == 0 and "DIFFERS" not in done.stdout and "agree" in done.stdout, done


def kill_later(victim, kept, *options):
    """Roles die at the end of the second interval and in the middle of the third; the set at the end of the third is as without that."""
    for _ in range(3):  # on a busy machine, a failure may find a role in the iteration before
        record = kill((*BFS, "--interval", 10, "--ckpt-sync", *options), BUDGET.format(50), "1@20:checkpoint", "3@25:send",
                      f"{victim}@30:checkpoint")
        if set(record["failures"][-1]["fronts"]) == {30}:
            break
    assert record["failures"][-1]["rollback_set"] == kept[victim], (record["failures"], kept)
    assert len(record["failures"]) == 3 and record["failures"][-1]["checkpoint"] == 20, record["failures"]
    return record


@pytest.mark.long
def test_earlier_failures_change_nothing():
    """All that died before 30 or went back has the status of its line, of any level. Without it, the set is smaller."""
    kept, reset = sets(BFS, "20..29", 50)
    assert kept[5] != reset[5] and kept[3] != reset[3], (kept, reset)
    for victim, level in ((5, "file"), (3, "buddy"), (5, "rs:2+1")):
        check_agreement(kill_later(victim, kept, "--ckpt", level))


def test_what_is_off_is_off_from_the_first_message():
    """In the first iteration behind a checkpoint nothing is in any log, and yet others go back: 1 was replaced at this checkpoint."""
    def died(policy):
        record = kill((*BFS, "--interval", 10, "--ckpt-sync"), policy.format(50), "1@20:checkpoint", "1@21:commit")
        check_agreement(record)
        assert [f["checkpoint"] for f in record["failures"]] == [10, 20], record["failures"]
        return record["failures"][1]["rollback_set"]

    assert died("budget:{}%:online") == [1] and len(died(BUDGET)) > 1


@pytest.mark.timeout(200)
def test_a_new_job_has_it_too():
    """The harness dies with all ranks, and `resume` starts again from files. Roles die at the end of the last interval but one."""
    kept, reset = sets(AMR, "90..99", 70)
    victim = max(range(8), key=lambda v: len(kept[v]) - len(reset[v]))
    assert len(kept[victim]) - len(reset[victim]) > 2, (kept, reset)
    work = new_folder()
    plan = f"{victim}@100:checkpoint"
    process = subprocess.Popen([*COMMAND, "run", *map(str, AMR), "--interval", "10", "--ckpt-sync", "--policy",
                                BUDGET.format(70), "--kill", plan, "--spares", "1", "--workdir", work],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: list(work.glob("*/role.2.iter.[5-9]0.ckpt")) or process.poll() is not None)
    assert process.poll() is None, "it ended before the checkpoint of iteration 50"
    process.kill()
    process.wait()
    wait_until(lambda: not descendants_named(work))
    record = resume(next(work.iterdir()))
    failure = record["failures"][-1]
    assert record["resumed"] and failure["fronts"] == [100] * 8, record["failures"]
    assert failure["rollback_set"] == kept[victim], (failure, kept[victim], reset[victim])


@pytest.mark.long
@pytest.mark.timeout(300)
def test_every_victim():
    kept, _ = sets(BFS, "20..29", 50)
    for victim in range(8):
        kill_later(victim, kept)
