"""Hand-made records of runs with a trace, from which the figures of power and energy are drawn.

Numbers are chosen, not measured: a step takes 10 ms, spinning and computing keep a core busy, sleeping
does not; role 0 dies in iteration 18 of 25 and repeats everything from 0.
"""
import json

NP, STEPS, FAILED = 8, 25, 18
COLUMNS = ["iteration", "phase", "incarnation", "t_s", "wall_s", "cpu_s", "cycles", "instructions",
           "package_j", "core_j", "dram_j"]
STEP = 0.010
PROFILE = {"name": "made up", "busy_w": 8.0, "idle_w": 2.0, "note": "chosen"}


class Role:
    """Builds the rows of one role's trace."""

    def __init__(self, role, watts):
        self.role, self.watts, self.now, self.incarnation, self.rows = role, watts, 0.0, 1, []

    def span(self, iteration, phase, seconds, busy):
        self.now += seconds
        joules = None if self.watts is None else seconds * (20 + self.watts * busy)
        self.rows.append([iteration, phase, self.incarnation, self.now, seconds, busy * seconds,
                          None, None, joules, None, None])

    def steps(self, first, end):
        for i in range(first, end):
            self.span(i, "step", STEP * (1 + 0.01 * (self.role % 3)), 0.97)


def trace_of(role, policy, power, watts):
    r = Role(role, watts)
    r.steps(0, FAILED)
    r.now = FAILED * STEP
    if role == 0:
        r.incarnation = 2
        r.span(FAILED, "repair", 0.004, 0.5)
    else:
        r.span(FAILED, "aborted", 0.002, 0.9)
        r.span(FAILED, "repair", 0.004, 0.9)
    if policy == "none" or role == 0:
        r.span(0, "restore", 0.001, 0.9)
        r.steps(0, FAILED)
    elif role in (1, 4):
        r.span(FAILED, "step", STEP * (FAILED - 1), 0.9)
    else:
        r.span(FAILED, "blocked", STEP * (FAILED - 1), 0.02 if power == "sleep" else 0.99)
    r.steps(FAILED, STEPS)
    r.span(STEPS, "verify", 5.0, 1)
    return {"role": role, "columns": COLUMNS, "rows": r.rows, "dropped": 0}


def used_of(rows, lost):
    used = {}
    for row in [[0, "setup", 1, 0.0, 3.0, 3.0], *rows]:
        sums = used.setdefault(row[1], {"spans": 0, "wall_s": 0, "cpu_s": 0})
        sums["spans"] += 1
        sums["wall_s"] += row[4]
        sums["cpu_s"] += row[5]
    return {**used, "lost": lost}


def modelled(record):
    """As harness/record/power_model.c computes it, on cores of one role each."""
    cores = [{"host": "h", "binding": r["binding"], "roles": [r["role"]], "cpu_s": None, "busy_s": None,
              "idle_s": None, "energy_j": None if r["role"] == 0 else 1.5, "reason": None}
             for r in record["roles"]]
    return {"profile": PROFILE, "energy_j": 1.5 * (NP - 1), "reason": None, "by_core": cores,
            "unmeasured": [0], "note": "modelled"}


def make(policy, power="none", repetition=0, energy=None):
    """A good run. energy: None, "measured" (roles 2 and 5 read a package each) or "modelled"."""
    watts = {2: 60.0, 5: 58.0} if energy == "measured" else {}
    trace = [trace_of(role, policy, power, watts.get(role)) for role in range(NP)]
    back = list(range(NP)) if policy == "none" else [0]
    record = {
        "schema": "rollbench-run-1", "kind": "engine", "status": "ok", "kernel": "jacobi", "strategy": "repair",
        "params": {"grid": "48", "steps": str(STEPS)}, "np": NP, "spares": 1, "interval": STEPS,
        "ckpt_lag": "sync", "policy": policy, "power": power, "plan": [f"0@{FAILED}:start"],
        "compared": {"reference": "free", "equal": True}, "oversubscribed": False,
        "loop_s": max(t["rows"][-2][3] for t in trace) + 0.001 * repetition,
        "failures": [{"role": 0, "epoch": 1, "iteration": FAILED, "checkpoint": 0, "rollback_set": back,
                      "active": [] if policy == "none" else [1, 4], "fronts": [FAILED] * NP,
                      "blocked": [] if policy == "none" else [2, 3, 5, 6, 7]}],
        "roles": [{"role": r, "host": "h", "binding": str(r),
                   "used": used_of(trace[r]["rows"], int(r == 0))} for r in range(NP)],
        "energy": {"package_j": None, "reason": "no counter", "packages": []}, "trace": trace,
    }
    if energy == "measured":
        record["energy"] = {"package_j": None, "packages": [
            {"host": "h", "package": p, "reader": reader, "reason": None,
             "package_j": sum(row[8] for row in trace[reader]["rows"] if row[1] != "verify")}
            for p, reader in enumerate((2, 5))]}
    if energy == "modelled":
        record["modelled"] = modelled(record)
    return record


def write(folder, records):
    """A results folder as `rollbench sweep` leaves it."""
    folder.mkdir(exist_ok=True)
    names = [f"run-{i}" for i in range(len(records))]
    for name, record in zip(names, records):
        (folder / f"{name}.json").write_text(json.dumps({**record, "id": name}))
    (folder / "sweep.json").write_text(json.dumps({"name": "made-by-hand", "runs": names}))


def sweep(energy=None):
    """Three strategies, three runs of each."""
    return [make(policy, power, repetition, energy) for repetition in range(3)
            for policy, power in (("none", "none"), ("all", "none"), ("all", "sleep"))]
