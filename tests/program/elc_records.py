"""Made-up records of runs with --protocol, in a folder as `rollbench sweep` leaves it."""
import json

from rollbench import new_folder


def put(top, name, value):
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return top


def lines(ratio_of, seconds=lambda ratio, seed: ratio * (1 + 0.001 * seed), compared=None):
    """ratio_of: {(mode, size): seconds over those of source}"""
    top, names = new_folder(), []
    words = {"source": ("source", {}), "protocol": ("events", {}), "checkpoint": ("events", {"lines": "4"})}
    for (mode, size), ratio in {("source", 800): 1, ("source", 1600): 1, **ratio_of}.items():
        for seed in range(8):
            names.append(f"{mode}-{size}-{seed}")
            put(top, f"event-logging/{names[-1]}.json", {
                "schema": "rollbench-run-1", "kind": "elc", "id": names[-1], "status": "ok", "kernel": "gauss_jordan", "np": 2,
                "protocol": words[mode][0], "plan": [],
                "params": {"size": str(size), "seed": str(seed), **words[mode][1]}, "line_interval_s": None, "oversubscribed": False,
                **({} if mode == "source" else {"compared": compared or {"equal": True}}), "result": {"size": size, "seconds": seconds(ratio, seed)}})
    return put(top, "event-logging/sweep.json", {"schema": "rollbench-sweep-1", "kind": "elc", "name": "x", "file": "x", "runs": names,
                                                 "order": "listed", "order_seed": None, "warm_up": 0})
