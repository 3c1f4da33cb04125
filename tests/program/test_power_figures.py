"""Energy and power from records: the figures, the table of active sets, the modelled energy."""
import json
import re

import pytest

import drawing
import power_records
from power_tree import Tree
from rollbench import ROOT, call, new_folder, refuse, refuse_all, run

JACOBI = ("jacobi", "--grid", 48, "--steps", 25, "--np", 4, "--interval", 25, "--ckpt-lag", "sync")
EXAMPLE = ROOT / "configs" / "power-model-example.yaml"


def plot(script, records, expect=0):
    """What the script says; the folder it drew into."""
    results, output = new_folder(), new_folder()
    power_records.write(results, records)
    return drawing.draw(script, results, output, expect), output


def ask(expression, records):
    return drawing.ask(expression, records, "from plots.common.spans import *; from plots.figures import fig6_energy")


@pytest.mark.long
def test_figures_are_drawn_from_each_source():
    for energy, script, name in ((None, "fig6_energy", "fig6-energy"),
                                 ("measured", "fig5_power", "fig5-power"),
                                 ("modelled", "fig7_distribution", "fig7-distribution")):
        said, output = plot(script, power_records.sweep(energy))
        assert "not drawn" not in said, said
        assert drawing.figures(output) == [name]


@pytest.mark.long
def test_a_share_that_is_pinned_is_not_drawn_as_power():
    """With more roles than cores, the mean busy share is cores / roles. Measured power is drawn all the same."""
    crowd = {"oversubscribed": True, "host": {"cores": 2}}
    said, _ = plot("fig5_power", [{**r, **crowd} for r in power_records.sweep()])
    assert "power: not drawn. 8 roles share 2 cores" in said and "2/8" in said, said
    said, _ = plot("fig5_power", [{**r, **crowd} for r in power_records.sweep("measured")])
    assert "not drawn" not in said, said


def test_how_far_blocked_and_active_roles_are_apart():
    """Roles that sleep have 2 % of a core where active ones have 90; those that spin have 99. Fewer than six runs have no interval."""
    said, _ = plot("fig7_distribution", power_records.sweep())
    assert re.search(r"blocked roles sleep; blocked / active 0\.\d\d, 3 runs: too few for an interval", said), said
    said, _ = plot("fig7_distribution", 2 * power_records.sweep())
    assert re.search(r"blocked roles sleep; blocked / active 0\.1\d \[0\.1\d, 0\.1\d\]\n", said), said
    assert re.search(r"local rollback \(all\); blocked / active (1\.\d\d) \[1\.\d\d, 1\.\d\d\]\n", said), said


def test_bad_records_are_not_drawn_and_said_aloud():
    records = power_records.sweep()
    records[0]["status"] = "hang"
    records[4]["compared"]["equal"] = False
    records[8]["trace"][3]["dropped"] = 7
    said, _ = plot("fig5_power", records)
    assert "2 runs not ok or not equal, 1 runs without a whole trace" in said, said
    for record in records:
        record["status"] = "wrong"
    said, _ = plot("fig5_power", records, expect=1)
    assert "no records" in said, said


def test_without_a_trace_the_figures_say_what_to_do():
    untraced = [{**r, "trace": None} for r in power_records.sweep()]
    said, _ = plot("fig7_distribution", untraced, expect=1)
    assert "--meters iterations" in said, said


def near(a, b):
    return abs(a - b) < 1e-9


def test_an_iteration_lasts_until_it_is_complete():
    """All that a role repeats and waits for belongs to the iteration in which the failure found it."""
    steps, failed, step = power_records.STEPS, power_records.FAILED, power_records.STEP
    ways = (("none", "none"), ("all", "none"), ("all", "sleep"))
    for (policy, _), used in zip(ways, ask("[by_iteration(r) for r in records]",
                                           [power_records.make(*way) for way in ways])):
        assert set(used) == {str(r) for r in range(power_records.NP)}
        for role, mine in used.items():
            role = int(role)
            whole = step * (1 + 0.01 * (role % 3))
            assert sorted(map(int, mine)) == list(range(steps)), (policy, role)
            assert all(near(mine[str(i)]["wall_s"], whole) for i in range(steps) if i != failed)
            redone = (0.001 + failed * whole if policy == "none" or role == 0 else
                      step * (failed - 1))
            lost = 0.004 if role == 0 else 0.006
            assert near(mine[str(failed)]["wall_s"], whole + redone + lost), (policy, role)


