"""A series of measurements: one file a part (PART.json), with its tables, the samples of all figures in them, and where, when and with what they
were measured. So a series can be interrupted and goes on, is compared with another one, and its tables can be written into a page."""
import datetime
import hashlib
import inspect
import json
import os
import pathlib
import re
import resource
import sys
import time
import traceback

from measure import ROOT, program, run, verdict
from plots.common.files import put  # measure knows the folder
from plots.common.stats import median, show
from yardsticks import file_system

# What the samples of a figure are: is less better, were they measured in turn on the same machine, and by how much two series of the same programs
# differ, beyond what their samples tell, because a machine is not the same from hour to hour.
KINDS = {"time": (True, False, 0.25), "rate": (False, False, 0.25),
         "cost": (True, True, 0.02),  # a ratio near 1
         "share": (True, True, 0.10), "gain": (False, True, 0.10)}
BENCH = ROOT / "bench"
PAGES = tuple(ROOT / "docs" / name for name in ("performance.md", "event-logging.md", "ulfm-notes.md"))  # with tables of the kept series (MARK)
HOST = ("cpu", "cores", "built_for", "compiler", "flags", "mpi")
SETTINGS = re.compile(r"(OMPI|PRTE|PMIX)_MCA_|ROLLBENCH_MPIRUN")  # of the environment
IMPORT = re.compile(r"^(?:import|from) (\w+)", re.M)
NAMED = re.compile(r'(?:bench_(?:program|numbers)\(|"bench" / )"(\w+)"')  # a C program
NEEDED = {"commit", "host", "settings", "programs", "measured_by", "arguments", "given", "began", "seconds", "others", "blocks"}  # of a part
CPU_STAT = pathlib.Path("/proc/stat")
BUSY = 0.05  # of the machine, by others


class Figure:
    """A cell of a table: samples, what they are (KINDS), and how they are shown."""

    def __init__(self, kind, values, form="{:.3g}", text=None):
        self.better_if_less, self.in_turn, self.margin = KINDS[kind]
        self.kind, self.values = kind, [float(f"{value:.6g}") for value in values]
        self.shown = text or show(self.values, form.format)

    def __str__(self):
        return self.shown


def cost(ratios, goal=None, of="pairs"):
    """The cell that says in words what these ratios near 1 cost (measure.verdict)."""
    return Figure("cost", ratios, text=verdict(ratios, goal, of))


def in_turn(first, second, form):
    """Three cells of seconds that were measured in turn: both medians in milliseconds, and the ratio second / first."""
    return (*(Figure("time", [1000 * s for s in side], text=f"{1000 * median(side):.1f}") for side in (first, second)),
            Figure("share", [b / a for a, b in zip(first, second)], form))


def packed(cell):
    """As it is kept."""
    return {"kind": cell.kind, "shown": cell.shown, "values": cell.values} if isinstance(cell, Figure) else str(cell)


def unpacked(cell):
    return Figure(cell["kind"], cell["values"], text=cell["shown"]) if isinstance(cell, dict) else cell


def line_of(cells):
    return "| " + " | ".join(str(unpacked(cell)) for cell in cells) + " |"


def table_lines(header, rows):
    """A table in Markdown."""
    return [line_of(header), "|" + "---|" * len(header), *map(line_of, rows)]


class Report:
    """Takes what a part says and shows it at once; its blocks are what is kept."""

    def __init__(self):
        self.blocks = []

    def say(self, line):
        print(f"\n{line}", flush=True)
        self.blocks.append(line)

    def table(self, title, header, rows, names=1):
        """names: so many cells are the name of a row; they are the same from series to series."""
        block = {"title": title, "names": names, "header": list(header), "rows": []}
        self.blocks.append(block)
        print("\n".join(("", f"### {title}", "", *table_lines(header, []))), flush=True)
        for row in rows:  # they are made one by one: each appears when it is there
            assert len(row) == len(header), (header, row)
            block["rows"].append([packed(cell) for cell in row])
            print(line_of(row), flush=True)


def figures(found):
    """{(name of the row, column): Figure} of a part."""
    all_of = {}
    for block in found["blocks"]:
        for row in () if isinstance(block, str) else block["rows"]:
            name = ", ".join(map(str, row[:block["names"]]))
            for column, cell in zip(block["header"], map(unpacked, row)):
                if isinstance(cell, Figure):
                    assert (name, column) not in all_of, f"two figures are called {name}: {column}"
                    all_of[name, column] = cell
    return all_of


