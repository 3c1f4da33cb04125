"""Starting plain MPI programs under libelc, killing them, and reading what they print. Not a test."""
import itertools
import os
import pathlib
import random
import re
import signal
import subprocess

from rollbench import HELPERS, new_folder, wait_until

# Programs are named by their path, or by their name in one of the first two folders.
PROGRAMS = HELPERS / "elc"  # small ones for tests
PAPERS = HELPERS.parent / "elc" / "programs"  # the paper's four
MPICH = HELPERS.parent.with_name(HELPERS.parent.name + "-mpich")  # all of them with another MPI (make elc-mpich)
MOMENTS = ("cut", "saved", "asking", "asked", "requested", "identified", "complete", "reported", "committed", "announcing", "known")
OF_RANK_0 = ("reported", "committed", "announcing")
# Processes that wait let others run: these jobs often have more processes than cores.
MPIRUN = ("mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,sm")


# MPICH's mpiexec would leave a copy of the machine's topology in a folder for temporary files when a job is aborted.
MPIEXEC = ("env", f"HWLOC_XMLFILE={os.devnull}", "mpiexec.mpich")
# Runs of the paper's programs that are just long enough for their lines: arguments, numbers of processes.
SMALL = {
    "gauss_jordan": (("--size", 800, "--lines", 6), (2, 3)),
    "matmul": (("--size", 640, "--columns", 2, "--lines", 6), (2, 4)),
    "neurons": (("--size", 24, "--steps", 1200, "--lines", 6), (2, 3)),
    "disks": (("--size", 24, "--sweeps", 200, "--lines", 6), (2, 4)),
}

# Functions of MPI that move no message, or that only work on what another function, which is refused, has made.
LOCAL = re.compile(
    r"MPI_(T_|Type_|Group_|Info_|Op_|Error|Errhandler|Get_|Keyval|Attr_|Cart_(coords|get|rank|shift|map)|Cartdim|Dims|Graph_(get|map|neigh)|Graphdims|"
    r"Status|Add_error|Remove_error|Wtime|Wtick|Pack|Unpack|Alloc_mem|Free_mem|Address|Initialized|Finalized|Query_thread|Is_thread_main|Pcontrol|"
    r"Abort|Buffer_flush$|Topo_test|Aint_|Reduce_local|Grequest_complete|Dist_graph_neigh|Comm_(get|set|rank|size|group|compare|test_inter|remote|"
    r"create_keyval|free_keyval|delete_attr|call_errhandler|create_errhandler|c2f|f2c|flush_buffer)|"
    r"Win_(?!create$|create_c$|create_dynamic|allocate)|File_(?!open)|(Request|Message|Session|Win|File)_(c2f|f2c|fromint|toint)|"
    r"(Accumulate|Get|Put|Raccumulate|Rget|Rput|Rget_accumulate|Compare_and_swap|Fetch_and_op|Pready|Parrived|Test_cancelled)|"
    r"Session_(?!init)|(Close|Open)_port|(Lookup|Publish|Unpublish)_name|Register_datarep)")


def command(np, program, *args):
    start = MPIEXEC if MPICH in pathlib.Path(program).parents else MPIRUN
    return ["timeout", "60", *start, "-n", str(np), str(program), *map(str, args)]


