"""Figures and tables computed again by pandas, from the exported CSV files alone: no code of plots/ takes part in what is expected.

What is found is read from NAME.data.csv beside each figure, which is read back from what was drawn, and from the tables as written.
"""
import pathlib
import re
import subprocess

import pytest

import drawing
import pandas
from rollbench import call, new_folder

SWEEP = """name: recomputed
order: random
order_seed: 3
deadline: 60
references: 3
repetitions: 2
runs:
  - {kernel: cg, class: S, np: 4, interval: 5, ckpt_lag: sync, strategy: [repair, restart], policy: [none, all, "window:2"],
     kill: {roles: [1], iterations: "6,7,9", phases: [send]}}
  - {kernel: jacobi, grid: 96, steps: 20, np: 4, interval: 5, ckpt_lag: sync, policy: [none, all],
     kill: {roles: [2], iterations: "6,8", phases: [send]}}
"""
NAMES = {"restart": "job restart", "none": "global rollback (none)", "all": "local rollback (all)"}
PARTS = ["all restored", "repaired", "detect", "shrink", "rest of / repair", "restore"]  # of a recovery, in the order of the axis


class Exported:
    """runs.csv, failures.csv and failure_roles.csv; what is a sample is decided here anew, after docs/experiments.md and docs/statistics.md."""

    def __init__(self, folder):
        runs = pandas.read_csv(folder / "runs.csv", keep_default_na=False, na_values=[""], dtype={"warm_up": str, "equal": str})
        runs["way"] = runs["policy"].where(runs["strategy"] != "restart", "restart")
        runs["killed"] = runs["plan"].fillna("") != ""
        params = runs["params"].str.replace(r" ?\w+=(?:auto|double|0)(?= |$)", "", regex=True)
        runs["problem"] = runs["kernel"] + " " + params + ", " + runs["np"].astype(str) + " roles"
        sound = (runs["status"] == "ok") & (runs["warm_up"] == "FALSE") & (runs["escalations"].fillna(0) == 0)
        self.runs = runs[sound & ((runs["equal"] == "TRUE") | ~runs["killed"])]
        failures, of_roles = (pandas.read_csv(folder / f"{name}.csv") for name in ("failures", "failure_roles"))
        active = of_roles[of_roles["active"].astype(bool)].groupby(["id", "failure"])["role"].agg(lambda roles: ", ".join(map(str, roles)))
        failures = failures.merge(active.rename("active"), on=["id", "failure"], how="left")
        self.failures = failures[failures["failure"] == 0]

    def problems(self):
        return self.runs[self.runs["killed"]]["problem"].unique()

    def killed(self, problem):
        """Runs in which exactly one role died, with what the failure is known by."""
        one = self.runs[(self.runs["problem"] == problem) & self.runs["killed"] & (self.runs["failures"] == 1)]
        return one.merge(self.failures, on="id", suffixes=("", "_of_failure"))

    def free(self, problem):
        """Samples without a failure: of each way without the run that others are compared with, if there are more."""
        free = self.runs[(self.runs["problem"] == problem) & ~self.runs["killed"]]
        compared = free["reference"].notna()
        return free[compared | ~free.groupby("way")["reference"].transform(lambda of: of.notna().any())]


def name_of(way):
    return NAMES.get(way, f"hybrid ({way})")


class Drawn:
    """The table beside a figure."""

    def __init__(self, folder, name):
        self.rows = pandas.read_csv(folder / f"{name}.data.csv", keep_default_na=False, na_values=[""])

    def panels(self, problem):
        """Numbers of the panels whose title begins with the problem."""
        titles = self.rows[(self.rows["kind"] == "title") & self.rows["text"].astype(str).str.startswith(problem)]
        assert len(titles), (problem, self.rows[self.rows["kind"] == "title"]["text"].tolist())
        return list(titles["panel"])

    def of(self, panel, kind):
        return self.rows[(self.rows["panel"] == panel) & (self.rows["kind"] == kind)]


def same(found, expected, what):
    """As sorted lists of numbers or tuples, to the last bits."""
    found, expected = sorted(map(tuple, found)), sorted(map(tuple, expected))
    assert len(found) == len(expected), (what, found, expected)
    for one, other in zip(found, expected):
        assert all(abs(a - b) <= 1e-9 * max(1, abs(b)) for a, b in zip(one, other, strict=True)), (what, one, other)
    return len(expected)


def iterations(exported, drawn):
    """fig6-iterations: every run is a point, its way a label, and a failure-free run a line."""
    count = 0
    for problem in exported.problems():
        panel, = drawn.panels(problem)
        runs, points = exported.killed(problem), drawn.of(panel, "point")
        assert set(points["label"]) == {name_of(way) for way in runs["way"]}, problem
        executed = runs["iterations_executed"] + runs["iterations_supported"].fillna(0)
        for way, mine in runs.groupby("way"):
            count += same(points[points["label"] == name_of(way)][["x", "y"]].values,
                          zip(mine["iteration"], executed[mine.index]), (problem, way))
        same(drawn.of(panel, "across")[["y"]].values, [[n] for n in exported.runs[exported.runs["problem"] == problem]["iterations_useful"].unique()],
             problem)
    return count


