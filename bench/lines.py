"""Lines per concern, counted from the tree (after Table 2 of the message-logging-kernels paper)."""
import re
import sys

from measure import ROOT

CONCERNS = {
    "log and policies": ["ft/log/*.*"],
    "ports, replay, collectives": ["ft/msg/msg.*", "ft/msg/port.h", "ft/msg/*_port.*", "ft/msg/link.*",
                                   "ft/msg/replay.*", "ft/msg/inbox.*", "ft/msg/collective.*"],
    "rollback set and forecasts": ["ft/recovery/closure.*", "sim/*.*"],
    "data-flow rollback: cone, duplicates": [f"ft/recovery/{name}.*" for name in ("cone", "extent", "gaps", "share", "support")],
    "repair (ULFM)": ["ft/recovery/repair.*", "ft/recovery/membership.*"],
    "checkpoints: levels, draining, fetching": ["ft/line/*.*", "ft/levels.*"],
    "job restart": ["ft/recovery/restart.*"],
    "roles that wait": ["ft/recovery/front_wait.*", "ft/recovery/wakeup.*", "ft/msg/nap.*", "ft/msg/wait.*"],
    "time-step loop, books": ["ft/role/*.*", "ft/run.h", "ft/episode.*", "ft/player.*", "ft/ledger.*",
                              "ft/config.h"],
    "injection": ["inject/*.[ch]"],
}
# What a kernel has for the sake of protection: transactions and the list of its state.
FOR_PROTECTION = ("commit", "pattern", "regions", "swap", "twin")


def code_lines(text):
    """Lines that are neither blank nor comment."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return [line for line in text.splitlines() if line.strip()]


def count(patterns):
    return sum(len(code_lines(path.read_text()))
               for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def functions(text):
    """(name, lines) of each function: from a line that begins it to the closing brace."""
    name, length = None, 0
    for line in code_lines(text):
        match = re.match(r"[a-z].*?(\w+)\([^;]*$", line)
        if match and name is None and not line.endswith(";"):
            name, length = match[1], 0
        length += 1
        if line == "}" and name:
            yield name, length
            name = None


def nowhere():
    """Files of the engine that no concern counts: a table that leaves some out would flatter."""
    counted = {path for patterns in CONCERNS.values() for p in patterns for path in ROOT.glob(p)}
    return sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("ft/**/*.[ch]") if p not in counted)


def report_lines(report):
    if nowhere():
        sys.exit(f"bench/lines.py: of no concern: {', '.join(nowhere())}")
    report.table("Lines of code by concern, shared by all kernels and policies",
                 ("concern", "lines"), [(k, count(v)) for k, v in CONCERNS.items()])

    def rows():
        for kernel in ("cg", "lulesh", "jacobi", "bfs", "amr"):
            own = 0
            for path in (ROOT / "kernels" / kernel).glob("*.c"):
                own += sum(n for name, n in functions(path.read_text())
                           if any(word in name for word in FOR_PROTECTION))
            total = count([f"kernels/{kernel}/*.[ch]"])
            yield kernel, total, own, f"{100 * own / total:.0f} %"

    report.table("Lines of a kernel, and those it has for protection "
                 f"({', '.join(FOR_PROTECTION)})",
                 ("kernel", "lines", "for protection", "share"), rows())
