"""Files that are written whole or not at all."""
import contextlib
import errno
import io
import os
import stat
import sys
import tempfile

from plots.common.command import Refused

TEMPORARY = ".rollbench-new."  # as base/replacement.h has it: a sweep removes what a crash left
UNSYNCED = (errno.EINVAL, errno.EROFS, errno.ENOTSUP)  # a pipe, a terminal, folders of some file systems


def put(path, content):
    """Write these bytes, or this text, to a file, as base/replacement.h does: a regular file is replaced, links are followed, and what
    is no regular file, or is the standard output of this process, is written into. Refused: nothing was replaced."""
    path, data = os.fspath(path), content.encode() if isinstance(content, str) else content
    doing = "cannot be written"
    try:
        into = stream_of(path)
        if into is None:
            replace(os.path.realpath(path), path, data)
        else:
            with open(into, "wb", closefd=not isinstance(into, int)) as file:
                doing = "writing it"
                file.write(data)
    except OSError as error:
        raise Refused(f"{path}: {doing}: {error.strerror}; nothing was replaced") from error


@contextlib.contextmanager
def text_of(path):
    """A text file to write to, which is put at the end, unless an exception ends the block."""
    out = io.StringIO(newline="")
    yield out
    put(path, out.getvalue())


def stream_of(path):
    """What is to be written into: a descriptor of this process, or the path; None: what is there is a regular file, or nothing."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    for file in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, AttributeError, ValueError):
            if os.path.samestat(found, os.fstat(file.fileno())):
                file.flush()
                return file.fileno()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return None if stat.S_ISREG(found.st_mode) else path


def replace(target, path, data):
    """target: where the links of path lead to."""
    folder, temporary, doing = os.path.dirname(target), None, "cannot be written"
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode) & 0o777 if os.path.exists(target) else 0o644
        handle, temporary = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
        with open(handle, "wb") as file:
            doing = "writing it"
            os.fchmod(handle, mode)
            file.write(data)
            file.flush()
            os.fsync(handle)
        doing = "putting it in place"
        os.replace(temporary, target)
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
    """A folder may be written to without being readable."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSYNCED:
            raise
    finally:
        os.close(handle)