def test_unmeasured_stays_unmeasured():
    record = power_records.make("all", energy="measured")
    record["trace"][2]["rows"][5][8] = None
    record["energy"]["packages"][0].update(package_j=None, reason="unmeasured: role 2 died")
    used, name, joules = ask("[by_iteration(records), fig6_energy.source([records])[1], "
                             "fig6_energy.source([records])[0](records)]", record)
    assert used["2"]["5"]["package_j"] is None and used["2"]["6"]["package_j"] is not None
    assert used["3"]["6"]["package_j"] is None
    assert name == "energy of 1 of 2 packages, measured"
    assert joules == record["energy"]["packages"][1]["package_j"]


def test_every_source_says_what_it_is():
    measured, modelled, neither, mixed = ask(
        "[[power_meter({'all': runs})[1], *fig6_energy.source(runs)[1:]] for runs in records]",
        [[power_records.make("all", energy="measured")],
         [power_records.make("all", energy="modelled")],
         [power_records.make("all")],
         [power_records.make("all", energy="modelled"), power_records.make("all")]])
    assert all("measured" in measured[i] for i in (0, 1, 3)), measured
    assert all("modelled" in modelled[i] for i in (0, 1, 3)), modelled
    assert "CPU time" in neither[0] and neither[2] == "s" and neither[3] == "CPU time x time"
    assert "energy" not in neither[3] and "no energy was measured" in neither[1], neither
    assert mixed == neither  # a run without a model: nothing is drawn from the model beside it


def test_the_role_that_died_is_in_the_sum_of_cpu_time():
    """It alone computes again under local rollback: a sum without it lacks the whole price."""
    cheap, dear = power_records.make("all"), power_records.make("all")
    assert dear["roles"][0]["used"]["lost"]
    dear["roles"][0]["used"]["step"]["cpu_s"] += 1000
    less, more = ask("[fig6_energy.source([r])[0](r) for r in records]", [cheap, dear])
    assert near(more - less, 1000), (less, more)


def test_modelled_power_of_roles_that_share_a_core():
    record = power_records.make("all", energy="modelled")
    record["modelled"]["by_core"][3]["roles"] = [3, 6]
    watts = ask("modelled_watts(records, 3, {'wall_s': 2.0, 'cpu_s': 0.5})", record)
    assert near(watts, 2.0 / 2 + (8.0 - 2.0) * 0.25), watts


def check_other_explanations(results, top):
    """Recoveries that cannot be forecast stand in a row; an explanation of another run is no answer."""
    path = results.with_name(f"{results.name}.explained.json")
    good = json.loads(path.read_text(encoding="utf-8"))
    for change, words in (({"agrees": None, "forecast": None}, "| unknown: a role died before"), ({"fronts": [0] * 8}, "")):
        path.write_text(json.dumps({**good, "records": [{**one, "recoveries": [{**one["recoveries"][0], **change}]} for one in good["records"]]}))
        said = drawing.draw("table_active", results, top, 0 if words else 1)
        assert words in (top / "active.md").read_text(encoding="utf-8") if words else "call `rollbench explain --record` again" in said, said
    path.write_text(json.dumps({**good, "records": [{"id": one["id"], "left_out": "too old"} for one in good["records"]]}))
    drawing.draw("table_active", results, top)
    assert "| unknown: too old | unknown |" in (top / "active.md").read_text(encoding="utf-8")


