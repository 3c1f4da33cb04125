"""What samples bear out: medians, bootstrap intervals, permutation tests (Hoefler and Belli, SC'15).

The only place where figures, tables, the report, the models and `make bench` get statistics from. Medians,
not means: run times are skewed. Ratios are of medians; ratios are never averaged. Everything random has a
seed, so that the same samples give the same numbers. Only intervals need numpy, which is imported when the
first one is asked for.
"""
import bisect
import collections
import itertools
import math
import random
import statistics

ROUNDS = 4000        # of a bootstrap
SHUFFLES = 20000     # of a permutation test where not all permutations can be tried
EXPONENTS = 2000     # of a bootstrap of an exponent
EXHAUSTIVE = 1 << 16  # permutations up to which all are tried
CITED = "docs/statistics.md"  # the rules for all of this; every figure names it
LEAST = 6            # samples below which no interval of a median has 95 %: 1 - 2 / 2^5 = 93.75 %

# low and high are None if there are too few samples for an interval.
Interval = collections.namedtuple("Interval", "median low high n")
# exact: all permutations were tried; n: samples, or pairs that differ.
MeanInterval = collections.namedtuple("MeanInterval", "mean low high n")
Test = collections.namedtuple("Test", "name p exact n")

median, mean = statistics.median, statistics.mean


def mean_and_deviation(values):
    """(mean, standard deviation of all there are), or None without any."""
    return (mean(values), deviation(values)) if values else None


def deviation(values):
    """The standard deviation of all there are, not estimated for others: how far simulated seeds scatter."""
    return statistics.pstdev(values)


def draw_again(sizes, rounds, seed):
    """Per sample of a bootstrap a table: in each round (row) which of its values are drawn, with replacement.

    These are the numbers that random.Random(seed).choices() draws round after round, all at once.
    """
    import numpy

    uniform = numpy.random.RandomState([seed]).random_sample((rounds, sum(sizes)))
    parts = numpy.split(uniform, list(itertools.accumulate(sizes))[:-1], axis=1)
    return [(part * n).astype(int) for part, n in zip(parts, sizes)]


def medians(values, drawn):
    """The median of each round."""
    import numpy

    return numpy.median(numpy.asarray(values, dtype=float)[drawn], axis=1)


def medians_of_pairs(pairs, rounds, seed):
    """(medians of the firsts, of the seconds) in each round; pairs are drawn whole."""
    drawn, = draw_again([len(pairs)], rounds, seed)
    return [medians(side, drawn) for side in zip(*pairs)]


def middle_95(found):
    """The 95 % percentile interval of what the rounds found."""
    ordered = sorted(map(float, found))
    return ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered))]


def interval(values, rounds=ROUNDS, seed=1):
    """The median with its bootstrap interval."""
    low = high = None
    if len(values) >= LEAST:
        low, high = middle_95(medians(values, *draw_again([len(values)], rounds, seed)))
    return Interval(median(values), low, high, len(values))


def mean_interval(values, rounds=ROUNDS, seed=1):
    """The mean with its bootstrap interval, for what is expected in the long run (simulated times)."""
    low = high = None
    if len(values) >= LEAST:
        drawn, = draw_again([len(values)], rounds, seed)
        import numpy

        low, high = middle_95(numpy.asarray(values, dtype=float)[drawn].mean(axis=1))
    return MeanInterval(mean(values), low, high, len(values))


def sum_over_sum(pairs):
    """Of the first over the second: what one of the second costs, where some runs have none of them. 0 if all have none."""
    amount, count = map(sum, zip(*pairs))
    return amount / count if count else 0


def ratio_of_sums(pairs, rounds=ROUNDS, seed=1):
    """sum_over_sum() with its bootstrap interval; pairs are drawn whole."""
    import numpy

    pairs, low, high = list(pairs), None, None
    first, second = (numpy.asarray(side, dtype=float) for side in zip(*pairs))
    if len(pairs) >= LEAST:
        drawn, = draw_again([len(pairs)], rounds, seed)
        below = second[drawn].sum(axis=1)
        low, high = middle_95(first[drawn].sum(axis=1)[below > 0] / below[below > 0])
    return MeanInterval(sum_over_sum(pairs), low, high, len(pairs))