def in_markdown(series):
    """All that these parts say: where they were measured, then part by part."""
    yield "# One series of `make bench`"
    hosts = []
    for found in series.values():
        if found["host"] not in hosts:
            hosts.append(found["host"])
    for host in hosts:
        names = [part for part, found in series.items() if found["host"] == host]
        compiled = f"built for {host['built_for']} by {host['compiler']} with {host['flags']}"
        yield f"\n{host['cpu']}, {host['cores']} cores, {compiled}; {host['mpi']}" + ("." if len(hosts) == 1 else f": {', '.join(names)}.")
    for part, found in series.items():
        yield from part_in_markdown(part, found)


def part_in_markdown(part, found):
    busy = f"other programs and other machines of its host used {100 * found['others']:.0f} % of this machine"
    yield (f"\n## {part}\n\nMeasured on {found['began']} in {found['seconds']:.0f} s, commit {found['commit']}; {busy}" +
           ("." if found["others"] < BUSY else ": measure it again on a quiet one (--again)."))
    for block in found["blocks"]:
        yield f"\n{block}" if isinstance(block, str) else "\n".join(("", f"### {block['title']}", "", *table_lines(block["header"], block["rows"])))


def cpu_seconds():
    """Of all programs and of what the host gave to others, and of this program and what it has waited for."""
    fields = CPU_STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, _, _, steal = (int(f) / os.sysconf("SC_CLK_TCK") for f in fields[:8])
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return user + nice + system + steal, sum(u.ru_utime + u.ru_stime for u in own)


def digest(paths):
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(paths):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def what_was_built():
    """What decides what is measured, without the number of the commit, which is in some objects: the others; or, where there is none, the programs.
    Of bench/, whose objects make keeps or not, sources() has the files."""
    folder = pathlib.Path(program()).parent
    objects = [path for path in folder.rglob("*.o") if path.relative_to(folder).parts[0] not in ("tests", "bench")
               and not (path.with_suffix(".d").exists() and "build_info.h" in path.with_suffix(".d").read_text(encoding="utf-8"))]
    return objects or [path for path in folder.iterdir() if path.is_file()]


def platform():
    """With what, and on what machine, a part must have been measured to belong to the series that is being measured; and the commit, which may differ."""
    host = run("triad", "--np", 1, "--elements", 1000, "--steps", 1)["host"]
    settings = {"run folders": file_system(), **{name: value for name, value in sorted(os.environ.items()) if SETTINGS.match(name)}}
    return {"programs": digest(what_was_built()), "host": {key: host[key] for key in HOST}, "settings": settings}, host["commit"]


def sources(function):
    """The files of bench/ that decide what function() measures: its own, what that imports, but not this one, which keeps it, and the C programs
    that these name."""
    found, ahead = set(), {pathlib.Path(inspect.getsourcefile(function))}
    while ahead:
        path = ahead.pop()
        found.add(path)
        text = path.read_text(encoding="utf-8")
        found |= {other for name in NAMED.findall(text) if (other := BENCH / f"{name}.c").is_file()}
        ahead |= {other for name in IMPORT.findall(text)
                  if (other := BENCH / f"{name}.py").is_file() and other not in found and other.stem != __name__}
    return found


def identity(where, function, arguments, given):
    """Of one part: also what measures it, how often, and the programs of others that it is given ({name: files, or None})."""
    return {**where, "measured_by": digest(sources(function)), "arguments": [str(a) for a in arguments],
            "given": {name: digest(files) if files else None for name, files in given.items()}}


def is_of(found, identities):
    """Was this part measured so? found: what is kept of it, or None. If a program of others is not given now, it may have been."""
    if found is None:
        return False
    given = {name: what or found["given"].get(name) for name, what in identities["given"].items()}
    return all(found.get(key) == value for key, value in {**identities, "given": given}.items())


def not_one(found):
    """Why these parts are no series of one build and machine: a list of reasons."""
    return [f"measured {text} than the first part: {', '.join(strangers)}"
            for key, text in (("programs", "with other programs"), ("host", "on another machine"), ("settings", "with other settings"))
            if (strangers := [name for name in found if found[name][key] != next(iter(found.values()))[key]])]


