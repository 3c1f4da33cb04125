"""Tables 1 to 4 of the message-logging-kernels paper: shares of what can be compared, and of nothing else."""
import json
import re

import pytest

import drawing
from rollbench import call, new_folder, run

import phases
import series
from plots.common import program
from plots.tables import code_lines, logging_lines, logging_numbers, logging_related, logging_time, table_memory, table_transactions

program.need("numpy")
ASKED = drawing.Asked()
LEAST_OF_PLAN = 0.9  # of what a plan says, in memory
MOST_OF_PLAN = 1.1
WAITS = {"iterations": 10, "total_s": 1.0, "compute_s": 0.17, "pack_s": 0.02, "log_s": 0.01, "communicate_s": 0.79, "commit_s": 0.01}


def record(policy="all", np=8, cores=2, kernel="cg", params=None, repetition=0, heap=40_000_000, transaction=None, **phases):
    """A run of one second of iterations, of which 79 % are messages and waits, and of 0.25 s of checkpoints."""
    roles = [{"role": r, "loop_s": 1.25, "checkpoint_s": 0.25, "executed": 100, "heap_bytes": heap,
              "log_bytes_peak": 1_000_000 if policy == "all" else 0, "log_bytes_total": 100_000_000 if policy == "all" else 0,
              "phases": {**WAITS, **phases}, "used": {"step": {"cpu_s": 0.9, "wall_s": 1.0}}} for r in range(np)]
    return {"schema": "rollbench-run-1", "id": f"x-{policy}-r{repetition}", "status": "ok", "kernel": kernel, "params": params or {"class": "B"},
            "np": np, "spares": 1, "policy": policy, "interval": 25, "ckpt_lag": "sync", "plan": [], "failures": [], "roles": roles, "data_bytes": 167_000_000,
            "oversubscribed": np + 1 > cores, "host": {"cores": cores}, "loop_s": 1.25, **({"transaction": transaction} if transaction else {})}


def cells(lines, *begin):
    """The cells of the row that begins with these, by the head of its column."""
    text = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    at, = [i for i, row in enumerate(text) if row[:len(begin)] == list(begin)]
    head = next(text[i - 1] for i in range(at, 0, -1) if not set("".join(text[i])) - set("-"))
    return dict(zip(head, text[at], strict=True))


def samples(**more):
    return [record(policy, repetition=r, **more) for policy in ("all", "none") for r in range(6)]


@pytest.mark.long
def test_no_share_of_a_time_that_is_waiting_for_a_core():
    """79 % of these iterations are waits: 3 % of copying is one of a whole that is not the paper's, 14 % of the work is."""
    lines = logging_time.lines(samples(), ASKED)
    row = cells(lines, "cg class=B, 8 roles", "payload copy")
    assert row["ours: of the whole"] == "roles share cores: no share", row
    assert row["ours: without messages and I/O"] == "14 [14, 14] %", row
    assert row["paper: cg.C.256, lulesh.216"] == "0.35 s (6.2 %)" and row["paper: without messages and I/O"] == "12 %", row
    alone = cells(logging_time.lines(samples(np=2), ASKED), "cg class=B, 2 roles", "payload copy")
    assert alone["ours: of the whole"] == "2.4 [2.4, 2.4] %", alone  # 0.03 s of 1.25 s
    assert any("6 runs with a log, 6 without, CPU time 90 [90, 90] % of the steps' time" in line for line in lines), lines
    io, mpi = (cells(logging_time.lines(samples(np=2), ASKED), "cg class=B, 2 roles", row)["ours: of the whole"] for row in ("I/O", "MPI"))
    assert io == "20 [20, 20] %" and mpi == "63 [63, 63] %", (io, mpi)


def test_make_bench_has_shares_of_the_work_too():
    """1.01 % of an iteration that is 79 % waiting is not to be compared with 6.2 %."""
    whole = dict(zip((*phases.PHASES, "of work"), phases.said_shares(record())))
    assert whole["pack_s"] == whole["log_s"] == "shares cores" and whole["communicate_s"] == "79.00 %" and whole["of work"] == "14.29 %", whole
    whole = dict(zip((*phases.PHASES, "of work"), phases.said_shares(record(np=2))))
    assert whole["pack_s"] == "2.00 %" and whole["log_s"] == "1.00 %" and whole["of work"] == "14.29 %", whole


@pytest.mark.long
def test_the_picture_itself_says_of_which_machine_it_is():
    """What local rollback gains is a property of roles that share cores, and a picture is looked at alone."""
    folder = new_folder()
    for cores, words in ((2, "A property of 2 cores for 8 roles"), (16, "8 roles on 16 cores: each has one")):
        report = series.Report()
        report.table("A table", ("run", "local / global", "restart / global"),
                     [("cg A, 8 roles", series.Figure("cost", [0.8] * 6), series.Figure("cost", [2.0] * 6))])
        series.write(folder, "local-global", {"host": {"cores": cores}, "blocks": report.blocks})
        drawing.draw("bench_local_global", folder, folder)
        notes = [line for line in (folder / "local-global.data.csv").read_text().splitlines() if line.startswith("-1,,note")]
        assert any(words in line for line in notes), (cores, notes)


