"""Forecasts: the papers' sets, and agreement with what runs record."""
import json

from rollbench import call, deadline, kill_options, long, main, new_folder, refuse_all, run
from test_recovery import CG, JACOBI, LULESH

POLICIES = ("none", "all", "window:12", "budget:30%", "budget:60%:clusters", "teams:2")


def explain(*args):
    done = call("explain", *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_active_sets_of_the_papers():
    """power-log-n-roll, Fig. 1 and Table 2."""
    jacobi = explain("jacobi", "--np", 12, "--decomp", "3x4", "--policy", "all", "--kill", "5@33")
    assert jacobi["active"] == [1, 4, 6, 9] and jacobi["restarted"] == [5]
    assert jacobi["blocked"] == [0, 2, 3, 7, 8, 10, 11]
    wide = explain("jacobi", "--np", 144, "--decomp", "18x8", "--policy", "all", "--kill", "0@18",
                   "--grid", 7500)
    assert wide["active"] == [1, 8]
    lulesh = explain("lulesh", "--np", 125, "--policy", "all", "--kill", "0@40")
    assert lulesh["active"] == [1, 5, 25]
    cg = explain("cg", "--class", "D", "--np", 128, "--policy", "all", "--kill", "0@40")
    assert cg["active"] == [1, 2, 4, 8]


def test_a_run_records_the_active_set():
    record = run("jacobi", "--np", 12, "--decomp", "3x4", "--grid", 96, "--interval", 20,
                 "--policy", "all", "--kill", "5@33")
    failure = record["failures"][0]
    assert failure["active"] == [1, 4, 6, 9], failure
    assert failure["blocked"] == [0, 2, 3, 7, 8, 10, 11], failure


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


KILLS = ((CG, ("3@43", "0@53:send", "6@88:commit")), (LULESH, ("2@33", "7@59:commit")),
         (JACOBI, ("4@35", "0@43:op+3")))


@deadline(300)
def test_runs_agree_with_forecasts():
    path = new_folder() / "record.json"
    for number, policy in enumerate(POLICIES):
        kernel, kills = KILLS[number % 3]
        check_forecasts(kernel, policy, kills, path)


@long
@deadline(300)
def test_runs_agree_with_forecasts_in_every_kernel():
    path = new_folder() / "record.json"
    for kernel, kills in KILLS:
        for policy in POLICIES:
            check_forecasts(kernel, policy, kills, path)
            for kill in kills:
                check_forecasts(kernel, policy, (kill,), path)


def test_the_log_is_as_large_as_foretold():
    for kernel, last in ((CG, 24), (LULESH, 19), (JACOBI, 19)):
        forecast = explain(*kernel, "--policy", "all", "--kill", f"0@{last}:commit")["log_bytes_peak"]
        peaks = [role["log_bytes_peak"] for role in run(*kernel, "--policy", "all")["roles"]]
        assert all(a >= b > 0 for a, b in zip(forecast, peaks, strict=True)), (forecast, peaks)
        assert max(peaks) <= max(forecast) * 1.1, (peaks, forecast)


def test_a_node_and_several_kills_are_one_failure():
    assert explain("cg", "--np", 8, "--policy", "all", "--node-size", 2, "--kill-node",
                   "1@38")["restarted"] == [2, 3]
    assert explain("cg", "--np", 8, "--policy", "teams:4", "--kill", "1@38", "--kill",
                   "2@38")["restarted"] == [0, 1, 2, 3]
    refuse_all(("explain", "cg", "--np", 8, "--kill", "1@38", "--kill", "2@99", ("one by one",)),
               ("explain", "cg", "--np", 8, ("--kill",)),
               ("explain", "cg", "--np", 8, "--kill", "1@38:replay", ("recovery",)),
               ("explain", "--record", "/nowhere.json", ("/nowhere.json",)))


def test_a_forged_record_is_found():
    path = new_folder() / "record.json"
    record = run(*CG, "--policy", "all", "--kill", "3@43")
    record["failures"][0]["rollback_set"].append(5)
    path.write_text(json.dumps(record))
    done = call("explain", "--record", path)
    assert done.returncode == 1 and "DIFFERS" in done.stdout, done


if __name__ == "__main__":
    main()
