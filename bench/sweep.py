"""What a sweep costs beside the jobs that it runs: starting mpirun, reading ledgers, comparing, writing records."""
import re
import subprocess
import sys
import tempfile

from measure import SPREAD, at_most
from plots.common.program import program
from series import Figure

RUNS = 14
GOAL = 0.25  # of the time of the runs
FILE = """\
name: overhead
deadline: 60
runs:
  - kernel: jacobi
    grid: 512
    steps: 2000
    np: 4
    interval: 500
    policy: [none, all]
    kill: {roles: [1, 2], iterations: 700..702, phases: [send]}
"""


def share():
    """Time outside mpirun / time of the runs, of one sweep."""
    with tempfile.TemporaryDirectory(prefix="rollbench-bench-") as folder:
        path = f"{folder}/overhead.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(FILE)
        done = subprocess.run([program(), "sweep", path, "--results", f"{folder}/results"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{path}: {done.stderr}")
        said = subprocess.run([program(), "store", "overhead", f"{folder}/results"], capture_output=True, text=True, check=True).stdout
    outside, taken, runs = re.search(r"outside mpirun: ([\d.]+) s.* the ([\d.]+) s that (\d+) runs took", said).groups()
    assert int(runs) == RUNS, said
    return float(outside) / float(taken)


def overhead(report, sweeps):
    share()
    shares = [share() for _ in range(sweeps)]
    report.table(f"A sweep of {RUNS} runs: time outside mpirun / time of the runs, {SPREAD}", ("share", f"goal: at most {100 * GOAL:.0f} %"),
                 [(Figure("share", [100 * s for s in shares], "{:.1f} %"), at_most(GOAL, shares))], names=0)
