"""Hand-made records of data-flow rollback of 4 x 2 roles with a trace, of which role 1 died: what each part used over time."""
from power_records import COLUMNS, PROFILE

NP = 8
LOST = 2  # iterations
PARTS = {"supporting": [0, 3], "sending": [2, 5], "blocked": [4, 6, 7]}
STEP = 0.1  # seconds of an iteration
FAILED_AT = 3 * STEP
RESTORE = 0.4  # of repair and restoration
ONE = 0.05  # of an iteration that is repeated
WAY = {"none": {}, "flow": {"recompute": "dataflow"}, "sleep": {"recompute": "dataflow", "power": "sleep"}}
BUSY = {"none": 0.9, "flow": 0.8, "sleep": 0.1}  # of idle roles in the recovery


def trace_of(role, how):
    now, rows = 0.0, []

    def span(iteration, phase, seconds, busy):
        nonlocal now
        now += seconds
        rows.append([iteration, phase, 1, now, seconds, busy * seconds, *[None] * 5])

    for i in range(3):
        span(i, "step", STEP, 0.9)
    span(3, "repair", 0.1, 0.5)
    if how == "none" or role == 1:
        span(1, "restore", RESTORE - 0.1, 0.9)
        for i in (1, 2):
            span(i, "step", ONE, 0.9)
    elif role in PARTS["supporting"]:
        span(3, "support", RESTORE - 0.1 + 2 * ONE, 0.7)
    else:
        span(3, "blocked", RESTORE - 0.1 + 2 * ONE, BUSY[how])
    for i in range(3, 10):
        span(i, "step", STEP, 0.9)
    span(10, "verify", 5, 1)
    return {"role": role, "columns": COLUMNS, "rows": rows, "dropped": 0}


def record(how, repetition=0, host="h", **more):
    part = {"active": [], **PARTS} if how != "none" else {"active": [], "blocked": []}
    back = [1] if how != "none" else list(range(NP))
    return {"schema": "rollbench-run-1", "id": f"{how}-{repetition}", "status": "ok", "kernel": "jacobi", "strategy": "repair",
            "params": {"decomp": "4x2"}, "np": NP, "spares": 1, "interval": 10, "ckpt_first": 1, "ckpt_lag": "sync",
            "policy": "none", "plan": ["1@3:start"], "compared": {"reference": "free", "equal": True}, "oversubscribed": False,
            "loop_s": 1.0, "failures": [{"role": 1, "iteration": 3, "checkpoint": 1, "rollback_set": back, "fronts": [3] * NP,
                                         **part}],
            "roles": [{"role": r, "host": host, "binding": str(r)} for r in range(NP)],
            "energy": {"package_j": None, "packages": []}, "trace": [trace_of(r, how) for r in range(NP)], **WAY[how], **more}


def with_watts(one, slope=0.0):
    """Four nodes of two roles each; node n draws 100 + 10 n W, rising with time by `slope` W/s."""
    nodes = [{"node": f"n{n}", "roles": [2 * n, 2 * n + 1], "readings": [[t / 4, 100 + 10 * n + slope * t / 4]
              for t in range(-1, 20)]} for n in range(4)]
    return {**one, "watts": {"reason": None, "nodes": nodes}}


def modelled(one):
    cores = [{"host": "h", "binding": str(r), "roles": [r]} for r in range(NP)]
    return {**one, "modelled": {"profile": PROFILE, "by_core": cores}}
