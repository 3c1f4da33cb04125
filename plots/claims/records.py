"""The records of an item in a results folder: where they are, from when, and what they say cannot be measured here."""
import contextlib
import datetime
import functools
import io
import json
import os
import pathlib

from plots.common import kills, lean, runs, simulations
from plots.common.forecasts import Forecasts, NoForecast
from plots.common.points import ELC


class NotRun(Exception):
    """There are no records to judge by; its text says which."""


class NotDecidable(Exception):
    """There are records, and they cannot decide; its text says why."""


@functools.lru_cache(maxsize=4)  # claims that follow each other ask the same folder; records with traces are large
def quietly(load, path):
    """What a loader returns; NotRun if it ends the script. What it prints is for figures."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            return load(path)
    except SystemExit as error:
        raise NotRun(str(error)) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotRun(f"{path}: {error}") from error


def read_whole(path):
    return json.loads(path.read_text(encoding="utf-8"))


class Source:
    """The results folder of an item: its records by the names that plots/papers gives. A laptop and a paper profile call theirs
    differently; the first that is whole counts, else the first that is there."""

    def __init__(self, results, names):
        self.results, self.names = pathlib.Path(results), list(names)

    def path(self):
        there = [self.results / name for name in self.names if (self.results / name).exists()]
        if there:
            return next((path for path in there if is_whole(path)), there[0])
        raise NotRun(f"no {' or '.join(self.names) or 'records'} in {self.results}")

    def folder(self):
        """One with all records that its sweep.json names: half a sweep is not judged."""
        path = self.path()
        if not is_whole(path):
            done, planned = progress(path)
            raise NotRun(f"{done} of {planned} runs are in {path}; the same command goes on")
        return path

    def runs(self):
        """Records of a sweep that count, without what whole_runs() is for."""
        return quietly(lean.load, self.folder())

    def whole_runs(self):
        """The same with traces and what is measured of each role."""
        return quietly(runs.load, self.folder())

    def kills(self):
        """Of a sweep of kills under caps on the log, with its study beside it."""
        return quietly(kills.problems, self.folder())

    def lines(self):
        return list(quietly(ELC.load, self.folder()).values())

    def simulated(self):
        return list(quietly(simulations.load, self.folder()).values())

    def json(self):
        """Of a file, or of the only kind of file with several: a list."""
        return quietly(read_whole, self.path())

    def forecast(self, command):
        """What `rollbench papers forecasts` has written of a command that computes without a run."""
        try:
            return Forecasts(self.results).answer(command)
        except NoForecast as error:
            raise NotRun(str(error)) from error


def when(path):
    """The day on which the newest record of a folder, or a file, was written."""
    newest = max((one.stat().st_mtime for one in (path.glob("*.json") if path.is_dir() else [path])), default=path.stat().st_mtime)
    return datetime.datetime.fromtimestamp(newest, datetime.timezone.utc).strftime("%Y-%m-%d")


def drawings(item, results):
    """{name: paths} of the item's figures and tables, also in the folders of the paper profile."""
    top = pathlib.Path(results) / "figures"
    return {name: sorted(path for path in [*top.glob(name), *top.glob(f"*/{name}")]) for name in item["drawings"]}


def progress(path):
    """(records, as many as there will be) of a folder with a sweep.json; of a file (1, 1)."""
    if not path.is_dir():
        return 1, 1
    try:
        listed = json.loads((path / "sweep.json").read_text(encoding="utf-8"))["runs"]
        names = [f"{one if isinstance(one, str) else one['id']}.json" for one in listed]
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0
    return len(set(os.listdir(path)).intersection(names)), len(names)


def is_whole(path):
    done, planned = progress(path)
    return 0 < planned <= done


def absent(item, results):
    """Why what the item needs is not on this machine: as its records, or the records of a barrier, say. {need: reason}"""
    found = {}
    for need in item["needs"]:
        why = _no_watts(item, results) if need == "wattmeter" else _said_by_barrier(need, results) or _said_by_runs(need, item, results)
        if why:
            found[need] = why
    return found


def _said_by_barrier(need, results):
    for path in sorted(pathlib.Path(results).glob("*/barrier*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            record = json.loads(path.read_text(encoding="utf-8"))
            for one in record["techniques"]:
                if one["name"] == need and (one["absent"] or one["trouble"]):
                    return one["absent"] or one["trouble"]
            whys = [one["text"] for one in record.get("meters", []) if one["what"] == need and not one["ok"]]
            if whys:
                return "; ".join(dict.fromkeys(whys))
    return None


def _runs_of(item, results):
    try:
        return Source(results, item["records"]).runs()
    except NotRun:
        return []


def _no_watts(item, results):
    """None: a run has readings of a wattmeter."""
    whys = [run["watts"]["reason"] for run in _runs_of(item, results) if run.get("watts")]
    return None if None in whys else "; ".join(dict.fromkeys(whys)) or "no reading of a wattmeter was given (`--watts`, docs/energy.md)"


def _said_by_runs(need, item, results):
    """Only energy is in each record."""
    if need != "energy":
        return None
    meters = [(run.get("meters") or {}).get("energy") or {} for run in _runs_of(item, results)]
    return next((one["reason"] for one in meters if one.get("reason")), None)
