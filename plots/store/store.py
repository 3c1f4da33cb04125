#!/usr/bin/env python3
"""usage: rollbench store verify DIR
       rollbench store merge INTO FROM ... [--prefer into|from]
       rollbench store overhead DIR ...

Check, merge or time the results folders of sweeps (docs/experiments.md).

  verify    name every record that is missing, changed or not in the manifest, and every
            comparison with a failure-free run that is out of date
  merge     put partial results of one experiment, from several machines, into one folder,
            which is made if necessary. Equal records are kept once. Of two different
            records of one run, the one in INTO stays and the other is put into INTO/conflicts;
            with --prefer the record of that side stays and the other is left out. Records of
            other experiments are refused, and records of INTO that were changed are set aside.
            After an interruption, the same command continues
  overhead  print the seconds that the harness took outside mpirun
  --help            this text

exit status: 0 nothing is wrong, 1 something was named, 2 bad input or a folder that cannot be
read or written
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command
from plots.common.command import Refused
from plots.common.json_text import is_number
from plots.store.merge import merge
from plots.store.verify import verify, with_manifest

ACTS = {"verify": "one folder of results", "merge": "a folder to merge into and others to merge from",
        "overhead": "one folder of results"}


def arguments(words):
    """(the folders, the side that --prefer names or None) of the words behind what to do."""
    folders, prefer, options = [], None, command.Options(words)
    for name, behind in options:
        if not name:
            folders.append(behind)
        elif name == "prefer":
            prefer = options.value()
            if prefer not in ("into", "from"):
                raise Refused(f"--prefer {prefer}: expected into or from")
        else:
            raise options.unexpected(": unexpected; see --help")
    return folders, prefer


def times(folder):
    """(seconds within mpirun, seconds outside) of each record; None: the manifest does not have them."""
    entries = with_manifest(folder).manifest.entries
    pairs = [(entry.get("wall_s"), entry.get("took_s")) for name, entry in entries.items() if name != "sweep"]
    return [(wall, took - wall) if is_number(wall) and is_number(took) else None for wall, took in pairs]


def say_overhead(what, pairs):
    known = [pair for pair in pairs if pair]
    inside, outside = sum(pair[0] for pair in known), sum(pair[1] for pair in known)
    text = "unknown"
    if inside > 0:
        text = (f"{outside:.2f} s, {100 * outside / inside:.2f} % of the {inside:.2f} s that {len(known)} runs took "
                "within it")
    lacking = f"; {len(pairs) - len(known)} records without times" if len(known) < len(pairs) else ""
    print(f"{what}: outside mpirun: {text}{lacking}")


def overhead(folders):
    every = []
    for folder in folders:
        pairs = times(folder)
        say_overhead(folder, pairs)
        every += pairs
    if len(folders) > 1:
        say_overhead("all", every)
    return 0


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    folders, prefer = arguments(words)
    act = folders.pop(0) if folders else ""
    if prefer and act != "merge":
        raise Refused("--prefer: only with merge")
    if act not in ACTS:
        raise Refused(f"{act}{': ' if act else ''}expected verify, merge or overhead; see --help")
    if len(folders) < (2 if act == "merge" else 1) or (act == "verify" and len(folders) > 1):
        raise Refused(f"expected {ACTS[act]}; see --help")
    if act == "merge":
        return merge(folders[0], folders[1:], prefer)
    return verify(folders[0]) if act == "verify" else overhead(folders)


if __name__ == "__main__":
    command.run(" ".join(["store", *(word for word in sys.argv[1:2] if word in ACTS)]), main)
