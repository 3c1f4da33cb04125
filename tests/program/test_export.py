"""`rollbench export`: what it leaves out and refuses; it and the model can handle damaged records."""
import fcntl
import json
import random

import pytest

from rollbench import ROOT, call, new_folder, refuse

from plots.common import json_text
from plots.common.command import Refused
from plots.export.results import hash_of
from plots.export.rows import TABLES
from plots.models.energy_records import Records

GOOD = sorted((ROOT / "tests" / "fuzz" / "records").glob("*.json"))
ROUNDS = 3000


def results(**records):
    """A results folder of these records, {name: bytes}, all in its manifest."""
    folder = new_folder()
    lines = []
    for name, data in records.items():
        (folder / f"{name}.json").write_bytes(data)
        lines.append(entry(name, data))
    (folder / "manifest").write_bytes(b"".join(lines))
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": list(records)}))
    return folder


def entry(name, data):
    """A line of a manifest."""
    return f"{hash_of(data)}  {name}.json\n".encode()


def ids(folder):
    """The first column of runs.csv."""
    return [line.split(",")[0] for line in (folder / "runs.csv").read_text().splitlines()[1:]]


def test_hashes_are_those_of_xxhsum():
    assert hash_of(b"") == "99aa06d3014798d86001c324468d497f"
    assert hash_of(b"rollbench") != hash_of(b"rollbench ")


def test_a_record_that_was_changed_is_left_out():
    folder = results(a=b'{"id": "a"}', b=b'{"id": "b"}', c=b'{"id": "c"}')
    (folder / "b.json").write_bytes(b'{"id": "B"}')
    (folder / "d.json").write_bytes(b'{"id": "d"}')  # not in the manifest, as from an older version
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": ["a", "b", "c", "d", "e"]}))
    done = call("export", "--csv", folder)
    assert done.returncode == 1 and ids(folder) == ["a", "c", "d"], done
    assert done.stderr == f"{folder}/b.json: left out: not the file that was written (rollbench store verify)\n"
    counts = {"runs": 3, **dict.fromkeys(("params", "kills", "failures", "failure_roles", "roles", "iterations"), 0)}
    assert done.stdout.splitlines()[:-1] == [f"{folder}/{name}.csv: {count} rows" for name, count in counts.items()], done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"{folder}/columns.csv: "), done.stdout


def test_a_record_that_is_nested_too_deeply_is_named_and_left_out():
    deep = {f"d{n}": f'{{"id": "d{n}", "status": {n * "["}{n * "]"}}}'.encode() for n in (50, 100, 9994, 100000)}
    folder = results(**deep)
    done = call("export", "--csv", folder)
    assert done.returncode == 1 and ids(folder) == ["d50"], done
    for name in list(deep)[1:]:
        why = "no record: objects and arrays nested more than 100 levels deep"
        assert f"{folder}/{name}.json: left out: {why}\n" in done.stderr, done.stderr
    (folder / "sweep.json").write_bytes(deep["d100000"])
    refuse("export", "--csv", folder, words=(f"{folder}: no sweep.json",))


def test_what_a_crash_left_of_a_manifest_counts():
    """The record in place may be that of the last line but one; partial and damaged lines do not count."""
    folder = results(a=b'{"id": "a"}', b=b'{"id": "b"}')
    manifest = (folder / "manifest").read_bytes()
    newer = manifest + entry("a", b"never put in place") + b"damaged\n" + b"x" * 32 + b" {}\n" + entry("b", b"half")[:-9]
    (folder / "manifest").write_bytes(newer)
    assert call("export", "--csv", folder).returncode == 0 and ids(folder) == ["a", "b"]
    (folder / "manifest").write_bytes(newer + b"\n" + entry("a", b"and another"))
    assert call("export", "--csv", folder).returncode == 1 and ids(folder) == ["b"]


