"""The simulator's engine `fast`, beside a triad in the same process."""
import os
import subprocess
import sys

from measure import ROOT, SPREAD, show

PROGRAM = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "bench" / "simulate"
# (what it is, axes, roles along each, iterations, method, failures)
CASES = (
    ("1D, no failure", 1, 1_000_000, 1000, "none", 0),
    ("1D, rollback, no logs", 1, 1_000_000, 1000, "none", 2),
    ("1D, rollback, logs", 1, 1_000_000, 1000, "all", 2),
    ("1D, data-flow rollback", 1, 1_000_000, 1000, "dataflow", 2),
    ("2D, no failure", 2, 1000, 100, "none", 0),
    ("3D, no failure", 3, 100, 100, "none", 0),
)


def once(case):
    """(role-iterations per second of one thread, of two, bytes per second of the triad, ratio)."""
    done = subprocess.run([PROGRAM, *map(str, case[1:4]), "1", *map(str, case[4:])], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{PROGRAM} {case}: {done.stderr.strip()}; `make bench` builds it")
    return [float(word) for word in done.stdout.split()[2:]]


def load():
    """Others compute, too, where this is above 0: it is the mean number of processes that want a core."""
    return os.getloadavg()[0]


def speeds(report, times):
    before = load()
    found = [[] for _ in CASES]
    for _ in range(times):
        for case, samples in zip(CASES, found):
            samples.append(once(case))

    def rows():
        for case, samples in zip(CASES, found):
            yield (case[0], f"{case[2] ** case[1]:,} x {case[3]:,}", case[5],
                   *(show([s[column] / 1e6 for s in samples], "{:.0f}".format) for column in (0, 1)),
                   show([s[2] / 1e9 for s in samples], "{:.1f}".format), show([s[3] for s in samples], "{:.2f}".format))

    report.table(f"Simulator: millions of role-iterations per second of CPU time (one thread) and of time (two), {times} runs, "
                 f"{SPREAD}; load {before:.1f} before, {load():.1f} behind",
                 ("stencil", "roles x iterations", "failures", "one thread", "two threads", "triad, GB/s",
                  "one thread x 24 B / triad"), rows())
    report.keep("simulate", [{"case": case, "samples": samples} for case, samples in zip(CASES, found)])
