"""What event-logging checkpoints cost: the paper's four programs without the library (source), with it (protocol) and with four lines
(checkpoint), beside what its cost model expects; and the core alone."""
import json
import os
import re
import subprocess
import sys
import tempfile

from measure import BUILD, SPREAD, bench_numbers, bench_program, interleave, mpirun, show
from plots.common import elc
from plots.common.stats import median
from series import Figure, cost

GOAL = 0.005  # of protocol over source
LINES = 4  # as in the paper
# 0.06 to 0.25 s on 2 free cores. With larger matrices, which do not stay in the caches, a run differs by 5 to 10 % from the next.
PROGRAMS = {
    "gauss_jordan": ("--size", "1200"),
    "matmul": ("--size", "768"),
    "matmul, one message": ("--size", "768", "--columns", "0"),
    "neurons": ("--size", "2000", "--steps", "2000"),
    "disks": ("--size", "64", "--sweeps", "20", "--passes", "4"),
}
MODES = ("source", "protocol", "checkpoint")


def once(name, mode, seed, arguments=None, wait="yield", **more):
    """{word: text} of the line that the program prints, and what the library counted (ELC_REPORT)."""
    program = name.split(",")[0]
    path = BUILD / ("elc/source" if mode == "source" else "elc/programs") / program
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ELC_REPORT": "1", **({"ELC_DIR": folder} if mode != "source" else {}), **more}
        lines = ("--lines", str(LINES)) if mode == "checkpoint" else ()
        done = subprocess.run([*mpirun(2, wait), str(path), *(arguments or PROGRAMS[name]), "--seed", str(seed), *lines], env=environment,
                              capture_output=True, text=True, check=False)
    found = re.search(rf"^{program} ((?:\w+ \S+ ?)+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        sys.exit(f"{path}: exit {done.returncode}; `make bench` builds it\n{done.stderr}")
    counted = re.search(r"elc: rank 0: counted ((?:\w+ \S+ ?)+)$", done.stderr, re.M)
    words = (found[1] + " " + (counted[1] if counted else "")).split()
    return {**dict(zip(words[::2], words[1::2])), **of_all_ranks(done.stderr)}


def of_all_ranks(said):
    """Sums over the processes: {all_transit: ...} of what each says with ELC_REPORT."""
    return {f"all_{word}": sum(int(n) for n in re.findall(rf"elc: rank \d+: counted .* {word} (\d+) ", said))
            for word in ("transit", "transit_bytes", "orphans")}


def samples(name, rounds):
    """Per round one run of each mode, in an order that turns; the same seed, and so the same result, within a round."""
    found = []
    for mode in MODES:
        once(name, mode, 1, wait="default")
    for i in range(rounds):
        order = [MODES[(i + k) % len(MODES)] for k in range(len(MODES))]
        runs = {mode: once(name, mode, 1 + i, wait="default") for mode in order}
        assert len({run["hash"] for run in runs.values()}) == 1, f"{name}: {runs}"
        found.append(runs)
    return found


def core():
    """{name: value} of bench/elc_core.c."""
    return {name: float(value) for name, value in (line.split() for line in bench_program("elc_core").splitlines())}


def envelopes():
    """The record of `rollbench envelopes`."""
    done = subprocess.run([BUILD / "rollbench", "envelopes", "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{BUILD}/rollbench envelopes: {done.stderr.strip()}")
    return json.loads(done.stdout)


def expected(run, source, model):
    """By the paper's cost model, as ratios to source: (logging, logging and identification by sequential search). Rank 0's numbers."""
    logging, searching = model.costs("counted", int(run["events"]), int(run["committed"]), int(run["np"]))
    return 1 + logging / source, 1 + (logging + searching) / source


def calls_of_one(protocol):
    """Nanoseconds of CPU time of one process: a message to itself (blocking, nonblocking), a safe point, and one where waiting processes yield."""
    with tempfile.TemporaryDirectory() as folder:
        more = {"ELC_DIR": folder} if protocol else {}
        alone = bench_numbers("elc_calls", ranks=1, wait="default", **more)
        return *alone, bench_numbers("elc_calls", ranks=1, **more)[-1]


CALLS = ("MPI_Recv of a message to itself", "MPI_Irecv and MPI_Waitall of messages to itself", "elc_safe_point", "elc_safe_point, with mpi_yield_when_idle")


def calls(report, times):
    """What the library adds to a call: one process, so nobody is waited for. Returns the seconds of (an event, a safe point)."""
    pairs = interleave(lambda: calls_of_one(False), lambda: calls_of_one(True), times)
    report.table(f"libelc in calls: CPU time of one process, {times} pairs, {SPREAD}", ("call", "without, ns", "with, ns", "added, ns"),
                 ((name, show([a[i] for a, _ in pairs], "{:.0f}".format), show([b[i] for _, b in pairs], "{:.0f}".format),
                   Figure("time", [b[i] - a[i] for a, b in pairs], "{:.0f}")) for i, name in enumerate(CALLS)))
    message, point = (1e-9 * median([b[i] - a[i] for a, b in pairs]) for i in (0, 2))
    return message / 2, point  # a message is two events


def core_tables(report, c, measured):
    report.table("libelc without MPI: CPU time", ("what", "value"), (
        *((f"logging an envelope (T_log), {one['form']}, {one['kinds']} kinds, {one['events']} events", Figure("time", one["ns"], "{:.1f} ns"))
          for one in measured["logs"]),
        *((f"one comparison of the paper's sequential search (T_m), {one['received']} of {one['sent']}", Figure("time", one["ns"], "{:.2f} ns"))
          for one in measured["searches"]),
        *((f"its comparisons, {one['received']} of {one['sent']}: counted / R(2N-R+3)/4 / as the paper prints it",
           f"{median(one['comparisons']):.0f} / {one['removed']:.0f} / {one['printed']:.0f}") for one in measured["searches"]),
        *((f"identification of 1,000,000 envelopes: {name.split('_', 1)[1].replace('_', ', ')}", f"{value:.1f} ms")
          for name, value in c.items() if name.startswith("identify_")),
        *((f"catching {name.split('_')[1]} messages of {name.split('_')[2]} kinds, for one", f"{value:.0f} ns")
          for name, value in c.items() if name.startswith("catch_"))))


def seconds(found, mode):
    return [float(runs[mode]["seconds"]) for runs in found]


def modes(report, rounds, measured, event_s, point_s):
    def rows():
        for name in PROGRAMS:
            found = samples(name, rounds)
            source = seconds(found, "source")
            ratios = {mode: [a / b for a, b in zip(seconds(found, mode), source)] for mode in MODES[1:]}
            last = found[-1]["checkpoint"]
            middle = median(source)
            logging, sequential = expected(last, middle, model)
            calls_too = (int(last["events"]) * event_s + int(last["safe_points"]) * point_s) / middle
            yield (name, " ".join(PROGRAMS[name]), Figure("time", source, "{:.3f}"), cost(ratios["protocol"], GOAL),
                   cost(ratios["checkpoint"]) if int(last["committed"]) else "no line was taken",
                   last["events"], last["safe_points"], f"{100 * (logging - 1):+.4f} %", f"{100 * calls_too:+.4f} %", f"{100 * (sequential - 1):+.3f} %",
                   last["committed"], last["transit"], last["transit_bytes"], f"{1e3 * float(last['identify_s']):.3f}", f"{1e3 * float(last['write_s']):.1f}",
                   f"{1e3 * float(last['line_s']):.1f}")

    model = elc.CostModel(measured)
    report.table(f"Event-logging checkpoints on 2 processes: {rounds} rounds of source, protocol and checkpoint ({LINES} lines), {SPREAD}; "
                 "numbers from the events on are of process 0 in the last run with lines",
                 ("program", "arguments", "source, s", f"protocol (goal {100 * GOAL:g} %)", "checkpoint", "events", "safe points",
                  "expected: T_log N_m", "expected: what is added to calls and safe points", "expected: T_log N_m and the paper's search", "lines",
                  "in transit", "bytes of these", "identification, ms", "writing, ms", "first request to commit, ms"), rows(), names=2)


def costs(report, rounds):
    c, measured = core(), envelopes()
    core_tables(report, c, measured)
    modes(report, rounds, measured, *calls(report, rounds))
