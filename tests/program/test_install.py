"""What `make install` puts where, and the man pages, which are made from the program itself."""
import contextlib
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

import elc_runs
from rollbench import COMMAND, ROOT, call
from schema import loads

PROGRAM = pathlib.Path(COMMAND[0])


def script(name, *args, **env):
    done = subprocess.run([ROOT / "scripts" / name, *map(str, args)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, cwd="/", env={**os.environ, **env},
                          check=False)
    assert done.returncode == 0, (name, args, done.stdout, done.stderr)
    return done.stdout


@functools.cache
def helps():
    """{command: its help}, "" for the program's own."""
    top = call("--help").stdout
    names = dict.fromkeys(re.findall(r"^  ([a-z]+)\b", top, re.MULTILINE))
    assert {"run", "sweep", "list", "doctor"} <= set(names), names
    return {"": top, **{name: call(name, "--help").stdout for name in names}}


@contextlib.contextmanager
def installed(prefix="/usr/local"):
    """Install what has been built into a staging folder; that folder's prefix."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        build = folder / "build"
        build.mkdir()
        for name in ("rollbench", "rollbench_worker", "ulfm_probe", "libelc.so"):
            shutil.copy(PROGRAM.parent / name, build)
        for name in ("programs", "source"):
            shutil.copytree(PROGRAM.parent / "elc" / name, build / "elc" / name)
        stage = folder / "stage"
        (stage / "usr/local/share/doc").mkdir(parents=True)
        (stage / "usr/local/share/doc/of-others").write_text("stays\n", encoding="utf-8")
        before = os.umask(0o077)  # of an administrator: what is installed is for others, too
        said = script("install", build, stage, prefix)
        os.umask(before)
        yield stage / prefix.lstrip("/"), stage, said


@pytest.mark.long
def test_what_is_installed_works_from_anywhere():
    with installed() as (prefix, stage, said):
        assert "installed below" in said
        if os.environ.get("ROLLBENCH_ENV") == "rootfs":  # the help has a note on it there
            assert "enters the root file system" in said, said
        env = {k: v for k, v in os.environ.items() if k != "ROLLBENCH_BIN_DIR"}

        def run(*args):
            return subprocess.run([prefix / "bin/rollbench", *args], capture_output=True, text=True,
                                  cwd="/", env=env, stdin=subprocess.DEVNULL, timeout=60, check=False)

        assert run("list").stdout == call("list").stdout
        assert run("doctor", "--help").stdout == call("doctor", "--help").stdout
        done = run("run", "jacobi", "--grid", "32", "--steps", "30", "--np", "2", "--interval", "10",
                   "--kill", "1@13", "--json", "-")
        assert done.returncode == 0 and loads(done.stdout)["status"] == "ok", done.stderr
        done = run("run", "matmul", "--protocol", "events", "--size", "64", "--np", "2", "--lines", "3", "--kill", "1@9", "--json", "-")
        assert done.returncode == 0 and loads(done.stdout)["status"] == "ok", done.stderr
        records = stage / "records"
        (records / "tiny").mkdir(parents=True)
        (stage / "tiny.yaml").write_text(
            "name: tiny\nruns:\n  - {kernel: jacobi, grid: 32, steps: 30, np: 2, interval: 10, "
            "policy: all, kill: {roles: [1], iterations: 13, phases: [start]}}\n")
        done = run("sweep", stage / "tiny.yaml", "--results", records / "tiny")
        assert done.returncode == 0, done.stderr
        done = run("report", "--results", records)
        assert done.returncode == 0 and (records / "report/report.html").stat().st_size > 10000, done.stderr
        shutil.rmtree(records)
        (stage / "tiny.yaml").unlink()
        # `doctor` looks for its probe beside the running program.
        assert (prefix / "libexec/rollbench/ulfm_probe").exists()
        commands = [f"share/man/man1/rollbench-{name}.1" for name in helps() if name]
        notes = (ROOT / "docs/ulfm-notes.md").read_text(encoding="utf-8")
        for name in (*commands, *(f"share/doc/rollbench/{name}" for name in re.findall(r"\b(?:reproducers|upstream)/[\w-]+\.(?:c|md)", notes)),
                     "share/man/man1/rollbench.1", "share/bash-completion/completions/rollbench",
                     "share/rollbench/configs/packages.txt", "share/rollbench/plots/common/runs.py",
                     "share/rollbench/scripts/with-env", "share/rollbench/record.schema.json",
                     "share/doc/rollbench/record.md", "include/elc.h", "lib/pkgconfig/elc.pc", "lib/libelc.so",
                     "share/man/man3/elc.3", "share/man/man7/libelc.7"):
            assert (prefix / name).stat().st_size > 0, name
        for path in prefix.rglob("*"):
            assert not path.is_dir() or path.stat().st_mode & 0o055 == 0o055, f"{path}: others cannot enter it"
            if path.is_file():
                assert path.stat().st_mode & 0o044 == 0o044, path
                assert os.fsencode(ROOT) not in path.read_bytes(), f"{path} names the checkout"
                assert path.is_symlink() or not path.stat().st_mode & 0o022, path
        listed = (prefix / "share/rollbench/installed").read_text(encoding="utf-8").split()
        there = [str(p.relative_to(prefix)) for p in prefix.rglob("*") if not p.is_dir()]
        assert sorted([*listed, "share/doc/of-others"]) == sorted(there)

        # Where the build is native, the command is the program itself.
        script("install", stage.parent / "build", stage, "/opt/moved", ROLLBENCH_ENV="native")
        moved = stage.parent / "elsewhere"
        (stage / "opt/moved").rename(moved)
        assert (moved / "bin/rollbench").is_symlink()
        done = subprocess.run([moved / "bin/rollbench", "list"], capture_output=True, text=True, cwd="/",
                              check=True, timeout=20)
        assert done.stdout == call("list").stdout

        script("install", "--uninstall", stage, "/usr/local")
        left = [p for p in prefix.rglob("*") if not p.is_dir()]
        assert left == [prefix / "share/doc/of-others"], left
        again = subprocess.run([ROOT / "scripts/install", "--uninstall", stage, "/usr/local"],
                               capture_output=True, text=True, check=False)
        assert again.returncode == 2 and "PREFIX" in again.stderr, again.stderr


def test_make_passes_destdir_and_prefix():
    done = subprocess.run(["make", "-n", "install", "DESTDIR=/stage", "PREFIX=/opt/r"], text=True, cwd=ROOT,
                          capture_output=True, timeout=60, check=True)
    assert re.search(r'scripts/install "\S+" "/stage" "/opt/r"', done.stdout), done.stdout[-500:]
    done = subprocess.run(["make", "-n", "uninstall", "PREFIX=/opt/r"], text=True, cwd=ROOT,
                          capture_output=True, timeout=60, check=True)
    assert 'scripts/install --uninstall "" "/opt/r"' in done.stdout, done.stdout[-500:]


def test_a_folder_that_is_not_absolute_is_refused():
    done = subprocess.run([ROOT / "scripts/install", "build", "", "usr"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and "absolute" in done.stderr, done.stderr


def check_page(page, name):
    known = {"TH", "SH", "SS", "TP", "PP", "IP", "B", "BI", "BR", "I", "IR", "RI", "RS", "RE", "br", "nf", "fi"}
    for line in page.split("\n"):
        assert not line.startswith("'") and "\t" not in line, line
        assert not line.startswith(".") or line.split()[0][1:] in known, line
    assert "\n\n" not in page, "an item without a text"
    assert page.count(".RS") == page.count(".RE") and page.count(".nf") == page.count(".fi")
    if not shutil.which("groff"):
        print("note: no groff here to render the man page with")
        return
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True,
                          timeout=30, check=True)
    assert done.stderr == "" and name in done.stdout, done.stderr


def test_the_man_pages_of_libelc():
    """Every function of the header, and every variable that the library reads."""
    functions, overview = (pages()[name].replace("\\-", "-") for name in ("elc.3", "libelc.7"))
    names = re.findall(r"^\w+ (elc_\w+)\(", (ROOT / "elc/elc.h").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == 5 and all(f".SS {name}()\n" in functions for name in names), names
    read = {name for path in (ROOT / "elc").rglob("*.c") for name in re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding="utf-8"))}
    told = set(re.findall(r"^\\fB(ELC_\w+)\\fR$", overview, re.MULTILINE))
    assert told == read and "ELC_DIR" in told, (told, read)
    assert "MPI_Sendrecv_replace" in overview or "Sendrecv_replace" in overview


@pytest.mark.long
def test_the_program_of_the_document():
    """A user's way: install, pkg-config, compile, be killed, start again. The program is the one in docs/event-logging.md."""
    text = re.search(r"^```c\n(.*?)^```$", (ROOT / "docs/event-logging.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    assert text.startswith("#include <elc.h>") and text.count("\n") < 42, text
    with installed() as (prefix, stage, _):
        (stage / "program.c").write_text(text, encoding="utf-8")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "elc"], capture_output=True, text=True, check=True,
                               env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}).stdout.split()
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "program.c", "-o", "program", *flags], cwd=stage, check=True)
        needed = subprocess.run(["readelf", "-d", stage / "program"], capture_output=True, text=True, check=True).stdout
        assert re.search(r"NEEDED.*\[libelc\.so\.\d+\]", needed), needed
        (stage / "lines").mkdir()
        lines = str(stage / "lines")
        whole = elc_runs.result(3, stage / "program")
        assert whole[1] == 0
        for moment in ("1:asked:3", "2:complete:9", "0:committed:15"):
            assert elc_runs.killed(3, stage / "program", ELC_DIR=lines, ELC_TEST_KILL=moment)
        again = elc_runs.result(3, stage / "program", ELC_DIR=lines)
        assert again[0] == whole[0] and again[1] == 15, (again, whole)
        assert not any((stage / "lines").iterdir())


