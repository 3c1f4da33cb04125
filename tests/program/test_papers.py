"""`rollbench papers`: the items of the five papers are whole and true to the files that they name."""
import ast
import io
import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

from claim_records import judged, killed, sweep_of
from parts import PARTS
from rollbench import ROOT, call, new_folder

from plots.claims import items, page, papers, verdicts
from plots.claims.rules import AGREES, DIFFERS
from plots.common.command import Refused
from plots.common.forecasts import Forecasts
from plots.common.stats import LEAST
from plots.tables import active_shapes, logging_time, table_active, table_memory

COUNTS = {"message-logging-kernels": 24, "power-log-n-roll": 28, "memory-constrained-logging": 24, "data-flow-rollback": 28,
          "event-logging-checkpoint": 32}
PATH = re.compile(r"(?:configs|plots|scripts|data|tests)/[\w./-]+")


def every_line(item):
    return [line for profile in items.PROFILES for line in item.commands_of(profile, "results")]


def typed_out(item, profile):
    """The commands of an item; one that runs another item stands for the commands of that."""
    for line in item.commands_of(profile, "results"):
        other = re.fullmatch(r"\./rollbench papers run (\S+) --results results", line)
        yield from typed_out(items.find(other[1], items.load()), profile) if other else [line]


def test_every_item_is_whole():
    found = items.load()
    for paper, number in COUNTS.items():
        mine = [item for item in found if item["paper"] == paper]
        assert len(mine) == number, (paper, len(mine))
    for item in found:
        name = item["name"]
        assert item["title"] and item["shows"].endswith("."), name
        assert all(item[word].endswith((".", "?")) for word in items.TOLD if item["paper"] == items.FINDINGS), name
        assert item["status"] in ("yes", "-") or (item["why"] and item["reason"].endswith(".")), name
        assert item["differs"] == "" or item["differs"].endswith("."), name
        assert not item["drawings"] or item["records"], f"{name}: drawn from what?"
        assert len({claim["claim"] for claim in item["verdicts"]}) == len(item["verdicts"]), name
        verdicts.check(item)


def test_every_number_is_in_its_quotation():
    """The papers' texts are not here; each number has the words that it stands in."""
    checked = 0
    for item in items.load():
        for one in item["numbers"]:
            if "of" in one:  # of a table that is a file of its own
                continue
            assert one.keys() == {"what", "value", "unit", "source", "quote"}, (item["name"], one)
            for value in one["value"] if isinstance(one["value"], list) else [one["value"]]:
                quote = one["quote"].replace(",", "") if not isinstance(one["value"], list) else re.sub(r"(\d),(\d{3})", r"\1\2", one["quote"])
                wanted = [re.escape(f"{value:g}")] if not isinstance(value, str) else [re.escape(digits) for digits in re.findall(r"^\d+", value)]
                assert all(re.search(rf"(?<!\d)(?<!\d\.){w}0*(?!\d)", quote) for w in wanted), (item["name"], one)
                checked += 1
    assert checked > 120, checked


