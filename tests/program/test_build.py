"""Building with what there is, for whom it is built, and running what was built where nothing can be built."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from rollbench import COMMAND, ROOT, call, enter_namespace, new_folder
from schema import loads

BUILT = pathlib.Path(COMMAND[0]).parent
FLAGS = ("CPPFLAGS", "CFLAGS", "LDFLAGS", "LDLIBS", "CC", "WITHOUT", "PKG_CONFIG", "BUILD", "BUILD_ROOT", "MAKEFLAGS", "MAKELEVEL",
         "OMPI_CC", "MPICH_CC")
NO_CPU = "bdver4"  # no other processor has its extensions
TINY = ("run", "jacobi", "--grid", "32", "--steps", "30", "--np", "2", "--interval", "10", "--kill", "1@13", "--json", "-", "--quiet")


def plain(**more):
    """The environment without flags of whoever started the tests."""
    return {**{k: v for k, v in os.environ.items() if k not in FLAGS}, **more}


def execute(*words, cwd="/", timeout=110, status=0, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=cwd,
                          timeout=timeout, env=plain(**more), check=False)
    assert status is None or done.returncode == status, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


def make(*words, **kwargs):
    return execute("make", "-f", ROOT / "Makefile", *words, **kwargs)


def outside():
    """The environment of somebody who has not entered a userland."""
    env = {k: v for k, v in plain().items() if not k.startswith("ROLLBENCH_") or "_TEST_" in k}
    return {**env, "PATH": "/usr/local/bin:/usr/bin:/bin"}


def command(tree, *args, **more):
    return subprocess.run([tree / "rollbench", *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/",
                          timeout=60, env={**outside(), **more}, check=False)


def tree_of_what_is_built():
    """A checkout whose native build is what the tests are of."""
    tree = new_folder()
    shutil.copy(ROOT / "rollbench", tree)
    for name in ("scripts", "configs", "plots", "harness", "config.mk"):
        (tree / name).symlink_to(ROOT / name)
    (tree / "build").mkdir()
    (tree / "build/native").symlink_to(BUILT)
    return tree


def hide(*paths):
    """Let nothing be read or executed at these paths; call enter_namespace() first."""
    for path in paths:
        how = ("-t", "tmpfs", "none") if os.path.isdir(path) else ("--bind", "/dev/null")
        subprocess.run(["mount", *how, os.path.realpath(path)], check=True)


def compilers():
    """All that building needs."""
    names = [f"/usr/bin/{name}" for name in ("make", "gcc", "cc", "c99", "as", "ld", "ld.bfd", "mpicc.openmpi", "opal_wrapper", "pkg-config")]
    return [*filter(os.path.exists, [*names, *map(str, pathlib.Path("/usr/bin").glob("*-linux-gnu-gcc*")), "/usr/include", "/usr/lib/gcc"])]


def test_a_built_tree_runs_without_compiler_headers_and_make():
    tree = tree_of_what_is_built()
    mpicc = shutil.which(os.environ.get("MPICC", "mpicc"))
    enter_namespace()
    hide(*compilers())
    assert shutil.which("make") is None and not os.access("/usr/bin/gcc", os.X_OK) and not os.path.exists("/usr/include/stdio.h")
    for chosen in ({"MPICC": mpicc}, {}):
        done = command(tree, *TINY, **chosen)
        assert done.returncode == 0 and loads(done.stdout)["status"] == "ok", done
    # To build something, one has to be told what is missing.
    done = subprocess.run([tree / "scripts/with-env", "true"], env={**outside(), "MPICC": mpicc, "HOME": str(new_folder())},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no compiler on this machine" in done.stderr and "./rollbench" in done.stderr, done


def test_commands_that_start_no_ranks_need_no_mpi():
    """Neither its library nor mpirun, natively and from the command itself."""
    tree, results = tree_of_what_is_built(), new_folder()
    (results / "tiny.yaml").write_text("name: tiny\nruns:\n  - {kernel: jacobi, grid: 32, steps: 30, np: 2, interval: 10, "
                                       "policy: all, kill: {roles: [1], iterations: 13, phases: [start]}}\n")
    assert call("sweep", results / "tiny.yaml", "--results", results / "of").returncode == 0
    linked = subprocess.run(["ldd", f"{COMMAND[0]}_worker"], capture_output=True, text=True, check=True).stdout
    library = re.search(r"libmpi\.so\S* => (\S+)", linked)[1]
    enter_namespace()
    hide(library, *filter(os.path.exists, ("/usr/bin/mpirun", "/usr/bin/prterun", "/usr/bin/prte", "/usr/bin/orterun")))
    assert subprocess.run([f"{COMMAND[0]}_worker"], capture_output=True, check=False).returncode == 127  # it cannot be loaded
    for args in (("--help",), ("--version",), ("list",), ("export", "--csv", results / "of", "--out", results / "tables"),
                 ("report", "--results", results, "--out", results / "report"), ("explain", "cg", "--np", "4", "--kill", "1@30"),
                 ("run", "--help")):
        done = command(tree, *args)
        assert done.returncode == 0 and done.stdout, (args, done)
    assert (results / "tables/runs.csv").stat().st_size > 100
    done = command(tree, *TINY[:-3])
    assert done.returncode not in (0, 1) and re.search("mpirun|module of the MPI", done.stdout + done.stderr), done


def test_help_and_records_need_no_set_up():
    """Nothing is built, and there is no root file system: what does not need them works, and nothing is set up."""
    tree = tree_of_what_is_built()
    (tree / "build/native").unlink()
    nowhere = new_folder() / "none"
    asked = {"ROLLBENCH_ROOTFS": str(nowhere)}
    assert command(tree, "--help", **asked).stdout == call("--help").stdout
    version = command(tree, "--version", **asked).stdout
    assert version.split()[:2] == call("--version").stdout.split()[:2] and "not built" in version, version
    assert command(tree, "export", "--help", **asked).stdout == call("export", "--help").stdout
    assert not nowhere.exists()


def test_the_slurm_script_finds_its_command():
    """Of a checkout, of an installation that it was copied from, of the user."""
    top, submitted = new_folder(), new_folder()
    (top / "configs/slurm").mkdir(parents=True)
    (top / "bin").mkdir()
    script = shutil.copy(ROOT / "configs/slurm/rollbench.sbatch", top / "configs/slurm")
    for name in ("scontrol", "rollbench"):
        (top / "bin" / name).write_text(
            f"#!/bin/sh\ncase $* in\nshow\\ hostnames*) echo node1 ;;\nshow\\ job*) echo '   Command={script} run cg' ;;\n"
            "*) echo \"$0 $*\" ;;\nesac\n")
        (top / "bin" / name).chmod(0o755)
    copy = shutil.copy(script, submitted / "slurm_script")  # what Slurm executes

    def said(**more):
        env = {"SLURM_SUBMIT_DIR": str(submitted), "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "node1",
               "PATH": f"{top}/bin:/usr/bin:/bin", **more}
        done = subprocess.run(["sh", copy, "run", "cg"], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done
        return done.stdout.split()

    assert said()[0] == f"{top}/bin/rollbench"  # only on the PATH
    shutil.copy(top / "bin/rollbench", top / "rollbench")
    assert os.path.realpath(said()[0]) == str(top / "rollbench")
    shutil.copy(top / "bin/rollbench", submitted / "rollbench")
    assert said()[:3] == ["./rollbench", "run", "cg"]
    assert said(ROLLBENCH=f"{top}/bin/rollbench")[0] == f"{top}/bin/rollbench"
    for path in (top / "bin/rollbench", top / "rollbench", submitted / "rollbench"):
        path.unlink()
    done = subprocess.run(["sh", copy, "run", "cg"], env={"SLURM_SUBMIT_DIR": str(submitted), "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n",
                                                          "PATH": f"{top}/bin:/usr/bin:/bin"}, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "ROLLBENCH" in done.stderr, done


def libraries(**more):
    """{name: value} of what scripts/libraries finds."""
    said = execute(ROOT / "scripts/libraries", os.environ.get("MPICC", "mpicc"), more.pop("cppflags", ""), "", cwd=ROOT, **more).stdout
    return dict(line.split(" :=", 1) for line in said.splitlines())


def test_libraries_are_found_with_and_without_pkg_config():
    usual = libraries()
    names = [word.split("-")[0] for word in usual["LIBRARIES"].split()]
    by_compiler = [word.split("-")[0] for word in libraries(PKG_CONFIG="no-such-tool")["LIBRARIES"].split()]
    assert [name for name in names if name != "pmix"] == by_compiler  # only pkg-config knows where Debian has the headers of PMIx
    assert set(names) >= {"hwloc", "jansson", "xxhash"} and not usual["WITHOUT_REQUIRED"].strip(), usual
    # One that pkg-config knows in some other place is taken from there, and found at run time.
    tool = new_folder() / "pkg-config"
    tool.write_text('#!/bin/sh\n[ "$2" = papi ] || exit 1\ncase $1 in\n--modversion) echo 99.1 ;;\n--cflags) echo -I/opt/papi/include ;;\n'
                    '--libs) echo -L/opt/papi/lib -lpapi ;;\nesac\n')
    tool.chmod(0o755)
    other = libraries(PKG_CONFIG=str(tool))
    assert "papi-99.1" in other["LIBRARIES"] and other["papi_CFLAGS"].split() == ["-I/opt/papi/include"], other
    assert other["papi_LIBS"].split() == ["-L/opt/papi/lib", "-Wl,-rpath,/opt/papi/lib", "-lpapi"], other


def test_a_library_that_is_not_there_is_noticed():
    """Neither pkg-config nor the compiler finds it."""
    headers = [p for p in ("/usr/include/papi.h", "/usr/include/jansson.h") if os.path.exists(p)]
    if len(headers) < 2:
        pytest.skip("the libraries are not Debian's")
    enter_namespace()
    hide(*headers)
    found = libraries(PKG_CONFIG="false")
    assert found["WITHOUT_OPTIONAL"].split() == ["papi", "pmix"] and "-DHAVE_PAPI=0" in found["HAVE"], found
    assert found["WITHOUT_REQUIRED"].split() == ["jansson"], found
    folder = new_folder()
    said = make(f"BUILD={folder}", "all", status=2, PKG_CONFIG="false").stderr
    assert "jansson" in said and "packages.txt" in said and "papi" not in said, said


def test_the_tests_name_what_they_need():
    folder = new_folder()
    said = make(f"BUILD={folder}", "test", "WITHOUT=cmocka papi", status=2).stderr
    assert "papi cmocka" in said, said


def test_flags_compiler_and_folder_are_the_users():
    """`make -f` from another folder, with everybody's usual variables; nothing is written beside the sources."""
    folder = new_folder()
    log, compiler = folder / "log", folder / "cc"
    compiler.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    target = f"{folder}/build/{os.environ['ROLLBENCH_ENV']}/ulfm_probe"
    before = {p.name for p in ROOT.iterdir()}
    make(target, f"CC={compiler}", "CPPFLAGS=-DOF_THE_USER=1", "CFLAGS=-O0 -DCFLAG=1", "LDFLAGS=-Wl,--defsym=of_the_user=1",
         "LDLIBS=-Wl,--defsym=at_the_end=1", cwd=folder)
    assert os.access(target, os.X_OK) and {p.name for p in ROOT.iterdir()} == before
    lines = [line for line in log.read_text(encoding="utf-8").splitlines() if "base/build" in line or "ulfm_probe" in line]
    compiled = [line for line in lines if " -c " in line]
    linked = [line for line in lines if " -c " not in line and line.endswith("of_the_user=1") or "at_the_end" in line]
    assert compiled and all("-DOF_THE_USER=1" in line and "-DCFLAG=1" in line for line in compiled), lines
    assert len(linked) == 1 and "--defsym=of_the_user=1" in linked[0] and "--defsym=at_the_end=1" in linked[0], lines
    assert "march" not in "".join(lines), lines
    # A folder that was named is removed with what was built in it, and no other.
    make("clean", f"BUILD={folder}/build/{os.environ['ROLLBENCH_ENV']}", cwd=folder)
    assert not os.path.exists(target)
    make("clean", f"BUILD={folder}", cwd=folder)
    assert folder.exists()


