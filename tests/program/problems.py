"""Problems that several modules run, and runs of them that are killed, damaged or resumed and must end in the failure-free state."""
import json
import subprocess

from rollbench import COMMAND, HELPERS, call, kill_options, new_folder, reference, run, wait_until
from schema import loads

# It fixes who rolls back to where; test_levels.py tests checkpoints in the background.
SYNC = "--ckpt-sync"
CG = ("cg", "--class", "S", "--np", 8, "--interval", 25, SYNC)
CG4 = ("cg", "--class", "S", "--np", 4, "--interval", 25, SYNC)
JACOBI = ("jacobi", "--grid", 96, "--steps", 100, "--np", 6, "--interval", 20, SYNC)
LULESH = ("lulesh", "--edge", 4, "--steps", 100, "--np", 8, "--interval", 20, SYNC)
PHASES = ("start", "send", "commit", "checkpoint")
LONG = ("jacobi", "--grid", 512, "--steps", 5000, "--np", 4, "--interval", 50)
DAMAGED = ("jacobi", "--grid", 80, "--steps", 9000, "--np", 4, "--interval", 3000)
FLOW = ("--recompute", "dataflow")
FLOW_POLICIES = ("none", "window:8", "budget:40%", "teams:2", "all")
LULESH_ENERGIES = {5: (72, 7.853665e3), 10: (231, 2.720531e4), 20: (575, 9.668856e4),
                   6: (102, 1.045418e4), 9: (196, 2.221045e4), 12: (297, 3.782734e4)}


def survive(kernel, policy, *kills, spares=None, more=()):
    """A run that must end in the failure-free state; some of the kills may not have fired."""
    args = [*kernel, "--policy", policy, *more, *kill_options(kills)]
    if spares is not None:
        args += ["--spares", spares]
    record = run(*args)
    assert record["state_hash"] == reference(*kernel), (policy, kills)
    return record


def point(kill):
    """(role, phase, iteration) of a kill in words; in a checkpoint or a recovery it may come later: None. Records
    have the microseconds at which a repair was really struck."""
    role, _, rest = kill.partition("@")
    iteration, _, phase = rest.partition("#")[0].partition(":")
    phase = "repair" if phase.startswith("repair") else phase or "start"
    return int(role), phase, int(iteration) if phase in ("start", "send", "commit") else None


def kill(kernel, policy, *kills, spares=None, more=()):
    """One run with these kills; returns its record after checking hash, and that each of them was a failure."""
    record = survive(kernel, policy, *kills, spares=spares, more=more)
    assert record["unfired"] == [], record["unfired"]
    fired = [failure["kill"] for failure in record["failures"]]
    assert sorted(map(point, fired), key=str) == sorted(map(point, kills), key=str), (kills, fired)
    return record


def damaged(levels, role, partners, *kills, policy="all", more=()):
    """The record of a run in which these partners' copies of the role's checkpoint of iteration 3000 are damaged once it
    counts; None: each has a stripe of its own. tests/damage_copies.c knows where they lie."""
    work = new_folder()
    with subprocess.Popen([*COMMAND, "run", *map(str, DAMAGED), "--policy", policy, "--ckpt", levels, *more,
                           *kill_options(kills), "--json", "-", "--workdir", work],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        found = wait_until(lambda: list(work.glob("*/spec.json")))
        targets = [str(who) for partner in partners for who in (partner, partner if role is None else role)]
        subprocess.run([HELPERS / "damage_copies", found[0].parent, "3000", *targets], check=True, timeout=70)
        record = loads(process.communicate(timeout=60)[0])
    assert record["status"] == "ok" and record["state_hash"] == reference(*DAMAGED), record["status"]
    assert record["unfired"] == [] and len(record["failures"]) == len(kills), record["failures"]
    return record


def resume(run_folder, *args):
    done = call("resume", run_folder, "--json", "-", *args)
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return json.loads(done.stdout)
