"""`rollbench interval`: the costs that a failure shows, the two formulas, the table, and how it ends."""
import json
import math
import os
import signal
import statistics
import subprocess
import sys

import pytest

import drawing
from rollbench import COMMAND, ROOT, call, descendants_named, new_folder, refuse_all, wait_until

from plots.models import interval_model as model
from plots.models.interval_model import Costs

FAILURE = {"iteration": 49, "checkpoint": 25, "restart_s": 2.0, "resume_s": 0.25, "restore_s": 0.5, "catchup_s": 3.0}
SCRIPT = ROOT / "plots" / "models" / "interval.py"


def test_a_death_gives_recovery_and_rework():
    assert model.of_death(FAILURE, False, 0.125) == (0.75, 1)  # 24 iterations in 3 s
    assert model.of_death(FAILURE, True, 0.125) == (2, 1)


def test_what_was_not_measured_is_not_zero():
    for key in ("resume_s", "restore_s", "catchup_s"):
        assert model.of_death({**FAILURE, key: None}, False, 0.125) is None, key
    assert model.of_death({**FAILURE, "restart_s": None}, True, 0.125) is None
    assert model.of_death({**FAILURE, "restart_s": None}, False, 0.125) == (0.75, 1)
    assert model.of_death({**FAILURE, "resume_s": None}, True, 0.125) == (2, 1)
    assert model.of_death({**FAILURE, "catchup_s": 0}, False, 0.125) is None
    assert model.of_death({**FAILURE, "checkpoint": 49}, False, 0.125) is None
    assert model.of_death({}, False, 0.125) is None


def test_optimal_intervals():
    costs = Costs(iteration=1, checkpoint=2, latency=0, recovery=0, rework=1)
    assert math.isclose(model.young(costs, 100), 20, rel_tol=1e-13)
    # 20 (1 + sqrt(0.01) / 3 + 0.01 / 9) - 2
    assert math.isclose(model.daly(costs, 100), 18.6888888888889, rel_tol=1e-11)
    assert model.daly(costs, 0.5) == 0.5
    # as if deaths were four times as rare
    assert math.isclose(model.young(costs._replace(rework=0.25), 25), 20, rel_tol=1e-13)


def test_wasted_time():
    costs = Costs(iteration=1, checkpoint=2, latency=1, recovery=3, rework=0.5)
    assert math.isclose(model.wasted(costs, 100, 20), 2 / 20 + (3 + 0.5 * (10 + 1)) / 100, rel_tol=1e-13)


def normal(**members):
    """A record of 200 iterations on 2 roles in 1 s and 8 checkpoints in 0.16 s."""
    return {"status": "ok", "kernel": "jacobi", "np": 2, "interval": 25, "ckpt": "file", "loop_s": 1.16,
            "iterations": {"useful": 400}, "checkpoints": {"count": 16, "seconds_max": 0.16},
            "roles": [{"drain_s": 0.08}, {"drain_s": 0.24}], "failures": [], **members}


def died(**members):
    """24 iterations again in 0.12 s."""
    return normal(failures=[{**FAILURE, "catchup_s": 0.12, **members}])


PROGRAM = """#!/usr/bin/env python3
import pathlib, sys
here = pathlib.Path(__file__).parent
with open(here / "asked", "a") as asked:
    asked.write(" ".join(sys.argv[1:]) + "\\n")
path = here / f"{len((here / 'asked').read_text().splitlines())}.json"
if not path.exists():
    sys.exit("rollbench run: --np 3: no, not that")
print(path.read_text())
"""


def told(records, *words):
    """(what the script says when runs give these records, one after the other; what it asked for)."""
    folder = new_folder().resolve()
    (folder / "rollbench").write_text(PROGRAM)
    (folder / "rollbench").chmod(0o755)
    for number, record in enumerate(records, 1):
        (folder / f"{number}.json").write_text(json.dumps(record))
    done = subprocess.run([sys.executable, SCRIPT, "jacobi", *words], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "ROLLBENCH_PROGRAM": str(folder / "rollbench")}, check=False)
    return done, (folder / "asked").read_text().splitlines()


TABLE = """\
jacobi, 2 roles: an iteration takes 0.005 s; a checkpoint (file) keeps it waiting for 0.02 s and
counts 0.02 s after it was taken; a death every 100 s

                 recovery s rework speed     Young s    iter.      Daly s    iter. time wasted
job restart          2.0000         1.00        2.00      400        1.99      397       4.0 %
global rollback      0.7500         1.00        2.00      400        1.99      397       2.8 %
local rollback       0.7500         0.50        2.83      566        2.82      563       2.2 %

rework speed: what a repeated iteration costs, in iterations of normal operation;
time wasted: by checkpoints, recoveries and rework, at Daly's interval
"""