def test_a_manifest_that_xxhsum_reads():
    """The hash of the record that was replaced is in a comment."""
    folder = results(a=b'{"id": "a"}', b=b'{"id": "b"}', c=b'{"id": "c"}')
    sums = {name: hash_of(f'{{"id": "{name}"}}'.encode()) for name in "abc"}
    never = hash_of(b"never put in place")
    (folder / "manifest").write_text(
        f'# a comment\n{sums["a"]}  a.json\n# {{"wall_s":0.5,"before":{{"xxh3":"{sums["b"]}"}}}}\n{never}  b.json\n'
        f'# {{"before":{{"xxh3":"{sums["c"]}"}}}}\n{never}  other.json\n{never}  c.json\n')
    done = call("export", "--csv", folder)
    assert done.returncode == 1 and ids(folder) == ["a", "b"] and "c.json: left out" in done.stderr, done
    (folder / "manifest").write_text(f"{sums['a']}  a.json\n{never}  a.json\n{never}  b.json")
    assert call("export", "--csv", folder).returncode == 0 and ids(folder) == ["a", "b", "c"]


def test_a_folder_that_is_written_to_is_refused():
    folder = results(a=b'{"id": "a"}')
    with open(folder / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refuse("export", "--csv", folder, words=(str(folder), "being written to; try again"))
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert call("export", "--csv", folder).returncode == 0


def test_tables_are_there_whole_or_not_at_all():
    folder, out = results(a=b'{"id": "a"}'), new_folder()
    (out / "runs.csv").write_text("old")
    (out / "params.csv").mkdir()
    done = call("export", "--csv", folder, "--out", out)
    assert done.returncode == 2 and done.stdout == f"{out}/runs.csv: 1 rows\n", done
    assert "params.csv: cannot be written: Is a directory; nothing was replaced" in done.stderr, done
    assert sorted(p.name for p in out.iterdir()) == ["params.csv", "runs.csv"] and ids(out) == ["a"]
    assert (out / "runs.csv").stat().st_mode & 0o777 == 0o644


def test_what_is_no_json_of_a_record_is_refused():
    for text in ("1", "[1e999]", "[NaN]", "[-Infinity]", "[99999999999999999999]", '["\\ud800"]', "[1] 2", ""):
        with pytest.raises(ValueError):
            json_text.parse(text.encode())
    with pytest.raises(ValueError):
        json_text.parse(b'["\xff"]')
    assert json_text.parse(b'[9223372036854775807, 1e308, "\\ud83d\\ude00"]') == [2 ** 63 - 1, 1e308, "\U0001f600"]


WORDS = (b"0", b"-1", b"2147483648", b"99999999999999999999", b"1e308", b"5e-324", b"nan", b"null", b"true", b'""', b"[]",
         b"{}", b"[[[[", b"]", b"}", b"{", b",", b":", b"\n", b"\xff", b"\xc3", b'"', b"\\u0000", b"\\ud800")


def damaged(data, chance):
    """Change one to eight places, numbers more often than anything else."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at, word = chance.randrange(len(data)), chance.choice(WORDS)
        kind = chance.randrange(8)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at:at + chance.randint(1, 16)]
        elif kind == 2:
            data[at:at] = word
        elif kind == 3:
            end = data.find(b"\n", at) + 1
            del data[at:end or len(data)]
        else:
            while at < len(data) and not chr(data[at]).isdigit():
                at += 1
            end = at
            while end < len(data) and (chr(data[end]).isdigit() or data[end] in b".e-"):
                end += 1
            data[at:end] = chance.choice(WORDS[:12])
        data = data or bytearray(b"{")
    return bytes(data)


def test_damaged_records_are_read_or_refused():
    chance, path, taken, read = random.Random(3), new_folder() / "input.json", 0, 0
    assert GOOD
    good = [path.read_bytes() for path in GOOD]
    for number in range(ROUNDS):
        data = damaged(chance.choice(good), chance)
        path.write_bytes(data)
        try:
            record = json_text.parse(data)
        except ValueError:
            continue
        read += 1
        if isinstance(record, dict):
            for table in TABLES:
                for row in table.rows(record):
                    assert row.endswith("\r\n") and row.count(",") >= len(table.columns) - 1, (number, row)
        try:
            Records().add(str(path))
            taken += 1
        except Refused as error:
            assert str(path) in str(error), error
    assert read > ROUNDS / 20 and taken > 0, (read, taken)
