"""What the profiler adds to a call of MPI (docs/profile.md)."""
import os
import subprocess
import sys
import tempfile

from measure import BUILD, MPIRUN, SPREAD
from series import Figure

PROGRAM = BUILD / "bench" / "profile"
CASES = ("a send on MPI_COMM_WORLD", "on another communicator", "on two by turns", "to 4,096 receivers by turns",
         "with MPI_THREAD_MULTIPLE", "a collective")


def once():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*MPIRUN, "-n", "1", PROGRAM], env={**os.environ, "ROLLBENCH_PROFILE": f"{folder}/profile"},
                              capture_output=True, text=True, check=False)
    found = [float(word) for word in done.stdout.split()]
    if done.returncode != 0 or len(found) != len(CASES):
        sys.exit(f"{PROGRAM}: {done.stderr.strip()}; `make bench` builds it")
    return found


def costs(report, times):
    samples = [once() for _ in range(times)]
    report.table(f"Profiler: CPU time that it adds to a call, {times} runs, {SPREAD}", ("call", "nanoseconds"),
                 ((case, Figure("time", [s[i] for s in samples], "{:.0f}")) for i, case in enumerate(CASES)))