def extent(values, rounds=ROUNDS):
    """(median, low, high, whether these are an interval): of too few samples they are the range."""
    if len(values) < LEAST:
        return median(values), min(values), max(values), False
    return *interval(values, rounds)[:3], True


def show(values, form="{:.3g}".format, rounds=ROUNDS):
    """In words: 'median [interval]', or of too few samples 'median (range)'; form: of one number."""
    middle, low, high, is_interval = extent(values, rounds)
    if len(values) == 1:
        return form(middle)
    return (f"{form(middle)} [{form(low)}, {form(high)}]" if is_interval else
            f"{form(middle)} ({form(low)} to {form(high)})")


def show_range(values, form):
    """In words: 'median [least, most]', however many there are; of one value, only that."""
    if len(values) == 1:
        return form(values[0])
    return f"{form(median(values))} [{form(min(values))}, {form(max(values))}]"


def exact_and_whole(percent, whole):
    """In words: percent of the ranks, exact, and truncated to whole ranks as the paper prints it, up to one rank less: '15.63 (12.50)'."""
    return f"{percent:.2f} ({whole:.2f})"


def ratio_paired(pairs, rounds=ROUNDS, seed=1):
    """Median of the first divided by median of the second; pairs are drawn whole."""
    low = high = None
    if len(pairs) >= LEAST:
        first, second = medians_of_pairs(pairs, rounds, seed)
        low, high = middle_95(first / second)
    return Interval(median(a for a, _ in pairs) / median(b for _, b in pairs), low, high, len(pairs))


def ratio(first, second, rounds=ROUNDS, seed=1):
    """Median of the first divided by median of the second, which have nothing to do with each other."""
    low = high = None
    if min(len(first), len(second)) >= LEAST:
        drawn = draw_again([len(first), len(second)], rounds, seed)
        low, high = middle_95(medians(first, drawn[0]) / medians(second, drawn[1]))
    return Interval(median(first) / median(second), low, high, min(len(first), len(second)))


def share_saved(pairs, rounds=ROUNDS, seed=1):
    """1 - median of the second / median of the first, whatever their number; pairs are drawn whole.

    None where the first does not stand out of the noise, that is, above 0 in nearly every round.
    """
    first, second = medians_of_pairs(pairs, rounds, seed)
    whole = median(a for a, _ in pairs)
    found = 1 - second[first > 0] / first[first > 0]
    if len(found) < 0.975 * rounds or whole <= 0:
        return None
    return Interval(1 - median(b for _, b in pairs) / whole, *middle_95(found), len(pairs))


def pairwise_slope(x, y):
    """Theil and Sen's slope of y over x: the median over all pairs of points with different x; None without such a pair."""
    import numpy

    x, y = numpy.asarray(x, dtype=float), numpy.asarray(y, dtype=float)
    first, second = numpy.triu_indices(len(x), 1)
    apart = x[second] != x[first]
    if not apart.any():
        return None
    return float(numpy.median((y[second] - y[first])[apart] / (x[second] - x[first])[apart]))


def slope(points, rounds=1000, seed=1):
    """Theil and Sen's slope of [(x, y)], which single odd points do not change; points are drawn whole."""
    found = pairwise_slope(*zip(*points))
    low = high = None
    if found is not None and len(points) >= LEAST:
        drawn, = draw_again([len(points)], rounds, seed)
        some = [pairwise_slope(*zip(*(points[i] for i in row))) for row in drawn.tolist()]
        low, high = middle_95([value for value in some if value is not None])
    return None if found is None else Interval(found, low, high, len(points))


def straight(points):
    """The slope of the line of least squares; None if all x are the same."""
    across, up = mean(x for x, _ in points), mean(y for _, y in points)
    below = math.fsum((x - across) ** 2 for x, _ in points)
    return math.fsum((x - across) * (y - up) for x, y in points) / below if below else None


def means(rows):
    """Of each row, an array of values."""
    return rows.mean(axis=1)


def sums_over_sums(rows):
    """sum_over_sum() of each row, an array of pairs."""
    import numpy

    amount, count = rows.sum(axis=1).T
    return numpy.divide(amount, count, out=numpy.zeros_like(amount), where=count > 0)


