"""`rollbench simulate`: its record, model files, what is refused."""
import json

from rollbench import HELPERS, call, new_folder, refuse_all

MODEL = """pattern: stencil2d
grid: 6x7
steps: 40
work: 1 s
bytes: 1 MB
latency: 50 us
bandwidth: 1 Gbit/s
interval: 10
mtbf_node: 10 m
seeds: 3
method: global,dataflow,local
watts: compute=125W,wait=115W,capped=100W
"""


def simulate(*args):
    return json.loads(call("simulate", *args, "--json", "-").stdout)


def test_counts_of_one_failure():
    """L iterations lost: 42 L are repeated by all, L by one, and L + 2 (L^3 - L) / 3 in the cone."""
    record = simulate("stencil2d", "--grid", "7x7", "--steps", "30", "--interval", "10", "--fail", "24@14",
                      "--method", "global,local,dataflow,window:2")
    counts = {run["method"]: run["iterations"] for run in record["runs"]}
    lost = 4
    assert record["modelled"] is True
    assert counts["global"]["repeated"] == 49 * lost and counts["window:2"]["repeated"] == 49 * lost
    assert counts["local"]["repeated"] == lost and counts["local"]["supported"] == 0
    cone = lost + 2 * (lost ** 3 - lost) // 3
    assert counts["dataflow"]["repeated"] == lost and counts["dataflow"]["supported"] == cone - lost
    assert all(run["log_bytes"]["sum"] > 0 for run in record["runs"] if run["method"] in ("local", "window:2"))
    assert all(run["log_bytes"]["sum"] == 0 for run in record["runs"] if run["policy"] == "none")


def test_a_model_file_and_its_command_line():
    folder = new_folder()
    path = folder / "model.yaml"
    path.write_text(MODEL, encoding="utf-8")
    from_file = simulate(path)
    given = simulate("stencil2d", "--grid", "6x7", "--steps", "40", "--work", "1", "--bytes", "1000000", "--latency", "5e-5",
                     "--bandwidth", "125000000", "--interval", "10", "--mtbf-node", "600", "--seeds", "3", "--method",
                     "global,dataflow,local", "--watts", "compute=125,wait=115,capped=100")
    assert from_file["model"] == given["model"]

    def of(record):
        return [{**run, "wall_s": 0} for run in record["runs"]]
    assert of(from_file) == of(given) and len(from_file["runs"]) == 9
    assert of(simulate(path, "--seeds", "1")) == [run for run in of(from_file) if run["seed"] == 1]


def test_the_speed_of_replay():
    """Four iterations of a second are computed again; with one role nobody waits."""
    def makespan(*args):
        return simulate("stencil1d", "--np", "1", "--steps", "30", "--interval", "10", "--fail", "0@14", *args)["runs"][0]["makespan_s"]
    assert abs(makespan("--replay-speed", "4") - 31) < 1e-6 and abs(makespan("--replay-speed", "0.5") - 38) < 1e-6
    assert makespan() == makespan("--replay-speed", "1") and abs(makespan() - 34) < 1e-6


def test_the_distribution_of_failures():
    def ends(*args):
        runs = simulate("stencil1d", "--np", "8", "--steps", "60", "--mtbf-node", "100s", "--method", "local", *args)["runs"]
        return [run["end_times_hash"] for run in runs]
    assert ends() == ends("--shape", "1") != ends("--shape", "0.7")


def test_all_methods_meet_the_same_failures():
    record = simulate("stencil1d", "--np", "40", "--steps", "60", "--interval", "6", "--mtbf-node", "20m", "--seeds", "8",
                      "--stops", "affected")
    first = {}
    for run in record["runs"]:
        known = first.setdefault(run["seed"], run)
        # A run that takes longer may meet more of them.
        if run["makespan_s"] <= known["makespan_s"]:
            assert run["failures"] <= known["failures"]
        else:
            assert run["failures"] >= known["failures"]
    assert sum(run["failures"] for run in record["runs"]) > 24


def test_the_record_is_written_completely_or_not_at_all():
    folder = new_folder()
    path = folder / "record.json"
    call("simulate", "stencil1d", "--np", "4", "--steps", "5", "--json", path)
    before = path.read_text(encoding="utf-8")
    refuse_all(("simulate", "stencil1d", "--np", "4", "--fail", "9@1", "--json", path, ("--fail", "role 9", "4 roles")))
    assert path.read_text(encoding="utf-8") == before
    assert sorted(p.name for p in folder.iterdir()) == ["record.json"]


