"""The simulator's engine `fast`, beside a triad in the same process."""
import os

from measure import SPREAD, bench_numbers, show
from series import Figure

ROLES = 1 << 20
# (what it is, axes, roles along each, iterations, method, failures)
CASES = (
    ("1D, no failure", 1, 1_000_000, 1000, "none", 0),
    ("1D, no failure", 1, 100_000_000, 20, "none", 0),
    ("1D, rollback, no logs", 1, 1_000_000, 1000, "none", 2),
    ("1D, rollback, logs", 1, 1_000_000, 1000, "all", 2),
    ("1D, data-flow rollback", 1, 1_000_000, 1000, "dataflow", 2),
    ("1D, rollback, no logs", 1, 1_000_000, 20_000, "none", 20),
    ("1D, rollback, logs", 1, 1_000_000, 20_000, "all", 20),
    ("1D, data-flow rollback", 1, 1_000_000, 20_000, "dataflow", 20),
    ("2D, no failure", 2, 1000, 100, "none", 0),
    ("3D, no failure", 3, 100, 100, "none", 0),
    ("3D, 26 neighbours, no failure", 26, 50, 41, "none", 0),
)


# (what it is, kernel or profile, roles, iterations of the recorded run, iterations)
LISTS = (
    ("MiniFE, --iterations 1", "data/profiles/miniFE-256.csv.gz", 256, 1, 4),
    ("MiniFE, --iterations 100", "data/profiles/miniFE-256.csv.gz", 256, 100, 100),
    ("MiniAMR, --iterations 1", "data/profiles/miniAMR-256.csv.gz", 256, 1, 4),
    ("LULESH", "lulesh", 64_000, 1, 5),
    ("CG", "cg", 1024, 1, 26),
    ("Jacobi", "jacobi", 10_000, 1, 50),
)


def once(case):
    """(role-iterations per second of CPU time and of elapsed time of one thread, of both with two, bytes per second of the triad,
    ratio, messages per second)."""
    return bench_numbers("simulate", *case[1:4], 1, *case[4:])[2:]


def load():
    """Others compute, too, where this is above 0: it is the mean number of processes that want a core."""
    return os.getloadavg()[0]


def allreduce(report, times):
    samples = [bench_numbers("allreduce", ROLES, 15) for _ in range(times)]

    def rows():
        for column, ratio, what in ((1, 8, "a run of one, with all arrays"), (2, None, "each further one, if all roles work as long"),
                                    (3, 6, "one, where roles begin at random times within a second"),
                                    (4, 7, "one, where roles begin within the time of all its messages")):
            yield (what, Figure("time", [s[column] for s in samples]), Figure("share", [s[ratio] for s in samples], "{:.0f}") if ratio else "")

    report.table(f"Simulator: milliseconds of CPU time for an allreduce over {ROLES:,} roles, beside a triad of "
                 f"{show([s[5] for s in samples], '{:.1f}'.format)} GB/s in the same process; {times} times the best of 15, {SPREAD}; "
                 f"load {load():.1f}", ("allreduce", "ms", "bytes of the triad per role"), rows())


def lists(report, times):
    found = [[bench_numbers("messages", *case[1:], 5) for case in LISTS] for _ in range(times)]

    def rows():
        for case, samples in zip(LISTS, zip(*found)):
            yield (case[0], f"{case[2]:,} x {case[4]:,}", show([s[2] for s in samples], "{:,.0f}".format),
                   Figure("rate", [s[3] / 1e6 for s in samples], "{:.0f}"), show([s[4] / 1e9 for s in samples], "{:.1f}".format),
                   Figure("share", [s[5] for s in samples]), show([s[6] for s in samples]))

    report.table(f"Simulator: millions of messages per second of CPU time with one thread, where programs are loaded; {times} times the "
                 f"best of 5, {SPREAD}; load {load():.1f}",
                 ("pattern", "roles x iterations", "messages", "M/s", "triad, GB/s", "bytes of the triad per message",
                  "part that is looked at"), rows(), names=2)


def speeds(report, times):
    allreduce(report, times)
    lists(report, times)
    before = load()
    found = [[] for _ in CASES]
    for _ in range(times):
        for case, samples in zip(CASES, found):
            samples.append(once(case))

    def rows():
        for case, samples in zip(CASES, found):
            both = [(s[2] / s[0], s[3] / s[1]) for s in samples]
            yield (case[0], f"{case[2] ** min(case[1], 3):,} x {case[3]:,}", case[5],
                   Figure("rate", [s[0] / 1e6 for s in samples], "{:.0f}"),
                   *(Figure("gain", [b[column] for b in both], "{:.2f}") for column in (0, 1)),
                   show([s[4] / 1e9 for s in samples], "{:.1f}".format), Figure("gain", [s[5] for s in samples], "{:.2f}"),
                   show([s[6] / 1e6 for s in samples], "{:.0f}".format) if samples[0][6] > 0 else "")

    report.table(f"Simulator: millions of role-iterations per second of CPU time with one thread; with two threads, as many times "
                 f"that, of the CPU time of both and of elapsed time; {times} runs, {SPREAD}; load {before:.1f} before, "
                 f"{load():.1f} behind",
                 ("stencil", "roles x iterations", "failures", "one thread", "two / one, CPU", "two / one, elapsed", "triad, GB/s",
                  "one thread x 24 B / triad", "messages, M/s"), rows(), names=3)
