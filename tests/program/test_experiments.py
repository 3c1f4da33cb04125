"""Experiment files: products of lists, groups, order, budget, estimates; and what is wrong with bad ones."""
import csv
import json
import random
import re
import shlex

import pytest

import drawing
from rollbench import ROOT, call, cpu_limit, new_folder, side_by_side

SMALL = """\
name: small
deadline: 60
runs:
  - kernel: jacobi
    grid: 48
    steps: 40
    np: 4
    interval: 10
    policy: [none, all]
    kill:
      roles: [0, 2]
      iterations: 3..5
      phases: [send]
"""


def plan(text, *args):
    """The runs of a file, as `sweep --dry-run --json` lists them."""
    path = new_folder() / "experiment.yaml"
    path.write_text(text)
    done = call("sweep", path, "--dry-run", "--json", "--results", path.parent / "none", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(text):
    return [run["id"] for run in plan(text)["runs"]]


def wrong(text, line, *words, results=None):
    """The file must be refused with this line and these words, and no folder be made."""
    path = new_folder() / "experiment.yaml"
    path.write_text(text)
    results = path.parent / "results"
    done = call("sweep", path, "--results", results)
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert f"{path}:{line}: " in done.stderr, (line, done.stderr)
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    assert not results.exists() and done.stdout == ""


def test_lists_are_multiplied():
    text = (SMALL.replace("np: 4", "np: [4, 6]").replace("interval: 10", "interval: [10, 20]")
            .replace("grid: 48", "grid: [48, 64]").replace("steps: 40", "steps: 40\n    ckpt: [file, buddy]\n    ckpt_lag: [sync, async]"))
    runs = names(text)
    one = 2 + 2 * 2 * 3
    assert len(runs) == len(set(runs)) == one * 2 ** 5, len(runs)
    for words in (("-np6-", "-i20-", "grid=64", "-ckpt=buddy", "-lag=sync-"), ("-np4-", "-i10-", "grid=48")):
        assert [r for r in runs if all(w in r for w in words)], words
    assert set(names(SMALL)) < set(runs)
    every = names(SMALL.replace("np: 4", "np: 4\n    spares: [1, 2]\n    meters: [phases, off]"))
    assert len(set(every)) == len(every) == 2 * 2 * one and set(names(SMALL)) < set(every), every
    kernels = names("runs:\n  - {kernel: [cg, jacobi], np: [2, 4], interval: 5, policy: [none, all]}\n")
    assert [re.match(r"(\w+).*-np(\d)-s0-(\w+)-", run).groups() for run in kernels] == [
        (kernel, np, policy) for kernel in ("cg", "jacobi") for np in "24" for policy in ("none", "all")], kernels


def test_policies_are_combined_with_ways_to_recompute():
    """Both have failure-free runs of their own, and all are compared with the first. Where roles keep their state, they
    can wait, too."""
    text = SMALL.replace("[none, all]", "[none, all]\n    recompute: [rollback, dataflow]").replace("3..5", "3")
    runs = names(text)
    assert len(runs) == len(set(runs)) == 4 + 4 * 2, runs
    assert set(names(SMALL.replace("3..5", "3"))) < set(runs)
    assert sum("-none-dataflow-i10-" in r for r in runs) == sum("-all-dataflow-i10-" in r for r in runs) == 3, runs
    assert names(text.replace("[rollback, dataflow]", "dataflow")) == [r for r in runs if "dataflow" in r]
    flat = names(text.replace("[rollback, dataflow]", "[rollback, dataflow, dataflow:flat]"))
    assert len(flat) == 6 + 4 * 3 and sum("-none-dataflow:flat-i10-" in r for r in flat) == 3 and set(runs) < set(flat), flat
    both = names(text.replace("    policy:", "    strategy: [repair, restart]\n    policy:"))
    assert [r for r in both if "restart" in r and "dataflow" in r] == [] and len(both) == len(runs) + 2, both
    power = names(text.replace("[none, all]", "none\n    power: [none, sleep]"))
    assert sum("dataflow-sleep" in r for r in power) == 2 and sum("sleep" in r for r in power) == 2, power
    wrong(text.replace("rollback, dataflow", "rollback, flow"), 10, "recompute", "flow")
    wrong(text.replace("rollback, dataflow", "dataflow, dataflow"), 10, "recompute: dataflow is there twice")


def test_one_value_needs_no_brackets():
    assert names(SMALL) == names(
        SMALL.replace("[send]", "send").replace("3..5", "[3, 4..5]").replace("np: 4", "np: [4]")
        .replace("grid: 48", "grid:\n      - 48").replace("kernel: jacobi", "kernel: [jacobi]"))
    flow = "name: f\nruns: [{kernel: cg, np: 4, interval: 5, ckpt: 'file,buddy', policy: all}]\n"
    assert len(names(flow)) == 1 and "ckpt=file,buddy" in names(flow)[0]


def test_random_order_repeats_and_keeps_references_first():
    text = SMALL.replace("deadline: 60", "deadline: 60\nrepetitions: 5\norder: random\norder_seed: 1")
    listed, first = names(text.replace("order: random\norder_seed: 1", "order: listed")), names(text)
    assert first == names(text) != names(text.replace("order_seed: 1", "order_seed: 2"))
    assert sorted(first) == sorted(listed) and first != listed
    assert plan(text)["order"] == "random" and plan(text)["order_seed"] == 1
    assert plan(SMALL)["order"] == "listed" and plan(SMALL)["order_seed"] is None
    references = [i for i, run in enumerate(first) if "-none-i10-free-" in run]
    assert first[0].endswith("-none-i10-free-r0") and references[-1] > len(first) / 2, references
    strategies = ["all" if "-all-" in run else "none" for run in first if "free" not in run]
    changes = sum(a != b for a, b in zip(strategies, strategies[1:]))
    assert changes > len(strategies) / 4, strategies


def test_references_have_a_number_of_their_own():
    text = SMALL.replace("deadline: 60", "deadline: 60\nreferences: 4\norder: random")
    found = names(text)
    assert sum("-free-" in run for run in found) == 8 and len(found) == len(names(SMALL)) + 6, found
    assert found[0].endswith("-none-i10-free-r0")
    few = SMALL.replace("deadline: 60", "deadline: 60\nrepetitions: 3\nreferences: 1")
    assert sum("-free-" in run for run in names(few)) == 2 and len(names(few)) == 3 * len(names(SMALL)) - 4
    wrong(text.replace("references: 4", "references: 0"), 3, "references", "expected 1 to")
    wrong(few.replace("references: 1", "references: 1\nwarm_up: 1"), 5, "warm_up", "of references: 1 at least one must count")


def test_warm_ups_come_first_and_are_marked():
    text = SMALL.replace("deadline: 60", "deadline: 60\nrepetitions: 4\nwarm_up: 1\norder: random")
    told = plan(text)
    marks = [run["warm_up"] for run in told["runs"]]
    assert told["warm_up"] == 1 and marks == [True] * 14 + [False] * 42, marks
    assert all(run["warm_up"] == run["id"].endswith("-r0") for run in told["runs"])
    listed = plan(text.replace("\norder: random", ""))
    assert sum(run["warm_up"] for run in listed["runs"]) == 14
    assert plan(SMALL)["warm_up"] == 0 and not any(run["warm_up"] for run in plan(SMALL)["runs"])
    path = new_folder() / "experiment.yaml"
    path.write_text(text)
    said = call("sweep", path, "--dry-run").stdout
    assert said.count("-r0 (warm-up)") == said.count("(warm-up)") == 14 and "14 of them warm-ups" in said, said


def test_warm_ups_are_kept_and_no_samples():
    path, results = new_folder() / "experiment.yaml", new_folder() / "results"
    path.write_text("name: w\nrepetitions: 3\nwarm_up: 2\nruns:\n  - {kernel: jacobi, grid: 16, steps: 4, np: 2,"
                    " interval: 4, policy: none}\n")
    done = call("sweep", path, "--results", results)
    assert done.returncode == 0 and json.loads((results / "sweep.json").read_text())["warm_up"] == 2, done
    assert len(list(results.glob("*-r?.json"))) == 3
    call("export", "--csv", results)
    with open(results / "runs.csv", newline="") as file:
        assert [row["warm_up"] for row in csv.DictReader(file)] == ["TRUE", "TRUE", "FALSE"]
    drawn = drawing.execute("import pathlib; from plots.common import runs; from plots.report import data; folder = pathlib.Path(records); "
                            "print([r['id'][-3:] for r in runs.load(folder)], "
                            "[r['id'][-3:] for r in data.Experiment(folder).samples])", str(results))
    assert drawn.stdout == "['-r2'] ['-r2']\n" and "2 warm-up runs left out" in drawn.stderr, drawn


def test_a_run_that_two_entries_ask_for_is_made_once():
    entry = SMALL[SMALL.index("  - kernel"):]
    both = names(SMALL + entry.replace("3..5", "5..7"))
    assert len(both) == len(set(both)) == 2 + 2 * 2 * 5
    wrong(SMALL + entry.replace("np: 4", "np: 4\n    node_size: 2"), 14, "run 2", "node_size")
    wrong(SMALL.replace("deadline: 60", "deadline: [60, 90]"), 4, "run 1", "the same name", "deadline")
    wrong(SMALL.replace("[none, all]", "[none, none]"), 9, "policy: none is there twice")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_budget_stops_between_two_runs_and_goes_on():
    path, results = new_folder() / "experiment.yaml", new_folder() / "it's results"
    path.write_text(SMALL.replace("deadline: 60", "deadline: 60\norder: random\norder_seed: 3\nbudget: 0.001s"))
    ids = names(path.read_text())
    done = call("sweep", path, "--results", results)
    assert done.returncode == 6 and "Go on with" in done.stderr and "13 are left" in done.stderr, done
    said = done.stderr.split("Go on with the same command:\n", 1)[1]
    assert shlex.split(said) == ["./rollbench", "sweep", str(path), "--results", str(results)], said
    assert json.loads((results / "sweep.json").read_text())["order_seed"] == 3
    assert [p.stem for p in results.glob("*.json") if p.stem != "sweep"] == ids[:1]
    told = json.loads(call("sweep", path, "--results", results, "--dry-run", "--json").stdout)
    assert [r["done"] for r in told["runs"]] == [True] + 13 * [False]
    assert told["runs"][0]["source"] == "its record" and told["unknown"] == 0
    assert {r["source"] for r in told["runs"][1:]} <= {"records like it", "records of the problem"}
    assert told["left_s"] > 0
    done = call("sweep", path, "--results", results, "--budget", "10m")
    assert done.returncode == 0, done
    assert len(list(results.glob("*.json"))) == 15
    for bad in ("soon", "-1", "0", "nan", "1e99h", "10x"):
        assert call("sweep", path, "--budget", bad).returncode == 2, bad


def test_estimates_without_records_say_so():
    told = plan(SMALL)
    assert {r["source"] for r in told["runs"]} == {"rule"} and "order of magnitude" in told["rule"]
    told = plan("name: x\nruns:\n  - {kernel: lulesh, np: 8, interval: 9, policy: all}\n")
    assert told["runs"][0]["estimate_s"] is None and told["unknown"] == 1
    assert call("sweep", ROOT / "configs/laptop/smoke.yaml", "--json").returncode == 2


def test_impossible_combinations():
    side_by_side(wrong, (
        (SMALL.replace("kernel: jacobi", "kernel: lulesh").replace("    grid: 48\n", "").replace("np: 4", "np: [8, 9]"), 6, "cube"),
        (SMALL.replace("kernel: jacobi", "kernel: cg").replace("grid: 48\n    steps: 40", "class: S")
         .replace("np: 4", "np:\n      - 4\n      - 6"), 8, "power of two"),
        (SMALL.replace("np: 4", "np: [4, 2]"), 11, "role 2 does not exist"),
        (SMALL.replace("[0, 2]", "[0, spare1]"), 11, "spare1"),
        (SMALL.replace("[none, all]", "none\n    power: [none, sleep]"), 10, "power: sleep: has no effect in any run of this entry"),
        (SMALL[:SMALL.index("    kill")] + "    power: sleep\n", 10, "power: sleep: has no effect in any run of this entry"),
        (SMALL[:SMALL.index("    kill")] + "    strategy: [repair, restart]\n", 10, "strategy: restart: has no effect in any run"),
        (SMALL.replace("    policy", "    strategy: restart\n    policy").replace("[none, all]", "[none, all]\n    power: [none, sleep]"),
         11, "power: sleep: has no effect in any run"),
        (SMALL.replace("np: 4", "np: 4\n    ckpt: [file, buddy]\n    strategy: [repair, restart]"), 8, "dies with"),
        (SMALL.replace("[none, all]", "[none, off]"), 9, "--policy off"),
        (SMALL.replace("3..5", "[3, 41]"), 12, "iterations: 41: the last one of such a run is 39"),
        (SMALL.replace("deadline: 60", "deadline: inf"), 2, "deadline"),
        (SMALL.replace("deadline: 60", "order: shuffled"), 2, "listed or random"),
        (SMALL.replace("deadline: 60", "order_seed: 4"), 2, "order_seed", "nothing to draw without order: random"),
        (SMALL.replace("deadline: 60", "budget: later"), 2, "budget"),
        (SMALL.replace("deadline: 60", "repetitions: 0"), 2, "repetitions"),
        (SMALL.replace("deadline: 60", "repetitions: 50000"), 4, "more than 50000 runs"),
    ))
    for bad in (-1, 3, 9):
        wrong(SMALL.replace("deadline: 60", f"repetitions: 3\nwarm_up: {bad}"), 3, "warm_up", "0 to 2")
    side_by_side(wrong, (
        (SMALL.replace("deadline: 60", "warm_up: 1"), 2, "repetitions: 1"),
        (SMALL.replace("deadline: 60", "repetitions: 3\nwarm_up: two"), 3, "two"),
        (SMALL.replace("kernel: jacobi", "kernel: [jacobi, cg]"), 5, "run 1", "grid", "kernel cg"),
        (SMALL.replace("kernel: jacobi", "kernel: [jacobi, lattice]"), 4, "run 1", "lattice"),
        (SMALL.replace("steps: 40", "steps: 40\n    grid: 64"), 7, "key twice in one place: grid"),
        (SMALL.replace("steps: 40", "decomp: 3x4"), 6, "--decomp 3x4"),
        (SMALL.replace("interval: 10", "interval: 10\n    order: random"), 9, "order"),
        (SMALL.replace("np: 4", "np: 4\n    workdir: /tmp"), 8, "run 1", "workdir", "unknown key"),
        *((re.sub(rf"    {key}: .*\n", "", SMALL), 4, "run 1", f"the key {key} is missing") for key in ("np", "interval", "policy")),
    ))


def test_keys_of_the_file_hold_for_all_entries():
    """An entry's own take their place; lists of both are multiplied, the entry's faster."""
    text = ("name: top\nkernel: jacobi\ngrid: 48\nsteps: 40\nnp: [4, 6]\ninterval: 10\npolicy: [none, all]\nckpt_lag: sync\n"
            "kill: {roles: 2, iterations: 3, phases: send}\nruns:\n  - {interval: [10, 20]}\n  - {np: 3, policy: all, kill: '1@7'}\n")
    entries = [f"  - {{kernel: jacobi, grid: 48, steps: 40, np: {np}, interval: {interval}, policy: {policy}, ckpt_lag: sync, kill: '{kill}'}}\n"
               for np, interval, policy, kill in ((4, 10, "[none, all]", "2@3:send"), (4, 20, "[none, all]", "2@3:send"),
                                                  (6, 10, "[none, all]", "2@3:send"), (6, 20, "[none, all]", "2@3:send"), (3, 10, "all", "1@7"))]
    assert names(text) == names("name: all\nruns:\n" + "".join(entries)) and len(names(text)) == 4 * 4 + 2
    assert names(SMALL.replace("    interval: 10\n", "").replace("deadline: 60", "interval: 10")) == names(SMALL)
    wrong(SMALL.replace("deadline: 60", "grod: 48"), 2, "grod")
    wrong(SMALL.replace("deadline: 60", "keep: yes"), 2, "keep", "unknown key")


def test_a_file_without_entries_and_name():
    work = new_folder()
    (work / "my-own.yaml").write_text("kernel: jacobi\ngrid: 16\nsteps: 4\nnp: 2\ninterval: 4\npolicy: [none, all]\n")
    done = call("sweep", work / "my-own.yaml", cwd=work)
    listing = json.loads((work / "results" / "my-own" / "sweep.json").read_text())
    assert done.returncode == 0 and (listing["name"], listing["kind"], listing["order_seed"]) == ("my-own", "engine", None), (done, listing)
    assert listing["file"] == str(work / "my-own.yaml") and len(listing["runs"]) == 2 and "-all-i4-free-r0" in listing["runs"][1], listing


def test_lists_that_go_together():
    """In an entry or at the top; values may be there twice. Inner ones stay one group."""
    text = SMALL.replace("grid: 48", "grid: [48, 48, 64]").replace("np: 4", "np: [3, 4, 4]\n    together: [np, grid]")
    runs = names(text)
    assert len(runs) == len(set(runs)) == 3 * 14, runs
    assert {re.search(r"grid=(\d+)-.*-np(\d)-", run).groups() for run in runs} == {("48", "3"), ("48", "4"), ("64", "4")}, runs
    top = text.replace("    together: [np, grid]\n", "").replace("deadline: 60", "together: [np, grid]")
    assert names(top) == runs
    inner = names(SMALL.replace("[none, all]", "[none, all, all]\n    recompute: [rollback, rollback, dataflow]\n    together: [policy, recompute]"))
    assert len(inner) == 3 + 3 * 6 and set(names(SMALL)) < set(inner), inner
    assert [re.search(r"-s1-(.*)-i10-", run)[1] for run in inner[:6]] == 2 * ["none", "all", "all-dataflow"], "they alternate"
    wrong(text.replace("np: [3, 4, 4]", "np: [3, 4]"), 8, "together", "np has 2 values and grid has 3")
    wrong(text.replace("[np, grid]", "[np, edge]"), 8, "edge", "together")
    wrong(text.replace("[np, grid]", "[np, np]"), 8, "together", "twice")
    wrong(text.replace("    together: [np, grid]\n", ""), 5, "grid: 48 is there twice")


def test_kills_as_texts():
    kills = [f"{role}@{iteration}:send" for iteration in (3, 4, 5) for role in (0, 2)]
    head = SMALL[:SMALL.index("    kill:")]
    assert sorted(names(f"{head}    kill: {json.dumps(kills)}\n")) == sorted(names(SMALL))
    one = head + "    kill: 2@4\n"
    assert names(one) == names(SMALL.replace("[0, 2]", "2").replace("3..5", "4").replace("[send]", "start"))
    side_by_side(wrong, (
        (one.replace("2@4", "[2@4, 7@4]"), 10, "run 1", "role 7 does not exist"),
        (one.replace("2@4", "\n      - 2@4\n      - 2@41"), 12, "run 1", "41", "the last one of such a run is 39"),
        (one.replace("2@4", "[2@4, 2@4]"), 10, "2@4 is there twice"),
        (one.replace("2@4", "2@4:lunch"), 10, "run 1", "lunch"),
        (one.replace("2@4", "2"), 10, "run 1", "kill"),
        (SMALL.replace("      phases: [send]\n", ""), 10, "phases"),
        (SMALL.replace("      phases: [send]\n", "      phases: [send]\n      when: 3\n"), 14, "when"),
    ))


ELC = """\
program: gauss_jordan
size: 60
np: 2
protocol: [source, events]
lines: [0, 4]
"""


def test_runs_with_protocol_are_listed_like_others():
    told = plan(ELC)
    free = [f"gauss_jordan-size=60-np2-{of}-free-r0" for of in ("source", "events", "events-lines=4")]
    assert [run["id"] for run in told["runs"]] == free, told
    assert told["name"] == "experiment" and told["order"] == "listed" and told["order_seed"] is None and told["left_s"] >= 0
    assert not any(run["done"] or run["warm_up"] for run in told["runs"])
    killed = names(ELC.replace("lines: [0, 4]", "lines: 3\nrepetitions: 2\nkill: {roles: 1, iterations: 30, phases: [start, cut]}"))
    assert killed == [f"gauss_jordan-size=60-np2-{what}-r{r}" for r in range(2)
                      for what in ("source-free", "events-lines=3-free", "events-lines=3-1@30", "events-lines=3-1@30.cut")], killed
    forms = names(ELC.replace("lines: [0, 4]", "lines: 0\nline_interval: 150\nlog_form: [counted, list]"))
    assert forms == [free[0], *(f"gauss_jordan-size=60-np2-events-line-interval=150{form}-free-r0" for form in ("", "-log=list"))], forms
    assert names("kernel: cg\nclass: S\nseed: 1\nnp: 2\nprotocol: source\n") == ["cg-class=S-seed=1-np2-source-free-r0"]
    drawn = plan(ELC.replace("size: 60", "size: [60, 80]") + "repetitions: 3\nwarm_up: 1\norder: random\norder_seed: 4\n")
    assert (drawn["order"], drawn["order_seed"]) == ("random", 4) and [run["warm_up"] for run in drawn["runs"]] == 6 * [True] + 12 * [False]
    wrong(SMALL + "  - {program: gauss_jordan, np: 2, protocol: source}\n", 14, "the runs of a file are of one kind")


def test_an_old_key_is_refused_and_names_the_new_one():
    """At the top and in an entry, of both kinds of runs."""
    def check(line, *words):
        key = line.partition(":")[0]
        wrong(SMALL.replace("deadline: 60", line), 2, key, *words)
        wrong(SMALL.replace("np: 4", f"np: 4\n    {line}"), 8, key, *words)
        wrong(ELC.replace("np: 2", f"np: 2\n{line}"), 4, key, *words)

    side_by_side(check, (
        ("policies: [none, all]", "`policy`"), ("options: [grid=48, steps=40]", "key for each option"), ("restart: true", "`strategy: [repair, restart]`"),
        ("restart_repetitions: 1", "`repetitions`"), ("mode: [source, checkpoint]", "protocol and lines"), ("line: [source, events]", "`protocol`"),
        ("line_log: list", "`log_form`"), ("line-log: list", "`log_form`"), ("line-interval: 150", "`line_interval`")))
    wrong(SMALL.replace("deadline: 60", "order: random\nseed: 3"), 3, "seed", "order_seed")
    assert len(names(ELC.replace("size: 60", "size: 60\nseed: [1, 2]"))) == 6, "there it is an option of the program"


def test_a_run_with_protocol_has_one_name():
    """Whatever the order of the keys, and with zeros before a number or not: else it had no reference, or was made twice."""
    entries = "program: gauss_jordan\nnp: 2\nsize: 60\nseed: 1\nruns:\n  - {protocol: source}\n  - {protocol: events, lines: 0, size: 060}\n"
    assert names(entries) == ["gauss_jordan-seed=1-size=60-np2-source-free-r0", "gauss_jordan-seed=1-size=60-np2-events-free-r0"]
    together = names(ELC.replace("[source, events]", "[source, events, events]").replace("[0, 4]", "[0, 0, 4]\ntogether: [protocol, lines]"))
    assert together == names(ELC), "a value that goes together with others may be of no use"
    killed = names(ELC.replace("lines: [0, 4]", "lines: 2\nrepetitions: 3\nreferences: 1\nkill: '1@30'"))
    assert sum("-free-" in run for run in killed) == 2 and sum("-1@30-" in run for run in killed) == 3, killed


def test_what_has_no_effect_is_checked_nevertheless():
    top = "runs:\n  - {kernel: jacobi, np: 2, interval: 4, policy: none}\n"
    side_by_side(wrong, (
        (f"power: slep\n{top}", 1, "run 1", "--power slep"),
        (f"strategy: restrat\n{top}", 1, "run 1", "--strategy restrat"),
        (top.replace("none}", "none, runs: [{np: 8}]}"), 2, "runs", "at the top"),
        (ELC.replace("[source, events]", "source").replace("[0, 4]", "abc"), 5, "--lines abc"),
        (ELC + '"": --help\n', 6, "unknown key"), (ELC.replace("program: gauss_jordan", "kernel: --help"), 1, "help"),
        (ELC + "watts: 'cmd:true'\n", 6, "watts", "no energy"),
        ("np: 2\nsize: 60\nruns:\n  - {program: gauss_jordan, protocol: source}\n  - {program: gauss_jordan, seed: 4, protocol: events}\n", 5,
         "run 2", "nothing to compare it with"),
        (SMALL.replace("kernel: jacobi\n    grid: 48", "kernel: lulesh\n    buffers: single").replace("np: 4", "np: 8"), 10, "in place"),
        (SMALL.replace("[0, 2]", "[0, 2, 0]"), 11, "roles: 0 is there twice"),
        (SMALL.replace("3..5", "3,4,3"), 12, "rising order"),
    ))


@pytest.mark.long
def test_no_file_takes_long():
    """Combinations that are all the same run, and long lists, within the limits of a file."""
    many = ("kernel: jacobi\nnp: 4\ninterval: 5\nsteps: 20000\npolicy: all\nkill: [" + ", ".join(f"0@{i}" for i in range(90000)) + "]\n")
    for text, words in ((ELC.replace("np: 2", "np: 1000").replace("[source, events]", "source")
                         + "kill: {roles: all, iterations: 0..99999, phases: all}\n", "combinations"), (many, "iterations: 20000")):
        path = new_folder() / "long.yaml"
        path.write_text(text)
        done = call("sweep", path, "--dry-run", preexec_fn=cpu_limit(10))
        assert done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr[:500])


