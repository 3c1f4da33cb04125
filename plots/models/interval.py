#!/usr/bin/env python3
"""What `rollbench interval --simulate` becomes.

usage: interval.py --simulate PATTERN|FILE.yaml [OPTION ...], checked by `rollbench simulate` (interval_simulated.py)
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command
from plots.models import interval_simulated

if __name__ == "__main__":
    command.run("interval", interval_simulated.main)
