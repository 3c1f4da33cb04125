"""configs/slurm/rollbench.sbatch is cut by the time limit again and again, and ends as if it had not been.

Slurm is a stand-in here: it sends SIGTERM to the script alone, as --signal=B:TERM does, and starts it again if it asked for that.
`make test-slurm` runs the same script under a real one.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from problems import LONG
from rollbench import COMMAND, ROOT, call, descendants_named, new_folder, reference, wait_until
from schema import loads
from small_sweep import SWEEP, essence, records

SCONTROL = """\
#!/bin/sh
case $* in
"show hostnames "*) echo localhost ;;
"show job "*) echo '   Command=SCRIPT run'; echo "   JobState=$(cat STATE)" ;;
requeue*) : >AGAIN ;;
*) exit 1 ;;
esac
"""


class Slurm:
    """The batch system as far as the script sees it."""

    def __init__(self, *args, **env):
        self.submitted, spool = new_folder(), new_folder()
        self.args, self.work, self.again, self.state = args, self.submitted / "work", spool / "again", spool / "state"
        script = ROOT / "configs/slurm/rollbench.sbatch"
        self.copy = shutil.copy(script, spool / "slurm_script")
        self.state.write_text("RUNNING")
        tool = spool / "scontrol"
        tool.write_text(SCONTROL.replace("SCRIPT", str(script)).replace("STATE", str(self.state)).replace("AGAIN", str(self.again)))
        tool.chmod(0o755)
        self.env = {**os.environ, "PATH": f"{spool}:{os.environ['PATH']}", "SLURM_SUBMIT_DIR": str(self.submitted), "SLURM_JOB_ID": "7",
                    "SLURM_JOB_NODELIST": "localhost", "ROLLBENCH": COMMAND[0], "ROLLBENCH_NO_ALLOCATION": "1", **env}

    def start(self, cut=None):
        """Run the script, and cut it once cut() is true. (exit status, what it said, whether it is to be started again)"""
        self.again.unlink(missing_ok=True)
        with open(self.submitted / "log", "a+", encoding="utf-8") as log:
            begin = log.tell()
            script = subprocess.Popen(["sh", self.copy, *map(str, self.args)], env=self.env, stdout=log, stderr=log)
            if cut:
                wait_until(lambda: cut() or script.poll() is not None, nap=0.001)
                assert script.poll() is None, f"over before the cut: {(self.submitted / 'log').read_text()}"
                script.send_signal(signal.SIGTERM)
            script.wait(timeout=100)
            log.seek(begin)
            said = log.read()
        wait_until(lambda: not descendants_named(self.work))
        return script.returncode, said, self.again.exists()


def newest(work):
    """The newest checkpoint that all roles of the job's run have."""
    files = [re.search(r"role\.(\d+)\.iter\.(\d+)\.ckpt$", str(f)) for f in work.glob("job.7/rollbench-run-*/*.ckpt")]
    by_role = [max(int(f[2]) for f in files if f and f[1] == r) for r in {f[1] for f in files if f}]
    return min(by_role) if len(by_role) == 4 else 0


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_run_is_cut_three_times():
    slurm, at, anew = Slurm("run", *LONG, "--json", "record.json"), 0, 0
    for part in range(3):
        before = at
        status, said, again = slurm.start(lambda: newest(slurm.work) >= before + 200)
        at = newest(slurm.work)
        assert status == 0 and again and "queued again" in said, (part, status, said)
        anew += 4 * at
        assert at > before and not (slurm.submitted / "record.json").exists(), (part, at)
    status, said, again = slurm.start()
    record = loads((slurm.submitted / "record.json").read_text())
    assert status == 0 and not again and record["status"] == "ok" and record["resumed"], (status, said)
    assert record["state_hash"] == reference(*LONG)
    # Each cut costs what was done since the newest checkpoint that counted. To begin anew would repeat all before it.
    assert record["iterations"]["repeated"] < anew / 2, (anew, record["iterations"])
    assert list(slurm.work.iterdir()) == [], list(slurm.work.rglob("*"))