def tests_of_modules():
    """{MODULE.FUNCTION: is it marked long?}, and {MODULE: are all of its functions?}: these are left out by `make test`."""
    found = {}
    for path in (ROOT / "tests" / "program").glob("test_*.py"):
        mine = {f"{path.stem}.{node.name}": any("mark.long" in ast.unparse(mark) for mark in node.decorator_list)
                for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
        found |= mine | {path.stem: all(mine.values())}
    return found


def test_what_an_item_names_is_there():
    """Files of commands, tests and pages; a command that is misspelt is found by its own parser."""
    tests = tests_of_modules() | {path.stem: False for path in (ROOT / "tests").glob("unit_*.c")}
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    for item in items.load():
        for line in every_line(item):
            assert line.split()[0] in ("./rollbench", "python3", "scripts/bench"), (item["name"], line)
            for path in PATH.findall(line):
                assert (ROOT / path).exists(), (item["name"], line)
        for read in item["read"]:
            assert (ROOT / read).exists(), (item["name"], read)
        for test in item["tests"]:
            assert test in tests, (item["name"], test)
        assert item.evidence() != "test" or not all(tests[test] for test in item["tests"]), f"{item['name']}: none of its tests is in make test"
        for note in item["notes"]:
            assert f"**{note}**" in text, (item["name"], note)
    for line in {line for item in items.load() for line in every_line(item) if line.startswith("scripts/bench")}:
        assert set(line.split()[2:]) <= {"--only", *PARTS}, line


@pytest.mark.timeout(240)
def test_commands_that_only_print_work():
    """Forecasts and models of all items; sweeps are planned by other tests, runs take too long here."""
    quick = {line for item in items.load() for line in every_line(item) if line.split()[1] in ("explain", "model", "list", "study", "profile")
             and "results" not in line}
    assert len(quick) > 25, quick
    for line in sorted(quick):
        done = call(*line.split()[1:])
        assert done.returncode == 0 and done.stdout, (line, done.stderr)


def kills(run):
    """How many an experiment has of one way to recover: roles x iterations x phases."""
    def several(value):
        parts = value if isinstance(value, list) else str(value).split(",")
        return sum(int(end) - int(begin) + 1 if end else 1 for begin, _, end in (str(part).partition("..") for part in parts))

    return several(run["kill"].get("roles", 0)) * several(run["kill"]["iterations"]) * len(run["kill"].get("phases", ["start"]))


def test_sweeps_have_the_samples_that_their_rules_need():
    """Power sweeps had three repetitions (five at the paper's sizes): no rule with an interval could decide anything."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / "configs").glob("*/*.yaml")]
    files = {one["name"]: one for one in files if "runs" in one}
    checked = set()
    for item in items.load():
        if any(claim["rule"] in ("ratio-within", "mean-within", "slope-not-zero") for claim in item["verdicts"]):
            for sweep in (files[name] for name in item["records"] if name in files and "pattern" not in files[name]):
                free = sweep.get("references", sweep.get("repetitions", 1)) * len(sweep.get("seed", (0,)))
                judged_free = any("kill" not in run for run in sweep["runs"])  # then runs with a kill are there for their states
                for run in (one for one in sweep["runs"] if "restart" not in one.get("strategy", ())):  # whose times no rule judges
                    count = free if judged_free else sweep.get("repetitions", 1) * kills(run)
                    assert count >= LEAST, (item["name"], sweep["name"], count, run)
                    checked.add(sweep["name"])
    assert {"power", "power-log-n-roll-fig5-7", "data-flow-rollback-fig5", "times", "event-logging"} <= checked, checked


def job(profile):
    """Command lines that `make run-all` gives to rollbench and to Python, by programs that only write them down."""
    top = new_folder()
    (top / "bin").mkdir()
    log = top / "log"
    fake = f"""#!/bin/sh
case $1 in -c) exit 0 ;; esac
echo "$(basename "$0") $*" >>{log}
for word; do
	case $before:$word in
	--json:-*) ;;
	--json:* | --out:*) echo '{{}}' >"$word" ;;
	esac
	before=$word
done
exit 0
"""
    for name in ("rollbench", "python3"):
        (top / "bin" / name).write_text(fake, encoding="utf-8")
        (top / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{top / 'bin'}:{os.environ['PATH']}", "ROLLBENCH_BIN_DIR": str(top / "bin"), "PROFILE": profile}
    done = subprocess.run([ROOT / "scripts" / "run-all", str(top / "results")], env=environment, capture_output=True, text=True,
                          timeout=60, check=False)
    assert log.exists(), done.stderr
    return {line.replace(str(top / "results"), "results") for line in log.read_text(encoding="utf-8").splitlines()}


def test_drawings_are_made_as_the_main_job_makes_them():
    """Each drawing is one that a plot of `make run-all` makes, and an item's commands for it are those of the job, word for word."""
    for profile in items.PROFILES:
        lines = job(profile)
        assert len(lines) > 20, lines
        plots = {line.split()[1] for line in lines if line.startswith("python3 plots/")}
        for item in items.load():
            if not item["drawings"]:
                continue
            for line in typed_out(item, profile):
                words = line.split(" >")[0].split()
                told = " ".join(["rollbench", *words[1:]] if words[0] == "./rollbench" else words)
                if profile == "paper" and "barrier" in told:
                    continue  # the paper profile has it by hand, at a size of its own
                if words[1] == "study":  # the profiles in any order; the paper profile has one more
                    assert any(set(told.split()) <= set(line.split()) for line in lines if line.startswith("rollbench study")), told
                    continue
                assert told in lines, (item["name"], profile, told)
                assert words[0] != "python3" or words[1] in plots, (item["name"], told)


def test_every_drawing_has_a_script_that_makes_it():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "plots").glob("*/*.py") if path.parent.name != "claims")
    for item in items.load():
        for drawing in item["drawings"]:
            stem = pathlib.Path(drawing).stem
            assert f'"{stem}"' in sources or f"{stem}.md" in sources or stem.startswith("fig6") and "-simulated" in sources, (item["name"], drawing)
            assert any("python3 plots/" in line for line in typed_out(item, "laptop")) or "kills" in drawing, item["name"]


