"""Where the rollbench program is, for scripts that ask it something, and the Python that a script runs in."""
import importlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # a checkout, or PREFIX/share/rollbench
OTHER = "/usr/bin/python3"  # the distribution's, where a user's own lacks a module


def program():
    """The one that became this script, or that was built, or the command of the checkout or installation."""
    asked = os.environ.get("ROLLBENCH_PROGRAM")
    if asked:
        return asked
    built = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "rollbench"
    return str(built if built.exists() else ROOT / "rollbench")


def ask(*words, timeout=None):
    """(what the command says as JSON, ""), or (None, why it refuses)."""
    done = subprocess.run([program(), *words, "--json"], capture_output=True, text=True, timeout=timeout, check=False)
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr.strip())


def need(module, refuse=sys.exit):
    """Return if this Python has the module; else start again with the one that may."""
    try:
        importlib.import_module(module)
    except ImportError:
        if os.path.realpath(sys.executable) == os.path.realpath(OTHER) or not os.path.exists(OTHER):
            refuse(f"no python3 here has {module}; install python3-{module} (configs/packages.txt)")
        os.execv(OTHER, [OTHER, *sys.argv])
