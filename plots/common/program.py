"""Where the checkout and the program are, and the Python that a script runs in."""
import importlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # a checkout, or PREFIX/share/rollbench
OTHER = "/usr/bin/python3"  # the distribution's, where a user's own lacks a module


def program():
    """The one that runs the command, or that was built, or the command of the checkout or installation; for scripts/ and bench/."""
    asked = os.environ.get("ROLLBENCH_PROGRAM")
    if asked:
        return asked
    built = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "rollbench"
    return str(built if built.exists() else ROOT / "rollbench")


def need(module, refuse=sys.exit):
    """Return if this Python has the module; else start again with the one that may, or refuse if there is none."""
    try:
        importlib.import_module(module)
    except ImportError:
        if os.path.realpath(sys.executable) == os.path.realpath(OTHER) or not os.path.exists(OTHER):
            refuse(f"no python3 here has {module}; install python3-{module} (configs/packages.txt)")
            return  # the caller can do without it
        os.execv(OTHER, [OTHER, *sys.argv])
