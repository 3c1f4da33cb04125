"""What tests leave behind: processes, files, shared memory. forked.py asks after each test."""
import contextlib
import os
import pathlib
import shutil
import tempfile
import time

import isolation

MARK = "ROLLBENCH_TEST_MARK"  # in the environment of all that a test begins
PATIENCE = 5  # seconds for what a test has begun to end with it
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
        shutil.rmtree(path)


def is_of(pid, mark, session):
    """Does this process carry the mark, of whatever session it is, or is it of this session? A process that was only forked
    shows the environment of the one that it was forked from. The leader is of its session before it has begun it."""
    with contextlib.suppress(OSError):  # ended meanwhile, or another user's
        return session in (pid, os.getsid(pid)) or f"{MARK}={mark}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def begun_by(mark, session):
    """Pid to command line of the living processes of a test."""
    found = {}
    for pid in (int(entry.name) for entry in pathlib.Path("/proc").glob("[0-9]*")):
        if is_of(pid, mark, session):
            with contextlib.suppress(OSError):
                line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if line:  # it has ended otherwise, and is only not waited for yet
                    found[pid] = line.strip()[:160]
    return found


def mapped(pid):
    """The files that a process has in its memory."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
        lines = [line.split(maxsplit=5) for line in file]
        return {pathlib.Path(words[5].rstrip("\n")) for words in lines if len(words) == 6}
    return set()


def lingering(mark, session):
    """Those who do not end within PATIENCE."""
    end = time.monotonic() + PATIENCE
    while (found := begun_by(mark, session)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def listed(processes):
    return "".join(f"\n  {pid}: {line}" for pid, line in sorted(processes.items())[:20])


def files_in(folder, where):
    """What lies in a folder, with a word on what is in its folders."""
    found = []
    for path in sorted(pathlib.Path(folder).iterdir()):
        inside = sorted(str(p.relative_to(path)) for p in path.rglob("*")) if path.is_dir() else []
        more = f" with {', '.join(inside[:5])}{' ...' if len(inside) > 5 else ''}" if inside else ""
        found.append(f"{path.name}{more} in {where}")
    return found


class Watch:
    """Of shared memory, where tests are not isolated: a look now and then tells what the processes of a test have mapped.
    It misses what is never mapped, or only between two looks; but what another job has made is never taken for a test's."""

    def __init__(self, folder=isolation.SHARED_MEMORY):
        self.folder, self.seen = pathlib.Path(folder), set()

    def look(self, processes):
        for pid in processes:
            for path in mapped(pid):
                if path.is_relative_to(self.folder):
                    self.seen.add(self.folder / path.relative_to(self.folder).parts[0])

    def left(self):
        """What is still there when the test has ended, in words."""
        return [str(path) for path in sorted(self.seen) if path.exists()]
