"""Made-up records of runs with --protocol, in a folder as `rollbench sweep` leaves it."""
import json

from rollbench import new_folder


def put(top, name, value):
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return top


WORDS = {"source": ("source", {}), "protocol": ("events", {}), "checkpoint": ("events", {"lines": "4"}),
         "tagging": ("tagging-copy", {}), "tagging with lines": ("tagging-copy", {"lines": "4"})}


def a_run(name, kernel, np, size, seed, mode, seconds, options=(), **more):
    """A run without kills. mode: of WORDS."""
    protocol, lined = WORDS[mode]
    return {"schema": "rollbench-run-1", "kind": "elc", "id": name, "status": "ok", "kernel": kernel, "np": np, "protocol": protocol, "plan": [],
            "params": {"size": str(size), "seed": str(seed), **dict(options), **lined}, "line_interval_s": None, "oversubscribed": False,
            **({} if mode == "source" else {"compared": {"equal": True}}), "result": {"size": size, "seconds": seconds},
            "processes": None, "log_form": None, "lines_committed": None, "host": {"cpu": "here"}, **more}


def sweep(records, experiment):
    top = new_folder()
    for record in records:
        put(top, f"{experiment}/{record['id']}.json", record)
    return put(top, f"{experiment}/sweep.json", {"schema": "rollbench-sweep-1", "kind": "elc", "name": "x", "file": "x", "order": "listed",
                                                 "order_seed": None, "warm_up": 0, "runs": [record["id"] for record in records]})


def lines(ratio_of, seconds=lambda ratio, seed: ratio * (1 + 0.001 * seed), compared=None):
    """ratio_of: {(mode, size): seconds over those of source}"""
    return sweep([a_run(f"{mode}-{size}-{seed}", "gauss_jordan", 2, size, seed, mode, seconds(ratio, seed),
                        **({"compared": compared} if compared and mode != "source" else {}))
                  for (mode, size), ratio in {("source", 800): 1, ("source", 1600): 1, **ratio_of}.items() for seed in range(8)], "event-logging")


def series(kernel, ratio_of, **more):
    """ratio_of: {(processes, size, options, mode): seconds over those of source}; options: ((name, value), ...)"""
    whole = {**{(np, size, options, "source"): 1 for np, size, options, _ in ratio_of}, **ratio_of}
    return sweep([a_run(f"{'-'.join(map(str, (np, size, *sum(options, ()), mode, seed)))}", kernel, np, size, seed, mode, ratio * (1 + 0.001 * seed), options,
                        **more)
                  for (np, size, options, mode), ratio in whole.items() for seed in range(8)], "event-logging")


def crossing(orphans, np=16, transit=18):
    """Eight runs each of neurons with 4 processes and with more, in which so many messages cross each of ten lines; with 4, 18 are in transit and 15 are
    orphans."""
    return sweep([a_run(f"neurons-{n}-{seed}", "neurons", n, 64, seed, "protocol", 1, (("messages", "1"),), line_interval_s=0.02, oversubscribed=True,
                        lines_committed=10, log_form="counted",
                        processes=[{"transit": 10 * counts[0] if rank == 0 else 0, "orphans": 0 if rank == 0 else 10 * counts[1] / (n - 1), "results": 0,
                                    "identify_s": 1e-4, "transit_bytes": 5e3 * counts[0] if rank == 0 else 0, "stopped_s": 0.01 if rank == 0 else 0.002,
                                     "write_s": 0.03, "line_s": 0.05} for rank in range(n)])
                  for n, counts in ((4, (18, 15)), (np, (transit, orphans))) for seed in range(8)], "crossing")
