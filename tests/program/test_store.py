"""The results folder: changed, lost or partial files are found; folders merge; tables."""
import csv
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import time

import pytest
import xxhash

import export_tables
from rollbench import COMMAND, call, new_folder, refuse, refuse_all

SWEEP = """\
name: tiny
deadline: 60
runs:
  - kernel: jacobi
    grid: 24
    steps: 8
    np: 2
    interval: 4
    ckpt_lag: sync
    meters: {meters}
    policy: [none, all]
    kill:
      roles: [1]
      iterations: 6
      phases: [send]
"""
RUNS = 4


def config(meters="phases"):
    path = new_folder() / "tiny.yaml"
    path.write_text(SWEEP.format(meters=meters))
    return path


def sweep(path, results):
    done = call("sweep", path, "--results", results)
    assert done.returncode == 0, done
    return done


def records(results):
    return sorted(p for p in results.glob("*.json") if p.name != "sweep.json")


def verify(results, *words, status=0):
    done = call("store", "verify", results)
    assert done.returncode == status, done
    for word in words:
        assert str(word) in done.stdout, (word, done.stdout)
    return done.stdout


def test_verify_names_what_is_wrong():
    results = new_folder() / "results"
    path = config()
    done = sweep(path, results)
    assert "outside mpirun: " in done.stdout and f"that {RUNS} runs took" in done.stdout, done.stdout
    verify(results, f"{RUNS} records as written, 0 things wrong")
    said = call("store", "overhead", results).stdout
    line = [x for x in done.stdout.splitlines(True) if "outside" in x][0]
    assert said == f"{results}: {line}", said
    assert f"{2 * RUNS} runs took" in call("store", "overhead", results, results).stdout
    gone, changed, moved, last = records(results)
    gone.unlink()
    changed.write_bytes(changed.read_bytes().replace(b'"np": 2', b'"np": 3'))
    (results / "stray.json").write_bytes(last.read_bytes())
    text = verify(results, f"{gone.name}: missing", f"{changed.name}: changed",
                  "stray.json: not in the manifest", "3 things wrong", status=1)
    assert moved.name not in text and last.name not in text, text
    (results / "stray.json").unlink()
    done = sweep(path, results)
    assert f"2 of {RUNS} runs were already done" in done.stdout and "made again" in done.stderr, done
    verify(results, f"{RUNS} records as written, 0 things wrong")
    assert b'"np": 3' in pathlib.Path(f"{changed}.changed").read_bytes()
    manifest = (results / "manifest").read_text()
    (results / "manifest").write_text(manifest.replace("\n", "\nX", 1))
    verify(results, "line 2 is damaged", status=1)


def test_a_manifest_that_is_damaged_is_written_anew():
    """A line without a hash, of no UTF-8 and with a NUL; what they said is lost, and the next record puts the file right."""
    into, source = new_folder() / "into", by_hand({"a": "1", "b": "2", "c": "3"})
    merge(into, source)
    lines = (into / "manifest").read_bytes().splitlines(True)
    hashed = [number for number, line in enumerate(lines) if line.endswith((b"a.json\n", b"b.json\n", b"c.json\n"))]
    for number, (old, new) in zip(hashed, ((b"  a", b" a"), (b"b.json", b"\xb6.json"), (b"c.json", b"c\0.json"))):
        assert old in lines[number]
        lines[number] = lines[number].replace(old, new)
    (into / "manifest").write_bytes(b"".join(lines) + 20 * b"f")
    text = verify(into, f"line {hashed[0] + 1} is damaged, as are 3 in all", "the last entry is torn", status=1)
    assert all(f"{name}.json: not in the manifest" in text for name in "abc") and "6 things wrong" in text, text
    done = call("store", "merge", into, source)
    assert "0 records added, 3 were there, 0 conflicts" in done.stdout and "is damaged, as are 3 in all" in done.stderr, done
    verify(into, "3 records as written, 0 things wrong")