def test_the_table_is_of_medians_of_three():
    slow, fast = died(catchup_s=1.2, restart_s=9.0, resume_s=9.0), died(catchup_s=0.001, restart_s=0.1, resume_s=0.0)
    local = died(catchup_s=0.06)
    done, asked = told([normal(), slow, died(), fast, died(), fast, slow, local, slow, died(catchup_s=0.06, restore_s=0.0)],
                       "--steps", "200", "--mtbf", "100", "--np", "2")
    assert done.returncode == 0 and done.stdout == TABLE, done
    ends, run = "--json - --quiet", "run jacobi --steps 200 --np 2"
    ways = ("--policy none --strategy restart", "--policy none", "--policy all")
    assert asked == [f"{run} {ends}"] + [f"{run} {way} --kill 0@49 {ends}" for way in ways for _ in range(3)], asked


def test_a_run_that_could_not_time_its_recovery_is_made_again():
    untimed = died(restore_s=None)
    done, asked = told([normal(ckpt="buddy"), untimed, died(), untimed, died(), untimed, died(), *[died(catchup_s=0.06)] * 3],
                       "--mtbf=100")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(asked) == 1 + 6 + 3, (done, asked)
    assert lines[4] == "job restart      not possible: --ckpt buddy keeps no files", lines
    assert lines[5:7] == [line for line in TABLE.splitlines()[5:7]], lines
    done, asked = told([normal(), *[untimed] * 9], "--mtbf", "100")
    assert done.returncode == 2 and len(asked) == 1 + 3 + 6, done  # a restart has no restore of its own
    assert done.stdout.splitlines()[4] == TABLE.splitlines()[4] and "global rollback: only 0 of 6" in done.stderr, done
    done, asked = told([normal(ckpt="buddy"), untimed, died(), *[untimed] * 9], "--mtbf", "100")
    assert done.returncode == 2 and len(asked) == 1 + 6, done
    assert done.stderr == (
        "rollbench interval: global rollback: only 1 of 6 runs could measure how long the recovery and the repeated "
        "iterations took, 3 are needed; try a larger --interval\n"), done.stderr


def test_what_cannot_be_measured_is_refused():
    for records, words in (
            ([normal(checkpoints={"count": 0, "seconds_max": 0})], "--interval 25: the run takes no checkpoint"),
            ([normal(loop_s=0.16)], "--interval 25: checkpoints took all of the time"),
            ([normal(), normal()], "--interval 25: the run is shorter than two intervals"),
            ([{**normal(), "status": "hang"}], "a run was hang"),
            ([normal(), {**died(), "status": "wrong"}], "a run was wrong"),
            ([normal(), died()], "rollbench interval: --np 3: no, not that\n"),
            ([], "rollbench interval: --np 3: no, not that\n")):
        done, _ = told(records, "--mtbf", "100")
        assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done


def test_bad_options_are_refused_before_anything_runs():
    refuse_all(
        ("interval", ("expected a kernel first",)), ("interval", "cg", ("--mtbf", "seconds between")),
        ("interval", "cg", "--mtbf", "x", ("--mtbf x",)), ("interval", "cg", "--mtbf", 9, "--np", "x", ("--np x",)),
        ("interval", "cg", "--mtbf", 9, "--np", 3, ("power of two",)),
        ("interval", "cg", "--mtbf", 9, "--kill", "0@1", ("this command chooses",)),
        ("interval", "cg", "--mtbf", 9, "--spares", 1, ("this command chooses",)),
        ("interval", "cg", "--mtbf", 9, "--strategy", "restart", ("this command chooses",)),
        ("interval", "cg", "--mtbf", 9, "--ckpt", "nowhere", ("--ckpt nowhere",)),
        ("interval", "cg", "--mtbf", 9, "--json", "-", ("--json",)))
    assert call("interval", "--help").stdout.startswith("usage: rollbench interval KERNEL --mtbf S")


def test_it_measures():
    done = call("interval", "jacobi", "--grid", 256, "--steps", 120, "--np", 2, "--mtbf", 60, "--ckpt", "buddy")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0].startswith("jacobi, 2 roles: an iteration takes "), done
    assert [line[:15] for line in lines[4:7]] == ["job restart    ", "global rollback", "local rollback "], done.stdout
    assert all(float(word) >= 0 for line in lines[5:7] for word in line.split()[2:8]), done.stdout


