"""Which of several methods is best where, from runs with the same failures: a difference within their scatter is none."""
import collections

from plots.common.stats import mean, paired_permutation

LEVEL = 0.01  # of the test; the least p is 2 / 2^n, of n seeds whose runs differ, so at least 8 must
LEAST = 5e-3  # a smaller relative difference is none, however regular it is: the models are not as good as that

# names: the best one first, then those that do not differ from it; margin: by which share of it the next one behind is worse,
# None if there is none behind.
Winner = collections.namedtuple("Winner", "names margin")


def differ(first, second):
    """Are the values of the same seeds different, by the test and by enough to matter?"""
    pairs = list(zip(first, second))
    if abs(mean(first) - mean(second)) <= LEAST * abs(mean(first)):
        return False
    return paired_permutation(pairs).p < LEVEL


def winner(values):
    """values: {method: [value by seed]}; the smallest mean is the best."""
    order = sorted(values, key=lambda name: mean(values[name]))
    best = values[order[0]]
    names = [name for name in order if name == order[0] or not differ(best, values[name])]
    behind = [name for name in order if name not in names]
    return Winner(names, (mean(values[behind[0]]) - mean(best)) / mean(best) if behind else None)