def mpirun(np, program, *args, **environment):
    """The completed process; it must not run into its deadline."""
    done = subprocess.run(command(np, program, *args), env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode != 124, f"{program} {args} {environment}: no end\n{done.stdout}\n{done.stderr}"
    return done


def killed(np, program, *args, **environment):
    """A run that may be killed: was it? It must not end for another reason. MPICH's mpiexec sometimes exits with 0 after a death.

    Files are written within two safe points of each process. While they are written beside the computation, they may take longer than
    the program does to its end, and then the moment of the kill never comes."""
    done = mpirun(np, program, *args, **{"ELC_TEST_LATE": "1", **environment})
    assert "elc:" not in done.stderr and "unable to launch" not in done.stderr, done.stderr
    return done.returncode != 0 or (MPICH in pathlib.Path(program).parents and not done.stdout)


def result(np, program, *args, **environment):
    """What a small program says at its end: (hash, line from which it was restarted)."""
    done = mpirun(np, PROGRAMS / program, *args, **environment)
    assert done.returncode == 0, f"{program} {args} {environment}: exit {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
    found = re.search(r"^result ([\w.]+) from line (\d+)$", done.stdout, re.M)
    assert found, done.stdout
    return found[1], int(found[2])


def committed(folder):
    """The numbers of the committed lines."""
    return sorted(int(path.stem.split("-")[1]) for path in folder.glob("line-*.commit"))


def newest(folder):
    """The number of the newest committed line; 0: there is none."""
    return max(committed(folder), default=0)


def play(rng, program, args, whole, np, moments, **more):
    """Lives of one job, each killed at a moment of one of the next two lines, and one that comes to the end, with this result."""
    folder = new_folder()
    environment = {"ELC_DIR": str(folder), "ELC_LOG": rng.choice(("counted", "list")), **more}
    for moment in moments:
        victim, line = 0 if moment in OF_RANK_0 else rng.randrange(np), newest(folder) + rng.choice((1, 2))
        assert killed(np, PROGRAMS / program, *args, **environment, ELC_TEST_KILL=f"{victim}:{moment}:{line}"), (program, args, np, moment, line)
    assert result(np, program, *args, **environment)[0] == whole, (program, args, np, moments, environment)
    assert list(folder.iterdir()) == []


def kill_at_every_moment(program, *args, processes=(2, 4), **more):
    """Each moment of the protocol: the result is that of the run without the library."""
    rng, whole = random.Random(19), {np: result(np, program, *args)[0] for np in processes}
    assert all(result(np, program, *args, ELC_DIR=str(new_folder()), **more)[0] == whole[np] for np in whole)
    for moment, np in itertools.product(MOMENTS, whole):
        play(rng, program, args, whole[np], np, (moment, rng.choice(MOMENTS)), **more)


def figures(np, name, *args, **environment):
    """The line that one of the paper's programs prints at its end, as a dict of text; its checks must hold."""
    return figures_of(mpirun(np, PAPERS / name, *args, **environment), name)


def figures_of(done, name):
    """The same, of a job that has ended; a kernel's job prints such a line, too."""
    found = re.search(rf"^{pathlib.Path(name).name} ((?:\w+ \S+ ?)+)$", done.stdout, re.M)
    assert done.returncode == 0 and found, f"{done.args}: exit {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
    words = found[1].split()
    line = dict(zip(words[::2], words[1::2]))
    assert line["checks"] == "ok", line
    return line


def processes_of(folder):
    """The ranks of the job whose ELC_DIR is this folder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            mine = f"ELC_DIR={folder}".encode() in (path / "environ").read_bytes().split(b"\0")
            if mine and PAPERS.parts[-2:] == pathlib.Path(os.readlink(path / "exe")).parts[-3:-1]:
                found.append(int(path.name))
        except OSError:  # it has ended
            continue
    return sorted(found)


def kill_in_line(np, name, args, folder, line, rng):
    """Start a job, and kill one of its processes from outside when it writes this line. Was it killed before its end?"""
    job = subprocess.Popen(command(np, PAPERS / name, *args), env={**os.environ, "ELC_DIR": str(folder)}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    wait_until(lambda: (folder / f"line-{line}").exists() or job.poll() is not None, nap=0.001)
    ranks = processes_of(folder)
    if ranks:
        try:
            os.kill(rng.choice(ranks), signal.SIGKILL)
        except ProcessLookupError:
            pass
    _, said = job.communicate()
    assert job.returncode != 124 and "elc:" not in said, (name, args, job.returncode, said)
    return job.returncode != 0


def die_and_go_on(rng, name, args, whole, np, victim, moment, **more):
    """One of the paper's programs is killed at this moment of a line, is started again, and comes to its end."""
    folder = new_folder()
    environment = {"ELC_DIR": str(folder), "ELC_LOG": rng.choice(("counted", "list")), **more}
    kill = f"{victim}:{moment}:{rng.randrange(1, 6)}"
    assert killed(np, PAPERS / name, *args, **environment, ELC_TEST_KILL=kill), (name, args, np, kill)
    again = figures(np, name, *args, **environment)
    assert again["hash"] == whole, (name, args, np, kill, environment, again, whole)
    assert list(folder.iterdir()) == [], "a program that has ended leaves no lines"


def defined_by(library):
    return set(re.findall(r" T (\w+)$", subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                                                       check=True).stdout, re.M))


def check_functions(mpicc, library):
    """Each function that mpi.h declares is one that libelc takes the place of, or one that moves no message."""
    header = subprocess.run([mpicc, "-E", "-P", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    declared = {name for name in re.findall(r"\b(?<!typedef )(MPI_\w+)\s*\((?!\*)", header) if name != name.upper()}
    assert len(declared) > 300, len(declared)
    ours = defined_by(library)
    missing = sorted(name for name in declared - ours if not LOCAL.match(name))
    assert not missing, missing
    assert {name for name in ours if not name.startswith(("MPI_", "mpi_"))} == {
        "elc_protect", "elc_fit", "elc_restarted", "elc_safe_point", "elc_checkpoint"}


ROUNDS = int(os.environ.get("ROLLBENCH_TEST_ELC_ROUNDS", "1"))
SEED = int(os.environ.get("ROLLBENCH_TEST_ELC_SEED", "0"))  # for campaigns


def reference(name, np):
    """The hash of a run without lines; it must also be that of a run with lines and no death."""
    args, _ = SMALL[name]
    whole = figures(np, name, *args)
    lined = figures(np, name, *args, ELC_DIR=str(new_folder()))
    assert lined["hash"] == whole["hash"] and int(lined["lines"]) > 2 and whole["lines"] == "0", (lined, whole)
    return whole["hash"]


def kill_everybody_everywhere(name, **more):
    """Each rank at each moment of a line; some moments are those of rank 0 only."""
    rng, (args, processes) = random.Random(7 + SEED), SMALL[name]
    for np in processes:
        whole = reference(name, np)
        for _, moment, victim in itertools.product(range(ROUNDS), MOMENTS, range(np)):
            if victim == 0 or moment not in OF_RANK_0:
                die_and_go_on(rng, name, args, whole, np, victim, moment, **more)
