"""The protocols of libelc against each other: what they add to a message by its size (the paper's Fig. 8 shows it for a matrix product), and
how long their lines take, with what is in transit."""
import tempfile

import elc
from measure import SPREAD, bench_program, show
from plots.common.stats import LEAST, interval
from series import Figure, cost

PROTOCOLS = ("events", "tagging", "tagging-copy", "markers")
MODES = ("off", *PROTOCOLS)


def by_size(mode):
    """{bytes: microseconds} of bench/elc_sizes.c; "off": without ELC_DIR, so that calls pass through."""
    with tempfile.TemporaryDirectory() as folder:
        said = bench_program("elc_sizes", ranks=2, **({"ELC_DIR": folder, "ELC_PROTOCOL": mode} if mode != "off" else {}))
    return {int(size): float(us) for size, us in (line.split() for line in said.splitlines())}


def turning(rounds, modes, once):
    """Per round one run of each mode, in an order that turns, after a warm-up of each."""
    for mode in modes:
        once(mode, 0)
    found = []
    for i in range(rounds):
        order = [modes[(i + k) % len(modes)] for k in range(len(modes))]
        found.append({mode: once(mode, i) for mode in order})
    return found


def growth(found, mode, smallest, largest):
    """In words: does what this protocol adds to a message grow with its size? By what is added in the same round."""
    more = [(r[mode][largest] - r["off"][largest]) - (r[mode][smallest] - r["off"][smallest]) for r in found]
    text = f"{mode}: {show(more, '{:+.2f} us'.format)} more at {largest} bytes than at {smallest}"
    if len(more) < LEAST:
        return f"{text}: no conclusion from so few rounds"
    _, low, high, _ = interval(more)
    return f"{text}: " + ("it grows" if low > 0 else "it shrinks" if high < 0 else "no growth is seen above the noise")


def size_name(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def sizes(report, rounds):
    found = turning(rounds, MODES, lambda mode, _: by_size(mode))
    all_sizes = sorted(found[0]["off"])

    def of(mode, size):
        return [r[mode][size] for r in found]

    report.table(f"A message between 2 processes by its size: {rounds} rounds of no library, {', '.join(PROTOCOLS)}, without lines; "
                 f"microseconds, {SPREAD}", ("size", "no library", *(f"{mode} add{'' if mode.endswith('s') else 's'}" for mode in PROTOCOLS)),
                 ((size_name(size), Figure("time", of("off", size), "{:.2f}"),
                   *(show([with_it - off for with_it, off in zip(of(mode, size), of("off", size))], "{:+.2f}".format) for mode in PROTOCOLS))
                  for size in all_sizes))
    report.table("The same as ratios to no library", ("size", *PROTOCOLS),
                 ((size_name(size), *(cost([with_it / off for with_it, off in zip(of(mode, size), of("off", size))]) for mode in PROTOCOLS))
                  for size in all_sizes))
    for mode in PROTOCOLS:
        report.say(growth(found, mode, all_sizes[0], all_sizes[-1]))


def lines(report, rounds):
    """Runs of the paper's programs with four lines: what a line takes from its first request until rank 0 knows of the commit."""
    def rows():
        for name in elc.PROGRAMS:
            found = turning(rounds, PROTOCOLS, lambda mode, i, name=name: elc.once(name, "checkpoint", 1 + i, ELC_PROTOCOL=mode))
            for mode in PROTOCOLS:
                runs = [r[mode] for r in found if int(r[mode]["committed"])]
                per_line = {word: [float(run[word]) / int(run["committed"]) for run in runs]
                            for word in ("line_s", "identify_s", "all_transit", "all_transit_bytes", "all_orphans")}
                if not runs:
                    yield (name, mode, *["no line was taken"] * 5, 0)
                    continue
                yield (name, mode, Figure("time", [1e3 * s for s in per_line["line_s"]], "{:.2f}"),
                       Figure("time", [1e6 * s for s in per_line["identify_s"]], "{:.1f}"),
                       *(show(per_line[word], "{:.1f}".format) for word in ("all_transit", "all_transit_bytes", "all_orphans")), len(runs))

    report.table(f"Lines by protocol on 2 processes: {rounds} rounds of {', '.join(PROTOCOLS)} with the same places of their {elc.LINES} "
                 f"lines, per line; times of process 0, messages of both, {SPREAD}",
                 ("program", "protocol", "request to commit, ms", "identification, us", "in transit", "bytes of these",
                  "orphans", "runs with lines"), rows(), names=2)


def costs(report, rounds):
    sizes(report, rounds)
    lines(report, rounds)
