"""`rollbench run PROGRAM --protocol PROTOCOL`: jobs under event-logging checkpoints are killed, restarted, compared and recorded."""
import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

import pytest

import export_tables
import schema
from elc_runs import MOMENTS
from rollbench import COMMAND, EXIT, OF_RUNS, ROOT, call, descendants_named, mpirun_of, new_folder, reference, refuse_all, wait_until

from plots.export import elc_tables

GAUSS = ("gauss_jordan", "--np", 3, "--size", 150)
OF_RANK_0 = ("reported", "committed", "announcing")


def elc_run(*args, expect="ok", **kwargs):
    """The record of a run; its schema is checked by call()."""
    done = call("run", *args, "--json", "-", **kwargs)
    assert done.returncode == EXIT[expect], (args, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    record = json.loads(done.stdout)
    assert record["kind"] == "elc" and record["status"] == expect, record
    assert record["restarts"] == len(record["jobs"]) - 1 <= len(record["plan"])
    record["_stderr"] = done.stderr
    return record


def test_a_killed_program_is_restarted_from_its_newest_line():
    """Four jobs: at a safe point, in the middle of a commit, at a safe point counted from the beginning of the program, and to the end."""
    record = elc_run(*GAUSS, "--lines", 6, "--kill", "2@100", "--kill", "0@105:committed", "--kill", "1@140")
    jobs = record["jobs"]
    assert [j["end"] for j in jobs] == ["killed", "killed", "killed", "finished"] and record["unfired"] == [], record
    assert jobs[0]["death"] == {"rank": 2, "phase": "start", "safe_point": 100, "line": jobs[0]["death"]["line"]}, jobs
    assert jobs[0]["restored"] == 0 and jobs[1]["restored"] >= jobs[0]["death"]["line"] > 0, jobs
    assert jobs[1]["death"]["phase"] == "committed" and jobs[1]["death"]["rank"] == 0 and jobs[1]["death"]["safe_point"] >= 105, jobs
    # Before it died, lines of earlier safe points may have been committed, too: on a busy machine, those that the first job had not ended.
    known = jobs[1]["death"]["line"]
    assert jobs[2]["restored"] == known + 1 > jobs[1]["restored"], f"line {known} was known, and one more committed when rank 0 died: {jobs}"
    assert jobs[2]["death"]["safe_point"] == 140 and jobs[3]["restored"] >= jobs[2]["restored"], jobs
    assert record["compared"]["equal"] and record["compared"]["hash"] == record["state_hash"]
    assert record["lines_committed"] == jobs[3]["restored"] + record["processes"][0]["committed"], record
    whole = elc_run(*GAUSS, "--lines", 6, "--reference", record["state_hash"])
    for p, all_of_it in zip(record["processes"], whole["processes"], strict=True):
        assert p["safe_points"] == all_of_it["safe_points"] == 150 and p["binding"], p
        assert 0 < p["events"] < all_of_it["events"] / 2, "not all steps again"


def test_without_lines_it_begins_again():
    record = elc_run(*GAUSS, "--lines", 0, "--kill", "1@0", "--kill", "1@50")
    assert [j["restored"] for j in record["jobs"]] == [0, 0, 0] and record["lines_committed"] == 0, record
    assert [j["death"]["safe_point"] for j in record["jobs"][:2]] == [0, 50], record
    assert record["processes"][1]["safe_points"] == 150 and record["compared"]["equal"], record


@pytest.mark.timeout(120)
def test_a_kernel_has_the_state_of_a_run_by_the_engine():
    """Also where its regions have changed their sizes at the line."""
    for kernel, np, args in (("cg", 2, ("--class", "S", "--lines", 5)), ("amr", 3, ("--blocks", 8, "--steps", 60, "--every", 11))):
        plain = tuple(a for i, a in enumerate(args) if args[i - i % 2] not in ("--lines", "--every"))
        whole = reference(kernel, "--np", np, "--policy", "none", "--interval", 1000, *plain)
        record = elc_run(kernel, "--protocol", "events", "--np", np, *args, "--kill", "1@20:known", "--reference", whole)
        assert record["jobs"][1]["restored"] >= 1 and record["state_hash"] == whole and record["kernel"] == kernel, record
        assert {p["safe_points"] for p in record["processes"]} == {record["result"]["size"]}, "one for each iteration of the run"


def test_off_and_unfired():
    plain = elc_run(*GAUSS, "--protocol", "off")
    assert plain["processes"] is None and plain["lines_committed"] is None and "compared" not in plain and plain["log_form"] is None, plain
    late = elc_run(*GAUSS, "--kill", "1@9999", "--reference", plain["state_hash"])
    assert late["unfired"] == ["1@9999"] and late["restarts"] == 0 and "no job came" in late["_stderr"], late
    assert late["lines_committed"] == 4, "the paper's number of lines"


def test_a_wrong_result_is_called_wrong():
    """Against the hash of another problem: a run that compared nothing would be ok."""
    other = elc_run("gauss_jordan", "--np", 3, "--size", 150, "--seed", 2, "--protocol", "off")["state_hash"]
    record = elc_run(*GAUSS, "--reference", other, "--kill", "1@20", expect="wrong")
    assert record["compared"]["equal"] is False and "differs from the expected one" in record["message"], record


def test_a_job_that_dies_by_itself_is_not_restarted():
    """The library refuses an unknown protocol or a program what it cannot do: abort with these words, not a restart."""
    record = elc_run("matmul", "--np", 1, "--reference", "none", expect="abort")
    assert [j["end"] for j in record["jobs"]] == ["died"] and record["result"] is None and record["processes"] is None, record
    assert "matmul" in record["message"] or "rank 0" in record["message"], record["message"]


def test_a_hang_is_called_a_hang():
    record = elc_run("gauss_jordan", "--np", 2, "--size", 6000, "--reference", "none", "--deadline", 3, expect="hang")
    assert record["jobs"][0]["end"] == "hung", record


def test_every_phase_of_the_library_can_be_asked_for():
    """A phase that only one of the two knows would be a kill that never fires."""
    library = {phase for path in (ROOT / "elc" / "mpi").glob("*.c") for phase in re.findall(r'elc_moment\("(\w+)"', path.read_text(encoding="utf-8"))}
    listed = re.findall(r"^  (\w+) +(rank 0)?", call("list", "protocol-phases").stdout, re.MULTILINE)
    assert {name for name, _ in listed} == library == {"start", *MOMENTS}, (listed, library)
    assert {name for name, of_rank_0 in listed if of_rank_0} == set(OF_RANK_0), listed


def test_what_is_refused():
    refuse_all(
        ("run", *GAUSS, "--kill", "3@1", ("--kill 3@1", "--np 3")),
        ("run", *GAUSS, "--kill", "1@", ("RANK@N",)),
        ("run", *GAUSS, "--kill", "1", ("RANK@N",)),
        ("run", *GAUSS, "--kill", "1@5:cuts", ("PHASE", "cut, saved")),
        ("run", *GAUSS, "--kill", "1@5:committed", ("only rank 0",)),
        ("run", *GAUSS, "--sizes", 4, ("--sizes: no such argument",)),
        ("run", *GAUSS, "--size", "x", ("--size x", "whole number")),
        ("run", *GAUSS, "--check", 1, ("--check",)),
        ("run", *GAUSS, "--protocol", "of", ("--protocol of", "off, source, events, tagging, tagging-copy or markers")),
        ("run", *GAUSS, "--protocol", "off", "--kill", "1@1", ("--kill", "--protocol events")),
        ("run", *GAUSS, "--protocol", "off", "--lines", 2, ("--lines", "--protocol events")),
        ("run", *GAUSS, "--reference", "abc", ("--reference abc", "none")),
        ("run", *GAUSS, "--log-form", "tree", ("--log-form tree",)),
        ("run", "gauss", "--protocol", "events", ("gauss: unknown program", "gauss_jordan")),
        ("run", "cg", "--protocol", "events", "--np", 3, ("power of two",)),
        ("run", "lulesh", "--protocol", "events", "--np", 8, ("use --every",)),
        ("run", "cg", "--lines", 3, ("lines",)),
    )


def leftovers(folder):
    return [path for pattern in OF_RUNS for path in folder.glob(pattern)]


def start(folder):
    return subprocess.Popen([*COMMAND, "run", "gauss_jordan", "--np", "2", "--size", "6000", "--reference", "none"],
                            env={**os.environ, "TMPDIR": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def programs_of(folder):
    """Processes that have a run folder below this folder as the name under which they run."""
    return [pid for pid, line in descendants_named(f"{folder}/rollbench-run-") if "gauss_jordan" in line.split()[0]]


def test_ctrl_c_leaves_nothing():
    folder = new_folder()
    job = start(folder)
    wait_until(lambda: len(programs_of(folder)) == 2)
    job.send_signal(signal.SIGINT)
    _, said = job.communicate(timeout=60)
    assert job.returncode == 128 + signal.SIGINT and "interrupted" in said, (job.returncode, said)
    wait_until(lambda: not programs_of(folder) and not leftovers(folder))


def cut(work, sig, *args):
    """End a run by a signal when it has committed a line. Its folder."""
    job = subprocess.Popen([*COMMAND, *map(str, args), "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # older lines are removed, so it need not be the first one
    wait_until(lambda: [*work.glob("*/lines/line-*.commit")] or job.poll() is not None)
    assert job.poll() is None, job.returncode
    job.send_signal(sig)
    job.wait(timeout=60)
    wait_until(lambda: not programs_of(work))
    folder, = work.glob("rollbench-run-*")
    return folder


def test_a_run_goes_on_when_its_harness_has_ended():
    """A job is killed as planned; the second one is interrupted, and goes on in a copy of the folder; then the harness is killed."""
    work, problem = new_folder(), ("gauss_jordan", "--np", 2, "--size", 1500)
    plain = elc_run(*problem, "--protocol", "off")
    folder = cut(work, signal.SIGINT, "run", *problem, "--lines", 40, "--kill", "1@10", "--kill", "0@1450", "--keep", "--reference", "none",
                 "--workdir", work)
    shutil.copytree(folder, work / "rollbench-run-copy")
    shutil.rmtree(folder)
    folder = cut(work, signal.SIGKILL, "resume", work / "rollbench-run-copy", "--reference", "none")
    done = call("resume", folder, "--reference", plain["state_hash"], "--json", "-")
    record = json.loads(done.stdout)
    assert done.returncode == 0 and record["compared"]["equal"] and record["resumed"] and not plain["resumed"], done
    first, second, last = record["jobs"]
    assert first["death"]["safe_point"] == 10 and second["restored"] > 0 and second["death"]["safe_point"] == 1450, record["jobs"]
    assert last["end"] == "finished" and last["restored"] >= second["restored"] and record["unfired"] == [], record
    assert not folder.exists()


def test_mpirun_is_killed():
    """The lines stay, and the answer to compare with is not computed again."""
    work = new_folder()
    with subprocess.Popen([*COMMAND, "run", "gauss_jordan", "--np", "2", "--size", "1500", "--lines", "40", "--workdir", work, "--quiet"],
                          stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: [*work.glob("*/lines/line-*.commit")] or process.poll() is not None)
        os.kill(mpirun_of(work), signal.SIGKILL)
        said = process.communicate(timeout=60)[1]
    folder, = work.glob("rollbench-run-*")
    assert process.returncode == 4 and f"mpirun was killed; go on with: rollbench resume {folder}\n" in said, (process.returncode, said)
    done = call("resume", folder, "--json", "-")
    record = json.loads(done.stdout)
    assert done.returncode == 0 and record["compared"]["equal"] and record["compared"]["reference"] == "a failure-free run", done
    assert [job["end"] for job in record["jobs"]] == ["died", "finished"] and record["jobs"][1]["restored"] > 0, record["jobs"]
    assert not folder.exists() and not leftovers(work)


def test_what_cannot_go_on_is_refused():
    work = new_folder()
    done = call("run", *GAUSS, "--keep", "--workdir", work, "--reference", "none")
    ended, = work.glob("rollbench-run-*")
    shutil.copytree(ended, work / "off")
    spec = json.loads((ended / "spec.json").read_text())
    (work / "off" / "spec.json").write_text(json.dumps({**spec, "protocol": "off"}))
    shutil.copytree(ended, work / "damaged")
    (work / "damaged" / "spec.json").write_text(json.dumps({**spec, "kills": ["1"]}))
    shutil.copytree(ended, work / "other")
    (work / "other" / "spec.json").write_text(json.dumps({**spec, "kind": "another"}))
    shutil.copytree(ended, work / "spares", ignore=shutil.ignore_patterns("events.*"))
    hosts = work / "hosts"
    hosts.write_text("localhost slots=4\nlocalhost2 slots=4\n")
    assert done.returncode == 0
    refuse_all(("resume", ended, ("has come to its end",)),
               ("resume", work / "off", ("--protocol off", "start it again")),
               ("resume", work / "damaged", ("spec.json", "not a run of this version", "--kill")),
               ("resume", work / "other", ("spec.json", "not a run of this version")),
               ("resume", work, ("spec.json",)),
               ("resume", work / "spares", "--hostfile", hosts, "--spare-hosts", 1, ("--spare-hosts", "has no spares")))
    shutil.rmtree(work)


def test_why_the_library_ends_a_job_is_the_message():
    """It is in a report; nobody knows from which line such a job went on, nor how many are committed."""
    work = new_folder()
    done = call("run", *GAUSS, "--keep", "--workdir", work, "--reference", "none")
    assert done.returncode == 0, done
    ended, = work.glob("rollbench-run-*")
    shutil.copytree(ended, work / "damaged", ignore=shutil.ignore_patterns("events.*"))
    (work / "damaged" / "lines" / "line-3.commit").write_text("no commit")
    done = call("resume", work / "damaged", "--json", "-")
    record = json.loads(done.stdout)
    assert done.returncode == EXIT["abort"] and re.search(r"it said: elc: rank \d: .* none can be used", record["message"]), done
    assert [(job["end"], job["restored"]) for job in record["jobs"]] == [("died", None)] and record["lines_committed"] is None, record
    shutil.rmtree(work)


def test_it_runs_from_any_folder():
    """The program finds its library beside itself, not from where the command was given."""
    done = call("run", *GAUSS, "--kill", "1@20", cwd=new_folder())
    assert done.returncode == 0 and "equal to the failure-free run" in done.stdout, (done.stdout, done.stderr)


def test_a_kept_folder_has_the_reports():
    folder = new_folder()
    done = call("run", *GAUSS, "--kill", "1@60", "--keep", "--workdir", folder, "--reference", "none")
    assert done.returncode == 0, done.stderr
    kept, = folder.glob("rollbench-run-*")
    reports = {path.name for path in kept.glob("report-*.json")}
    assert reports == {"report-0-1.json", "report-1-0.json", "report-1-1.json", "report-1-2.json"}, reports
    shutil.rmtree(kept)


FILE = """name: small
seed: [1, 2]
np: 2
protocol: [source, events]
lines: [0, 2]
runs:
  - {program: gauss_jordan, size: [60]}
  - {program: cg, class: S, seed: 1}
  - {program: gauss_jordan, size: 60, protocol: events, lines: 2, kill: "1@30"}
"""


def sweep(path, results, *more):
    return call("sweep", path, "--results", results, *more)


def records_of(results):
    return {path.stem: json.loads(path.read_text()) for path in results.glob("*.json") if path.stem != "sweep"}


def check_tables(results, out, found):
    """The tables say what the records say, and nothing is lost."""
    done = call("export", "--csv", results, "--out", out)
    assert done.returncode == 0, done
    assert not (wrong := export_tables.wrong_cells(out)), wrong
    tables = {name: list(csv.DictReader(open(out / f"{name}.csv", encoding="utf-8", newline=""))) for name in ("runs", "jobs", "processes")}
    assert {row["id"] for row in tables["runs"]} == found.keys() and len(tables["runs"]) == len(found)
    assert len(tables["jobs"]) == sum(len(record["jobs"]) for record in found.values())
    for row in tables["runs"]:
        record, processes = found[row["id"]], [p for p in tables["processes"] if p["id"] == row["id"]]
        assert row["protocol"] == record["protocol"] and row["state_hash"] == record["state_hash"] and row["plan"] == " ".join(record["plan"])
        assert [float(p["seconds"]) for p in processes] == [p["seconds"] for p in record["processes"] or []], row
        events = [p["events"] for p in record["processes"] or []]
        assert row["events"] == (str(sum(events)) if events else "") and row["equal"] == ("TRUE" if "compared" in record else ""), row
    for killed in (row for row in tables["jobs"] if row["death_rank"]):
        assert (killed["job"], killed["end"], killed["death_rank"], killed["death_phase"]) == ("1", "killed", "1", "start"), killed
        assert "-events-lines=2-1@30-r0" in killed["id"] and killed["death_safe_point"] == "30", killed
    assert sum(row["end"] == "killed" for row in tables["jobs"]) == sum(row["death_rank"] != "" for row in tables["jobs"]) == 2


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_sweep():
    """Each run once, also if two entries have it; a budget leaves runs for the same command; a record that was lost is made again, and no
    other. The runs with a kill have their reference in another entry."""
    work = new_folder()
    path, results = work / "small.yaml", work / "results"
    path.write_text(FILE)
    first = sweep(path, results, "--budget", "0.01s")
    assert first.returncode == 6 and len(records_of(results)) == 1 and "10 are left" in first.stderr, (first, list(results.glob("*")))
    done = sweep(path, results)
    found = records_of(results)
    assert done.returncode == 0 and "1 of 11 runs were already done" in done.stdout, (done.stdout, done.stderr)
    assert "11 of 11 runs, 11 ok, 0 not ok" in done.stderr and f"records: {results}" in done.stdout, (done.stdout, done.stderr)
    for name, record in found.items():
        source = name.replace("-events-lines=2", "-source").replace("-events", "-source").replace("-1@30-", "-free-")
        assert record["status"] == "ok" and record["id"] == name and source in found, record
        assert record.get("compared", {}).get("reference") == (None if name == source else source), record
        assert record.get("compared", {}).get("equal") == (None if name == source else True), record
        assert record["protocol"] == ("source" if name == source else "events"), record
        assert record["restarts"] == ("-1@30-" in name), record
    drawn = subprocess.run([sys.executable, ROOT / "plots" / "elc" / "event_logging.py", results, work / "figures"], capture_output=True,
                           text=True)
    assert drawn.returncode == 0 and drawn.stdout.count(" of 2\n") == 2 and drawn.stdout.count(" of 1\n") == 2, drawn
    assert (work / "figures" / "event-logging.png").exists()
    lost = next(name for name in found if "-events-free-" in name)
    (results / f"{lost}.json").unlink()
    again = sweep(path, results)
    assert again.returncode == 0 and "10 of 11 runs were already done" in again.stdout and lost in records_of(results), again.stdout
    assert call("store", "verify", results).returncode == 0
    elsewhere = new_folder() / "merged"
    assert "11 records added" in call("store", "merge", elsewhere, results).stdout
    assert call("store", "verify", elsewhere).returncode == 0 and records_of(elsewhere) == records_of(results)
    check_tables(results, work / "tables", records_of(results))
    seen = call("watch", results, "--once").stdout
    assert "small: finished" in seen and "11 of 11 runs" in seen and "11 ok" in seen and "0 not equal" in seen, seen
    assert re.search(r"ok +\d\.\d{3} s +gauss_jordan", seen) and ("1@30" in seen or "events, no failure" in seen), seen
    report = call("report", "--results", results, "--out", work / "report")
    assert report.returncode == 0 and "All of 11 runs are ok." in (work / "report" / "report.html").read_text(), report


ORDERED = """name: ordered
order: random
order_seed: 4
repetitions: 3
warm_up: 1
seed: [1, 2]
np: 2
program: gauss_jordan
size: 60
protocol: [source, events]
lines: 0
"""


@pytest.mark.long
@pytest.mark.timeout(120)
def test_a_random_order():
    """Another seed gives another order; what a run is compared with comes before it; a sweep that was stopped goes on in the same order; the
    first repetitions warm up: they have records, and are no samples."""
    work = new_folder()
    path, results = work / "ordered.yaml", work / "results"

    def order(text):
        path.write_text(text)
        done = sweep(path, "unused", "--dry-run", "--json")
        assert done.returncode == 0, done.stderr
        return [run["id"] for run in json.loads(done.stdout)["runs"]]

    drawn, other = order(ORDERED), order(ORDERED.replace("order_seed: 4", "order_seed: 5"))
    listed = order(ORDERED.replace("order: random\norder_seed: 4\n", ""))
    assert sorted(drawn) == sorted(other) == sorted(listed) and len({tuple(drawn), tuple(other), tuple(listed)}) == 3, (drawn, other)
    assert len(drawn) == 12 and all(name.endswith("-r0") for name in drawn[:4]), drawn
    for name in drawn:
        assert drawn.index(re.sub("-events-free-r.|-source-free-r.", "-source-free-r0", name)) <= drawn.index(name), drawn
    path.write_text(ORDERED)
    first = sweep(path, results, "--budget", "0.01s")
    assert first.returncode == 6 and list(records_of(results)) == drawn[:1], (first, drawn)
    done = sweep(path, results)
    made = re.findall(r"^[0-9a-f]{32}  (gauss_jordan.*)\.json$", (results / "manifest").read_text(), re.MULTILINE)
    assert done.returncode == 0 and "1 of 12 runs were already done" in done.stdout and made == drawn, (done, made, drawn)
    compared = {name: record["compared"]["equal"] for name, record in records_of(results).items() if "compared" in record}
    assert compared == {name: True for name in drawn if "-source-free-r0" not in name}, compared
    listing = json.loads((results / "sweep.json").read_text())
    assert listing == {"schema": "rollbench-sweep-1", "kind": "elc", "name": "ordered", "file": str(path), "runs": drawn, "order": "random",
                       "order_seed": 4, "warm_up": 1}, listing
    again = sweep(path, results)
    assert again.returncode == 0 and "12 of 12 runs were already done" in again.stdout, again


def test_bad_orders():
    path = new_folder() / "bad.yaml"
    for old, new, words in (("order: random", "order: any", "listed or random"), ("order: random\n", "", "nothing to draw without order: random"),
                            ("warm_up: 1", "warm_up: -1", "0 to 2"), ("warm_up: 1", "warm_up: 3", "0 to 2"),
                            ("warm_up: 1", "warm_up: [1, 2]", "warm_up"),
                            ("size: 60", "size: 60\nruns:\n  - {program: gauss_jordan, order: listed}", "order")):
        assert old in ORDERED
        path.write_text(ORDERED.replace(old, new, 1))
        done = sweep(path, "unused", "--dry-run")
        assert done.returncode == 2 and words in done.stderr and f"{path}:" in done.stderr, (new, done.stderr)


def test_every_key_of_a_process_and_a_job_has_a_column():
    """A key that is added to the record is added to the tables, too."""
    of_record = schema.whole()["$defs"]["rollbench-run-1"]["properties"]
    assert set(of_record["processes"]["items"]["properties"]) <= set(elc_tables.PROCESSES)
    jobs = {column.path.split(".")[0] for column in elc_tables.JOBS.values()}
    assert set(of_record["jobs"]["items"]["properties"]) <= jobs, jobs


def test_a_changed_record_is_no_reference():
    """The record of the run without lines is given another hash: it is made again, and not believed."""
    work = new_folder()
    path, results = work / "small.yaml", work / "results"
    path.write_text("name: one\nprogram: gauss_jordan\nsize: 60\nnp: 2\nprotocol: [source, events]\nlines: 0\n")
    assert sweep(path, results, "--budget", "0.01s").returncode == 6
    reference = results / "gauss_jordan-size=60-np2-source-free-r0.json"
    record = json.loads(reference.read_text())
    text = reference.read_text().replace(record["state_hash"], "0123456789abcdef")
    reference.write_text(text)
    done = sweep(path, results)
    assert done.returncode == 0 and reference.with_name(f"{reference.name}.changed").exists(), done
    assert records_of(results)["gauss_jordan-size=60-np2-events-free-r0"]["compared"]["hash"] == record["state_hash"]


def test_bad_files_of_a_sweep():
    work = new_folder()
    for number, (old, new, words) in enumerate((("size: [60]", "size: [0]", "--size 0"), ("np: 2", "np: 0", "--np 0"), ("size:", "sise:", "--sise"),
                                                ("[source, events]", "[source, event]", "--protocol event"), ("program: cg, ", "", "program"),
                                                ("protocol: events, lines: 2", "protocol: off", "has no effect in any run of this entry"),
                                                ('"1@30"', '"7@30"', "no such rank"), ('"1@30"', '"1@30:committed"', "only rank 0"),
                                                ("np: 2", "np: 2\nkeep: 1", "keep: unknown key"), ("np: 2\n", "", "the key np is missing"),
                                                ("[source, events]", "events", "there is nothing to compare it with: let a run with protocol source "
                                                 "or off be in the file"))):
        path = work / f"{number}.yaml"
        assert old in FILE
        path.write_text(FILE.replace(old, new))
        done = sweep(path, work / "results")
        assert done.returncode == 2 and words in done.stderr and re.search(rf"{path}:\d+: ", done.stderr), (new, done.stderr)
        assert not (work / "results").exists(), "refused before anything is made"


def test_the_file_of_the_guide_is_valid():
    text = (ROOT / "docs" / "event-logging.md").read_text(encoding="utf-8")
    path = new_folder() / "guide.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", text, re.S)[1], encoding="utf-8")
    done = sweep(path, "unused", "--dry-run")
    assert done.returncode == 0 and done.stdout.endswith(f"\n{6 * 3 * (3 + 2)} runs\n"), (done.stdout, done.stderr)


@pytest.mark.long
@pytest.mark.timeout(500)
def test_programs_and_kernels_killed_twice():
    """Each program with two kills at moments and safe points drawn from a seed; the second is in the restarted job."""
    rng, fired = random.Random(11), 0
    problems = (("gauss_jordan", 3, ("--size", 150)), ("matmul", 3, ("--size", 96, "--columns", 2)),
                ("neurons", 2, ("--size", 24, "--steps", 200)), ("disks", 3, ("--size", 24, "--sweeps", 40)),
                ("cg", 4, ("--class", "S")), ("jacobi", 3, ("--grid", 64, "--steps", 80)))
    for name, np, args in problems:
        whole = elc_run(name, "--protocol", "off", "--np", np, *args)["state_hash"]
        for _ in range(6):
            kills, point = [], 0
            for most in (40, 15):
                point += rng.randrange(most)
                moment = rng.choice(("", *(f":{m}" for m in MOMENTS)))
                rank = 0 if moment[1:] in OF_RANK_0 else rng.randrange(np)
                kills += ["--kill", f"{rank}@{point}{moment}"]
            record = elc_run(name, "--protocol", "events", "--np", np, *args, "--lines", 8, "--log-form", rng.choice(("counted", "list")),
                              "--reference", whole, *kills)
            fired += record["restarts"]
    print(f"note: {fired} of {2 * 6 * len(problems)} kills fired, 0 wrong")
    assert fired > 6 * len(problems), fired
