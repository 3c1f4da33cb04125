"""The energy model: the paper's numbers, input from records, and what it refuses."""
import json

from rollbench import call, new_folder, refuse_all, run

JACOBI = ("jacobi", "--grid", 128, "--steps", 200, "--np", 2, "--policy", "all")


def model(*args):
    done = call("model", "energy", *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def near(value, expected):
    return abs(value - expected) < 1e-9 * max(1, abs(expected))


def saved(record, name):
    path = new_folder() / name
    path.write_text(json.dumps(record))
    return path


def test_the_papers_figures_and_what_eq_2_gives():
    for mu, figure, exact, printed in ((1, 0.08, 0.0816326531, 0.08),
                                       (2, 0.04, 0.0326530612, 0.16)):
        found = model("--mu", mu)["break_even"]
        assert near(found["paper_figure"], figure), found
        assert near(found["eq2"], exact), found
        assert near(found["eq3_as_printed"], printed), found
    text = call("model", "energy").stdout
    line = next(line for line in text.splitlines() if line.startswith("the paper's figure:"))
    assert "8 %" in line and "4 %" in line, text
    assert "8.16 % and 3.27 %" in text and "16.00 %" in text, text
    assert "assumed" in text, text


def test_times_energies_and_who_saves():
    args = ("--solve", 980, "--watts", 10)
    totals = model(*args, "--rework", 100)["totals"]
    assert near(totals["local_s"], 1100) and near(totals["global_s"], 1080), totals
    assert near(totals["local"], 10750) and near(totals["global"], 10800), totals
    assert near(totals["difference_eq2"], -50) and totals["saves"] == "local", totals
    assert totals["energy_unit"] == "J"
    assert near(totals["difference_eq3_as_printed"], -54), totals
    assert model(*args, "--rework", 79)["totals"]["saves"] == "global"
    assert model(*args, "--rework", 80)["totals"]["saves"] == "neither"
    relative = model("--solve", 980, "--rework", 100)["totals"]
    assert near(relative["difference_eq2"], -5 / 980), relative
    never = model("--c", 1, "--solve", 1, "--rework", 9)
    assert never["break_even"]["eq2"] is None and never["totals"]["saves"] == "global"
    assert model()["totals"] is None


def test_lambda_and_mu_come_from_records():
    paired = run(*JACOBI, "--paired", 10)
    paired["paired"]["bare_s"] = [0.97 * s for s in paired["paired"]["protected_s"]]
    failed = run(*JACOBI, "--interval", 100, "--kill", "1@98")
    failure = failed["failures"][0]
    failed["loop_s"] = (failure["restored_s"] + failure["catchup_s"] +
                        failed["checkpoints"]["seconds_max"] +
                        1.5 * 200 * failure["catchup_s"] / (98 - failure["checkpoint"]))
    records = ("--record", saved(paired, "paired.json"), "--record", saved(failed, "kill.json"))
    found = model(*records)
    for key, value, name in (("lambda", 0.97, "paired.json"), ("mu", 1.5, "kill.json")):
        assert near(found[key]["value"], value) and found[key]["source"] == "measured", found
        assert name in found[key]["how"] and "2 roles" in found[key]["how"], found
    assert found["c"]["source"] == "assumed" and "not measured" in found["c"]["how"], found
    failed["roles"][1]["used"].update(step={"package_j": 100, "wall_s": 2},
                                      blocked={"package_j": 3, "wall_s": 0.1})
    found = model("--record", saved(failed, "energy.json"))["c"]
    assert near(found["value"], 0.6) and "energy.json" in found["how"], found
    assert model(*records, "--mu", 2)["mu"] == {"value": 2, "source": "given", "how": ""}
    only = model(*records[2:])["lambda"]
    assert only["value"] == 0.98 and "not measured" in only["how"], only


def test_noise_is_not_taken_for_a_speed():
    record = run(*JACOBI, "--paired", 10)
    record["paired"]["bare_s"] = [1.01 * s for s in record["paired"]["protected_s"]]
    found = model("--record", saved(record, "paired.json"))["lambda"]
    assert found["source"] == "assumed" and found["value"] == 0.98, found
    assert "1.0100" in found["how"] and "noise" in found["how"], found


def test_bad_input_is_refused():
    bad = {"--lambda": ("0", "1.01", "-1", "nan", "x", ""), "--mu": ("0", "-2", "inf", "2x", "0x1p1"), "--c": ("0", "1.5"),
           "--solve": ("-1", "nan", "1_0"), "--rework": ("-1",), "--watts": ("0",)}
    energy = ("model", "energy")
    refuse_all(
        *((*energy, f"{option}={value}", (option, "expected a number")) for option in bad for value in bad[option]),
        ("model", ("energy",)), ("model", "power", ("power", "energy")),
        (*energy, "--solve", 1, ("--rework",)), (*energy, "--rework", 1, ("--solve",)),
        (*energy, "--watts", 1, ("--watts",)), (*energy, "--solve", 0, "--rework", 1, ("--solve 0",)),
        (*energy, "--frequency", 1, ("--frequency",)), (*energy, "--mu", ("--mu: a value is missing",)),
        (*energy, "--record", "/nowhere", ("--record", "/nowhere")),
        (*energy, "--record", saved({"schema": "other"}, "other.json"), ("--record", "other.json")))
    assert model("--mu", "2.", "--c", ".5")["break_even"] == model("--mu=02", "--c=5e-1")["break_even"]
