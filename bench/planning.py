"""What the harness takes before a run: to plan a sweep as large as a file may be, and to forecast a run of thousands of roles."""
import subprocess
import sys
import tempfile
import time

from measure import SPREAD, at_most
from plots.common.program import program
from series import Figure

FILE = """\
name: planning
runs:
  - kernel: jacobi
    grid: 4096
    steps: 1000
    np: 64
    interval: 100
    policy: all
    kill: {roles: [all], iterations: 1..776, phases: [send]}
"""
RUNS = 49_665  # one without a kill included; a file has at most 50,000
GOAL = 5  # seconds


def seconds(*args):
    began = time.monotonic()
    done = subprocess.run([program(), *args], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(args)}: {done.stderr.strip()}")
    return time.monotonic() - began, done.stdout


def plan():
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="rollbench-bench-") as file:
        file.write(FILE)
        file.flush()
        taken, said = seconds("sweep", file.name, "--dry-run")
    assert said.endswith(f"\n{RUNS} runs\n"), said[-500:]
    return taken


def forecast():
    return seconds("explain", "cg", "--class", "D", "--np", "4096", "--policy", "all", "--interval", "25", "--kill", "5@30")[0]


def costs(report, times):
    def rows():
        for what, once in ((f"sweep --dry-run, {RUNS:,} runs", plan), ("explain, CG class D on 4,096 roles, `all`", forecast)):
            found = [once() for _ in range(times)]
            yield what, Figure("time", found, "{:.2f}"), at_most(GOAL, found)

    report.table(f"The harness before a run, {times} times, {SPREAD}", ("command", "seconds", f"goal: at most {GOAL} s"), rows())
