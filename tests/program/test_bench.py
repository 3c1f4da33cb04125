"""`make bench`: phases that add up, memory that does not grow, paired runs; series that go on and are compared."""
import json
import os
import subprocess
import sys

import pytest

import comparison
import constants
import measure
import protection
import repair
import series
from parts import PARTS
from rollbench import ROOT, call, new_folder, reference, refuse, refuse_all, run


def test_phases_add_up():
    """Compute, pack, log, communication and commit add up to the timed iterations, every eighth."""
    for kernel in (("cg", "--class", "W", "--np", 2), ("lulesh", "--edge", 8, "--np", 1),
                   ("jacobi", "--grid", 512, "--steps", 300, "--np", 2)):
        record = run(*kernel, "--policy", "all", "--interval", 50)
        for role in record["roles"]:
            phases = role["phases"]
            parts = sum(phases[p] for p in ("compute_s", "pack_s", "log_s", "communicate_s",
                                            "commit_s"))
            work = phases.pop("work_quantiles_s")
            assert 0 < work[0] <= work[-1] <= phases["total_s"] and work == sorted(work), work
            assert all(value >= 0 for value in phases.values()), phases
            assert abs(parts - phases["total_s"]) < 1e-6 * max(parts, 1), phases
            assert phases["iterations"] == (role["executed"] + 7) // 8, (phases, role)
            assert phases["total_s"] < record["loop_s"], (phases, record["loop_s"])


def test_off_has_no_books_and_the_same_answer():
    off = run("cg", "--np", 4, "--policy", "off")
    assert off["state_hash"] == reference("cg", "--np", 4, "--policy", "all")
    assert off["checkpoints"]["count"] == 0 and off["log"]["bytes_peak"]["max"] == 0
    assert off["iterations"]["executed"] == off["iterations"]["useful"]
    refuse("run", "cg", "--policy", "off", "--kill", "1@3", words=("--policy off", "kills"))


def test_books_are_of_all_iterations_and_of_all_roles_of_a_core():
    """50 pairs of blocks of 8 iterations of 1 ms; an eighth of those with protection is timed: 10 us each for the log, 5 for the clocks."""
    def books(np, cores):
        phases = {"iterations": 50, "log_s": 50 * 10e-6, "clock_s": 400 * 5e-6}
        return protection.books({"np": np, "host": {"cores": cores}, "roles": [{"phases": phases}] * np,
                                 "paired": {"block": 8, "protected_s": [8e-3] * 50, "bare_s": [8e-3] * 50}})

    assert books(2, 4) == pytest.approx([0.015] * 2)
    assert books(8, 2) == pytest.approx([0.06] * 8)


def test_a_paired_run_has_pairs_and_the_right_answer():
    record = run("jacobi", "--grid", 128, "--steps", 400, "--np", 2, "--policy", "all",
                 "--paired", 10)
    paired = record["paired"]
    assert paired["block"] == 10 and len(paired["protected_s"]) == len(paired["bare_s"]) == 20
    assert all(s > 0 for s in paired["protected_s"] + paired["bare_s"])
    assert record["state_hash"] == reference("jacobi", "--grid", 128, "--steps", 400, "--np", 2)
    path = new_folder() / "pairs.yaml"
    path.write_text("kernel: jacobi\ngrid: 96\nsteps: 40\nnp: 2\ninterval: 1000\npolicy: all\npaired: 10\n")
    assert call("sweep", path, "--results", path.parent / "found").returncode == 0
    swept, = (path.parent / "found").glob("jacobi-*-paired=10-free-r0.json")
    assert len(json.loads(swept.read_text())["paired"]["bare_s"]) == 2
    path.write_text(path.read_text() + "kill: {roles: [1], iterations: [3], phases: [send]}\n")
    done = call("sweep", path, "--results", path.parent / "killed")
    assert done.returncode == 2 and "--paired" in done.stderr, done
    refuse_all(("run", "jacobi", "--paired", 10, "--kill", "1@3", ("--paired",)),
               ("run", "jacobi", "--paired", 0, ("--paired 0",)))


def test_the_log_weighs_little_more_than_its_payload():
    record = run("cg", "--class", "W", "--np", 2, "--interval", 250, "--policy", "all", "--ckpt-sync")
    for role in record["roles"]:
        assert role["log_bytes_peak"] > 10 << 20
        assert role["log_memory"] <= 1.01 * role["log_bytes_peak"], role


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_thousand_intervals_do_not_grow():
    """Our own memory does not grow at all; that of the process only by buffers that the MPI touches."""
    for policy in ("all", "budget:30%"):
        few, many = (run("jacobi", "--grid", 128, "--np", 2, "--interval", 2, "--policy", policy,
                         "--steps", steps, "--deadline", 90) for steps in (20, 2000))
        for a, b in zip(few["roles"], many["roles"]):
            assert b["rss_peak"] <= a["rss_peak"] + (2 << 20), (policy, a, b)
            assert b["log_memory"] == a["log_memory"], (policy, a, b)
        assert many["checkpoints"]["count"] >= 2 * 990