def entries(results):
    """The manifest: (id, its lines) of each record, oldest first. A comment belongs to the line after it."""
    text = (results / "manifest").read_text()
    assert text.endswith("\n")
    found = re.findall(r"((?:#.*\n)*[0-9a-f]{32}  (.*)\.json\n)", text)
    assert "".join(lines for lines, _ in found) == text, text
    return [(name, lines) for lines, name in found]


def unlist(results, names):
    """Take records out of the manifest."""
    (results / "manifest").write_text("".join(lines for name, lines in entries(results) if name not in names))


def test_xxhsum_checks_the_manifest():
    path, results = config(), new_folder() / "results"
    sweep(path, results)
    sweep(path, results)  # which replaces sweep.json
    for name, lines in entries(results):
        assert lines.split()[-2] == xxh3((results / f"{name}.json").read_bytes()), lines
    if shutil.which("xxhsum"):
        check = ["xxhsum", "--check", "--quiet", "manifest"]
        assert subprocess.run(check, cwd=results).returncode == 0
        (results / "sweep.json").write_text("{}")
        assert subprocess.run(check, cwd=results).returncode == 1
    else:
        print("note: there is no xxhsum (package xxhash) here; the hashes were compared instead")


def rewrite(path, **changed):
    """A record as another program or machine might have made it; it is then not in the manifest."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    unlist(path.parent, [path.stem])


def test_what_is_made_again_is_compared_again():
    """The state of a reference has changed since runs were compared with it: it came from another machine, or
    was made again."""
    path, results = config(), new_folder() / "results"
    sweep(path, results)
    against = [json.loads(p.read_text()).get("compared", {}).get("reference") for p in records(results)]
    reference, = set(against) - {None}
    compared = sum(name is not None for name in against)
    assert compared == RUNS - 1
    theirs, into = new_folder() / "theirs", new_folder() / "into"
    shutil.copytree(results, theirs)
    rewrite(theirs / f"{reference}.json", state_hash=32 * "0")
    (theirs / "manifest").unlink()
    merge(into, theirs)
    assert "ANOTHER final state; ours stays" in merge(into, results, status=1)
    dry_run = ("sweep", path, "--results", into, "--dry-run")
    text = call("store", "verify", into).stdout
    assert text.count("says that its final state equals") == compared, text
    done = call("sweep", path, "--results", into)
    assert done.returncode == 1 and done.stdout.count("final state differs from") == compared, done
    assert f"{RUNS} of {RUNS} runs were already done" in done.stdout, done
    verify(into, "0 things wrong")
    assert f"{RUNS} done, 0 left" in call(*dry_run).stdout
    assert f"1 done, {compared} left" in call(*dry_run, "--redo-failed").stdout

    rewrite(into / f"{reference}.json", key=32 * "f")  # and now it is made again, as it was
    other = (into / f"{reference}.json").read_bytes()
    done = sweep(path, into)
    assert f"{compared} of {RUNS} runs were already done" in done.stdout and "replaced now" in done.stdout, done
    kept, = (into / "replaced").iterdir()
    assert kept.read_bytes() == other and kept.name.startswith(f"{reference}~"), kept
    assert all(json.loads(p.read_text())["status"] == "ok" for p in records(into))
    verify(into, "0 things wrong")


def last_entry(results):
    """(all entries but the last, the last, its id), which is a record's."""
    *rest, (name, last) = entries(results)
    return "".join(lines for _, lines in rest), last, name