def test_the_readme_has_the_count():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert items.said_count(items.load()) in readme, items.said_count(items.load())


def test_list_show_and_count():
    empty = new_folder()
    done = call("papers", "list", "--paper", "message-logging-kernels", "--status", "yes", "--results", empty)
    assert done.returncode == 0 and "fig6" in done.stdout and "power-log-n-roll" not in done.stdout, done
    assert "not run" in done.stdout and "no-event-log" not in done.stdout, done.stdout
    whole = json.loads(call("papers", "list", "--count", "--json").stdout)
    assert whole["all"] == {**items.count(items.load())["all"], "evidence": items.count_evidence(items.load())["all"]}, whole
    assert sum(whole["all"]["evidence"].values()) == whole["all"]["yes"], whole
    one = json.loads(call("papers", "show", "message-logging-kernels/fig6", "--json", "--results", empty).stdout)
    assert one["state"] == "not run" and [judged["verdict"] for judged in one["judged"]] == ["not run"] * 2, one
    text = call("papers", "show", "power-log-n-roll/fig3", "--results", empty).stdout
    assert "98 W" in text and "not run" in text and "rollbench barrier" in text, text
    (empty / "barrier").mkdir()
    (empty / "barrier" / "barrier.json").write_text(json.dumps({"techniques": [{"name": "cm", "absent": "no driver", "trouble": None}]}))
    text = call("papers", "show", "power-log-n-roll/fig3", "--results", empty).stdout
    assert "here: absent; " in text and "cm: no driver" in text, text


def test_forecasts_are_in_a_file():
    """Python starts nothing: claims about forecasts are judged by what `papers forecasts` has written."""
    top = new_folder() / "results"
    assert judged(top, "power-log-n-roll/fig4") == ["not run"] * 4
    assert call("papers", "forecasts", "--results", top).returncode == 0
    assert judged(top, "power-log-n-roll/fig4") == [AGREES, DIFFERS, AGREES, DIFFERS]
    written = json.loads((top / "forecasts.json").read_text(encoding="utf-8"))["answers"]
    for line in ("explain cg --class S --np 16 --policy all --interval 10 --kill 2@13", "partners allreduce --np 8 --reduce ring --role 5"):
        assert written[line] == json.loads(call(*line.split(), "--json").stdout), line


class Share:
    """A folder with plots/papers/invented.yaml in it, and the program that has its items from there."""

    def __init__(self):
        self.folder = new_folder()
        (self.folder / "plots" / "papers").mkdir(parents=True)

    def write(self, text):
        (self.folder / "plots" / "papers" / "invented.yaml").write_text(text)

    def call(self, *words, results):
        return call("papers", *words, "--results", results, env={**os.environ, "ROLLBENCH_SHARE": str(self.folder)})


def test_a_question_without_an_answer_is_told():
    share, results = Share(), new_folder() / "results"
    for ask, why in (("explain cg --np 3 --kill 0@1", "power of two"), ("study cg", "expected explain or partners"), ("explain", "expected a kernel")):
        share.write(f"items:\n  - id: x\n    verdicts:\n      - {{with: {{of: [{{ask: {ask}}}]}}}}\n")
        done = share.call("forecasts", results=results)
        assert done.returncode == 2 and f"invented.yaml:4: {ask}: " in done.stderr and why in done.stderr, done
        assert not results.exists()
    assert "takes --results only" in call("papers", "forecasts", "x").stderr


def test_a_question_with_braces_is_several():
    """One for each combination; an alternative may be empty, and what is asked twice is answered once."""
    share, results = Share(), new_folder() / "results"

    def answered(*asks):
        share.write("items:\n  - id: x\n    asks:\n" + "".join(f"      - {ask}\n" for ask in asks))
        done = share.call("forecasts", results=results)
        return done, {*json.loads((results / "forecasts.json").read_text())["answers"]} if done.returncode == 0 else None

    ring = "partners allreduce --np 8 --reduce ring"
    done, found = answered(ring, "partners allreduce --np {8,16} --reduce {ring,central}{, --role 0}")
    assert found == {f"partners allreduce --np {np} --reduce {shape}{role}" for np in (8, 16) for shape in ("ring", "central")
                     for role in ("", " --role 0")}, done
    for wrong in ("{8,16", "8,16}", "{8,{16,32}}"):
        done, _ = answered(ring, f"partners allreduce --np {wrong} --reduce ring")
        told = f"invented.yaml:5: expected {{a,b}}, without braces in it: partners allreduce --np {wrong}"
        assert done.returncode == 2 and told in done.stderr, done
    done, _ = answered("[of, a, list]")
    assert done.returncode == 2 and "invented.yaml:4: asks: expected a text" in done.stderr, done


