"""--timeline on and --trace: what each process did, and when, fits what the record says otherwise; and the figure of it."""
import itertools
import json
import shutil

import jsonschema
import pytest

import drawing
from figure_records import plot, record
from problems import CG4, JACOBI
from rollbench import call, new_folder, reference, refuse, refuse_all, run

NUMBER = {"type": "integer", "minimum": 0}
EVENT = {"type": "object", "required": ["name", "ph", "pid", "tid"], "additionalProperties": False,
         "properties": {"name": {"type": "string", "minLength": 1}, "ph": {"enum": ["X", "i", "M"]}, "pid": {"type": "integer", "minimum": 1},
                        "tid": {"const": 1}, "ts": NUMBER, "dur": NUMBER, "s": {"const": "p"}, "args": {"type": "object"}},
         "allOf": [{"if": {"properties": {"ph": {"const": kind}}}, "then": {"required": keys}}
                   for kind, keys in (("X", ["ts", "dur"]), ("i", ["ts", "s"]), ("M", ["args"]))]}
# "Trace Event Format", JSON Object Format: what of it is written.
TRACE = {"type": "object", "required": ["traceEvents", "displayTimeUnit"], "additionalProperties": False,
         "properties": {"displayTimeUnit": {"enum": ["ms", "ns"]}, "otherData": {"type": "object"}, "traceEvents": {"type": "array", "items": EVENT}}}


def traced(*args):
    """The record and the trace of a run."""
    folder = new_folder()
    done = call("run", *args, "--trace", folder / "trace", "--json", folder / "record")
    assert done.returncode == 0, done.stderr
    trace = json.loads((folder / "trace").read_text())
    jsonschema.validate(trace, TRACE)
    return json.loads((folder / "record").read_text()), trace


def rows_of(process, *kinds):
    """[(what, iteration, begun, ended)]"""
    return [(what, iteration, begun, begun + length) for what, iteration, begun, length in process["rows"] if not kinds or what in kinds]


def check_nesting(events):
    """On a track, one event contains another one or is apart from it; so a viewer draws them below each other."""
    for track in {e["pid"] for e in events}:
        mine = sorted(((e["ts"], -e["dur"], e["name"]) for e in events if e["pid"] == track and e["ph"] == "X"))
        open_until = []
        for begun, less, name in mine:
            while open_until and open_until[-1] <= begun:
                open_until.pop()
            assert not open_until or begun - less <= open_until[-1], (track, name, begun)
            open_until.append(begun - less)
            assert less == 0 or len(open_until) <= 2, (track, name, begun)


def check_tracks(trace, record):
    """A track per process, with as many events as it has rows; what happened to processes is on their tracks."""
    events = trace["traceEvents"]
    check_nesting(events)
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert len(names) == len(record["timeline"]["processes"])
    for track, process in enumerate(record["timeline"]["processes"], 1):
        assert f"pid {process['pid']} on {process['host']}" in names[track], names
        assert sum(e["pid"] == track and (e["ph"] == "X" or e["ph"] == "i" and e["name"] not in ("SIGKILL", "failure detected"))
                   for e in events) == len(process["rows"])
    return {name: [names[e["pid"]].split(" (")[0] for e in events if e["ph"] == "i" and e["name"] == name] for name in ("SIGKILL", "failure detected")}


def last(rows):
    """When the last of these ended."""
    return max(ended for *_, ended in rows)


