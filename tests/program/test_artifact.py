"""The artifact appendix and other descriptions of the artifact: every number comes from a record."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from elc_records import lines
from rollbench import ROOT

TEMPLATE = ROOT / "scripts" / "artifact-template.md"
NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])")
HOST = {"cpu": "Made-up CPU", "cores": 6011, "memory_bytes": 7013 << 30, "kernel": "Linux 811.3",
        "mpi": "Open MPI v913.1", "prrte": "PRRTE 1013.2", "compiler": "gcc 1117.3", "flags": "-O3",
        "commit": "abcdef"}


def record(name, loop, repeated, died=None, status="ok", supported=0, **more):
    """A made-up run of two roles. repeated: by roles that went back."""
    return {"schema": "rollbench-run-1", "id": name, "status": status, "kernel": "cg", "params": {"class": "S"},
            "np": 23, "policy": more.pop("policy", "all"), "interval": 29, "plan": [f"1@{died}"] if died else [],
            "iterations": {"useful": 1013, "executed": 1013 + repeated, "repeated": repeated, "supported": supported},
            "wall_s": loop + 31, "loop_s": loop, "oversubscribed": True,
            "failures": [{"iteration": died, "restored_s": more.pop("restored", None)}] if died else [],
            "roles": [{"rss_peak": 37 << 20}, {"rss_peak": 41 << 20}],
            "compared": {"equal": more.pop("equal", True)} if died else None, "host": HOST, **more}


def folder_of(records, results, name, planned=()):
    folder = pathlib.Path(results) / name
    folder.mkdir()
    for one in records:
        (folder / f"{one['id']}.json").write_text(json.dumps(one), encoding="utf-8")
    (folder / "sweep.json").write_text(json.dumps(
        {"schema": "rollbench-sweep-1", "kind": "engine", "name": name, "runs": [*(r["id"] for r in records), *planned]}),
        encoding="utf-8")
    return sum((folder / f"{r['id']}.json").stat().st_size for r in records)


def appendix(folder, expect=0, env=None):
    done = subprocess.run([sys.executable, ROOT / "scripts" / "artifact-appendix", folder], text=True,
                          capture_output=True, timeout=60, cwd="/", env=env, check=False)
    assert done.returncode == expect, (done.returncode, done.stderr)
    return done.stdout if expect == 0 else done.stderr


def test_the_prose_has_no_numbers():
    text = TEMPLATE.read_text(encoding="utf-8")
    assert not re.search(r"\d", text), re.findall(r".*\d.*", text)


def test_every_number_comes_from_the_records():
    with tempfile.TemporaryDirectory() as results:
        bytes_ = folder_of([
            record("free", 0.1013, 0),
            record("a", 0.2027, 311, died=3, restored=0.01019),
            record("b", 0.2131, 331, died=5, restored=0.01031),
            record("c", 0.2239, 353, died=7, restored=0.01087),
            record("on-duplicates", 0.2341, 3, died=7, restored=0.0111, recompute="dataflow", supported=409),
            record("restarted", 4.51, 367, died=7, strategy="restart", policy="none"),
            record("hung", 47, 0, died=3, status="hang"),
            record("other-state", 53, 0, died=3, equal=False),
            record("control", 59, 0, died=3, status="wrong", equal=False, control="replay"),
        ], results, "tiny", planned=["never-run"])
        text = appendix(results)
        again = appendix(pathlib.Path(results) / "tiny")
        (pathlib.Path(results) / "tiny" / "a.json").write_text("torn", encoding="utf-8")
        torn = appendix(results)
    assert again == text  # the experiment's own folder gives the same
    problem = "| cg class=S, 23 roles; checkpoints every 29 iterations, sync |"
    for words in (f"{problem} local rollback (all) | none | 1 | 0.101 | 0 |  |  |",
                  "| local rollback (all) | a death | 3 | 0.213 [0.203, 0.224] | 331 [311, 353] | "
                  "0.0103 [0.0102, 0.0109] | 2 runs not ok or not equal |",
                  "| a death | 1 | 0.234 | 412 | 0.0111 |",  # what a duplicate computes is computed, too
                  f"{problem} job restart | a death | 1 | 4.51 | 367 | not measured |  |",
                  "| `tiny` | cg | 23 | 9 | 8 | 6 | 353 |",  # 8 x 31 + the loops
                  "6 of 7 runs with a failure",
                  "7 of all 8 runs ended `ok`. Of 1 negative controls, which must end wrong, 1 did", "In 8 of 8 runs", "6011 cores", "7013 GiB", "78 MiB",
                  "* `tiny/hung`: hang", "* `tiny/other-state`: another state",
                  "* `tiny`: 1 of 9 runs have no record", f"8 files, {bytes_ / 1024:.3g} KiB"):
        assert words in text, f"no '{words}' in:\n{text}"
    assert "* `tiny/a`: the record cannot be read" in torn
    # All else that looks like a number is not from the records.
    given = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 23, 29, 322, 311, 331, 353, 367, 412, 0.101, 0.234, 0.0111, 0.213, 0.203, 0.224, 4.51, 78,
             0.0103, 0.0102, 0.0109, 6011, 7013, 811.3, 913.1, 1013.2, 1117.3, 31.1, 31.2, 35.5, 78.0, 84.0, 84}
    packages = sum(bool(line.split("#")[0].strip()) for line in
                   (ROOT / "configs" / "packages.txt").read_text(encoding="utf-8").split("\n"))
    given |= {packages, float(f"{bytes_ / 1024:.3g}")}
    strange = [n for n in NUMBER.findall(text) if float(n) not in given]
    assert not strange, (strange, text)


def test_the_appendix_counts_as_the_figures_do():
    """Unlike entries have rows of their own; runs that are no samples are left out, counted and named."""
    unlike = ({}, {"ckpt": "buddy"}, {"ckpt_lag": "async"}, {"spares": 2}, {"node_size": 43}, {"hosts": ["a", "b"]},
              {"meters": {"detail": "iterations"}}, {"power": "sleep", "policy": "window:7"})
    trouble = {"power": "cm", "power_trouble": [{"role": 1, "text": "gone"}]}
    two = [{"iteration": 3, "restored_s": 59.0}, {"iteration": 3, "restored_s": 59.0}]
    runs = [record(f"r{i}", 0.2, 47, died=3, **dict(more)) for i, more in enumerate(unlike)]
    runs += [record("two", 61, 67, died=3, failures=two), record("none", 61, 67, died=3, failures=[]),
             record("cold", 61, 67, died=3, **trouble), record("gone", 61, 0, died=3, policy="window:9", status="hang"),
             record("free", 0.2, 0, state_hash="aa"),
             record("old", 61, 67, died=3, state_hash="bb", compared={"reference": "free", "equal": True})]
    with tempfile.TemporaryDirectory() as results:
        folder_of(runs, results, "unlike")
        text = appendix(results)
    rows = [line.split(" | ") for line in text.splitlines() if " | a death | " in line]
    counts = {(problem.split("iterations, ")[1], how): (n, left_out.strip(" |"))
              for problem, how, _, n, _, _, _, left_out in rows}
    plain, all_ = "sync", "local rollback (all)"
    assert counts.pop((plain, all_)) == (
        "1", "1 runs not ok or not equal, 2 runs ok, but not of exactly one death"), text
    assert counts.pop((plain, "local, clock modulation")) == ("0", "1 runs whose power technique failed"), text
    assert counts.pop((plain, "window:9")) == ("0", "1 runs not ok or not equal"), text
    assert counts == {(plain, "window:7+sleep"): ("1", ""), **{(what, all_): ("1", "") for what in (
        "sync, buddy", "async", "sync, 2 spares", "sync, nodes of 43 ranks", "sync, on 2 hosts",
        "sync, meters iterations")}}, counts
    for words in ("* `unlike/cold`: a power technique failed", "* `unlike/old`: another state", "(old)",
                  "* `unlike`: 1 comparisons with the failure-free run are out of date"):
        assert words in text, (words, text)
    assert "59" not in str(rows) and "61" not in str(rows), rows
    assert "* not recorded" in text, "no manifest, so nobody knows what the harness took"


def test_the_appendix_has_runs_with_lines():
    """They were left out without a word."""
    top = lines({("checkpoint", 800): 1.2, ("checkpoint", 1600): 1.5})
    bad = top / "event-logging" / "checkpoint-800-3.json"
    bad.write_text(json.dumps({**json.loads(bad.read_text(encoding="utf-8")), "compared": {"equal": False}}), encoding="utf-8")
    text = appendix(top)
    for words in ("| gauss_jordan | 2 | 800 | source | 8 | 1 [1, 1.01] |  |", "| gauss_jordan | 2 | 800 | checkpoint | 7 | 1.2 [1.2, 1.21] | 1.2 |",
                  "| gauss_jordan | 2 | 1600 | checkpoint | 8 | 1.51 [1.5, 1.51] | 1.5 |", "| `x` | gauss_jordan | 2 | 32 | 32 | 31 |",
                  "under event-logging checkpoints, 15 of 16 ended with the result of the run without the library",
                  "* `x/checkpoint-800-3`: another result than the run that it is compared with"):
        assert words in text, (words, text)


def test_the_readme_counts_as_the_appendix_does():
    """It had 877 validated runs, of which 12 end wrong on purpose."""
    counts = re.search(r"(\d+) of all \1 runs ended `ok`.*Of (\d+) negative controls", (ROOT / "docs/artifact.md").read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"# {counts[1]} validated runs and {counts[2]} that must end wrong" in readme, counts


def test_the_appendix_says_what_the_harness_took():
    with tempfile.TemporaryDirectory() as results:
        for name in ("tiny", "other"):
            folder_of([record("a", 0.2, 0)], results, name)
        (pathlib.Path(results) / "tiny" / "manifest").touch()
        program = pathlib.Path(results, "rollbench")
        program.write_text('#!/bin/sh\n[ "$1 $2 $#" = "store overhead 3" ] && echo "$3: outside mpirun: 1.00 s, 2 %"\n')
        program.chmod(0o755)
        text = appendix(results, env={**os.environ, "ROLLBENCH_BIN_DIR": results})
    assert "\n* tiny: 1.00 s, 2 %\n" in text, text


def test_a_folder_without_records_is_refused():
    with tempfile.TemporaryDirectory() as results:
        assert "no records" in appendix(results, expect=2)


def packages():
    text = (ROOT / "configs" / "packages.txt").read_text(encoding="utf-8")
    return [line.split("#")[0].strip() for line in text.split("\n") if line.split("#")[0].strip()]


SPACK = ROOT / "packaging" / "spack" / "spack_repo" / "rollbench" / "packages" / "rollbench" / "package.py"


def test_one_version_everywhere():
    """docs/releases.md: config.mk, CITATION.cff, the changelog and the recipe name the same release."""
    version = re.search(r"^VERSION *:= *(\S+)$", (ROOT / "config.mk").read_text(encoding="utf-8"), re.MULTILINE)[1]
    for path, pattern in ((ROOT / "CITATION.cff", r"^version: (\S+)$"), (ROOT / "CHANGELOG.md", r"\A# Changelog\n\n## (\S+) - "),
                          (SPACK, r'^    version\("(\d[\d.]*)", tag="v\1"\)')):
        assert re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)[1] == version, path


def test_the_spack_package_has_a_source_and_its_variants_are_used():
    text = SPACK.read_text(encoding="utf-8")
    assert SPACK.resolve().parents[6] == ROOT and "parents[6].as_uri()" in text  # where `git` points
    versions, variants = re.findall(r"^    version\((.*?)\)", text, re.MULTILINE), re.findall(r'^    variant\("(\w+)"', text, re.MULTILINE)
    assert len(versions) == 2 and all("branch=" in one or "tag=" in one for one in versions), versions
    assert {"papi", "isal", "simgrid", "cpupower"} <= set(variants) and "papi+rapl+powercap" in text
    for name in set(variants) - {"cpupower"}:
        assert f'when="+{name}"' in text or f'when("+{name}")' in text, name
    assert "from spack_repo.builtin.build_systems.makefile import MakefilePackage" in text and re.search(r"    def test_run\(self\):", text)


def test_spack_knows_every_library_of_the_package_list():
    path = SPACK
    text = path.read_text(encoding="utf-8")
    compile(text, path, "exec")
    needed = set(re.findall(r'depends_on\("([a-z0-9-]+)', text))
    spack_calls_it = {"isal": "isa-l"}
    for package in packages():
        library = re.fullmatch(r"lib([a-z]+)-dev", package)
        if library and library[1] not in ("cpupower", "mpich"):  # Spack lacks the first, and has one MPI at a time; the package says so
            name = spack_calls_it.get(library[1], library[1])
            assert {name, "lib" + name} & needed, f"{path}: no depends_on for {package}"


def test_the_text_to_cite_is_made_from_the_citation_file():
    done = subprocess.run([ROOT / "scripts" / "citation", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done
    entry, = re.findall(r"^@article\{dichev2022,\n.*?^\}\n", (ROOT / "CITATION").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert " ".join(entry.split()) == (
        "@article{dichev2022, author = {Dichev, Kiril and De Sensi, Daniele and Nikolopoulos, Dimitrios S. and Cameron, Kirk W. and Spence, Ivor}, "
        "title = {{Power Log'n'Roll: Power-Efficient Localized Rollback for MPI Applications Using Message Logging Protocols}}, "
        "journal = {IEEE Transactions on Parallel and Distributed Systems}, volume = {33}, number = {6}, pages = {1276--1288}, year = {2022}, "
        "note = {Called the power-log-n-roll paper here: active and blocked roles, power while waiting; Fig. 3 and 5 to 7, Table 2}, "
        "doi = {10.1109/TPDS.2021.3107745} }"), entry
    keys = re.findall(r"^@\w+\{([a-z0-9]+),$", (ROOT / "CITATION").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(keys) == len(set(keys)) == 1 + (ROOT / "CITATION.cff").read_text(encoding="utf-8").count("\n  - type: "), keys


def test_a_container_leaves_results_out():
    """The ignore file of both tools is one."""
    ignored = {line.strip("/") for line in (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines() if not line.startswith("#")}
    assert {"build", "results"} <= ignored and (ROOT / ".dockerignore").resolve() == ROOT / ".containerignore"


def test_a_container_is_made_from_the_package_list():
    text = (ROOT / "configs" / "Containerfile").read_text(encoding="utf-8")
    assert "packages.txt" in text and "debian:13" in text
    assert not any(re.search(rf"\b{re.escape(p)}\b", text) for p in packages() if p.startswith("lib")), "it has a package list of its own"


# Of the schema of version 1.2.0: what a reference must have, may have (as far as we use it), and be.
TYPES = {"article", "conference-paper", "report"}
KEYS = {"type", "title", "authors", "conference", "year", "month", "notes", "journal", "volume", "issue",
        "start", "end", "doi", "number", "institution"}


def test_the_citation_file_follows_its_schema():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    top = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    assert {"cff-version", "message", "title", "authors", "abstract", "version", "date-released"} <= top, top
    assert re.search(r"^date-released: 20\d\d-[01]\d-[0-3]\d$", text, re.MULTILINE), text
    assert top <= {"cff-version", "message", "title", "authors", "type", "license", "version", "date-released",
                   "abstract", "keywords", "references"}, top
    references = text.split("\nreferences:\n")[1].split("\n  - ")
    references = [r for r in references if r.startswith("type:")] + \
        [r.strip()[2:] for r in references[:1] if r.strip().startswith("- ")]
    for one in references:
        keys = set(re.findall(r"^(?:    )?([a-z-]+):", one, re.MULTILINE))
        assert {"type", "title", "authors"} <= keys <= KEYS, (keys - KEYS, one)
        assert re.match(r"type: ([a-z-]+)", one)[1] in TYPES, one
        for person in re.findall(r"^      - (.*)$", one, re.MULTILINE):
            assert person.startswith(("family-names: ", "name: ")), person
        assert re.search(r"^    year: \d{4}$", one, re.MULTILINE), one
    for cited in ("RNR-94-007", "LLNL-TR-490254", "Efficient Message Logging", "Communication Imbalance",
                  "Power Log'n'Roll", "data flow analysis", "Event Logging"):
        assert sum(cited in one for one in references) == 1, cited
