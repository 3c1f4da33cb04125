"""--watts: made series of wattmeters beside runs, checked against sums worked out here; commands that end with the run."""
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import pytest

from rollbench import COMMAND, EXIT, call, descendants_named, new_folder, refuse_all, run, wait_until

HERE = socket.gethostname()
JACOBI = ("jacobi", "--grid", 400, "--steps", 200, "--np", 2, "--spares", 1, "--interval", 50, "--policy", "all", "--kill", "1@120")
METER = """\
echo $$ >>{pids}
sleep 1000 & echo $! >>{pids}
echo time,node,watts
while :; do echo "$(date +%s.%N),{host},50"; sleep 0.02; done
"""


def write_series(path, rows, header="time,node,watts"):
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def meter_command(folder, text=METER):
    """A command that says by which processes it is carried out."""
    script, pids = folder / "meter.sh", folder / "pids"
    script.write_text(text.format(pids=pids, host=HERE))
    return f"cmd:sh {script}", pids


def none_left(pids):
    numbers = [int(line) for line in pids.read_text().split()]
    assert len(numbers) >= 2, numbers
    return not [n for n in numbers if pathlib.Path(f"/proc/{n}").exists()]


def ramp(t, zero):
    return 100 + 10 * (t - zero)


def close(a, b, tolerance):
    assert abs(a - b) <= tolerance, (a, b)


def test_a_recorded_ramp_gives_its_integral():
    """The series is there before the run, from before it to long behind it; its watts rise linearly with time. A recovery takes a few
    milliseconds, and has joules only if a reading lies within it."""
    folder, zero, apart = new_folder(), time.time() - 2, 0.001
    times = [zero + apart * i for i in range(120000)]
    rows = [f"{t:.6f},{HERE},{ramp(t, zero):.9f}" for t in times] + [f"{zero},elsewhere,5"]
    record = run(*JACOBI, "--watts", write_series(folder / "ramp.csv", rows), "--meters", "iterations")
    watts, node = record["watts"], record["watts"]["nodes"][0]
    begin, length = watts["begin"], watts["seconds"]
    assert watts["reason"] is node["reason"] is watts["cut_line"] is watts["command_ended"] is None, watts
    assert watts["unknown_nodes"] == [{"node": "elsewhere", "line": 120002, "samples": 1}], watts["unknown_nodes"]
    assert "elsewhere" in record["_stderr"] and node["node"] == HERE and node["roles"] == [0, 1], node
    close(length, record["loop_s"], 0.1)
    close(node["energy_j"], length * ramp(begin + length / 2, zero), 1e-3)
    inside = [t for t in times if begin <= t <= begin + length]
    close(node["samples"], len(inside), 1)
    close(node["mean_w"], sum(ramp(t, zero) for t in inside) / len(inside), 0.2)
    close(node["longest_gap_s"], apart, 1e-4)
    t, first = node["readings"][0]
    assert -1.01 * apart < t <= 0 and length <= node["readings"][-1][0] < length + 1.01 * apart, node["readings"]
    close(first, ramp(begin + t, zero), 1e-3)
    assert len(node["readings"]) == node["samples"] + 2, node
    [recovery], [joules] = watts["recoveries"], node["recovery_j"]
    from_, to = recovery["begin_s"], recovery["end_s"]
    close(joules, (to - from_) * ramp(begin + (from_ + to) / 2, zero), 1e-3)
    repairs = [row for trace in record["trace"] for row in trace["rows"] if row[1] == "repair"]
    assert repairs and all(from_ <= row[3] <= to for row in repairs), (recovery, repairs)
    assert recovery["epoch"] == record["failures"][0]["epoch"] and 0 < from_ < to < length, recovery


@pytest.mark.long
def test_what_the_series_lacks_is_said():
    folder, now = new_folder(), time.time()

    def told(rows, *more):
        record = run(*JACOBI[:9], "--watts", write_series(folder / "series.csv", rows), *more)
        return record["watts"], record["watts"]["nodes"][0]["reason"], record["_stderr"]

    watts, _, said = told([f"1580702700,{HERE},100"])
    assert "no reading within the run" in watts["reason"] and "all are from 1580702700.000" in watts["reason"], watts
    assert "clocks" in watts["reason"] and watts["reason"] in said and watts["nodes"][0]["energy_j"] is None
    watts, reason, _ = told([f"{now + 0.01 * i:.3f},strange,100" for i in range(6000)])
    assert "series.csv:2: node strange is no host of the run" in watts["reason"] and "no readings" in reason, watts
    rows = [f"{now + 0.005 * i - 1:.3f},{HERE},{109 if i % 2 else 120}" for i in range(12000)]
    watts, reason, _ = told(rows, "--watts-min", 110)
    node = watts["nodes"][0]
    assert reason is None and watts["min_w"] == 110 and abs(node["dropped"] - node["samples"]) <= 1, node
    close(node["energy_j"], 120 * watts["seconds"], 1e-6)


@pytest.mark.long
def test_nothing_is_extrapolated():
    """The first reading of this host comes when the failure has fired; no reading is of the time before."""
    folder = new_folder()
    late = (f"cmd:echo time,node,watts; echo 1,x,1; while [ ! -e {folder}/rollbench-*/kill.0 ]; do sleep 0.005; done; "
            f'while :; do echo "$(date +%s.%N),{HERE},100"; sleep 0.005; done')
    watts = run(*JACOBI[:3], "--steps", 600, *JACOBI[5:], "--workdir", folder, "--watts", late)["watts"]
    node = watts["nodes"][0]
    assert watts["reason"] is None and node["energy_j"] is None and "one before its beginning" in node["reason"], watts
    assert node["mean_w"] == 100 and 0 < node["readings"][0][0] < watts["seconds"], node