@functools.cache
def pages():
    """{name: text} of all pages of the command, and of libelc."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "scripts/manual", PROGRAM, "--into", folder], stdin=subprocess.DEVNULL, timeout=60, cwd="/", check=True)
        return {path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).glob("man/man[137]/*")}


def bare(page):
    return page.replace("\\-", "-").replace("\\&", "")


def sections(page):
    """{title: text}."""
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in re.split(r"^\.SH ", page, flags=re.MULTILINE)[1:]}


def test_a_man_page_for_each_command():
    """Each option of its help, and all sections; rollbench(1) names every page and has the lists."""
    commands = [name for name in helps() if name]
    assert set(pages()) == {"rollbench.1", *(f"rollbench-{name}.1" for name in commands), "elc.3", "libelc.7"}
    for name in commands:
        parts = sections(bare(pages()[f"rollbench-{name}.1"]))
        assert list(parts) == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"], (name, list(parts))
        for option in re.findall(r"^  (--[a-z][\w-]*)", helps()[name], re.MULTILINE):
            assert re.search(rf'^\.BI? "{option}[ "]', parts["OPTIONS"], re.MULTILINE), (name, option)
        assert "exit status:" not in parts["DESCRIPTION"] and re.search(r"^\.B 2$|that of the command", parts["EXIT STATUS"], re.MULTILINE), name
        others = re.findall(r"^\.BR rollbench-(\w+) \(1\)", parts["SEE ALSO"], re.MULTILINE)
        assert others and set(others) <= set(commands) - {name}, (name, others)
    whole = sections(bare(pages()["rollbench.1"]))
    assert {"KERNELS", "POLICIES", "PHASES", "LEVELS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "FILES", "SEE ALSO"} <= set(whole), list(whole)
    for name in commands:
        assert f".BR rollbench-{name} (1)" in whole["DESCRIPTION"] and f".BR rollbench-{name} (1)" in whole["SEE ALSO"], name


def test_the_examples_of_the_man_pages():
    """Each is of its command, with options that this has, and each has a sentence; a kernel's options are in the list of kernels."""
    for name, page in pages().items():
        if not name.startswith("rollbench-"):
            continue
        command = name[len("rollbench-"):-2]
        examples = re.findall(r"^\.nf\n\.B (.*)\n\.fi\n\.RS\n((?:[^.].*\n)+)", sections(bare(page))["EXAMPLES"], re.MULTILINE)
        assert examples, name
        for line, told in examples:
            words = line.split(" -- ")[0].split()
            # Examples of `run KERNEL` may keep a folder, and name one of the commands beside their own.
            assert words[:1] == ["rollbench"] and words[1] in (command, "run") and told.endswith(".\n"), (name, line, told)
            helped = call(*words[1:3 if "--protocol" in words or words[1] in ("model", "store", "papers") else 2], "--help").stdout
            known = set(re.findall(r"--[a-z][\w-]*", helped))
            assert set(word for word in words if word.startswith("--")) <= known, (line, set(words) - known)
            if command in ("explain", "partners", "simulate", "model", "list") and " results/" not in line:  # these need nothing
                assert call(*words[1:]).returncode == 0, line


