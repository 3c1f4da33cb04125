"""What the profiler adds to a call of MPI (docs/profile.md)."""
import tempfile

from measure import SPREAD, bench_numbers
from series import Figure

CASES = ("a send on MPI_COMM_WORLD", "on another communicator", "on two by turns", "to 4,096 receivers by turns",
         "with MPI_THREAD_MULTIPLE", "a collective")


def once():
    with tempfile.TemporaryDirectory() as folder:
        found = bench_numbers("profile", ranks=1, ROLLBENCH_PROFILE=f"{folder}/profile")
    assert len(found) == len(CASES), found
    return found


def costs(report, times):
    samples = [once() for _ in range(times)]
    report.table(f"Profiler: CPU time that it adds to a call, {times} runs, {SPREAD}", ("call", "nanoseconds"),
                 ((case, Figure("time", [s[i] for s in samples], "{:.0f}")) for i, case in enumerate(CASES)))
