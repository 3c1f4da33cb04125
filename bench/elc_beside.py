"""What libelc hides by writing beside the computation (ELC_WRITE): the same runs with lines that the program waits for, with lines that a thread
writes, and without lines, in turn."""
import elc
from checkpoints import hidden_text
from elc_protocols import turning
from measure import SPREAD
from plots.common.stats import LEAST
from series import Figure, cost

# Some MiB of state a process.
PROGRAMS = {
    "gauss_jordan": ("--size", "2000"),
    "matmul": ("--size", "1200"),
}
WAYS = ("none", "waiting", "beside")


def once(name, way, seed):
    if way == "none":
        return elc.once(name, "protocol", seed, arguments=PROGRAMS[name])
    return elc.once(name, "checkpoint", seed, arguments=PROGRAMS[name], ELC_WRITE=way)


def per_line(rounds, way, word):
    return [float(r[way][word]) / int(r[way]["committed"]) for r in rounds]


def row(name, rounds):
    """Of rounds in which both ways have committed the same number of lines."""
    same = [r for r in rounds if int(r["waiting"]["committed"]) == int(r["beside"]["committed"]) > 0]
    if not same:
        return (name, " ".join(PROGRAMS[name]), f"0 of {len(rounds)}", *["no round with the same lines"] * 9)
    seconds = {way: [float(r[way]["seconds"]) for r in same] for way in WAYS}
    stopped = [per_line(same, way, "stopped_s") for way in WAYS[1:]]
    loops = [(w - n, b - n) for n, w, b in zip(*(seconds[way] for way in WAYS))]
    slower = [b / w for w, b in zip(seconds["waiting"], seconds["beside"])]

    def ms(values):
        return Figure("time", [1e3 * value for value in values], "{:.2f}")

    return (name, " ".join(PROGRAMS[name]), f"{len(same)} of {len(rounds)}", Figure("time", seconds["none"], "{:.3f}"),
            cost(slower), *map(ms, stopped), hidden_text(list(zip(*stopped))), hidden_text(loops),
            ms(per_line(same, "beside", "write_s")), *(ms(per_line(same, way, "line_s")) for way in WAYS[1:]))


def costs(report, rounds):
    def rows():
        for name in PROGRAMS:
            yield row(name, turning(rounds, WAYS, lambda way, i, name=name: once(name, way, 1 + i)))

    few = f"; fewer than {LEAST} rounds give no conclusion" if rounds < LEAST else ""
    report.table(f"Lines that are written beside the computation, on 2 processes: {rounds} rounds of no lines, {elc.LINES} lines that the program waits for, "
                 f"and {elc.LINES} that a thread writes, at the same places; times are of process 0, per line, {SPREAD}{few}",
                 ("program", "arguments", "rounds with the same lines", "no lines, s", "run time, beside / waiting", "stood still, waiting, ms",
                  "stood still, beside, ms", "hidden, by this", "hidden, by the run time", "writing beside, ms", "cut to commit known, waiting, ms",
                  "cut to commit known, beside, ms"), rows(), names=2)
