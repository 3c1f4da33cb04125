"""A results folder of `rollbench sweep`, read as harness/store/store.h has it: its lock and its manifest.

The manifest has the hash of every record that was written; a record of another hash is no measurement.
"""
import contextlib
import fcntl
import os

from plots.common.command import Refused
from plots.common.json_text import parse
from plots.common.manifest import Manifest, hash_of

# The file of a record, compared with the manifest. OLDER: a crash came before it was replaced.
SOUND, OLDER, UNLISTED, CHANGED, ABSENT = "sound", "older", "unlisted", "changed", "absent"


class Results:
    """Open to read, alongside other readers. Refused: not there, or being written to."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = self._lock()
        self.manifest = Manifest(folder)

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
        """(the bytes of NAME.json, None if it cannot be read; its state)."""
        try:
            with open(f"{self.folder}/{name}.json", "rb") as file:
                data = file.read()
        except OSError:
            return None, CHANGED if self.has(name) else ABSENT
        entry = self.manifest.entries.get(name)
        if entry is None:
            return data, UNLISTED
        found, before = hash_of(data), entry.get("before")
        if found == entry["xxh3"]:
            return data, SOUND
        return data, OLDER if isinstance(before, dict) and before.get("xxh3") == found else CHANGED

    def sweep(self):
        """sweep.json, if it is one; None if not."""
        with contextlib.suppress(ValueError):
            sweep = parse(self.read("sweep")[0] or b"")
            if (isinstance(sweep, dict) and isinstance(sweep.get("name"), str)
                    and isinstance(sweep.get("runs"), list)):
                return sweep
        return None
