"""A sweep that is killed again and again ends as if nothing had happened.

In `make test` it has 10 runs and is killed twice; in `make test-long` 40 and ten times; `make test-exhaustive` has 200
(ROLLBENCH_CRASH_RUNS).
"""
import os
import random
import re
import signal
import subprocess
import time

import pytest

from rollbench import COMMAND, HELPERS, call, descendants_named, new_folder, wait_until
from small_sweep import SWEEP, essence, records

MANY = int(os.environ.get("ROLLBENCH_CRASH_RUNS", "40"))
SEED = int(os.environ.get("ROLLBENCH_CRASH_SEED", "1"))
PATIENCE = 300  # seconds without a new record


def moments(chance, runs, kills):
    """After how many records, and how much later in seconds, each kill comes; in order. No machine makes the rest of the runs in that time."""
    return [(after, chance.uniform(0, 0.2)) for after in sorted(chance.sample(range(runs - 4), kills))]


def kill_one(sweep, results, work, after, delay):
    """Start the sweep and kill it; the records that it left. It leaves nothing in the folder of its runs."""
    process = subprocess.Popen(sweep, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(list(results.glob("*.json"))) - 1 >= after or process.poll() is not None, PATIENCE)
    time.sleep(delay)
    assert process.poll() is None, "the sweep was over before it was to be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()
    check_nothing_left(work)
    return records(results)


def check_nothing_left(work):
    """Of a killed command, in the folder of its runs."""
    wait_until(lambda: not descendants_named(work))
    left = [str(path) for path in work.rglob("*")]
    assert not left, left


def listed(results):
    """Ids of the records in the manifest, without a torn last line."""
    ids = re.findall(r"^[0-9a-f]{32}  (.*)\.json\n", (results / "manifest").read_text(), re.MULTILINE)
    return [i for i in ids if i != "sweep"]


def calm_sweep(config, results, runs):
    """Without crashes; returns its essence."""
    done = call("sweep", config, "--results", results, timeout=800)
    assert done.returncode == 0, done
    check_store(results, runs)
    assert len(essence(results)) == runs
    return essence(results)


def check_store(results, runs):
    """Each run once, and nothing half written."""
    assert not [*results.glob("*.json.*"), *results.glob(".rollbench*")], "something half written is left"
    assert sorted(listed(results)) == sorted(records(results))
    done = call("store", "verify", results)
    assert done.returncode == 0 and f"{runs} records as written, 0 things wrong" in done.stdout, done


def crash(runs, kills):
    folder, work, begin = new_folder(), new_folder(), time.monotonic()
    config, results = folder / "crash.yaml", folder / "killed"
    config.write_text(SWEEP.format(repetitions=runs // 2))
    calm = calm_sweep(config, folder / "calm", runs)
    sweep = [*COMMAND, "sweep", str(config), "--results", str(results), "--workdir", str(work)]
    kept = {}
    for after, delay in moments(random.Random(SEED), runs, kills):
        before, kept = kept, kill_one(sweep, results, work, after, delay)
        changed = [name for name, text in before.items() if kept.get(name) != text]
        assert not changed, f"lost or made again although they were there: {changed}"
    done = subprocess.run(sweep, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done
    assert f"{len(kept)} of {runs} runs were already done" in done.stdout, (len(kept), done.stdout)
    assert essence(results) == calm
    for name, text in kept.items():
        assert records(results)[name] == text, f"{name} was made again although it was there"
    check_store(results, runs)
    print(f"note: {runs} runs, {kills} kills (seed {SEED}), {time.monotonic() - begin:.0f} s")


@pytest.mark.long
def test_a_sweep_killed_twice():
    crash(10, 2)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_sweep_killed_ten_times():
    crash(MANY, 10)


def test_a_kill_while_the_run_folder_is_made():
    folder = new_folder()
    config = folder / "crash.yaml"
    config.write_text(SWEEP.format(repetitions=1))
    for number, words in enumerate((["sweep", config, "--results", folder / "results"], ["barrier", "--np", "2"])):
        work = folder / f"work-{number}"
        work.mkdir()
        done = subprocess.run([*COMMAND, *map(str, words), "--workdir", str(work)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LD_PRELOAD": str(HELPERS / "die_in_mkdir.so")})
        assert done.returncode == -signal.SIGKILL, done
        check_nothing_left(work)
