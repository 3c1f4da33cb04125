"""The tables of `rollbench export`: each column is in the dictionary and has its type, keys are unique, and R and pandas, which load them by
the functions of docs/record.md, find the counts and sums that stand in the records."""
import ast
import csv
import importlib.util
import io
import json
import re
import shutil
import subprocess

import pytest

import drawing
from export_tables import exported, kept, table, wrong_cells
from rollbench import ROOT, call, new_folder, refuse

from plots.common.command import Refused
from plots.export import kills, elc_tables, parquet, rows
from plots.export.export import dictionary

KEPT = ("run-all", "dataflow", "power-over-time")  # of data/records: kills, data-flow rollback, traces


def kept_and_exported(name):
    """(the records of a kept sweep in its order, the folder with its tables)."""
    results = kept(name)
    listed = json.loads((results / "sweep.json").read_text(encoding="utf-8"))["runs"]
    return [json.loads((results / f"{one}.json").read_text(encoding="utf-8")) for one in listed], exported(results)


def test_the_dictionary_has_every_column():
    for name in KEPT:
        folder = kept_and_exported(name)[1]
        assert not (wrong := wrong_cells(folder)), (name, wrong[:5])
    # Each rule can fail.
    for file, old, new in (("roles", ",binding,", ",bindings,"), ("runs", ",TRUE,", ",true,"), ("failures", "\r\n", ",\r\n"),
                           ("columns", "roles,wall_s,s,number", "roles,wall_s,s,integer"), ("columns", "roles,role,", "roles,rank,"),
                           ("roles", "\njacobi", "\nlulesh"), ("columns", "roles,role,\"\",integer,TRUE", "roles,role,\"\",integer,FALSE")):
        text = (folder / f"{file}.csv").read_bytes().decode()
        assert old in text, (file, old)
        (folder / f"{file}.csv").write_bytes(text.replace(old, new, 1).encode())
        assert wrong_cells(folder), (file, old)
        (folder / f"{file}.csv").write_bytes(text.encode())
    assert not wrong_cells(folder)


