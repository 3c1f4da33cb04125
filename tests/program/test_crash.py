"""A sweep that is killed ten times ends as if nothing had happened.

As a test it has 40 runs; `make test-exhaustive` has it with 200 (ROLLBENCH_CRASH_RUNS).
"""
import os
import random
import re
import shutil
import signal
import subprocess
import time

from rollbench import COMMAND, call, deadline, descendants_named, main, new_folder
from schema import loads

RUNS = int(os.environ.get("ROLLBENCH_CRASH_RUNS", "40"))
SEED = int(os.environ.get("ROLLBENCH_CRASH_SEED", "1"))
KILLS = 10
PATIENCE = 300  # seconds without a new record

SWEEP = f"""\
name: crash
deadline: 60
repetitions: {RUNS // 2}
runs:
  - kernel: jacobi
    options: [grid=24, steps=8]
    np: 2
    interval: 4
    ckpt_lag: sync
    policies: [all]
    kill:
      roles: [1]
      iterations: 6
      phases: [send]
"""


def records(folder):
    return {p.stem: p.read_bytes() for p in folder.glob("*.json") if p.name != "sweep.json"}


def essence(folder):
    """What must not depend on crashes: id, key, state, how it ended."""
    found = {}
    for name, text in records(folder).items():
        record = loads(text)
        assert record["id"] == name and record["status"] == "ok", (name, record["status"])
        found[name] = record["key"], record["state_hash"], record.get("compared", {}).get("equal")
    return found


def moments(chance):
    """After how many records, and how much later in seconds, each kill comes; in order."""
    return [(after, chance.uniform(0, 0.5))
            for after in sorted(chance.sample(range(RUNS - 4), KILLS))]


def kill_one(sweep, results, after, delay):
    """Start the sweep and kill it; the records that it left."""
    process = subprocess.Popen(sweep, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    patience = time.monotonic() + PATIENCE
    while len(list(results.glob("*.json"))) - 1 < after:
        assert process.poll() is None and time.monotonic() < patience, "the sweep ended, or stands"
        time.sleep(0.005)
    time.sleep(delay)
    assert process.poll() is None, "the sweep was over before it was to be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()
    return records(results)


def listed(results):
    """Ids of the records in the manifest; what is torn is not whole."""
    ids = re.findall(r"^[0-9a-f]{32}  (.*)\.json\n", (results / "manifest").read_text(), re.MULTILINE)
    return [i for i in ids if i != "sweep"]


def wait_for_orphans(work):
    for _ in range(200):
        if not descendants_named(str(work)):
            return
        time.sleep(0.1)
    raise AssertionError(descendants_named(str(work)))


@deadline(900)
def test_a_sweep_killed_ten_times():
    folder = new_folder()
    config, work = folder / "crash.yaml", folder / "work"
    config.write_text(SWEEP)
    work.mkdir()
    begin = time.monotonic()
    done = call("sweep", config, "--results", folder / "calm", timeout=800)
    assert done.returncode == 0, done
    calm = time.monotonic() - begin

    results = folder / "killed"
    sweep = [*COMMAND, "sweep", str(config), "--results", str(results), "--workdir", str(work)]
    kept = {}
    for after, delay in moments(random.Random(SEED)):
        before, kept = kept, kill_one(sweep, results, after, delay)
        changed = [name for name, text in before.items() if kept.get(name) != text]
        assert not changed, f"lost or made again although they were there: {changed}"
    done = subprocess.run(sweep, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done
    wait_for_orphans(work)
    assert f"{len(kept)} of {RUNS} runs were already done" in done.stdout, (len(kept), done.stdout)

    assert len(essence(folder / "calm")) == RUNS
    assert essence(results) == essence(folder / "calm")
    assert not [*results.glob("*.json.*"), *results.glob(".rollbench*")], "something half written is left"
    assert sorted(listed(results)) == sorted(records(results))
    for name, text in kept.items():
        assert records(results)[name] == text, f"{name} was made again although it was there"
    for one in (results, folder / "calm"):
        done = call("store", "verify", one)
        assert done.returncode == 0 and f"{RUNS} records as written, 0 things wrong" in done.stdout, done
    print(f"note: {RUNS} runs, {KILLS} kills (seed {SEED}); undisturbed {calm:.0f} s, in all "
          f"{time.monotonic() - begin:.0f} s")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