def test_a_recovery_is_in_the_trace():
    """The times of the failure were taken between two readings of the clock that the timeline has."""
    found, trace = traced(*JACOBI, "--policy", "all", "--ckpt-lag", "sync", "--kill", "2@33:send")
    failure, = found["failures"]
    processes = found["timeline"]["processes"]
    dead, = (p for p in processes if p["died_us"] is not None)
    new, = (p for p in processes if p["role"] == 2 and p is not dead)
    survivors = [p for p in processes if p["role"] not in (2, None)]
    assert check_tracks(trace, found) == {"SIGKILL": ["role 2"], "failure detected": [f"role {p['role']}" for p in survivors]}
    assert found["state_hash"] == reference(*JACOBI) and (dead["spare"], new["spare"]) == (None, 0) and dead["ended_us"] is None
    assert [row[1] for row in rows_of(new, "catchup")] == list(range(failure["checkpoint"], 33)), rows_of(new, "catchup")
    assert len(rows_of(new, "step")) == found["iterations"]["useful"] // found["np"] - 33
    assert last(rows_of(dead)) == dead["died_us"] and rows_of(dead)[-1][:2] == ("step", 33)
    zero, repairs = dead["died_us"], [row for p in survivors for row in rows_of(p, "repair")]
    assert len(repairs) == len(survivors)
    for p in survivors:  # one that had just committed an iteration gives up nothing
        assert [row[1] for row in rows_of(p, "repair")] == [failure["fronts"][p["role"]]], (p["role"], failure["fronts"])
        assert [row[1] for row in rows_of(p, "aborted")] in ([], [failure["fronts"][p["role"]]]), (p["role"], failure["fronts"])
    assert all({"revoke", "agree", "drain", "shrink", "gather"} <= {row[0] for row in rows_of(p)} for p in survivors)
    agreed = max(last([row for row in rows_of(p, "agree") if row[3] <= end]) for p in survivors for *_, end in rows_of(p, "repair"))
    assert 0 < 1e6 * failure["detect_s"] <= max(begun for *_, begun, _ in repairs) - zero + 2, (failure, repairs)
    assert agreed - 2 <= 1e6 * failure["resume_s"] + zero <= last(repairs) + 2, (failure, agreed, repairs)
    restores = rows_of(new, "restore")
    assert restores[0][2] - 2 <= 1e6 * failure["restored_s"] + zero <= max(last(restores), last(repairs)) + 2, (failure, restores)


def test_without_a_failure_nothing_is_repaired():
    found, trace = traced(*CG4, "--spares", 1)
    assert check_tracks(trace, found) == {"SIGKILL": [], "failure detected": []}
    *roles, spare = found["timeline"]["processes"]
    assert [p["role"] for p in roles] == [0, 1, 2, 3] and (spare["role"], spare["spare"]) == (None, 0)
    for process in roles:
        steps = rows_of(process, "step")
        assert [row[1] for row in steps] == list(range(len(steps))) and len(steps) * found["np"] == found["iterations"]["executed"]
        assert all(a[3] <= b[2] for a, b in itertools.pairwise(steps))
        assert {row[0] for row in rows_of(process)} <= {"setup", "step", "checkpoint", "wait", "agree", "finish", "verify", "close"}
    assert {row[0] for row in rows_of(spare)} == {"standby", "agree"} and all(row[1] is None for row in rows_of(spare))
    assert "timeline" not in run(*CG4)


@pytest.mark.long
def test_a_new_job_and_a_started_process_have_their_own_tracks():
    found, trace = traced(*JACOBI, "--strategy", "restart", "--kill", "2@33")
    jobs = [p["job"] for p in found["timeline"]["processes"]]
    assert jobs == [0] * 6 + [1] * 6 and check_tracks(trace, found)["SIGKILL"] == ["role 2"]
    assert [p["ended_us"] is None for p in found["timeline"]["processes"]] == [True] * 6 + [False] * 6
    found, trace = traced(*JACOBI, "--strategy", "restart", "--kill", "2@33", "--kill", "3@40")
    assert check_tracks(trace, found)["SIGKILL"] == ["role 2", "role 3"], check_tracks(trace, found)
    assert [p["job"] for p in found["timeline"]["processes"] if p["died_us"] is not None] == [0, 1]
    found, trace = traced(*JACOBI, "--replace", "spawn", "--spares", 0, "--kill", "2@33")
    *_, started = found["timeline"]["processes"]
    assert (started["spare"], started["role"]) == (None, 2) and len(found["timeline"]["processes"]) == 7
    assert any(row[0] == "spawn" for p in found["timeline"]["processes"] for row in rows_of(p))
    found, trace = traced(*JACOBI, "--spares", 2, "--kill", "spare1@20", "--kill", "1@30")
    assert check_tracks(trace, found)["SIGKILL"] == ["role 1", "spare 1"], check_tracks(trace, found)