def test_bad_series_are_refused_before_the_run():
    folder = new_folder()
    texts = ("1,a,5\n1,a,x\n", "time,node,watts\n2,a,5\n1,a,5\n", "time,node,watts\n1,a,-5\n")
    words = ("series0.csv:1: \"1,a,5\": expected the header", "series1.csv:3: time: 1.000 s before", 'series2.csv:2: watts "-5"')
    for i, text in enumerate(texts):
        (folder / f"series{i}.csv").write_text(text)
    config = folder / "tiny.yaml"
    config.write_text(f"name: tiny\nwatts: {folder}/absent.csv\nruns:\n  - kernel: jacobi\n    grid: 64\n"
                      "    np: 2\n    interval: 10\n    policy: none\n")
    refuse_all(*(("run", *JACOBI, "--watts", folder / f"series{i}.csv", ("--watts", word)) for i, word in enumerate(words)),
               ("run", *JACOBI, "--watts", folder / "absent.csv", ("--watts", "absent.csv: No such file")),
               ("run", *JACOBI, "--watts", folder, ("not a plain file",)),
               ("run", *JACOBI, "--watts", "cmd: ", ("expected a command",)),
               ("run", *JACOBI, "--watts-min", 5, ("--watts-min", "only with --watts")),
               ("run", *JACOBI, "--watts-min", -5, ("--watts-min",)),
               ("sweep", config, ("tiny.yaml:2: watts:", "absent.csv: No such file")))
    for command, word in (("echo no such meter >&2; exit 3", "exit status 3: no such meter"), ("echo Watts: 5", "expected the header time,node,watts"),
                          ("echo time,node,watts", "without a reading: exit status 0")):
        done = call("run", *JACOBI, "--watts", f"cmd:{command}", "--quiet")
        assert done.returncode == 2 and "--watts" in done.stderr and word in done.stderr, done


def test_a_command_ends_with_its_run():
    folder = new_folder()
    command, pids = meter_command(folder)
    record = run(*JACOBI[:3], "--steps", 6000, *JACOBI[5:], "--watts", command)  # a second: on a busy machine the command stands still for tenths of one
    node = record["watts"]["nodes"][0]
    assert record["watts"]["reason"] is node["reason"] is record["watts"]["command_ended"] is None, record["watts"]
    close(node["energy_j"], 50 * record["watts"]["seconds"], 1e-6)
    assert none_left(pids)
    pids.unlink()
    failed = run(*JACOBI, "--kill", "0@130", "--spares", 1, "--watts", command, expect="out-of-spares")
    assert "did not finish" in failed["watts"]["reason"] and failed["watts"]["nodes"] == [] and none_left(pids)
    early, _ = meter_command(folder, METER.replace("while :", "for i in 1 2") + "echo battery empty >&2; exit 1\n")
    watts = run(*JACOBI, "--watts", early)["watts"]
    assert watts["command_ended"] == "exit status 1: battery empty", watts
    assert watts["reason"] or "one behind its end" in watts["nodes"][0]["reason"], watts


def test_a_command_ends_with_a_killed_harness():
    folder = new_folder()
    command, pids = meter_command(folder)
    endless = ("run", *JACOBI[:3], "--steps", 10**7, *JACOBI[5:9], "--watts", command, "--workdir", folder)
    for sign in (signal.SIGINT, signal.SIGKILL):
        pids.unlink(missing_ok=True)
        harness = subprocess.Popen([*COMMAND, *map(str, endless)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: list(folder.rglob("role.*.ledger")))
        assert not none_left(pids)
        harness.send_signal(sign)
        harness.wait(timeout=60)
        if sign == signal.SIGINT:
            assert harness.returncode == 128 + sign and none_left(pids), harness.returncode
        else:  # nobody waits for it, but it comes
            wait_until(lambda: none_left(pids), seconds=20)
    wait_until(lambda: not descendants_named(folder), seconds=30)
    [kept] = folder.glob("rollbench-*")
    shutil.rmtree(kept)


@pytest.mark.long
def test_a_sweep_has_readings_of_new_runs_only():
    folder = new_folder()
    command, pids = meter_command(folder)
    config = folder / "tiny.yaml"
    text = ("name: tiny\n{watts}runs:\n  - kernel: jacobi\n    grid: 64\n    steps: 40\n    np: 2\n    interval: 10\n"
            "    policy: {policy}\n")
    config.write_text(text.format(watts="", policy="none"))
    assert call("sweep", config, "--results", folder / "r").returncode == 0
    config.write_text(text.format(watts=f'watts: "{command}"\nwatts_min: 20\n', policy="[none, all]"))
    done = call("sweep", config, "--results", folder / "r")
    assert done.returncode == EXIT["ok"] and "1 of these were made without --watts" in done.stdout, done
    records = [json.loads(p.read_text()) for p in (folder / "r").glob("*.json") if p.name != "sweep.json"]
    with_watts = [r for r in records if "watts" in r]
    assert len(records) == 2 and [r["policy"] for r in with_watts] == ["all"], records
    assert with_watts[0]["watts"]["min_w"] == 20 and none_left(pids)