def test_what_asks_has_the_command_that_answers():
    """Typed by hand, the commands of an item make all that its drawings and verdicts read."""
    for item in items.load():
        asks = bool(item["asks"]) or "'ask':" in str(item["verdicts"])
        for profile in items.PROFILES:
            lines = item.commands_of(profile, "results")
            tables = any(table in line for line in lines for table in ("table_active", "table_logging", "table_memory"))
            if lines and (asks or tables):
                assert "./rollbench papers forecasts --results results" in lines, (item["name"], profile)


def test_every_question_of_a_table_has_an_answer():
    """Tables read answers; an item that is drawn by one asks for them."""
    top = new_folder()
    assert call("papers", "forecasts", "--results", top).returncode == 0
    forecasts, out = Forecasts(top), io.StringIO()
    table_active.write_paper(out, forecasts)
    active_shapes.write_variants(out, forecasts)
    active_shapes.write_growth(out, forecasts)
    assert [*table_memory.lines([], forecasts)] and logging_time.paper_per_megabyte("cg", forecasts)[0] == "0.5"
    assert out.getvalue().count("\n") > 50


def test_papers_that_are_here():
    top = sweep_of({"l3": killed("all", 3, 103)})
    found = json.loads(call("papers", "list", "--here", "--json", "--results", top).stdout)
    assert {one["paper"] for one in found} == {"message-logging-kernels"} and len(found) == COUNTS["message-logging-kernels"]
    assert json.loads(call("papers", "list", "--here", "--json", "--results", new_folder()).stdout) == []


def test_what_runs_is_what_is_shown():
    """C reads the commands of an item to run them, Python to show them."""
    for item in items.load():
        for profile in items.PROFILES:
            lines = [papers.typed(line) for line in item.commands_of(profile, "a b/c")] or [papers.test(name) for name in item["tests"]]
            done = call("papers", "run", item["name"], "--profile", profile, "--dry-run", "--results", "a b/c")
            assert done.stdout.splitlines() == lines and done.returncode == (0 if lines else 2), (done, lines)
            assert lines or "nothing to run with profile" in done.stderr, done


INVENTED = """steps:
  both: ["python3 plots/say.py {results} 0", "=last"]
  last: ["python3 plots/say.py last 0 >{results}/below/out.txt"]
items:
  - id: fine
    commands: {laptop: ["=both"]}
  - id: fails
    commands: {laptop: [python3 plots/say.py first 3, "=last"]}
  - id: fails-into-a-file
    commands: {laptop: ["python3 plots/say.py last 3 >{results}/out.txt"]}
  - id: lacks
    commands: {laptop: [python3 plots/no_such.py]}
  - id: tested
    tests: [unit_power, test_power.test_it]
  - id: circle
    commands: {laptop: ["=no"]}
"""


def test_commands_run_until_one_fails():
    share, results = Share(), new_folder() / "of it"
    share.write(INVENTED)
    (share.folder / "plots" / "say.py").write_text("import os, sys; assert os.environ['ROLLBENCH_PROGRAM']\n"
                                            "print('said', sys.argv[1]); sys.exit(int(sys.argv[2]))\n")

    def run(name):
        return share.call("run", f"invented/{name}", results=results)
    done = run("fine")
    assert done.returncode == 0 and done.stdout.splitlines() == [
        f"papers: 1 of 2: scripts/with-env python3 plots/say.py '{results}' 0", f"said {results}",
        f"papers: 2 of 2: scripts/with-env python3 plots/say.py last 0 >'{results}'/below/out.txt"], done
    assert (results / "below" / "out.txt").read_text() == "said last\n" and "plots/claims/papers.py" in done.stderr, done
    done = run("fails")
    assert done.returncode == 3 and "said first" in done.stdout and "2 of 2" not in done.stdout, done
    assert "papers: ended with exit status 3\n" in done.stderr, done
    done = run("fails-into-a-file")
    assert done.returncode == 3 and sorted(path.name for path in results.iterdir()) == ["below"], done
    done = run("lacks")
    assert done.returncode == 2 and "plots/no_such.py: it is not in" in done.stderr and "checkout" in done.stderr, done
    done = run("tested")
    assert done.returncode == 2 and "Makefile: it is not in" in done.stderr and "checkout" in done.stderr, done
    (share.folder / "Makefile").write_text("test:\n\t@echo ran $(firstword $(MAKEFILE_LIST)) \"$(subst \",',$(ARGS))\"\n")
    done = run("tested")
    assert done.returncode == 0 and "ran Makefile -k 'unit_power'" in done.stdout, done
    assert "ran Makefile -k 'test_power and test_it'" in done.stdout, done
    done = run("circle")
    assert done.returncode == 2 and "invented.yaml:" in done.stderr and "expected a command" in done.stderr, done


