"""Add the records of sweeps to another results folder of the same experiment.

Each record is written like that of a new run, so an interrupted merge can be repeated.
"""
import os

from plots.common import json_text
from plots.common.command import Refused
from plots.common.manifest import object_in
from plots.common.results import ABSENT, CHANGED, OLDER, SOUND, UNLISTED, Results
from plots.store.folder import CONFLICTS, Target

NOT_MERGED = "nothing was merged"
SCHEMAS = ("rollbench-run-1", "rollbench-simulate-1")  # of records that can be merged


def text_of(record, key):
    value = record.get(key)
    return value if isinstance(value, str) else ""


def check(source, name, of):
    """The sweep of a source. Refused: it is not of the experiment `name`, which is that of the folder `of`."""
    sweep = source.sweep()
    if source.read("sweep")[1] == CHANGED:
        raise Refused(f"{source.folder}: sweep.json was changed since it was written; {NOT_MERGED}. "
                      "See rollbench store verify")
    if sweep is None:
        raise Refused(f"{source.folder}: no sweep.json; expected the results folder of a sweep")
    if name not in (None, sweep["name"]):
        raise Refused(f"{source.folder}: its experiment is {sweep['name']}, that of {of.folder} is {name}; "
                      f"{NOT_MERGED}")
    return sweep


def check_all(into, sources):
    """The sweeps of all sources, which must be of one experiment: that of INTO, or of the first if INTO is new."""
    ours = into.sweep()
    if ours is None and not into.is_new():
        raise Refused(f"{into.folder}: it has records, or what was one, but no sweep.json that can be read; "
                      f"{NOT_MERGED}")
    name, of, sweeps = ours and ours["name"], into, []
    for source in sources:
        sweeps.append(check(source, name, of))
        if name is None:
            name, of = sweeps[0]["name"], source
    return sweeps


def compare_states(ours, theirs):
    """If both runs ended without a final state, it is unknown whether they are the same."""
    if not ours and not theirs:
        return "neither has a final state"
    if not ours or not theirs:
        return "only ours has a final state" if ours else "only the other has a final state"
    return "the same final state" if ours == theirs else "ANOTHER final state"


class Merge:
    """Into one folder. prefer: which of two different records of one run stays in place: "into", "from", or None."""

    def __init__(self, into, prefer):
        self.into, self.prefer = into, prefer
        self.added = self.equal = self.conflicts = self.refused = self.changed = 0

    def sweeps(self, theirs):
        """Merge the lists of runs, those of INTO first."""
        ours = self.into.sweep()
        merged = ours or theirs
        more = [run for run in theirs["runs"] if isinstance(run, str) and run not in merged["runs"]]
        if ours is None or more:
            merged = {**merged, "runs": merged["runs"] + more}
            self.into.put("sweep", (json_text.write(merged, indent=2) + "\n").encode(), {})

    def settle(self, name, ours, theirs, data, entry):
        """Two different records of one run. ours, theirs: the records."""
        self.conflicts += 1
        what = ("the same run made twice" if text_of(ours, "key") == text_of(theirs, "key") else
                "made by another program, or otherwise described")
        end = {"from": "replaced", "into": "left out"}.get(self.prefer, f"ours stays, the other is in {CONFLICTS}/")
        states = compare_states(text_of(ours, "state_hash"), text_of(theirs, "state_hash"))
        print(f"{name}.json: {what}; {states}; {end}")
        if self.prefer == "from":
            self.into.put(name, data, entry)
        elif self.prefer is None:
            self.into.keep(name, data)

    def one(self, name, data, record, entry):
        ours, state = self.into.read(name)
        if state == CHANGED:
            path, aside = self.into.set_aside(name)
            print(f"{path}: not the file that was written; it is {aside} now")
            self.changed += 1
        elif state != ABSENT and ours != data:
            self.settle(name, object_in(ours), record, data, entry)
            return
        elif state != ABSENT:
            self.equal += 1
            if state != SOUND:
                self.into.put(name, data, entry)
            return
        self.added += 1
        self.into.put(name, data, entry)

    def source(self, source, sweep):
        self.sweeps(sweep)
        for name in sweep["runs"]:
            if not isinstance(name, str) or "/" in name:  # it becomes the name of a file
                continue
            data, state = source.read(name)
            if state == ABSENT:
                continue
            record = object_in(data or b"")
            why = objection(source, name, record, state)
            if why:
                print(f"{source.folder}/{name}.json: refused: {why}")
                self.refused += 1
            else:
                self.one(name, data, record, entry_of(source, name, state))


def objection(source, name, record, state):
    """Why a record must not be taken, or None."""
    if state == CHANGED:
        return "changed since it was written"
    if state == UNLISTED and source.manifest.there:
        return "not in its manifest"
    if text_of(record, "schema") not in SCHEMAS or not text_of(record, "key") or record.get("id") != name:
        return "not the record of this run"
    if record.get("kind") == "elc":
        return "a run with --protocol, which cannot be merged"
    return None


def entry_of(source, name, state):
    """The entry of the file that is there, which may be the one that a crash kept from being replaced."""
    entry = source.manifest.entries.get(name, {})
    entry = entry["before"] if state == OLDER else entry
    return {key: value for key, value in entry.items() if key != "before"}  # what it replaced there


def same_folder(a, b):
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


def merge(target, folders, prefer):
    """The exit status."""
    for folder in folders:
        if same_folder(target, folder):
            raise Refused(f"{folder}: cannot be merged into itself")
    sources, into = [Results(folder) for folder in folders], Target(target)
    m = Merge(into, prefer)
    for source, sweep in zip(sources, check_all(into, sources)):
        m.source(source, sweep)
    print(f"{m.added} records added, {m.equal} were there, {m.conflicts} conflicts, {m.refused} refused"
          + (f"; {m.changed} of {target} were not what was written" if m.changed else ""))
    return 1 if m.refused or m.changed or (m.conflicts and prefer is None) else 0
