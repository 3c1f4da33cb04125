"""`rollbench study`: known numbers of CG, matrices by hand, agreement with `explain`, what is refused, figures and tables."""
import gzip
import json
import re

import pytest

import drawing
import schema
from rollbench import ROOT, call, new_folder, refuse_all

COVERAGE_OF_8 = {16: 0.833, 32: 0.893, 64: 0.781, 128: 0.681, 256: 0.613, 512: 0.551}  # with the diagonal


def write(path, np, rows, header=(), ends=True):
    """A profile; rows: (phase, source, destination, bytes), in any order."""
    lines = ["# rollbench-profile-1", f"# np: {np}", "# complete: yes", *header,
             "phase,kind,source,destination,count,bytes,size",
             *(f"{phase},p2p,{source},{receiver},1,{sent}," for phase, source, receiver, sent in sorted(rows)),
             *([f"# end of {len(rows)} rows"] if ends else []), ""]
    text = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def ask(*args):
    """The studies that a command line gives, checked against the schema."""
    done = call("study", *args, "--json", "-")
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    for one in found if isinstance(found, list) else [found]:
        schema.check(one)
    return found


def cg(folder, np, *more):
    path = folder / f"cg-{np}.csv.gz"
    done = call("profile", "cg", "--class", "C", "--np", np, "--iterations", 1, *more, "--out", path)
    assert done.returncode == 0, done
    return path


def test_coverage_and_gini_of_cg():
    folder = new_folder()
    paths = [cg(folder, np, "--self-messages") for np in COVERAGE_OF_8]
    for study in ask(*paths, "--clusters", "8", "--caps", "30", "--strategy", "heaviest"):
        covered, = study["coverage"]
        assert abs(covered["with_diagonal"] - COVERAGE_OF_8[study["np"]]) < 5e-4, (study["np"], covered)
        assert study["gini"] < 1e-5, (study["np"], study["gini"])  # 512 roles: 150,000 is no multiple of 32
        if study["np"] == 64:
            assert abs(covered["without_diagonal"] - 0.774) < 5e-4 and abs(study["gini_without_diagonal"] - 0.028) < 5e-4
    plain = ask(cg(new_folder(), 64), "--clusters", "8")  # the kernel copies where NPB sends to itself
    assert abs(plain["coverage"][0]["with_diagonal"] - 0.774) < 5e-4 and plain["diagonal_bytes"] == 0
    assert abs(plain["gini"] - 0.028) < 5e-4, plain["gini"]


def test_bfs_is_as_in_the_papers_table_iv():
    """Graph500, scale 16, edge factor 16, on 512 cores: Gini 0.27; 1.95, 0.78, 0.19, 0.19, 0.19 % of the ranks."""
    path = new_folder() / "bfs-512.csv"
    done = call("profile", "bfs", "--scale", 16, "--edgefactor", 16, "--np", 512, "--iterations", 49, "--out", path)
    assert done.returncode == 0, done
    study = ask(path, "--strategy", "heaviest")
    sets = [one["truncated"]["set"] for one in study["caps"]]
    assert abs(study["gini"] - 0.27) < 0.01 and sets[2:] == [1, 1, 1], (study["gini"], sets)
    assert 10 <= sets[0] <= 15 and 4 <= sets[1] <= 7, sets  # the paper: 10 and 4; its graph is another one


def a_line(folder):
    """Rank r sends 100 to r - 1 and 10 to r + 1, and 5 to itself; in phase 1, rank 0 sends 1 to rank 3."""
    rows = [(0, r, r - 1, 100) for r in range(1, 4)] + [(0, r, r + 1, 10) for r in range(3)] + [(0, 2, 2, 5), (1, 0, 3, 1)]
    return write(folder / "line.csv", 4, rows, ["# program: by hand"])