@pytest.mark.long
def test_run():
    folder = new_folder()
    done = call("papers", "run", "message-logging-kernels/fig7", "--dry-run", "--results", folder)
    assert done.returncode == 0 and done.stdout.splitlines() == [
        f"./rollbench sweep configs/laptop/times.yaml --results {folder}/times",
        f"scripts/with-env python3 plots/figures/fig7_time.py {folder}/times {folder}/figures"], done
    done = call("papers", "run", "message-logging-kernels/fig3", "--results", folder)
    assert done.returncode == 0 and "agrees" in done.stdout and "active" in done.stdout, done
    done = call("papers", "run", "data-flow-rollback/eq7", "--results", folder)
    assert done.returncode == 0, done
    assert (folder / "dataflow-model" / "model.json").exists() and (folder / "figures" / "dataflow-saving.png").exists(), done
    assert re.search(r"eq7: run; on \d{4}-", done.stdout), done.stdout
    paper = call("papers", "run", "message-logging-kernels/fig6", "--profile", "paper", "--dry-run").stdout
    assert "configs/paper/message-logging-kernels-fig6-7.yaml --results results/paper/" in paper, paper


def test_mistakes_are_told():
    for words, told in ((["show", "message-logging-kernel/fig6"], "perhaps message-logging-kernels/fig6"), (["show", "fig6"], "perhaps"),
                        (["run", "nonsense"], "no such item"), (["run", "event-logging-checkpoint/time-based"], "nothing to run"),
                        (["run", "message-logging-kernels/sizes"], "nothing to run"), (["list", "--paper", "x"], "expected message-logging"),
                        (["list", "--status", "maybe"], "expected yes"), (["show"], "expected one item"), ([], "expected list"),
                        (["run"], "expected one item"), (["run", "message-logging-kernels/fig6", "--profile", "x"], "--profile x"),
                        (["run", "../x/y"], "no such item"),
                        (["run", "message-logging-kernels/fig6", "--json"], "unexpected"), (["list", "fig6"], "takes no item")):
        done = call("papers", *words)
        assert done.returncode == 2 and told in done.stderr and not done.stdout, (words, done)


def broken(text):
    """Is data like this refused?"""
    folder = new_folder()
    (folder / "one.yaml").write_text(text, encoding="utf-8")
    try:
        items.load(folder, ["one"])
    except Refused as error:
        return str(error)
    return None


def test_bad_data_is_refused():
    good = "items:\n  - {id: a, title: t, kind: figure, place: p, shows: s., status: \"yes\", read: [README.md]}\n"
    assert broken(good) is None
    for before, after, told in (("figure", "picture", "kind"), ('"yes"', '"no"', "without why"), (", read: [README.md]", "", "no command"),
                                ("title: t, ", "", "lacks"), ("title: t", "titel: t", "does not know"), ("items:", "items: [", "cannot be read")):
        assert told in (broken(good.replace(before, after)) or ""), (before, broken(good.replace(before, after)))
    assert "more than one" in broken(good + good.split("\n")[1] + "\n")
    item = {"name": "a/b", "verdicts": [{"claim": "c", "rule": "nonsense", "of": "gini"}]}
    try:
        verdicts.check(item)
    except Refused as error:
        assert "rule nonsense" in str(error)
    else:
        raise AssertionError("an unknown rule")


@pytest.mark.timeout(240)
def test_every_item_has_a_state_and_a_verdict_somewhere():
    """On a machine without any results."""
    found = json.loads(call("papers", "list", "--json", "--results", new_folder(), timeout=230).stdout)
    assert len(found) == sum(COUNTS.values()) + len(page.findings())
    for one in found:
        assert one["state"] in ("run", "records, not drawn", "begun", "not run", "absent", "prints", "no") and one["state_text"], one["name"]
        assert (one["verdict"] is None) == (not one["verdicts"]), one["name"]