def exponent(points, middle=means, rounds=EXPONENTS, seed=1):
    """p of y ~ x^p, from the means at each x (or the middle of its ys), whose values are drawn again at each x. A mean of logarithms
    would be too small where few failures are expected. None: fewer than two of them are above 0."""
    import numpy

    of = {}
    for x, y in points:
        of.setdefault(x, []).append(y)
    all_of = [numpy.asarray(of[x], dtype=float) for x in sorted(of)]
    across = numpy.log(sorted(of))

    def fitted(middles):
        """The slope of the line of least squares of each row; what is 0 has no logarithm, and is left out."""
        there = middles > 0
        up = numpy.log(numpy.where(there, middles, 1))
        count = there.sum(axis=1)
        x = numpy.where(there, across - (there * across).sum(axis=1, keepdims=True) / count.clip(min=1)[:, None], 0)
        below = (x ** 2).sum(axis=1)
        return (x * up).sum(axis=1)[below > 0] / below[below > 0]

    whole = fitted(numpy.stack([middle(ys[None]) for ys in all_of], axis=1))
    if not len(whole):
        return None
    drawn = draw_again([len(ys) for ys in all_of], rounds, seed)
    found = fitted(numpy.stack([middle(ys[rows]) for ys, rows in zip(all_of, drawn)], axis=1))
    return Interval(float(whole[0]), *middle_95(found), len(points))


def polynomial(points, degree):
    """Coefficients of least squares, the highest power first."""
    import numpy

    return numpy.polyfit(*zip(*points), degree)


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    ordered = sorted(values)
    return [(bisect.bisect_left(ordered, v) + bisect.bisect_right(ordered, v) + 1) / 2
            for v in values]


def flip_signs(numbers, shuffles, seed):
    """(p, whether it is exact): how often |sum| is as large if every sign is a toss of a coin."""
    least = abs(math.fsum(numbers)) * (1 - 1e-12)
    if 2 ** len(numbers) <= EXHAUSTIVE:
        import numpy

        sums = numpy.zeros(1)
        for x in numbers:
            sums = numpy.concatenate((sums + x, sums - x))
        return float((abs(sums) >= least).mean()), True
    chance = random.Random(seed)
    hits = 0
    for _ in range(shuffles):
        signs = chance.getrandbits(len(numbers))
        hits += abs(math.fsum(x if signs >> i & 1 else -x for i, x in enumerate(numbers))) >= least
    return (hits + 1) / (shuffles + 1), False


def paired_permutation(pairs, shuffles=SHUFFLES, seed=1):
    """Fisher's: could each pair as well be the other way round? Two-sided, on the sum of differences."""
    return Test("paired permutation test on the sum of differences",
                *flip_signs([a - b for a, b in pairs], shuffles, seed), len(pairs))


def signed_rank(pairs, shuffles=SHUFFLES, seed=1):
    """Wilcoxon's: the same on the ranks of the differences, so that one odd run decides nothing.

    Two-sided; pairs without a difference say nothing and are left out.
    """
    differences = [a - b for a, b in pairs if a != b]
    signed = [math.copysign(rank, d) for rank, d in zip(ranks([abs(d) for d in differences]), differences)]
    return Test("Wilcoxon signed-rank test", *flip_signs(signed, shuffles, seed), len(differences))


def mann_whitney(first, second, shuffles=SHUFFLES, seed=1):
    """Mann-Whitney U test, two-sided, its p by permutation: right with ties and few samples, too."""
    all_ranks = ranks([*first, *second])
    n, size = len(first), len(all_ranks)
    middle = n * (size + 1) / 2  # of the rank sum, if nothing differs
    least = abs(sum(all_ranks[:n]) - middle) - 1e-9
    name = "Mann-Whitney U test"
    if math.comb(size, n) <= EXHAUSTIVE:
        tried = [abs(sum(some) - middle) >= least for some in itertools.combinations(all_ranks, n)]
        return Test(name, sum(tried) / len(tried), True, size)
    chance = random.Random(seed)
    hits = sum(abs(sum(chance.sample(all_ranks, n)) - middle) >= least for _ in range(shuffles))
    return Test(name, (hits + 1) / (shuffles + 1), False, size)


def holm(values):
    """p values adjusted for their number (Holm's step-down)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, least = [0.0] * len(values), 0.0
    for turn, i in enumerate(order):
        least = max(least, min(1.0, (len(values) - turn) * values[i]))
        adjusted[i] = least
    return adjusted
