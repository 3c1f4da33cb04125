"""The rules of the house that a program can check: which room includes which, and what it contains.

A room is a folder, or some files of one. It may include itself and the rooms that HOUSE names after it; these
all stand below it, so there can be no cycle.
"""
import fnmatch
import io
import pathlib
import re
import sys
import tokenize

import pytest

from rollbench import ROOT, new_folder

# From top to bottom: room, what it includes. "harness/*" is every room below it with this prefix.
HOUSE = (
    ("bench", "profile/preload profile forecast/* ft/recovery contract elc/core elc base"),
    ("elc/kernel", "elc/programs elc contract ft/log base"),
    ("harness/rank", "harness/* ft/episode inject base"),
    ("harness/cli", "harness/* forecast/* forecast profile/command ft/episode ft/config ft/line ft/log contract base"),
    ("harness/doctor", "harness/transport harness/job harness/machine harness/machine/* harness/options base"),
    ("harness/barrier", "harness/transport harness/record harness/machine harness/machine/* harness/options ft/msg base"),
    ("harness/envelopes", "elc/core base"),
    ("harness/kind/engine", "harness/torture harness/kind harness/watts harness/record harness/job harness/machine harness/machine/power "
                            "harness/options ft/config base"),
    ("harness/sweep", "harness/kind harness/experiment harness/store harness/options base"),
    ("harness/papers", "harness/store harness/record harness/options base"),
    ("harness/interval", "harness/options ft/config forecast base"),
    ("harness/kind/elc", "harness/torture harness/kind harness/store harness/record harness/job harness/events "
                         "harness/transport harness/machine harness/options contract inject base"),
    ("harness/torture", "harness/kind harness/store harness/record harness/job harness/options inject base"),
    ("harness/kind", "harness/record harness/job harness/options base"),
    ("forecast/simulate", "forecast/* forecast harness/experiment harness/store harness/job harness/options profile ft/config "
                          "ft/role ft/log contract inject base"),
    ("forecast/calibrate", "harness/store harness/options forecast/fast forecast/time ft/config ft/log contract inject base"),
    ("forecast/study", "profile/command profile harness/store harness/record harness/options ft/recovery ft/role ft/log contract base"),
    ("profile/command", "harness/options profile ft/config contract base"),
    ("harness/experiment", "harness/options base"),
    ("harness/watts", "harness/job ft/config base"),
    ("harness/store", "harness/record harness/job harness/options base"),
    ("harness/job", "harness/events harness/transport harness/machine harness/machine/* harness/options ft/config inject base"),
    ("harness/record", "harness/events harness/transport harness/machine harness/options ft/config ft/line ft/msg inject base"),
    ("harness/options", "forecast/pattern forecast profile harness/machine harness/machine/* ft/config ft/recovery contract inject base"),
    ("harness/machine", "harness/machine/meter ft/config base"),
    ("harness/machine/power", "ft/config base"),
    ("harness/machine/meter", "base"),
    ("harness/transport", "harness/events base"),
    ("harness/events", "base"),
    ("forecast/fast", "forecast/programs forecast/pattern forecast/time ft/role ft/log contract base"),
    ("forecast/programs", "forecast/pattern forecast/time ft/role ft/log contract base"),
    ("forecast/simgrid", "forecast/time ft/role ft/log contract base"),
    ("forecast/time", "forecast/pattern forecast ft/recovery ft/role ft/config ft/log contract base"),
    ("forecast/pattern", "contract base"),
    ("forecast", "ft/recovery ft/role ft/log contract base"),
    ("ft/episode", "ft/recovery ft/line ft/role ft/msg ft/log ft/config contract base"),
    ("ft/recovery", "ft/line ft/role ft/msg ft/log ft/config contract base"),
    ("ft/line", "ft/role ft/msg ft/log ft/config contract base"),
    ("ft/role", "ft/msg ft/log ft/config contract base"),
    ("ft/msg", "ft/log contract base"),
    ("ft/config", "ft/log contract base"),
    ("ft/log", "base"),
    ("profile/preload", "profile base"),
    ("profile", "contract base"),
    ("kernels/*", "kernels contract base"),
    ("kernels", "contract base"),
    ("contract", "base"),
    ("inject", "base"),
    ("elc/programs", "elc"),
    ("elc/refuse", "elc/mpi elc/files elc/core"),
    ("elc/mpi", "elc/wire elc/files elc/core elc base"),
    ("elc/wire", ""),
    ("elc/files", "elc/core base"),
    ("elc/core", "base"),
    ("elc", ""),
    ("base", ""),
)
FILES = {  # where a folder has more than one room
    "ft/episode": ("ft/episode.*", "ft/run.h", "ft/player.*"),
    "ft/config": ("ft/config.*", "ft/ledger.*", "ft/levels.*"),
}
MPI_ONLY = ("ft/*", "harness/rank/*", "harness/machine/network.[ch]", "harness/transport/settings.c", "harness/kind/elc/elc_worker.c",
            "harness/barrier/barrier_worker.c", "harness/doctor/ulfm_probe.c", "harness/doctor/doctor_worker.c", "profile/preload/*",
            "bench/profile.c", "bench/elc_calls.c", "bench/elc_sizes.c", "bench/repair.c", "tests/mpi/*", "elc/mpi/*", "elc/refuse/*", "elc/wire/*",
            "elc/programs/*", "elc/kernel/*", "tests/elc/*")
