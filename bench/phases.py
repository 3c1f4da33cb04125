"""Where the time goes (after Table 4 of the message-logging-kernels paper), and after a failure."""
from measure import SPREAD, run, show
from plots.common.stats import mean, median

RUNS = {
    "cg A, 8 roles": ["cg", "--class", "A", "--np", 8, "--interval", 25],
    "lulesh 10, 8 roles": ["lulesh", "--edge", 10, "--np", 8, "--interval", 20],
    "jacobi 1024, 8 roles": ["jacobi", "--grid", 1024, "--steps", 400, "--np", 8,
                             "--interval", 20],
}
PHASES = ("compute_s", "pack_s", "log_s", "communicate_s", "commit_s")
RECOVERY = ("detect_s", "repair_s", "restore_s", "replay_s", "catchup_s", "wait_s")


def shares(report, repetitions):
    kept = {}

    def rows():
        for name, args in RUNS.items():
            records = [run(*args, "--policy", "all") for _ in range(repetitions)]
            kept[name] = [[role["phases"] for role in r["roles"]] for r in records]
            record = sorted(records, key=lambda r: r["loop_s"])[len(records) // 2]
            roles = record["roles"]
            timed = sum(r["phases"]["total_s"] for r in roles)
            share = {p: 100 * sum(r["phases"][p] for r in roles) / timed for p in PHASES}
            each = 1e6 * timed / sum(r["phases"]["iterations"] for r in roles)
            checkpoint = mean(r["checkpoint_s"] for r in roles)
            clock = mean(r["phases"]["clock_s"] for r in roles)
            loop = record["loop_s"]
            yield (name, f"{each:.0f}", *(f"{share[p]:.2f} %" for p in PHASES), f"{loop:.3f}",
                   f"{checkpoint:.3f} ({100 * checkpoint / loop:.1f} %)",
                   f"{100 * clock / loop:.3f} %")

    report.table("Phases of an iteration, failure-free, `all`: shares over all roles, of the run "
                 f"with the median loop of {repetitions}",
                 ("run", "iteration, us", "compute", "pack", "log", "communicate and wait",
                  "commit", "loop, s", "checkpoints, s", "cost of measuring"), rows())
    report.keep("phases", kept)


def recovery(report, repetitions):
    kept = {}

    def rows():
        for name, args in RUNS.items():
            for policy in ("none", "all"):
                front = int(args[-1]) * 2 - 2
                found = [run(*args, "--policy", policy, "--kill",
                             f"{r % 8}@{front}")["failures"][0] for r in range(repetitions)]
                kept[f"{name}, {policy}"] = found
                cells = []
                for phase in RECOVERY:
                    values = [1000 * f[phase] for f in found if f[phase] is not None]
                    cells.append(f"{median(values):.2f}" if values else "not measured")
                yield (name, policy, *cells)

    report.table(f"After a failure: milliseconds, medians of {repetitions} runs, each the "
                 "longest over the roles it concerns",
                 ("run", "policy", "detect", "repair", "restore", "replay", "catch up",
                  "wait until the first commit"), rows())
    report.keep("recovery", kept)


def catch_up(report, repetitions):
    """Seconds an iteration while catching up, against the same role's in normal operation."""
    kept = {}

    def rows():
        for name, args in RUNS.items():
            ratios = []
            for r in range(repetitions):
                record = run(*args[:-2], "--interval", 100, "--policy", "all", "--kill",
                             f"{r % 8}@98")
                failure = record["failures"][0]
                back = failure["iteration"] - failure["checkpoint"]
                normal = (record["loop_s"] - failure["resume_s"] - failure["restore_s"] -
                          failure["catchup_s"]) / (record["iterations"]["useful"] / 8)
                ratios.append(normal / (failure["catchup_s"] / back))
            kept[name] = ratios
            yield name, len(ratios), show(ratios, "{:.2f}".format)

    report.table("Catching up under local rollback: times as fast as in normal operation",
                 ("run", "runs", SPREAD), rows())
    report.keep("catch-up", kept)


AGAINST_GLOBAL = {  # word in tables and samples: how to run it
    "global": ("--policy", "none"),
    "local": ("--policy", "all"),
    "restart": ("--strategy", "restart"),
}


def local_against_global(report, pairs):
    """Time to solution with a failure late in an interval, global rollback being 1."""
    kept = {}

    def rows():
        for name, args in RUNS.items():
            long = [*args[:-2], "--interval", 100, "--kill", "3@98"]
            kept[name] = {"local": [], "restart": []}
            for i in range(pairs):
                order = list(AGAINST_GLOBAL)[::1 if i % 2 else -1]
                seconds = {how: run(*long, *AGAINST_GLOBAL[how])["loop_s"] for how in order}
                for how, ratios in kept[name].items():
                    ratios.append(seconds[how] / seconds["global"])
            yield name, pairs, *(show(ratios, "{:.3f}".format) for ratios in kept[name].values())

    report.table("Time to solution, one failure, 98 iterations lost, against global rollback: "
                 f"ratios, {SPREAD}",
                 ("run", "pairs", "local / global", "job restart / global"), rows())
    report.keep("local-global", kept)