def test_a_matrix_by_hand():
    """Under a cap of 50 % of 110, ranks 1 to 3 switch their channel to r - 1 off; so r and all behind it roll back with r."""
    study = ask(a_line(new_folder()), "--caps", "50,9,100", "--strategy", "heaviest,teams:2", "--matrix-cells", 4)
    assert (study["np"], study["name"], study["program"]) == (4, "line", "by hand"), study
    assert (study["bytes"], study["diagonal_bytes"], study["largest_log"], study["channels"]) == (336, 5, 110, 8), study
    assert study["cells"]["side"] == 4 and [0, 3, 1] in study["cells"]["bytes"] and [2, 2, 5] in study["cells"]["bytes"]
    assert study["loads"] == [11, 110, 115, 100] and study["load"]["most"] == 115
    assert study["lorenz"][0] == [0, 0] and study["lorenz"][-1] == [1, 1]
    half, none, all_on = study["caps"]
    assert half["theta"] == 50 and half["set"] == (4 + 3 + 2 + 1) / 4 and half["chain"] == (3 + 2 + 1) / 4, half
    assert half["set_percent"] == 62.5 and half["truncated"] == {
        "set": 2, "chain": 1, "set_percent": 50, "chain_percent": 25}, half
    assert half["channels_off"] == 3 and half["chain_victims"] == 4 and half["chain_error_percent"] == 0
    assert none["set"] == 4 and all_on["set"] == 1 and all_on["chain"] == 0 and all_on["log_percent"] == 100
    team, = study["teams"]
    assert team["strategy"] == "teams:2" and team["theta"] is None and team["set"] == 2, team
    assert abs(team["log_percent"] - 100 * 100 / 110) < 1e-9, team  # that of rank 2: 100 to rank 1


def test_phases_are_told_apart():
    path = a_line(new_folder())
    assert ask(path, "--phase", 1)["bytes"] == 1 and ask(path, "--phase", 0)["bytes"] == 335
    refuse_all(("study", path, "--phase", 7, ("7", "line.csv")))


def restarted(kernel, percent, victim):
    """(ranks that surely go back, those that perhaps do) by the forecast, which is that of real kills (test_explain)."""
    done = call("explain", *kernel, "--interval", 20, "--policy", f"budget:{percent}%", "--kill", f"{victim}@19", "--json")
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    return len(found["restarted"]), len(found["perhaps_restarted"])


def test_sets_agree_with_explain():
    """The engine's cap meets messages one by one and the study the finished matrix, so the mean set of the study is between
    those of the forecast for the earliest and for the latest moment of the last iteration of an interval."""
    folder = new_folder()
    for np, percent, kernel in ((9, 50, ("jacobi", "--grid", 60, "--decomp", "3x3")), (8, 40, ("cg", "--class", "S"))):
        path = folder / f"{kernel[0]}.csv"
        assert call("profile", *kernel, "--np", np, "--iterations", 20, "--out", path).returncode == 0
        one, = ask(path, "--caps", percent, "--strategy", "heaviest")["caps"]
        sets = [restarted((*kernel, "--np", np), percent, victim) for victim in range(np)]
        least, most = sum(sure for sure, _ in sets) / np, sum(sum(both) for both in sets) / np
        assert least <= one["set"] <= most and one["set"] > 1, (kernel, least, one["set"], most)


def test_the_online_forms():
    """They say where they end with other channels. In one round, rank 3 sends one message; its log is empty before that, so the
    channel stays on, although the message exceeds the cap."""
    path = a_line(new_folder())
    late, = ask(path, "--caps", "90", "--strategy", "online", "--rounds", 1, "--intervals", 1)["caps"]
    assert late["set"] == (3 + 2 + 1 + 1) / 4 and late["channels_unlike_heaviest"] == 1, late
    assert late["victims_unlike_heaviest"] == 3 and late["log_percent"] > 90, late
    fine = ask(path, "--caps", "30,50", "--strategy", "online,online:reset", "--rounds", 100)["caps"]
    assert [one["channels_unlike_heaviest"] for one in fine] == [0] * 4, fine
    assert all(one["log_percent"] <= one["theta"] + 1 for one in fine), fine


def test_several_files_and_what_is_printed():
    folder = new_folder()
    path = a_line(folder)
    broken = write(folder / "part.csv.gz", 2, [(0, 0, 1, 7)], ["# key: value"])
    found = ask(path, broken, "--caps", 50)
    assert [one["name"] for one in found] == ["line", "part"], found
    done = call("study", path, broken, "--caps", 50, "--json", folder / "out.json")
    assert done.returncode == 0 and [one["np"] for one in json.loads((folder / "out.json").read_text())] == [4, 2]
    for words in ("line: 4 ranks, 8 channels", "Gini index", "of        2 ranks", "heaviest", "62.500", "50.00", "teams:8"):
        assert words in done.stdout, (words, done.stdout)


