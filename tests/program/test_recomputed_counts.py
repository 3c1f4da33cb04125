"""Counts of the papers computed again: sets, Gini indices and coverage from profiles, cones and repeated iterations from exported records,
comparisons of a search from random orders. No code of the project takes part in what is expected, which follows the definitions of
docs/study.md, docs/dataflow.md, docs/failures.md and docs/event-logging.md."""
import collections
import csv
import gzip
import json
import random
import re

import pytest

from export_tables import exported, kept, table
from rollbench import ROOT, call, new_folder, side_by_side

import numpy

CAPS = (30, 40, 50, 60, 70)
SHIPPED = ("BT-MZ-64", "BT-MZ-256", "Graph500-64", "miniAMR-256", "miniFE-256")
MADE = {"cg-64": ("cg", "--class", "C", "--np", 64, "--iterations", 1, "--self-messages"), "cg-256": ("cg", "--class", "C", "--np", 256, "--iterations", 1),
        "bfs-512": ("bfs", "--scale", 16, "--edgefactor", 16, "--np", 512, "--iterations", 49)}


def matrix(path):
    """w[s, d]: bytes of point-to-point messages, as a reader of the CSV file finds them."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    np, = (int(line.split(": ")[1]) for line in lines if line.startswith("# np: "))
    w = numpy.zeros((np, np))
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["kind"] == "p2p":
            w[int(row["source"]), int(row["destination"])] += int(row["bytes"])
    return w


def gini(loads):
    """Half of the mean absolute difference over the mean, which is the same as the formula of the page."""
    loads = numpy.asarray(loads, float)
    return numpy.abs(loads[:, None] - loads[None, :]).sum() / (2 * len(loads) ** 2 * loads.mean())


def coverage(w, size):
    at = numpy.arange(len(w)) // size
    return w[at[:, None] == at[None, :]].sum() / w.sum()


def cluster(a, b):
    """Ranks of the smallest cluster of 2, 4, 8, ... ranks with both in it."""
    size = 2
    while a // size != b // size:
        size *= 2
    return size


def switched_off(w, theta, order):
    """[(s, d)] until each rank has at most theta percent of the largest log; order: what a rank switches off first is smallest."""
    sent = w.copy()
    numpy.fill_diagonal(sent, 0)
    cap, off = theta / 100 * sent.sum(axis=1).max(), []
    for s in range(len(w)):
        left = sent[s].sum()
        for d in sorted(numpy.flatnonzero(sent[s]), key=lambda d, s=s: order(s, d, sent[s, d])):
            if left <= cap:
                break
            left -= sent[s, d]
            off.append((s, int(d)))
    return off


ORDERS = {"heaviest": lambda s, d, sent: (-sent, d), "clusters": lambda s, d, sent: (cluster(s, d), -sent, d)}


def sets_and_chains(np, off):
    """(size of the set, longest shortest path) for each victim, by a search in breadth."""
    back = collections.defaultdict(list)
    for s, d in off:
        back[d].append(s)
    found = []
    for victim in range(np):
        steps, queue = {victim: 0}, collections.deque([victim])
        while queue:
            one = queue.popleft()
            for other in back[one]:
                if other not in steps:
                    steps[other] = steps[one] + 1
                    queue.append(other)
        found.append((len(steps), max(steps.values())))
    return numpy.array(found)


def check_study(w, study, strategies):
    """Everything that a line of Table II and IV has. Returns how many numbers were compared."""
    np = len(w)
    assert study["np"] == np and abs(study["gini"] - gini(w.sum(axis=1))) < 1e-9, (study["name"], study["gini"])
    for one in study["coverage"]:
        assert abs(one["with_diagonal"] - coverage(w, one["cluster"])) < 1e-9, (study["name"], one)
    compared = 1 + len(study["coverage"])
    for one in study["caps"]:
        off = switched_off(w, one["theta"], ORDERS[one["strategy"]])
        size, chain = (float(mean) for mean in sets_and_chains(np, off).mean(axis=0))
        expected = {"channels_off": len(off), "set": size, "chain": chain, "set_percent": 100 * size / np}
        for key, value in expected.items():
            assert abs(one[key] - value) < 1e-9, (study["name"], one["strategy"], one["theta"], key, one[key], value)
        for key, value in (("set", int(size)), ("chain", int(chain)), ("set_percent", 100 * int(size) / np), ("chain_percent", 100 * int(chain) / np)):
            assert abs(one["truncated"][key] - value) < 1e-9, (study["name"], one, key)
        compared += 8
    assert {(one["strategy"], one["theta"]) for one in study["caps"]} == {(strategy, theta) for strategy in strategies for theta in CAPS}
    return compared


def studied(path, strategies):
    done = call("study", path, "--caps", ",".join(map(str, CAPS)), "--strategy", ",".join(strategies), "--json", "-", timeout=100)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def check_profile(name, strategies):
    path = ROOT / "data" / "profiles" / f"{name}.csv.gz"
    if name in MADE:
        path = new_folder() / f"{name}.csv"
        assert call("profile", *MADE[name], "--out", path).returncode == 0
    return check_study(matrix(path), studied(path, strategies), strategies)


def test_sets_of_two_programs():
    assert check_profile("miniAMR-256", ("heaviest",)) > 40 and check_profile("cg-64", ("heaviest", "clusters")) > 80


@pytest.mark.long
def test_sets_of_all_programs():
    side_by_side(check_profile, [(name, tuple(ORDERS)) for name in (*SHIPPED, *MADE)])


def test_a_wrong_set_is_found():
    w = matrix(ROOT / "data" / "profiles" / "miniAMR-256.csv.gz")
    study = studied(ROOT / "data" / "profiles" / "miniAMR-256.csv.gz", ("heaviest",))
    one = study["caps"][2]
    for key, wrong in (("set", one["set"] + 1 / 256), ("chain", one["chain"] - 1 / 256), ("channels_off", one["channels_off"] + 1)):
        with pytest.raises(AssertionError, match=key):
            check_study(w, {**study, "caps": [*study["caps"][:2], {**one, key: wrong}, *study["caps"][3:]]}, ("heaviest",))
    with pytest.raises(AssertionError):
        check_study(w.T, study, ("heaviest",))


def tables_of(name):
    """{table: rows} of the records that are kept of `make run-all`."""
    folder = exported(kept(name))
    return {one: table(folder, one) for one in ("runs", "failures", "failure_roles")}


def cone(rows, columns, victim, lost, flat, done=None):
    """Iterations that are computed again: each role within reach of the victim those that still matter; flat: all of them. done: what each role had
    computed since the checkpoint, if not all had computed as many as the victim has lost; nobody repeats more than that."""
    away = [abs(r // columns - victim // columns) + abs(r % columns - victim % columns) for r in range(rows * columns)]
    done = done or [lost] * len(away)
    return sum(min(lost if flat else lost - d, most) for d, most in zip(away, done) if (d <= lost if flat else d < lost))


def since_the_checkpoint(tables, failure, among=("TRUE", "FALSE")):
    """What each role had computed when it failed, of those in the rollback set or of all."""
    return [int(row["front"]) - int(failure["checkpoint"]) for row in tables["failure_roles"]
            if (row["id"], row["failure"]) == (failure["id"], failure["failure"]) and row["rollback_set"] in among]


def check_cones(tables):
    failures, count = {row["id"]: row for row in tables["failures"]}, 0
    for run in tables["runs"]:
        decomp = re.search(r"decomp=(\d+)x(\d+)", run["params"])
        if not decomp or not run["recompute"].startswith("dataflow") or run["failures"] != "1":
            continue
        failure = failures[run["id"]]
        lost = int(failure["iteration"]) - int(failure["checkpoint"])
        done = since_the_checkpoint(tables, failure)
        expected = cone(int(decomp[1]), int(decomp[2]), int(failure["role"]), lost, run["recompute"] == "dataflow:flat", done)
        assert int(run["iterations_recomputed"]) == expected, (run["id"], run["iterations_recomputed"], expected)
        count += 1
    return count


def test_cones_of_real_failures():
    """On 1 x 9 and 3 x 3 roles, clipped at their edges."""
    assert [cone(1, 9, 4, lost, False) for lost in (1, 2, 3, 4, 5)] == [1, 4, 9, 16, 25]
    assert [cone(3, 3, 4, lost, True) for lost in (1, 2, 3)] == [5, 18, 27]
    assert cone(3, 3, 4, 4, True, [3, 4, 4] * 3) == 33 and cone(3, 3, 4, 4, False, [3, 4, 4] * 3) == cone(3, 3, 4, 4, False) == 24
    tables = tables_of("dataflow")
    assert check_cones(tables) >= 20
    one = next(run for run in tables["runs"] if run["recompute"] == "dataflow" and run["failures"] == "1" and "1x9" in run["params"])
    one["iterations_recomputed"] = str(int(one["iterations_recomputed"]) + 1)
    with pytest.raises(AssertionError, match=re.escape(one["id"])):
        check_cones(tables)


def check_repeated(tables):
    """What is repeated after one failure is what the roles that went back had done since the checkpoint; the state is that of the run
    without a failure."""
    found, count = {run["id"]: run for run in tables["runs"]}, 0
    for failure in tables["failures"]:
        run = found[failure["id"]]
        if run["failures"] != "1":
            continue
        done = sum(since_the_checkpoint(tables, failure, among=("TRUE",)))
        assert int(run["iterations_repeated"]) == int(run["iterations_executed"]) - int(run["iterations_useful"]) == done, (failure["id"], done)
        assert run["state_hash"] == found[run["reference"]]["state_hash"], failure["id"]
        count += 1
    return count


def test_repeated_iterations_of_figure_6():
    tables = tables_of("run-all")
    assert check_repeated(tables) >= 100
    wrong = next(row for row in tables["failure_roles"] if row["rollback_set"] == "TRUE")
    wrong["front"] = str(int(wrong["front"]) + 1)
    with pytest.raises(AssertionError, match=re.escape(wrong["id"])):
        check_repeated(tables)


def test_comparisons_of_a_sequential_search():
    """N envelopes were sent; R of them, in a random order, are each looked for from the front of what is left of the others."""
    def comparisons(sent, received, draw):
        left, total = list(range(sent)), 0
        for one in draw.sample(left, received):
            at = left.index(one)
            total += at + 1
            del left[at]
        return total

    done = call("envelopes", "--repetitions", 3, "--json", "-")
    assert done.returncode == 0, done
    draw = random.Random(1)
    for one in json.loads(done.stdout)["searches"]:
        orders = [comparisons(one["sent"], one["received"], draw) for _ in range(40)]
        mean, deviation = numpy.mean(orders), numpy.std(orders, ddof=1)
        assert abs(one["removed"] - mean) < 4 * deviation / 40 ** 0.5 + 1e-9, (one, mean)
        assert all(abs(count - mean) < 5 * deviation for count in one["comparisons"]), (one, mean, deviation)
        assert abs(one["printed"] - mean) > 10 * deviation, "the formula as printed would do, too"
