"""The model of memory-constrained message logging: the paper's numbers, its optimum by brute force, and the command."""
import csv
import io
import json
import math

import pytest

import drawing
from rollbench import call, new_folder, refuse_all

from plots.models import mcml_model as model

OMEGAS = (0.3, 0.4, 0.5, 0.6, 0.7)
UNSLOWED = {  # sockets: tau*, min; time and energy saved, %, by omega; mu does not slow recoveries
    8000: (173, (4.3, 2.4, 1.4, 0.7, 0.4), (2.1, 1.1, 0.6, 0.2, 0.0)),
    32000: (84, (8.1, 4.7, 2.7, 1.5, 0.7), (4.2, 2.2, 1.1, 0.5, 0.1)),
    128000: (39, (14.6, 8.7, 5.1, 2.8, 1.4), (8.2, 4.5, 2.3, 1.0, 0.2)),
    512000: (17, (24.3, 15.3, 9.3, 5.3, 2.7), (15.6, 8.9, 4.7, 2.0, 0.3)),
}


def near(value, expected, within):
    assert abs(value - expected) <= within, (value, expected)


def saved(machine, sockets, omega, sigma=0.1):
    found = model.compare(machine, sockets, omega, sigma)
    return found["time_saved_percent"], found["energy_saved_percent"]


def test_the_papers_numbers():
    """Sect. VI: at 512,000 sockets 24.5 and 2.7 % of the time, 15.9 and 0.4 % of the energy."""
    for omega, in_time, in_energy in ((0.3, (24.6, 0.3), (15.9, 0.4)), (0.7, (2.7, 0.1), (0.35, 0.1))):
        time, energy = saved(model.PAPER, 512000, omega)
        near(time, *in_time)
        near(energy, *in_energy)


def test_a_table_of_the_other_reading():
    unslowed = model.PAPER._replace(slowed=False)
    for sockets, (tau, times, energies) in UNSLOWED.items():
        near(model.best_interval(unslowed, sockets) / 60, tau, 0.6)
        for omega, time, energy in zip(OMEGAS, times, energies):
            near(saved(unslowed, sockets, omega)[0], time, 0.11)
            near(saved(unslowed, sockets, omega)[1], energy, 0.11)


def test_what_sigma_decides():
    """With other sigmas than the paper's fixed 0.1 the sign changes."""
    unslowed = model.PAPER._replace(slowed=False)
    for sigma, energies in ((0.004, (16.7, 6.0, 1.6)), (0.3, (13.2, 2.1, -2.5)), (0.57, (10.1, -1.5, -6.2))):
        for omega, energy in zip((0.3, 0.5, 0.7), energies):
            near(saved(unslowed, 512000, omega, sigma)[1], energy, 0.11)


def test_the_optimum_is_the_least_of_all():
    for sockets in (1, 100, 8000, 512000, 3000000):
        for machine in (model.PAPER, model.PAPER._replace(slowed=False), model.PAPER._replace(restart_s=0, checkpoint_s=7)):
            best = model.best_interval(machine, sockets)
            tries = [model.time(machine, sockets, best * (0.5 + i / 1000)) for i in range(1001)]
            least = min(range(len(tries)), key=tries.__getitem__)
            whole = machine.solve_s * machine.slowdown
            assert abs(least - 500) <= 1 or best == whole and least >= 500, (sockets, best, least)


def test_the_time_solves_its_equation():
    for sockets, tau in ((8000, 9000), (512000, 300), (512000, 1000)):
        m = model.PAPER
        parts = model.parts(m, sockets, tau)
        total, failures = sum(parts), sum(parts) * sockets / m.mtbf_s
        near(parts.solve, 24 * 3600 * 1.05, 1e-6)
        near(parts.checkpoint, (parts.solve / tau - 1) * 300, 1e-6)
        near(parts.recover, failures * (tau + 300) * 1.05 / 2.4, 1e-6 * total)
        near(parts.restart, failures * 30, 1e-6 * total)
        joules = 100 * parts.solve + 50 * (parts.checkpoint + parts.restart) + 75 * parts.recover
        near(model.energy(m, sockets, tau, 0.5), joules, 1e-6 * joules)


def test_runs_without_an_end():
    m = model.PAPER
    assert model.best_interval(m, 10 ** 8) is None and model.compare(m, 10 ** 8, 0.5, 0.1) is None
    assert model.parts(m, 512000, 10 ** 6) is None and model.time(m, 512000, 10 ** 6) == math.inf
    assert model.energy(m, 512000, 10 ** 6, 0.1) == math.inf


def ask(*args):
    done = call("model", "mcml", *args)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def write_study(folder, caps=((30, 57.42), (50, 18.36), (70, 7.42))):
    path = folder / "study.json"
    path.write_text(json.dumps({
        "schema": "rollbench-study-1", "name": "flash", "np": 256, "gini": 0.27,
        "caps": [{"theta": theta, "strategy": "heaviest", "set_percent": share} for theta, share in caps]}))
    return path