def test_the_table_of_active_sets():
    records = [r for r in power_records.sweep() if r["policy"] == "all"]
    top = new_folder()
    assert call("papers", "forecasts", "--results", top).returncode == 0
    for active, status, words in (([1, 4], 0, ["| {1, 4} | 5 | 6 | {1, 4} | yes |"]),
                                  ([1, 5], 1, ["| {1, 5} | 5 | 6 | {1, 4} | NO |"])):
        results = top / str(status)
        for record in records:
            record["failures"][0]["active"] = active
        power_records.write(results, records)
        assert "rollbench explain --record" in drawing.draw("table_active", results, top, 1), "without explained recoveries"
        drawing.explain(results, status)
        said = drawing.draw("table_active", results, top, status)
        text = (top / "active.md").read_text(encoding="utf-8")
        for word in (*words, "| {1, 5, 25} | {1, 5, 25} | by construction |",
                     "| {1, 5, 25} | {1, 5, 6, 25, 26, 30, 31} | no |", "| {1, 2, 4, 8} | {1, 2, 4, 8} | by construction |",
                     "| {1, 8} | {1, 8} | by construction |", "| {1, 8} | {1, 12} | no |"):
            assert word in text, (word, text)
        assert ("a recovery is not the one foretold" in said) == bool(status), said
        if status == 0:
            check_other_explanations(results, top)


GOOD = "name: mine\nbusy_w: 8.5\nidle_w: 1\nnote: from the wall\n"


def test_bad_profiles():
    for before, after, words in (
            ("busy_w: 8.5", "busy_w: lots", (":2:", "lots")),
            ("busy_w: 8.5", "busy_w: -8.5", (":2: busy_w: -8.5",)),
            ("busy_w: 8.5", "busy_w: nan", (":2: busy_w",)),
            ("idle_w: 1", "idle_w: 9", (":3: idle_w: 9", "8.5")),
            ("idle_w: 1", "idle: 1", (":3:", "idle")),
            ("note: from the wall\n", "", ("note",)),
            ("note: from the wall", 'note: ""', (":4:", "at least one character")),
            (GOOD, "", (":1:", "empty"))):
        path = new_folder() / "profile.yaml"
        path.write_text(GOOD.replace(before, after, 1))
        refuse("run", *JACOBI, "--power-model", path, words=(path.name, *words))
    refuse_all(("run", *JACOBI, "--power-model", "absent.yaml", ("absent.yaml",)),
               ("sweep", ROOT / "configs" / "laptop" / "smoke.yaml", "--power-model", "absent.yaml", ("absent.yaml",)))


SWEEP = """\
name: tiny
{model}
runs:
  - kernel: jacobi
    grid: 48
    steps: 25
    np: 4
    interval: 25
    ckpt_lag: sync
    policy: all
    power: [none, sleep]
    kill:
      roles: [0]
      iterations: "18"
      phases: [start]
"""


def profiles_in(results):
    records = [json.loads(p.read_text()) for p in results.glob("*.json") if p.name != "sweep.json"]
    assert len(records) == 3 and all(r["status"] == "ok" for r in records)
    assert sorted(r["power"] for r in records) == ["none", "none", "sleep"]
    assert len({r["state_hash"] for r in records}) == 1
    return {r.get("modelled", {}).get("profile", {}).get("name") for r in records}


def test_a_sweep_gets_its_model_later_without_running_again():
    place, results = new_folder(), new_folder() / "results"
    config = place / "tiny.yaml"
    config.write_text(SWEEP.format(model="deadline: 60"))
    assert call("sweep", config, "--results", results).returncode == 0
    assert profiles_in(results) == {None}
    (place / "mine.yaml").write_text(GOOD)
    config.write_text(SWEEP.format(model="power_model: mine.yaml\ndeadline: 60"))
    done = call("sweep", config, "--results", results)
    assert done.returncode == 0 and "3 of 3 runs were already done" in done.stdout, done
    assert profiles_in(results) == {"mine"}
    done = call("sweep", config, "--results", results, "--power-model", EXAMPLE)
    assert "3 of 3 runs were already done" in done.stdout and profiles_in(results) == {"example"}


