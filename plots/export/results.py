"""A results folder of `rollbench sweep`, to read: its lock, its manifest and its records (harness/store/store.h).

The manifest has the hash of every record that was written; a record of another hash is no measurement.
"""
import contextlib
import fcntl
import os
import re

from plots.common.command import Refused
from plots.common.json_text import parse


def hash_of(data):
    """XXH3-128 as `xxhsum -H2` prints it."""
    import xxhash  # which main() looks for before there is anything to hash
    return xxhash.xxh3_128_hexdigest(data)


def _comment(line):
    """What the manifest says of the file in the next line: {"before": {"xxh3": hash of what it replaced}, ...}."""
    with contextlib.suppress(ValueError):
        said = parse(line[2:])
        return said if isinstance(said, dict) else {}
    return {}


def _hashes(text):
    """{name of a record: hashes of the bytes that its file may have}. A line that is torn or damaged says nothing."""
    found, comment = {}, {}
    for line in text.split(b"\n")[:-1]:
        if line.startswith(b"#"):
            comment = _comment(line)
            continue
        entry = re.fullmatch(rb"([0-9a-f]{32})  (.+)\.json", line)
        if entry:
            name, before = entry[2].decode(errors="surrogateescape"), comment.get("before")
            replaced = found[name][0] if name in found else before.get("xxh3") if isinstance(before, dict) else None
            found[name] = (entry[1].decode(), replaced)
        comment = {}
    return found


class Results:
    """Open to read, alongside other readers. Refused: not there, or being written to."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = self._lock()
        try:
            with open(f"{folder}/manifest", "rb") as file:
                self.hashes = _hashes(file.read())
        except FileNotFoundError:
            self.hashes = {}
        except OSError as error:
            raise Refused(f"{folder}/manifest: {error.strerror}") from error

    def _lock(self):
        """Kept until this process ends. If there is no lock file, no process is writing."""
        try:
            os.stat(self.folder)
        except OSError as error:
            raise Refused(f"{self.folder}: {error.strerror}") from error
        if not os.path.isdir(self.folder):
            raise Refused(f"{self.folder}: not a folder; expected a folder of results")
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
        """The bytes of NAME.json; None if they cannot be read, or are not those that were written: the record that was to
        be replaced when a crash came counts, and one that the manifest does not have."""
        try:
            with open(f"{self.folder}/{name}.json", "rb") as file:
                data = file.read()
        except OSError:
            return None
        return data if name not in self.hashes or hash_of(data) in self.hashes[name] else None

    def sweep(self):
        """sweep.json, if it is one; None if not."""
        with contextlib.suppress(ValueError):
            sweep = parse(self.read("sweep") or b"")
            if (isinstance(sweep, dict) and isinstance(sweep.get("name"), str)
                    and isinstance(sweep.get("runs"), list)):
                return sweep
        return None
