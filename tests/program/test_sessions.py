"""Two sweeps of oversubscribed jobs in two sessions do not starve each other (docs/ulfm-notes.md).

Linux divides a core among sessions before it divides it among processes, so each sweep has its own session.
"""
import os
import subprocess
import time

import pytest

from rollbench import COMMAND, new_folder
from schema import loads

RUNS = int(os.environ.get("ROLLBENCH_SESSIONS_RUNS", "20"))  # of each sweep: half of them without a failure
RATIO_MAX = 4  # two jobs that share the cores fairly take twice the time of one

SWEEP = """\
name: sessions
deadline: 12
escalation: "off"
repetitions: {repetitions}
runs:
  - kernel: cg
    class: S
    np: 8
    spares: 1
    interval: 25
    ckpt_lag: sync
    policy: [none, all]
    kill:
      roles: [3]
      iterations: 38
      phases: [start]
"""


def statuses(results):
    return [loads(path.read_bytes())["status"] for path in results.glob("*.json") if path.name != "sweep.json"]


def sweeps(config, folder, count):
    """So many at once, each in a session of its own. Returns the seconds until the last one has ended."""
    begin = time.monotonic()
    running = [subprocess.Popen([*COMMAND, "sweep", config, "--results", folder / f"{count}-{i}"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True, start_new_session=True) for i in range(count)]
    for i, sweep in enumerate(running):
        complaint = sweep.communicate(timeout=800)[1]
        found = statuses(folder / f"{count}-{i}")
        assert sweep.returncode == 0 and found == ["ok"] * RUNS, (sweep.returncode, found, complaint)
    return time.monotonic() - begin


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_two_sweeps_in_two_sessions():
    folder = new_folder()
    config = folder / "sessions.yaml"
    config.write_text(SWEEP.format(repetitions=RUNS // 4))
    one, two = sweeps(config, folder, 1), sweeps(config, folder, 2)
    print(f"note: {RUNS} runs, {one:.1f} s; twice at once {two:.1f} s")
    assert two <= RATIO_MAX * one, (one, two)
