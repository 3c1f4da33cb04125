"""The manifest of a results folder: which records it holds, each with the hash of its file.

harness/store/manifest.h describes the file, which a sweep writes, too.
"""
import contextlib
import ctypes
import os
import re

from plots.common import files, json_text
from plots.common.command import Refused

NAME = "manifest"
HEADER = f"# To check the files of this folder: xxhsum --check --quiet {NAME}\n"


class _Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def hash_of(data):
    """XXH3-128 as `xxhsum -H2` prints it, by the library that the rollbench program has it from."""
    try:
        library = ctypes.CDLL("libxxhash.so.0")
    except OSError as error:
        raise Refused(f"{error}; install libxxhash-dev (configs/packages.txt)") from error
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.XXH3_128bits.restype = _Hash
    found = library.XXH3_128bits(data, len(data))
    return f"{found.high:016x}{found.low:016x}"


def object_in(data):
    """The JSON object in these bytes; empty if they are none."""
    with contextlib.suppress(ValueError):
        value = json_text.parse(data)
        return value if isinstance(value, dict) else {}
    return {}


def _entry(line, comment):
    """(name of a record, its entry) of a line `HASH  NAME.json` with the comment before it; None: it is no such line."""
    match = re.fullmatch(rb"([0-9a-f]{32})  (.+)\.json", line)
    return (match[2].decode(errors="surrogateescape"), {**comment, "xxh3": match[1].decode()}) if match else None


def _old_entry(line):
    """Until November 2026 a line was `CHECKSUM {"id": NAME, "xxh3": HASH, ...}`."""
    checksum, _, text = line.partition(b" ")
    entry = object_in(text)
    name = entry.get("id")
    if hash_of(text).encode() != checksum or not isinstance(name, str) or not isinstance(entry.get("xxh3"), str):
        return None
    return name, {key: value for key, value in entry.items() if key not in ("id", "key", "bytes")}


def _put_last(entries, name, entry):
    """What the entry replaces becomes its "before"."""
    if name in entries:
        before = entries.pop(name)
        entry = {**entry, "before": {key: value for key, value in before.items() if key != "before"}}
    entries[name] = entry


def _lines(name, entry):
    rest = {key: value for key, value in entry.items() if key != "xxh3"}
    comment = f"# {json_text.write(rest)}\n" if rest else ""
    return f"{comment}{entry['xxh3']}  {name}.json\n"


class Manifest:
    """entries: {name: {"xxh3": hash, "wall_s", "took_s", "before": what the record replaced}}, in the order of the
    file; all but xxh3 may be missing. damaged: numbers of the lines that are no entry. torn: there is an incomplete
    entry at the end, which does not count."""

    def __init__(self, folder):
        self.path = f"{folder}/{NAME}"
        self.entries, self.damaged, self.size = {}, [], 0  # size: up to the end of the last complete entry
        self.there, self.torn, self.old = True, False, False
        try:
            with open(self.path, "rb") as file:
                self._parse(file.read())
        except FileNotFoundError:
            self.there = False
        except OSError as error:
            raise Refused(f"{self.path}: {error.strerror}") from error

    def _parse(self, text):
        comment, at = {}, 0
        for number, line in enumerate(text.split(b"\n")[:-1], 1):
            at += len(line) + 1
            if line.startswith(b"#"):
                comment = object_in(line[2:])
                continue
            entry = _entry(line, comment)
            if not entry:
                self.old, entry = True, _old_entry(line)
            if entry:
                _put_last(self.entries, *entry)
            else:
                self.damaged.append(number)
            comment, self.size = {}, at
        self.torn = self.size < len(text)

    def add(self, name, entry):
        """Add the entry of a record, or replace it, and sync. Refused: nothing was added."""
        if re.search(r"[/\\\n]", name):
            raise Refused(f"{self.path}: {name[:60]}: a record cannot have this name")
        whole = self.old or name in self.entries
        entries = dict(self.entries)
        _put_last(entries, name, entry)
        text = "".join(_lines(*item) for item in entries.items()) if whole else _lines(name, entry)
        data = ((HEADER if whole or self.size == 0 else "") + text).encode(errors="surrogateescape")
        if whole:
            files.put(self.path, data)
            self.size, self.damaged, self.old = len(data), [], False
        else:
            self._append(data)
        self.entries, self.there, self.torn = entries, True, False

    def _append(self, data):
        """Write at the end of the last complete entry; an incomplete one behind it is cut off first."""
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.ftruncate(handle, self.size)
                with open(handle, "wb", closefd=False) as file:
                    file.seek(self.size)
                    file.write(data)
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, self.size)
                raise
            finally:
                os.close(handle)
        except OSError as error:
            raise Refused(f"{self.path}: {error.strerror}") from error
        self.size += len(data)
