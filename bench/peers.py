"""Kernels against programs of others, which are built outside of this project: runs in turn, the others' own time against ours."""
import os
import re
import subprocess
import sys
from functools import partial

from measure import FOREVER, SPREAD, at_most, interleave, mpirun, run
from series import Figure

LULESH_CASES = (  # ranks, elements per side of a rank, steps, how theirs and ours wait for a core (below), at most this share of its time
    (1, 20, 200, None, None, 0.35),
    (1, 30, 100, None, None, 0.35),
    (8, 10, 200, "yields", "naps", 0.5),
    (8, 10, 200, "yields", "yields", 0.5),
    (8, 10, 200, "naps", "naps", None),
)
# "yields" is the MPI's default where processes share cores; "naps" is that of `rollbench run`. Where each has a core, neither does either.
THEIRS = {None: "default", "yields": "default", "naps": "nap"}
OURS = {None: {}, "naps": {}, "yields": {"OMPI_MCA_threads_pthreads_yield_strategy": "sched_yield"}}
# Millions of operations as NPB counts them: 15 iterations of 14,000 rows with 11 nonzeros a vector, and 75 of 75,000 with 13.
NPB_MOP = {letter: 2e-6 * iterations * n * (6 + m * (m + 1) + 25 * (5 + m * (m + 1)))
           for letter, iterations, n, m in (("A", 15, 14000, 11), ("B", 75, 75000, 13))}
CG_CASES = (("A", 1, 0.5), ("A", 2, 0.6), ("B", 1, 0.5), ("B", 2, 0.6))  # class, ranks, at most this share of the other's time


def lulesh_2(program, np, edge, steps, wait):
    """Seconds of LULESH 2.0, by its microseconds per element and step: what it prints of the whole has two digits."""
    words = ["-s", edge, "-r", 1, "-c", 0, "-i", steps]  # at its own cost (-c) of 1 the equation of state of the only region is computed twice
    done = subprocess.run([*mpirun(np, wait), program, *map(str, words)], capture_output=True, text=True, check=False)
    found = re.search(r"^Grind time \(us/z/c\) *= *([\d.e+-]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"{program}: this is no LULESH 2.0 with MPI that runs here; exit status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return float(found[1]) * 1e-6 * edge ** 3 * steps


def our_lulesh(np, edge, steps, wait):
    return run("lulesh", "--np", np, "--edge", edge, "--steps", steps, "--policy", "off", "--interval", FOREVER, **OURS[wait])["loop_s"]


def lulesh_cases():
    """Those that differ on this machine."""
    shared = [case for case in LULESH_CASES if case[0] > len(os.sched_getaffinity(0))]
    alike = {case[:3]: (*case[:3], None, None, case[5]) for case in reversed(LULESH_CASES) if case not in shared}
    return [*reversed(alike.values()), *shared]


def table(report, title, header, pairs, cases):
    """Rows of (cells that name the case, theirs, ours, goal): both functions give seconds."""
    def rows():
        for names, theirs, ours, goal in cases:
            found = interleave(ours, theirs, pairs)
            ratios = [a / b for a, b in found]
            yield (*names, *(Figure("time", side, "{:.3f}") for side in reversed(list(zip(*found)))), Figure("share", ratios, "{:.2f}"),
                   f"at most {goal:g}: {at_most(goal, ratios)}" if goal else "none")

    report.table(f"{title}, {pairs} pairs of runs, {SPREAD}", (*header, "theirs, s", "ours, s", "ours / theirs", "goal"), rows(), names=len(header))


def lulesh(report, pairs, program):
    if not program:
        report.say("LULESH was not compared with LULESH 2.0: `--lulesh PROGRAM` names one, built with MPI and the same flags (docs/performance.md)")
        return
    table(report, "LULESH against LULESH 2.0", ("ranks", "edge", "steps", "theirs waits by", "ours waits by"), pairs,
          (((np, edge, steps, theirs or "-", ours or "-"), partial(lulesh_2, program, np, edge, steps, THEIRS[theirs]),
            partial(our_lulesh, np, edge, steps, ours), goal) for np, edge, steps, theirs, ours, goal in lulesh_cases()))


def npb_cg(programs, letter, np):
    """Seconds of NPB's CG, by its own clock; it must have verified its result."""
    program, = (path for path in programs if path.name == f"cg.{letter}.x")
    done = subprocess.run([*mpirun(np, "default"), program], capture_output=True, text=True, check=False)
    found = re.search(r"^ *Mop/s total *= *([\d.]+)", done.stdout, re.MULTILINE)  # its seconds have two decimals
    if done.returncode != 0 or not found or "VERIFICATION SUCCESSFUL" not in done.stdout:
        sys.exit(f"{program}: this is no CG of NPB 3.4 with MPI that runs here; exit status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return NPB_MOP[letter] / float(found[1])


def our_cg(letter, np):
    return run("cg", "--class", letter, "--np", np, "--policy", "off", "--interval", FOREVER)["loop_s"]


def cg(report, pairs, programs):
    if not programs:
        report.say("CG was not compared with NPB 3.4: `--npb FOLDER` names one with cg.A.x and cg.B.x, built with the same flags (docs/performance.md)")
        return
    table(report, "CG against NPB 3.4", ("class", "ranks"), pairs,
          (((letter, np), partial(npb_cg, programs, letter, np), partial(our_cg, letter, np), goal) for letter, np, goal in CG_CASES))


def compare(report, pairs, pairs_of_cg, **given):
    lulesh(report, pairs, given["lulesh"] and given["lulesh"][0])
    cg(report, pairs_of_cg, given["npb"])
