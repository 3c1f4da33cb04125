"""Rules that say whether our records agree with a paper. plots/papers/*.yaml names one for each claim, before any run.

A rule takes what a reading found (plots/claims/readings_*.py) and its parameters, and returns verdicts, one for each case: AGREES,
DIFFERS or UNDECIDED with a text. Samples decide only by a 95 % interval: an interval on both sides of a limit decides nothing.
"""
import collections
import math

from plots.common import stats

AGREES, DIFFERS, UNDECIDED = "agrees", "differs", "not decidable here"

Count = collections.namedtuple("Count", "label ours least most")        # of same-count
Same = collections.namedtuple("Same", "label ours theirs")              # of same-set
Number = collections.namedtuple("Number", "label ours theirs")          # of near
Two = collections.namedtuple("Two", "label first second paired")        # of ratio-within: samples
Points = collections.namedtuple("Points", "label pairs middle", defaults=(stats.means,))  # of slope-not-zero, exponent-within: [(x, y)]
Series = collections.namedtuple("Series", "label values")               # of not-rising: [value] in the order of x
Mean = collections.namedtuple("Mean", "label samples theirs")           # of mean-within
Groups = collections.namedtuple("Groups", "label samples")              # of order-of: {name: [value by seed]}
Verdict = collections.namedtuple("Verdict", "label verdict text")


def show(value):
    return f"{value:.4g}" if isinstance(value, float) or isinstance(value, int) and abs(value) >= 1e6 else str(value)


def same_count(cases):
    """Each count is between the two that the paper's rule allows."""
    for one in cases:
        fits = one.least <= one.ours <= one.most
        wanted = show(one.least) if one.least == one.most else f"{show(one.least)} to {show(one.most)}"
        yield Verdict(one.label, AGREES if fits else DIFFERS, f"{show(one.ours)}, expected {wanted}")


def same_set(cases):
    for one in cases:
        yield Verdict(one.label, AGREES if set(one.ours) == set(one.theirs) else DIFFERS,
                      f"{sorted(one.ours)}, the paper's {sorted(one.theirs)}")


def near(cases, absolute=None, relative=None, factor=None, rounded=0):
    """Numbers that have no scatter: at most so far from the paper's. rounded: half a unit of the last digit that the paper prints."""
    for one in cases:
        if absolute is not None:
            fits = abs(one.ours - one.theirs) <= absolute + 1e-12
        elif relative is not None:
            fits = abs(one.ours - one.theirs) <= relative * abs(one.theirs)
        else:
            fits = one.ours > 0 and (one.theirs - rounded) / factor <= one.ours <= (one.theirs + rounded) * factor
        yield Verdict(one.label, AGREES if fits else DIFFERS, f"{show(one.ours)}, the paper's {show(one.theirs)}")


def decide(low, high, least=None, most=None):
    """An interval against the range [least, most] that the paper's claim allows; None: no limit."""
    least, most = -math.inf if least is None else least, math.inf if most is None else most
    if low >= least and high <= most:
        return AGREES
    return DIFFERS if high < least or low > most else UNDECIDED


def ratio_within(cases, least=None, most=None):
    """The ratio of medians, first over second."""
    for one in cases:
        found = stats.ratio_paired(list(zip(one.first, one.second))) if one.paired else stats.ratio(one.first, one.second)
        if found.low is None:
            yield Verdict(one.label, UNDECIDED, f"ratio {show(found.median)} of {found.n}: fewer than {stats.LEAST} samples have no interval")
            continue
        yield Verdict(one.label, decide(found.low, found.high, least, most),
                      f"ratio {show(found.median)} [{show(found.low)}, {show(found.high)}] of {found.n}")


def slopes(cases, what, find, least, most):
    for one in cases:
        if len(one.pairs) < stats.LEAST or len({x for x, _ in one.pairs}) < 3:
            yield Verdict(one.label, UNDECIDED, f"{len(one.pairs)} runs are too few for a {what}")
            continue
        found = find(one)
        if found is None:
            yield Verdict(one.label, UNDECIDED, f"no {what}: fewer than two middles of {len(one.pairs)} runs are above 0")
            continue
        yield Verdict(one.label, decide(found.low, found.high, least, most),
                      f"{what} {show(found.median)} [{show(found.low)}, {show(found.high)}] of {found.n} runs")


def slope_not_zero(cases):
    """It rises with x. An interval with 0 in it decides nothing: the noise may hide a rise."""
    return slopes(cases, "slope", lambda one: stats.slope(one.pairs), math.ulp(0.0), None)


def exponent_within(cases, least=None, most=None):
    """The mean of y (or another middle of it) grows as a power of x between the two; None: no limit."""
    return slopes(cases, "exponent", lambda one: stats.exponent(one.pairs, one.middle), least, most)


def mean_within(cases, factor):
    """A mean of samples against the paper's number: within a factor of it, with the whole interval of the mean."""
    for one in cases:
        found = stats.mean_interval(one.samples)
        if found.low is None:
            yield Verdict(one.label, UNDECIDED, f"mean {show(found.mean)} of {found.n}: fewer than {stats.LEAST} samples have no interval")
            continue
        yield Verdict(one.label, decide(found.low, found.high, one.theirs / factor, one.theirs * factor),
                      f"mean {show(found.mean)} [{show(found.low)}, {show(found.high)}] of {found.n}, the paper's {show(one.theirs)}")


def not_rising(cases):
    """Numbers without scatter: none is above the one before."""
    for one in cases:
        fits = all(b <= a + 1e-12 for a, b in zip(one.values, one.values[1:]))
        yield Verdict(one.label, AGREES if fits else DIFFERS, ", ".join(map(show, one.values)))


def order_of(cases, names):
    """Means in this order, the largest first; by differences of runs with the same failures."""
    for one in cases:
        worst, said = AGREES, []
        for large, small in zip(names, names[1:]):
            found = stats.mean_interval([a - b for a, b in zip(one.samples[large], one.samples[small])])
            if found.low is None:
                worst, said = UNDECIDED, [f"{found.n} runs are too few"]
                break
            this = AGREES if found.low > 0 else DIFFERS if found.high < 0 else UNDECIDED
            worst = max(worst, this, key=(AGREES, UNDECIDED, DIFFERS).index)
            said.append(f"{large} - {small} {show(found.mean)} [{show(found.low)}, {show(found.high)}]")
        yield Verdict(one.label, worst, "; ".join(said))


RULES = {"same-count": same_count, "same-set": same_set, "near": near, "ratio-within": ratio_within, "slope-not-zero": slope_not_zero,
         "exponent-within": exponent_within, "mean-within": mean_within, "not-rising": not_rising, "order-of": order_of}


def all_of(verdicts):
    """One for several cases: it differs if one does; it agrees if all do."""
    found = [one.verdict for one in verdicts]
    return DIFFERS if DIFFERS in found else AGREES if found and set(found) == {AGREES} else UNDECIDED