def test_what_a_crash_can_leave_is_put_right():
    """Every state between two steps of writing a record, made by hand."""
    path, fine = config(), new_folder() / "results"
    sweep(path, fine)
    rest, last, name = last_entry(fine)
    victim = fine / f"{name}.json"
    text = victim.read_bytes()

    def crashed(manifest, record, temporary=b""):
        results = new_folder() / "results"
        shutil.copytree(fine, results)
        (results / "manifest").write_text(manifest)
        (results / victim.name).unlink()
        if record is not None:
            (results / victim.name).write_bytes(record)
        (results / ".rollbench-new.abc123").write_bytes(temporary)
        (results / f"{victim.name}.backup").write_bytes(b"the user's own")  # six characters behind .json.
        done = sweep(path, results)
        verify(results, f"{RUNS} records as written, 0 things wrong")
        assert [p.name for p in results.glob("*.json.*")] == [f"{victim.name}.backup"]
        assert not list(results.glob(".rollbench-new*"))
        return f"{RUNS - 1} of {RUNS} runs were" in done.stdout

    assert crashed(rest, None, text[:100])            # the record half written
    for i in (1, 10, len(last) - 1):
        assert crashed(rest + last[:i], None, text)   # its lines partly written
    assert crashed(rest + last, None, text)           # not in place yet
    assert not crashed(rest, text)                    # in place, but of a version without a manifest
    # A record that was to be replaced: the old one, also in the manifest, still counts.
    was = last.split()[-2]
    comment = json.dumps({"wall_s": 1, "took_s": 2, "before": {"xxh3": was}})
    assert not crashed(f"{rest}# {comment}\n{32 * '0'}  {name}.json\n", text)


def xxh3(data):
    """XXH3-128 as xxhsum prints it."""
    return xxhash.xxh3_128_hexdigest(data)


