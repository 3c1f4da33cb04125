"""What it saves that a replacement does not compute the kernel's constants again, and what keeping them costs without a failure."""
from measure import SPREAD, interleave, run, show, verdict
from plots.common.stats import median
from roof import NONZEROS
from yardsticks import copy

RUNS = {
    "cg S, 8 roles": ["cg", "--class", "S", "--np", 8],
    "cg A, 2 roles": ["cg", "--class", "A", "--np", 2],
    "cg A, 8 roles": ["cg", "--class", "A", "--np", 8],
    "cg B, 2 roles": ["cg", "--class", "B", "--steps", 100, "--np", 2],
    "bfs 16, 2 roles": ["bfs", "--np", 2, "--interval", 10],
}
SPAWNED = ["--replace", "spawn", "--spares", 0]  # a process that had nothing open finds them at the other roles
ELEMENT = 10  # bytes of one of CG's matrix (kernels/cg/matrix.h)


def pairs_of(args, pairs):
    """[(computed, kept)]"""
    return interleave(*(lambda how=how: run(*args, "--policy", "all", "--constants", how) for how in ("compute", "keep")), pairs)


def times(found, key):
    """Both medians in milliseconds, and the ratio, of pairs of records: of their failures, or of the loop."""
    compute, keep = ([record[key] if key == "loop_s" else record["failures"][0][key] for record in records] for records in zip(*found))
    return (f"{1000 * median(compute):.1f}", f"{1000 * median(keep):.1f}", show([b / a for a, b in zip(compute, keep)], "{:.3f}".format)), keep


def against_copy(args, restore):
    """How many times as long as copying the same bytes within memory; both are for one role."""
    if args[0] != "cg" or args[2] not in NONZEROS:
        return "not measured"
    roles = args[args.index("--np") + 1]
    return f"{median(restore) / copy(1, ELEMENT * NONZEROS[args[2]] // roles):.2f}"


def recoveries(report, pairs):
    kept = {}

    def rows():
        for name, args in {**RUNS, "cg B, 2 roles, spawned": [*RUNS["cg B, 2 roles"], *SPAWNED]}.items():
            found = pairs_of([*args, "--kill", f"1@{3 if args[0] == 'bfs' else 40}"], pairs)
            restored, _ = times(found, "restored_s")
            restore, alone = times(found, "restore_s")
            loop, _ = times(found, "loop_s")
            kept[name] = [[{"loop_s": record["loop_s"], **{key: record["failures"][0][key] for key in ("restored_s", "restore_s")}}
                           for record in pair] for pair in found]
            yield name, len(found), *restored, *restore, against_copy(args, alone), loop[-1]

    report.table(f"Constants after a failure: computed again, and kept; medians in milliseconds, ratios with {SPREAD}",
                 ("run", "pairs", "kill to all restored, computed", "kept", "ratio", "restore, computed", "kept", "ratio", "of copying these bytes",
                  "the loop, recovery included, ratio"), rows())
    report.keep("constants", kept)


def failure_free(report, pairs):
    kept = {}

    def rows():
        for name, args in RUNS.items():
            found = pairs_of(args, pairs)
            setup = [tuple(max(role["setup_s"] for role in record["roles"]) for record in pair) for pair in found]
            loop = [tuple(record["loop_s"] for record in pair) for pair in found]
            kept[name] = {"setup_s": setup, "loop_s": loop}
            yield (name, len(found), f"{1000 * median(a for a, _ in setup):.1f}", f"{1000 * median(b for _, b in setup):.1f}",
                   show([b / a for a, b in setup], "{:.3f}".format), verdict([b / a for a, b in loop]))

    report.table(f"Constants without a failure: kept against not kept; ratios with {SPREAD}",
                 ("run", "pairs", "set-up, not kept, ms", "kept", "ratio", "the loop"), rows())
    report.keep("constants-free", kept)


def costs(report, killed, free):
    recoveries(report, killed)
    failure_free(report, free)
