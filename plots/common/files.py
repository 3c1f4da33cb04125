"""Files that are there whole or not at all."""
import contextlib
import os
import tempfile

TEMPORARY = ".rollbench-new."  # as harness/record/record.h has it: a sweep removes what a crash left


def put(path, content):
    """Write and sync these bytes beside path, then put them in its place. OSError: nothing was replaced."""
    folder = os.path.dirname(path)
    handle, temporary = tempfile.mkstemp(prefix=TEMPORARY, dir=folder or ".")
    try:
        with open(handle, "wb") as file:
            os.fchmod(handle, 0o644)
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync(folder or ".")


def sync(folder):
    """Some file systems cannot sync a folder, and one may be written to without being readable."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