ULFM_ONLY = ("ft/*", "tests/mpi/survives.c", "tests/mpi/detector.c", "harness/doctor/ulfm_probe.c", "bench/repair.c", "docs/reproducers/*")
# What to look for, in which files, except in which files, and what is wrong.
WORDS = (
    (r'#include <mpi\.h>', ("*.c", "*.h"), (*MPI_ONLY, "docs/reproducers/*"), "mpi.h outside ft/ and the bodies of processes"),
    (r'\bMPI_[A-Z]|\bmpi\.h', ("contract/*", "kernels/*", "inject/*", "base/*", "elc/core/*", "elc/files/*"), (), "MPI outside ft/ and the harness"),
    (r'\bMPIX_[A-Z]', ("*.c", "*.h"), ULFM_ONLY, "ULFM outside ft/ and the doctor's probe"),
    (r'#include "kernels/[a-z0-9_]+/', ("*.c", "*.h"), ("kernels/*/*", "tests/*"), "only the registry knows a kernel by name"),
    (r'^[^#]*f(fast|unsafe)-math', ("*.mk", "Makefile"), (), "results must repeat bit for bit"),
    (r"^\s*(from|import) test_", ("tests/*.py",), (), "what two test modules need is in a module of its own"),
    (r"\b(subprocess|os\.(system|popen|spawn\w*))\b", ("plots/*.py",), (), "plots/ reads files and starts no program"),
    (r'"/tmp/', ("*.c", "*.h", "*.py"), ("tests/program/test_house.py",), "temporary files belong below TMPDIR"),
)


def sources(root):
    """{path relative to root: text} of what is built or tested."""
    found = {}
    for pattern in ("*.c", "*.h", "*.py", "*.mk", "Makefile"):
        for path in pathlib.Path(root).rglob(pattern):
            name = str(path.relative_to(root))
            if not name.startswith(("build/", "results/", ".")):
                found[name] = path.read_text(encoding="utf-8")
    return found


def is_source(name):
    return name.endswith((".c", ".h")) and not name.startswith(("tests/", "docs/"))


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


def room_of(name):
    for room, patterns in FILES.items():
        if matches(name, patterns):
            return room
    folder = str(pathlib.PurePath(name).parent)
    return next((room for room, _ in HOUSE if fnmatch.fnmatchcase(folder, room)), None)


def below(room):
    """The rooms that a room may include."""
    names = [name for name, _ in HOUSE]
    index = names.index(room)
    allowed = dict(HOUSE)[room].split()
    return {name for name in names[index + 1:] if matches(name, allowed)}, \
        [word for word in allowed if not any(fnmatch.fnmatchcase(name, word) for name in names[index + 1:])]


def arrows(texts):
    """(file, header that it includes) of all files that belong to a room."""
    return [(name, header) for name, text in sorted(texts.items()) if is_source(name)
            for header in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M) if header != "build_info.h"]


def wrong_arrows(texts):
    wrong = []
    for name, header in arrows(texts):
        here, there = room_of(name), room_of(header)
        if here != there and there not in below(here)[0]:
            wrong.append(f"{name}: includes {header}, but {here} may not know {there}")
    return wrong


def module(name):
    """A file and its header are one, and so is what the files of a module share (power_inside.h of power.h)."""
    return re.sub(r"(_inside)?\.[ch]$", "", name)


def circles(texts):
    """[modules that include each other, sorted]: Tarjan's strongly connected components."""
    graph, index, low, stack, found = {}, {}, {}, [], set()
    for name, header in arrows(texts):
        graph.setdefault(module(name), set()).add(module(header))

    def visit(at):
        index[at] = low[at] = len(index)
        stack.append(at)
        for to in graph.get(at, ()):
            if to not in index:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == index[at]:
            first = stack.index(at)
            if len(stack) - first > 1:
                found.add(tuple(sorted(stack[first:])))
            del stack[first:]

    for at in sorted(graph):
        if at not in index:
            visit(at)
    return found


def homeless(texts):
    return [f"{name}: belongs to no room of HOUSE" for name in sorted(texts) if is_source(name) and not room_of(name)]


def wrong_words(texts):
    return [f"{name}:{number}: {what}: {line.strip()}" for pattern, where, but, what in WORDS
            for name, text in sorted(texts.items()) if matches(name, where) and not matches(name, but)
            for number, line in enumerate(text.split("\n"), 1) if re.search(pattern, line)]


