"""`rollbench simulate`: its record, model files, what is refused."""
import json

from rollbench import call, main, new_folder, refuse_all

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


if __name__ == "__main__":
    main()
