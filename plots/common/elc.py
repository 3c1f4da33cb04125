"""What records of runs with --protocol say (docs/event-logging.md): in which mode a run was, whether it is right, and which runs form pairs."""

import pathlib

from plots.common.command import read_made
from plots.common.runs import repetition
from plots.common.stats import median

UNLIKE = ("lines", "every")  # options in which the runs of a pair differ


def mode(record):
    """As the event-logging paper calls it: source, protocol or checkpoint; with the protocol where that is not event logging."""
    if record["protocol"] in ("source", "off"):
        return record["protocol"]
    with_lines = any(name in record["params"] for name in UNLIKE) or record["line_interval_s"] is not None
    return ("checkpoint" if with_lines else "protocol") + ("" if record["protocol"] == "events" else f", {record['protocol']}")


def is_right(record):
    """It ended as it must, and with the result of the run that it is compared with, if it is."""
    return record["status"] == "ok" and (record.get("compared") or {"equal": True})["equal"]


def options(record):
    """What its problem is beside its size: (name, value) of each option in which neither the runs of a pair nor repetitions differ."""
    return tuple(sorted((name, value) for name, value in record["params"].items() if name not in (*UNLIKE, "size", "seed")))


class CostModel:
    """The event-logging paper's (Sect. 4.1), with what a record of `rollbench envelopes` has measured here."""

    def __init__(self, measured):
        self.cpu = measured["host"]["cpu"]
        many = max(one["events"] for one in measured["logs"])
        self.log_s = {one["form"]: 1e-9 * median(one["ns"]) for one in measured["logs"] if (one["kinds"], one["events"]) == (64, many)}
        self.compare_s = 1e-9 * median([ns for one in measured["searches"] for ns in one["ns"]])

    def costs(self, form, events, lines, np):
        """Seconds of a process that logs so many events and takes so many lines: (logging, identification by sequential search). It sends to each other
        process as many as it receives from it, and as many in each interval, and all that was sent is received."""
        peers = max(np - 1, 1)
        n = events / 2 / peers / (lines + 1)
        return events * self.log_s[form], lines * peers * n * (n + 3) / 4 * self.compare_s


def cost_model(results):
    """With what was measured beside these results; None if nothing was."""
    path = pathlib.Path(results).resolve().parent / "envelopes" / "envelopes.json"
    return CostModel(read_made(path, "rollbench-envelopes-1", f"make it: ./rollbench envelopes --json {path}")) if path.exists() else None


def is_sample(record):
    """A right run in one job: that of a killed or resumed run has a part of its seconds and counts."""
    return is_right(record) and not record["plan"] and not record.get("restarts") and not record.get("resumed")


def apart(record):
    """What tells a run from others of its mode."""
    return (repetition(record["id"]), *sorted((name, value) for name, value in record["params"].items() if name not in UNLIKE))


def cost(record, model):
    """Seconds by the model of a run with event logging and lines, of its process with the most events; None of another one. A collective function is
    an event, although it is not searched for: the expectation is rather too high."""
    if record["protocol"] != "events" or not record["lines_committed"] or not record["processes"]:
        return None
    events = max(process["events"] for process in record["processes"])
    return sum(model.costs(record["log_form"], events, record["lines_committed"], record["np"]))


def times(records, model=None):
    """{(kernel, processes, options): {size: {mode: {repetition and all other options: seconds}}}} of samples. With a model also the mode `expected`:
    what runs with lines cost by it, and the seconds of the same without the library."""
    found, more = {}, []
    for record in filter(is_sample, records):
        of_sizes = found.setdefault((record["kernel"], record["np"], options(record)), {})
        of_modes = of_sizes.setdefault(record["result"]["size"], {})
        of_modes.setdefault(mode(record), {})[apart(record)] = record["result"]["seconds"]
        if model and (seconds := cost(record, model)) is not None:
            more.append((of_modes, apart(record), seconds))
    for of_modes, key, seconds in more:
        if key in of_modes.get("source", {}):
            of_modes.setdefault("expected", {})[key] = of_modes["source"][key] + seconds
    return {key: dict(sorted(of_sizes.items())) for key, of_sizes in sorted(found.items())}


def told_apart(found):
    """{(kernel, options): words}: the kernel, and the options in which those of it differ, that others have otherwise or lack."""
    of = {}
    for kernel, its in found:
        of.setdefault(kernel, set()).add(its)
    return {(kernel, one): ", ".join((kernel, *(f"{name} {value}" for name, value in one if any((name, value) not in other for other in several))))
            for kernel, several in of.items() for one in several}


def pairs(of_modes, first, second="source"):
    """[(seconds in one mode, seconds in the other)] of runs with the same options, the seed included."""
    return [(seconds, of_modes[second][key]) for key, seconds in of_modes.get(first, {}).items() if key in of_modes.get(second, {})]


def crossing(records):
    """{(kernel, what else its lines depend on): {processes: [record]}} of samples in which lines were committed."""
    found = {}
    for record in records:
        if is_sample(record) and record["lines_committed"] and record["processes"]:
            more = {"size": record["result"]["size"], "protocol": record["protocol"], "log": record["log_form"], "interval": record["line_interval_s"],
                    **{name: record["params"].get(name) for name in UNLIKE}}
            what = (*options(record), *((name, str(value)) for name, value in more.items() if value is not None))
            found.setdefault((record["kernel"], what), {}).setdefault(record["np"], []).append(record)
    return {key: dict(sorted(by_np.items())) for key, by_np in sorted(found.items())}


def a_line(record, count):
    """What crossed, for each line that was committed: this count, summed over the processes."""
    return sum(process[count] for process in record["processes"]) / record["lines_committed"]


def slowest(record, *seconds):
    """Milliseconds of a line, the mean over the lines, of the process with the largest sum of these."""
    return 1e3 * max(sum(process[name] for name in seconds) for process in record["processes"]) / record["lines_committed"]


def sharing(records):
    """The numbers of processes of those runs that had more of them than cores."""
    return sorted({record["np"] for record in records if record["oversubscribed"]})