@pytest.mark.timeout(240)
def test_the_papers_experiments_can_be_planned():
    paths = sorted((ROOT / "configs" / "paper").glob("*.yaml"))
    assert len(paths) >= 10
    for path in paths:
        text = path.read_text()
        assert re.search(r"(Fig\.|Table)", text) and "What differs" in text and "Sizes:" in text, path
        assert f"name: {path.stem}\n" in text, path
        done = call("sweep", path, "--dry-run", timeout=200)
        assert done.returncode == 0 and re.search(r"^\d+ runs$", done.stdout, re.M), (path, done.stderr)


# --- bad files ----------------------------------------------------------------------------------

def keys(lines):
    return [i for i, line in enumerate(lines) if re.match(r"[ -]*[a-z_]+:", line)]


def drop_required(r, lines):
    key = r.choice([m[1] for line in lines if (m := re.match(r" *(np|interval|policy|roles|phases):", line))])
    lines[:] = [line for line in lines if not re.match(rf" *{key}:", line)]  # at the top, too: there it holds for all entries


def rename_key(r, lines):
    i = r.choice(keys(lines))
    lines[i] = re.sub(r"([a-z_]+):", lambda m: m[1] + r.choice("xyz_") + ":", lines[i], count=1)


def double_key(r, lines):
    i = r.choice([i for i in keys(lines) if " - " not in lines[i] and lines[i].split(":", 1)[1].strip()])
    lines.insert(i, lines[i])


