"""What it saves that a replacement does not compute the kernel's constants again, and what keeping them costs without a failure."""
from cg_matrix import ELEMENT, NONZEROS
from measure import SPREAD, interleave, run
from plots.common.stats import median
from series import Figure, cost, in_turn
from yardsticks import copy

RUNS = {
    "cg S, 8 roles": ["cg", "--class", "S", "--np", 8],
    "cg A, 2 roles": ["cg", "--class", "A", "--np", 2],
    "cg A, 8 roles": ["cg", "--class", "A", "--np", 8],
    "cg B, 2 roles": ["cg", "--class", "B", "--steps", 100, "--np", 2],
    "bfs 16, 2 roles": ["bfs", "--np", 2, "--interval", 10],
}
SPAWNED = ["--replace", "spawn", "--spares", 0]  # a process that had nothing open finds them at the other roles


def figures(record):
    """Seconds of the set-up and of the loop, and of its failure if there is one."""
    return {"setup_s": max(role["setup_s"] for role in record["roles"]), "loop_s": record["loop_s"],
            **{key: failure[key] for failure in record["failures"] for key in ("restored_s", "restore_s")}}


def pairs_of(args, pairs):
    """The figures of [(computed, kept)]."""
    found = interleave(*(lambda how=how: run(*args, "--policy", "all", "--constants", how) for how in ("compute", "keep")), pairs)
    return [tuple(map(figures, pair)) for pair in found]


def ratios(pairs, key):
    return [kept[key] / computed[key] for computed, kept in pairs]


def times(pairs, key):
    return in_turn(*([one[key] for one in side] for side in zip(*pairs)), "{:.3f}")


def against_copy(args, restore):
    """How many times as long as copying the same bytes within memory; both are for one role."""
    if args[0] != "cg" or args[2] not in NONZEROS:
        return "not measured"
    roles = args[args.index("--np") + 1]
    return f"{median(restore) / copy(1, ELEMENT * NONZEROS[args[2]] // roles):.2f}"


def recoveries(report, pairs):
    def rows():
        for name, args in {**RUNS, "cg B, 2 roles, spawned": [*RUNS["cg B, 2 roles"], *SPAWNED]}.items():
            kill = f"1@{3 if args[0] == 'bfs' else 40}"
            found = pairs_of([*args, "--kill", kill], pairs)
            yield (name, *times(found, "restored_s"), *times(found, "restore_s"),
                   against_copy(args, [kept["restore_s"] for _, kept in found]), Figure("share", ratios(found, "loop_s"), "{:.3f}"))

    report.table(f"Constants after a failure: computed again, and kept; medians in milliseconds, ratios with {SPREAD}, "
                 f"{pairs} pairs",
                 ("run", "kill to all restored, computed", "kept", "ratio", "restore alone, computed", "restore, kept", "restore, ratio",
                  "restore, kept / copying these bytes", "the loop, recovery included, ratio"), rows())


def failure_free(report, pairs):
    def rows():
        for name, args in RUNS.items():
            found = pairs_of(args, pairs)
            yield name, *times(found, "setup_s"), cost(ratios(found, "loop_s"))

    report.table(f"Constants without a failure: kept against not kept; ratios with {SPREAD}, {pairs} pairs",
                 ("run", "set-up, not kept, ms", "set-up, kept, ms", "set-up, ratio", "the loop"), rows())


def costs(report, killed, free):
    recoveries(report, killed)
    failure_free(report, free)
