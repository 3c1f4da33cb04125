"""What got slower than in another series."""
from plots.common.stats import LEAST, median, ratio  # scripts/bench knows the folder
from series import KINDS, figures, table_lines

MANY = 20  # times and rates that say how fast the machine is


def times_as_slow(now, kept):
    """The ratio of medians with its interval, above 1 if it got worse; None: too few samples, or signs that have no ratio."""
    if min(len(now.values), len(kept.values)) < LEAST or min(*now.values, *kept.values) <= 0:
        return None
    return ratio(now.values, kept.values) if now.better_if_less else ratio(kept.values, now.values)


def compare(now, kept):
    """([(part, row, column, figure now, kept, times_as_slow())], the names of the figures that the kept series has alone). Series of different machines
    have only ratios in common."""
    compared, gone = [], []
    for part in (name for name in now if name in kept):
        alike = all(now[part][key] == kept[part][key] for key in ("host", "settings"))
        after = figures(now[part])
        for (row, column), other in figures(kept[part]).items():
            figure = after.get((row, column))
            if not figure or other.kind != figure.kind:
                gone.append(f"{part}: {row}: {column}")
                continue
            found = times_as_slow(figure, other) if alike or figure.in_turn else None
            if found is not None:
                compared.append((part, row, column, figure, other, found))
    return compared, gone


def of_the_machine(compared):
    """How many times as slow the machine is in the median of all times and rates; None: of fewer than MANY nothing is said."""
    times = [found.median for *_, figure, _, found in compared if not figure.in_turn]
    return median(times) if len(times) >= MANY else None


def beyond(compared):
    """Those whose whole interval is beyond the margin: (slower, faster). For times and rates the margin begins where the machine stands, if that is slower
    (or faster): if the median of all times changes, it says so for all of them at once."""
    machine = of_the_machine(compared) or 1

    def stands(figure, bound):
        return 1 if figure.in_turn else bound(1, machine)

    return ([one for one in compared if one[5].low > stands(one[3], max) * (1 + one[3].margin)],
            [one for one in compared if one[5].high < stands(one[3], min) / (1 + one[3].margin)])


def differences(now, kept):
    """In words, what differs of the machine, the build and the settings."""
    return sorted({f"{key}: {kept[part][of].get(key)} there, {now[part][of].get(key)} here" for part in now if part in kept for of in ("host", "settings")
                   for key in {**kept[part][of], **now[part][of]} if kept[part][of].get(key) != now[part][of].get(key)})


def report(now, kept):
    """Lines of Markdown: what got slower and faster than in the kept series."""
    yield "\n## Against the kept series\n"
    if not any(name in kept for name in now):
        yield "It has none of these parts: nothing is compared."
        return
    compared, gone = compare(now, kept)
    if foreign := differences(now, kept):
        yield (f"It was measured in another way ({'; '.join(foreign)}). So only ratios of things that were measured in turn are compared, and these may "
               "depend on that, too.\n")
    margins = "; ".join(f"{kind} {100 * margin:.0f} %" for kind, (_, _, margin) in KINDS.items())
    yield (f"{len(compared)} figures are compared that have {LEAST} samples or more in both series. A figure is slower (or larger) or faster if the 95 % "
           f"interval of the ratio of both medians lies beyond a margin by which series of the same programs differ: {margins}.")
    if machine := of_the_machine(compared):
        yield (f"\nIn the median of all times and rates the machine is {machine:.2f} times as slow as then; of these, only what differs from this beyond the "
               "margin is named. If the machine is the same, everything is slower.")
    if gone:
        yield f"\nOnly in the kept series: {'; '.join(gone)}."
    for word, some in zip(("slower", "faster"), beyond(compared)):
        yield f"\n{word}: {len(some) or 'none'}"
        if some:
            yield ""
            rows = [(*cells, f"{found.median:.2f} [{found.low:.2f}, {found.high:.2f}]") for *cells, found in some]
            yield from table_lines(("part", "row", "figure", "now", "kept", "times as slow"), rows)