def cpu_in_loop(role):
    return sum(span["cpu_s"] for phase, span in role["used"].items()
               if phase not in ("setup", "verify", "close", "lost"))


def check_model(record):
    """Every core's energy follows from its roles' CPU time; roles that lost a process are left out."""
    modelled = record["modelled"]
    watts, sum_j = modelled["profile"], 0
    died = {f["role"] for f in record["failures"]}
    assert set(modelled["unmeasured"]) == died, modelled
    for core in modelled["by_core"]:
        mine = [record["roles"][r] for r in core["roles"]]
        assert all(r["binding"] == core["binding"] for r in mine), core
        if died & set(core["roles"]):
            assert core["energy_j"] is None and "lost a process" in core["reason"], core
            continue
        busy = min(sum(map(cpu_in_loop, mine)), record["loop_s"])
        joules = watts["busy_w"] * busy + watts["idle_w"] * (record["loop_s"] - busy)
        assert near(core["busy_s"], busy) and near(core["energy_j"], joules), (core, joules)
        sum_j += joules
    assert sorted(r for c in modelled["by_core"] for r in c["roles"]) == list(range(record["np"]))
    assert (modelled["energy_j"] is None) == bool(modelled["reason"]), modelled
    assert near(modelled["energy_j"] or 0, sum_j), (modelled, sum_j)


def test_a_run_has_its_model_and_says_so():
    record = run(*JACOBI, "--power-model", EXAMPLE)
    assert "belong to no machine" in record["modelled"]["profile"]["note"]
    assert "modelled" in record["modelled"]["note"]
    assert "modelled energy (profile example, not measured): " in record["_stderr"], record["_stderr"]
    check_model(record)
    check_model(run(*JACOBI, "--policy", "all", "--kill", "0@18", "--power-model", EXAMPLE))
    record = run(*JACOBI, "--meters", "off", "--power-model", EXAMPLE)
    assert record["modelled"]["energy_j"] is None and "--meters off" in record["modelled"]["reason"]
    assert "modelled energy: none" in record["_stderr"], record["_stderr"]


def test_iterations_of_a_real_run():
    """From start to completion they make up the whole loop, for any rollback set."""
    records = [run(*JACOBI, "--policy", policy, "--kill", "0@18", "--meters", "iterations")
               for policy in ("none", "all")]
    for record, used in zip(records, ask("[by_iteration(r) for r in records]", records)):
        for role, mine in used.items():
            assert sorted(map(int, mine)) == list(range(25)), (role, sorted(mine))
            took = sum(sums["wall_s"] for sums in mine.values())
            assert took <= record["loop_s"] + 0.005, (role, took, record["loop_s"])
            if int(role) != 0:
                assert took >= 0.5 * record["loop_s"], (role, took, record["loop_s"])


def test_measured_energy_of_real_runs():
    """On a machine made of files, whose packages draw 50 W, the figures show 50 W."""
    longer = ("jacobi", "--grid", 512, "--steps", 400, "--np", 4, "--interval", 400, "--policy", "all",
              "--power", "sleep", "--meters", "iterations")
    with Tree() as tree:
        record = run(*longer, "--kill", "0@300")
    reader = record["energy"]["packages"][0]["reader"]
    name, joules, watts, package = ask(
        f"[fig6_energy.source([records])[1], fig6_energy.source([records])[0](records), "
        f"measured_watts(records, {reader}, by_iteration(records)[{reader}][300]), "
        f"whose(records, {reader}, measured_watts)]", record)
    assert name == "energy, measured", (name, record["energy"])
    assert package == [record["roles"][reader]["host"], 0], package
    for found in (joules / record["loop_s"], watts):
        assert abs(found - tree.WATTS) < 0.15 * tree.WATTS, (joules, watts, record["loop_s"])
