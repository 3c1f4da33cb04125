"""The records of a sweep without what only few ask for: no trace, of a timeline that there is one, and of each role where it ran.

So tens of thousands of records fit into memory, and the report and its verdicts read each of them once.
"""
import collections
import functools
import json
import pathlib
import sys

from plots.common import runs

OF_ROLES = ("role", "host", "binding")  # what is kept of all that a record says of a role

# records: {name: record}; unreadable: names; outdated: names of the runs whose comparison is no longer true (runs.distrust);
# newest: when the last of the files was written.
Lean = collections.namedtuple("Lean", "records unreadable outdated newest")


def lean(record, known):
    """Parts that an earlier record had, too, such as the host, are those of the earlier one, so nobody may change them; known: these by
    their text."""
    record.pop("trace", None)
    if record.get("timeline"):
        record["timeline"] = record["timeline"]["state"]
    record["roles"] = [{key: role.get(key) for key in OF_ROLES} for role in record.get("roles") or []]
    return {sys.intern(key): known.setdefault(repr(value), value) if isinstance(value, (dict, list)) else value for key, value in record.items()}


@functools.cache  # a process reports or judges once, and does not wait for more records
def read(folder, names):
    """Lean, of these runs in a results folder; those without a file are not in it. names: a tuple."""
    records, unreadable, known, newest = {}, [], {}, 0
    for name in names:
        path = folder / f"{name}.json"
        try:
            record = lean(json.loads(path.read_bytes()), known)
        except FileNotFoundError:
            continue
        except (ValueError, AttributeError, KeyError, TypeError):  # no JSON, or of another form
            unreadable.append(name)
            continue
        records[name] = record
        newest = max(newest, path.stat().st_mtime)
    return Lean(records, unreadable, runs.distrust(records), newest)


def load(folder):
    """As runs.load(), which ends the script, too."""
    folder = pathlib.Path(folder)
    manifest = runs.manifest_of(folder)
    found = read(folder, tuple(manifest["runs"]))
    if found.unreadable:
        sys.exit(f"{folder / found.unreadable[0]}.json: no record of a run")
    return runs.counted(folder, manifest, found.records, found.outdated)
