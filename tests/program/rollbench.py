"""What the whole-program tests share: run the command, read its record, look for orphans."""
import concurrent.futures
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

import pytest

import isolation
import schema

ROOT = pathlib.Path(__file__).resolve().parents[2]

COMMAND = [str(ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "rollbench")]
HELPERS = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "tests"  # programs beside the unit tests

EXIT = {"ok": 0, "wrong": 1, "usage": 2, "hang": 3, "abort": 4, "out-of-spares": 5}
FOLDERS = []  # made by new_folder()
OF_RUNS = ("rollbench-*", "prterun.*", "ompi.*")  # what no run may leave in any folder


def new_folder():
    """An empty folder, removed when the test ends. Its name is short, since it contains sockets."""
    FOLDERS.append(pathlib.Path(tempfile.mkdtemp(prefix="t")))
    return FOLDERS[-1]


def call(*args, timeout=110, **kwargs):
    """Run rollbench; returns the completed process with text output. Records that it writes must follow the schema."""
    args = [*map(str, args)]
    before = schema.written_by(args)
    done = subprocess.run([*COMMAND, *args], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=timeout, **kwargs)
    schema.check_call(args, before, done.stdout)
    return done


def cpu_limit(seconds):
    """For preexec_fn: a program that computes for longer dies of SIGXCPU. Wall time would measure the machine's load."""
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def run(*args, expect="ok", timeout=110, **kwargs):
    """Run `rollbench run ARGS --json -`; returns the record after checking the exit status. A run in which a repair did
    not close has failed, although the job was started again."""
    done = call("run", *args, "--json", "-", timeout=timeout, **kwargs)
    assert done.returncode == EXIT[expect], (
        f"{args}: exit {done.returncode}, expected {EXIT[expect]} ({expect})\n"
        f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    record = json.loads(done.stdout)
    assert record["status"] == expect, record["status"]
    assert record["escalations"] == 0, record["escalated"]
    record["_stderr"] = done.stderr
    return record


@functools.cache
def fingerprint():
    """A hash of the program and of all else that a failure-free run depends on."""
    asked = {k: v for k, v in os.environ.items() if k.startswith("ROLLBENCH_") and "_TEST_" not in k}
    programs = b"".join(pathlib.Path(COMMAND[0] + end).read_bytes() for end in ("", "_worker"))
    return hashlib.sha256(programs + json.dumps(asked, sort_keys=True).encode()).hexdigest()


@functools.cache
def reference(*args):
    """The final state of a failure-free run with these arguments. All tests of a run share
    it: the first that needs it makes it, the others wait."""
    place = os.environ.get("ROLLBENCH_TEST_REFERENCES")
    if not place:
        return run(*args)["state_hash"]
    name = hashlib.sha256(json.dumps([fingerprint(), *map(str, args)]).encode()).hexdigest()
    path = pathlib.Path(place, name)
    with open(path.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.with_suffix(".new").write_text(run(*args)["state_hash"], encoding="utf-8")
            path.with_suffix(".new").rename(path)
    return path.read_text(encoding="utf-8")


def kill_options(kills):
    """A plan as options of the command."""
    return [word for text in kills for word in ("--kill", text)]


def refuse(*args, words=(), **kwargs):
    """The command must refuse its input: exit 2, a message with these words, nothing on stdout."""
    done = call(*args, **kwargs)
    assert done.returncode == 2, f"{args}: exit {done.returncode}\n{done.stderr}"
    for word in words:
        assert str(word) in done.stderr, f"{args}: no '{word}' in: {done.stderr}"
    assert done.stdout == "", done.stdout
    return done.stderr


def side_by_side(check, cases):
    """check(*case) of all cases, several at once; none may start MPI. The first failure is reported."""
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        for one in [pool.submit(check, *case) for case in cases]:
            one.result()


def refuse_all(*cases):
    """Each case: the arguments, then a tuple of words that the message must have."""
    assert cases
    side_by_side(lambda *case: refuse(*case[:-1], words=case[-1]), cases)


def wait_until(condition, seconds=60, nap=0.005):
    """Returns what the condition returns, once it is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(nap)
    return found


def door(path):
    """A pipe from which another process reads what it waits for. Both ends are open, so that nobody waits for the other one to open it."""
    os.mkfifo(path)
    return open(path, "r+b", buffering=0)


def descendants_named(needle):
    """Pids of processes whose command line contains needle (a run folder, say)."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(needle) in line:
            found.append((int(entry.name), line))
    return found


def mpirun_of(work):
    """Pid of the mpirun of the run whose folder is below that folder."""
    return next(pid for pid, line in descendants_named(work) if line.split()[0].rpartition("/")[2] in ("mpirun", "prterun"))


def enter_namespace():
    """Give this test its own mounts; users other than root need user namespaces for this."""
    try:
        isolation.own_mounts(0, 0)
    except PermissionError as refusal:
        pytest.skip(f"no mounts of its own ({refusal}): run it as root, or allow user namespaces")
    isolation.keep_mounts_here()


def ranks(work):
    """{rank: pid} of the processes of the job whose run folder is in that folder; and their command."""
    found = {}
    for pid, line in descendants_named(f"worker {work}"):
        try:
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        found |= {int(v.partition(b"=")[2]): pid for v in environment if v.startswith(b"PMIX_RANK=")}
    return found


def left_in(folders):
    """What runs have left in these folders, except the log of a job that did not start."""
    return [str(path) for folder in folders for pattern in OF_RUNS for path in folder.rglob(pattern) if path.suffix != ".log"]


def remove_folders():
    """Those of new_folder()."""
    for path in filter(pathlib.Path.exists, FOLDERS):
        shutil.rmtree(path)
    FOLDERS.clear()
