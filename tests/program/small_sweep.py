"""A sweep of small runs, and what of its records no interruption may change."""
from schema import loads

SWEEP = """\
name: crash
deadline: 60
repetitions: {repetitions}
runs:
  - kernel: jacobi
    grid: 24
    steps: 8
    np: 2
    interval: 4
    ckpt_lag: sync
    policy: all
    kill:
      roles: [1]
      iterations: 6
      phases: [send]
"""


def records(folder):
    return {p.stem: p.read_bytes() for p in folder.glob("*.json") if p.name != "sweep.json"}


def essence(folder):
    """What crashes must not change: id, key, state, how it ended."""
    found = {}
    for name, text in records(folder).items():
        record = loads(text)
        assert record["id"] == name and record["status"] == "ok", (name, record["status"])
        found[name] = record["key"], record["state_hash"], record.get("compared", {}).get("equal")
    return found