def bench(*args, **variables):
    return subprocess.run([sys.executable, ROOT / "scripts" / "bench", *map(str, args)], capture_output=True, text=True, timeout=170, check=False,
                          env={**os.environ, **variables})


def test_programs_that_are_not_built_are_named_before_anything_is_measured():
    results = new_folder() / "results"
    refused = bench("--only", "lines", "--results", results, ROLLBENCH_BIN_DIR=str(new_folder()))
    assert refused.returncode == 1 and " lacks allreduce, bandwidth, closure, " in refused.stderr and "`make bench`" in refused.stderr, refused
    assert not results.exists()


@pytest.mark.alone
@pytest.mark.timeout(100)
def test_a_program_of_the_mpi_alone_repairs_what_a_run_repairs():
    """Its moments are in their order, and each figure of a quick part is there."""
    folder, moments = new_folder(), repair.bare(5)
    assert [0, *moments] == sorted({0, *moments}) and moments[-1] < 10000, moments
    done = bench("--quick", "--only", "repair", "--results", folder)
    assert done.returncode == 0, done
    found = series.figures(series.read(folder, PARTS)["repair"])
    assert {column for _, column in found} == {"all restored", "all restored / MPI alone", *(f"MPI alone: {moment}" for moment in repair.MOMENTS)}
    assert all(len(figure.values) == 2 and min(figure.values) > 0 for figure in found.values()), found


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.timeout(200)
def test_checkpoints_are_measured_and_samples_kept():
    folder = new_folder()
    done = bench("--quick", "--only", "checkpoints", "--results", folder)
    assert done.returncode == 0, done
    found = series.figures(series.read(folder, PARTS)["checkpoints"])
    levels = [figure for (row, column), figure in found.items() if row.startswith("cg S, 4, ") and column == "ms a checkpoint"]
    assert len(levels) == 3 and all(len(figure.values) == 1 and figure.values[0] > 0 for figure in levels), found
    row = next(line for line in done.stdout.splitlines() if "| cg A, 2" in line)
    assert "no conclusion" in row, row  # one round only


def test_every_file_of_the_engine_is_counted_and_a_part_is_measured_once():
    """bench/lines.py refuses to make a table that leaves files out."""
    folder = new_folder()
    first, second, again = (bench("--only", "lines", "--results", folder, *more) for more in ((), (), ("--again",)))
    for done, measured in ((first, True), (second, False), (again, True)):
        assert done.returncode == 0 and "| log and policies |" in done.stdout and ("## lines (1 of 1" in done.stdout) == measured, done
    refused = bench("--keep", folder)
    assert refused.returncode == 1 and "not measured: protection, " in refused.stderr, refused
    blocked = folder / "file"
    blocked.write_text("")
    failed = bench("--only", "lines", "--results", blocked)
    assert failed.returncode == 1 and failed.stderr.startswith("scripts/bench: ") and str(blocked) in failed.stderr, failed


def part_of(*rows, header=("run", "seconds"), cores=2):
    """What is kept of a part with one table."""
    report = series.Report()
    report.table("A table", header, rows)
    return {"host": {"cpu": "one", "built_for": "znver3", "cores": cores}, "settings": {}, "programs": "as built", "measured_by": "bench", "arguments": ["6"],
            "given": {}, "blocks": report.blocks}


WHERE = {"programs": "as built", "host": {"cores": 2}, "settings": {"run folders": "tmpfs"}}


def go_on(folder, functions, called, where=None, arguments=(6,), given=None):
    """Which of the functions were called, and which failed."""
    before = len(called)
    plan = {f.__name__: (series.identity(where or WHERE, f, arguments, given or {}), f, arguments, {}) for f in functions}
    found, failed = series.measure_all(plan, "a commit", folder, {}, False)
    assert set(found) | set(failed) == set(plan) and not set(found) & set(failed), (found, failed)
    return called[before:], failed


