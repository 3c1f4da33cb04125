"""Communication profiles: of kernels from their patterns, of programs that run, and as patterns themselves."""
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from problems import CG, JACOBI, LULESH
from rollbench import COMMAND, HELPERS, ROOT, call, cpu_limit, new_folder, refuse, refuse_all, wait_until

MPIRUN = ("timeout", "60", "mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,sm", "-n", "4")
CALLS = HELPERS / "mpi" / "calls"


def text_of(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def header(path):
    lines = [line[2:] for line in text_of(path).splitlines() if line.startswith("# ")]
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def rows(path, phase=None):
    """The rows as (phase, kind, source, destination, count, bytes, size); what is empty is None."""
    lines = [line for line in text_of(path).splitlines() if not line.startswith("#")]
    found = [(int(r["phase"]), r["kind"], *(int(r[k]) if r[k] else None for k in ("source", "destination", "count", "bytes", "size")))
             for r in csv.DictReader(lines)]
    assert text_of(path).splitlines()[-1] == f"# end of {len(found)} rows"
    return [row for row in found if phase is None or row[0] == phase]


def profile(*args, **kwargs):
    done = call("profile", *args, **kwargs)
    assert done.returncode == 0, done.stderr
    return done


def of_kernel(path, *args):
    profile(*args, "--out", path, preexec_fn=cpu_limit(20))
    return path


def of_program(path, *command, status=0):
    done = call("profile", "--out", path, "--", *command)
    assert done.returncode == status, done.stderr[-3000:]
    return path


def coverage(found, cluster):
    inside = sum(r[5] for r in found if r[2] // cluster == r[3] // cluster)
    return inside / sum(r[5] for r in found)


def test_cg_as_in_the_paper():
    """memory-constrained-logging, Sect. V: 0.78 of the bytes of CG on 64 ranks stay in clusters of 8. That is so if what the
    diagonal of the grid copies to itself counts as a message."""
    folder = new_folder()
    own = rows(of_kernel(folder / "own.csv.gz", "cg", "--class", "C", "--np", 64, "--self-messages"))
    assert round(coverage(own, 8), 3) == 0.781, coverage(own, 8)
    without = rows(of_kernel(folder / "without.csv", "cg", "--class", "C", "--np", 64))
    assert without == [r for r in own if r[2] != r[3]], "the rest must be the same"
    assert sum(r[2] == r[3] for r in own) == 8
    assert round(coverage(without, 8), 3) == 0.774, coverage(without, 8)


def test_many_roles_take_seconds():
    """The limit of CPU time is that of of_kernel()."""
    path = of_kernel(new_folder() / "d.csv.gz", "cg", "--class", "D", "--np", 1024)
    assert header(path)["np"] == "1024" and header(path)["complete"] == "yes" and len(rows(path)) > 5000


def expected_calls():
    """What tests/mpi/calls.c sends: its comments say why."""
    found = []
    for r in range(4):
        right, left = (r + 1) % 4, (r + 3) % 4
        found += [(-1, "p2p", r, right, 1, 64, None), (0, "p2p", r, right, 4, 10 * 8, None),
                  (1, "p2p", r, r, 1, 5, None), (1, "p2p", r, right, 4, 10 * 4, None),
                  (2, "p2p", r, left, 4, (6 + 7 + 8 + 9) * 8, None),
                  (3, "p2p", r, right, 3 * 4 + 2, 3 * 4 * 2 * 8 + 2 * 2 * 3 * 8, None)]
        found += [(-1, kind, r, None, 1, count, 4) for kind, count in (
            ("bcast", 80 * (r == 1)), ("gather", 8), ("scatter", 48 * (r == 0)), ("alltoall", 16), ("reduce", 32), ("ibarrier", 0),
            ("neighbor_alltoall", 4 * (2 - (r in (0, 3)))), ("neighbor_alltoallv", 4 * (2 * (r > 0) + 3 * (r < 3))))]
        found += [(phase, "barrier", r, None, calls, 0, 4) for phase, calls in ((0, 2), (1, 1), (3, 3))]
        found.append((4, "allreduce", r, None, 1, 24, 4))
    found += [(4, "p2p", 3, 2, 1, 8, None), (4, "p2p", 1, 3, 1, 16, None), (4, "p2p", 0, 3, 1, 24, None)]
    return sorted(found, key=lambda r: (r[0], r[1] != "p2p", r[1], r[2], -1 if r[3] is None else r[3]))


def test_each_kind_of_call():
    path = of_program(new_folder() / "calls.csv.gz", *MPIRUN, CALLS)
    assert rows(path) == expected_calls()
    said = header(path)
    assert said["program"] == str(CALLS) and said["complete"] == "yes" and said["outside_messages"] == "0", said
    assert [p.name for p in path.parent.iterdir()] == [path.name]


MOVES_DATA = re.compile(r"MPI_(\w*(send|bcast|gather|scatter|alltoall|reduce|scan|barrier|accumulate|fetch_and_op|compare_and_swap)\w*|R?(put|get)(_c)?)",
                        re.I)


def check_functions(mpicc, library):
    """The profile says complete only if each function of this MPI that sends something to another process is counted."""
    declared = subprocess.run([mpicc, "-E", "-P", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    ours = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    moving = {name for name in re.findall(r"\b(MPI_[A-Z][a-z]\w*)\s*\(", declared) if MOVES_DATA.fullmatch(name)}
    assert len(moving) > 70, moving
    assert moving - set(re.findall(r" T (\w+)$", ours, re.M)) <= {"MPI_Reduce_local", "MPI_Reduce_local_c"}


def test_each_function_that_moves_data_is_counted():
    check_functions("mpicc", pathlib.Path(COMMAND[0]).parent / "librollbench_profile.so")


def test_functions_with_large_counts():
    """Open MPI 5 has none. The library is built for another MPI as docs/profile.md says."""
    if not shutil.which("mpicc.mpich") or not shutil.which("mpiexec.mpich"):
        pytest.skip("MPICH is not installed (mpicc.mpich, mpiexec.mpich), so no MPI here has functions with large counts")
    folder = new_folder()
    guide = re.search(r"^mpicc (.*?\n.*?)\n", (ROOT / "docs/profile.md").read_text(encoding="utf-8"), re.M | re.S)[1].replace("\\\n", "")
    library, program, path = folder / "librollbench_profile.so", folder / "large_counts", folder / "x.csv"
    for command in (guide.replace(library.name, str(library)), f"-O1 -o {program} {ROOT}/tests/mpi/large_counts.c"):
        subprocess.run(f"mpicc.mpich {command}", shell=True, check=True, cwd=ROOT)
    check_functions("mpicc.mpich", library)
    done = call("profile", "--out", path, "--", "timeout", "50", "mpiexec.mpich", "-n", "2", program,
                env={**os.environ, "ROLLBENCH_PROFILE_LIBRARY": str(library), "HWLOC_XMLFILE": os.devnull})
    assert done.returncode == 0, done
    kinds = {"bcast": (1, (28, 0)), "allgatherv": (2, (2 * 2 * 8, 2 * 3 * 8)), "alltoallw": (1, (12, 12)), "iallreduce": (1, (16, 16)),
             "reduce_scatter_init": (3, (3 * 20, 3 * 20))}
    assert header(path)["complete"] == "yes" and sorted(rows(path), key=str) == sorted(
        [(0, "p2p", 0, 1, 1, 20, None), *((0, kind, r, None, calls, size[r], 2) for kind, (calls, size) in kinds.items() for r in range(2))], key=str)


@pytest.mark.long
def test_one_sided_communication_is_told():
    one_sided(new_folder() / "one-sided.csv", expected_calls(), CALLS)


@pytest.mark.long
def test_threads():
    path = of_program(new_folder() / "threads.csv", *MPIRUN, CALLS, "threads")
    assert rows(path) == [(0, "p2p", r, (r + 1) % 4, 2000, 16000, None) for r in range(4)]


def expected_fortran():
    """What tests/mpi/calls_*.f90 send."""
    found = []
    for r in range(4):
        right, left = (r + 1) % 4, (r + 3) % 4
        found += [(0, "p2p", r, right, 2, (1 + 3) * 8, None), (0, "p2p", r, left, 1, 2 * 8, None),
                  (1, "p2p", r, right, 2, 2 * 4 * 8, None), (1, "allreduce", r, None, 1, 4, 2),
                  (1, "gather", r, None, 1, 8, 1), (1, "barrier", r, None, 1, 0, 4)]
    found += [(1, "p2p", 0, 2, 1, 20, None), (1, "p2p", 1, 3, 1, 20, None)]
    # calls_collectives.inc: blocking, nonblocking, and persistent, started twice
    for kind, sent in (("neighbor_allgather", 4), ("neighbor_allgatherv", 4), ("neighbor_alltoall", 16), ("neighbor_alltoallv", 12),
                       ("neighbor_alltoallw", 12), ("alltoallw", 16)):
        found += [row for r in range(4) for row in ((2, kind, r, None, 1, sent, 4), (3, "i" + kind, r, None, 1, sent, 4),
                                                    (4, kind + "_init", r, None, 2, 2 * sent, 4))]
    found += [row for r in range(4) for row in ((4, "allreduce_init", r, None, 2, 24, 4), (4, "barrier_init", r, None, 2, 0, 4))]
    return sorted(found, key=lambda r: (r[0], r[1] != "p2p", r[1], r[2], -1 if r[3] is None else r[3]))


@pytest.mark.long
def test_fortran():
    """With mpif.h, and with the module mpi_f08, whose functions have other names."""
    compiler = next(filter(shutil.which, ("gfortran", "gfortran-14", "gfortran-15", "gfortran-13")), None)
    if not compiler or not shutil.which("mpifort"):
        pytest.skip("no compiler for Fortran")
    folder = new_folder()
    for name in ("mpifh", "f08"):
        subprocess.run(["mpifort", "-O1", "-o", folder / name, ROOT / "tests" / "mpi" / f"calls_{name}.f90"], check=True, cwd=folder,
                       env={**os.environ, "OMPI_FC": compiler})
        path = of_program(folder / f"{name}.csv", *MPIRUN, folder / name)
        assert rows(path) == expected_fortran() and header(path)["complete"] == "yes", name
        one_sided(folder / f"{name}-one-sided.csv", expected_fortran(), folder / name)


def one_sided(path, expected, program):
    """4 calls and 40 bytes are in no row, and everybody is told so."""
    done = call("profile", "--out", path, "--", *MPIRUN, program, "one-sided")
    assert done.returncode == 0 and "4 calls of one-sided communication with 40 bytes" in done.stderr, done
    said = header(path)
    assert said["one_sided_calls"] == "4" and said["one_sided_bytes"] == "40" and said["complete"].startswith("no, 4 calls"), said
    assert rows(path) == expected, program
    studied = call("study", path)
    assert studied.returncode == 0 and "one-sided" in studied.stderr and "one-sided" in studied.stdout, studied


@pytest.mark.long
@pytest.mark.timeout(240)
def test_runs_equal_patterns():
    """The iterations of a run are phase 1; what the engine sends is phase 0."""
    folder = new_folder()
    for kernel in (CG, LULESH, JACOBI):
        name = kernel[0]
        ran = of_program(folder / f"{name}-ran.csv", *COMMAND, "run", *map(str, kernel), "--policy", "none", "--quiet")
        pattern = of_kernel(folder / f"{name}.csv", *[w for i, w in enumerate(kernel) if not is_of_run(kernel, i)])
        assert rows(ran, 1) and rows(ran, 1) == rows(pattern), name
        lines = [[line for line in text_of(p).splitlines() if line.startswith("1,p2p")] for p in (ran, pattern)]
        assert lines[0] == lines[1], "byte for byte"


def is_of_run(words, i):
    """Is the word an option of `run` that `profile` has not, or its value?"""
    others = ("--interval", "--ckpt-sync", "--ckpt-lag")
    return words[i] in others or (i > 0 and words[i - 1] in others and not str(words[i]).startswith("--"))


@pytest.mark.long
def test_monitoring_agrees():
    """Open MPI's own monitoring of the messages of programs, as opposed to its own: those of a run without our profiler. It is a pml of its own, which is
    not in the MPI's set for faults, and so the job is one without."""
    folder = new_folder()
    ran = of_program(folder / "cg.csv", *COMMAND, "run", *map(str, CG), "--policy", "none", "--quiet")
    monitor = {"ROLLBENCH_NO_PING": "1", "OMPI_MCA_pml": "ob1,monitoring", "OMPI_MCA_pml_monitoring_enable": "2", "OMPI_MCA_pml_monitoring_enable_output": "3",
               "OMPI_MCA_pml_monitoring_filename": str(folder / "monitor")}
    done = call("run", *CG, "--policy", "none", "--strategy", "restart", "--quiet", env={**os.environ, **monitor})
    assert done.returncode == 0, done.stderr
    files = list(folder.glob("monitor.*.prof"))
    if not files:
        pytest.skip("this Open MPI has no monitoring component")
    seen = {}
    for line in (line for path in files for line in path.read_text().splitlines() if line.startswith("E\t")):
        _, source, destination, size, count = line.split("\t")[:5]
        seen[int(source), int(destination)] = (int(count.split()[0]), int(size.split()[0]))
    ours = {}
    for _, kind, source, destination, count, size, _ in rows(ran):
        if kind == "p2p":
            before = ours.get((source, destination), (0, 0))
            ours[source, destination] = (before[0] + count, before[1] + size)
    assert seen == ours, {k: (seen.get(k), ours.get(k)) for k in seen.keys() | ours.keys() if seen.get(k) != ours.get(k)}


@pytest.mark.long
def test_what_a_dying_program_has_counted_is_kept():
    """Rank 2 ends in the middle. Others that mpirun then kills have little time, so they may be missing."""
    folder = new_folder()
    for how, said in (("abort", "rank 2 called MPI_Abort(7)"), ("exit", "rank 2 exited without MPI_Finalize"), ("kill", "signal 15"),
                      ("_exit", "rank 2 exited without MPI_Finalize"), ("quick_exit", "rank 2 exited without MPI_Finalize")):
        path = folder / f"{how}.csv.gz"
        done = call("profile", "--out", path, "--", *MPIRUN, CALLS, how)
        if how == "kill" and "no process has written anything" in done.stderr:
            continue  # mpirun gave the others a quarter of a second, and they were not scheduled within it
        assert done.returncode != 0 and said in done.stderr, (how, done.stderr)
        assert header(path)["complete"].startswith("no, ") and said in header(path)["complete"], header(path)
        found = rows(path)
        assert found and set(found) < set(expected_calls()), (how, found)
        assert how == "kill" or (0, "p2p", 2, 3, 4, 80, None) in found, (how, found)
    assert {p.name for p in folder.iterdir()} - {"kill.csv.gz"} == {f"{how}.csv.gz" for how in ("abort", "exit", "_exit", "quick_exit")}


def test_a_function_of_atexit_calls_finalize():
    """It runs after those that MPI_Init has given to atexit(). The profile said: exited without MPI_Finalize."""
    path = of_program(new_folder() / "x.csv", *MPIRUN, CALLS, "atexit")
    assert header(path)["complete"] == "yes" and rows(path) == expected_calls()


def test_of_two_programs_at_once_the_first_is_profiled():
    """The last to end replaced the profile of the first, without a word."""
    path, both = new_folder() / "x.csv", '"$@" & "$@"; wait'
    done = call("profile", "--out", path, "--", "sh", "-c", both, "sh", *MPIRUN, CALLS)
    assert done.returncode == 0 and done.stderr.count("is of an MPI program that began earlier") == 1, done
    assert header(path)["complete"] == "yes" and rows(path) == expected_calls()
    assert [*path.parent.iterdir()] == [path]


def test_a_program_that_survives_a_death_survives_it_profiled():
    """It leaves MPI_COMM_WORLD with the handler that ends it, and never uses it again. What the survivors counted is kept."""
    command = (*MPIRUN[:3], "--with-ft", "ulfm", *MPIRUN[3:], HELPERS / "mpi" / "survives")
    plain = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=70)
    path = new_folder() / "survivors.csv"
    profiled = call("profile", "--out", path, "--", *command)
    for done in (plain, profiled):
        assert sorted(line for line in done.stdout.splitlines() if "live" in line) == [f"rank {r}: 3 live" for r in range(3)], done
    assert profiled.returncode == plain.returncode, (plain, profiled)
    assert header(path)["complete"].startswith("no, ") and "3 of 4 ranks" in header(path)["complete"], header(path)
    assert (0, "p2p", 0, 1, 1, 4, None) in rows(path), rows(path)


def test_unfinished_parts_are_removed():
    """SIGKILL can come while a process writes its part, and a process can outlive mpirun and write later."""
    folder, after = new_folder(), new_folder() / "after"
    late = f"(while [ -d \"${{ROLLBENCH_PROFILE%/*}}\" ]; do sleep 0.05; done; touch \"$ROLLBENCH_PROFILE.rank-1\"; touch {after}) >/dev/null 2>&1 &"
    done = call("profile", "--out", folder / "x.csv", "--", "sh", "-c", f"{late} touch \"$ROLLBENCH_PROFILE.rank-3.new\"; exit 5")
    assert done.returncode == 5 and "no process has written anything" in done.stderr and "was 5" in done.stderr, done.stderr
    wait_until(after.exists)
    assert not list(folder.iterdir())


def test_parts_that_cannot_be_joined_are_kept():
    folder = new_folder()
    done = call("profile", "--out", folder / "x.csv", "--", "sh", "-c", "echo broken >\"$ROLLBENCH_PROFILE.rank-3\"")
    assert done.returncode != 0 and "what was counted is in" in done.stderr, done.stderr
    (parts,) = folder.iterdir()
    assert str(parts) in done.stderr and [p.name for p in parts.iterdir()] == ["profile.rank-3"]


def test_a_library_in_a_folder_with_blanks_and_colons():
    """LD_PRELOAD is split at both: nothing was profiled, and that was said after the job."""
    folder = new_folder()
    library, out = folder / "a b:c" / "librollbench_profile.so", folder / "x.csv"
    library.parent.mkdir()
    library.symlink_to(pathlib.Path(COMMAND[0]).parent / library.name)
    env = {**os.environ, "ROLLBENCH_PROFILE_LIBRARY": "a b:c/librollbench_profile.so"}
    done = call("profile", "--out", out, "--", *MPIRUN, CALLS, "abort", env=env, cwd=folder)
    assert "profile: " in done.stderr and rows(out), done
    refuse("profile", "--out", library.parent / "x.csv", "--", "touch", folder / "ran", words=("a blank or a colon", "elsewhere"), env=env, cwd=folder)
    assert sorted(f.name for f in folder.iterdir()) == ["a b:c", "x.csv"] and [*library.parent.iterdir()] == [library]


def test_what_is_refused():
    folder = new_folder()
    good = of_kernel(folder / "good.csv", "jacobi", "--np", 8)
    (folder / "cut.csv").write_text(text_of(good)[:-30])
    (folder / "other.csv").write_text(text_of(good).replace("# iterations: 100\n", ""))
    out = ("--out", folder / "x.csv")
    refuse_all(
        ("profile", ("expected a kernel",)), ("profile", "cg", ("--out FILE is missing",)),
        ("profile", *out, "--", ("expected a command behind --",)),
        ("profile", "--out", "-", "--", "true", ("--out -",)),
        ("profile", *out, "--iterations", 3, "--", "true", ("profile of a kernel",)),
        ("profile", *out, "--", "true", ("no process has written anything",)),
        ("profile", "--out", folder / "no" / "x.csv", "--", "true", ("No such file",)),
        ("profile", "lulesh", "--np", 8, *out, ("--iterations N is missing",)),
        ("profile", "jacobi", "--iterations", 101, *out, ("jacobi has 100",)),
        ("profile", "jacobi", "--policy", "all", *out, ("--policy",)),
        ("simulate", folder / "cut.csv", ("cut.csv:", "truncated")),
        ("simulate", folder / "other.csv", ("--iterations N",)),
        ("simulate", good, "--np", 9, ("a profile of 8 ranks, but 9",)),
        ("simulate", good, "--iterations", "x", ("--iterations x", "N:PHASE")),
        ("simulate", good, "--iterations", "10:7", ("no row of phase 7",)),
        ("explain", folder / "cut.csv", "--kill", "3@38", ("truncated",)),
        ("explain", good, "--np", 9, "--kill", "3@38", ("a profile of 8 ranks, but 9",)),
        ("explain", "none.csv", "--kill", "3@38", ("none.csv", "No such file")),
        ("run", good, ("unknown kernel",)))


def test_a_profile_is_a_pattern():
    """Jacobi sends the same messages in each iteration, so that its profile divided by their number is its pattern."""
    folder = new_folder()
    path = of_kernel(folder / "jacobi.csv.gz", "jacobi", "--np", 12, "--decomp", "3x4", "--steps", 100)
    for policy in ("none", "all", "budget:30%", "teams:4"):
        plan = ("--policy", policy, "--interval", 20, "--kill", "5@33", "--json")
        told = [json.loads(call("explain", *what, *plan).stdout) for what in
                (("jacobi", "--np", 12, "--decomp", "3x4", "--steps", 100), (path,), (path, "--iterations", "100:1"))]
        assert told[0]["restarted"] == told[1]["restarted"] and told[1] == told[2], (policy, told)
        assert told[0]["active"] == told[1]["active"], (policy, told)
        # The profile has the mean size of a message, so that a budget is reached a little earlier or later.
        assert policy.startswith("budget") or told[0]["log_bytes_peak"] == told[1]["log_bytes_peak"], (policy, told)
    done = call("simulate", path, "--steps", 60, "--interval", 20, "--fail", "5@33", "--method", "global,local", "--json", "-")
    assert done.returncode == 0, done.stderr
    by_method = {run["method"]: run["iterations"]["repeated"] for run in json.loads(done.stdout)["runs"]}
    assert by_method["global"] > by_method["local"] > 0, by_method