def pairwise_slope(points):
    """Theil and Sen's, with pandas: the median over all pairs of points with different x."""
    both = points.merge(points, how="cross", suffixes=("", "_other"))
    both = both[both["x"] < both["x_other"]]
    return ((both["y_other"] - both["y"]) / (both["x_other"] - both["x"])).median()


def times(exported, drawn):
    """fig7-time: small points are runs, large ones medians of an iteration; a line and a band are of runs without a failure."""
    count = 0
    for problem in exported.problems():
        panel, runs = drawn.panels(problem)[0], exported.killed(problem)
        points, said = drawn.of(panel, "point"), iter(drawn.of(panel, "legend")["label"].tolist())
        ways = [way for way in runs["way"].unique() if way != "restart"]
        for label in points["label"].dropna().unique():  # in the order of the legend
            way, = (way for way in ways if name_of(way) == label)
            mine = runs[runs["way"] == way].rename(columns={"iteration": "x", "loop_s": "y"})[["x", "y"]]
            medians = points[points["label"] == label]
            small = points[(points["color"] == medians["color"].iloc[0]) & points["label"].isna()]
            count += same(small[["x", "y"]].values, mine.values, (problem, way))
            same(medians[["x", "y"]].values, mine.groupby("x")["y"].median().reset_index().values, (problem, way))
            slope, = re.findall(r"^\s*(-?[\d.]+) \[|fewer than 6 runs", next(said))
            assert len(mine) < 6 or abs(float(slope) - 1000 * pairwise_slope(mine)) <= 0.051, (problem, way, slope, pairwise_slope(mine))
        free = exported.free(problem)["loop_s"]
        line, band = drawn.of(panel, "across")["y"].iloc[0], drawn.of(panel, "across").iloc[1]
        same([(line, band["y"], band["y2"])], [(free.median(), free.min(), free.max())], problem)
    return count


def parts(failures):
    """Milliseconds of a recovery, by part."""
    return pandas.DataFrame(dict(zip(PARTS, (failures["restored_s"], failures["resume_s"], failures["detect_s"], failures["shrink_s"],
                                             failures["repair_s"] - failures["shrink_s"], failures["restore_s"])))) * 1000


def recoveries(exported, drawn):
    """recovery-time: a point per run and part, and a line at the median of each way."""
    count = 0
    for problem in exported.problems():
        panel, = drawn.panels(problem)
        runs = exported.killed(problem)
        runs = runs[runs["way"].isin(list(NAMES))]
        points, lines = drawn.of(panel, "point"), drawn.of(panel, "segment")
        assert drawn.of(panel, "tick")["text"].tolist() == PARTS, problem
        expected = {(way, part): values.dropna() for way, mine in runs.groupby("way") for part, values in parts(mine).items()}
        for place, part in enumerate(PARTS):
            here = [values for (_, of), values in expected.items() if of == part and len(values)]
            near = points[(points["x"] - place).abs() < 0.5]
            count += same(near[["y"]].values, [[value] for values in here for value in values], (problem, part))
            same(lines[(lines["x"] / 2 + lines["x2"] / 2 - place).abs() < 0.5][["y"]].values, [[values.median()] for values in here], (problem, part))
        for way, mine in runs.groupby("way"):
            colors = points[points["label"].astype(str).str.startswith(NAMES[way] + ",")]["color"].unique()
            assert len(colors) == 1, (problem, way)
            same(points[points["color"] == colors[0]][["y"]].values, [[v] for part in PARTS for v in expected[way, part]], (problem, way))
    return count


def tables_in(text):
    """{heading: [rows of cells]} of Markdown; all tables under a heading one after the other."""
    found, heading = {}, ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|") and set(line) - set("|-"):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def said(number):
    """A number as far as a table has its digits: (value, half of the last digit)."""
    digits = re.match(r"-?(\d+)(?:\.(\d+))?", number)
    return float(digits[0]), 0.5001 * 10 ** -len(digits[2] or "")


def is_said(text, value, what):
    number, half = said(text)
    assert abs(number - value) <= max(half, 5e-4 * abs(value)), (what, text, value)


