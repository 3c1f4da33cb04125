"""plots/common/stats.py gives known numbers, and plots/tables/compare.py does on records of such."""
import json
import math
import random
import re
import statistics
import subprocess
import sys

from rollbench import ROOT, new_folder

import checkpoints
import drawing
import measure
from plots.common import program, stats
from plots.report.data import time_taken

program.need("numpy")
# Darwin's maize: crossed less self-fertilised, in eighths of an inch (Fisher 1935, section 17).
OWN = re.compile(r"^\s*(import|from) (statistics|scipy)\b|\b(numpy|np)\.(median|mean|average|std|var|percentile|quantile|polyfit|random)\b"
                 r"|\.(mean|std|var)\(\)|sum\([^\n]*\) / len\(|\b1\.96\b|\b0\.0?25 \*|\bsorted\([^,()]*\)\[(len|int)\b|\.choices\(|\bchance\.sample\(", re.M)
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def close(a, b, least=1e-12):
    assert math.isclose(a, b, rel_tol=least, abs_tol=least), (a, b)


def exact_percentile(n, share):
    """The order statistic (from 1) that is the bootstrapped median of n (odd) samples at that share."""
    for k in range(1, n + 1):
        below = sum(math.comb(n, i) * (k / n) ** i * (1 - k / n) ** (n - i)
                    for i in range(n // 2 + 1, n + 1))
        if below >= share:
            return k
    raise AssertionError


def test_the_interval_of_a_median_is_that_of_the_whole_bootstrap():
    for n in (11, 25, 75):
        values = [10.0 * k for k in range(1, n + 1)]
        got = stats.interval(values[::-1], rounds=20000)
        assert got.n == n and got.median == values[n // 2], got
        assert got.low == values[exact_percentile(n, 0.025) - 1], (n, got)
        assert got.high == values[exact_percentile(n, 0.975) - 1], (n, got)
    assert stats.interval([3.0, 1.0, 2.0]) == (2.0, None, None, 3)
    assert stats.interval([4.0] * 6) == (4.0, 4.0, 4.0, 6)
    assert stats.interval(values) == stats.interval(values)


def test_no_interval_of_few_samples():
    """Fewer than six samples give a range, which looks like one."""
    few, enough = [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert stats.interval(few) == (3.0, None, None, 5) and stats.interval(enough).low is not None
    assert stats.extent(few) == (3.0, 1.0, 5.0, False) and stats.extent(enough)[3]
    assert stats.show([7.0]) == "7" and stats.show(few) == "3 (1 to 5)" and stats.show(enough).startswith("3.5 ["), stats.show(enough)
    assert str(checkpoints.milliseconds([v / 100 for v in few])) == "30 (10 to 50)"
    for text in (measure.verdict([0.999, 1.0, 1.001], 0.01), checkpoints.hidden_text([(1.0, 0.1)] * 5, 0.8)):
        assert text.endswith("no conclusion from so few pairs") and "[" not in text, text
    assert measure.verdict([1.0] * 6, 0.01).endswith("[+0.00, +0.00]: at most 1 %")
    assert checkpoints.hidden_text([(1.0, 0.1)] * 6, 0.8) == "90 % [90, 90]: at least 80 %"
    assert measure.at_most(9, few, "pairs") == "no conclusion from so few pairs"
    assert [measure.at_most(goal, enough) for goal in (6, 3, 0.5)] == ["kept", "no conclusion", "MISSED"]
    assert [measure.at_least(goal, enough) for goal in (0.5, 3, 7)] == ["kept", "no conclusion", "MISSED"] and "few" in measure.at_least(9, few)


def test_ratios_are_of_medians():
    pairs = [(2.0 * x, x) for x in (1.0, 2.0, 4.0, 8.0, 16.0, 1000.0)]
    assert stats.ratio_paired(pairs) == (2.0, 2.0, 2.0, 6)  # every pair is the same ratio
    one, other = [6.0, 6.0, 6.0, 6.0, 6.0, 60.0], [3.0] * 6
    got = stats.ratio(one, other)
    assert got.median == 2.0 and got.low == 2.0 and got.n == 6, got
    assert stats.ratio(one[:2], other).low is None


def test_a_ratio_of_sums_counts_runs_without_a_failure():
    """Seconds lost and failures: the mean of the ratios would leave out the run without one, and with it what it was long."""
    assert stats.ratio_of_sums([(10, 1), (0, 0), (50, 2)]) == (20.0, None, None, 3)
    assert stats.ratio_of_sums([(10.0 * n, n) for n in (0, 1, 2, 0, 3, 1)]) == (10.0, 10.0, 10.0, 6)


def exponent_anew(points, middle, rounds, seed=1):
    """The same by Python's own choices and sums, at one x after the other."""
    of, chance = {}, random.Random(seed)
    for x, y in points:
        of.setdefault(x, []).append(y)

    def fitted(draw):
        middles = [(math.log(x), middle(draw(ys))) for x, ys in sorted(of.items())]
        return stats.straight([(x, math.log(y)) for x, y in middles if y > 0])

    slopes = [fitted(lambda ys: chance.choices(ys, k=len(ys))) for _ in range(rounds)]
    found = sorted(slope for slope in slopes if slope is not None)  # a round may have one x with a value only
    return fitted(list), found[int(0.025 * len(found))], found[int(0.975 * len(found))]


def test_exponents():
    """Of a power; of scattered values, some of them 0; and of what one of the second costs, which single runs have none of."""
    close(stats.exponent([(x, 3 * x ** 1.5) for x in (10, 20, 50, 100)]).median, 1.5)
    assert stats.exponent([(x, 0) for x in (10, 20, 50)] + [(100, 1)]) is None
    close(stats.exponent([(x, (x * 0.25, 0.5)) for x in (10, 20, 50)], stats.sums_over_sums).median, 1)
    chance = random.Random(7)
    scattered = [(x, max(0.0, x * chance.uniform(-0.5, 2))) for x in (100, 300, 1000) for _ in range(4)] + [(50, 0.0)] * 4
    pairs = [(x, (x * count, count)) for x in (100, 300, 1000) for count in (0, 1, 2, chance.randint(0, 3))]
    for points, many, one in ((scattered, stats.means, statistics.mean), (pairs, stats.sums_over_sums, stats.sum_over_sum)):
        for got, expected in zip(stats.exponent(points, many, rounds=200), exponent_anew(points, one, 200)):
            close(got, expected, 1e-9)


def test_paired_tests_on_darwins_maize():
    pairs = [(d, 0) for d in DARWIN]
    fisher = stats.paired_permutation(pairs)
    assert fisher.exact and fisher.n == 15
    close(fisher.p, 1726 / 2 ** 15)  # Fisher's 863 of 32768, on both sides
    wilcoxon = stats.signed_rank(pairs)
    assert wilcoxon.exact
    close(wilcoxon.p, 0.041259765625)
    assert stats.signed_rank([(b, a) for a, b in pairs]).p == wilcoxon.p
    more = stats.paired_permutation([(d, 0) for d in DARWIN * 2])
    assert not more.exact and 0 < more.p < 0.02, more  # the larger the sample, the surer
    close(stats.signed_rank([(1, 0)] * 6 + [(5, 5)] * 9).p, 2 / 2 ** 6)
    assert stats.signed_rank([(5, 5)] * 3).p == 1


def test_mann_whitney():
    males, females = [19, 22, 16, 29, 24], [20, 11, 17, 12]  # ages at diagnosis of diabetes
    got = stats.mann_whitney(males, females)
    assert got.exact
    close(got.p, 1 / 9)
    close(stats.mann_whitney([1, 2, 3], [4, 5, 6]).p, 2 / 20)
    assert stats.mann_whitney([1, 1, 1], [1, 1, 1]).p == 1
    assert stats.ranks([10, 20, 20, 5]) == [2, 3.5, 3.5, 1]
    many = stats.mann_whitney(list(range(40)), [x + 40 for x in range(40)])
    assert not many.exact and many.p < 0.001, many


def choices_anew(values, rounds, seed=1):
    """The bootstrap, round by round, in plain Python."""
    chance = random.Random(seed)
    found = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds)]


def test_intervals_are_those_of_pythons_own_choices():
    """All rounds at once give bit for bit the numbers that single rounds gave in published tables."""
    chance = random.Random(11)
    for n in (6, 7, 21, 40):
        values = [chance.lognormvariate(0, 1) for _ in range(n)]
        other = [chance.lognormvariate(0, 1) for _ in range(n + 3)]
        for rounds, seed in ((400, 1), (1000, 5)):
            assert stats.interval(values, rounds, seed)[1:3] == choices_anew(values, rounds, seed), (n, rounds)
        drawn = random.Random(1)
        ratios = sorted(statistics.median(drawn.choices(values, k=n)) / statistics.median(drawn.choices(other, k=n + 3))
                        for _ in range(400))
        assert stats.ratio(values, other, 400)[1:3] == (ratios[10], ratios[390]), n
        pairs, drawn = list(zip(values, other)), random.Random(1)
        ratios = sorted(statistics.median(a for a, _ in some) / statistics.median(b for _, b in some)
                        for some in (drawn.choices(pairs, k=n) for _ in range(400)))
        assert stats.ratio_paired(pairs, 400)[1:3] == (ratios[10], ratios[390]), n


def test_a_share_that_noise_hides_is_none():
    assert stats.share_saved([(2.0, 0.5), (4.0, 1.0), (8.0, 2.0)])[:3] == (0.75, 0.75, 0.75)
    assert stats.share_saved([(1.0, 0.1), (-1.0, 0.1)] * 4) is None


def test_as_scipy_has_it():
    import scipy.stats

    chance = random.Random(3)
    for n in (6, 9, 12):
        pairs = [(chance.gauss(0.5, 1), chance.gauss(0, 1)) for _ in range(n)]
        differences = [a - b for a, b in pairs]
        close(stats.signed_rank(pairs).p, scipy.stats.wilcoxon(differences, method="exact").pvalue, 1e-9)
        found = scipy.stats.permutation_test((differences,), sum, permutation_type="samples", n_resamples=math.inf)
        close(stats.paired_permutation(pairs).p, found.pvalue, 1e-9)
        first, second = [a for a, _ in pairs], [b for _, b in pairs][:5]
        close(stats.mann_whitney(first, second).p,
              scipy.stats.mannwhitneyu(first, second, method="exact").pvalue, 1e-9)
        ties = [chance.randrange(4) for _ in range(n)]
        assert stats.ranks(ties) == list(scipy.stats.rankdata(ties))


def test_holm():
    for got, expected in zip(stats.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]):
        close(got, expected)
    assert stats.holm([0.6, 0.9]) == [1, 1] and stats.holm([]) == []


def test_a_false_alarm_in_twenty():
    """Where there is no difference, p is below 0.05 in about one case of twenty."""
    chance, alarms = random.Random(7), 0
    for _ in range(400):
        pairs = [(chance.gauss(0, 1), chance.gauss(0, 1)) for _ in range(8)]
        alarms += stats.signed_rank(pairs).p <= 0.05
    assert 8 <= alarms <= 32, alarms


def test_there_is_one_statistics_module():
    """Figures, tables, report, models and benchmarks take medians, means, fits, intervals and tests from there."""
    files = [*ROOT.glob("plots/**/*.py"), *ROOT.glob("bench/*.py"), *ROOT.glob("scripts/*/*.py"), *(p for p in ROOT.glob("scripts/*") if p.is_file())]
    assert [str(p.relative_to(ROOT)) for p in files if OWN.search(p.read_text())] == ["plots/common/stats.py"]
    assert re.findall(r"^CITED = .*", (ROOT / "plots/common/stats.py").read_text(), re.M) and (ROOT / stats.CITED).is_file()


def test_statistics_of_ones_own_are_found():
    """Mutants: what a module could compute by itself."""
    for line in ("import statistics", "from scipy import stats", "spread = numpy.std(values)", "low = numpy.percentile(x, 2.5)", "m = sum(x) / len(x)",
                 "half = 1.96 * error", "x = sorted(values)[int(0.025 * n)]", "again = chance.choices(ys, k=len(ys))", "middle = sorted(x)[len(x) // 2]",
                 "values.mean()", "r = numpy.random.default_rng(1)", "a, b = numpy.polyfit(x, y, 1)", "chance.sample(values, 5)"):
        assert OWN.search(f"def f(x):\n    {line}\n"), line
    for line in ("from plots.common.stats import mean", "total = sum(x)", "middle = mean(of)", "record = sorted(records, key=length)[len(records) // 2]"):
        assert not OWN.search(f"def f(x):\n    {line}\n"), line


def test_the_page_has_the_numbers_of_the_module():
    page = " ".join((ROOT / stats.CITED).read_text().split())
    assert f"({stats.ROUNDS} rounds)" in page and f"at least {stats.LEAST} samples" in page.lower() and f"({stats.EXPONENTS} rounds)" in page
    assert f"at most {stats.EXHAUSTIVE:,}" in page and f"{stats.SHUFFLES:,} random" in page


def test_every_figure_cites_the_page():
    """One place writes figures; it cites, in the picture and in its properties, and what is drawn comes in numbers, too."""
    writers = [str(p.relative_to(ROOT)) for p in ROOT.glob("plots/**/*.py") if "figure.savefig(" in p.read_text()]
    # The report's own pages and its drawing of the machine are no figures of results.
    assert writers and set(writers) <= {"plots/common/drawing.py", "plots/report/machine.py"}, writers
    folder = new_folder()
    code = (f"from plots.common import drawing as d; d.plt.close = lambda figure: None; figure, axes = d.panels(2); axes[0][0].plot([1, 2], [3, 0.1], "
            f"'o', label='a'); axes[0][1].axhline(7); d.note(figure, 'so it is\\nor not'); d.save(figure, {str(folder)!r}, 'x', 'a figure'); "
            "last = figure.texts[-1]; figure.draw_without_rendering(); "
            "below = [t.get_window_extent().y0 for t in figure.texts[:-1]] + [a.get_tightbbox().y0 for a in figure.axes]; "
            "print(last.get_text(), '|', last.get_window_extent().y1 <= min(below))")
    done = drawing.execute(code, [])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"statistics: {stats.CITED}; numbers: x.data.csv | True", done.stdout
    assert stats.CITED.encode() in (folder / "x.png").read_bytes() and b"statistics: docs" in (folder / "x.pdf").read_bytes()
    table = (folder / "x.data.csv").read_text().splitlines()
    assert any(line.startswith("0,0,point,2.0,0.1,") for line in table) and any(line.startswith("1,0,across,,7.0,") for line in table), table
    assert any("so it is / or not" in line for line in table), table


def record(policy, iteration, repetition, seconds, status="ok"):
    plan = [f"2@{iteration}:send"] if iteration is not None else []
    return {"schema": "rollbench-run-1", "id": f"x-{policy}-{iteration}-r{repetition}", "status": status,
            "kernel": "cg", "params": {"class": "S"}, "np": 4, "interval": 5, "policy": policy,
            "plan": plan, "loop_s": seconds, "oversubscribed": True, "compared": {"equal": True},
            "failures": [{"iteration": iteration}] if plan else []}


def compare(records, *args):
    folder = new_folder()
    records = list(records)
    for one in records:
        (folder / f"{one['id']}.json").write_text(json.dumps(one))
    (folder / "sweep.json").write_text(json.dumps({"name": "x", "runs": [r["id"] for r in records]}))
    done = subprocess.run([sys.executable, ROOT / "plots" / "tables" / "compare.py", folder, folder, *args],
                          capture_output=True, text=True)
    assert done.returncode == 0, done
    return (folder / "compare.md").read_text()


def some_records():
    for repetition in range(3):
        yield record("all", None, repetition, 1.0)
        for i in range(4):
            yield record("none", i, repetition, 2.0 * (i + 1))
            yield record("all", i, repetition, 1.0 * (i + 1))
            if repetition == 0:
                yield record("window:2", i, repetition, 1.0 * (i + 1), "ok" if i else "wrong")


def test_compare():
    text = compare(some_records())
    assert "| global rollback (none) | 12 | 5 [3, 7] | 2, 8 | none |" in text, text
    assert "| 12 pairs | 0.5 [0.5, 0.5] | 0.001 | Wilcoxon signed-rank test, all perm" in text, text
    assert "3 pairs" in text and "n < 6: no interval" in text, text
    assert "1 runs not ok or not equal" in text and "the ratios are distorted, too" in text, text
    enough = compare([{**r, "host": {"cores": r["np"]}} for r in some_records()])
    assert "distorted" not in enough, "a spare that sleeps is one rank more than cores, but no role shares a core"
    text = compare(some_records(), "--warm-up", "1")
    assert "| 8 pairs |" in text and "window:2" not in text, text
    assert "The first 1 repetitions, 13 runs, are warm-ups" in text, text


def ended(host, clock, wall, loop=1.0):
    return {"host": {"hostname": host}, "finished_at": f"2024-05-01T{clock}Z", "wall_s": wall, "loop_s": loop}


def test_the_time_between_runs_is_counted_by_host_and_without_pauses():
    first = [ended("a", "10:00:00", 5), ended("a", "10:00:10", 8), ended("a", "10:02:00", 20)]
    other = ended("b", "10:00:05", 3, None)  # at the same time as those of a; its loop was not measured
    got = time_taken([first[2], other, first[0], first[1]])
    assert got == {"runs": 36, "loops": 3, "between": 2, "pauses": 1}, got
    assert time_taken([other]) == {"runs": 3, "loops": 0, "between": None, "pauses": 0}
    got = time_taken([ended("a", "23:59:59", 5), {**first[0], "finished_at": "never"}, first[1]])
    assert got["runs"] == 18 and got["between"] == 0 and got["pauses"] == 1, got