def test_a_program_for_another_processor_says_so():
    """Compiled for one that is not here: base/build.c alone, since nothing may come before it."""
    if os.uname().machine != "x86_64":
        pytest.skip("only x86 has these extensions")
    folder = new_folder()
    (folder / "main.c").write_text("int main(void)\n{\n\treturn 0;\n}\n")
    for flags, status in ((f"-O2 -march={NO_CPU}", 2), ("-O2 -march=native", 0), ("-O2", 0)):
        make(f"{folder}/base/build.o", f"BUILD={folder}", f"CFLAGS={flags}", "CPPFLAGS=")
        execute("gcc", "-o", folder / "program", folder / "main.c", folder / "base/build.o")
        said = execute(folder / "program", status=status).stderr
        assert (said != "") == (status == 2), said
    make(f"{folder}/base/build.o", f"BUILD={folder}", f"CFLAGS=-O2 -march={NO_CPU}", "CPPFLAGS=")
    execute("gcc", "-o", folder / "program", folder / "main.c", folder / "base/build.o")
    said = execute(folder / "program", status=2).stderr
    assert NO_CPU in said and re.search(r"has no (xop|fma4)\b", said) and "remedy" in said, said


def test_what_is_installed_is_for_every_processor():
    said = make("-n", "install", "DESTDIR=/stage", cwd=ROOT).stdout
    assert "-portable" in said and "-march" not in said.split("install-built")[0], said[:500]
    own = make("-n", "install", "DESTDIR=/stage", "CFLAGS=-O2 -march=native", cwd=ROOT).stdout
    assert "-portable" not in own, own[-500:]