def test_groups_that_differ_in_the_interval_are_both_there():
    lines = logging_time.lines([*samples(np=2), *({**one, "interval": 10, "id": one["id"] + "10"} for one in samples(np=2, log_s=0.02))], ASKED)
    found = [line for line in lines if "payload copy" in line]
    assert len(found) == 2 and len({line.split("|")[1] for line in found}) == 2, found
    single = cells(logging_time.lines(samples(kernel="lulesh", params={"buffers": "single"}), ASKED), "lulesh buffers=single, 8 roles", "buffer copy")
    assert "in place" in single["ours: of the whole"], single


def test_bases_are_those_of_the_papers_seconds():
    lulesh = cells(logging_time.lines(samples(kernel="lulesh", params={"edge": "10"}), ASKED), "lulesh edge=10, 8 roles", "buffer copy")
    assert lulesh["paper: without messages and I/O"] == "9.5 %", lulesh  # 2.7 of 33.2 - 4.2 - 0.6
    assert lulesh["ours: of the whole"] == "0, by construction", lulesh
    speeds = logging_time.lines(samples(), ASKED)
    assert any("| 0.5 | 0.35 s for 1875 iterations of 375 KB | 3 [3, 3] |" in line for line in speeds), speeds


def test_the_log_is_a_share_of_the_heap():
    """Of the heap without a log: 1 MB of 40 MB."""
    assert logging_time.logged(samples(np=2)) == ("1 MB", "40 MB", "2.5 %")
    unknown = [{**one, "roles": [{**role, "heap_bytes": None} for role in one["roles"]]} for one in samples(np=2)]
    assert logging_time.logged(unknown) is None


def test_the_heap_of_table_3_is_that_of_its_problem():
    """Class C must not have the heap of class B; what was not run is no number."""
    runs = [record("none", np=16, params={"class": of, "steps": "3"}, heap=heap) for of, heap in (("B", 18_000_000), ("C", 36_000_000))]
    found = list(table_memory.lines(runs, ASKED))
    b, c, d = (cells(found, name, payload) for name, payload in (("cg.B.16", "450 KB"), ("cg.C.16", "900 KB"), ("cg.D.16", "9 MB")))
    assert b["heap a process: ours"] == "18 MB" and b["share: ours"] == "2.5 %" and c["share: ours"] == "2.5 %", (b, c)
    assert d["heap a process: ours"] == d["share: ours"] == "not run here", d


def test_the_column_of_table_1_is_of_runs():
    """Protection makes blocks a twentieth longer; a window logs half as much. What shares cores, keeps no messages, is wrong on purpose or did not die does
    not count."""
    whole = samples(np=2)
    window = [{**one, "id": one["id"] + "w", "policy": "window:12", "roles": [{**role, "log_bytes_peak": 500_000} for role in one["roles"]]}
              for one in whole[:6]]
    killed = [{**record(policy, np=2), "id": f"k{i}", "plan": ["1@7"], "failures": [{}], "compared": {"equal": equal}, **more}
              for i, (policy, equal, more) in enumerate((
                  ("all", True, {}), ("window:12", False, {}), ("none", True, {}), ("all", True, {"strategy": "restart"}),
                  ("none", True, {"recompute": "dataflow"}), ("all", False, {"control": "replay"}), ("all", True, {"failures": []})))]
    paired = [{**record("all", np=2, repetition=i), "paired": {"block": 25, "protected_s": [more, 2.1, more], "bare_s": [1.0, 2.0, 1.0]}}
              for i, more in enumerate((1.04, 1.04, 1.05, 1.05, 1.06, 1.06))]  # the median of a run is a sample, not each of its blocks
    lines = logging_related.lines([*whole, *window, *killed], paired)

    def here(row):
        return cells(lines, row)["here: cg class=B, 2 roles"]

    assert here("overheads") == "all, cg class=B, 2 roles: +5 [+4, +6] % of 6 paired runs; all: 1 MB; window:12: 500 KB", lines
    assert here("message logging required") == "yes, payloads alone: 1 MB in the fullest log", lines
    assert here("main culprit") == "payload copies: 2.4 [2.4, 2.4] % of the time; as many without a log: 2.4 [2.4, 2.4] %", lines
    assert here("applicability") == "per kernel, which is written as step and commit: 1 of 2 runs with a death are right (cg)", lines
    assert cells(lines, "event logging required")["[9]"] == "not for CG" and cells(lines, "overheads")["[19]"] == "≈ 1% for CG", lines
    assert logging_related.lines(samples(np=8), [])[2] == "No runs of CG whose roles have a core each."