def not_whole(found, parts):
    """Why these are not all parts, measured in full, as today: a list of reasons. parts: {name: (function, arguments)}."""
    today = {name: identity({}, function, arguments, {}) for name, (function, arguments) in parts.items()}
    reasons = [f"{text}: {', '.join(names)}" for text, names in (
        ("not measured", [name for name in parts if name not in found]),
        ("not measured in full", [name for name in found if found[name]["arguments"] != today[name]["arguments"]]),
        ("bench/ has changed since", [name for name in found if found[name]["measured_by"] != today[name]["measured_by"]])) if names]
    return reasons + [f"{name} was measured without --{option}" for name in found for option, what in found[name]["given"].items() if what is None]


def measured(function, arguments, given):
    """What function() says, with the time that it took and what others took of the machine meanwhile."""
    report, began, clock, before = Report(), datetime.datetime.now(datetime.timezone.utc), time.monotonic(), cpu_seconds()
    function(report, *arguments, **given)
    seconds = time.monotonic() - clock
    everyone, own = (after - b for after, b in zip(cpu_seconds(), before))
    found = {"began": f"{began:%Y-%m-%d %H:%M} UTC", "seconds": round(seconds, 1), "others": round(max(everyone - own, 0) / seconds / os.cpu_count(), 4),
             "blocks": report.blocks}
    figures(found)  # no two of the same name
    return found


def write(folder, name, found):
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in found.items())
    put(folder / f"{name}.json", f"{{\n{lines}\n}}\n")


def read(folder, names):
    """{part: what is kept of it}, of those parts that are there and can be read."""
    series = {}
    for path in (folder / f"{name}.json" for name in names):
        if not path.is_file():
            continue
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if not NEEDED <= found.keys():
                raise KeyError(NEEDED - found.keys())
            figures(found)
            series[path.stem] = found
        except (ValueError, TypeError, KeyError, AttributeError, AssertionError):
            print(f"{path}: this is no part of a series, or damaged; it is not used", file=sys.stderr)
    return series


def minutes_left(names, kept, pace):
    """In words; from the seconds that these parts took in the kept series, at the pace so far."""
    if not all(name in kept for name in names):
        return ""
    return f"; about {sum(kept[name]['seconds'] for name in names) * pace / 60:.0f} minutes left"


def measure_all(plan, commit, results, kept, again):
    """({part: what is kept of it}, {part: why it was not measured}). plan: {part: (identity, function, arguments, given)}; kept: a series measured
    as fully, which says how long parts take; again: measure also what is there."""
    there, found, failed, took, expected = read(results, plan), {}, {}, 0.0, 0.0
    ahead = [name for name, (identities, *_) in plan.items() if again or not is_of(there.get(name), identities)]
    for name, (identities, *what) in plan.items():
        if name not in ahead:
            found[name] = there[name]
            print("\n".join(part_in_markdown(name, there[name])))
            continue
        i = ahead.index(name)
        print(f"\n## {name} ({i + 1} of {len(ahead)}{minutes_left(ahead[i:], kept, took / expected if expected else 1)})", flush=True)
        try:
            found[name] = {"part": name, "commit": commit, **identities, **measured(*what)}
        except SystemExit as refused:
            failed[name] = str(refused.code)
        except Exception as error:  # one part must not take the others along
            traceback.print_exc()
            failed[name] = f"{type(error).__name__}: {error}"
        if name in failed:
            print(f"{name}: {failed[name]}", file=sys.stderr, flush=True)
            continue
        write(results, name, found[name])
        if name in kept:
            took, expected = took + found[name]["seconds"], expected + kept[name]["seconds"]
    return found, failed


MARK = re.compile(r"(<!-- bench ([\w-]+) (\d+) -->\n)\n((?:\|.*\n)*)\n?")  # a part, and which of its tables


def with_tables(text, series):
    """The text of a page, with the tables of this series behind the marks for them."""
    def table(found):
        part, number = found[2], int(found[3])
        tables = [block for block in series[part]["blocks"] if not isinstance(block, str)] if part in series else []
        if not 0 < number <= len(tables):
            raise ValueError(f"<!-- bench {part} {number} -->: the series has no such table")
        block = tables[number - 1]
        return "\n".join((found[1], *table_lines(block["header"], block["rows"]), "", ""))

    return MARK.sub(table, text)