def test_what_cannot_be_traced_is_refused():
    folder = new_folder()
    refuse_all(("run", *CG4, "--trace", folder / "no" / "file", ("no/file", "cannot be written")),
               ("run", "gauss_jordan", "--protocol", "events", "--np", 2, "--trace", folder / "file", ("--trace", "--protocol")),
               ("run", *CG4, "--timeline", "yes", ("--timeline yes", "off or on")),
               ("run", *CG4, "--trace", "-", ("--trace -", "a file of its own")),
               ("run", *CG4, "--trace", folder / "x", "--json", folder / "x", ("--trace", "a file of its own")))
    call("run", *CG4, "--keep", "--workdir", folder)
    kept, = folder.glob("rollbench-*")
    refuse("resume", kept, "--trace", folder / "file", words=("--trace", "--timeline on"))
    assert [*folder.iterdir()] == [kept]
    shutil.rmtree(kept)


def timeline(died, rows):
    """Of role 0, which died and was replaced by spare 0, and of role 1, each with rows of 100 us."""
    process = {"job": 0, "host": "h", "pid": 5, "began_us": 0, "adopted_us": 0, "ended_us": 9000, "died_us": None, "dropped": 0}
    return {"state": "on", "origin_s": 1.0, "shortest_wait_us": 20.0, "columns": ["what", "iteration", "begun_us", "us"],
            "processes": [{**process, "spare": None, "role": 0, "died_us": died, "ended_us": None, "rows": [["step", 3, 100, died - 100]]},
                          {**process, "spare": None, "role": 1, "rows": [["aborted", 3, 100, 1000], ["repair", 3, 1100, 2000]]},
                          {**process, "spare": 0, "role": 0, "rows": [["standby", None, 0, 1200], *rows]}]}


def of_length(seconds, repetition, **more):
    new = [["restore", 2, 3100, 400], ["catchup", 2, 3500, 300], ["step", 3, 3800, 100]]
    found = record("all", "0@3:send", repetition, timeline=timeline(500, new), **more)
    found["failures"] = [{**found["failures"][0], "restored_s": seconds}]
    return found


def test_the_figure_is_of_the_run_with_the_median_time():
    runs = [of_length(seconds, i) for i, seconds in enumerate((0.007, 0.003, 0.004, 0.009))]
    said, drawn = plot("recovery_timeline", [*runs, record("all", "1@3:send", 9)])
    assert "-r2, all restored after 4.0 ms; the median of 4 runs" in said, said
    table = (drawn / "recovery-timeline.data.csv").read_text()
    assert "role 0: spare 0" in table and "the median of 4 runs" in table
    rows = drawing.ask("(lambda found: [[p.name, p.died, p.detected, [list(s) for s in p.spans]] for p in found] + [t.end_of_recovery(found)])"
                       "(t.processes(records[0]))", [runs[0]], "from plots.common import timelines as t")
    assert rows == [["role 0", 0.0, None, [["step", 3, -0.4, 0.0]]],
                    ["role 0: spare 0", None, None, [["standby", None, -0.5, 0.7], ["restore", 2, 2.6, 3.0], ["catchup", 2, 3.0, 3.3], ["step", 3, 3.3, 3.4]]],
                    ["role 1", None, 0.6, [["aborted", 3, -0.4, 0.6], ["repair", 3, 0.6, 2.6]]], 3.3], rows


def test_the_figure_says_what_it_lacks():
    said, _ = plot("recovery_timeline", [record("all", "1@3:send")], expect=1)
    assert "no good run with a death and a timeline; run with --timeline on" in said, said
    cut = of_length(0.004, 2)
    cut["timeline"]["processes"][1]["dropped"] = 1
    said, _ = plot("recovery_timeline", [of_length(0.004, 0), of_length(0.004, 1, equal=False), cut])
    assert "1 runs not ok or not equal, 1 runs whose timeline had no room for all rows" in said and "the only run" in said, said
