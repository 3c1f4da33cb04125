"""`rollbench simulate FILE --results DIR`: the points of a file, what is made again, and interruptions."""
import json
import os
import signal
import subprocess

from rollbench import COMMAND, call, descendants_named, new_folder, refuse_all, wait_until

MODEL = """pattern: stencil1d
np: [4, 8, 12]
steps: 30
interval: 5
mtbf_node: 1 h
seeds: 3
seed: [10, 20, 30]
together: [np, seed]
runs:
  - line: [free, barrier]
  - line: own
    method: local
"""
IDS = [f"np={np}-line={line}" for np in (4, 8, 12) for line in ("free", "barrier")] + [
    f"np={np}-line=own-method=local" for np in (4, 8, 12)]


def write(folder, text, name="model"):
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def make(path, results, *more):
    done = call("simulate", path, "--results", results, *more)
    assert done.returncode == 0, done
    return done.stdout


def without_times(record):
    return {**record, "id": 0, "key": 0, "runs": [{**run, "wall_s": 0} for run in record["runs"]]}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_each_combination_is_a_point():
    folder = new_folder()
    path, results = write(folder, MODEL), folder / "results"
    assert "9 points: 9 simulated, 0 were there" in make(path, results, "--jobs", "3")
    assert read(results / "sweep.json") == {"schema": "rollbench-simulations-1", "name": "model", "file": str(path), "runs": IDS}
    assert {p.stem for p in results.glob("*.json")} == {*IDS, "sweep"}
    one = call("simulate", "stencil1d", "--np", "8", "--seed", "20", "--line", "barrier", "--steps", "30", "--interval", "5",
               "--mtbf-node", "1h", "--seeds", "3", "--json", "-")
    assert without_times(read(results / "np=8-line=barrier.json")) == {**without_times(json.loads(one.stdout)), "id": 0, "key": 0}
    assert [run["seed"] for run in read(results / "np=12-line=own-method=local.json")["runs"]] == [30, 31, 32]
    assert call("store", "verify", results).returncode == 0


def test_only_what_is_missing_or_changed_is_made_again():
    folder = new_folder()
    path, results = write(folder, MODEL), folder / "results"
    make(path, results)
    kept = results / "np=4-line=free.json"
    before = kept.stat().st_mtime_ns
    assert "0 simulated, 9 were there" in make(path, results)
    write(folder, "# a comment\n" + MODEL.replace("np: [4, 8, 12]", "np: [4, 8, 12] # roles"))
    assert "0 simulated, 9 were there" in make(path, results)
    (results / "np=8-line=free.json").unlink()
    (results / "np=12-line=free.json").write_text("{}", encoding="utf-8")  # not the file that was written
    write(folder, MODEL.replace("  - line: own\n", "  - line: own\n    steps: 40\n"))
    said = make(path, results)
    assert "9 points: 5 simulated, 4 were there" in said, said  # steps is in the names of three points now
    assert kept.stat().st_mtime_ns == before
    write(folder, MODEL.replace("seeds: 3", "seeds: 2"))
    said = make(path, results)
    assert "9 points: 9 simulated" in said and "9 records of another program or model" in said, said
    assert len(list((results / "replaced").glob("*.json"))) == 9
    assert "0 simulated, 9 were there" in make(path, results, "--jobs", "1", "--threads", "3")


def interrupted(results, path, number):
    """The exit status of a call that got a signal when the first records were there."""
    process = subprocess.Popen([*COMMAND, "simulate", str(path), "--results", str(results)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(list(results.glob("np=*.json"))) >= 2 or process.poll() is not None)
    process.send_signal(number)
    err = process.communicate(timeout=30)[1]
    return process.returncode, err


def test_an_interruption_leaves_whole_records_and_no_process():
    folder = new_folder()
    text = "pattern: stencil1d\nnp: [" + ", ".join(str(2000 + n) for n in range(60)) + "]\nsteps: 400\nmtbf_node: 50 h\n"
    path = write(folder, text)
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        results = folder / f"of-{number}"
        found, err = interrupted(results, path, number)
        assert found == status and (number == signal.SIGKILL or "no process is left" in err), (found, err)
        assert number == signal.SIGKILL or not descendants_named(results)
        wait_until(lambda: not descendants_named(results))
        made = [read(p) for p in results.glob("np=*.json")]
        assert 2 <= len(made) < 60 and all(len(record["runs"]) == 3 for record in made)
        verified = call("store", "verify", results)
        assert verified.returncode == 0 or (number == signal.SIGKILL and "missing" in verified.stdout), verified
    write(folder, text.replace("400", "400 # as before"))
    (results / ".lock").stat()
    assert f"{60 - len(made)} simulated, {len(made)} were there" in make(path, results)
    assert not [p for p in os.listdir(results) if p.startswith(".rollbench-new")]


def test_what_is_refused():
    folder = new_folder()

    def file(name, old, new):
        return write(folder, MODEL.replace(old, new, 1), name)
    good, to = write(folder, MODEL), ("--results", folder / "none")
    refuse_all(
        ("simulate", good, "--json", "-", ("--json", "9 points", "--results")),
        ("simulate", good, *to, "--np", "8", ("--np", "differ in it")),
        ("simulate", good, *to, "--line=barrier", ("--line", "differ in it")),
        ("simulate", "stencil1d", "--np", "8", *to, ("--results", "FILE.yaml")),
        ("simulate", file("length", "30]", "30, 40]"), *to, ("length.yaml:8", "np has 3 values", "seed has 4")),
        ("simulate", file("key", "[np, seed]", "[np, sed]"), *to, ("key.yaml:8", "sed", "together")),
        ("simulate", file("twice", "[np, seed]", "[np, seed, seed]"), *to, ("twice.yaml:8", "seed", "twice")),
        ("simulate", file("empty", "[4, 8, 12]", "[]"), *to, ("empty.yaml:2", "np")),
        ("simulate", file("deep", "[4, 8, 12]", "[4, [8], 12]"), *to, ("deep.yaml:2",)),
        ("simulate", file("value", "[4, 8, 12]", "[4, 8, many]"), *to, ("value.yaml:2", "np", "many")),
        ("simulate", file("last", "[4, 8, 12]", "[4, 8, 12]\nfail: [1@3, 2@4, 9@5]"), *to, ("last.yaml", "np=4", "role 9")),
        ("simulate", file("same", "[free, barrier]", "[free, free]"), *to, ("same.yaml:10", "line: free is there twice")),
        ("simulate", file("runs", "  - line: own\n", "  - own\n"), *to, ("runs.yaml:11",)),
        ("simulate", file("name", "pattern", "name: a/b\npattern"), *to, ("name.yaml:1", "folder")),
    )
    assert not (folder / "none").exists()


def test_a_point_that_fails_does_not_stop_the_others():
    """97 days of simulated time are the limit, and one point is longer."""
    folder = new_folder()
    path = write(folder, "pattern: stencil1d\nnp: 4\nsteps: 40\nwork: [1 s, 10 d, 2 s]\nmtbf_node: 100 d\n")
    done = call("simulate", path, "--results", folder / "results")
    assert done.returncode == 1 and "work=10_d: the run lasts longer" in done.stderr, done
    assert "3 points: 2 simulated, 0 were there, 1 failed" in done.stdout, done
    assert {p.name for p in (folder / "results").glob("work=*")} == {"work=1_s.json", "work=2_s.json"}
