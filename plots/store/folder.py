"""A results folder that is open for writing, as a sweep opens it (harness/store/store.h)."""
import fcntl
import os
import time

from plots.common import files
from plots.common.command import Refused
from plots.common.manifest import hash_of
from plots.common.results import Results

CONFLICTS = "conflicts"  # in it: the second of two different records of one run
PATIENCE_S = 10  # so long a process that wants to write waits for readers


class Target(Results):
    """Made if necessary, and locked. What a crash left in it is removed."""

    def __init__(self, folder):
        super().__init__(folder)
        for part in ("", CONFLICTS, "replaced"):
            place = os.path.join(folder, part)
            for name in os.listdir(place) if os.path.isdir(place) else ():
                if name.startswith(files.TEMPORARY):
                    os.unlink(os.path.join(place, name))

    def _lock(self):
        try:
            os.makedirs(self.folder, exist_ok=True)
            lock = os.open(f"{self.folder}/.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise Refused(f"results folder {self.folder}: {error.strerror}") from error
        end = time.monotonic() + PATIENCE_S
        while not _locked(lock, fcntl.LOCK_EX):
            if not _locked(lock, fcntl.LOCK_SH):  # readers can share the lock, so a writer has it
                raise Refused(f"results folder {self.folder}: in use: a sweep or a merge is writing to it")
            fcntl.flock(lock, fcntl.LOCK_UN)
            if time.monotonic() > end:
                raise Refused(f"results folder {self.folder}: in use: it has been read for {PATIENCE_S} s; try again "
                              "when that is done")
            time.sleep(0.02)
        return lock

    def is_new(self):
        """It may contain what a writer left that was killed before sweep.json was in place."""
        return not set(self.manifest.entries) - {"sweep"} and not self.manifest.damaged and not self.has("sweep")

    def put(self, name, data, entry):
        """Write NAME.json. Its entry is written first, so that the manifest knows every record that is in place."""
        entry = {**entry, "xxh3": hash_of(data)}
        files.put(f"{self.folder}/{name}.json", data, between=lambda: self.manifest.add(name, entry))

    def keep(self, name, data):
        """Keep other bytes of a record. If they are kept again, it is the same file."""
        folder = f"{self.folder}/{CONFLICTS}"
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise Refused(f"{folder}: {error.strerror}") from error
        files.put(f"{folder}/{name}~{hash_of(data)[:8]}.json", data)

    def set_aside(self, name):
        """(the path of a record, the one that it has from now on)."""
        path = f"{self.folder}/{name}.json"
        try:
            os.rename(path, f"{path}.changed")
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from error
        return path, f"{path}.changed"


def _locked(lock, how):
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