def schedule(text):
    """Of a schedule in GOAL: what each (rank, label) requires, and the operations (rank, label, words, channel). A channel ends
    with a number: the k-th receive of a channel gets its k-th message."""
    waiting, needs = [], {}
    for part in text.split("rank ")[1:]:
        rank = int(part.split()[0])
        for line in part.splitlines()[1:]:
            if " requires " in line:
                later, earlier = line.split(" requires ")
                needs[rank, later].append(earlier)
            elif ":" in line:
                label, what = line.split(": ")
                needs[rank, label] = []
                waiting.append((rank, label, what.split()))
    counts = {}
    operations = []
    for rank, label, what in waiting:
        channel = None
        if what[0] != "calc":
            peer = int(what[3])
            channel = (rank, peer, what[5]) if what[0] == "send" else (peer, rank, what[5])
            number = counts[what[0], channel] = counts.get((what[0], channel), 0) + 1
            channel += (number,)
        operations.append((rank, label, what, channel))
    return needs, operations


def end_of_schedule(text, latency_ns):
    """When the last operation of a schedule in GOAL ends, if a message takes so long, whatever its length. Operations stand
    behind what they require."""
    needs, operations = schedule(text)
    done, sent = {}, {}
    while operations:
        left = []
        for rank, label, what, channel in operations:
            ready = [done.get((rank, other)) for other in needs[rank, label]]
            if None in ready or (what[0] == "recv" and channel not in sent):
                left.append((rank, label, what, channel))
                continue
            begin = max(ready, default=0)
            if what[0] == "send":
                sent[channel] = begin
            done[rank, label] = begin + int(what[1]) if what[0] == "calc" else \
                max(begin, sent[channel] + latency_ns) if what[0] == "recv" else begin
        assert len(left) < len(operations)
        operations = left
    return max(done.values())


def test_a_schedule_for_other_simulators():
    """It lasts as long as the simulated run, but for the rounding of each operation to nanoseconds."""
    folder = new_folder()
    for what in (("stencil2d", "--np", "6", "--steps", "12", "--checkpoint", "3ms", "--interval", "5"),
                 ("lulesh", "--np", "8", "--edge", "4", "--steps", "6"), ("cg", "--np", "4", "--steps", "30")):
        args = (*what, "--work", "1ms,2ms,5ms", "--bandwidth", "1e18", "--latency", "50us")
        path = folder / f"{what[0]}.goal"
        call("simulate", *args, "--goal", path)
        makespan = simulate(*args, "--method", "local")["runs"][0]["makespan_s"]
        assert abs(end_of_schedule(path.read_text(encoding="utf-8"), 50000) - 1e9 * makespan) < 1000, what
    refuse_all(("simulate", *what, "--line", "barrier", "--goal", folder / "none.goal", ("GOAL", "barrier")))
    assert not (folder / "none.goal").exists()


def test_engines_agree():
    args = ("lulesh", "--np", "8", "--edge", "4", "--steps", "20", "--interval", "6", "--work", "1ms,2ms", "--detect", "1ms",
            "--repair", "5ms", "--restore", "1ms", "--mtbf-node", "100ms", "--seeds", "2", "--method",
            "global,dataflow,window:3,teams:2")
    fast = simulate(*args)["runs"]
    assert sum(run["failures"] for run in fast) >= 8
    assert simulate(*args, "--threads", "3")["runs"][0]["end_times_hash"] == fast[0]["end_times_hash"]
    if not (HELPERS.parent / "rollbench_simgrid").exists():
        return
    for one, other in zip(fast, simulate(*args, "--engine", "simgrid")["runs"], strict=True):
        for key in ("failures", "repairs", "overlaps", "makespan_s", "iterations", "end_times_hash"):
            assert one[key] == other[key], (key, one, other)


