"""What a checkpoint costs by level and size, what draining it hides, what it weighs."""
import yardsticks
from measure import FOREVER, LEAST, run
from plots.common.stats import median, share_saved
from series import Figure

MIB = 1 << 20
GOALS = {"file": 0.8}  # to be hidden, on CG

# name, arguments, parity for so many roles, large (left out with --quick). At least 18 checkpoints
# in a run: the first two also touch fresh memory.
RUNS = [
    ("cg S, 4", ["cg", "--class", "S", "--np", 4, "--interval", 10], "rs:2+1", False),
    ("cg W, 4", ["cg", "--class", "W", "--np", 4, "--interval", 10], "rs:2+1", True),
    ("cg A, 4", ["cg", "--class", "A", "--np", 4, "--interval", 20], "rs:2+1", True),
    ("jacobi 1024, 4", ["jacobi", "--grid", 1024, "--steps", 200, "--np", 4, "--interval", 10],
     "rs:2+1", False),
    ("jacobi 2048, 4", ["jacobi", "--grid", 2048, "--steps", 100, "--np", 4, "--interval", 5],
     "rs:2+1", True),
    ("jacobi 4096, 4", ["jacobi", "--grid", 4096, "--steps", 60, "--np", 4, "--interval", 3],
     "rs:2+1", True),
    ("lulesh 10, 8", ["lulesh", "--edge", 10, "--np", 8, "--steps", 100, "--interval", 5],
     "rs:4+2", False),
    ("lulesh 20, 8", ["lulesh", "--edge", 20, "--np", 8, "--steps", 60, "--interval", 3],
     "rs:4+2", True),
]
# Levels by class and roles; the interval is long enough for a checkpoint to drain within it.
DRAINS = [
    ("A", 2, 20, ("file", "buddy", "rs:1+1")),
    ("A", 1, 20, ("file",)),
]
MEMORY = [
    ("jacobi 1024, 8", ["jacobi", "--grid", 1024, "--steps", 20, "--np", 8, "--interval", 5]),
    ("cg A, 8", ["cg", "--class", "A", "--np", 8, "--interval", 100]),
]


def each(record):
    """Seconds a checkpoint of the role that waited longest."""
    count = record["checkpoints"]["count"] / record["np"]
    return record["checkpoints"]["seconds_max"] / count


def size(record):
    """Bytes of a role's image."""
    return round(record["checkpoints"]["bytes"] / record["checkpoints"]["count"])


def milliseconds(values):
    return Figure("time", [1000 * value for value in values])


def bytes_text(count):
    return f"{count / MIB:.2f} MiB" if count >= MIB else f"{count / 1024:.1f} KiB"


def by_level(report, repetitions, large):
    """All wait for all (--ckpt-sync); the yardsticks are measured between the runs."""
    def rows():
        for name, args, parity, is_large in RUNS:
            if is_large and not large:
                continue
            levels = ("file", "buddy", parity)
            found = {"np": args[args.index("--np") + 1], "write": [], "copy": [],
                     **{level: [] for level in levels}}
            for i in range(repetitions):
                for level in levels if i % 2 == 0 else levels[::-1]:
                    record = run(*args, "--ckpt", level, "--ckpt-sync")
                    found[level].append(each(record))
                    found["bytes"] = size(record)
                found["write"].append(yardsticks.write_and_sync(found["np"], found["bytes"]))
                found["copy"].append(yardsticks.copy(found["np"], found["bytes"]))
            for level in levels:
                yield level_row(name, level, found)

    report.table(f"Checkpoints that all roles wait for, by level and size: {repetitions} runs each",
                 ("run", "bytes a role", "level", "ms a checkpoint", "MiB/s, all roles",
                  "against write + fsync", "against memcpy"), rows(), names=3)


def level_row(name, level, found):
    rate = found["np"] * found["bytes"] / MIB / median(found[level])
    against = [Figure("share", [a / b for a, b in zip(found[level], found[yard])]) for yard in ("write", "copy")]
    return (name, bytes_text(found["bytes"]), level, milliseconds(found[level]), f"{rate:.0f}",
            *against)