def test_what_the_command_prints():
    text = ask()
    for words in ("Modelled, not measured", "24.62", "2.72", "15.89", "0.31", "512000", "the paper's"):
        assert words in text, (words, text)
    assert " given" not in text and " given" in ask("--checkpoint", 4)
    found = json.loads(ask("--json", "--sockets", "512000", "--omega", "0.3,0.7", "--recovery", "full"))
    near(found["rows"][0]["time_saved_percent"], 24.23, 0.01)
    assert [row["omega"] for row in found["rows"]] == [0.3, 0.7] and found["coupled"] == []
    rows = list(csv.DictReader(io.StringIO(ask("--csv"))))
    assert len(rows) == 7 * 5 and rows[0]["sockets"] == "8000" and rows[0]["name"] == "fixed sigma", rows[0]
    assert "no end" in ask("--sockets", "1e8", "--omega", "0.5")
    assert json.loads(ask("--sockets", "1e8", "--omega", "0.5", "--json", "-"))["rows"][0]["mcml_s"] is None


def test_sigma_of_a_study():
    """The saving has the sigma of the cap that is as large as omega."""
    path = write_study(new_folder())
    this = ("--study", path, "--omega", "0.3,0.5,0.7", "--sockets", 512000)
    one, = json.loads(ask(*this, "--json"))["coupled"]
    assert (one["name"], one["np"], one["strategy"]) == ("flash", 256, "heaviest"), one
    for row, sigma in zip(one["rows"], (0.5742, 0.1836, 0.0742)):
        near(row["sigma"], sigma, 1e-12)
        near(row["energy_saved_percent"], saved(model.PAPER, 512000, row["omega"], sigma)[1], 1e-9)
    assert "flash, 256 ranks, heaviest" in ask(*this)
    assert '"flash","heaviest",512000' in ask(*this, "--csv")


def test_sigma_of_the_papers_table():
    """With a cap of 30 % the share that recovers is 1 to 70 %, and the energy saved 9 to 17 %."""
    found = {one["name"].split(" ")[0]: {row["omega"]: row["energy_saved_percent"] for row in one["rows"]}
             for one in json.loads(ask("--study", "table2", "--sockets", 512000, "--json"))["coupled"]}
    assert len(found) == 7, found
    near(found["Graph500"][0.3], 16.8, 0.2)
    near(found["FLASH"][0.3], 10.3, 0.2)
    assert 8 < found["MiniFE"][0.3] < 10 and found["FLASH"][0.5] < found["Graph500"][0.5]


def test_what_the_command_refuses():
    this, folder = ("model", "mcml"), new_folder()
    other = folder / "other.json"
    other.write_text('{"schema": "rollbench-run-1"}')
    refuse_all(*((*this, option, value, (option, value, "expected"))
                 for option, value in (("--sockets", "0"), ("--sockets", "8k"), ("--omega", "0"), ("--omega", "1.1"),
                                       ("--sigma", "2"), ("--solve", "0"), ("--slowdown", "0.9"), ("--speedup", "0"),
                                       ("--mtbf-socket", "inf"), ("--low", "-1"), ("--recovery", "fast"))),
               (*this, "--solve", "0.01", ("--checkpoint", "--solve")), (*this, "--omega", ("--omega", "missing")),
               (*this, "--json", "--csv", ("only one",)), (*this, "--mu", "1", ("--mu", "unexpected")),
               (*this, "--study", folder / "none.json", ("none.json", "rollbench study")),
               (*this, "--study", other, ("other.json", "rollbench study")),
               (*this, "--study", "table2", "--omega", "0.2", ("heaviest", "0.2", "--omega")),
               (*this, "--study", write_study(folder), ("heaviest", "0.4, 0.6", "--caps")))


@pytest.mark.long
def test_the_figure():
    folder = new_folder()
    path = folder / "model.json"
    path.write_text(ask("--json", "--study", write_study(folder), "--omega", "0.3,0.5,0.7"))
    said = drawing.draw("mcml_saving", path, folder / "drawn")
    assert "Warning" not in said and drawing.figures(folder / "drawn") == ["mcml-saving"], said
    sockets, shares = drawing.ask("f.series(records['rows'], 0.3, 'relative_time')", json.loads(path.read_text()),
                                  "from plots.forecast import mcml_saving as f")
    assert sockets[-1] == 512000 and abs(shares[-1] - 0.7538) < 1e-3, (sockets, shares)
    for text in ("", '{"schema": "rollbench-run-1"}'):
        path.write_text(text)
        assert "rollbench model mcml --json" in drawing.draw("mcml_saving", path, folder / "none", expect=1)
    assert not (folder / "none").exists()