def wrong_type(r, lines):
    i = r.choice([i for i, line in enumerate(lines) if re.match(r" *(np|interval|deadline|repetitions):", line)])
    lines[i] = re.sub(r":.*", ": " + r.choice(["four", "{a: 1}", "[[1]]", "1.5x", "true", "''", "~"]), lines[i])


def indentation(r, lines):
    i = r.choice([i for i in keys(lines) if lines[i].startswith("    ") and ": " in lines[i]])
    lines[i] = " " + lines[i]


def tab(r, lines):
    i = r.choice([i for i in keys(lines) if lines[i].startswith("    ")])
    lines[i] = "\t" + lines[i].lstrip()


def truncated(r, lines):
    flow = [i for i, line in enumerate(lines) if re.search(r"[\[{]", line)]
    i = r.choice(flow)
    del lines[i + 1:]
    lines[i] = re.sub(r"[\]}]", "", lines[i][:re.search(r"[\[{]", lines[i]).start() + r.randint(1, 3)])


def number(values):
    def mutate(r, lines):
        i = r.choice([i for i, line in enumerate(lines) if re.match(r" *(np|interval):", line)])
        lines[i] = re.sub(r":.*", f": {r.choice(values)}", lines[i])
    return mutate


def nothing(r, lines):
    lines[:] = r.choice([[], ["# only a comment"], ["---"], ["..."], ["~"], ["[]"], ["{}"], ["text"]])


