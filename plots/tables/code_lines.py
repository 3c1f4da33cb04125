"""Lines of code per concern, counted from the sources. One engine serves all kernels, so most concerns stand there once."""
import re

from plots.common.program import ROOT

CONCERNS = {
    "log and policies": ["ft/log/*.*"],
    "ports, replay, collectives": ["contract/msg.h", "contract/port.*", "contract/collective.*", "contract/shapes.*",
                                   "ft/msg/*_port.*", "ft/msg/ports.*", "ft/msg/layer.h", "ft/msg/cursor.h", "ft/msg/link.*", "ft/msg/dissemination.*",
                                   "ft/msg/replay.*"],
    "rollback set and forecasts": ["ft/recovery/closure.*", "forecast/*.*"],
    "data-flow rollback: cone, duplicates": [f"ft/recovery/{name}.*" for name in ("cone", "extent", "gaps", "share", "support")],
    "repair (ULFM)": ["ft/recovery/repair.*", "ft/recovery/notices.*", "ft/recovery/recovery.*", "ft/recovery/membership.*"],
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
    return sum(len(code_lines(path.read_text(encoding="utf-8")))
               for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def without_names(text):
    """Without the calls that only say in words what comes next in an iteration."""
    return re.sub(r'\bmsg_part\((?:[^;"]|"[^"]*")*\);', "", text)


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


def kernel_lines(kernel):
    """(lines of a kernel, those that it has for the sake of protection)"""
    own = sum(n for path in (ROOT / "kernels" / kernel).glob("*.c") for name, n in functions(without_names(path.read_text(encoding="utf-8")))
              if any(word in name for word in FOR_PROTECTION))
    return count([f"kernels/{kernel}/*.[ch]"]), own


def here():
    """Are the sources here? An installation has none."""
    return (ROOT / "ft").is_dir()
