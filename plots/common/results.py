"""A results folder of `rollbench sweep`, read as harness/store/store.h has it: its lock and its manifest.

The manifest has the hash of every record that was written; a record of another hash is no measurement.
"""
import contextlib
import ctypes
import fcntl
import os
import re

from plots.common.command import Refused
from plots.common.json_text import parse


class _Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def hash_of(data):
    """XXH3-128 as `xxhsum -H2` prints it, by the library that the rollbench program has it from."""
    try:
        library = ctypes.CDLL("libxxhash.so.0")
    except OSError as error:
        raise Refused(f"{error}; install libxxhash-dev (configs/packages.txt)") from error
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.XXH3_128bits.restype = _Hash
    found = library.XXH3_128bits(data, len(data))
    return f"{found.high:016x}{found.low:016x}"


def _object(text):
    """The JSON object in these bytes; empty if they are none."""
    with contextlib.suppress(ValueError):
        value = parse(text)
        return value if isinstance(value, dict) else {}
    return {}


def _entry(line, comment):
    """(name of a record, hash of its file, that of the one it replaced or None) of a line; None: it is none.

    A line is `HASH  NAME.json`, and the comment in front of it an object; until November 2026 it was
    `CHECKSUM {"id": NAME, "xxh3": HASH ...}`.
    """
    match = re.fullmatch(rb"([0-9a-f]{32})  (.*)\.json", line)
    if match:
        before = comment.get("before")
        return match[2].decode(errors="surrogateescape"), match[1].decode(), \
            before.get("xxh3") if isinstance(before, dict) else None
    checksum, _, text = line.partition(b" ")
    entry = _object(text)
    name, last = entry.get("id"), entry.get("xxh3")
    if hash_of(text).encode() == checksum and isinstance(name, str) and isinstance(last, str):
        return name, last, None
    return None


def _manifest(path):
    """{name: its hash and that of the one before it}; a last line without its end does not count."""
    found, comment = {}, {}
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return found
    for line in lines:
        entry = None if line.startswith(b"#") else _entry(line, comment)
        comment = _object(line[2:]) if line.startswith(b"#") else {}
        if entry:
            name, last, before = entry
            found[name] = [last, found[name][0] if name in found else before]
    return found


class Results:
    """Open to read, alongside other readers. Refused: not there, or being written to."""

    def __init__(self, folder):
        self.folder = folder
        try:
            os.stat(folder)
        except OSError as error:
            raise Refused(f"{folder}: {error.strerror}") from error
        if not os.path.isdir(folder):
            raise Refused(f"{folder}: not a folder; expected a folder of results")
        self.lock = self._lock()
        try:
            self.manifest = _manifest(f"{folder}/manifest")
        except OSError as error:
            raise Refused(f"{folder}/manifest: {error.strerror}") from error

    def _lock(self):
        """Kept until this process ends; without the file nobody is writing."""
        try:
            lock = os.open(f"{self.folder}/.lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            raise Refused(f"{self.folder}: it is being written to; try again when that is done") from error
        return lock

    def has(self, name):
        return os.access(f"{self.folder}/{name}.json", os.F_OK)

    def read(self, name):
        """(the bytes of NAME.json, None if it cannot be read; whether it is the file that was written).

        That of the line before counts, too: a crash came before its successor was in place. The second is
        None if the manifest does not know the file.
        """
        try:
            with open(f"{self.folder}/{name}.json", "rb") as file:
                data = file.read()
        except OSError:
            return None, False
        hashes = self.manifest.get(name)
        return data, hash_of(data) in hashes if hashes else None

    def sweep(self):
        """sweep.json, if it is one; None if not."""
        with contextlib.suppress(ValueError):
            sweep = parse(self.read("sweep")[0] or b"")
            if (isinstance(sweep, dict) and isinstance(sweep.get("name"), str)
                    and isinstance(sweep.get("runs"), list)):
                return sweep
        return None
