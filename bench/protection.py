"""What protection, transactions and a timeline cost while nothing fails."""
from measure import FOREVER, interval, interleave, run, verdict
from plots.common.paired import of_run  # measure knows the folder

# name, arguments, iterations in a block of the paired run. A block of CG is an outer iteration, so that all
# blocks have the same work.
PROBLEMS = {
    2: [("cg", ["cg", "--class", "B", "--np", 2], 25),
        ("jacobi", ["jacobi", "--grid", 2048, "--steps", 2000, "--np", 2], 10)],
    8: [("cg", ["cg", "--class", "B", "--np", 8], 25),
        ("lulesh", ["lulesh", "--edge", 10, "--np", 8], 10),
        ("jacobi", ["jacobi", "--grid", 2048, "--steps", 1500, "--np", 8], 10)],
    1: [("lulesh", ["lulesh", "--edge", 20, "--np", 1], 5)],
}
GOALS = {("all", 1): 0.01, ("all", 2): 0.01, ("all", 8): 0.015,
         ("none", 1): 0.003, ("none", 2): 0.003, ("none", 8): 0.003,
         ("none+dataflow", 1): 0.003, ("none+dataflow", 2): 0.003, ("none+dataflow", 8): 0.003}
TRACED = {"cg A, 8 roles": ["cg", "--class", "A", "--np", 8, "--policy", "all"],
          "lulesh 15, 8 roles": ["lulesh", "--edge", 15, "--steps", 300, "--np", 8, "--policy", "all"]}
WAYS = {"none": ["--policy", "none"], "all": ["--policy", "all"],
        "none+dataflow": ["--policy", "none", "--recompute", "dataflow"]}


COST = ("pairs", "median ratio", "cost and 95 % interval")


def cost(ratios, goal):
    """The cells of COST."""
    return len(ratios), f"{interval(ratios)[0]:.4f}", verdict(ratios, goal)


def books(record):
    """What the clocks saw of it: the log's books and the clocks' own cost, of the worst role."""
    seconds = sum(record["paired"]["protected_s"])
    return max(role["phases"]["log_s"] + role["phases"]["clock_s"]
               for role in record["roles"]) / seconds


def paired_runs(report, runs):
    """One side of each pair is the same process a few milliseconds later, without protection."""
    kept = {}

    def rows():
        for np, problems in PROBLEMS.items():
            for name, args, block in problems:
                for policy, options in WAYS.items():
                    ratios, accounted = [], []
                    for _ in range(2 * runs if name == "cg" else runs):
                        record = run(*args, *options, "--paired", block, "--interval", FOREVER)
                        ratios += of_run(record)
                        accounted.append(books(record))
                    kept[f"{name}-{np}-{policy}"] = ratios
                    yield (name, np, policy, *cost(ratios, GOALS[policy, np]),
                           f"{100 * max(accounted):.3f} %")

    report.table("Protection, failure-free: blocks with it against blocks without, in one run",
                 ("kernel", "roles", "policy", *COST, "of that accounted for"), rows())
    report.keep("protection", kept)


def transactions(report, pairs):
    """Double buffers against updating in place: two runs, since the memory differs."""
    lulesh = ["lulesh", "--edge", 20, "--np", 1, "--steps", 300, "--policy", "none",
              "--interval", FOREVER]
    found = interleave(lambda: run(*lulesh, "--buffers", "double")["loop_s"],
                       lambda: run(*lulesh, "--buffers", "single")["loop_s"], pairs)
    report.table("Transactions: LULESH, double buffers against updating in place",
                 ("roles", *COST), [(1, *cost([a / b for a, b in found], 0.005))])
    report.keep("transactions", found)


def timelines(report, pairs):
    """Noting what each process does against not noting it: two runs, so the machine's noise is that of whole runs."""
    kept = {}

    def rows():
        for name, args in TRACED.items():
            found = interleave(lambda: run(*args, "--timeline", "on")["loop_s"], lambda: run(*args)["loop_s"], pairs)
            kept[name] = found
            yield (name, *cost([a / b for a, b in found], 0.01))

    report.table("Timeline: runs that note what their processes do against runs that do not",
                 ("run", *COST), rows())
    report.keep("timelines", kept)
