"""The report's statistics of recoveries: medians and their bootstrap intervals, by problem."""
from plots.report.blocks import Fold, Table, Text, number
from plots.common.runs import BAD, ESCALATED, TROUBLE, by_label, groups, is_good, recomputed, why_not
from plots.common.stats import LEAST, show

ROUNDS = 1000


def digits(value):
    return "<0.01" if 0 < value < 0.01 else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def spread(values, scale=1):
    """Median and its interval, or the range of a few values."""
    values = [scale * v for v in values if v is not None]
    if not values:
        return "-"
    return digits(values[0]) if min(values) == max(values) else show(values, digits, ROUNDS)


def recovery_row(how, runs):
    right = [r for r in runs if is_good(r)]
    good = [r for r in right if r["failures"]]
    failures = [f for r in good for f in r["failures"]]
    times = [[f.get(key) for f in failures]
             for key in ("detect_s", "repair_s", "restore_s", "replay_s", "catchup_s", "restored_s")]
    why = [why_not(r) for r in runs]
    return [how, str(len(good)), number(why.count(BAD), "bad"), number(why.count(TROUBLE), "bad"), number(why.count(ESCALATED), "warn"),
            str(len(right) - len(good)),
            spread([recomputed(r) for r in good]),
            spread([len(f["rollback_set"]) for f in failures]),
            *(spread(values, 1000) for values in times)]


def tables(experiments):
    for e in experiments:
        for problem, records in groups([r for r in e.samples if r["plan"]]).items():
            yield Table(f"{e.name}: {problem}".replace("\n", ", "),
                        ["recovered by", "runs", BAD, TROUBLE, ESCALATED, "no role died",
                         "iterations computed again", "roles rolled back", "detect", "repair", "restore",
                         "replay", "catch up", "until all restored"],
                        [recovery_row(how, mine) for how, mine in by_label(records).items()])


def recoveries(experiments):
    found = list(tables(experiments))
    if not found:
        yield Text("No run with a failure is among these records.")
        return
    yield Fold("Parts of recoveries, by problem", [
        Text("Medians over the runs that are ok and equal and in which a role died (a spare is none, and a "
             "kill may never fire), with the bootstrap 95 % interval in brackets; "
             f"of fewer than {LEAST} the range in parentheses. Times in milliseconds, each the longest over "
             "the roles it concerns (`docs/record.md`). Where failing iterations vary, medians are over "
             "these, too. Warm-ups do not count."), *found])
