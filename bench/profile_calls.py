"""What the profiler adds to a call of MPI (docs/profile.md)."""
import os
import subprocess
import sys

from measure import ROOT, SPREAD, show

PROGRAM = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "bench" / "profile"
CASES = ("a send on MPI_COMM_WORLD", "on another communicator", "on two by turns", "to 4,096 receivers by turns",
         "with MPI_THREAD_MULTIPLE", "a collective")


def once():
    done = subprocess.run(["timeout", "60", "mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "1", PROGRAM],
                          capture_output=True, text=True, check=False)
    found = [float(word) for word in done.stdout.split()]
    if done.returncode != 0 or len(found) != len(CASES):
        sys.exit(f"{PROGRAM}: {done.stderr.strip()}; `make bench` builds it")
    return found


def costs(report, times):
    samples = [once() for _ in range(times)]
    report.table(f"Profiler: CPU time that it adds to a call, {times} runs, {SPREAD}", ("call", "nanoseconds"),
                 ((case, show([s[i] for s in samples], "{:.0f}".format)) for i, case in enumerate(CASES)))