def compared(exported, text):
    """compare.md: medians and extremes of each way, and ratios of medians of the runs that are pairs."""
    names = {NAMES.get(way, way): way for way in exported.runs["way"]}
    count = 0
    for problem in exported.problems():
        rows, = (rows for heading, rows in tables_in(text).items() if heading.startswith(problem))
        runs = exported.killed(problem)
        for name, *cells in rows:
            if name in names and cells[0] not in names:
                mine = runs[runs["way"] == names[name]]["loop_s"]
                assert int(cells[0]) == len(mine), (problem, name)
                for cell, value in zip([cells[1], *cells[2].split(", ")], (mine.median(), mine.min(), mine.max())):
                    is_said(cell, value, (problem, name))
                free = exported.free(problem).query("way == @names[@name]")["loop_s"]
                assert cells[3] == "none" if free.empty else int(cells[3].split(",")[0]) == len(free), (problem, name, cells)
                count += 1
            elif name in names:
                first, second = (runs[runs["way"] == names[of]] for of in (name, cells[0]))
                pairs = first.merge(second, on=["plan", "repetition"], suffixes=("", "_other"))
                assert cells[1] == f"{len(pairs)} pairs", (problem, name, cells)
                is_said(cells[2], pairs["loop_s"].median() / pairs["loop_s_other"].median(), (problem, name, cells))
                count += 1
    return count


def braces(text):
    return f"{{{text}}}" if isinstance(text, str) else "{}"


def active(exported, text):
    """active.md: which roles replayed their logs, how many were blocked, and in how many runs."""
    rows = [row for row in tables_in(text)["Observed"] if row[0] != "run"]
    found = {(row[0], row[1], row[3], int(row[4])): int(row[5]) for row in rows}
    whole = pandas.concat([exported.killed(problem) for problem in exported.problems()])
    whole = whole[whole["way"] == "all"]
    whole["set"], whole["waiting"] = whole["active"].map(braces), whole["blocked_roles"]
    expected = whole.groupby(["problem", "plan", "set", "waiting"]).size().to_dict()
    assert found == expected, (found, expected)
    return len(found)


FIGURES = (("fig6_iterations", "fig6-iterations", iterations), ("fig7_time", "fig7-time", times), ("recovery_time", "recovery-time", recoveries))
TABLES = (("compare", compared), ("table_active", active))


def check(results, folder):
    """Draw and compute again; {name: how many numbers or rows agree}."""
    assert call("export", "--csv", results, "--out", folder).returncode == 0
    exported, found = Exported(folder), {}
    for script, name, compare in FIGURES:
        drawing.draw(script, results, folder)
        found[name] = compare(exported, Drawn(folder, name))
    assert call("papers", "forecasts", "--results", results.parent).returncode == 0
    drawing.explain(results)
    for script, compare in TABLES:
        drawing.draw(script, results, folder)
        text, = (path for path in pathlib.Path(folder).glob("*.md") if path.stem in script)
        found[text.stem] = compare(exported, text.read_text(encoding="utf-8"))
    return found


@pytest.mark.long
@pytest.mark.timeout(420)
def test_three_figures_and_two_tables_from_the_csv_files_alone():
    top = new_folder()
    (top / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
    done = call("sweep", top / "sweep.yaml", "--results", top / "results", timeout=360)
    assert done.returncode == 0, done
    found = check(top / "results", top / "drawn")
    runs = 2 * (3 * 3 + 3 + 2 * 2)  # twice: three ways and job restart of cg, two ways of jacobi
    assert found["fig6-iterations"] == runs and found["fig7-time"] == runs - 6, found
    assert found["recovery-time"] > 3 * runs and found["compare"] == 4 + 6 + 2 + 1 and found["active"] >= 2, found
    wrong_numbers_are_found(top)


def wrong_numbers_are_found(top):
    """One number of a figure, one of a table, and one run that is no sample: each is told."""
    for script, name, compare in FIGURES:
        whole = Drawn(top / "drawn", name)
        at = whole.rows[whole.rows["kind"] == "point"].index[0]
        whole.rows.loc[at, "y"] *= 1.001
        assert fails(compare, Exported(top / "drawn"), whole), (script, "another point")
    for script, compare in TABLES:
        path, = (path for path in (top / "drawn").glob("*.md") if path.stem in script)
        lines = path.read_text(encoding="utf-8").splitlines()
        at = next(i for i, line in enumerate(lines) if re.match(r"\| .*\d\.\d|\| .*@", line))
        lines[at] = re.sub(r"(\d)( \[| \(n|  ?\||, )", lambda found: f"{(int(found[1]) + 1) % 10}{found[2]}", lines[at])
        assert fails(compare, Exported(top / "drawn"), "\n".join(lines)), (script, "another digit", lines[at])
    one_more = Exported(top / "drawn")
    one_more.runs = one_more.runs.drop(one_more.killed(one_more.problems()[0]).index[0])
    dropped = one_more.runs[one_more.runs["killed"]].index[0]
    one_more.runs = one_more.runs.drop(dropped)
    assert fails(iterations, one_more, Drawn(top / "drawn", "fig6-iterations")), "a run that is not among the records"


def fails(compare, *args):
    try:
        compare(*args)
    except (AssertionError, ValueError):
        return True
    return False


def test_no_code_of_plots_takes_part():
    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    assert not re.search(r"^\s*(from|import) plots", text, re.M)
    done = subprocess.run([drawing.python(), "-c", "import pandas; print(pandas.__version__)"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