def test_two_rows_with_one_key_are_found():
    folder = kept_and_exported("run-all")[1]
    text = (folder / "roles.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "roles.csv").write_text("".join([*text, text[-1]]), encoding="utf-8")
    assert wrong_cells(folder) == ["roles: rows with the same ['id', 'role']"], wrong_cells(folder)


def expected(records):
    """What both languages are asked, by the records alone."""
    failures = [failure for record in records for failure in record["failures"]]
    return {
        "runs": len(records), "warm": 0, "params": sum(len(record["params"]) for record in records),
        "failures": len(failures), "one_kill": sum(len(record["plan"]) == 1 for record in records),
        "died_as_planned": sum(record["plan"] == [failure["kill"]] for record in records for failure in record["failures"]),
        "went_back": sum(len(failure["rollback_set"]) for failure in failures),
        "active": sum(len(failure["active"]) for failure in failures), "blocked": sum(len(failure["blocked"]) for failure in failures),
        "fronts": sum(front for failure in failures for front in failure["fronts"] if front is not None),
        "replayed_bytes": sum(failure["replayed_bytes"] for failure in failures),
        "executed": sum(role.get("executed", 0) for record in records for role in record["roles"]),
        "executed_runs": sum(record["iterations"]["executed"] for record in records),
        "equal": sum(bool((record.get("compared") or {}).get("equal")) for record in records),
        "spans": sum(len(trace["rows"]) for record in records for trace in record.get("trace", [])),
        "cg": sum(record["params"].get("class") == "W" for record in records),
        "loop_s": sum(record["loop_s"] for record in records),
    }


PANDAS = """
t = load_tables(sys.argv[1])
r, f, m = t["runs"], t["failures"], t["failure_roles"]
planned = f.merge(r[["id", "kill_role", "kill_iteration", "kill_phase", "kills"]], on="id")
by = m.groupby(["id", "failure"], as_index=False)[["rollback_set", "active", "blocked"]].sum()
sizes = f.merge(by, on=["id", "failure"])
assert len(sizes) == len(f) and (sizes["rollback_set"] == sizes["rolled_back"]).all() and (sizes["blocked"] == sizes["blocked_roles"]).all()
assert (t["roles"].merge(r, on="id").groupby("id").size().reindex(r["id"]).values == r["np"].values).all()
print({k: float(v) for k, v in dict(
    runs=len(r), warm=r["warm_up"].sum(), params=len(t["params"]), failures=len(f), one_kill=r["kill_role"].notna().sum(),
    died_as_planned=((planned["kill_role"] == planned["role"]) & (planned["kill_iteration"] == planned["iteration"])
                     & (planned["kill_phase"] == planned["phase"])).sum(),
    went_back=m["rollback_set"].sum(), active=m["active"].sum(), blocked=m["blocked"].sum(), fronts=m["front"].sum(),
    replayed_bytes=f["replayed_bytes"].sum(), executed=t["roles"]["executed"].sum(), executed_runs=r["iterations_executed"].sum(),
    equal=r["equal"].sum(), spans=t["iterations"]["spans"].sum(),
    cg=((t["params"]["name"] == "class") & (t["params"]["value"] == "W")).sum(), loop_s=r["loop_s"].sum()).items()})
"""
R = """
t <- load_tables(commandArgs(trailingOnly = TRUE)[1])
r <- t$runs; f <- t$failures; m <- t$failure_roles
planned <- merge(f, r[c("id", "kill_role", "kill_iteration", "kill_phase")], by = "id")
by <- aggregate(cbind(rollback_set, active, blocked) ~ id + failure, m, sum)
sizes <- merge(f, by, by = c("id", "failure"))
stopifnot(nrow(sizes) == nrow(f), sizes$rollback_set == sizes$rolled_back, sizes$blocked == sizes$blocked_roles)
stopifnot(table(merge(t$roles, r, by = "id")$id)[r$id] == r$np, is.logical(r$equal), is.character(r$state_hash))
yes <- function(x) sum(x, na.rm = TRUE)
values <- c(runs = nrow(r), warm = yes(r$warm_up), params = nrow(t$params), failures = nrow(f), one_kill = yes(!is.na(r$kill_role)),
	died_as_planned = yes(planned$kill_role == planned$role & planned$kill_iteration == planned$iteration & planned$kill_phase == planned$phase),
	went_back = yes(m$rollback_set), active = yes(m$active), blocked = yes(m$blocked), fronts = yes(m$front),
	replayed_bytes = yes(f$replayed_bytes), executed = yes(t$roles$executed), executed_runs = yes(r$iterations_executed),
	equal = yes(r$equal), spans = yes(t$iterations$spans), cg = yes(t$params$name == "class" & t$params$value == "W"), loop_s = yes(r$loop_s))
cat("{", paste0("'", names(values), "': ", format(values, digits = 17, trim = TRUE), collapse = ", "), "}\\n", sep = "")
"""


def documented(language):
    text = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def loaded(command, file, text):
    """Each kept sweep, loaded by a program of the language, against its records."""
    (where := new_folder() / file).write_text(text, encoding="utf-8")
    for name in KEPT:
        records, folder = kept_and_exported(name)
        done = subprocess.run([*command, where, folder], capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, (name, done.stderr)
        found, should = ast.literal_eval(done.stdout.splitlines()[-1]), expected(records)
        assert found.keys() == should.keys(), (found, should)
        assert all(abs(found[key] - should[key]) <= 1e-12 * abs(should[key]) for key in should), (name, {k: (found[k], should[k]) for k in should})
        assert should["failures"] == should["died_as_planned"] > 10 and should["went_back"] > 20, should
    assert should["spans"] > 1000, should


def test_pandas_joins_the_tables():
    loaded([drawing.python()], "load.py", "import sys\n" + documented("python") + PANDAS)


def test_r_joins_the_tables():
    rscript = shutil.which("Rscript")
    if not rscript:
        pytest.skip("no R: install r-base-core")
    loaded([rscript, "--vanilla"], "load.R", documented("r") + R)


def test_kills_are_taken_apart():
    record = {"id": "a", "plan": ["3@13:op+5#2", "node1@7:repair+200", "spare0@2:start", "3@13:op+5#2"], "unfired": ["3@13:op+5#2"],
              "killed_from_outside": [{"kill": "start+0.250000:spare1", "pid": None}, {"kill": "1.500000:3", "pid": 77}]}
    found = kills.of_run(record)
    assert [(k["who"], k.get("role", k.get("other")), k["fired"]) for k in found] == [
        ("role", 3, False), ("node", 1, True), ("spare", 0, True), ("role", 3, True), ("spare", 1, False), ("role", 3, True)], found
    assert [(k.get("iteration"), k.get("phase"), k.get("amount"), k.get("nth")) for k in found[:3]] == [
        (13, "op", 5, 2), (7, "repair", 200, 1), (2, "start", None, 1)], found
    assert [(k["at_s"], k["at_start"]) for k in found[4:]] == [(0.25, True), (1.5, False)], found
    assert kills.only(found) == {} and kills.only(found[:1])["role"] == 3
    line = {"id": "b", "plan": ["1@30:cut", "0.25:1,0.5:0", "start+0.100000:2"], "unfired": ["1@30:cut"]}
    assert [(k["job"], k["rank"], k.get("safe_point"), k.get("phase"), k.get("at_s"), k.get("at_start"), k["fired"]) for k in kills.of_elc_run(line)] == [
        (1, 1, 30, "cut", None, None, False), (2, 1, None, None, 0.25, False, True), (2, 0, None, None, 0.5, False, True),
        (3, 2, None, None, 0.1, True, True)]


def test_columns_of_deaths_by_chance():
    record = {"id": "a", "mtbf": {"seconds": 2.5, "seed": 7}, "experiment": "e", "repetition": 3, "plan": []}
    header = list(rows.columns.RUNS)
    cells = dict(zip(header, next(csv.reader(io.StringIO(next(iter(rows.run_rows(record))))))))
    assert (cells["mtbf_s"], cells["seed"], cells["experiment"], cells["repetition"], cells["kills"], cells["kill_role"]) == ("2.5", "7", "e", "3", "0", "")


def test_parquet():
    """Without a library the refusal names the remedy; the types are those of the dictionary either way."""
    records, folder = kept_and_exported("run-all")
    there = drawing.execute("from plots.export import parquet; print(any(map(parquet.importlib.util.find_spec, parquet.LIBRARIES)))", "")
    if there.stdout.strip() == "True":
        assert call("export", "--parquet", folder.parent / "run-all", "--out", folder).returncode == 0
        count = drawing.execute("import pandas; print(len(pandas.read_parquet(records + '/failure_roles.parquet')))", str(folder))
        assert int(count.stdout) == len(table(folder, "failure_roles")), count
    else:
        refuse("export", "--parquet", folder.parent / "run-all", "--out", folder / "none", words=("--parquet", "install", "--csv"))
        assert not (folder / "none").exists()
        print("note: neither pyarrow nor fastparquet here to write Parquet with")
    if importlib.util.find_spec("pandas"):
        frame = parquet.frame(rows.columns.RUNS, (folder / "runs.csv").read_bytes())
        assert {name: str(kind) for name, kind in frame.dtypes.items()} == {
            name: parquet.DTYPES[column.type] for name, column in rows.columns.RUNS.items()}
        assert list(frame["loop_s"]) == [record["loop_s"] for record in records]


def test_parquet_names_what_is_missing():
    find = importlib.util.find_spec
    for there, words in (((), "python3-pandas"), (("pandas",), "pip install pyarrow"), (("pandas", "fastparquet"), None)):
        importlib.util.find_spec = lambda name, there=there: name in there or None
        try:
            parquet.check()
            said = None
        except Refused as refusal:
            said = str(refusal)
        finally:
            importlib.util.find_spec = find
        assert (words in said) if words else said is None, (there, said)


def test_tables_are_told_on_the_page():
    """Every table stands in docs/record.md with its key, and in the help."""
    text, told = (ROOT / "docs" / "record.md").read_text(encoding="utf-8"), call("export", "--help").stdout
    for one in (*rows.TABLES, *elc_tables.TABLES):
        keys = ", ".join(f"`{key}`" for key in one.key)
        assert re.search(rf"^\| `{one.name}\.csv` \| [^|]+ \| {re.escape(keys)} \|$", text, re.MULTILINE), one.name
        assert re.search(rf"\b{one.name}\b", told), one.name
    assert len(dictionary(rows.TABLES)) == sum(len(one.columns) for one in rows.TABLES)
