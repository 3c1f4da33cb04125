#!/usr/bin/env python3
"""usage: rollbench watch [RESULTS-FOLDER] [--once]

Show how far a sweep is: the runs by how they ended, the time left, the last runs, and the time to
completion against the failing iteration (not of runs with --protocol). The command only reads files. It
ends with the sweep, or with Ctrl-C.

  RESULTS-FOLDER  the folder of `rollbench sweep` (default: the one in results/ that began last)
  --once          print once and end; this is also done if the output is not a terminal, or TERM is dumb
  --every S       seconds between two readings (default 1)
  --help          this text

exit status: 0; 2 bad usage, or not the results of a sweep
"""
import argparse
import collections
import fcntl
import json
import os
import pathlib
import re
import shutil
import string
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.runs import besides, is_control, is_right_control
from plots.report.data import STATUSES, read_manifest
from plots.common import command, simulations
from plots.common.points import ELC

LAST = 5  # runs listed
AXIS = " " * 11  # the room of the numbers beside the curve
MARKS = string.ascii_uppercase + string.ascii_lowercase
RECENT = 30  # runs that the speed is taken from
CLEAR_LINE, CLEAR_BELOW, HOME = "\033[K", "\033[J", "\033[H"

# What is kept of a record. problem: what the curve is of; at: the failing iteration, or None.
Run = collections.namedtuple("Run", "mtime status equal how problem what at loop_s")


def how(record):
    """How it recovers, in the words of the options."""
    if record.get("strategy") == "restart":
        return "restart"
    return str(record["policy"]) + besides(record)


def number(value, kinds):
    """As it is; TypeError if it is none that can be drawn."""
    if isinstance(value, bool) or not isinstance(value, kinds) or not abs(value) < 1e15:
        raise TypeError
    return value


def digest_of_elc(mtime, record):
    """Of a run with --protocol. As digest()."""
    result, compared = record["result"] or {}, record.get("compared") or {}
    seconds, message = result.get("seconds"), record.get("message")
    problem = f"{record['kernel']} {' '.join(f'{k} {v}' for k, v in record['params'].items())}, np {record['np']}"
    what = f"{problem}, {record['protocol']}, {' '.join(record['plan']) or 'no failure'}"
    return Run(mtime, str(record["status"]), compared.get("equal", True), str(record["protocol"]), problem,
               what + (f": {message}" if message else ""), None, None if seconds is None else number(seconds, (int, float)))


def digest(mtime, record):
    """TypeError, among others, if it is no record: the folder may be anyone's."""
    if ELC.has(record):
        return digest_of_elc(mtime, record)
    failures = record.get("failures") or []
    loop_s = record.get("loop_s")
    params = " ".join(f"{k}={v}" for k, v in record["params"].items() if v != "auto")
    what = (f"{record['kernel']} np {record['np']}, {how(record)}, "
            + (" ".join(record["plan"]) or "no failure"))
    is_right = is_control(record) and is_right_control(record)
    return Run(mtime, "control" if is_right else str(record["status"]), is_right or record.get("compared", {}).get("equal", True), how(record),
               f"{record['kernel']} {params}, {record['np']} roles",
               what + (f": {record['message']}" if record.get("message") else ""),
               number(failures[0]["iteration"], int) if len(failures) == 1 else None,
               None if loop_s is None else number(loop_s, (int, float)))


class Sweep:
    """What a results folder holds; update() reads what is new."""

    def __init__(self, folder):
        self.folder, self.seen = folder, {}
        self.update()

    def update(self):
        self.manifest = read_manifest(self.folder, elc=True)
        self.begun = (self.folder / "sweep.json").stat().st_mtime
        self.running = is_locked(self.folder / ".lock")
        planned = set(self.manifest["runs"])
        there = {entry.name[:-5]: entry.stat().st_mtime for entry in os.scandir(self.folder)
                 if entry.name.endswith(".json") and entry.name[:-5] in planned}
        for name in self.seen.keys() - there.keys():
            del self.seen[name]
        for name, mtime in there.items():
            if name not in self.seen or self.seen[name].mtime != mtime:
                self._read(name, mtime)
        self.runs = sorted(self.seen.values(), key=lambda run: run.mtime)

    def _read(self, name, mtime):
        try:
            record = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            self.seen[name] = digest(mtime, record)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.seen[name] = Run(mtime, "unreadable", True, "", "", name, None, None)

    def planned(self):
        return len(self.manifest["runs"])

    def fresh(self):
        """Made since the sweep was begun or resumed."""
        return [run for run in self.runs if run.mtime >= self.begun]


