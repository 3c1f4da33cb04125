"""`rollbench study KERNEL`: the same as the study of its profile; `budget`, as a run has it; and real kills beside it."""
import json
import re

import pytest

import drawing
from problems import kill
import schema
from rollbench import ROOT, call, new_folder, refuse_all

CAPS = (30, 50, 70)
PROBLEM = ("bfs", "--scale", "7", "--steps", "22", "--np", "4")
PARAMS = {"scale": "7", "steps": "22"}


def ask(*args):
    done = call("study", *args, "--json", "-")
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    schema.check(found)
    return found


def test_a_kernel_is_as_its_profile():
    folder = new_folder()
    for kernel in (("cg", "--class", "S", "--np", 16), ("bfs", "--scale", 8, "--seed", 3, "--steps", 20, "--np", 8),
                   ("amr", "--cells", 4, "--blocks", 8, "--np", 8)):
        for some in ((), ("--iterations", 5), ("--iterations", "5..9"), ("--self-messages", "--iterations", 3)):
            path = folder / f"{kernel[0]}.csv"
            assert call("profile", *kernel, *some, "--out", path).returncode == 0
            direct, of_file = ask(*kernel, *some), ask(path)
            about = direct.pop("kernel")
            assert about["name"] == kernel[0] and about["params"][kernel[1][2:]] == str(kernel[2]), about
            assert about["from"] == (5 if "5..9" in some else 0), about
            for key in ("file", "name", "program", "arguments", "phase"):
                direct.pop(key), of_file.pop(key)
            assert direct == of_file, kernel
    whole = ask("cg", "--np", 4, "--iterations", 8)
    parts = [ask("cg", "--np", 4, "--iterations", part)["bytes"] for part in ("0..4", "5..7")]
    assert whole["bytes"] == sum(parts) and min(parts) > 0, (whole["bytes"], parts)


def test_a_cap_is_that_of_a_run():
    """The bytes of budget:30% are those that a run with that interval has, whatever iterations are studied."""
    shown = call("explain", *PROBLEM, "--interval", 10, "--policy", "budget:30%", "--kill", "1@12", "--json")
    assert shown.returncode == 0, shown
    for some in ("0..9", "10..19"):
        study = ask(*PROBLEM, "--iterations", some, "--caps", "30,70", "--strategy", "budget,heaviest", "--sets")
        budget, _, heaviest, _ = study["caps"]
        largest = max(json.loads(shown.stdout)["log_bytes_peak"])
        assert largest <= budget["cap_bytes"] and "channels_unlike_heaviest" in budget and "cap_bytes" not in heaviest, budget
        assert [len(one) for one in budget["sets"]] == [len(set(one)) for one in budget["sets"]]
        assert sum(map(len, budget["sets"])) / 4 == budget["set"] and sum(map(len, heaviest["sets"])) / 4 == heaviest["set"]
        assert all(v in one for v, one in enumerate(budget["sets"])), budget["sets"]


def played(percents, *strategies):
    """{(strategy, percent): what the study says}, of iterations 10 to 19."""
    study = ask(*PROBLEM, "--iterations", "10..19", "--caps", ",".join(map(str, percents)), "--strategy",
                ",".join(strategies), "--sets")
    return {(one["strategy"], one["theta"]): one for one in study["caps"]}


def test_the_forecast_holds_the_sets():
    """`explain` does not know whether a survivor has begun the next iteration; the study's set is within what it says."""
    differ = 0
    for (strategy, percent), one in played((30, 60), "budget", "budget:clusters", "budget:online", "budget:online:kept").items():
        policy = strategy.replace("budget", f"budget:{percent:g}%")
        for victim, members in enumerate(one["sets"]):
            done = call("explain", *PROBLEM, "--interval", 10, "--ckpt-sync", "--policy", policy, "--kill",
                        f"{victim}@20:checkpoint", "--json")
            assert done.returncode == 0, done
            found = json.loads(done.stdout)
            sure, perhaps = set(found["restarted"]), set(found["perhaps_restarted"])
            assert sure <= set(members) <= sure | perhaps, (policy, victim, members, found)
            differ += bool(perhaps)
    assert differ < 24, differ


def at_the_end(policy, victim, problem=PROBLEM):
    """The record of a run in which the failure has found all roles at the end of iteration 19."""
    for _ in range(3):
        record = kill((*problem, "--interval", 10, "--ckpt-sync"), policy, f"{victim}@20:checkpoint")
        if set(record["failures"][0]["fronts"]) == {20}:
            return record
    raise AssertionError(f"three times, a role was elsewhere: {record['failures']}")


