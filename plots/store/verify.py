"""Compare a results folder with its manifest, and its records with each other."""
import os

from plots.common.command import Refused
from plots.common.manifest import object_in
from plots.common.results import ABSENT, CHANGED, OLDER, SOUND, UNLISTED, Results

WHAT = {
    OLDER: "older than the manifest says; a sweep died before it was replaced",
    UNLISTED: "not in the manifest",
    CHANGED: "changed: not the file that was written",
    ABSENT: "missing: the manifest has it, the folder has not",
}


def with_manifest(folder):
    results = Results(folder)
    if not results.manifest.there:
        raise Refused(f"{folder}: there is no manifest; expected the results folder of a sweep")
    return results


def manifest_faults(manifest):
    if manifest.damaged:
        print(f"{manifest.path}: line {manifest.damaged[0]} is damaged, as are {len(manifest.damaged)} in all; what "
              "they say is lost")
    if manifest.torn:
        print(f"{manifest.path}: the last entry is torn: whatever wrote it was killed. That is no damage: the run was "
              "not recorded")
    return len(manifest.damaged)


def is_itself(name, record):
    """Does the record say that it is this one, and has it a key? If not, it was copied or renamed."""
    return record.get("id") == name and isinstance(record.get("key"), str)


def listed_faults(results, records):
    """How many faults are told of the files that the manifest lists; fills {name: record} with the sound ones."""
    bad = 0
    for name in results.manifest.entries:
        data, state = results.read(name)
        if state != SOUND:
            print(f"{name}.json: {WHAT[state]}")
            bad += 1
        elif name != "sweep":
            records[name] = object_in(data)
            if not is_itself(name, records[name]):
                print(f"{name}.json: it says that it is another record")
                bad += 1
    return bad


def compared_faults(records):
    """A comparison may be out of date although each record is as it was written: the reference was made again, or came
    from another machine."""
    bad = 0
    for name, record in records.items():
        compared = record.get("compared")
        reference = compared.get("reference") if isinstance(compared, dict) else None
        if not isinstance(reference, str) or reference not in records:
            continue
        state = record.get("state_hash")
        equal = isinstance(state, str) and state != "" and state == records[reference].get("state_hash")
        if equal == (compared.get("equal") is True):
            continue
        print(f"{name}.json: says that its final state {'is not' if equal else 'equals'} that of {reference}.json, and "
              f"it {'is' if equal else 'does not'}; the sweep compares again")
        bad += 1
    return bad


def unlisted_faults(results):
    try:
        names = sorted(name[:-5] for name in os.listdir(results.folder) if name.endswith(".json") and name != ".json")
    except OSError as error:
        raise Refused(f"{results.folder}: {error.strerror}") from error
    unlisted = [name for name in names if name not in results.manifest.entries]
    for name in unlisted:
        print(f"{name}.json: {WHAT[UNLISTED]}")
    return len(unlisted)


def verify(folder):
    """Name everything that is missing, changed or not in the manifest, and each comparison that does not agree with the
    compared records. The exit status."""
    results, records = with_manifest(folder), {}
    bad = manifest_faults(results.manifest) + listed_faults(results, records)
    bad += compared_faults(records) + unlisted_faults(results)
    runs = (results.sweep() or {"runs": []})["runs"]
    left = sum(not isinstance(run, str) or run not in results.manifest.entries for run in runs)
    print(f"{len(records)} records as written, {bad} things wrong"
          + (f"; {left} of the sweep's {len(runs)} runs have no record yet" if left else ""))
    return 1 if bad else 0
