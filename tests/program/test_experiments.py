"""Experiment files: products of lists, order, budget, estimates; and what is wrong with bad ones."""
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
    options: [grid=48, steps=40]
    np: 4
    interval: 10
    policies: [none, all]
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
            .replace("grid=48", "grid=48|64").replace("steps=40]", "steps=40]\n    ckpt: [file, buddy]"
                                                     "\n    ckpt_lag: [sync, async]"))
    runs = names(text)
    one = 2 + 2 * 2 * 3
    assert len(runs) == len(set(runs)) == one * 2 ** 5, len(runs)
    for words in (("-np6-", "-i20-", "grid=64", "-ckpt=buddy", "-lag=sync-"), ("-np4-", "-i10-", "grid=48")):
        assert [r for r in runs if all(w in r for w in words)], words
    assert set(names(SMALL)) < set(runs)


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
    both = names(text.replace("[rollback, dataflow]", "[rollback, dataflow]\n    restart: true"))
    assert [r for r in both if "restart" in r and "dataflow" in r] == [] and len(both) == len(runs) + 2, both
    power = names(text.replace("[none, all]", "none\n    power: [none, sleep]"))
    assert sum("dataflow-sleep" in r for r in power) == 2 and sum("sleep" in r for r in power) == 2, power
    wrong(text.replace("rollback, dataflow", "rollback, flow"), 9, "recompute", "flow")
    wrong(text.replace("rollback, dataflow", "dataflow, dataflow"), 4, "twice the same run")


def test_one_value_needs_no_brackets():
    assert names(SMALL) == names(
        SMALL.replace("[send]", "send").replace("3..5", "[3, 4..5]").replace("np: 4", "np: [4]")
        .replace("[grid=48, steps=40]", "\n      - grid=48\n      - steps=40"))
    flow = "name: f\nruns: [{kernel: cg, np: 4, interval: 5, ckpt: 'file,buddy', policies: all}]\n"
    assert len(names(flow)) == 1 and "ckpt=file,buddy" in names(flow)[0]


def test_random_order_repeats_and_keeps_references_first():
    text = SMALL.replace("deadline: 60", "deadline: 60\nrepetitions: 5\norder: random\nseed: 1")
    listed, first = names(text.replace("order: random\nseed: 1", "order: listed")), names(text)
    assert first == names(text) != names(text.replace("seed: 1", "seed: 2"))
    assert sorted(first) == sorted(listed) and first != listed
    assert plan(text)["order"] == "random" and plan(text)["seed"] == 1
    assert plan(SMALL)["order"] == "listed" and plan(SMALL)["seed"] is None
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
    path.write_text("name: w\nrepetitions: 3\nwarm_up: 2\nruns:\n  - {kernel: jacobi, options: [grid=16, steps=4],"
                    " np: 2, interval: 4, policies: none}\n")
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
    wrong(SMALL + entry.replace("np: 4", "np: 4\n    node_size: 2"), 13, "run 2", "node_size")
    wrong(SMALL.replace("[none, all]", "[none, none]"), 4, "twice the same run")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_budget_stops_between_two_runs_and_goes_on():
    path, results = new_folder() / "experiment.yaml", new_folder() / "it's results"
    path.write_text(SMALL.replace("deadline: 60", "deadline: 60\norder: random\nseed: 3\nbudget: 0.001s"))
    ids = names(path.read_text())
    done = call("sweep", path, "--results", results)
    assert done.returncode == 6 and "Go on with" in done.stderr and "13 are left" in done.stderr, done
    said = done.stderr.split("Go on with the same command:\n", 1)[1]
    assert shlex.split(said) == ["./rollbench", "sweep", str(path), "--results", str(results)], said
    assert json.loads((results / "sweep.json").read_text())["seed"] == 3
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
    told = plan("name: x\nruns:\n  - {kernel: lulesh, np: 8, interval: 9, policies: all}\n")
    assert told["runs"][0]["estimate_s"] is None and told["unknown"] == 1
    assert call("sweep", ROOT / "configs/laptop/smoke.yaml", "--json").returncode == 2