GRID = ("jacobi", "--grid", 24, "--steps", 22, "--np", 9, "--decomp", "3x3")


def of_receivers(percent, *strategies):
    study = ask(*GRID, "--iterations", "10..19", "--caps", percent, "--strategy", ",".join(strategies), "--sets")
    return {one["strategy"]: one for one in (*study["caps"], *study["teams"])}


def test_receivers_in_the_study():
    """Without a cap, the neighbours of the victim go back, and nobody else; the forecast of a run agrees with every strategy."""
    found = of_receivers(50, "receiver", "heaviest:receiver", "teams:3:receiver", "budget:receiver", "budget:clusters:receiver")
    everything = found["receiver"]
    assert everything["sets"][4] == [1, 3, 4, 5, 7] and everything["sets"][0] == [0, 1, 3] and everything["chain_most"] == 1, everything
    assert found["teams:3:receiver"]["sets"][4] == [3, 4, 5], found["teams:3:receiver"]
    assert found["budget:receiver"]["set"] > everything["set"] and found["budget:receiver"]["channels_off"] > 0, found
    for strategy, one in found.items():
        if strategy == "heaviest:receiver":
            continue
        policy = strategy.replace("budget", "budget:50%")
        for victim, members in enumerate(one["sets"]):
            done = call("explain", *GRID, "--interval", 10, "--ckpt-sync", "--policy", policy, "--kill", f"{victim}@20:checkpoint",
                        "--json")
            assert done.returncode == 0, done
            forecast = json.loads(done.stdout)
            sure, perhaps = set(forecast["restarted"]), set(forecast["perhaps_restarted"])
            assert sure <= set(members) <= sure | perhaps, (policy, victim, members, forecast)


def test_a_share_is_of_what_keeps_the_messages():
    """Beside a strategy in which senders keep messages, one in which receivers do has the cap that it has alone, in any order; and a sweep
    has the same caps."""
    def caps(*strategies):
        return {one["strategy"]: one["cap_bytes"] for one in ask(*PROBLEM, "--iterations", 10, "--caps", 40, "--strategy", ",".join(strategies))["caps"]}

    senders, receivers = caps("budget")["budget"], caps("budget:receiver")["budget:receiver"]
    assert senders != receivers
    for order in (("budget", "budget:receiver"), ("budget:receiver", "budget")):
        assert caps(*order) == {"budget": senders, "budget:receiver": receivers}, order
    path = new_folder() / "both.yaml"
    path.write_text("name: both\nruns:\n  - {kernel: bfs, scale: 7, steps: 22, np: 4, interval: 10, policy: ['budget:40%', 'budget:40%:receiver']}\n")
    listed = call("sweep", path, "--dry-run").stdout
    assert f"-budget:{senders}-" in listed and f"-budget:{receivers}:receiver-" in listed, listed


@pytest.mark.long
@pytest.mark.timeout(120)
def test_kills_where_receivers_keep_messages():
    """The set of a run is that of the study, role by role; the finished matrix has one for the same words."""
    found, records = of_receivers(40, "budget:receiver", "budget:clusters:receiver"), []
    for words, victims in (("receiver", (4, 0)), ("clusters:receiver", (5,))):
        for victim in victims:
            record = at_the_end(f"budget:40%:{words}", victim, GRID)
            assert record["failures"][0]["rollback_set"] == found[f"budget:{words}"]["sets"][victim], (record["failures"], found)
            assert int(record["policy"].split(":")[1]) == found[f"budget:{words}"]["cap_bytes"], record["policy"]
            records.append({**record, "id": f"{words}-{victim}", "status": "ok", "compared": {"equal": True}})
    said, text = table(records)
    assert "3 kills, 0 differ" in said and "heaviest:receiver" in text and "clusters:whole:receiver" in text, (said, text)


def test_a_kill_under_the_papers_algorithm():
    """The cap of 60 % makes 2 go back with 1, but Alg. 1 does not test it for the last message. The answer is that of no failure."""
    caps = played((60,), "budget", "budget:online")
    hard, online = caps["budget", 60], caps["budget:online", 60]
    assert hard["sets"][1] != online["sets"][1] and hard["cap_bytes"] == online["cap_bytes"], caps
    record = at_the_end("budget:60%:online", 1)
    assert record["failures"][0]["rollback_set"] == online["sets"][1], (record["failures"], online)
    assert record["policy"] == f"budget:{online['cap_bytes']}:online", record["policy"]
    path = new_folder() / "record.json"
    path.write_text(json.dumps(record))
    for command in (("explain", "--record"), ("simulate", "--against")):
        done = call(*command, path)
        assert done.returncode == 0 and "DIFFERS" not in done.stdout and "agree" in done.stdout, done