def unpacked(folder, *names):
    """The tarball of the commit, unpacked in folders of these names."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone, so there is no commit to pack")
    execute("make", "-C", ROOT, "dist", f"BUILD_ROOT={folder}/dist")
    tarball = next((folder / "dist").glob("rollbench-*.tar.gz"))
    trees = []
    for name in names:
        (folder / name).mkdir()
        execute("tar", "xzf", tarball, "-C", folder / name, "--strip-components=1")
        trees.append(folder / name)
    shutil.rmtree(folder / "dist")
    return trees


def same_results(*programs):
    """Whatever they were compiled for: no result depends on the length of a vector."""
    for args in (("lulesh", "--edge", "9", "--np", "1", "--steps", "30"), ("lulesh", "--edge", "5", "--np", "8", "--steps", "30"),
                 ("cg", "--np", "2"), ("jacobi", "--grid", "100", "--np", "2", "--steps", "30"), ("bfs", "--np", "2"), ("amr", "--np", "2")):
        found = [loads(execute(program, "run", *args, "--json", "-", "--quiet").stdout) for program in programs]
        assert len({record["state_hash"] for record in found}) == 1, (args, found)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_tarball_builds_the_same_bits_in_two_folders():
    folder = new_folder()
    trees = unpacked(folder, "a", "another-folder-with-a-longer-name")
    built = []
    for tree in trees:
        execute("make", "-C", tree, "-j2", "CFLAGS=-O0 -g", "all", timeout=420)
        (out,) = (tree / "build").iterdir()
        built.append({str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*")
                      if p.is_file() and (os.access(p, os.X_OK) or p.suffix == ".so")})
    assert set(built[0]) == set(built[1]) >= {"rollbench", "rollbench_worker", "libelc.so", "elc/programs/kernel"}, built[0].keys()
    assert not [name for name in built[0] if built[0][name] != built[1][name]]
    assert not [name for name, text in built[0].items() if os.fsencode(folder) in text]
    commit = execute("git", "-C", ROOT, "rev-parse", "--short=12", "HEAD").stdout.strip()
    assert commit in execute(out / "rollbench", "--version").stdout
    done = execute(out / "rollbench", *TINY)
    assert loads(done.stdout)["status"] == "ok"
    same_results(out / "rollbench", COMMAND[0])
    for tree in trees:
        shutil.rmtree(tree)  # a recipe in packaging/ is named as run folders are


@pytest.mark.long
@pytest.mark.timeout(600)
def test_without_the_optional_libraries():
    """Everything else works, and what wants one of them names it."""
    folder = new_folder()
    make("BUILD=lean", "-j2", "CFLAGS=-O0", "WITHOUT=fyaml papi isal cpupower pmix simgrid cmocka", "all", cwd=folder, timeout=420)
    program = folder / "lean/rollbench"
    linked = execute("ldd", f"{program}_worker").stdout
    assert not re.search("libfyaml|libpapi|libisal|libcpupower|simgrid", linked), linked
    version, doctor = execute(program, "--version").stdout, execute(program, "doctor", status=None).stdout
    for name in ("fyaml", "papi", "isal", "cpupower", "pmix", "simgrid", "cmocka"):
        assert re.search(rf"{name} \(", version) and re.search(rf"^libraries +absent +{name},.*remedy", doctor, re.M), (name, version, doctor)
    tiny = loads(execute(program, *TINY, cwd=folder).stdout)
    assert tiny["status"] == "ok" and "no library pmix" in tiny["host"]["detector"]["why"], tiny["host"]
    (folder / "zipped.csv.gz").write_bytes(b"\x1f\x8b\x08")
    for args, name in ((("run", "cg", "--np", "4", "--ckpt", "rs:2+1"), "isal"), (("run", "cg", "--np", "1", "--spares", "0", "--power", "dvfs"), "cpupower"),
                       (("profile", "cg", "--np", "4", "--out", "x.csv.gz"), "isal"), (("study", "zipped.csv.gz"), "isal"),
                       (("sweep", ROOT / "configs/laptop/smoke.yaml"), "fyaml"),
                       (("simulate", "stencil1d", "--np", "4", "--steps", "10", "--work", "1s", "--bytes", "1kB", "--engine", "simgrid"),
                        "simgrid")):
        done = execute(program, *args, cwd=folder, status=2)
        assert name in done.stderr.lower() and "install" in done.stderr, (args, done.stderr)
    record = loads(execute(program, *TINY, "--meters", "phases", cwd=folder).stdout)
    assert record["status"] == "ok" and "library papi" in json.dumps(record["meters"]), record["meters"]
