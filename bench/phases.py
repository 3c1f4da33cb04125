"""Where the time goes (after Table 4 of the message-logging-kernels paper), and after a failure."""
from measure import SPREAD, run
from plots.common.runs import crowded
from plots.common.stats import mean, median
from series import Figure

RUNS = {
    "cg A, 8 roles": ["cg", "--class", "A", "--np", 8, "--interval", 25],
    "lulesh 10, 8 roles": ["lulesh", "--edge", 10, "--np", 8, "--interval", 20],
    "jacobi 1024, 8 roles": ["jacobi", "--grid", 1024, "--steps", 400, "--np", 8,
                             "--interval", 20],
}
WITH_CORES = {  # a core for each role where there are two; LULESH with messages needs eight roles
    "cg A, 2 roles": ["cg", "--class", "A", "--np", 2, "--interval", 25],
    "jacobi 1024, 2 roles": ["jacobi", "--grid", 1024, "--steps", 400, "--np", 2, "--interval", 20],
}
PHASES = ("compute_s", "pack_s", "log_s", "communicate_s", "commit_s")
RECOVERY = ("detect_s", "repair_s", "restore_s", "replay_s", "catchup_s", "wait_s")


def of_work(phases):
    """The share of pack + log of the time without messages and waits, over all roles."""
    copied, timed, waited = (sum(of[key] for of in phases for key in keys) for keys in (("pack_s", "log_s"), ("total_s",), ("communicate_s",)))
    return copied / (timed - waited)


def said_shares(record):
    """The phases of an iteration in percent. Where roles share cores, most of it is waiting for one: then only pack + log of the
    rest is said, since the share of the whole would say how long roles waited (6.2 % in the paper are of a whole without that)."""
    phases = [role["phases"] for role in record["roles"]]
    timed = sum(of["total_s"] for of in phases)
    whole = [f"{100 * sum(of[key] for of in phases) / timed:.2f} %" for key in PHASES]
    waits = crowded([record])
    return [*("shares cores" if waits and key in ("pack_s", "log_s") else text for key, text in zip(PHASES, whole)), f"{100 * of_work(phases):.2f} %"]


def iteration(record):
    """Seconds an iteration, of those that were timed."""
    phases = [role["phases"] for role in record["roles"]]
    return sum(of["total_s"] for of in phases) / sum(of["iterations"] for of in phases)


def shares(report, repetitions):
    def rows():
        for name, args in {**WITH_CORES, **RUNS}.items():
            records = [run(*args, "--policy", "all") for _ in range(repetitions)]
            record = sorted(records, key=lambda r: r["loop_s"])[len(records) // 2]
            roles = record["roles"]
            checkpoint, clock = mean(r["checkpoint_s"] for r in roles), mean(r["phases"]["clock_s"] for r in roles)
            loop = record["loop_s"]
            yield (name, Figure("time", [1e6 * iteration(r) for r in records], "{:.0f}"), *said_shares(record), f"{loop:.3f}",
                   f"{checkpoint:.3f} ({100 * checkpoint / loop:.1f} %)", f"{100 * clock / loop:.3f} %")

    report.table("Phases of an iteration, failure-free, `all`: shares over all roles, of the run "
                 f"with the median loop of {repetitions}",
                 ("run", "iteration, us", "compute", "pack", "log", "communicate and wait", "commit", "pack + log, of the time without waits",
                  "loop, s", "checkpoints, s", "cost of measuring"), rows())


def milliseconds(values):
    return Figure("time", values, text=f"{median(values):.2f}") if values else "not measured"


def recovery(report, repetitions):
    def rows():
        for name, args in RUNS.items():
            for policy in ("none", "all"):
                front = int(args[-1]) * 2 - 2
                found = [run(*args, "--policy", policy, "--kill",
                             f"{r % 8}@{front}")["failures"][0] for r in range(repetitions)]
                yield (name, policy, *(milliseconds([1000 * f[phase] for f in found if f[phase] is not None]) for phase in RECOVERY))

    report.table(f"After a failure: milliseconds, medians of {repetitions} runs, each the "
                 "longest over the roles it concerns",
                 ("run", "policy", "detect", "repair", "restore", "replay", "catch up",
                  "wait until the first commit"), rows(), names=2)


def catch_up(report, repetitions):
    """Seconds an iteration while catching up, against the same role's in normal operation."""
    def rows():
        for name, args in RUNS.items():
            ratios = []
            for r in range(repetitions):
                record = run(*args[:-2], "--interval", 100, "--policy", "all", "--kill",
                             f"{r % 8}@98")
                failure = record["failures"][0]
                back = failure["iteration"] - failure["checkpoint"]
                normal = (record["loop_s"] - failure["restored_s"] - failure["catchup_s"]) / (record["iterations"]["useful"] / 8)
                ratios.append(normal / (failure["catchup_s"] / back))
            yield name, Figure("gain", ratios, "{:.2f}"), len(ratios)

    report.table("Catching up under local rollback: times as fast as in normal operation",
                 ("run", SPREAD, "runs"), rows())


AGAINST_GLOBAL = {  # word in tables and samples: how to run it
    "global": ("--policy", "none"),
    "local": ("--policy", "all"),
    "restart": ("--strategy", "restart"),
}


def local_against_global(report, pairs):
    """Time to solution with a failure late in an interval, global rollback being 1."""
    def rows():
        for name, args in RUNS.items():
            long = [*args[:-2], "--interval", 100, "--kill", "3@98"]
            ratios = {"local": [], "restart": []}
            for i in range(pairs):
                order = list(AGAINST_GLOBAL)[::1 if i % 2 else -1]
                records = {how: run(*long, *AGAINST_GLOBAL[how]) for how in order}
                for how, found in ratios.items():
                    found.append(records[how]["loop_s"] / records["global"]["loop_s"])
            yield name, *(Figure("share", found, "{:.3f}") for found in ratios.values())

    report.table("Time to solution, one failure, 98 iterations lost, against global rollback: "
                 f"ratios, {SPREAD}, {pairs} pairs",
                 ("run", "local / global", "job restart / global"), rows())