def test_ways_to_begin_an_iteration_again_are_told_apart():
    way = {"double": {"params": {"edge": "4", "buffers": "double"}, "heap": 11_000_000},
           "single": {"params": {"edge": "4", "buffers": "single"}, "heap": 10_000_000},
           "copy": {"params": {"edge": "4", "buffers": "single"}, "heap": 12_000_000, "copy_s": 0.05, "transaction": "copy"}}
    runs = [record("none", np=1, kernel="lulesh", repetition=r, **way[name]) for name in way for r in range(6)]
    found = table_transactions.lines(runs)
    of = {name: cells(found, "lulesh edge=4, 1 roles", name) for name in ("second buffers", "in place", "copies of the state")}
    assert of["in place"]["more"] == "" and of["second buffers"]["more"] == "+10 %" and of["copies of the state"]["more"] == "+20 %", of
    assert of["copies of the state"]["copying, of the iterations"] == "5 [5, 5] %" and of["copies of the state"]["paper: of the whole"] == "8 %", of
    assert of["second buffers"]["copying, of the iterations"] == "nothing is copied" and of["in place"]["time of the loop, ratio"] == "", of
    crowded = table_transactions.lines([record("none", np=8, kernel="lulesh", **way[name]) for name in way])
    assert "No runs" in crowded[2], crowded


def test_data_are_what_a_larger_problem_has_more_in_memory():
    """The plan's bytes against resident memory and against the heap: the MPI library drops out of the difference of two sizes."""
    forever = ("--policy", "none", "--interval", 10 ** 9, "--steps", 3)
    for large, small in ((("cg", "--class", "A", "--np", 2), ("cg", "--class", "S", "--np", 2)),
                         (("lulesh", "--edge", 40, "--np", 1), ("lulesh", "--edge", 4, "--np", 1)),
                         (("jacobi", "--grid", 3000, "--np", 2), ("jacobi", "--grid", 64, "--np", 2))):
        records = [run(*of, *forever) for of in (large, small)]
        more = [max(role["rss_peak"] for role in one["roles"]) for one in records]
        plans = [logging_numbers.forecast(ASKED, " ".join(map(str, of)))["data_bytes"] for of in (large, small)]
        assert plans == [one["data_bytes"] for one in records], (plans, large)
        ratio = (more[0] - more[1]) / (plans[0] - plans[1])
        assert LEAST_OF_PLAN < ratio < MOST_OF_PLAN, (large, more, plans, ratio)
        held = [sum(role["heap_bytes"] for role in one["roles"]) / len(one["roles"]) for one in records]
        ratio = (held[0] - held[1]) / (plans[0] - plans[1])
        least = 0.4 if large[0] == "cg" else LEAST_OF_PLAN  # it has a second matrix while it builds one
        assert least < ratio < (0.7 if large[0] == "cg" else MOST_OF_PLAN), (large, held, plans, ratio)


def test_the_papers_arithmetic_is_printed_and_corrected():
    lines = list(table_memory.lines([], ASKED))
    cg = cells(lines, "cg.B.16", "450 KB")
    assert cg["heap: paper"] == "434 MB" and cg["heap a process, corrected"] == "27.1 MB", cg
    assert cg["share: paper"] == "0.1 %" and cg["share: corrected"] == "1.7 %", cg
    lulesh = cells(lines, "LULESH.27", "20 iterations: 20 MB")
    assert lulesh["log: the paper's Table 3, multiplied"] == "20 iterations: 10 MB", lulesh
    assert lulesh["share: paper"] == "28 %" and lulesh["share: corrected"] == "14 %", lulesh


def test_lines_are_in_the_papers_rows():
    lines = logging_lines.lines()
    names = ["C/R", "ULFM-specific", "Message logging (replay, sender wrapper, payload logging)", "Temp buffers (for transactions)", "Total"]
    found = [cells(lines, name) for name in names]
    assert [row["paper"] for row in found] == ["50 / 220", "200 / 200", "200 / 200", "10 / 120", "1800 / 6500"], found
    of_repair = [f"ft/recovery/{name}.*" for name in ("repair", "notices", "recovery", "membership")]
    assert found[1]["ours, in the engine"].startswith(f"{code_lines.count(of_repair)} once"), found[1]
    assert not code_lines.nowhere()


def test_the_script_writes_all_tables():
    folder = new_folder() / "times"
    folder.mkdir()
    records = samples(np=2)
    for one in records:
        (folder / f"{one['id']}.json").write_text(json.dumps(one))
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": [r["id"] for r in records]}))
    assert "rollbench papers forecasts" in drawing.draw("table_logging", folder, folder / "drawn", 1)
    assert call("papers", "forecasts", "--results", folder.parent).returncode == 0
    drawing.draw("table_logging", folder, folder / "drawn")
    text = (folder / "drawn" / "message-logging-kernels.md").read_text()
    assert re.findall("^### Table ([1-4])", text, re.M) == ["1", "2", "4"], text
    drawing.draw("table_memory", folder, folder / "drawn")
    text = (folder / "drawn" / "memory.md").read_text()
    assert re.findall("^### Table ([234])", text, re.M) == ["3"], text