def test_what_is_refused():
    folder = new_folder()
    path = folder / "cg.csv"
    assert call("profile", "cg", "--np", 4, "--iterations", 1, "--out", path).returncode == 0
    refuse_all(("study", path, "--strategy", "budget", ("--strategy budget", "rollbench study KERNEL")),
               ("study", path, "--iterations", 3, ("--iterations", "for a kernel")),
               ("study", path, "--self-messages", ("--self-messages", "for a kernel")),
               ("study", "cg", path, ("cg.csv", "not both")), ("study", "cg", "--phase", 1, ("--phase", "--iterations")),
               ("study", "cg", "--nothing", 1, ("--nothing",)), ("study", "cg", "--class", "X", ("X",)),
               ("study", "bfs", "--np", 4, ("--iterations", "missing")),
               ("study", "cg", "--np", 4, "--strategy", "budget", "--caps", 0, ("--caps 0", "budget")),
               ("study", "cg", "--np", 2048, "--iterations", 1, "--sets", ("--sets", "1024")),
               ("study", "--records", folder, ("--records", "0 records")), ("study", "--records", "/nowhere", ("/nowhere", "not there")),
               *(("study", "--records", folder, *words, ("--records", "the records say"))
                 for words in (("--caps", 30), ("--strategy", "heaviest"), ("--iterations", 3), ("--phase", 1), (path,))),
               *(("study", "cg", "--iterations", words, ("--iterations", "expected")) for words in ("0", "4..3", "a..b", "3..")),
               ("study", "cg", "--iterations", "1..99999999", ("100000000", "cg")))


def test_no_option_hides_one_of_a_kernel():
    """A command's own options come first, so none may have the name of a kernel's."""
    for command in ("study", "profile"):
        own, kernels = call(command, "--help").stdout.split("\nkernels and their options:\n")
        own, kernels = (set(re.findall(r"^ +--([a-z-]+)", text, re.MULTILINE)) for text in (own, kernels))
        assert len(own) > 4 and len(kernels) > 10 and not own & kernels, own & kernels


def killed(percent, role, caps, **more):
    """The record of a run in which the role died at the end of iterations 10 to 19, as the study says; numbers by hand."""
    effort = caps[percent]
    plan = f"{role}@20:checkpoint"
    return {"schema": "rollbench-run-1", "kind": "engine", "id": f"x-{percent}-{role}", "status": "ok", "kernel": "bfs", "params": PARAMS, "np": 4,
            "spares": 1, "interval": 10, "ckpt_lag": "sync", "policy": f"budget:{effort['cap_bytes']}",
            "policy_asked": f"budget:{percent}%", "plan": [plan], "compared": {"equal": True}, "host": {"hostname": "h"},
            "failures": [{"role": role, "iteration": 20, "checkpoint": 10, "fronts": [20] * 4, "chain": effort["chain"],
                          "rollback_set": effort["sets"][role], **more}]}


def studied(folder):
    """What `study --records` says of a sweep, where the table reads it."""
    path = folder.with_name(f"{folder.name}.study.json")
    done = call("study", "--records", folder, "--json", path)
    if done.returncode == 0:
        for one in (found := json.loads(path.read_text())):
            schema.check(one)
        return found
    assert done.returncode == 2 and "died at the end of an interval" in done.stderr, done
    return None


def table(records, expect=0):
    """What plots/tables/table_kills.py says and writes."""
    folder = new_folder() / "kills"
    folder.mkdir()
    for one in records:
        (folder / f"{one['id']}.json").write_text(json.dumps(one))
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": [r["id"] for r in records]}))
    if not studied(folder):
        assert "rollbench study --records" in drawing.draw("table_kills", folder, folder / "drawn", 1)
        folder.with_name("kills.study.json").write_text("[]")
        assert "no good run under budget:PERCENT%" in drawing.draw("table_kills", folder, folder / "drawn", 1)
    said, path = drawing.draw("table_kills", folder, folder / "drawn", expect), folder / "drawn" / "kills.md"
    return said, path.read_text() if path.exists() else ""