def binary(r, lines):
    i = r.randrange(len(lines))
    lines[i] += r.choice(["\0", "\x01\x02", "\udcff\udcfe", "\udcc3"])


def deep(r, lines):
    i = r.choice(keys(lines))
    n = r.choice([20, 1000, 100000])
    lines[i] = re.sub(r":.*", ": " + n * "[" + r.choice(["", n * "]"]), lines[i])


def bomb(r, lines):
    lines[:0] = ["a: &a [x, x, x, x, x, x, x, x, x]"] + [
        f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]" for a, b in zip("abcdefghi", "bcdefghij")]


def unknown(pattern, words):
    def mutate(r, lines):
        i = r.choice([i for i, line in enumerate(lines) if re.match(pattern, line)])
        lines[i] = re.sub(r":.*", ": " + r.choice(words), lines[i])
    return mutate


MUTATIONS = (
    drop_required, rename_key, double_key, wrong_type, indentation, tab, truncated,
    number(["99999999999999999999", "9223372036854775808", "1e400"]), number(["-1", "-4", "-2147483649", "0"]),
    nothing, binary, deep, bomb, unknown(r"[ -]*kernel:", ["lattice", "CG", "cg2", "''"]),
    unknown(r" *policy:", ["[some]", "all:3", "[none, 'budget:200%']", "'window:'", "off"]),
    unknown(r" *phases:", ["lunch", "[send, sand]", "repair", "op"]),
    unknown(r" *roles:", ["99", "-1", "[0, 512]", "spare7", "four", "'node '"]),
    unknown(r" *iterations:", ["5..3", "-1", "99999999", "'1,'", "a..b", "1..99999999999999999999"]),
)


