"""What the log weighs (after Table 3 of the message-logging-kernels paper), and that nothing grows."""
from measure import run

RUNS = [  # name, arguments; iterations logged in the one interval
    ("cg.A.8", ["cg", "--class", "A", "--np", 8], 25),
    ("cg.B.16", ["cg", "--class", "B", "--np", 16], 25),
    ("lulesh 20, 8", ["lulesh", "--edge", 20, "--np", 8, "--steps", 40], 20),
    ("lulesh 20, 27", ["lulesh", "--edge", 20, "--np", 27, "--steps", 40], 20),
    ("jacobi 4096, 8", ["jacobi", "--grid", 4096, "--steps", 40, "--np", 8], 20),
]
MIB = 1 << 20
AT_ONCE = ("--ckpt-sync",)  # else a log also holds what came while the checkpoint did not count yet


def weigh(report):
    def rows():
        for name, args, interval in RUNS:
            plain = run(*args, "--policy", "none", "--interval", interval, *AT_ONCE)
            logged = run(*args, "--policy", "all", "--interval", interval, *AT_ONCE)
            resident, data = max(r["rss_peak"] for r in plain["roles"]), plain["data_bytes"]
            role = max(logged["roles"], key=lambda r: r["log_bytes_peak"])
            share = role["log_bytes_peak"] / interval
            yield (name, f"{data / MIB:.1f} MiB", f"{resident / MIB:.1f} MiB", f"{share / 1024:.1f} KiB", f"{100 * share / data:.2f} %",
                   f"{role['log_bytes_peak'] / MIB:.2f} MiB", f"{100 * (role['log_memory'] / role['log_bytes_peak'] - 1):+.2f} %")

    report.table("The log, `all`: largest role",
                 ("run", "data", "resident without logging, MPI library included", "payload per iteration", "share of the data",
                  "payload in an interval", "memory mapped for it, list of entries included"),
                 rows())


def grow(report):
    """A thousand checkpoint intervals against ten: the same resident memory."""
    def rows():
        for policy in ("all", "window:1", "budget:30%"):
            few, many = (max(r["rss_peak"] for r in run(
                "jacobi", "--grid", 256, "--np", 2, "--interval", 2, "--policy", policy,
                "--steps", steps)["roles"]) for steps in (20, 2000))
            yield policy, f"{few / 1024:.0f} KiB", f"{many / 1024:.0f} KiB", \
                f"{100 * (many / few - 1):+.2f} %"

    report.table("Resident memory after 10 and after 1000 intervals (Jacobi 256, 2 roles)",
                 ("policy", "10 intervals", "1000 intervals", "growth"), rows())