def test_variables_that_the_program_reads_are_in_its_man_page():
    """But those of a machine that tests record, and of processes that it starts itself."""
    own = {"ROLLBENCH_METER_ROOT", "ROLLBENCH_TEST_AHEAD", "ROLLBENCH_PROFILE", "ROLLBENCH_PROFILE_LIBRARY"}
    read = {name for folder in ("harness", "base", "inject", "ft", "forecast", "profile") for path in (ROOT / folder).rglob("*.c")
            for name in re.findall(r'getenv\("(ROLLBENCH_\w+)"\)', path.read_text(encoding="utf-8"))}
    told = set(re.findall(r"^\.B (\w+)$", sections(pages()["rollbench.1"])["ENVIRONMENT"], re.MULTILINE))
    assert read - own <= told and "TMPDIR" in told, (read - own, told)


def test_the_man_pages_are_clean():
    """groff, where it is, and the lint of mandoc, where it is; both find what is put wrong on purpose."""
    for name, page in pages().items():
        check_page(page, name.replace(".", "(").upper() + ")")
    mandoc = shutil.which("mandoc")
    if not mandoc:
        pytest.skip("no mandoc here to lint the man pages with")

    def lint(page):
        return subprocess.run([mandoc, "-Tlint", "-W", "style"], input=page, capture_output=True, text=True, timeout=30, check=False).stdout

    for name, page in pages().items():
        assert not (said := lint(page)), (name, said[:500])
    page = pages()["rollbench-run.1"]
    for wrong in (page.replace(".SH OPTIONS", ".SH OPTIONS\n.PP"), page.replace(".RE", ".XX", 1), page + "x " * 50 + "\n",
                  re.sub(r" \d{4}-\d\d-\d\d ", ' "" ', page)):
        assert lint(wrong), wrong[-100:]