def hidden_text(pairs, goal=None):
    """pairs: seconds waited for a checkpoint, and those of one that is drained."""
    found = share_saved(pairs)
    if found is None:
        return "no conclusion, noise exceeds the cost"
    share, low, high, _ = found
    text = f"{100 * share:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"
    if len(pairs) < LEAST:  # the interval of so few is narrower than it says
        return f"{100 * share:.0f} %: no conclusion from so few pairs"
    if goal is None:
        return text
    if low >= goal:
        return f"{text}: at least {100 * goal:g} %"
    if high < goal:
        return f"{text}: LESS than {100 * goal:g} %"
    return f"{text}: no conclusion"


def drain_round(args, levels, backwards):
    """A record without checkpoints and, by level, one that waits and one that drains."""
    plan = [("none", ["--interval", FOREVER])]
    for level in levels:
        plan += [(f"{level} sync", ["--ckpt", level, "--ckpt-sync"]),
                 (f"{level} async", ["--ckpt", level])]
    records = {}
    for what, more in plan[::-1] if backwards else plan:
        record = run(*args, *more)
        counted = record["checkpoints"]
        assert what != "none" or counted["count"] == 0, record
        records[what] = {"loop_s": record["loop_s"], "waited_s": counted["seconds_max"],
                         "count": counted["count"] / record["np"],
                         "drain_s": max(role["drain_s"] for role in record["roles"])}
    return records


def drain_row(name, level, rounds):
    sync, drained = ([r[f"{level} {how}"] for r in rounds] for how in ("sync", "async"))
    count, goal = sync[0]["count"], GOALS.get(level)
    assert {r["count"] for r in (*sync, *drained)} == {count} and count > 0, rounds
    loops = [(s["loop_s"] - r["none"]["loop_s"], a["loop_s"] - r["none"]["loop_s"])
             for s, a, r in zip(sync, drained, rounds)]
    waits = [(s["waited_s"], a["waited_s"]) for s, a in zip(sync, drained)]
    return (name, level, *(milliseconds([w / count for w in side]) for side in zip(*waits)),
            milliseconds([a["drain_s"] / a["count"] for a in drained]), hidden_text(waits, goal),
            *(milliseconds([w / count for w in side]) for side in zip(*loops)), hidden_text(loops, goal), len(rounds))


def draining(report, number):
    """CG without checkpoints, waiting for them, draining them: in turn, there and back."""
    def rows():
        for letter, np, every, levels in DRAINS:
            args = ["cg", "--class", letter, "--np", np, "--interval", every]
            rounds = [drain_round(args, levels, i % 2 == 1) for i in range(number)]
            for level in levels:
                yield drain_row(f"cg {letter}, {np}, every {every}", level, rounds)

    report.table("What draining in the background hides: ms a checkpoint, by the clocks around "
                 "checkpoints and by the loop against one without checkpoints",
                 ("run", "level", "waited, sync", "waited, async", "until it counts",
                  "hidden, by the clocks", "loop, sync", "loop, async", "hidden, by the loop", "rounds"),
                 rows(), names=2)


def images(level, np):
    """How many there should be: with files alone the one on its way there; else two
    generations of the own image, of copies, of parity; and a chunk on its way into the parity.
    Groups of roles are as large as np allows, so K grows (ft/line/rs.h)."""
    own, _, number = level.replace("file,", "").partition(":")
    if own == "rs":
        k, m = map(int, number.split("+"))
        k = np // (np // (k + m)) - m
        return 2 + (2 * m + 1) / k
    return 1 if own == "file" else 2 + 2 * int(number or 1)


def memory(report, large):
    """Against what it should be by arithmetic."""
    def rows():
        for name, args in MEMORY if large else MEMORY[:1]:
            for level in ("file", "buddy", "buddy:2", "rs:2+1", "rs:4+1", "rs:4+2", "file,buddy"):
                record = run(*args, "--ckpt", level)
                held = max(role["checkpoint_memory"] for role in record["roles"])
                rss = max(role["rss_peak"] for role in record["roles"])
                assert held >= size(record), (name, level, record)
                yield (name, bytes_text(size(record)), level, bytes_text(held),
                       f"{held / size(record):.2f}", f"{images(level, 8):.2f}",
                       f"{100 * held / rss:.1f} %")

    report.table("Memory for checkpoints, largest role, in images of its state",
                 ("run", "bytes a role", "level", "memory", "images", "by arithmetic",
                  "of all resident"), rows())


def costs(report, repetitions, rounds, large):
    report.say(f"Run folders are on {yardsticks.file_system()}.")
    by_level(report, repetitions, large)
    draining(report, rounds)
    memory(report, large)
