"""`rollbench envelopes`: the comparisons that it counts, its record, and what it refuses."""
import itertools
import json

from rollbench import call, new_folder, refuse_all


def test_comparisons_are_those_of_the_search_and_the_formulas_those_of_the_paper():
    """The mean over all orders, by hand for a small list: what is found is removed, so the next search is in a shorter one."""
    def comparisons(order):
        left, found = list(range(len(order))), 0
        for one in order[:3]:
            found += 1 + left.index(one)
            left.remove(one)
        return found
    orders = list(itertools.permutations(range(5)))
    assert sum(map(comparisons, orders)) / len(orders) == (2 * 5 - 3 + 3) * 3 / 4
    done = call("envelopes", "--repetitions", 2, "--json", "-")
    assert done.returncode == 0, done
    record = json.loads(done.stdout)
    assert "mpi" in record["host"] and record["repetitions"] == 2 and record["wall_s"] > 0, record
    assert {(one["form"], one["kinds"]) for one in record["logs"]} >= {("list", 64), ("counted", 64)}
    assert all(len(one["ns"]) == 2 and 0.1 < ns < 1e5 for one in record["logs"] for ns in one["ns"]), record["logs"]
    for one in record["searches"]:
        n, r = one["sent"], one["received"]
        assert one["removed"] == (2 * n - r + 3) * r / 4 and one["printed"] == (2 * n - 2 * r + 3) * r / 4, one
        assert len(set(one["comparisons"])) == 2 and all(abs(found / one["removed"] - 1) < 0.1 for found in one["comparisons"]), one


def test_it_says_what_it_has_measured_and_keeps_a_file_that_was_there():
    path = new_folder() / "envelopes.json"
    done = call("envelopes", "--repetitions", 1, "--json", path)
    assert done.returncode == 0 and "T_log, ns" in done.stdout and "as printed" in done.stdout, done
    before = path.read_bytes()
    refuse_all(("envelopes", "--repetitions", 0, ("repetitions", "1")), ("envelopes", "--json", "/nowhere/x.json", ("/nowhere",)),
               ("envelopes", "--json", path, "--unknown", ("unknown",)))
    assert path.read_bytes() == before
