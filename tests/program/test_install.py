"""What `make install` puts where, the man page and the completion; all made from the program itself."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import elc_runs
from rollbench import COMMAND, ROOT, call, long, main
from schema import loads

PROGRAM = pathlib.Path(COMMAND[0])


def script(name, *args, **env):
    done = subprocess.run([ROOT / "scripts" / name, *map(str, args)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, cwd="/", env={**os.environ, **env},
                          check=False)
    assert done.returncode == 0, (name, args, done.stdout, done.stderr)
    return done.stdout


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
        (build / "rollbench.1").write_text(script("man-page", PROGRAM), encoding="utf-8")
        (build / "rollbench.bash").write_text(script("completion", PROGRAM), encoding="utf-8")
        stage = folder / "stage"
        (stage / "usr/local/share/doc").mkdir(parents=True)
        (stage / "usr/local/share/doc/of-others").write_text("stays\n", encoding="utf-8")
        before = os.umask(0o077)  # of an administrator: what is installed is for others, too
        said = script("install", build, stage, prefix)
        os.umask(before)
        yield stage / prefix.lstrip("/"), stage, said


@long
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
        done = run("run", "matmul", "--line", "events", "--size", "64", "--np", "2", "--lines", "3", "--kill", "1@9", "--json", "-")
        assert done.returncode == 0 and loads(done.stdout)["status"] == "ok", done.stderr
        records = stage / "records"
        (records / "tiny").mkdir(parents=True)
        (stage / "tiny.yaml").write_text(
            "name: tiny\nruns:\n  - {kernel: jacobi, options: [grid=32, steps=30], np: 2, interval: 10, "
            "policies: [all], kill: {roles: [1], iterations: 13, phases: [start]}}\n")
        done = run("sweep", stage / "tiny.yaml", "--results", records / "tiny")
        assert done.returncode == 0, done.stderr
        done = run("report", "--results", records)
        assert done.returncode == 0 and (records / "report/report.html").stat().st_size > 10000, done.stderr
        shutil.rmtree(records)
        (stage / "tiny.yaml").unlink()
        # `doctor` looks for its probe beside the running program.
        assert (prefix / "libexec/rollbench/ulfm_probe").exists()
        for name in ("share/man/man1/rollbench.1", "share/bash-completion/completions/rollbench",
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
    assert page.count(".RS") == page.count(".RE") and page.count(".nf") == page.count(".fi")
    if not shutil.which("groff"):
        print("note: no groff here to render the man page with")
        return
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True,
                          timeout=30, check=True)
    assert done.stderr == "" and name in done.stdout, done.stderr


def test_the_man_pages_of_libelc():
    """Every function of the header, and every variable that the library reads."""
    functions, overview = (script("man-page-elc", section, "1.2.3").replace("\\-", "-") for section in "37")
    check_page(functions, "ELC(3)")
    check_page(overview, "LIBELC(7)")
    names = re.findall(r"^\w+ (elc_\w+)\(", (ROOT / "elc/elc.h").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == 5 and all(f".SS {name}()\n" in functions for name in names), names
    read = {name for path in (ROOT / "elc").rglob("*.c") for name in re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding="utf-8"))}
    told = set(re.findall(r"^\\fB(ELC_\w+)\\fR$", overview, re.MULTILINE))
    assert told == read and "ELC_DIR" in told, (told, read)
    assert "MPI_Sendrecv_replace" in overview or "Sendrecv_replace" in overview


@long
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


def test_the_man_page_has_every_option():
    page = script("man-page", PROGRAM)
    bare = page.replace("\\-", "-").replace("\\&", "")
    sections = re.split(r"^\.SS rollbench ", bare, flags=re.MULTILINE)
    of_command = {s.split("\n")[0]: re.split(r"^\.SH ", s, flags=re.MULTILINE)[0] for s in sections[1:]}
    for command, text in helps().items():
        if not command:
            continue
        for option in re.findall(r"^  (--[a-z][\w-]*)", text, re.MULTILINE):
            assert re.search(rf'^\.BI? "{option}[ "]', of_command[command], re.MULTILINE), (command, option)
    for kind in ("KERNELS", "POLICIES", "PHASES", "LEVELS"):
        assert f"\n.SH {kind}\n" in page
    # Find errors that would confuse a renderer.
    check_page(page, "ROLLBENCH(1)")


DRIVER = """source "$1"
while read -r line; do
	COMP_LINE=${line//_/ } COMP_POINT=${#line} COMPREPLY=()
	_rollbench
	echo "${COMPREPLY[*]}"
done
"""


def complete(folder, *lines):
    """The completions that the shell gets for each line; `_` stands for a blank."""
    file = pathlib.Path(folder) / "completion"
    if not file.exists():
        file.write_text(script("completion", PROGRAM), encoding="utf-8")
    done = subprocess.run(["bash", "-c", DRIVER, "bash", file], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, cwd=folder, timeout=30, check=True)
    assert done.stderr == "", done.stderr
    return [set(line.split()) for line in done.stdout.split("\n")[:-1]]


def test_the_completion_knows_what_the_program_knows():
    listed = {kind: set(re.findall(r"^  ([a-z]+)", call("list", kind).stdout, re.MULTILINE))
              for kind in ("kernels", "policies", "phases")}
    texts = helps()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "mine.yaml").touch()
        (pathlib.Path(folder) / "results").mkdir()
        found = complete(folder, "rollbench_", "rollbench_run_", "rollbench_run_cg_--policy_",
                         "rollbench_run_cg_--kill_3@4:", "rollbench_run_cg_--policy=win",
                         "rollbench_run_lulesh_--bu", "rollbench_sweep_", "rollbench_sweep_mine.yaml_--results_r",
                         "rollbench_torture_--kernel_j", "rollbench_run_cg_--np_", "rollbench_nonsense_",
                         "rollbench_run_cg_--strategy_", "rollbench_store_", "rollbench_store_verify_r")
        assert found[0] == {*texts, "--help", "--version"} - {""}, found[0]
        assert found[1] == listed["kernels"]
        assert {w.rstrip(":") for w in found[2]} == listed["policies"], found[2]
        assert {w.rstrip("+") for w in found[3]} == listed["phases"] and {"op+", "repair+"} <= found[3], found[3]
        assert found[4:] == [{"window:"}, {"--buffers"}, {"mine.yaml", "results"}, {"results"}, {"jacobi"},
                             set(), set(), {"repair", "restart"}, {"verify", "merge", "overhead"},
                             {"results"}], found[4:]
        commands = [c for c in texts if c]
        for command, offered in zip(commands, complete(folder, *(f"rollbench_{c}_--" for c in commands))):
            options = set(re.findall(r"^  (--[a-z][\w-]*)", texts[command], re.MULTILINE))
            assert offered >= options, (command, options - offered)


if __name__ == "__main__":
    main()
