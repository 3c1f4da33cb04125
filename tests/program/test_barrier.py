"""The barrier benchmark: its record, what it refuses, what it leaves behind, and its figure."""
import json
import os
import signal
import subprocess

import pytest

import drawing
from rollbench import COMMAND, call, descendants_named, new_folder, refuse, side_by_side, wait_until

SHORT = ("barrier", "--np", 2, "--seconds", 0.2, "--repetitions", 2)
TECHNIQUES = ["none", "sleep", "dvfs", "cm", "dvfs+cm"]
USED = ("wall_s", "cpu_s", "user_s", "system_s", "cycles", "instructions")


def barrier(*args):
    done = call(*args, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def absent(record):
    """{technique: reason} of those that this machine does not support."""
    return {t["name"]: t["absent"] for t in record["techniques"] if t["absent"]}


def check_sample(sample, phase, record):
    for key in USED:
        value = sample[key]
        assert value is None or value >= 0, (key, sample)
    if phase["phase"] == "product" or sample["rank"] == record["late_rank"]:
        # A waiting rank may have begun later than the late one; check_latency() knows the end.
        assert sample["wall_s"] >= 0.99 * record["seconds"], sample
    if phase["phase"] == "product":
        assert sample["products"] > 0 and sample["latency_s"] is None, sample
    else:
        assert sample["products"] is None and sample["entered_s"] <= sample["left_s"], sample
        assert sample["left_s"] - sample["entered_s"] <= sample["wall_s"], sample
    reads = record["ranks"][sample["rank"]]["reads_energy"]
    assert ("watts" in sample) == ("energy_j" in sample) == reads, sample
    if reads and sample["watts"] is not None:
        joules = sample["energy_j"]["package"]
        assert abs(sample["watts"] * sample["wall_s"] - joules) <= 1e-6 * joules, sample


def check_latency(phase, late):
    samples = phase["samples"]
    came = samples[late]["entered_s"]
    behind = [s["latency_s"] for s in samples if s["rank"] != late]
    for sample in samples:
        assert abs(sample["latency_s"] - (sample["left_s"] - came)) < 1e-6, sample
        assert sample["latency_s"] > 0, sample  # no rank leaves a barrier before all have come
    assert phase["latency_max_s"] == max(behind), phase
    assert phase["latency_median_s"] == sorted(behind)[0] or len(behind) > 1, phase


def test_the_record_is_whole_and_consistent():
    record = barrier(*SHORT, "--seed", 5)
    assert record["schema"] == "rollbench-barrier-1"
    for key, value in (("np", 2), ("late_rank", 1), ("seconds", 0.2), ("repetitions", 2),
                       ("matrix_order", 256), ("seed", 5)):
        assert record[key] == value, (key, record[key])
    assert "Open MPI" in record["host"]["mpi"] and record["wall_s"] > 0
    assert [t["name"] for t in record["techniques"]] == TECHNIQUES
    missing = absent(record)
    assert not {"none", "sleep"} & set(missing) and all(missing.values())
    assert [r["late"] for r in record["ranks"]] == [False, True]
    assert record["ranks"][0]["reads_energy"], record["ranks"]
    what = {line["what"] for line in record["meters"]}
    assert {"cpu time", "cycles", "instr", "energy"} <= what, what
    assert all(line["text"] for line in record["meters"])
    there = [None] + [t for t in TECHNIQUES if t not in missing]
    for repetition in range(2):
        phases = [p for p in record["phases"] if p["repetition"] == repetition]
        assert phases[0]["phase"] == "product", phases[0]
        assert sorted(map(str, (p["technique"] for p in phases))) == sorted(map(str, there))
    for phase in record["phases"]:
        assert [s["rank"] for s in phase["samples"]] == [0, 1]
        for sample in phase["samples"]:
            check_sample(sample, phase, record)
        if phase["phase"] == "barrier":
            check_latency(phase, 1)
    absent_meters_are_null(record)


def absent_meters_are_null(record):
    """A meter without a line `ok` has no number anywhere."""
    for what, key in (("cycles", "cycles"), ("instr", "instructions")):
        ok = any(line["ok"] for line in record["meters"] if line["what"] == what)
        for phase in record["phases"]:
            for sample in phase["samples"]:
                assert (sample[key] is not None) == ok, (key, sample)


def test_the_order_is_drawn_by_the_seed():
    def order(seed):
        record = barrier("barrier", "--np", 2, "--seconds", 0.01, "--repetitions", 12,
                         "--techniques", "none,sleep", "--order", 16, "--seed", seed)
        return [p["technique"] for p in record["phases"]]

    first = order(1)
    assert first == order(1) and first != order(2)
    assert {tuple(first[i:i + 3]) for i in range(0, 36, 3)} == {
        (None, "none", "sleep"), (None, "sleep", "none")}


def test_more_ranks_than_cores_are_said_aloud_and_nobody_is_slowed():
    cores = barrier(*SHORT, "--techniques", "none")["host"]["cores"]
    path = new_folder() / "out.json"
    done = call("barrier", "--np", cores + 1, "--seconds", 0.1, "--repetitions", 1, "--json", path)
    assert done.returncode == 0 and "oversubscribed" in done.stdout, done
    record = json.loads(path.read_text())
    assert record["oversubscribed"] and record["late_rank"] == cores
    assert {"dvfs", "cm", "dvfs+cm"} <= set(absent(record)), record["techniques"]
    assert "more ranks than cores" in done.stdout
    assert all(len(p["samples"]) == cores + 1 for p in record["phases"])


def test_the_table_and_the_file():
    path = new_folder() / "out.json"
    done = call(*SHORT, "--json", path)
    assert done.returncode == 0, done.stderr
    assert os.listdir(path.parent) == ["out.json"]
    record = json.loads(path.read_text())
    lines = done.stdout.splitlines()
    for name in TECHNIQUES:
        line = next(line for line in lines if line.startswith(f"barrier, {name} "))
        why = absent(record).get(name)
        assert (f"absent: {why}" in line) if why else ("[" in line), line
    for word in ("matrix product", "CPU time", "microseconds", "2 repetitions", "seed 1"):
        assert word in done.stdout, word
    energy = [line for line in record["meters"] if line["what"] == "energy"]
    assert any(line["ok"] for line in energy) or "W absent: " in done.stdout, done.stdout


def test_bad_options():
    cases = (
            (("--np", 1), ("--np 1", "2 to")), (("--np", "two"), ("--np two",)),
            (("--seconds", 0), ("--seconds 0",)), (("--seconds", "soon"), ("--seconds soon",)),
            (("--repetitions", 0), ("--repetitions 0",)), (("--order", 0), ("--order 0",)),
            (("--order", 99999), ("--order 99999", "4096")), (("--seed", -1), ("--seed -1",)),
            (("--seed",), ("--seed", "missing")), (("--deadline", 0), ("--deadline 0",)),
            (("--deadline", 1), ("--deadline 1", "repetitions")),
            (("--techniques", "none,nap"), ("--techniques", "nap", "sleep")),
            (("--techniques", "none,none"), ("--techniques", "twice")),
            (("--techniques", ""), ("--techniques",)),
            (("--frobnicate", 3), ("--frobnicate", "--help")), (("stray",), ("stray",)),
            (("--json", "/proc/nowhere/out.json"), ("/proc/nowhere/out.json",)),
            (("--workdir", "/proc/nowhere"), ("--workdir",)))

    def check(args, words):
        done = call("barrier", *args)
        assert done.returncode == 2, (args, done)
        for word in words:
            assert word in done.stderr, (args, word, done.stderr)

    side_by_side(check, cases)
    done = call("barrier", "--help")
    assert done.returncode == 0 and "usage: rollbench barrier" in done.stdout
    assert "barrier" in call("--help").stdout


def test_an_absent_technique_that_was_asked_for_is_refused():
    work = new_folder()
    missing = absent(barrier(*SHORT))
    for name, why in missing.items():
        refuse("barrier", "--techniques", f"none,{name}", "--workdir", work, "--json",
               work / "out.json", words=(f"--techniques {name}", "absent", why.removeprefix("rank 0: ")))
    cores = len(os.sched_getaffinity(0))  # or fewer: then each of them has several of these
    refuse("barrier", "--np", cores + 1, "--seconds", 0.1, "--techniques", "none,cm", "--workdir", work,
           "--json", "-", words=("--techniques cm", "more ranks than cores"))
    assert os.listdir(work) == []


def test_an_interrupt_leaves_no_process_and_no_file():
    work = new_folder()
    for sig in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([*COMMAND, "barrier", "--np", "2", "--seconds", "30",
                                    "--workdir", work, "--json", work / "out.json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: len(descendants_named(f"barrier-worker {work}")) >= 3)  # mpirun, too
        process.send_signal(sig)
        _, text = process.communicate(timeout=20)
        assert process.returncode == 128 + sig and "interrupted" in text, (process, text)
        assert not descendants_named(f"barrier-worker {work}")
        assert os.listdir(work) == []


def test_killing_the_harness_leaves_nothing():
    work = new_folder()
    process = subprocess.Popen([*COMMAND, "barrier", "--np", "2", "--seconds", "30", "--workdir",
                                work], stdout=subprocess.DEVNULL)
    wait_until(lambda: len(descendants_named(f"barrier-worker {work}")) >= 3)
    memory, = [path.read_text().strip() for path in work.glob("*/shared-memory")]
    process.kill()
    process.wait()
    wait_until(lambda: not descendants_named(work), seconds=20)
    assert os.listdir(work) == [] and not os.path.exists(memory), (os.listdir(work), memory)


def test_a_job_that_dies_or_does_not_end_says_so():
    work = new_folder()
    args = ("--np", 2, "--seconds", 0.5, "--repetitions", 1, "--techniques", "none", "--workdir",
            work, "--json", work / "out.json")
    silent = work / "mpirun"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    done = call("barrier", *args, "--deadline", 1.5,
                env={**os.environ, "ROLLBENCH_MPIRUN": str(silent)})
    assert done.returncode == 3 and "--deadline 1.5" in done.stderr, done
    silent.write_text("#!/bin/sh\necho out of luck\n")
    done = call("barrier", *args, env={**os.environ, "ROLLBENCH_MPIRUN": str(silent)})
    assert done.returncode == 4 and "out of luck" in done.stderr, done
    log, = work.glob("rollbench-run-*.log")
    assert log.read_text() == "out of luck\n" and sorted(os.listdir(work)) == ["mpirun", log.name]


def draw(record, output):
    path = output / "record.json"
    path.write_text(json.dumps(record))
    return subprocess.run([drawing.python(), str(drawing.where("fig3_barrier")), str(path), str(output)],
                          capture_output=True, text=True, check=False)


@pytest.mark.long
def test_the_figure_is_made_from_a_record():
    output, record = new_folder(), barrier(*SHORT)
    done = draw(record, output)
    assert done.returncode == 0, done.stderr
    for suffix in ("png", "pdf"):
        assert (output / f"fig3-barrier.{suffix}").stat().st_size > 10000
    for phase in record["phases"]:  # as on a machine with meters
        for sample in phase["samples"]:
            if "watts" in sample:
                sample["watts"] = 50 + sample["rank"]
    assert draw(record, output).returncode == 0
    record["schema"] = "rollbench-run-1"
    done = draw(record, output)
    assert done.returncode != 0 and "no record of `rollbench barrier`" in done.stderr


def made_up(repetitions, watts=None):
    """Two ranks, rank 0 late; sleeping uses a tenth of its core and is 2, 3, ... ms later than spinning."""
    phases = []
    for repetition in range(repetitions):
        for technique, cpu, late in ((None, 1.0, None), ("none", 0.9, 0.001), ("sleep", 0.1, 0.003 + repetition / 1000)):
            samples = [{"rank": rank, "wall_s": 2.0, "cpu_s": 2 * (cpu if rank else 1.0),
                        **({"watts": watts} if rank else {"watts": 10.0})} for rank in range(2)]
            phases.append({"technique": technique, "repetition": repetition, "samples": samples,
                           "latency_max_s": late})
    return {"late_rank": 0, "phases": phases, "repetitions": repetitions,
            "techniques": [{"name": t, "absent": None, "trouble": None} for t in ("none", "sleep")]}


def near(found, expected):
    return len(found) == len(expected) and all(abs(a - b) < 1e-9 for a, b in zip(found, expected))


def test_the_figures_numbers():
    fig3 = "from plots.figures import fig3_barrier as f"
    few, enough = made_up(3, watts=7.5), made_up(6)
    watts, none, waiting, product = drawing.ask(
        "[f.watts(records[0], 'sleep'), f.watts(records[1], 'sleep'), f.shares(records[1], 'sleep'), "
        "f.shares(records[1], None)]", [few, enough], fig3)
    assert watts == [17.5] * 3 and none is None, "all packages of a repetition, or nothing"
    assert near(waiting, [0.1] * 6) and near(product, [1.0] * 12), "the late rank does not wait"
    late, more = drawing.ask("[list(f.latencies(records, 'sleep').values()), f.differences("
                             "f.latencies(records, 'sleep'), f.latencies(records, 'none'))]", few, fig3)
    assert near(late, [3.0, 4.0, 5.0]) and near(more, [2.0, 3.0, 4.0]), (late, more)
    texts = drawing.ask("[f.extra([2.0, 3.0, 4.0]), f.extra([2.0] * 6), f.extra([]), f.what_is_written([0, 3]), "
                        "f.what_is_written([0, 6]), f.what_is_written([0, 6, 5])]", few, fig3)
    assert texts[:3] == ["+3 ms\n(+2 to\n+4)", "+2 ms\n[+2,\n+2]", ""], texts
    assert "95 %" not in texts[3] and "(range, of fewer than 6)" in texts[3], texts[3]
    assert "[95 % interval]" in texts[4] and "range" not in texts[4], texts[4]
    assert "95 %" in texts[5] and "range" in texts[5], texts[5]


def test_medians_of_few_pairs_are_not_said_to_have_intervals():
    said = drawing.ask("[b.what_is_shown({'a': {'local': [1.0] * n, 'restart': [1.0] * m}}) for n, m in records]",
                       [[4, 4], [21, 21], [21, 4]], "from plots.figures import bench_local_global as b")
    assert said == ["medians with ranges (fewer than 6 pairs have no interval)", "medians with 95 % intervals",
                    "medians with 95 % intervals, of fewer than 6 pairs ranges"], said
