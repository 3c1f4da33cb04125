"""Files that are there whole or not at all."""
import contextlib
import errno
import os
import tempfile

from plots.common.command import Refused

TEMPORARY = ".rollbench-new."  # as harness/record/record.h has it: a sweep removes what a crash left


def put(path, content, between=None):
    """Write and sync these bytes beside path, then put them in its place. Refused: nothing was replaced.

    between: called when they are written, before they are in place.
    """
    folder, temporary, doing = os.path.dirname(path) or ".", None, "cannot be written"
    try:
        handle, temporary = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
        with open(handle, "wb") as file:
            doing = "writing it"
            os.fchmod(handle, 0o644)
            file.write(content)
            file.flush()
            os.fsync(handle)
        if between:
            between()
        doing = "putting it in place"
        os.replace(temporary, path)
    except OSError as error:
        raise Refused(f"{path}: {doing}: {error.strerror}; nothing was replaced") from error
    finally:
        if temporary:  # not there any more, if it was put in place
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    try:
        sync(folder)
    except OSError as error:
        raise Refused(f"{path}: it is there, but its folder cannot be synced: {error.strerror}") from error


def sync(folder):
    """A folder may be written to without being readable, and some file systems cannot sync one (EINVAL)."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)
