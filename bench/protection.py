"""What protection, transactions and a timeline cost while nothing fails."""
from measure import FOREVER, interleave, run
from plots.common.paired import of_blocks, of_run  # measure knows the folder
from plots.common.stats import median
from series import cost

# name, arguments, iterations in a block of the paired run. A block of CG is an outer iteration, so that all
# blocks have the same work.
PROBLEMS = {
    2: [("cg B", ["cg", "--class", "B", "--steps", 500, "--np", 2], 25),
        ("jacobi 2048", ["jacobi", "--grid", 2048, "--steps", 600, "--np", 2], 10)],
    8: [("cg B", ["cg", "--class", "B", "--steps", 500, "--np", 8], 25),
        ("lulesh 10", ["lulesh", "--edge", 10, "--np", 8], 10),
        ("jacobi 2048", ["jacobi", "--grid", 2048, "--steps", 600, "--np", 8], 10)],
    1: [("lulesh 20", ["lulesh", "--edge", 20, "--np", 1], 5)],
}
GOALS = {("all", 1): 0.01, ("all", 2): 0.01, ("all", 8): 0.015,
         ("none", 1): 0.003, ("none", 2): 0.003, ("none", 8): 0.003,
         ("none+dataflow", 2): 0.003}
TRACED = {"cg A, 8 roles": ["cg", "--class", "A", "--np", 8, "--policy", "all"],
          "lulesh 15, 8 roles": ["lulesh", "--edge", 15, "--steps", 300, "--np", 8, "--policy", "all"]}
WAYS = {"none": ["--policy", "none"], "all": ["--policy", "all"],
        "none+dataflow": ["--policy", "none", "--recompute", "dataflow"]}


COST = "cost and 95 % interval"


def books(record):
    """What the clocks saw of it, of each role: the log's books and the clocks' own cost in an iteration with protection, over its time. Only some iterations
    are timed. Roles that share a core wait for each other's books."""
    iterations = record["paired"]["block"] * len(record["paired"]["protected_s"])
    iteration = sum(record["paired"]["protected_s"]) / iterations
    sharing = max(1, record["np"] / record["host"]["cores"])
    return [sharing * (role["phases"]["log_s"] / role["phases"]["iterations"] + role["phases"]["clock_s"] / iterations) / iteration
            for role in record["roles"]]


def paired_runs(report, runs):
    """One side of each pair of blocks is the same process a few milliseconds later, without protection."""
    def rows():
        for np, problems in PROBLEMS.items():
            for name, args, block in problems:
                for policy in (way for way in WAYS if (way, np) in GOALS):
                    records = [run(*args, *WAYS[policy], "--paired", block, "--interval", FOREVER) for _ in range(runs)]
                    yield (name, np, policy, cost(list(map(of_run, records)), GOALS[policy, np], "runs"), runs, len(of_blocks(records[0])),
                           f"{100 * median(share for record in records for share in books(record)):.3f} %")

    report.table("Protection, failure-free: blocks with it against blocks without, in one run",
                 ("kernel", "roles", "policy", COST, "runs", "pairs of blocks in each", "of that accounted for"), rows(), names=3)


def transactions(report, pairs):
    """Double buffers against updating in place: two runs, since the memory differs."""
    lulesh = ["lulesh", "--edge", 20, "--np", 1, "--steps", 300, "--policy", "none",
              "--interval", FOREVER]
    found = interleave(lambda: run(*lulesh, "--buffers", "double")["loop_s"],
                       lambda: run(*lulesh, "--buffers", "single")["loop_s"], pairs)
    report.table("Transactions: LULESH, double buffers against updating in place",
                 ("roles", COST, "pairs"), [(1, cost([a / b for a, b in found], 0.005), pairs)])


def timelines(report, pairs):
    """Noting what each process does against not noting it: two runs, so the machine's noise is that of whole runs."""
    def rows():
        for name, args in TRACED.items():
            found = interleave(lambda: run(*args, "--timeline", "on")["loop_s"], lambda: run(*args)["loop_s"], pairs)
            yield name, cost([a / b for a, b in found], 0.01), pairs

    report.table("Timeline: runs that note what their processes do against runs that do not",
                 ("run", COST, "pairs"), rows())