def interrupted(number):
    """Send the signal during a run. Returns exit status and output; no process may be left."""
    folder = new_folder().resolve()
    process = subprocess.Popen([*COMMAND, "interval", "jacobi", "--grid", "512", "--steps", "2000000", "--np", "2",
                                "--mtbf", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": str(folder)}, stdin=subprocess.DEVNULL)
    wait_until(lambda: len(descendants_named(str(folder))) >= 3 or process.poll() is not None)  # mpirun and its ranks
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    wait_until(lambda: not descendants_named(str(folder)) and not list(folder.iterdir()))
    return process.returncode, out, err


def test_a_signal_ends_the_run_too():
    assert interrupted(signal.SIGINT) == (130, "", "")
    assert interrupted(signal.SIGTERM) == (143, "", "")
    assert interrupted(signal.SIGKILL) == (-9, "", "")


SIMULATED = ("interval", "--simulate", "stencil1d", "--np", "16", "--work", "1s", "--bytes", "1B", "--latency", "0s", "--bandwidth",
             "1GB/s", "--line", "barrier", "--checkpoint", "10s", "--mtbf-node", "4h")


def expected_s(steps, every, checkpoint=10, mtbf=900):
    """Global rollback in step: an interval begins again at each failure; behind the last checkpoint there is a rest."""
    whole = (steps - 1) // every
    return mtbf * (whole * math.expm1((every + checkpoint) / mtbf) + math.expm1((steps - whole * every) / mtbf))


def test_simulated_times_are_those_of_the_closed_form():
    steps, seeds = 1500, 80
    done = call(*SIMULATED, "--steps", steps, "--seeds", seeds, "--method", "global", "--json", "-")
    assert done.returncode == 0, done
    found, = json.loads(done.stdout)["methods"]
    assert found["daly"] == 128 and found["young"] == 134, found
    # For an endless run the best interval t has 1 - t / M = e^(-(t + C) / M).
    low, high = found["not_worse"]
    best = min(range(1, steps), key=lambda t: math.expm1((t + 10) / 900) / t)
    assert 127 <= best <= 129 and low <= best <= high and low <= 128 <= high and found["daly_is_not_worse"], (best, found)
    assert low <= found["best"] <= high and low > 32 and high < 512, (low, high)
    assert len(found["intervals"]) > 10
    for one in found["intervals"]:
        runs, right = one["runs_s"], expected_s(steps, one["interval"])
        error = statistics.stdev(runs) / math.sqrt(len(runs))
        assert len(runs) == seeds and abs(statistics.mean(runs) - right) < 4 * error, (one["interval"], right, runs)
        assert one["makespan_95_s"][0] < statistics.mean(runs) < one["makespan_95_s"][1]


@pytest.mark.long
def test_simulated_from_a_file_and_to_a_figure():
    folder = new_folder()
    path = folder / "model.yaml"
    path.write_text("pattern: stencil1d # of four\nnp: 4\nsteps: 200\nwork: 1 s\ninterval: 7\ncheckpoint: 2 s\nmtbf_node: 400 s\n"
                    "seeds: 8\nmethod: global,local\n", encoding="utf-8")
    done = call("interval", "--simulate", path, "--results", folder / "kept", "--figure", folder / "drawn" / "best.png", "--json",
                folder / "best.json")
    assert done.returncode == 0 and "modelled" in done.stdout and "8 seeds" in done.stdout, done
    assert drawing.figures(folder / "drawn") == ["best"]
    result = json.loads((folder / "best.json").read_text(encoding="utf-8"))
    tried = [one["interval"] for one in result["methods"][0]["intervals"]]
    assert [m["method"] for m in result["methods"]] == ["global", "local"] and tried == sorted(set(tried)), result
    assert {p.stem for p in (folder / "kept").glob("interval=*")} == {f"interval={n}" for n in tried}
    again = call("interval", "--simulate", path, "--results", folder / "kept")
    assert again.stdout in done.stdout, (again, done)


def test_what_cannot_be_simulated_is_refused():
    rest = SIMULATED[3:-2]
    refuse_all((*SIMULATED, "--interval", "7", ("--interval", "chooses")), (*SIMULATED, "--fail", "1@3", ("--fail", "--mtbf-node")),
               (*SIMULATED, "--seeds", "3", "--steps", "50", ("--seeds", "at least 6")), (*SIMULATED[:2], ("pattern",)),
               ("interval", "--simulate", "stencil1d", *rest, ("--mtbf-node is missing",)),
               ("interval", "--simulate", "heat", *rest, ("heat", "expected a pattern")),
               (*SIMULATED, "--steps", "many", ("--steps many",)), (*SIMULATED, "more", ("more: unexpected",)),
               ("interval", "jacobi", "--mtbf", "9", "--figure", "x", ("--figure", "--simulate")))