def test_impossible_combinations():
    side_by_side(wrong, (
        (SMALL.replace("kernel: jacobi", "kernel: lulesh").replace("grid=48, ", "").replace("np: 4", "np: [8, 9]"), 6, "cube"),
        (SMALL.replace("kernel: jacobi", "kernel: cg").replace("grid=48, steps=40", "class=S")
         .replace("np: 4", "np:\n      - 4\n      - 6"), 8, "power of two"),
        (SMALL.replace("np: 4", "np: [4, 2]"), 10, "role 2 does not exist"),
        (SMALL.replace("[0, 2]", "[0, spare1]"), 10, "spare1"),
        (SMALL.replace("[none, all]", "none\n    power: [none, sleep]"), 9, "sleep", "blocked"),
        (SMALL[:SMALL.index("    kill")] + "    power: sleep\n", 9, "without kill"),
        (SMALL.replace("np: 4", "np: 4\n    ckpt: [file, buddy]\n    restart: true"), 7, "dies with"),
        (SMALL.replace("[none, all]", "[none, off]"), 8, "--policy off"),
        (SMALL.replace("3..5", "[3, 41]"), 11, "41"),
        (SMALL.replace("deadline: 60", "deadline: inf"), 2, "deadline"),
        (SMALL.replace("deadline: 60", "order: shuffled"), 2, "listed or random"),
        (SMALL.replace("deadline: 60", "seed: 4"), 2, "order: random"),
        (SMALL.replace("deadline: 60", "budget: later"), 2, "budget"),
        (SMALL.replace("deadline: 60", "repetitions: 0"), 2, "repetitions"),
        (SMALL.replace("deadline: 60", "repetitions: 50000"), 4, "more than 50000 runs"),
    ))
    for bad in (-1, 3, 9):
        wrong(SMALL.replace("deadline: 60", f"repetitions: 3\nwarm_up: {bad}"), 3, "warm_up", "0 to 2")
    side_by_side(wrong, (
        (SMALL.replace("deadline: 60", "repetitions: 3\nrestart_repetitions: 1\nwarm_up: 1"), 4, "0 to 0", "restart_repetitions"),
        (SMALL.replace("deadline: 60", "warm_up: 1"), 2, "repetitions: 1"),
        (SMALL.replace("deadline: 60", "repetitions: 3\nwarm_up: two"), 3, "two"),
        (SMALL.replace("kernel: jacobi", "kernel: [jacobi, cg]"), 4, "SEQUENCE"),
        (SMALL.replace("steps=40", "steps=40, grid=64"), 5, "set twice"),
        (SMALL.replace("steps=40", "decomp=3x4"), 5, "--decomp 3x4"),
    ))


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
    i = r.choice([i for i, line in enumerate(lines) if re.match(r"[ ]*(name|np|interval|policies|roles|phases):", line)])
    del lines[i]


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
    flow = [i for i, line in enumerate(lines) if "[" in line]
    i = r.choice(flow)
    del lines[i + 1:]
    lines[i] = lines[i][:lines[i].index("[") + r.randint(1, 3)].replace("]", "")


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
    unknown(r" *policies:", ["[some]", "all:3", "[none, 'budget:200%']", "'window:'", "off"]),
    unknown(r" *phases:", ["lunch", "[send, sand]", "repair", "op"]),
    unknown(r" *roles:", ["99", "-1", "[0, 512]", "spare7", "four", "'node '"]),
    unknown(r" *iterations:", ["5..3", "-1", "99999999", "'1,'", "a..b", "1..99999999999999999999"]),
)


def corpus(seed, each):
    """Bad files made from good ones: (what was done, text)."""
    r = random.Random(seed)
    good = [p for p in sorted((ROOT / "configs" / "laptop").glob("*.yaml")) if not p.name.startswith(("simulate", "event-logging"))]
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
