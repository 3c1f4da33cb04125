"""What samples bear out: medians, bootstrap intervals, permutation tests (Hoefler and Belli, SC'15).

Medians, not means: run times are skewed. Ratios are of medians; ratios are never averaged. Everything
random has a seed, so that the same samples give the same numbers. Only Python's own library is needed.
"""
import bisect
import collections
import itertools
import math
import random
import statistics

ROUNDS = 4000        # of a bootstrap
SHUFFLES = 20000     # of a permutation test where not all permutations can be tried
EXHAUSTIVE = 1 << 16  # permutations up to which all are tried
LEAST = 6            # samples below which no interval of a median has 95 %: 1 - 2 / 2^5 = 93.75 %

# low and high are None if there are too few samples for an interval.
Interval = collections.namedtuple("Interval", "median low high n")
# exact: all permutations were tried; n: samples, or pairs that differ.
Test = collections.namedtuple("Test", "name p exact n")


def bootstrap(samples, statistic, rounds=ROUNDS, seed=1):
    """The 95 % percentile interval of a statistic of samples drawn again with replacement."""
    chance = random.Random(seed)
    found = sorted(statistic(chance.choices(samples, k=len(samples))) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds)]


def interval(values, rounds=ROUNDS):
    """Median and its interval as three numbers; the last two are None with fewer than LEAST samples."""
    return tuple(median(values, rounds))[:3]


def extent(values, rounds=ROUNDS):
    """(median, low, high, whether these are an interval): of too few samples they are the range."""
    if len(values) < LEAST:
        return statistics.median(values), min(values), max(values), False
    return *interval(values, rounds), True


def show(values, form="{:.3g}".format, rounds=ROUNDS):
    """In words: 'median [interval]', or of too few samples 'median (range)'; form: of one number."""
    middle, low, high, is_interval = extent(values, rounds)
    if len(values) == 1:
        return form(middle)
    return (f"{form(middle)} [{form(low)}, {form(high)}]" if is_interval else
            f"{form(middle)} ({form(low)} to {form(high)})")


def median(samples, rounds=ROUNDS, seed=1):
    """Median and its interval."""
    low, high = (bootstrap(samples, statistics.median, rounds, seed) if len(samples) >= LEAST
                 else (None, None))
    return Interval(statistics.median(samples), low, high, len(samples))


def ratio_paired(pairs, rounds=ROUNDS, seed=1):
    """Median of the first divided by median of the second; pairs are drawn whole."""
    def ratio(some):
        return statistics.median(a for a, _ in some) / statistics.median(b for _, b in some)

    low, high = bootstrap(pairs, ratio, rounds, seed) if len(pairs) >= LEAST else (None, None)
    return Interval(ratio(pairs), low, high, len(pairs))


def ratio(first, second, rounds=ROUNDS, seed=1):
    """Median of the first divided by median of the second, which have nothing to do with each other."""
    value = statistics.median(first) / statistics.median(second)
    n = min(len(first), len(second))
    if n < LEAST:
        return Interval(value, None, None, n)
    chance = random.Random(seed)
    found = sorted(statistics.median(chance.choices(first, k=len(first)))
                   / statistics.median(chance.choices(second, k=len(second)))
                   for _ in range(rounds))
    return Interval(value, found[int(0.025 * rounds)], found[int(0.975 * rounds)], n)


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    ordered = sorted(values)
    return [(bisect.bisect_left(ordered, v) + bisect.bisect_right(ordered, v) + 1) / 2
            for v in values]


def flip_signs(numbers, shuffles, seed):
    """(p, whether it is exact): how often |sum| is as large if every sign is a toss of a coin."""
    least = abs(math.fsum(numbers)) * (1 - 1e-12)
    if 2 ** len(numbers) <= EXHAUSTIVE:
        sums = [0.0]
        for x in numbers:
            sums = [s + y for s in sums for y in (x, -x)]
        return sum(abs(s) >= least for s in sums) / len(sums), True
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