def test_points_of_an_iteration():
    """Failures from a file, at all points of iterations: they find the roles there."""
    folder = new_folder()
    path = folder / "failures"
    path.write_text("3@7:send 5@12 # two\n\n1@14:commit,2@15:checkpoint\n# recorded\n0@21.25s\n", encoding="utf-8")
    args = ("stencil1d", "--np", "8", "--steps", "30", "--interval", "5", "--checkpoint", "0.25s", "--restore", "0.5s", "--repair", "1s",
            "--log-bandwidth", "10MB/s", "--method", "global,dataflow,local", "--recoveries", "--fail-list", path)
    found = simulate(*args)
    assert [list(f.values()) for f in found["model"]["failures"]] == [
        [3, 7, "send"], [5, 12, "start"], [1, 14, "commit"], [2, 15, "checkpoint"], [0, 21.25]]
    for one in found["runs"]:
        assert one["failures"] == 5 and len(one["recoveries"]) == one["repairs"] > 0
    local = found["runs"][2]["recoveries"]
    where = {role: recovery["fronts"][role] for recovery in local for role in recovery["died"]}
    assert {role: where[role] for role in (3, 5, 1, 2)} == {3: 7, 5: 12, 1: 14, 2: 15}
    path.write_text("3@7\n5@12:middle\n", encoding="utf-8")
    refuse_all(("simulate", *args, ("failures:2", "5@12:middle", "commit")),
               ("simulate", "stencil1d", "--np", "4", "--fail-list", folder / "none", ("fail-list", "none")))


def test_an_allreduce():
    """log2 P rounds, one behind the other. 6 roles are no power of two, so two of them take part by others; one of their two
    more rounds is at the same time as another."""
    args = ("--steps", "10", "--work", "1ms", "--latency", "5us", "--bandwidth", "1e18", "--method", "global")
    for np, rounds in ((1, 0), (2, 1), (8, 3), (4096, 12), (6, 3)):
        run, = simulate("allreduce", "--np", str(np), *args)["runs"]
        assert abs(run["makespan_s"] - 10 * (1e-3 + rounds * 5e-6)) < 1e-6, (np, run)
    refuse_all(("simulate", "allreduce", "--np", "4", "--bytes", "12", ("--bytes 12", "multiple of 8")))


def test_what_is_refused():
    folder = new_folder()

    def file(name, text):
        path = folder / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        return path
    base = ("simulate", "stencil1d", "--np", "8", "--steps", "9")
    refuse_all(
        ("simulate", ("expected a pattern",)),
        ("simulate", "heat", ("heat", "expected a pattern", "stencil1d", "lulesh")),
        ("simulate", "stencil1d", ("--np",)),
        ("simulate", "lulesh", "--np", "27", ("--steps",)),
        ("simulate", "lulesh", "--np", "7", "--steps", "3", ("--np 7", "cube")),
        ("simulate", "stencil2d", "--np", "8", "--grid", "3x3", ("--grid", "9")),
        ("simulate", "stencil2d", "--grid", "2x2x2", ("--grid", "3 axes", "stencil2d")),
        (*base, "--work", "1 furlong", ("work", "expected a time")),
        (*base, "--work", "3,2", ("work", "ascending")),
        (*base, "--bandwidth", "-1", ("bandwidth", "expected a bandwidth")),
        (*base, "--bandwidth", "0", ("bandwidth", "more than 0")),
        (*base, "--replay-speed", "0", ("--replay-speed 0", "a number above 0")),
        (*base, "--shape", "-1", ("--shape -1", "a number above 0")),
        (*base, "--fail", "3", ("fail 3", "ROLE@ITERATION")),
        (*base, "--method", "sometimes", ("sometimes", "none, all")),
        (*base, "--method", "none+magic", ("none+magic", "dataflow")),
        (*base, "--line", "own", ("own time", "policy all")),
        (*base, "--seeds", "3", "--fail", "1@2", ("--seeds", "equal")),
        ("simulate", "jacobi", "--np", "8", "--stops", "affected", ("reduces over all roles",)),
        (*base, "--work", "1y", "--method", "local", ("lasts longer",)),
        ("simulate", file("unit", MODEL.replace("1 s", "1")), ("unit.yaml:4", "work", "unit")),
        ("simulate", file("negative", MODEL.replace("1 Gbit", "-1 Gbit")), ("negative.yaml:7", "bandwidth")),
        ("simulate", file("key", MODEL + "colour: red\n"), ("key.yaml:13", "unknown key", "colour")),
        ("simulate", file("pattern", "np: 4\n"), ("pattern.yaml", "pattern is missing")),
        ("simulate", file("twice", MODEL + "steps: 3\n"), ("twice.yaml:13", "steps")),
        ("simulate", folder / "none.yaml", ("none.yaml",)),
    )
