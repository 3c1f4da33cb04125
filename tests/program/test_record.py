"""A record follows from the run folder: what was asked for, the ledgers, and the events. Nothing else has a say."""
import json
import re
import shutil
import signal
import subprocess

import pytest

from problems import CG4, JACOBI, LONG
from rollbench import COMMAND, EXIT, HELPERS, call, new_folder, wait_until

EVIDENCE = ("spec.json", "*.ledger", "*.usage", "report-*.json", "events.*.jsonl")

GAUSS = ("gauss_jordan", "--np", 3, "--size", 60, "--reference", "none")

# A run of each kind of evidence: what is asked for, and how it ends.
RUNS = {
    "failure-free": ((*JACOBI,), "ok"),
    "plan": ((*JACOBI, "--policy", "all", "--spares", 3, "--kill", "1@30:send", "--kill", "1@30:restore", "--kill", "0@9999"), "ok"),
    "spare": ((*JACOBI, "--policy", "all", "--spares", 2, "--kill", "spare0@10", "--kill", "3@30"), "ok"),
    "node": ((*CG4, "--policy", "budget:30%", "--spares", 2, "--node-size", 2, "--ckpt", "file", "--kill", "node1@38"), "ok"),
    "clock": ((*JACOBI, "--policy", "all", "--spares", 2, "--kill-at", "0.005:1", "--kill-at", "1000:0"), "ok"),
    "restart": ((*JACOBI, "--strategy", "restart", "--kill", "2@33", "--meters", "iterations"), "ok"),
    "out of spares": ((*JACOBI, "--policy", "all", "--spares", 1, "--kill", "1@30", "--kill", "2@30"), "out-of-spares"),
    "all die": ((*JACOBI[:5], "--np", 1, "--policy", "all", "--kill", "0@30", "--spares", 0), "out-of-spares"),
    "hang": ((*JACOBI[:3], "--steps", 100000000, "--np", 2, "--deadline", 1.5), "hang"),
    "dataflow": ((*JACOBI, "--recompute", "dataflow", "--kill", "1@30"), "ok"),
    "receiver": ((*JACOBI, "--policy", "receiver", "--kill", "1@30"), "ok"),
    "paired": ((*JACOBI, "--paired", 10), "ok"),
    "lines": ((*GAUSS, "--lines", 4, "--kill", "2@30", "--kill-at", "start+0.001:1", "--kill", "0@9999"), "ok"),
    "no lines": (("cg", "--class", "S", "--np", 2, "--protocol", "off"), "ok"),
    "lines, a hang": (("gauss_jordan", "--np", 2, "--size", 6000, "--deadline", 2, "--reference", "none"), "hang"),
    "lines, killed thrice": ((*GAUSS, "--lines", 0, "--kill", "0@20", "--kill", "0@20", "--kill", "0@20"), "ok"),
}


def remade(folder):
    """The record as text, as it follows from the evidence in a copy of the folder."""
    copy = new_folder() / "copy"
    copy.mkdir()
    for pattern in EVIDENCE:
        for path in folder.glob(pattern):
            shutil.copy(path, copy)
    done = subprocess.run([HELPERS / "remake_record", copy], capture_output=True, text=True, timeout=60, check=False,
                          env={"PATH": "/usr/bin:/bin", "ROLLBENCH_MPIRUN": "/another/mpirun", "OMPI_MCA_pml": "another"})
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def moved(work):
    """The one run folder that was kept there, under another name."""
    folder, = work.glob("rollbench-run-*")
    return folder.rename(work / "kept")


def kept(*args, expect="ok"):
    """Run and keep the folder: (folder, record as text)."""
    work = new_folder()
    done = call("run", *args, "--keep", "--quiet", "--workdir", work, "--json", work / "record.json")
    assert done.returncode == EXIT[expect], (done.returncode, done.stderr)
    return moved(work), (work / "record.json").read_text()


@pytest.mark.parametrize("kind", RUNS)
def test_a_record_follows_from_the_run_folder_alone(kind):
    args, expect = RUNS[kind]
    folder, text = kept(*args, expect=expect)
    assert json.loads(text)["status"] == expect
    assert remade(folder) == text


def events_of(folder):
    path, = folder.glob("events.*.jsonl")
    return path, path.read_text().splitlines(keepends=True)


def test_what_several_hosts_told_makes_one_record():
    folder, text = kept(*RUNS["plan"][0])
    path, lines = events_of(folder)
    path.write_text("".join(lines[::2]))
    path.with_name("events.another.jsonl").write_text("".join(lines[1::2]))
    assert remade(folder) == text


def test_a_record_says_what_the_events_say():
    """Without one of them the record is another: they are not only carried along."""
    folder, text = kept(*RUNS["plan"][0])
    path, lines = events_of(folder)
    record = json.loads(text)
    killed = {(f["role"], f["phase"]) for f in record["failures"]}
    assert killed == {(1, "send"), (1, "restore")} and record["unfired"] == ["0@9999:start"], record

    path.write_text("".join(line for line in lines if '"plan":0' not in line))
    record = json.loads(remade(folder))
    assert (1, "unplanned") in {(f["role"], f["phase"]) for f in record["failures"]}, record["failures"]
    assert record["unfired"] == ["1@30:send", "0@9999:start"], record["unfired"]
    path.write_text("".join(line for line in lines if '"mpi"' not in line))
    record = json.loads(remade(folder))
    assert record["host"]["mpi"].startswith("unknown") and "transport" not in record["host"], record["host"]

    path.write_text("".join(line for line in lines if '"ended"' not in line))
    done = subprocess.run([HELPERS / "remake_record", folder], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and not done.stdout, "a run of which nobody says that it ended has a record"


def test_jobs_come_in_the_order_of_their_numbers():
    """The clock of the host that made the last job was behind."""
    folder, text = kept(*RUNS["lines"][0])
    path, lines = events_of(folder)
    *_, last = (i for i, line in enumerate(lines) if line.startswith('{"event":"job_ended"'))
    lines[last] = re.sub(r'"at":[0-9.]+', '"at":1.5', lines[last])
    path.write_text("".join(lines))
    assert remade(folder) == text


def test_a_record_of_a_resumed_run_follows_from_its_folder():
    """The events of both launches are there; the record is of the second, with the deaths of both."""
    work = new_folder()
    process = subprocess.Popen([*COMMAND, "run", *map(str, LONG), "--policy", "all", "--spares", "1", "--ckpt", "file", "--kill", "1@30",
                                "--keep", "--workdir", work], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len([*work.glob("*/role.0.iter.*.ckpt")]) > 1 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    folder, = work.glob("rollbench-run-*")
    done = call("resume", folder, "--keep", "--quiet", "--json", work / "record.json")
    assert done.returncode == 0, done.stderr
    text = (work / "record.json").read_text()
    record = json.loads(text)
    assert record["resumed"] and [f["kill"] for f in record["failures"]] == ["1@30:start"], record["failures"]
    folder = moved(work)
    _, lines = events_of(folder)
    assert [json.loads(line)["resumed"] for line in lines if re.match(r'{"event":"launch"', line)] == [False, True]
    assert [json.loads(line)["job"] for line in lines if re.match(r'{"event":"job"', line)] == [0, 1]
    assert remade(folder) == text

    # The clock of the host that resumed it was behind.
    path, lines = events_of(folder)
    first, second = (i for i, line in enumerate(lines) if line.startswith('{"event":"ended"'))
    lines[first] = re.sub(r'"at":[0-9.]+', '"at":9999999999.5', lines[first])
    path.write_text("".join(lines))
    assert remade(folder) == text and second > first
