"""What tests leave behind: processes, files, shared memory. tests/run-tests asks after each test.

What lies in a test's own folder for temporary files is that test's. What lies in a place that tests share
(/dev/shm, the checkout) may be of any test that ran while it appeared: the last of them to end is told.
"""
import fcntl
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

MARK = "ROLLBENCH_TEST_MARK"  # in the environment of all that a test begins
PATIENCE = 5  # seconds for what a test has begun to end with it
SHARED_MEMORY = pathlib.Path("/dev/shm")
SEGMENT = "sm_segment."  # how names in there begin of Open MPI, where the command does not name another place
OURS = ("rollbench", SEGMENT, "mpich_")
SHARED_FOLDERS = {"MPLCONFIGDIR": "matplotlib", "ROLLBENCH_TEST_REFERENCES": "references"}


def make_base():
    """A folder for all of a run. Its name is short, since sockets have paths of at most 108 characters and the command
    keeps those of its job together only below 60 (keep_together() in harness/job/launch_job.c)."""
    base = tempfile.mkdtemp(prefix="rb")
    os.chmod(base, 0o755)  # tests try things as another user
    for path in shared_folders(base).values():
        os.mkdir(path)
    return base


def shared_folders(base):
    """{variable of the environment: folder that all tests of a run share}."""
    return {variable: f"{base}/{name}" for variable, name in SHARED_FOLDERS.items()}


def remove_base(base, keep):
    """keep: what failed tests have left stays."""
    for path in shared_folders(base).values() if keep else [base]:
        remove(path)


def remove(folder):
    """With what is mounted below it, which a test that was killed could not unmount."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounted = [line.split()[1] for line in file]
    for point in reversed(mounted):
        if point.startswith(folder + "/"):
            subprocess.run(["umount", "-l", point], check=False)
    shutil.rmtree(folder)


def begun_by(mark):
    """Pid to command line of the living processes that carry the mark, of whatever session."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(entry.name)] = line.strip()[:160]
        except OSError:  # ended meanwhile, or another user's
            continue
    return found


def lingering(mark):
    """Those who do not end within PATIENCE."""
    end = time.monotonic() + PATIENCE
    while (found := begun_by(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def listed(processes):
    return "".join(f"\n  {pid}: {line}" for pid, line in sorted(processes.items())[:20])


def files_in(folder):
    """What lies in a folder, with a word on what is in its folders."""
    found = []
    for path in sorted(pathlib.Path(folder).iterdir()):
        inside = sorted(str(p.relative_to(path)) for p in path.rglob("*")) if path.is_dir() else []
        more = f" with {', '.join(inside[:5])}{' ...' if len(inside) > 5 else ''}" if inside else ""
        found.append(f"{path.name}{more} in its folder for temporary files")
    return found


def mapped():
    """(device, inode) of the files that some process has in its memory. Paths do not compare: a process in another root
    file system or mount namespace, such as a user's other job, has other paths for the same files."""
    found = set()
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            with open(entry / "maps", encoding="utf-8", errors="replace") as file:
                lines = [line.split(maxsplit=5) for line in file]
        except OSError:
            continue
        for words in lines:
            major, minor = words[3].split(":")
            found.add((os.makedev(int(major, 16), int(minor, 16)), int(words[4])))
    return found


def identity(path):
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def locked(path):
    """Does a living command hold this folder of shared memory (harness/job/scratch.c)?"""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(fd)


def shared_memory():
    """What of ours is in shared memory."""
    return {path for path in SHARED_MEMORY.iterdir() if path.name.startswith(OURS)} if SHARED_MEMORY.is_dir() else set()


def is_of_another_job(environment):
    """Of a process of MPI that no test of this process has begun."""
    return any(one.startswith(b"PMIX_NAMESPACE=") for one in environment) and \
        not any(one.startswith(f"{MARK}={os.getpid()}.".encode()) for one in environment)


def other_jobs():
    """Is there a job of MPI beside the tests? It has segments, too, which no process has in its memory before it has started
    and while it ends; this can take long on a busy machine."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if is_of_another_job((entry / "environ").read_bytes().split(b"\0")):
                return True
        except OSError:
            continue
    return False


def checkout(root):
    """All files of the checkout but those of git and of the build."""
    found = set()
    for where, folders, files in os.walk(root):
        if pathlib.Path(where) == root:
            folders[:] = [name for name in folders if name not in (".git", "build")]
        found |= {pathlib.Path(where, name) for name in files}
    return found


def unused(paths):
    """Those that no process uses. One that was made just now may not be locked yet. Segments may be of another job."""
    paths = {p for p in paths if p.exists() and not locked(p)}
    if not paths:
        return paths
    time.sleep(0.1)
    maps = mapped()
    paths = {p for p in paths if p.exists() and not locked(p) and identity(p) not in maps}
    segments = {p for p in paths if p.name.startswith(SEGMENT)}
    return paths - segments if segments and other_jobs() else paths


class Shared:
    """What is new in the places that tests share. Not for several threads at once."""

    def __init__(self, root):
        self.root, self.before = root, shared_memory() | checkout(root)
        self.running, self.suspects = set(), {}  # names of tests; path: who ran when it was noticed

    def look(self):
        """Note what has appeared since the last look, and who may have made it."""
        found = (checkout(self.root) - self.before) | unused(shared_memory() - self.before)
        self.suspects = {path: self.suspects.get(path, frozenset(self.running)) for path in found}

    def begin(self, name):
        self.look()
        self.running.add(name)

    def end(self, name):
        """What this test has left behind, in words; or what others may have left that have ended already."""
        self.look()
        self.running.remove(name)
        told = []
        for path, suspects in sorted(self.suspects.items()):
            if name in suspects and not suspects & self.running:
                told.append(str(path) + (f" (one of {', '.join(sorted(suspects))})" if len(suspects) > 1 else ""))
                self.before.add(path)
        return told
