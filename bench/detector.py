"""From the death to all roles with their state, with the detector of the host and without it; and whether it costs anything while nobody dies."""
from measure import SPREAD, interleave, run
from series import cost, in_turn

CG = ["cg", "--class", "S", "--steps", 50, "--np"]
# name: arguments, how many times fewer pairs. More roles than cores take longer to start than to run.
RUNS = {
    "cg S, 2 roles": ([*CG, 2], 1),
    "cg S, 8 roles": ([*CG, 8], 1),
    "lulesh 10, 8 roles": (["lulesh", "--edge", 10, "--steps", 60, "--np", 8], 1),
    "cg S, 64 roles": ([*CG, 64], 2),
}
FREE = {
    "cg A, 2 roles": ["cg", "--class", "A", "--np", 2],
    "jacobi 1024, 8 roles": ["jacobi", "--grid", 1024, "--steps", 400, "--np", 8],
}
PHASES = ("detect_s", "repair_s", "restored_s")


def pairs_of(args, pairs):
    """[(record with the runtime alone, record with the detector of the host)]"""
    return interleave(*(lambda how=how: run(*args, "--policy", "all", "--detector", how) for how in ("runtime", "host")), pairs)


def times(found, phase):
    return in_turn(*([record["failures"][0][phase] for record in side] for side in zip(*found)), "{:.2f}")


def costs(report, pairs, free):
    def killed():
        for name, (args, fewer) in RUNS.items():
            found = pairs_of([*args, "--kill", "1@40"], -(-pairs // fewer))
            yield name, len(found), *(cell for phase in PHASES for cell in times(found, phase))

    def undisturbed():
        for name, args in FREE.items():
            yield name, cost([host["loop_s"] / runtime["loop_s"] for runtime, host in pairs_of(args, free)]), free

    report.table("From SIGKILL to all restored, one death, with `--detector runtime` and `host`: medians in milliseconds, "
                 f"ratios with {SPREAD}",
                 ("run", "pairs", "detect, runtime", "detect, host", "detect, ratio", "repair, runtime", "repair, host", "repair, ratio",
                  "all restored, runtime", "all restored, host", "all restored, ratio"), killed())
    report.table("The detector of the host without a failure: the loop against one with the runtime alone",
                 ("run", "cost and 95 % interval", "pairs"), undisturbed())
