"""A mount namespace for each test, in which /dev/shm is empty and the checkout cannot be written.

What lies in this /dev/shm when the test has ended was left there by the test: no other job of the machine sees it.
Root may make such namespaces, and so may a user who may make user namespaces.
"""
import contextlib
import ctypes
import os
import pathlib

SHARED_MEMORY = "/dev/shm"
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000  # <sched.h>
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096  # <sys/mount.h>
MS_REC, MS_PRIVATE = 1 << 14, 1 << 18


def system(name, *arguments):
    """A system call by its C function. Raises OSError."""
    if getattr(LIBC, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(source, target, kind, flags):
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    system("mount", *words, ctypes.c_ulong(flags), None)


def bind(source, target):
    mount(source, target, None, MS_BIND | MS_REC)


def set_writable(path, writable):
    """Of the mount point. A user may not take away the other flags that it has from its host."""
    kept = os.statvfs(path).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC)
    mount(None, path, None, MS_REMOUNT | MS_BIND | kept | (0 if writable else MS_RDONLY))


def own_mounts(user=None, group=None):
    """A mount namespace for this process and all that it begins. A process that may not make one needs a user namespace for it,
    which it gets if it is one thread; it is this user there, without one the same as before."""
    outside = os.getuid(), os.getgid()
    try:
        system("unshare", CLONE_NEWNS)
        return
    except PermissionError:
        system("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    inside = outside if user is None else (user, group)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{inside[0]} {outside[0]} 1"),
                       ("gid_map", f"{inside[1]} {outside[1]} 1")):
        pathlib.Path("/proc/self", name).write_text(text, encoding="utf-8")


def mount_points():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return [line.split()[4].encode().decode("unicode_escape") for line in file]


def keep_mounts_here(*paths):
    """What is mounted from now on does not show in other namespaces. Raises OSError if that cannot be for these paths:
    in a chroot, the mount that has "/" cannot be named."""
    points = mount_points()
    for path in paths:
        if not any(pathlib.PurePath(path).is_relative_to(point) for point in points):
            raise OSError(f"{path} lies on a mount outside this chroot")
    for point in points:
        with contextlib.suppress(OSError):  # it cannot be reached, or another one lies on it
            mount(None, point, None, MS_PRIVATE)


def begin(checkout):
    """For the process that begins the tests, as long as it is one thread: its own /dev/shm, from which each test gets a
    folder. It vanishes with the last process in it. Raises OSError where the machine does not permit it."""
    own_mounts()
    keep_mounts_here(SHARED_MEMORY, checkout)
    mount("tests", SHARED_MEMORY, "tmpfs", MS_NOSUID | MS_NODEV)


def memory_for(number):
    """The shared memory of a test, empty. Whoever may use /dev/shm may use it."""
    folder = f"{SHARED_MEMORY}/{number}"
    os.mkdir(folder)
    os.chmod(folder, 0o1777)
    return folder


def enter(memory, checkout, writable):
    """For a process that becomes a test. memory is of memory_for(); of the checkout, only the folders writable can be
    written."""
    own_mounts()
    bind(memory, SHARED_MEMORY)
    bind(checkout, checkout)
    set_writable(checkout, False)
    for folder in writable:
        bind(folder, folder)
        set_writable(folder, True)
    os.chdir(checkout)  # anew: so far, the folder of this process is that of before