def test_a_store_refuses():
    here = new_folder()
    refuse_all(("store", ("verify, merge or overhead",)),
               ("store", "verify", ("one folder",)),
               ("store", "merge", here, ("to merge into",)),
               ("store", "merge", here, here, ("itself",)),
               ("store", "merge", here, here, "--prefer", "both", ("into or from",)),
               ("store", "verify", here, "--prefer", "into", ("only with merge",)),
               ("store", "verify", here, ("manifest",)),
               ("store", "overhead", here, ("manifest",)),
               ("store", "verify", "/nowhere", ("/nowhere",)),
               ("export", here, ("--csv",)),
               ("export", "--csv", ("folder",)),
               ("export", "--csv", here, ("sweep.json",)))
    with open(here / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refuse("store", "verify", here, words=("being written to",))
    assert "usage: rollbench store" in call("store", "--help").stdout
    assert "usage: rollbench export" in call("export", "--help").stdout


def test_who_only_reads_is_waited_for():
    """A sweep starts while another command verifies or watches; merging takes the lock in the same way."""
    source, into = new_folder(), new_folder()
    (source / "sweep.json").write_text(json.dumps({"name": "x", "runs": []}))
    with open(into / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        writer = subprocess.Popen([*COMMAND, "store", "merge", into, source], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        assert writer.poll() is None and not (into / "sweep.json").exists()
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert writer.wait(30) == 0 and (into / "sweep.json").exists()
        fcntl.flock(lock, fcntl.LOCK_EX)
        refuse("store", "merge", into, source, words=("in use", "writing to it"))


def merge(into, *args, status=0):
    done = call("store", "merge", into, *args)
    assert done.returncode == status, done
    return done.stdout


def part_of(whole, keep):
    """The results of another machine so far: some of the records, and a manifest of these."""
    part = new_folder() / "part"
    shutil.copytree(whole, part)
    gone = [path for path in records(part) if path not in [part / p.name for p in keep]]
    unlist(part, [path.stem for path in gone])
    for path in gone:
        path.unlink()
    return part


@pytest.mark.long
def test_merge():
    path, whole = config(), new_folder() / "whole"
    sweep(path, whole)
    names = records(whole)
    one, other = part_of(whole, names[:3]), part_of(whole, names[1:])
    into = new_folder() / "into"
    assert "4 records added, 2 were there, 0 conflicts, 0 refused" in merge(into, one, other)
    assert {p.name: p.read_bytes() for p in records(into)} == {p.name: p.read_bytes() for p in names}
    verify(into, f"{RUNS} records as written, 0 things wrong")
    took = [call("store", "overhead", one).stdout.split(": ", 1)[1] for one in (into, whole)]
    assert took[0] == took[1], took
    assert f"{RUNS} of {RUNS} runs were already done" in sweep(path, into).stdout

    again = new_folder() / "again"  # the same runs made a second time: other seconds
    sweep(path, again)
    before = {p.name: p.read_bytes() for p in names}
    text = merge(into, again, status=1)
    assert text.count("the same run made twice; the same final state") == RUNS, text
    assert {p.name: p.read_bytes() for p in records(into)} == before
    kept = sorted((into / "conflicts").glob("*.json"))
    assert [p.read_bytes() for p in kept] == [p.read_bytes() for p in records(again)]
    verify(into)
    shutil.rmtree(into / "conflicts")
    merge(into, again, "--prefer", "into")
    assert {p.name: p.read_bytes() for p in records(into)} == before
    merge(into, again, "--prefer=from")
    assert [p.read_bytes() for p in records(into)] == [p.read_bytes() for p in records(again)]
    assert not (into / "conflicts").exists()
    verify(into, "0 things wrong")

    damaged = records(one)[0]
    damaged.write_bytes(damaged.read_bytes()[:-20])
    shutil.copy(records(again)[3], one)
    fresh = new_folder() / "fresh"
    text = merge(fresh, one, status=1)
    assert f"{damaged.name}: refused: changed" in text and "not in its manifest" in text, text
    assert [p.name for p in records(fresh)] == [p.name for p in names[1:3]]

    sweep_json = json.loads((other / "sweep.json").read_text())
    foreign = new_folder() / "foreign"
    shutil.copytree(other, foreign)
    (foreign / "manifest").unlink()
    (foreign / "sweep.json").write_text(json.dumps({**sweep_json, "name": "huge"}))
    empty = new_folder() / "empty"
    for target in (fresh, empty):
        done = call("store", "merge", target, other, foreign)
        assert done.returncode == 2 and "huge" in done.stderr and "tiny" in done.stderr, done
    assert len(records(fresh)) == 2 and not records(empty)


def by_hand(states):
    """A folder of results that no sweep has made or listed in a manifest."""
    made = new_folder()
    (made / "sweep.json").write_text(json.dumps({"schema": "rollbench-sweep-1", "kind": "engine", "name": "x", "runs": list(states)}))
    for name, state in states.items():
        (made / f"{name}.json").write_text(json.dumps(
            {"schema": "rollbench-run-1", "kind": "engine", "id": name, "key": 32 * "a", "state_hash": state}))
    return made


def listed(results):
    """id -> its hash in the manifest."""
    return {name: lines.split()[-2] for name, lines in entries(results)}


def test_merge_says_what_it_finds():
    one = by_hand({"a": "1", "b": None, "c": None, "d": "2"})
    other = by_hand({"a": "3", "b": None, "c": "4", "d": "2"})
    (other / "b.json").write_text((other / "b.json").read_text() + " ")
    into = new_folder() / "into"
    merge(into, one)
    text = merge(into, other, status=1)
    assert "a.json: the same run made twice; ANOTHER final state; ours stays" in text, text
    assert "b.json: the same run made twice; neither has a final state" in text, text
    assert "c.json: the same run made twice; only the other has a final state" in text, text
    assert "1 were there, 3 conflicts" in text, text
    (into / "d.json").write_text("{}")
    text = merge(into, one, status=1)
    assert "d.json: not the file that was written" in text and f"1 of {into} were not what" in text, text
    assert "not what" not in merge(into, one)
    verify(into, "0 things wrong")


def test_a_merge_is_of_one_experiment_or_nothing_is_written():
    """Also where the sources alone do not belong together, so that nothing tells that INTO would."""
    one, other, into = by_hand({"a": "1"}), by_hand({"b": "2"}), new_folder() / "into"
    sweep = json.loads((other / "sweep.json").read_text())
    for change, word in (({"name": "y"}, f"its experiment is y, that of {one} is x"), ({"kind": "elc"}, "rollbench-sweep-1 elc, that of"),
                         ({"schema": "rollbench-simulations-1"}, "rollbench-simulations-1 engine, that of"), ({"runs": 1}, "no sweep.json")):
        (other / "sweep.json").write_text(json.dumps({**sweep, **change}))
        refuse("store", "merge", into, one, other, words=(str(other), word))
        assert not into.exists()
    merge(into, one)
    (other / "sweep.json").write_text(json.dumps({**sweep, "name": "y"}))
    before = merged(into)
    refuse("store", "merge", into, other, words=("its experiment is y", f"{into} is x"))
    assert merged(into) == before


def test_a_merge_refuses_what_is_no_record_of_the_sweep():
    """And goes on with the others. None of it may take the place of a record or of the list of runs."""
    into = new_folder() / "into"
    merge(into, by_hand({"a": "1"}))
    before = merged(into)
    names = ["kind", "schema", "key", "id", "sweep", "x/y", "x\\y", "x\ny", ""]
    source = by_hand({**dict.fromkeys(names[:4], "2"), "b": "3"})
    for name, change in (("kind", {"kind": "elc"}), ("schema", {"schema": "rollbench-simulate-1"}), ("key", {"key": ""}), ("id", {"id": "a"})):
        path = source / f"{name}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    sweep = json.loads((source / "sweep.json").read_text())
    (source / "sweep.json").write_text(json.dumps({**sweep, "id": "sweep", "key": "k", "runs": [*names, 3, "b"]}))
    text = merge(into, source, "--prefer", "from", status=1)
    assert text.count("refused: not the record of this run") == 4 and text.count("has no name that a record can have") == 6, text
    assert "1 records added, 0 were there, 0 conflicts, 10 refused" in text, text
    files, hashes = merged(into)
    assert set(hashes) == {"sweep", "a", "b"} and files["a.json"] == before[0]["a.json"], hashes
    assert json.loads(files["sweep.json"])["runs"] == ["a", *names[:4], "b"]
    verify(into, "0 things wrong")


def test_a_replacement_that_is_killed_twice():
    """The record that is there was to be replaced; what replaces it now knows it by its hash."""
    old, new = by_hand({"a": "1"}), by_hand({"a": "2"})
    into = new_folder() / "into"
    merge(into, old)
    record, manifest = (into / "a.json").read_bytes(), into / "manifest"
    was = listed(into)["a"]
    manifest.write_text(manifest.read_text().replace(was, f'# {{"before":{{"xxh3":"{was}"}}}}\n{32 * "0"}'))
    merge(into, new, "--prefer", "from")
    (into / "a.json").write_bytes(record)  # a crash before the new one was in place
    verify(into, "a.json: older than the manifest says", status=1)
    assert "ours stays" in merge(into, new, status=1)


def test_what_was_set_aside_before_is_kept():
    into, source = new_folder() / "into", by_hand({"a": "1"})
    merge(into, source)
    for text in ("{}", "[]"):
        (into / "a.json").write_text(text)
        assert "not the file that was written" in merge(into, source, status=1)
    assert (into / "a.json.changed").read_text() == "{}" and (into / "a.json.changed-2").read_text() == "[]"


def test_merge_of_a_folder_whose_sweep_was_killed_before_it_replaced_a_record():
    source, into = new_folder() / "source", new_folder() / "into"
    merge(source, by_hand({"a": "1"}))
    before, manifest = listed(source)["a"], source / "manifest"
    comment = json.dumps({"before": {"xxh3": before}})
    manifest.write_text(manifest.read_text().replace(before, f"# {comment}\n{32 * '0'}"))
    verify(source, "a.json: older", status=1)
    merge(into, source)
    assert listed(into)["a"] == before, listed(into)
    verify(into, "1 records as written, 0 things wrong")


def merged(results):
    """The result that a merge must have after any number of kills."""
    assert not list(results.glob("**/.rollbench-new*"))
    return {str(p.relative_to(results)): p.read_bytes() for p in results.glob("**/*.json")}, listed(results)


def test_a_merge_that_is_killed_is_repeated():
    ids = [f"run-{i}" for i in range(12)]
    sources = by_hand(dict.fromkeys(ids[:9], "1")), by_hand(dict.fromkeys(ids[6:], "2"))
    calm = new_folder() / "calm"
    begin = time.monotonic()
    merge(calm, *sources, status=1)
    took = min(time.monotonic() - begin, 0.5)
    expected, header = merged(calm), (calm / "manifest").read_text().splitlines(True)[0]
    assert len(expected[0]) == 1 + 12 + 3

    def goes_on(into):
        merge(into, *sources, status=1)
        assert merged(into) == expected, into
        shutil.rmtree(into)

    for manifest in ("", header[:40], header, f"{header}{32 * '0'}  sweep.json\n"):  # killed before the first sweep.json was in place
        into = new_folder() / "into"
        into.mkdir()
        (into / "manifest").write_text(manifest)
        (into / ".rollbench-new.abc123").write_text("{")
        goes_on(into)
    chance = random.Random(1)
    for _ in range(8):
        into = new_folder() / "into"
        process = subprocess.Popen([*COMMAND, "store", "merge", into, *sources], stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, took))
        process.kill()
        process.wait()
        goes_on(into)
    # Records without a sweep.json are treated differently.
    (calm / "sweep.json").unlink()
    refuse("store", "merge", calm, *sources, words=("no sweep.json",))


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def cell(value):
    """What a cell must hold for a value of a record."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return " ".join(map(str, value)) if isinstance(value, list) else value


def same(text, value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return text != "" and float(text) == value
    return text == cell(value)


def check_runs(rows, found):
    assert [row["id"] for row in rows] == [r["id"] for r in found]
    for row, r in zip(rows, found):
        for name in ("key", "status", "kernel", "layout", "np", "spares", "policy", "interval", "plan",
                     "state_hash", "loop_s", "wall_s", "oversubscribed", "finished_at"):
            assert same(row[name], r[name]), (name, row[name], r[name])
        assert row["params"] == " ".join(f"{k}={v}" for k, v in r["params"].items())
        assert same(row["mpi"], r["host"]["mpi"]) and '"' not in row["mpi"] and "," in row["mpi"]
        assert row["failures"] == str(len(r["failures"]))
        assert same(row["package_j"], r["energy"]["package_j"])
        assert same(row["message"], r.get("message"))


def check_failures(rows, found):
    for row, failure in zip(rows, [f for r in found for f in r["failures"]], strict=True):
        for name in ("role", "iteration", "kill", "detect_s", "restored_s", "catchup_s"):
            assert same(row[name], failure[name]), (name, row[name], failure[name])
        for name, key in (("rolled_back", "rollback_set"), ("active_roles", "active"), ("blocked_roles", "blocked")):
            assert row[name] == str(len(failure[key])), (name, row[name], failure[key])


def check_failure_roles(rows, found):
    """Who was in which set, by role."""
    mine = [(r, f) for r in found for f in r["failures"]]
    assert len(rows) == sum(r["np"] for r, _ in mine)
    for row, (failure, role) in zip(rows, [(f, role) for r, f in mine for role in range(r["np"])], strict=True):
        for name in ("rollback_set", "active", "blocked"):
            assert same(row[name], role in failure[name]), (name, row, failure)
        assert same(row["role"], role) and same(row["front"], failure["fronts"][role]), (row, failure)
        assert row["restored_from"] == "".join(source for source, roles in failure["restored_from"].items() if role in roles), (row, failure)


def check_traced(rows, record):
    """Per role and iteration, the sums of the trace's spans."""
    mine = [row for row in rows if row["id"] == record["id"]]
    expected = {}
    for trace in record["trace"]:
        for values in trace["rows"]:
            span = dict(zip(trace["columns"], values))
            sums = expected.setdefault((trace["role"], span["iteration"]), {"spans": 0, "wall_s": 0.0})
            sums["spans"] += 1
            sums["wall_s"] += span["wall_s"]
            key = f"{span['phase']}_s"
            sums[key] = sums.get(key, 0.0) + span["wall_s"]
    assert [(int(r["role"]), int(r["iteration"])) for r in mine] == list(expected)
    for row, sums in zip(mine, expected.values()):
        for name, value in sums.items():
            assert same(row[name], value), (name, row, value)
        assert row["package_j"] == ""


def test_export_round_trip():
    for meters in ("iterations", "phases"):
        results, out = new_folder() / "results", new_folder() / "tables"
        sweep(config(meters), results)
        done = call("export", "--csv", results, "--out", out)
        assert done.returncode == 0 and f"runs.csv: {RUNS} rows" in done.stdout, done
        order = json.loads((results / "sweep.json").read_text())["runs"]
        found = [json.loads((results / f"{i}.json").read_text()) for i in order]
        check_runs(table(out / "runs.csv"), found)
        check_failures(table(out / "failures.csv"), found)
        check_failure_roles(table(out / "failure_roles.csv"), found)
        rows = table(out / "iterations.csv")
        assert bool(rows) == (meters == "iterations")
        for record in found if rows else []:
            check_traced(rows, record)
        rows = table(out / "roles.csv")
        assert len(rows) == 2 * RUNS
        for row, role in zip(rows, [x for r in found for x in r["roles"]], strict=True):
            assert same(row["loop_s"], role["loop_s"]) and same(row["rss_peak_bytes"], role["rss_peak"])
            assert same(row["step_s"], role["used"]["step"]["wall_s"])
        assert not (wrong := export_tables.wrong_cells(out)), wrong
        assert {row["experiment"] for row in table(out / "runs.csv")} == {json.loads((results / "sweep.json").read_text())["name"]}
        for path in out.glob("*.csv"):
            text = path.read_bytes()
            assert text.endswith(b"\r\n") and text.count(b"\r\n") == text.count(b"\n")


def cut_record(room, back):
    """Role 0 dies in iteration 6 and goes back to 4; its trace has room for only so many spans."""
    spans = [(0, "setup", 1), *((i, "step", 1) for i in range(6))]
    if back:
        spans += [(0, "setup", 2), (4, "restore", 2), (4, "step", 2), (5, "step", 2)]
    spans += [(i, "step", 1 + back) for i in range(6, 9)]
    used = {}
    for _, phase, _ in spans:
        used.setdefault(phase, {"spans": 0, "wall_s": 0.0})["spans"] += 1
    rows = [[i, phase, of, float(n), 1.0] for n, (i, phase, of) in enumerate(spans)]
    return {"schema": "rollbench-run-1", "status": "ok", "roles": [{"role": 0, "used": used}],
            "failures": [{"role": 0, "checkpoint": 4, "rollback_set": [0]}] if back else [],
            "trace": [{"role": 0, "columns": ["iteration", "phase", "incarnation", "t_s", "wall_s"],
                       "rows": rows[:room], "dropped": max(len(rows) - room, 0)}]}


def test_a_trace_without_room_gives_no_partial_sums():
    for room, back, whole, rows in ((99, True, 9, 9), (6, False, 4, 5), (6, True, 3, 5),
                                    (10, True, 4, 6)):
        results = new_folder()
        record = {"id": "x", **cut_record(room, back)}
        (results / "x.json").write_text(json.dumps(record))
        (results / "sweep.json").write_text(json.dumps({"name": "x", "runs": ["x"]}))
        done = call("export", "--csv", results)
        assert done.returncode == 0, done
        assert ("had no room" in done.stderr) == (room < 99), done.stderr
        found = table(results / "iterations.csv")
        assert [int(row["iteration"]) for row in found] == list(range(rows)), found
        sums = [int(row["iteration"]) for row in found if row["wall_s"]]
        # The first one would contain the setup of a new process if there were room for it.
        first = int(back and room <= 7)
        assert sums == list(range(first, first + whole)), (room, back, sums)
        for row in found:
            empty = [row[k] == "" for k in ("wall_s", "spans", "step_s", "end_s", "last_incarnation")]
            assert len(set(empty)) == 1 and row["first_incarnation"], row


def test_odd_texts_survive_the_export():
    results = new_folder()
    odd = 'a "quoted" text,\r\nwith a comma and two lines '
    record = {"schema": "rollbench-run-1", "id": "x", "message": odd, "status": "", "loop_s": 0.1,
              "params": {}, "host": {"cpu": "Ünïcode"}, "np": 2 ** 53 + 1}
    (results / "x.json").write_text(json.dumps(record))
    (results / "sweep.json").write_text(json.dumps({"name": "x", "runs": ["x", "not-run-yet"]}))
    assert call("export", "--csv", results).returncode == 0
    row, = table(results / "runs.csv")
    assert row["message"] == odd and row["cpu"] == "Ünïcode" and row["np"] == str(2 ** 53 + 1), row
    assert float(row["loop_s"]) == 0.1 and row["policy"] == ""
    assert ',"",' in (results / "runs.csv").read_text()  # an empty text is no null


def test_the_overhead_is_what_the_manifest_says():
    results = new_folder() / "results"
    sweep(config(), results)
    lines = [json.loads(line) for line in re.findall("^# ({.*})$", (results / "manifest").read_text(), re.M)]
    inside = sum(line["wall_s"] for line in lines if "wall_s" in line)
    outside = sum(line["took_s"] - line["wall_s"] for line in lines if "took_s" in line)
    said = call("store", "overhead", results).stdout
    found = re.search(r"outside mpirun: (\S+) s, (\S+) % of the (\S+) s that (\d+) runs took", said)
    assert found and int(found[4]) == RUNS, said
    for text, value in zip(found.groups(), (outside, 100 * outside / inside, inside)):
        assert abs(float(text) - value) < 0.0051, (said, value)
    assert inside == sum(json.loads(path.read_text())["wall_s"] for path in records(results)) and inside > 0
    assert outside > 0, said


def done_with(path, results, **variables):
    """How many runs of the sweep count as done with these environment variables."""
    listed = call("sweep", path, "--results", results, "--dry-run", "--json", env={**os.environ, **variables})
    assert listed.returncode == 0, listed.stderr
    return sum(run["done"] for run in json.loads(listed.stdout)["runs"])


def test_other_arguments_of_mpirun_are_other_runs():
    results, path, args = new_folder() / "results", config(), "ROLLBENCH_MPIRUN_ARGS"
    asked = "--mca btl_tcp_if_include lo,127.0.0.0/8 --mca btl_tcp_eager_limit 70000"
    done = call("sweep", path, "--results", results, env={**os.environ, args: asked})
    assert done.returncode == 0, done
    record = json.loads(records(results)[0].read_text())
    assert record["host"]["mpirun"] == f"{os.environ.get('ROLLBENCH_MPIRUN', 'mpirun')} {asked}", record["host"]
    assert done_with(path, results, **{args: asked}) == RUNS
    assert done_with(path, results, **{args: asked.replace("127.0.0.0", "10.1.0.0")}) == RUNS
    assert done_with(path, results, **{args: asked.replace("lo,", "eth0,")}) == 0
    assert done_with(path, results, **{args: asked.replace("70000", "80000")}) == 0
    assert done_with(path, results) == done_with(path, results, **{args: asked}, ROLLBENCH_MPIRUN="/else/mpirun") == 0


def test_what_a_run_was_asked_and_lost_is_in_the_tables():
    results = new_folder()
    full = {"power_trouble": [{"role": 0, "text": "no, not that"}, {"role": 2, "text": "gone"}],
            "policy": "budget:1234", "policy_asked": "budget:40%", "hosts": ["h0", "h1", "h2"],
            "lost_hosts": ["h1"], "modelled": {"energy_j": 2.5, "unmeasured": [1, 3], "reason": None}}
    calm = {"power_trouble": [], "hosts": ["h0"], "lost_hosts": [],
            "modelled": {"energy_j": None, "unmeasured": [], "reason": "--meters off"}}
    for name, record in (("full", full), ("calm", calm), ("old", {})):
        (results / f"{name}.json").write_text(json.dumps({"schema": "rollbench-run-1", "id": name, **record}))
    (results / "sweep.json").write_text(json.dumps({"name": "x", "runs": ["full", "calm", "old"]}))
    assert call("export", "--csv", results).returncode == 0
    rows = [[row[name] for name in ("power_trouble", "policy_asked", "hosts", "lost_hosts", "modelled_j",
                                    "modelled_unmeasured", "modelled_reason")]
            for row in table(results / "runs.csv")]
    assert rows == [["role 0: no, not that; role 2: gone", "budget:40%", "h0 h1 h2", "h1", "2.5", "1 3", ""],
                    ["", "", "h0", "", "", "", "--meters off"], [""] * 7], rows