def test_kills_under_the_papers_algorithm_are_compared():
    """Beside those under a hard cap, each with its own sets, and both with the finished matrix of `heaviest`."""
    found = played((60,), "budget", "budget:online", "budget:online:kept")
    hard = {60: found["budget", 60]}
    records = [killed(60, role, hard) for role in range(4)]
    for words in ("online", "online:kept"):
        for role in range(4):
            one = killed(60, role, {60: found[f"budget:{words}", 60]})
            records.append({**one, "id": f"{words}-{role}", "policy": f"{one['policy']}:{words}", "policy_asked": f"budget:60%:{words}"})
    said, text = table(records)
    assert "12 kills, 0 differ" in said and text.count("finished matrix | heaviest |") == 3, (said, text)
    assert "| budget:online |" in text and "| budget:online:kept |" in text, text
    wrong = {**records[5], "failures": [{**records[5]["failures"][0], "rollback_set": hard[60]["sets"][1]}]}
    said, _ = table([*records[:5], wrong, *records[6:]], expect=1)
    assert "1 differ" in said and "role 1 at 60 % online" in said, said


def test_kills_are_compared_role_by_role():
    study = ask(*PROBLEM, "--iterations", "10..19", "--caps", "30,50,70", "--strategy", "budget", "--sets")
    caps = {int(one["theta"]): one for one in study["caps"]}
    good = [killed(percent, role, caps) for percent in CAPS for role in range(4)]
    said, text = table(good)
    assert "12 kills, 0 differ" in said and "paper, Table II: Graph500" in text and "DIFFERS" not in text, (said, text)
    other = sorted({0, 1, 2, 3} - set(caps[50]["sets"][2]) or {2})  # as large a set as it may be, but another one
    wrong = killed(50, 2, caps, rollback_set=other)
    assert wrong["failures"][0]["rollback_set"] != caps[50]["sets"][2]
    others = [r for r in good if r["id"] != wrong["id"]]
    said, text = table([*others, wrong], expect=1)
    assert "1 differ" in said and "DIFFERS: role 2 at 50 % heaviest" in text, (said, text)
    said, text = table(others)
    assert "11 kills, 0 differ" in said and "no run to compare at 50 % heaviest: of roles 2" in text, (said, text)
    late = killed(50, 2, caps, fronts=[20, 19, 20, 20], rollback_set=other)
    said, text = table([*others, late])
    assert "1 runs in which a role was not at the end of the interval" in text and f"{late['id']}.json" in said, (said, text)
    table([late], expect=1)
    said, text = table([*others, {**killed(50, 2, caps), "policy": "budget:7"}], expect=1)
    assert "the cap was 7 bytes" in text, text
    said, text = table([*others, killed(50, 2, caps, chain=caps[50]["chain"] + 1)], expect=1)
    assert "the mean chain was" in text, text


def test_records_that_are_not_studied():
    """They are counted by the reason; a problem that cannot be studied does not hinder the others, and too many caps are told."""
    study = ask(*PROBLEM, "--iterations", "10..19", "--caps", "30", "--strategy", "budget", "--sets")
    caps = {int(one["theta"]): one for one in study["caps"]}
    good, folder = killed(30, 1, caps), new_folder() / "kills"
    others = ({"status": "hang"}, {"kind": "elc"}, {"policy_asked": "budget:0%"}, {"policy": "all", "policy_asked": ""}, {"ckpt_first": 3},
              {"failures": []}, {"failures": [{**good["failures"][0], "fronts": [2 ** 62] * 4, "checkpoint": 2 ** 62 - 10}]})
    folder.mkdir()
    for i, change in enumerate(({}, *others)):
        (folder / f"{i}.json").write_text(json.dumps({**good, **change}))
    (folder / "9.json").write_text("{")
    done = call("study", "--records", folder, "--json", "-")
    assert done.returncode == 0 and len(json.loads(done.stdout)) == 1 and "9 records of" in done.stderr and "problems: 1" in done.stderr, done
    for words in ("2 left out: not under budget:PERCENT%", "1 left out: its status is not ok", "1 left out: a run with --protocol",
                  "1 left out: not JSON", "2 left out: no death that found all roles", "1 left out: its first interval"):
        assert words in done.stderr, (words, done.stderr)
    for i in range(33):
        (folder / f"cap{i}.json").write_text(json.dumps({**good, "policy_asked": f"budget:{31 + i}%"}))
    done = call("study", "--records", folder, "--json", "-")
    assert done.returncode == 2 and "more than 32 caps of bfs on 4 roles" in done.stderr, done


@pytest.mark.long
@pytest.mark.timeout(300)
def test_real_kills_of_every_role():
    """BFS and AMR on 8 roles and Jacobi on 16, three caps; `make test-exhaustive` has four kernels on 16 roles."""
    folder = new_folder()
    done = call("sweep", ROOT / "configs" / "laptop" / "kills.yaml", "--results", folder / "kills", timeout=270)
    assert done.returncode == 0, done
    assert len(studied(folder / "kills")) == 3
    said = drawing.draw("table_kills", folder / "kills", folder / "drawn")
    assert "96 kills, 0 differ" in said, said
