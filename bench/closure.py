"""The closure alone, on as many roles as no machine here could run."""
from measure import SPREAD, bench_numbers
from series import Figure

EDGES = (16, 32, 64, 100)  # of a cube of roles


def once(edge):
    """(roles, channels, rounds, seconds to sort, seconds of the closure, peak bytes of the process)."""
    return bench_numbers("closure", edge)


def costs(report, times):
    def rows():
        for edge in EDGES:
            found = [once(edge) for _ in range(times)]
            roles, channels, rounds = (int(n) for n in found[0][:3])
            yield (f"{roles:,}", f"{channels:,}", rounds, Figure("time", [f[3] for f in found], "{:.4f}"),
                   Figure("time", [f[4] for f in found], "{:.4f}"), f"{max(f[5] for f in found) / 1e6:.1f}")

    report.table("Closure: a torus of roles without a log, one death, all go back; one core, "
                 f"{times} runs, {SPREAD}",
                 ("roles", "channels", "rounds", "sorting the channels, s", "closure, s", "peak memory, MB"), rows())
