"""Results folders with a record for each point of a file: sweep.json has their list."""
import dataclasses
import json
import pathlib
import shlex
import sys

from plots.common.command import read_json
from plots.common.runs import is_warm_up


@dataclasses.dataclass(frozen=True)
class Points:
    """A kind of such folders."""
    listing: dict  # what sweep.json has: its schema, and its kind if there are several
    record: dict  # what a record has: its schema, and its kind if there are several
    maker: str    # the command that makes them from the file
    absent: str   # what a folder is not that has no list of this kind
    wrong: str    # what a file is not that has no record of this kind

    def listed(self, folder):
        """sweep.json of the folder, or None if it is not one of this kind."""
        try:
            found = json.loads((pathlib.Path(folder) / "sweep.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if self.lists(found) else None

    def lists(self, sweep):
        """Is it a sweep.json of this kind?"""
        return isinstance(sweep, dict) and all(sweep.get(key) == value for key, value in self.listing.items())

    def has(self, record):
        """Is it a record of this kind?"""
        return isinstance(record, dict) and all(record.get(key) == value for key, value in self.record.items())

    def command(self, folder):
        """What makes the folder's records, or what of them is missing."""
        return f"{self.maker} {shlex.quote(self.listed(folder)['file'])} --results {shlex.quote(str(folder))}"

    def load(self, folder):
        """{id: record} in the order of sweep.json, without warm-ups. Ends the script if any is missing: a figure has all points or is not drawn."""
        folder, found = pathlib.Path(folder), {}
        points = self.listed(folder)
        if points is None:
            sys.exit(f"{folder}: no results of {self.absent.format(folder=folder)}; `make run-all` makes them")
        for name in (n for n in points["runs"] if not is_warm_up(n, points)):
            path = folder / f"{name}.json"
            record = read_json(path, f"make it: {self.command(folder)}")
            if not self.has(record):
                sys.exit(f"{path}: not a record of {self.wrong}; make it: {self.command(folder)}")
            found[name] = record
        return found


# Of runs under event-logging checkpoints (`rollbench run --protocol`).
ELC = Points({"schema": "rollbench-sweep-1", "kind": "elc"}, {"schema": "rollbench-run-1", "kind": "elc"}, "./rollbench sweep",
             "a sweep of runs with --protocol", "a run with --protocol")
ELC_SKIPPED = "runs with --protocol; expected the results folder of a sweep of other runs"
