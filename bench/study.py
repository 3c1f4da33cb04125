"""The study of a matrix alone, for as many ranks as no machine here could run."""
from measure import SPREAD, bench_numbers
from series import Figure

CASES = (("random", 4096, 30), ("random", 1000000, 30), ("random", 1000000, 70), ("grid", 1000000, 30), ("grid", 1000000, 70))
NAMES = {"random": "10 receivers drawn at random", "grid": "2D grid, 4 neighbours"}


def once(kind, ranks, cap):
    """(ranks, channels, seconds to build, of the strategy, of sets and chains, mean set in percent, peak bytes)."""
    return bench_numbers("study", kind, ranks, cap)


def speeds(report, times):
    def rows():
        for kind, ranks, cap in CASES:
            found = [once(kind, ranks, cap) for _ in range(times)]
            yield (NAMES[kind], f"{ranks:,}", f"{int(found[0][1]):,}", f"{cap} %", f"{found[0][5]:.2f} %",
                   *(Figure("time", [f[i] for f in found], "{:.3f}") for i in (2, 3, 4)),
                   f"{max(f[6] for f in found) / 1e6:.0f}")

    report.table("Study: rollback sets with every rank as the victim, and chains of 64 victims, under a cap on the log, heaviest "
                 f"first; one core, {times} runs, {SPREAD}",
                 ("matrix", "ranks", "channels", "cap", "mean set", "building the matrix, s", "strategy, s",
                  "sets and chains, s", "peak memory, MB"), rows(), names=4)
