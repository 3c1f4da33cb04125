"""Kernels against the memory's bandwidth, measured by a triad in between."""
import platform

from measure import FOREVER, SPREAD, at_least, interleave, run
from plots.common.stats import median
from series import Figure, in_turn

# Nonzeros of CG's matrix after merging, by class; 12 bytes each move in every product.
NONZEROS = {"A": 1853104, "B": 13708072}
ROWS = {"A": 14000, "B": 75000}
QUIET = ["--policy", "off", "--interval", FOREVER]

# Bytes of an element of the triad and of a point of Jacobi. With stores through the caches the line that is written is read before that.
TRIAD = {"cached": 32, "streaming": 24}
JACOBI = {"cached": 24, "streaming": 16}
GRID = 4096  # far larger than caches, so `--stores auto` of Jacobi is:
STORES = "streaming" if platform.machine() == "x86_64" else "cached"  # kernels/vector.h
GOAL = 0.95  # of a triad that streams


def triad(np, stores="cached"):
    n, steps = 8000000 // np, 60
    record = run("triad", "--np", np, "--elements", n, "--steps", steps, "--stores", stores, *QUIET)
    return TRIAD[stores] * n * np * steps / record["loop_s"] / 1e9


def iteration(np, stores):
    """Seconds of Jacobi; of many, since the first one makes the pages of the second field."""
    steps = 200
    return run("jacobi", "--np", np, "--grid", GRID, "--steps", steps, "--stores", stores, *QUIET)["loop_s"] / steps


def jacobi(np):
    return JACOBI[STORES] * GRID ** 2 / iteration(np, STORES) / 1e9


def cg(np):
    """All of an iteration, vector updates included, at the bytes of product and vectors."""
    outer = 20
    record = run("cg", "--np", np, "--class", "B", "--steps", 25 * outer, *QUIET)
    products = 26 * outer
    vectors = 25 * outer * ROWS["B"] * 8 * 14
    return (products * 12 * NONZEROS["B"] + vectors) / record["loop_s"] / 1e9


def lulesh(np):
    """LULESH computes more than it moves; its bytes are what its passes read and write of nodes and elements, write allocation included."""
    edge, steps = 40, 40
    record = run("lulesh", "--np", np, "--edge", edge, "--steps", steps, *QUIET)
    return 8 * (45 * (edge + 1) ** 3 + 47 * edge ** 3) * np * steps / record["loop_s"] / 1e9


def shares(report, repetitions):
    """Each kernel in turn with the triad, which writes as it does."""
    def rows():
        for np, kernels in ((1, (jacobi, cg, lulesh)), (2, (jacobi, cg))):
            for kernel in kernels:
                stores = STORES if kernel is jacobi else "cached"
                found = [(kernel(np), triad(np, stores)) for _ in range(repetitions)]
                ratios = [a / b for a, b in found]
                yield (kernel.__name__, np, stores, *(Figure("rate", side, text=f"{median(side):.1f}") for side in zip(*found)),
                       Figure("gain", [100 * r for r in ratios], "{:.0f} %"),
                       f"at least {100 * GOAL:.0f} %: {at_least(GOAL, ratios)}" if stores == "streaming" else "")

    report.table("Share of the measured memory bandwidth; write allocation is counted where stores go through the caches",
                 ("kernel", "roles", "stores", "GB/s", "triad GB/s", f"share, {SPREAD}", "goal"), rows(), names=3)
    if STORES == "streaming":
        report.table(f"Jacobi, {GRID} x {GRID}: an iteration with stores through and past the caches",
                     ("roles", "cached, ms", "streaming, ms", f"streaming / cached, {SPREAD}"),
                     ((np, *in_turn(*zip(*interleave(lambda: iteration(np, "cached"), lambda: iteration(np, "streaming"), repetitions)), "{:.2f}"))
                      for np in (1, 2)))
