"""Forecasts: the papers' sets, and agreement with what runs record."""
import json
import os
import subprocess

import pytest

from export_tables import kept
from forecasts import MORE_POLICIES, POLICIES, check_forecasts, explain
import power_records
from problems import CG, JACOBI, LULESH
from rollbench import COMMAND, ROOT, call, kill_options, new_folder, refuse_all, run


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


def test_a_set_of_thousands_is_a_line():
    said = call("explain", "cg", "--class", "D", "--np", 4096, "--policy", "all", "--kill", "5@33").stdout
    assert "blocked            4088: 0 2 3 6 8-12 14-20 22-36 38-319 321-4095\n" in said, said[:2000]
    assert max(map(len, said.splitlines())) < 200, said
    kills = [word for role in range(1, 80, 2) for word in ("--kill", f"{role}@3")]
    said = call("explain", "jacobi", "--np", 400, "--grid", 400, "--decomp", "20x20", "--policy", "all", *kills).stdout
    odd = " ".join(map(str, range(1, 64, 2)))
    assert f"restarted           40: {odd} ... (8 more)\n" in said, said


def test_a_run_records_the_active_set():
    record = run("jacobi", "--np", 12, "--decomp", "3x4", "--grid", 96, "--interval", 20,
                 "--policy", "all", "--kill", "5@33")
    failure = record["failures"][0]
    assert failure["active"] == [1, 4, 6, 9], failure
    assert failure["blocked"] == [0, 2, 3, 7, 8, 10, 11], failure


KILLS = ((CG, ("3@43", "0@53:send", "6@88:commit")), (LULESH, ("2@33", "7@59:commit")),
         (JACOBI, ("4@35", "0@43:op+3")))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_runs_agree_with_forecasts():
    path = new_folder() / "record.json"
    for number, policy in enumerate(POLICIES):
        kernel, kills = KILLS[number % 3]
        check_forecasts(kernel, policy, kills, path)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_runs_agree_with_forecasts_in_every_kernel():
    path = new_folder() / "record.json"
    for kernel, kills in KILLS:
        for policy in (*POLICIES, *MORE_POLICIES):
            check_forecasts(kernel, policy, kills, path)
            for kill in kills:
                check_forecasts(kernel, policy, (kill,), path)


@pytest.mark.long
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


def test_a_job_dies_with_its_first_role():
    """Recovery by restart: records of it differed from their forecasts, in which the survivors waited."""
    for kill in ("2@25", "2@31"):
        job = explain("cg", "--np", 4, "--strategy", "restart", "--policy", "none", "--ckpt", "file", "--spares", 0, "--kill", kill)
        assert job["restarted"] == [0, 1, 2, 3] and not job["active"] + job["blocked"], job


def test_a_folder_of_records_is_counted():
    """A record that differs is named, and one that is not of the engine is left out; JSON has the forecast of each recovery."""
    folder, records = new_folder() / "of all", [r for r in power_records.sweep() if r["policy"] == "all"]
    power_records.write(folder, records)
    done = call("explain", "--record", folder)
    assert done.returncode == 0 and "6 recoveries agree" in done.stdout and "0 differ" in done.stdout and not done.stderr, done
    records[0]["failures"][0]["fronts"][2] = None
    records[1]["failures"][0] |= {"replaced_by": "restart", "rollback_set": [*range(8)], "active": []}  # an escalated repair
    records[3]["failures"][0]["active"] = [1, 5]
    records[4]["failures"] = []
    records[5]["kind"] = "elc"
    records += [{**records[3], "status": "wrong"}, {**records[3], "control": "replay"}]
    power_records.write(folder, records)
    done = call("explain", "--record", folder)
    assert done.returncode == 1 and "run-3: role 0 in iteration 18: DIFFERS" in done.stdout, done
    assert "run-3: the recovery of role 0 differs" in done.stderr and "records left out: 3" in done.stderr, done
    for words in ("8 records of", "2 recoveries agree", "1 differ", "1 cannot be compared", "1 records have no failure",
                  "1 left out: a run with --protocol", "1 left out: its status is not ok", "1 left out: a negative control"):
        assert words in done.stdout, (words, done)
    found = json.loads(call("explain", "--record", folder, "--json").stdout)
    assert (found["agree"], found["differ"], found["unknown"], found["left_out"]) == (2, 1, 1, 3) and "left_out" in found["records"][5], found
    one = found["records"][3]["recoveries"][0]
    assert one["agrees"] is False and one["forecast"]["active"] == [1, 4] and one["role"] == 0, one
    first = found["records"][0]["recoveries"][0]
    assert first["agrees"] is None and first["forecast"] is None and first["fronts"][2] is None, first
    done = call("explain", "--record", folder / "run-6.json")
    assert done.returncode == 1 and "DIFFERS" in done.stdout, "a file is compared whatever its status is"
    power_records.write(folder, records[4:6])
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": ["run-0", "run-1", "run-9"]}))
    done = call("explain", "--record", folder)
    assert done.returncode == 1 and "nothing was compared" in done.stderr and "1 left out: of the sweep, but not there" in done.stdout, done