def corpus(seed, each):
    """Bad files made from good ones: (what was done, text)."""
    r = random.Random(seed)
    every = {p: p.read_text(encoding="utf-8") for p in sorted((ROOT / "configs" / "laptop").glob("*.yaml"))}
    # Those in which each of these keys is there, and in each entry, so that no change makes another good file.
    good = [p for p, text in every.items() if all(key in text for key in (" kernel:", " policy:", " roles:", " iterations:", " phases:"))
            and len(re.findall(r"^ *(?:- )?kernel:", text, re.M)) == text.count("kill:")]
    for i, mutate in enumerate(MUTATIONS):
        for _ in range(each):
            path = r.choice(good)
            lines = [re.sub(r" #.*", "", line) for line in path.read_text().splitlines()
                     if not line.startswith("#")]
            mutate(r, lines)
            yield f"{getattr(mutate, '__name__', '?')} ({i}) of {path.name}", "\n".join(lines) + "\n"


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_corpus_of_bad_files():
    work = new_folder()

    def check(number, what, text):
        path, results = work / f"{number}.yaml", work / f"results{number}"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        done = call("sweep", path, "--results", results, preexec_fn=cpu_limit(10))
        assert done.returncode == 2, (what, done.returncode, text[:2000], done.stdout[-500:])
        assert re.search(re.escape(str(path)) + r":\d+: .", done.stderr), (what, done.stderr)
        assert done.stdout == "" and not results.exists(), what
        assert len(done.stderr.splitlines()) == 1, (what, done.stderr)

    cases = [(number, *case) for number, case in enumerate(corpus(seed=1, each=7))]
    assert len(cases) >= 100, len(cases)
    side_by_side(check, cases)
