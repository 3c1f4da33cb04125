"""Kernels against programs of others, which are built outside of this project: runs in turn, the others' own time against ours."""
import re
import subprocess
import sys
from functools import partial

from measure import FOREVER, MPIRUN, SPREAD, at_most, interleave, run, show

LULESH_CASES = (  # ranks, elements per side of a rank, steps, at most this share of the other's time
    (1, 20, 200, 0.35),
    (1, 30, 100, 0.35),
    (8, 10, 200, 0.5),
)


def lulesh_2(program, np, edge, steps):
    """Seconds of LULESH 2.0, by its microseconds per element and step: what it prints of the whole has two digits."""
    words = ["-s", edge, "-r", 1, "-c", 0, "-i", steps]  # at its own cost (-c) of 1 the equation of state of the only region is computed twice
    done = subprocess.run([*MPIRUN, "-n", str(np), program, *map(str, words)], capture_output=True, text=True, check=False)
    found = re.search(r"^Grind time \(us/z/c\) *= *([\d.e+-]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"{program}: this is no LULESH 2.0 with MPI that runs here; exit status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return float(found[1]) * 1e-6 * edge ** 3 * steps


def our_lulesh(np, edge, steps):
    return run("lulesh", "--np", np, "--edge", edge, "--steps", steps, "--policy", "off", "--interval", FOREVER)["loop_s"]


def lulesh(report, pairs, program):
    if not program:
        report.say("\nLULESH was not compared with LULESH 2.0: `--lulesh PROGRAM` names one, built with MPI and the same flags (docs/performance.md)")
        return
    kept = {}

    def rows():
        for np, edge, steps, goal in LULESH_CASES:
            case = np, edge, steps
            found = kept[f"lulesh-{np}-{edge}"] = interleave(partial(our_lulesh, *case), partial(lulesh_2, program, *case), pairs)
            ratios = [ours / theirs for ours, theirs in found]
            yield (*case, show([b for _, b in found], "{:.3f}".format), show([a for a, _ in found], "{:.3f}".format),
                   show(ratios, "{:.2f}".format), f"at most {goal:g}: {at_most(goal, ratios)}")

    report.table(f"LULESH against LULESH 2.0, {pairs} pairs of runs, {SPREAD}",
                 ("ranks", "edge", "steps", "LULESH 2.0, s", "ours, s", "ours / 2.0", "goal"), rows())
    report.keep("peers-lulesh", kept)