def test_a_path_may_have_any_bytes():
    folder = os.fsencode(new_folder()) + b"/\xff"
    os.mkdir(folder)
    record, = (r for r in power_records.sweep()[:2] if r["policy"] == "all")
    with open(folder + b"/\xfe.json", "w", encoding="utf-8") as file:
        json.dump(record, file)
    done = subprocess.run([*COMMAND, "explain", "--record", folder, "--json"], capture_output=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["agree"] == 1 and len(json.loads(done.stdout)["records"]) == 1, done


def test_recoveries_of_the_kept_records_agree():
    """Rollback, data-flow rollback, budgets, restart of the job: all that data/records has. Event-logging checkpoints have no rollback set."""
    found = 0
    for path in sorted((ROOT / "data" / "records").glob("*.tar.xz")):
        name = path.name.removesuffix(".tar.xz")
        done = call("explain", "--record", kept(name), "--json")
        if name == "event-logging":
            assert done.returncode == 1 and "nothing was compared" in done.stderr, done.stderr
            continue
        assert done.returncode == 0, done.stderr
        found += json.loads(done.stdout)["agree"]
    assert found > 400, found


DATAFLOW = ("--interval", 20, "--recompute", "dataflow")


def test_cones_have_the_sizes_of_the_paper():
    """data-flow-rollback, Sect. 2: iterations and supporters in the interior, with so many lost iterations."""
    for lost in range(1, 9):
        grid = explain("jacobi", "--np", 4096, "--decomp", "64x64", "--grid", 256, *DATAFLOW, "--kill", f"2080@{20 + lost}")
        row = explain("jacobi", "--np", 16, "--decomp", "1x16", *DATAFLOW, "--kill", f"8@{20 + lost}")
        for cone, work, supporters, np in ((grid, lost + 2 * (lost**3 - lost) // 3, 2 * lost * (lost - 1), 4096),
                                           (row, lost**2, 2 * (lost - 1), 16)):
            assert cone["iterations"] == {"restarted": lost, "supported": work - lost, "cone": work,
                                          "rollback": lost * np, "full_logging": lost, "global": lost * np}, (lost, cone["iterations"])
            assert cone["recompute"] == "dataflow" and cone["supported"] == work - lost and "perhaps" not in cone
            assert len(cone["supporting"]) == supporters and cone["distance"][cone["restarted"][0]] == 0
            assert all(cone["supported_each"][role] == lost - cone["distance"][role]
                       for role in cone["supporting"] + cone["sending"])
            sets = [cone["restarted"], cone["supporting"], cone["sending"], cone["idle"]]
            assert sorted(role for each in sets for role in each) == list(range(np))
        assert len(grid["sending"]) == 4 * lost and len(row["sending"]) == (2 if lost < 8 else 1)


def test_flat_cones_have_the_sizes_of_the_algorithm():
    """data-flow-rollback, Alg. 1: all roles at distance L or less repeat all L iterations."""
    flat = ("--interval", 20, "--recompute", "dataflow:flat")
    for lost in range(1, 9):
        grid = explain("jacobi", "--np", 4096, "--decomp", "64x64", "--grid", 256, *flat, "--kill", f"2080@{20 + lost}")
        row = explain("jacobi", "--np", 33, "--decomp", "1x33", *flat, "--kill", f"16@{20 + lost}")
        for case, roles, cone in ((grid, 2 * lost * (lost + 1), lost + 2 * (lost**3 - lost) // 3), (row, 2 * lost, lost**2)):
            assert case["recompute"] == "dataflow:flat" and case["sending"] == [] and len(case["supporting"]) == roles
            assert case["iterations"]["supported"] == lost * roles and case["iterations"]["cone"] == cone, (lost, case)
            assert all(0 < case["distance"][role] <= lost for role in case["supporting"]) and case["global_after"] is None
    text = told("jacobi", "--np", 15, "--decomp", "3x5", *flat, "--kill", "7@22")
    assert [line.split() for line in text.splitlines()[-3:]] == [
        [".", "2", "2", "2", "."], ["2", "2", "2*", "2", "2"], [".", "2", "2", "2", "."]], text
    assert "that repeat everything" in text and "of these, in the cone           6" in text, text
    edge = told("jacobi", "--np", 6, "--decomp", "1x6", *flat, "--kill", "0@26")
    assert "with 5 lost iterations or more, all roles take part" in edge, edge


def test_recorded_reductions_are_no_edges():
    """All neighbours have logged their messages. The sums over all roles are in the logs, too, but nobody sends them."""
    full = explain("jacobi", "--np", 12, "--decomp", "3x4", "--policy", "all", *DATAFLOW, "--kill", "5@33")
    assert full["active"] == [1, 4, 6, 9] and full["supporting"] == full["sending"] == []
    assert full["idle"] == full["blocked"] == [0, 2, 3, 7, 8, 10, 11]
    lulesh = explain("lulesh", "--np", 125, *DATAFLOW, "--kill", "62@21")
    assert len(lulesh["supporting"] + lulesh["sending"]) < 124 and lulesh["global_after"] is None


def told(*args):
    done = call("explain", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_text_draws_the_cone():
    text = told("jacobi", "--np", 15, "--decomp", "3x5", *DATAFLOW, "--kill", "7@22")
    assert "distance 1: 4 roles, 1 iteration each" in text and "sending only         6: 1 3 5 9 11 13" in text, text
    drawn = [line.split() for line in text.splitlines()[-3:]]
    assert drawn == [[".", "0", "1", "0", "."], ["0", "1", "2*", "1", "0"], [".", "0", "1", "0", "."]], text
    assert "is global" not in text and "survivors are in iteration 22:" in text
    late = told("jacobi", "--np", 15, "--decomp", "3x5", *DATAFLOW, "--kill", "7@22:commit")
    assert "survivors are in iteration 22:" in late and "survivors are in iteration 23:" in late, late


def test_cg_needs_everybody():
    cone = explain("cg", "--np", 8, *DATAFLOW, "--kill", "3@38")
    assert cone["idle"] == [] and cone["global_after"] == 1 and len(cone["supporting"]) == 7
    assert "with 1 lost iteration or more, all roles take part" in told("cg", "--np", 8, *DATAFLOW, "--kill", "3@38")


GRID = ("jacobi", "--grid", 96, "--steps", 100, "--np", 12, "--decomp", "3x4", "--interval", 20, "--ckpt-lag", "sync")
PARTS = ("supporting", "sending", "distance", "supported")


def check_duplicates(policy, kills, path, how="dataflow"):
    """What a record says of duplicates is what was foreseen, if all survivors were where the forecast assumes them."""
    args = (*GRID, "--policy", policy, "--recompute", how)
    record = run(*args, *kill_options(kills))
    exact = 0
    for kill, failure in zip(kills, record["failures"], strict=True):
        forecast = explain(*args, "--kill", kill)
        fronts = {front for role, front in enumerate(failure["fronts"]) if role != failure["role"]}
        for case in (forecast, forecast.get("perhaps")):
            if case and fronts == {case["front"]}:
                assert [failure[key] for key in PARTS] == [case[key] for key in PARTS], (kill, case, failure)
                exact += 1
    path.write_text(json.dumps(record))
    done = call("explain", "--record", path)
    assert done.returncode == 0 and done.stdout.count("agrees") == len(kills), done.stdout
    return exact, record


@pytest.mark.long
def test_runs_have_the_duplicates_foretold():
    path = new_folder() / "record.json"
    exact, record = check_duplicates("none", ("5@23", "0@42", "11@64:commit", "6@83:op+3"), path)
    exact += check_duplicates("window:2", ("5@24", "6@45:send"), path)[0]
    exact += check_duplicates("budget:50%", ("5@24", "6@45:send"), path, "dataflow:flat")[0]
    assert exact > 0
    for key, value in (("supported", 1), ("supporting", [4]), ("sending", []), ("distance", None), ("lost", 9)):
        forged = {**record, "failures": [{**record["failures"][0], key: value}]}
        path.write_text(json.dumps(forged))
        done = call("explain", "--record", path)
        assert done.returncode == 1 and "DIFFERS" in done.stdout, (key, done)
