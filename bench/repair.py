"""What of a recovery is the MPI's part: a run beside a program that does nothing but revoke, shrink and agree (bench/repair.c)."""
import os
import pathlib
import subprocess
import sys
import tempfile

from detector import CG
from measure import BUILD, SPREAD, at_most, interleave, mpirun, run, set_parameters
from plots.common.stats import median  # measure knows the folder
from series import Figure

# roles: goal for SIGKILL to all restored in milliseconds.
RUNS = {8: 8, 64: 40, 128: 100}
MOMENTS = ("all know", "all have the new communicator", "all have agreed")


def as_a_job(ranks, folder):
    """The words by which a job of Rollbench with so many processes starts, as far as they count here. Its shared memory is in the folder."""
    parameters = {"coll_ftagree_era_topology": 3, "mpi_event_tick_rate": 100, "shmem": "mmap", "btl_sm_backing_directory": folder}
    return [*mpirun(ranks, "nap"), "--with-ft", "ulfm", *set_parameters(parameters)]


def bare(ranks):
    """Milliseconds from the death to each of MOMENTS."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:  # removed with it: files of processes that end without MPI_Finalize
        path = pathlib.Path(folder) / "moments"
        command = [*as_a_job(ranks, folder), str(BUILD / "bench" / "repair"), str(path)]
        # The exit status of mpirun tells only that a rank died.
        done = subprocess.run(command, env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        found = list(map(float, path.read_text(encoding="ascii").split())) if path.is_file() else []
    if len(found) != 1 + len(MOMENTS):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}, {len(found)} moments: {done.stdout} {done.stderr.strip()}; `make bench` builds it")
    return [moment - found[0] for moment in found[1:]]


def restored(roles):
    record = run(*CG, roles, "--policy", "all", "--kill", "1@40")
    return 1e3 * record["failures"][0]["restored_s"]


def milliseconds(values):
    return Figure("time", values, text=f"{median(values):.1f}")


def beside(report, pairs, all_roles):
    def rows():
        for roles in all_roles:
            goal = RUNS[roles]
            found = interleave(lambda np=roles: restored(np), lambda np=roles: bare(np + 1), pairs)
            ours, mpi = zip(*found)
            agreed = [moments[-1] for moments in mpi]
            yield (roles, len(found), milliseconds(ours), *map(milliseconds, zip(*mpi)),
                   Figure("share", [a / b for a, b in zip(ours, agreed)], "{:.2f}"), f"at most {goal}: {at_most(goal, ours, 'pairs')}",
                   at_most(goal, agreed, "pairs"))

    report.table("One death: SIGKILL to all restored (cg S, policy `all`, one spare) beside a program of as many processes with nothing but the MPI, which "
                 f"revokes, shrinks and agrees; both in turn, medians in milliseconds after the death, ratios with {SPREAD}",
                 ("roles", "pairs", "all restored", *(f"MPI alone: {moment}" for moment in MOMENTS), "all restored / MPI alone", "goal", "goal, MPI alone"),
                 rows())
