"""Records made by hand for figures of time and iterations, and what is drawn from them."""
import json
import re

import drawing
from rollbench import new_folder

PROBLEM = {"schema": "rollbench-run-1", "kernel": "lulesh", "params": {"edge": "6"}, "np": 8,
           "interval": 20, "ckpt_lag": "sync", "oversubscribed": False}


def record(policy, kill=None, repetition=0, status="ok", equal=True, dead=1, spares=1, **more):
    """A run with an open end: its length is known only if it ended. dead: roles that died."""
    iteration = int(re.search(r"@(\d+)", kill)[1]) if kill else None
    failure = {"role": 2, "iteration": iteration, "rollback_set": [2], "active": [], "blocked": [],
               "chain": 1, "resume_s": 0.01, "restore_s": 0.01, "restored_s": 0.02}
    ended = status == "ok"
    return {**PROBLEM, "id": f"x-s{spares}-{policy}-{kill or 'free'}{''.join(str(value) for key, value in more.items() if key != 'timeline')}"
            f"-r{repetition}", "status": status, "spares": spares, "policy": policy,
            "plan": [kill] if kill else [], "failures": [failure] * dead if kill else [],
            "iterations": {"useful": 800 if ended else None, "executed": 810 if ended else None},
            "log": {"bytes_peak": {"max": 10}}, "loop_s": 1.0 if ended else None,
            "host": {"hostname": "h", "cpu": "c"},
            **({"compared": {"equal": equal}} if kill else {}), **more}


def plot(script, records, expect=0):
    """What the script says, and the folder it drew into."""
    folder = new_folder()
    for one in records:
        (folder / f"{one['id']}.json").write_text(json.dumps(one))
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": [r["id"] for r in records]}))
    return drawing.draw(script, folder, folder / "drawn", expect), folder / "drawn"


def compare(records):
    return (plot("compare", records)[1] / "compare.md").read_text()


DRAWN = """import contextlib, io
from plots.common import spans
from plots.common.drawing import plt
from plots.common.runs import groups
from plots.figures import fig6_iterations, fig7_time, fig8_hybrid, recovery_time


def quiet(call, *args):
    with contextlib.redirect_stdout(io.StringIO()):
        return call(*args)


def titles(script):
    found = []
    for problem, mine in groups(records).items():
        axis = plt.subplots()[1]
        quiet(script.draw, axis, problem, mine)
        found.append(" ".join(axis.get_title().split()))
    return found


def hybrid(*policies):
    found = []
    for policy in policies:
        column = plt.subplots(2)[1]
        quiet(fig8_hybrid.draw_problem, column, *list(groups(records).items())[0], policy)
        found.append(" ".join(column[0].get_title().split()))
    return found


def power():
    found, left_out = spans.problems(records)
    texts = [quiet(spans.say_left_out, t, left_out[t], mine, spans.traced(mine)) for t, mine in found.items()]
    return [" ".join(text.split()) for text in texts]


done = True"""