@pytest.mark.timeout(100)
def test_what_is_not_queued_again():
    """A job that was cancelled, and one whose user said no: nothing is left of it. One that has ended is not, either."""
    run = ("run", *LONG)
    for env, state in (({"ROLLBENCH_REQUEUE": "no"}, "RUNNING"), ({}, "CANCELLED")):
        slurm = Slurm(*run, **env)
        slurm.state.write_text(state)
        status, said, again = slurm.start(lambda: newest(slurm.work) > 0)
        assert status == 143 and not again and list(slurm.work.iterdir()) == [], (status, said, list(slurm.work.rglob("*")))
    slurm = Slurm("run", "jacobi", "--grid", 32, "--steps", 8, "--np", 2, "--spare-hosts", 1)
    status, said, again = slurm.start()
    assert status == 2 and not again and "--spare-hosts: it needs" in said, said


def test_each_command_gets_only_options_that_it_takes():
    """`run PROGRAM --protocol` and `torture` refused what the script had added. The command finds the hosts of the allocation by itself."""
    fake = new_folder() / "rollbench"
    fake.write_text('#!/bin/sh\necho "got: $*"\n')
    fake.chmod(0o755)
    spare = {"ROLLBENCH_SPARE_HOSTS": "1"}
    for args, got, env in (("run gauss_jordan --protocol events", "run gauss_jordan --protocol events --keep --workdir {work}/job.7", spare),
                           ("run cg", "run cg --spare-hosts 1 --keep --workdir {work}/job.7", spare),
                           ("run cg --spare-hosts=2", "run cg --spare-hosts=2 --keep --workdir {work}/job.7", spare),
                           ("run cg --hostfile f", "run cg --hostfile f --keep --workdir {work}/job.7", {}),
                           ("resume x", "resume x --spare-hosts 1", spare),
                           ("torture --runs 1", "torture --runs 1 --workdir {work}", {}),
                           ("torture --protocol events", "torture --protocol events --workdir {work}", spare),
                           ("barrier --np 2", "barrier --np 2 --workdir {work}", spare),
                           ("sweep x.yaml", "sweep x.yaml --workdir {work}", {}),
                           ("papers list", "papers list", {})):
        slurm = Slurm(*args.split(), ROLLBENCH=str(fake), **env)
        status, said, again = slurm.start()
        assert status == 0 and not again and said == f"got: {got.format(work=slurm.work)}\n", (args, said)


@pytest.mark.long
@pytest.mark.timeout(100)
def test_what_stays_where_it_was_asked_for():
    """--keep, and a run in memory only, which cannot go on and begins again; resume through the script."""
    named = new_folder()
    slurm = Slurm("run", "jacobi", "--grid", 64, "--steps", 40, "--np", 2, "--keep", "--json=record.json", "--workdir", named)
    assert slurm.start()[0] == 0 and not slurm.work.exists()
    folder, = named.glob("job.7/*")
    assert folder.name.startswith("rollbench-run-") and json.loads((slurm.submitted / "record.json").read_text())["status"] == "ok"
    slurm = Slurm("run", *LONG, "--ckpt", "buddy", "--json", "record.json")
    slurm.start(lambda: len(list(slurm.work.glob("job.7/*/role.*.ledger"))) == 4)
    status, said, _ = slurm.start()
    assert status == 0 and loads((slurm.submitted / "record.json").read_text())["resumed"] is False, said
    assert list(slurm.work.iterdir()) == []
    slurm = Slurm("resume", folder)
    status, said, _ = slurm.start()
    assert status == 0 and "status: ok" in said and not folder.exists(), said


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_sweep_is_cut_three_times():
    config = new_folder() / "sweep.yaml"
    config.write_text(SWEEP.format(repetitions=8))
    slurm = Slurm("sweep", config, "--results", "results")
    results, seen = slurm.submitted / "results", {}
    for part in range(3):
        status, said, again = slurm.start(lambda: len(list(results.glob("*.json"))) >= len(seen) + 4)
        assert status == 0 and again, (part, status, said)
        now = records(results)
        assert len(now) > len(seen) and all(now[name] == text for name, text in seen.items()), (part, len(now))
        seen = now
    status, said, again = slurm.start()
    assert status == 0 and not again and list(slurm.work.iterdir()) == [], said
    now = records(results)
    assert all(now[name] == text for name, text in seen.items()), "a run was made again"
    whole = Slurm("sweep", config, "--results", "results")
    assert whole.start()[0] == 0
    assert essence(results) == essence(whole.submitted / "results") and len(now) > 8
    assert call("store", "verify", results).returncode == 0
    assert not pathlib.Path(slurm.work, "job.7").exists()