def test_an_incomplete_profile_is_said():
    path = new_folder() / "broken.csv"
    write(path, 2, [(0, 0, 1, 7)])
    path.write_text(path.read_text().replace("complete: yes", "complete: no, rank 1 called MPI_Abort"))
    done = call("study", path, "--json", "-")
    assert done.returncode == 0 and "incomplete" in done.stderr and "MPI_Abort" in done.stderr, done
    assert "MPI_Abort" in json.loads(done.stdout)["incomplete"]


def test_shipped_profiles_are_whole_and_described():
    """Profiles of other programs: their own number of ranks and command stand in README.md beside them."""
    folder = ROOT / "data" / "profiles"
    words, files = (folder / "README.md").read_text(encoding="utf-8"), sorted(folder.glob("*.csv.gz"))
    assert {path.name for path in files} == set(re.findall(r"`([^`]+\.csv\.gz)`", words)) and files
    for path in files:
        one = ask(path)
        header = gzip.decompress(path.read_bytes()).decode().splitlines()[:12]
        program = next(line.removeprefix("# program: ") for line in header if line.startswith("# program: "))
        assert "# complete: yes" in header and f"mpirun -n {one['np']} {program} " in words, (path, header)


def test_what_is_refused():
    folder = new_folder()
    path = a_line(folder)
    cut = write(folder / "cut.csv", 2, [(0, 0, 1, 7)], ends=False)
    wrong = write(folder / "wrong.csv", 2, [(0, 0, 2, 7)])
    refuse_all(("study", ("rollbench profile",)), ("study", folder / "none.csv", ("none.csv",)),
               ("study", cut, ("cut.csv", "truncated")), ("study", wrong, ("wrong.csv:5",)),
               ("study", path, cut, ("cut.csv", "truncated")),
               *(("study", path, option, value, (option, "expected"))
                 for option, value in (("--caps", "101"), ("--caps", "30,x"), ("--caps", ""), ("--strategy", "heavy"),
                                       ("--strategy", "teams:0"), ("--clusters", "0"), ("--victims", "0"), ("--rounds", "0"),
                                       ("--matrix-cells", "5000"))),
               ("study", path, "--json", folder / "no" / "where.json", ("where.json",)),
               ("study", path, "--np", "4", ("--np", "unexpected")))


@pytest.mark.long
def test_figures_and_tables():
    folder = new_folder()
    path = folder / "study.json"
    big = write(folder / "ring-300.csv", 300, [(0, r, (r + 1) % 300, 1 + r % 7) for r in range(300)])
    ask_all = call("study", a_line(folder), cg(folder, 64, "--self-messages"), cg(folder, 16), big, "--matrix-cells", 256, "--json", path)
    assert ask_all.returncode == 0, ask_all
    for script, name in (("study_matrix", "study-matrix"), ("study_load", "study-load"), ("table_study", "study-sets")):
        said = drawing.draw(script, path, folder / "drawn")
        assert "Warning" not in said and (folder / "drawn" / f"{name}.png").exists(), said
    table = (folder / "drawn" / "study-sets.md").read_text()
    for words in ("| cg | 64 | 0.00, balanced |", "| paper: FLASH | 256 | 0.27 | 57.42 | 30.08 |", "| line | 4 | 0.2",
                  "| paper, Table IV, strong scaling: Graph500 | 4096 | 0.51 |", "teams:8, without a cap"):
        assert words in table, (words, table)
    model = call("model", "mcml", "--study", path, "--study", "table2", "--json")
    assert model.returncode == 0, model
    (folder / "model.json").write_text(model.stdout)
    assert "Warning" not in drawing.draw("mcml_saving", folder / "model.json", folder / "drawn")
    path.write_text('{"schema": "rollbench-run-1"}')
    for script in ("study_matrix", "study_load", "table_study"):
        assert "rollbench study" in drawing.draw(script, path, folder / "none", expect=1)
    assert not (folder / "none").exists()
