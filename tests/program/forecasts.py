"""Forecasts of `rollbench explain`, and whether runs agree with them."""
import json

from rollbench import call, cpu_limit, kill_options, run

POLICIES = ("none", "all", "window:12", "budget:30%", "budget:60%:clusters", "teams:2")
MORE_POLICIES = ("budget:40%:online", "budget:40%:online:kept")  # in the long test


def explain(*args):
    done = call("explain", *args, "--json", preexec_fn=cpu_limit(10))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def within(forecast, observed, sure, perhaps):
    least = set(forecast[sure])
    assert least <= set(observed) <= least | set(forecast[perhaps]), (sure, forecast, observed)


def check_forecasts(kernel, policy, kills, path):
    """Compare forecasts of each kill with the record of one run with all kills, each in its own interval."""
    record = run(*kernel, "--policy", policy, *kill_options(kills))
    assert record["unfired"] == [] and len(record["failures"]) == len(kills), record["failures"]
    for kill, failure in zip(kills, record["failures"], strict=True):
        forecast = explain(*kernel, "--policy", policy, "--kill", kill)
        within(forecast, failure["rollback_set"], "restarted", "perhaps_restarted")
        within(forecast, failure["active"], "active", "perhaps_active")
        assert forecast["checkpoint"] == failure["checkpoint"], (kill, forecast, failure)
    path.write_text(json.dumps(record))
    done = call("explain", "--record", path)
    assert done.returncode == 0 and done.stdout.count("agrees") >= 1 and "DIFFERS" not in done.stdout, done.stdout