def test_a_series_that_was_interrupted_goes_on():
    """What was measured is there; one part does not take the others along."""
    called, folder = [], new_folder()

    def first(report, samples):
        called.append("first")
        report.table("A table", ("run", "seconds"), [("one", series.Figure("time", [1.0] * samples))])

    def second(report, samples):
        called.append("second")
        report.say(f"{samples} samples")
        if called.count("second") == 1:
            raise KeyboardInterrupt
        if called.count("second") == 2:
            sys.exit("this machine has no such thing")
        assert called.count("second") != 3, "a mistake"

    both = (first, second)
    with pytest.raises(KeyboardInterrupt):
        go_on(folder, both, called)
    assert called == ["first", "second"] and sorted(p.name for p in folder.iterdir()) == ["first.json"]
    assert go_on(folder, both, called) == (["second"], {"second": "this machine has no such thing"})
    names, failed = go_on(folder, both, called)
    assert names == ["second"] and "a mistake" in failed["second"]
    assert go_on(folder, both, called) == (["second"], {}) and go_on(folder, both, called) == ([], {})
    found = series.read(folder, ("first", "second"))
    assert series.figures(found["first"])["one", "seconds"].values == [1.0] * 6 and found["second"]["blocks"] == ["6 samples"]
    (folder / "first.json").write_text("[1.5, 2.5]")  # as another version had it
    (folder / "second.json").write_text((folder / "second.json").read_text()[:-40])
    assert go_on(folder, both, called) == (["first", "second"], {})


def test_what_was_measured_in_another_way_is_measured_again():
    called, folder = [], new_folder()

    def part(_report, _samples):
        called.append("part")

    assert go_on(folder, [part], called, given={"npb": None})[0] == ["part"]
    for how in ({"arguments": (7,)}, *({"where": {**WHERE, key: {"other": 1}}} for key in WHERE), {"given": {"npb": [ROOT / "LICENSE"]}}):
        how = {"given": {"npb": None}, **how}
        assert go_on(folder, [part], called, **how) == (["part"], {}), how
        assert go_on(folder, [part], called, **how) == ([], {}), how
        if how["given"]["npb"]:  # it is kept where the program of others is not there any more
            assert go_on(folder, [part], called, given={"npb": None}) == ([], {})
        else:
            assert go_on(folder, [part], called, given={"npb": None}) == (["part"], {}), how


def test_what_got_slower_is_named():
    """Beyond the margin with the whole interval, in the direction that is worse; what two machines cannot have in common is not compared."""
    samples = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01]

    def compared(before, after, kind="time", cores=2):
        def of(values, cores=2):
            return {"part": part_of(("cg", series.Figure(kind, values)), cores=cores)}

        found, gone = comparison.compare(of(after), of(before, cores))
        assert gone == []
        return len(found), *map(len, comparison.beyond(found))

    def times(factor):
        return [factor * s for s in samples]

    assert compared(samples, samples) == (1, 0, 0) and compared(samples, times(1.2)) == (1, 0, 0)
    assert compared(samples, times(1.4)) == (1, 1, 0) and compared(samples, times(0.7)) == (1, 0, 1)
    assert compared(samples, times(0.7), "rate") == (1, 1, 0) and compared(samples, times(1.4), "gain") == (1, 0, 1)
    assert compared(samples, times(1.06), "cost") == (1, 1, 0) and compared(samples, times(1.06), "share") == (1, 0, 0)
    assert compared(samples, times(1.4), cores=4) == (0, 0, 0) and compared(samples, times(1.4), "cost", cores=4) == (1, 1, 0)
    assert compared(samples[:5], times(1.4)) == (0, 0, 0)
    now, kept = ({"part": part_of(("cg", series.Figure("time", some)))} for some in (times(1.4), samples))
    said = "\n".join(comparison.report(now, kept))
    assert "slower: 1" in said and "the machine is" not in said and "| part | cg | seconds |" in said and "faster: none" in said, said
    said = "\n".join(comparison.report({"part": part_of(("jacobi", series.Figure("time", samples)), cores=4)}, kept))
    assert "Only in the kept series: part: cg: seconds." in said and "cores: 2 there, 4 here" in said, said

    def machine(factor, odd):
        return {"part": part_of(*((f"run {i}", series.Figure("time", times(odd if i == 0 else factor))) for i in range(25)))}

    for factor, odd, slower, faster in ((1.4, 1.4, 0, 0), (1.4, 2.5, 1, 0), (1.4, 0.7, 0, 1), (0.6, 0.6, 0, 0), (0.6, 1.4, 1, 0), (1, 1.4, 1, 0)):
        found = comparison.compare(machine(factor, odd), machine(1, 1))[0]
        assert tuple(map(len, comparison.beyond(found))) == (slower, faster), (factor, odd)
        assert f"the machine is {factor:.2f} times as slow" in "\n".join(comparison.report(machine(factor, odd), machine(1, 1)))
    with pytest.raises(AssertionError):
        series.figures(part_of(("cg", series.Figure("time", samples)), ("cg", series.Figure("time", samples))))
    with pytest.raises(AssertionError):
        part_of(("cg",))