def is_locked(path):
    """Whether a sweep writes to the folder. The lock is shared and let go at once."""
    try:
        with open(path, encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def clock(seconds):
    whole = round(seconds)
    return (f"{whole // 3600}:" if whole >= 3600 else "") + f"{whole // 60 % 60:02}:{whole % 60:02}"


def time_left(sweep, now):
    fresh = sweep.fresh()[-RECENT:]
    left = sweep.planned() - len(sweep.runs)
    if not sweep.running or not fresh:
        return ""
    begin = sweep.begun if len(fresh) < RECENT else fresh[0].mtime
    return f", ETA {clock((now - begin) / len(fresh) * left)}"


def state(sweep):
    if sweep.running:
        return "running"
    return "finished" if len(sweep.runs) == sweep.planned() else "stopped"


def head(sweep, wide, now):
    done, planned = len(sweep.runs), max(sweep.planned(), 1)
    before = done - len(sweep.fresh())
    text = (f" {done} of {planned} runs{time_left(sweep, now)}"
            + (f" ({before} from before)" if before and sweep.running else ""))
    room = max(wide - len(text) - 3, 8)
    full = room * done // planned
    counts = collections.Counter(run.status for run in sweep.runs)
    unequal = sum(not run.equal for run in sweep.runs)
    words = [f"{counts.pop(status, 0)} {status}" for status in STATUSES]
    words += [f"{n} {status}" for status, n in counts.items()]
    return [f"{sweep.manifest.get('name', sweep.folder.name)}: {state(sweep)}, {sweep.folder}",
            f"[{'#' * full}{'.' * (room - full)}]{text}",
            ", ".join(words) + f"; {unequal} not equal"]


def last_runs(sweep, count):
    shown = []
    for run in sweep.runs[-count:]:
        took = "" if run.loop_s is None else f"{run.loop_s:8.3f} s"
        status = run.status if run.equal else "not equal"
        shown.append(f"{status:10} {took:>10}  {run.what}")
    return shown


def curve(sweep, wide, high):
    """Of the problem of the last run with a failure; [] if there is nothing to draw."""
    usable = [run for run in sweep.runs if run.at is not None and run.status == "ok" and run.equal
              and run.loop_s is not None]
    if not usable or high < 7:
        return []
    problem = usable[-1].problem
    ways = {}
    for run in usable:
        if run.problem == problem:
            ways.setdefault(run.how, []).append((run.at, run.loop_s))
    return [f"{problem}: seconds in the loop, by failing iteration", *scatter(ways, wide, high - 1)]


def in_key(name):
    """Only what values of options consist of, whatever the record has."""
    return re.sub(r"[^\w:%.,+-]", "", name, flags=re.ASCII)


def place(value, least, most, room):
    """The number of the cell, of so many between two values."""
    return round((value - least) / (most - least) * (room - 1)) if most > least else room // 2


def scatter(ways, wide, high):
    """Text lines: a letter for each way in the cells of its points, * where several meet, and a key. ways: {name: [(x, y)]}, x whole numbers."""
    (left, right), (low, top) = ((min(values), max(values)) for values in zip(*(point for points in ways.values() for point in points)))
    key = [f" {mark} {in_key(way)}" for mark, way in zip(MARKS, ways)]
    wide, high = max(wide - max(map(len, key)) - len(AXIS), 8), high - 2
    cell = [[" "] * wide for _ in range(high)]
    for mark, points in zip(MARKS, ways.values()):
        for x, y in points:
            row, column = high - 1 - place(y, low, top, high), place(x, left, right, wide)
            cell[row][column] = mark if cell[row][column] in (" ", mark) else "*"
    label = {high - 1: f"{low:.4g}", 0: f"{top:.4g}"}
    rows = [f"{label.get(i, ''):>{len(AXIS) - 2}} |{''.join(row)}{key[i] if i < len(key) else ''}" for i, row in enumerate(cell)]
    return [*rows, f"{AXIS[:-1]}+{'-' * wide}", f"{AXIS}{left}{str(right).rjust(wide - len(str(left))) if right > left else ''}"]


def screen(sweep, wide, high):
    """Lines, none wider than the terminal and no more than fit on it."""
    lines = [*head(sweep, wide - 1, time.time()), "", *last_runs(sweep, LAST), ""]
    lines += curve(sweep, wide - 1, high - 1 - len(lines))
    return [plain(line)[:wide - 1] for line in lines][:high - 1]


def plain(line):
    """Without what a terminal would obey: names and messages are as the records have them."""
    return "".join(c if c.isprintable() else " " for c in line)


def show(lines):
    sys.stdout.write(HOME + "".join(line + CLEAR_LINE + "\n" for line in lines) + CLEAR_BELOW)
    sys.stdout.flush()


def follow(sweep, every):
    sys.stdout.write("\033[?25l" + HOME + CLEAR_BELOW)
    try:
        while True:
            show(screen(sweep, *shutil.get_terminal_size()))
            if not sweep.running:
                return
            time.sleep(every)
            sweep.update()
    finally:
        sys.stdout.write("\033[?25h")


def newest():
    found = sorted(pathlib.Path("results").glob("*/sweep.json"), key=lambda p: p.stat().st_mtime)
    found = [path for path in found if not simulations.listed(path.parent)]
    return found[-1].parent if found else None


def refuse(text):
    print(f"rollbench watch: {plain(str(text))}", file=sys.stderr)
    sys.exit(2)


def parse():
    parser = argparse.ArgumentParser(prog="rollbench watch", add_help=False, allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--help", "-h", action="store_true")
    args = parser.parse_args()
    if args.help:
        print(__doc__.strip())
        sys.exit(0)
    if not 0.1 <= args.every <= 3600:
        refuse(f"--every {args.every:g}: expected 0.1 to 3600 seconds")
    args.folder = args.folder or newest()
    if not args.folder or not (args.folder / "sweep.json").is_file():
        refuse(f"{args.folder or 'results'}: no sweep.json in it; name the folder that `rollbench "
               "sweep` writes to, as it says when it ends")
    return args


def main():
    args = parse()
    try:
        sweep = Sweep(args.folder)
        if args.once or not command.is_terminal(sys.stdout):
            print("\n".join(screen(sweep, *shutil.get_terminal_size())))
        else:
            follow(sweep, args.every)
    except ValueError as error:
        refuse(error)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
