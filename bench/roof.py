"""Kernels against the memory's bandwidth, measured by a triad in between."""
from functools import partial

from cg_matrix import ELEMENT, NONZEROS, ROWS
from measure import FOREVER, SPREAD, at_least, bench_numbers, interleave, run
from plots.common.stats import median
from series import Figure, in_turn

QUIET = ["--policy", "off", "--interval", FOREVER]

# Bytes of an element of the triad and of a point of Jacobi. With stores through the caches the line that is written is read before that.
TRIAD = {"cached": 32, "streaming": 24}
JACOBI = {"cached": 24, "streaming": 16}
GRID = 4096
# Of the triad, in each process: STREAM asks for arrays of at least four times the last-level cache, and here each core may have one of 32 MiB.
ELEMENTS = 16000000
GOAL = 0.95  # of Jacobi, of a triad with streaming stores
PAIRS, IN_TURN = 15, 3  # of bench/bandwidth.c: pairs of a start, iterations of each side of a pair


def triad(np, stores="cached"):
    steps = 120  # about as long as the kernels
    record = run("triad", "--np", np, "--elements", ELEMENTS, "--steps", steps, "--stores", stores, *QUIET)
    return TRIAD[stores] * ELEMENTS * np * steps / record["loop_s"] / 1e9


def iteration(np, stores="auto", steps=200):
    """Seconds of Jacobi, and how it wrote. Of many iterations, since the first one makes the pages of the second field."""
    record = run("jacobi", "--np", np, "--grid", GRID, "--steps", steps, "--stores", stores, *QUIET)
    return record["loop_s"] / steps, next(word for word in JACOBI if f"{word} stores" in record["verdict"]["note"])


def jacobi(np):
    seconds, stores = iteration(np)
    return JACOBI[stores] * GRID ** 2 / seconds / 1e9


def cg(np):
    """All of an iteration, vector updates included, at the bytes of product and vectors."""
    outer = 20
    record = run("cg", "--np", np, "--class", "B", "--steps", 25 * outer, *QUIET)
    products = 26 * outer
    vectors = 25 * outer * ROWS["B"] * 8 * 14
    return (products * ELEMENT * NONZEROS["B"] + vectors) / record["loop_s"] / 1e9


def lulesh(np):
    """LULESH computes more than it moves; its bytes are what its passes read and write of nodes and elements, write allocation included."""
    edge, steps = 40, 40
    record = run("lulesh", "--np", np, "--edge", edge, "--steps", steps, *QUIET)
    return 8 * (45 * (edge + 1) ** 3 + 47 * edge ** 3) * np * steps / record["loop_s"] / 1e9


def beside_triads(np):
    """Medians over the pairs of one start of bench/bandwidth: GB/s of Jacobi, of the triad, and their ratio."""
    side = int(GRID / np ** 0.5)
    seconds = bench_numbers("bandwidth", np, side, ELEMENTS, PAIRS, IN_TURN)
    bytes_of_all = [np * IN_TURN * size / 1e9 for size in (JACOBI["streaming"] * side ** 2, TRIAD["streaming"] * ELEMENTS)]
    pairs = [[size / s for size, s in zip(bytes_of_all, pair)] for pair in zip(seconds[::2], seconds[1::2])]
    return (*map(median, zip(*pairs)), median([a / b for a, b in pairs]))


def shares(report, repetitions, starts):
    """Each kernel in turn with a triad that writes as it does. The goal is judged where both are milliseconds apart, not seconds."""
    usual = {np: iteration(np, steps=1)[1] for np in (1, 2)}  # what `--stores auto` of Jacobi is here

    def rows():
        for np, kernels in ((1, (jacobi, cg, lulesh)), (2, (jacobi, cg))):
            for kernel in kernels:
                stores = usual[np] if kernel is jacobi else "cached"
                found = interleave(partial(kernel, np), partial(triad, np, stores), repetitions)
                ratios = [a / b for a, b in found]
                yield (kernel.__name__, np, stores, *(Figure("rate", side, text=f"{median(side):.1f}") for side in zip(*found)),
                       Figure("gain", [100 * r for r in ratios], "{:.0f} %"))

    report.table("Share of the measured memory bandwidth; write allocation is counted where stores are cached",
                 ("kernel", "roles", "stores", "GB/s", "triad GB/s", f"share, {SPREAD}"), rows(), names=3)
    if "streaming" in usual.values():
        report.table(f"Jacobi, {GRID} x {GRID}, and a triad in the same processes: {IN_TURN} iterations of each in turn; a start has {PAIRS} such pairs, "
                     "their median is a sample", ("roles", "GB/s", "triad GB/s", f"share, {SPREAD}", "goal"),
                     ((np, Figure("rate", own, "{:.1f}"), Figure("rate", triads, "{:.1f}"), Figure("gain", [100 * r for r in ratios], "{:.0f} %"),
                       f"at least {100 * GOAL:.0f} %: {at_least(GOAL, ratios)}")
                      for np in (1, 2) for own, triads, ratios in [zip(*(beside_triads(np) for _ in range(starts)))]))
        report.table(f"Jacobi, {GRID} x {GRID}: an iteration with cached stores, and with streaming ones, which go with early requests",
                     ("roles", "cached, ms", "streaming, ms", f"streaming / cached, {SPREAD}"),
                     ((np, *in_turn(*zip(*interleave(lambda: iteration(np, "cached")[0], lambda: iteration(np, "streaming")[0], repetitions)), "{:.2f}"))
                      for np in (1, 2)))