def test_a_page_has_the_tables_of_the_series():
    page = "# A page\n\nText.\n\n<!-- bench part 1 -->\n\nMore text.\n\n<!-- bench part 1 -->\n\n| old |\n|---|\n\nThe end.\n"
    found = {"part": part_of(("cg", series.Figure("time", [1.5])))}
    table = "<!-- bench part 1 -->\n\n| run | seconds |\n|---|---|\n| cg | 1.5 |\n\n"
    written = series.with_tables(page, found)
    assert written == f"# A page\n\nText.\n\n{table}More text.\n\n{table}The end.\n" and series.with_tables(written, found) == written
    with pytest.raises(ValueError):
        series.with_tables(page.replace("part 1", "part 2"), found)


def part_by(report, _samples):
    report.say("measured")


def test_a_kernel_and_the_triad_take_turns():
    """Each pair has both times; a process needs a core."""
    seconds = measure.bench_numbers("bandwidth", 1, 300, 50000, 3, 2)
    assert len(seconds) == 2 * 3 and all(0 < s < 10 for s in seconds), seconds
    with pytest.raises(SystemExit) as ended:
        measure.bench_numbers("bandwidth", 100000, 300, 50000, 3, 2)
    assert "exit status 2" in str(ended.value) and "for each core" in str(ended.value), ended.value


def test_a_series_that_is_kept_is_one():
    """Of the same programs, on the same machine; measured in full, by what bench/ is today."""
    parts = dict.fromkeys("ab", (part_by, (6,)))
    whole = {name: {**part_of(), **series.identity({}, part_by, (6,), {})} for name in parts}
    assert series.not_one(whole) == [] and series.not_whole(whole, parts) == []
    for other, reasons_of, word in (({"programs": "others"}, series.not_one, "programs"), ({"host": {}}, series.not_one, "machine"),
                                    ({"settings": {"a": 1}}, series.not_one, "settings"), ({"arguments": ["1"]}, series.not_whole, "in full"),
                                    ({"measured_by": "others"}, series.not_whole, "has changed"), ({"given": {"npb": None}}, series.not_whole, "--npb")):
        reasons = reasons_of({**whole, "b": {**whole["b"], **other}}, *([parts] if reasons_of == series.not_whole else []))
        assert len(reasons) == 1 and word in reasons[0] and "b" in reasons[0], reasons
    assert series.not_whole({"a": whole["a"]}, parts) == ["not measured: b"]


def test_what_measures_a_part_is_its_module_and_what_that_imports():
    assert {path.name for path in series.sources(constants.costs)} == {"cg_matrix.py", "constants.py", "measure.py", "yardsticks.py"}
    assert {path.name for path in series.sources(repair.beside)} == {"detector.py", "measure.py", "repair.c", "repair.py"}


def test_a_program_that_cannot_run_is_named_with_the_remedy():
    for name, words in (("closure", "closure few: exit status 2: "), ("no-such", "no-such: No such file")):
        with pytest.raises(SystemExit) as ended:
            measure.bench_program(name, "few")
        assert words in str(ended.value) and "`make bench` builds it" in str(ended.value), ended.value


def test_the_pages_have_the_kept_series():
    """docs/bench.md is all of it, other pages have some of its tables; what is there is one series."""
    kept = series.read(ROOT / "data" / "bench", PARTS)
    assert series.not_one(kept) == [] and "peers" in kept and {path.stem for path in (ROOT / "data" / "bench").glob("*.json")} == set(kept)
    assert (ROOT / "docs" / "bench.md").read_text(encoding="utf-8") == "\n".join(series.in_markdown(kept)) + "\n"
    for path in series.PAGES:
        page = path.read_text(encoding="utf-8")
        assert series.with_tables(page, kept) == page and page.count("<!-- bench ") == len(series.MARK.findall(page)) > 0, path


def test_triad_is_a_kernel_like_any_other():
    args = ("triad", "--np", 2, "--elements", 100000, "--steps", 30, "--interval", 10)
    right = run(*args)
    assert right["verdict"]["value"] == 0
    record = run(*args, "--policy", "all", "--kill", "1@15")
    assert record["state_hash"] == right["state_hash"]
    refuse_all(("explain", "triad", "--np", 2, "--kill", "1@15", ("run apart",)),
               ("run", "triad", "--elements", 0, ("--elements 0",)))
