"""The Python that a script runs in."""
import importlib
import os
import sys

OTHER = "/usr/bin/python3"  # the distribution's, where a user's own lacks a module


def need(module, refuse=sys.exit):
    """Return if this Python has the module; else start again with the one that may."""
    try:
        importlib.import_module(module)
    except ImportError:
        if os.path.realpath(sys.executable) == os.path.realpath(OTHER) or not os.path.exists(OTHER):
            refuse(f"no python3 here has {module}; install python3-{module} (configs/packages.txt)")
        os.execv(OTHER, [OTHER, *sys.argv])
