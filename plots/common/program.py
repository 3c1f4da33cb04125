"""Where the rollbench program is, for scripts that ask it something."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]  # a checkout, or PREFIX/share/rollbench


def program():
    """The one that became this script, or that was built, or the command of the checkout or installation."""
    asked = os.environ.get("ROLLBENCH_PROGRAM")
    if asked:
        return asked
    built = ROOT / os.environ.get("ROLLBENCH_BIN_DIR", "build") / "rollbench"
    return str(built if built.exists() else ROOT / "rollbench")
