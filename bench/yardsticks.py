"""What checkpoints are held against: the same bytes from as many processes at once, written and
synced as a plain file, or copied in memory."""
import ctypes
import multiprocessing
import os
import pathlib
import subprocess
import tempfile
import time

from plots.common.stats import median

TIMES = 5
COPY_AT_LEAST = 64 << 20  # bytes copied between two looks at the clock


def folder():
    """Where run folders are made."""
    return os.environ.get("TMPDIR") or "/tmp"


def file_system():
    """Of the run folders, as `stat` calls it."""
    return subprocess.run(["stat", "-f", "-c", "%T", folder()], capture_output=True, text=True, check=True).stdout.strip()


def _write(path, data):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    at = memoryview(data)
    while at:
        at = at[os.write(fd, at):]
    os.fsync(fd)
    os.close(fd)


def _writer(me, size, where, barrier, results):
    data = os.urandom(min(size, 1 << 20)) * (size // (1 << 20) + 1)
    data = data[:size]
    for i in range(TIMES):
        path = pathlib.Path(where) / f"{me}.{i}"
        barrier.wait()
        begin = time.monotonic()
        _write(path, data)
        results.put((i, begin, time.monotonic(), 1))
        barrier.wait()
        path.unlink()  # not within what is timed, as with checkpoints of two generations ago


def _copier(_me, size, _where, barrier, results):
    source, target = (ctypes.create_string_buffer(size) for _ in range(2))
    ctypes.memset(source, 1, size)
    ctypes.memset(target, 2, size)
    copies = COPY_AT_LEAST // size + 1
    for i in range(TIMES):
        barrier.wait()
        begin = time.monotonic()
        for _ in range(copies):
            ctypes.memmove(target, source, size)
        results.put((i, begin, time.monotonic(), copies))


def _at_once(work, np, size):
    """Median seconds from when the first process begins until the last has done."""
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(np), context.Queue()
    with tempfile.TemporaryDirectory(prefix="rollbench.", dir=folder()) as where:
        team = [context.Process(target=work, args=(r, size, where, barrier, results), daemon=True)
                for r in range(np)]
        for one in team:
            one.start()
        found = [results.get(timeout=120) for _ in range(np * TIMES)]
        for one in team:
            one.join()
    took = [(max(end for i, _, end, _ in found if i == n) -
             min(begin for i, begin, _, _ in found if i == n)) for n in range(TIMES)]
    return median(took) / found[0][3]


def write_and_sync(np, size):
    return _at_once(_writer, np, size)


def copy(np, size):
    return _at_once(_copier, np, size)
