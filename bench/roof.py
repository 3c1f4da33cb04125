"""Kernels against the memory's bandwidth, measured by a triad in between."""
from measure import FOREVER, SPREAD, run
from plots.common.stats import median
from series import Figure

# Nonzeros of CG's matrix after merging, by class; 12 bytes each move in every product.
NONZEROS = {"A": 1853104, "B": 13708072}
ROWS = {"A": 14000, "B": 75000}
QUIET = ["--policy", "off", "--interval", FOREVER]


def triad(np):
    n, steps = 8000000 // np, 60
    record = run("triad", "--np", np, "--elements", n, "--steps", steps, *QUIET)
    return 32 * n * np * steps / record["loop_s"] / 1e9


def jacobi(np):
    grid, steps = 4096, 60
    record = run("jacobi", "--np", np, "--grid", grid, "--steps", steps, *QUIET)
    return 24 * grid * grid * steps / record["loop_s"] / 1e9


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
    def rows():
        for np, kernels in ((1, (jacobi, cg, lulesh)), (2, (jacobi, cg))):
            for kernel in kernels:
                found = [(kernel(np), triad(np)) for _ in range(repetitions)]
                yield (kernel.__name__, np, *(Figure("rate", side, text=f"{median(side):.1f}") for side in zip(*found)),
                       Figure("gain", [100 * a / b for a, b in found], "{:.0f} %"))

    report.table("Share of the measured memory bandwidth, write allocation counted",
                 ("kernel", "roles", "GB/s", "triad GB/s", f"share, {SPREAD}"), rows(), names=2)