def too_new(texts):
    """Texts within the braces of an f-string that have its quotes or a backslash: Python before 3.12 refuses the whole file."""
    wrong = []
    for name, text in sorted(texts.items()):
        quotes = []
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = tokenize.tok_name[token.type]
            if quotes and kind in ("STRING", "FSTRING_START") and any(end in token.string for end in (*quotes, "\\")):
                wrong.append(f"{name}:{token.start[0]}: Python before 3.12 cannot read this: {token.line.strip()}")
            if kind == "FSTRING_START":
                quotes.append(token.string.lstrip("fFrR"))
            elif kind == "FSTRING_END":
                quotes.pop()
    return wrong


def told(wrong):
    return "\n" + "\n".join(wrong)


def test_rooms_include_what_is_below_them():
    texts = sources(ROOT)
    assert len(arrows(texts)) > 300, "the includes were not found"
    for room, _ in HOUSE:
        assert not below(room)[1], f"HOUSE: {room} names what does not stand below it: {below(room)[1]}"
        assert any(room_of(name) == room for name in texts if is_source(name)), f"HOUSE: {room} is empty"
    wrong = homeless(texts) or wrong_arrows(texts)
    assert not wrong, told(wrong)


def test_no_circle():
    assert not circles(sources(ROOT))
    house = {"a/x.h": '#include "a/y.h"\n', "a/y.c": '#include "a/z.h"\n', "a/z.c": '#include "a/x.h"\n', "a/w.c": '#include "a/x.h"\n',
             "a/z_inside.h": '#include "a/z.h"\n', "a/v.h": '#include "a/z_inside.h"\n'}
    assert circles(house) == {("a/x", "a/y", "a/z")}


def test_what_belongs_nowhere_else():
    wrong = wrong_words(sources(ROOT))
    assert not wrong, told(wrong)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python refuses such a file itself")
def test_older_pythons_read_all():
    """A tree that is built runs its Python scripts with the python3 of the machine (docs/setup.md)."""
    texts = {name: text for name, text in sources(ROOT).items() if name.endswith(".py")}
    texts.update((f"scripts/{path.name}", text) for path in (ROOT / "scripts").iterdir() if path.is_file()
                 for text in [path.read_text(encoding="utf-8")] if re.match("#!.*python", text))
    assert len(texts) > 200, "the scripts were not found"
    assert not too_new(texts), told(too_new(texts))
    assert len(too_new({"a.py": """f"{x["a"]}" + f'{f'{y}'}'\nf"{x['a']} {'b'}" + f\"\"\"{x["a"]}\"\"\"\n"""})) == 2


def test_rooms_of_plots():
    """A room of plots/ imports only itself and plots/common; the report and tables also what the papers claim."""
    rooms = {}
    for path in (ROOT / "plots").glob("*/*.*"):
        if path.suffix != ".pyc":
            rooms.setdefault(path.parent.name, []).append(path)
    assert {"common", "figures", "tables", "report", "export", "models"} <= set(rooms), sorted(rooms)
    wrong = [f"{path.relative_to(ROOT)}: imports {other}" for room, paths in rooms.items() for path in paths
             for other in re.findall(r"^\s*(?:from|import) (plots\.\w+|bench|tests)", path.read_text(encoding="utf-8"), re.M)
             if other not in ("plots.common", f"plots.{room}") and (room, other) not in (("report", "plots.claims"), ("tables", "plots.claims"))]
    assert not wrong, told(wrong)


def test_what_breaks_a_rule_is_found():
    """Each rule finds what it is for in a house of wrong files."""
    house = {
        "base/up.c": '#include "ft/msg/link.h"\n', "kernels/cg/loop.h": '#include "harness/options/spec.h"\n',
        "ft/msg/ok.c": '#include "base/clock.h"\n#include "contract/msg.h"\n#include <mpi.h>\n',
        "ft/line/store.c": '#include "ft/recovery/repair.h"\n', "attic/a.c": "",
        "harness/cli/mpi.c": "#include <mpi.h>\n\tMPIX_Comm_revoke(comm);\n", "kernels/cg/send.c": "\tMPI_Send(b);\n",
        "ft/knows.c": '#include "kernels/cg/cg.h"\n', "rules.mk": "CFLAGS += -ffast-math\n# no -ffast-math\n",
        "base/tmp.c": 'open("/tmp/a")', "tests/program/test_two.py": "from test_one import run\n"}
    folder = new_folder()
    for name, text in house.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    texts = sources(folder)
    assert set(texts) == set(house)

    def names(wrong):
        return sorted(line.split(":")[0] for line in wrong)

    assert names(homeless(texts)) == ["attic/a.c", "ft/knows.c"], homeless(texts)
    texts = {name: text for name, text in texts.items() if name not in ("attic/a.c", "ft/knows.c")}
    assert names(wrong_arrows(texts)) == ["base/up.c", "ft/line/store.c", "kernels/cg/loop.h"], wrong_arrows(texts)
    assert names(wrong_words({**texts, "ft/knows.c": house["ft/knows.c"]})) == [
        "base/tmp.c", "ft/knows.c", "harness/cli/mpi.c", "harness/cli/mpi.c", "kernels/cg/send.c", "rules.mk", "tests/program/test_two.py"]
