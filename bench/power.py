"""What blocked roles burn while others catch up, and ranks in a barrier: spinning in MPI against sleeping."""
import json
import subprocess

from measure import at_most, interleave, run
from plots.common.program import program
from plots.common.stats import median
from series import Figure, cost

RUNS = {
    "cg A, 8 roles": ["cg", "--class", "A", "--np", 8, "--interval", 370, "--kill", "3@365"],
    "lulesh 10, 8 roles": ["lulesh", "--edge", 10, "--steps", 560, "--np", 8, "--interval", 550,
                           "--kill", "3@548"],
    "jacobi 1024, 8 roles": ["jacobi", "--grid", 1024, "--steps", 3000, "--np", 8, "--interval",
                             2990, "--kill", "3@2985"],
}
GOAL = 0.05  # of the CPU time that spinning takes


def ratios(pairs, of):
    """Sleeping / spinning of one figure of the only failure, pair by pair."""
    return [of(sleep["failures"][0]) / of(none["failures"][0]) for none, sleep in pairs]


def slept(args, pairs):
    """[(record that spun, record that slept)]"""
    ways = ([], ["--power", "sleep"])
    return interleave(*(lambda way=way: run(*args, "--policy", "all", "--ckpt-sync", *way) for way in ways), pairs)


def blocked(report, pairs):
    def rows():
        for name, args in RUNS.items():
            found = slept(args, pairs)
            cpu = ratios(found, lambda f: f["blocked_cpu_s"])
            share = [failure["blocked_cpu_s"] / failure["blocked_wait_s"] for spun, _ in found for failure in spun["failures"]]
            yield (name, f"{100 * median(share):.0f} %", Figure("share", [100 * c for c in cpu], "{:.2f} %"), at_most(GOAL, cpu, "pairs"),
                   Figure("share", ratios(found, lambda f: f["catchup_s"]), "{:.2f}"),
                   Figure("share", [sleep["loop_s"] / none["loop_s"] for none, sleep in found], "{:.2f}"))

    def undisturbed():
        for name, args in RUNS.items():
            yield name, cost([sleep["loop_s"] / none["loop_s"] for none, sleep in slept(args[:args.index("--kill")], pairs)])

    report.table(f"Blocked roles, `--power sleep` / none, {pairs} pairs, one failure at the end of a "
                 "long interval",
                 ("run", "share of a core that spinning takes", "CPU time left",
                  f"goal: at most {100 * GOAL:.0f} %", "catch-up, ratio",
                  "time to solution, ratio"), rows())
    report.table(f"The same without a failure, {pairs} pairs", ("run", "time to solution, cost"),
                 undisturbed())


def barrier_share():
    """CPU time of a rank that waits in a barrier: sleeping / spinning."""
    done = subprocess.run([program(), "barrier", "--np", "2", "--seconds", "1", "--repetitions", "3", "--techniques", "none,sleep", "--json", "-"],
                          capture_output=True, text=True, check=True)
    record = json.loads(done.stdout)
    cpu = {of: sum(s["cpu_s"] for p in record["phases"] if p["technique"] == of for s in p["samples"] if s["rank"] != record["late_rank"])
           for of in ("none", "sleep")}
    return cpu["sleep"] / cpu["none"]


def waiting(report, runs):
    shares = [barrier_share() for _ in range(runs)]
    report.table("A rank that waits in a barrier, `sleep` / `none`", ("CPU time left", f"goal: at most {100 * GOAL:.0f} %"),
                 [(Figure("share", [100 * s for s in shares], "{:.2f} %"), at_most(GOAL, shares))], names=0)
