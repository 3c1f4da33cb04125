"""What records of runs with --protocol say (docs/event-logging.md): in which mode a run was, whether it is right, and which runs form pairs."""

from plots.common.runs import repetition

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


def times(records):
    """{(kernel, processes): {size: {mode: {repetition and all other options: seconds}}}} of right runs. A killed run has the seconds of its last job only,
    and is not here."""
    found = {}
    for record in records:
        if is_right(record) and not record["plan"]:
            rest = (repetition(record["id"]), *sorted((name, value) for name, value in record["params"].items() if name not in UNLIKE))
            of_size = found.setdefault((record["kernel"], record["np"]), {}).setdefault(record["result"]["size"], {})
            of_size.setdefault(mode(record), {})[rest] = record["result"]["seconds"]
    return {key: dict(sorted(of_sizes.items())) for key, of_sizes in sorted(found.items())}


def pairs(of_modes, first, second="source"):
    """[(seconds in one mode, seconds in the other)] of runs with the same options, the seed included."""
    return [(seconds, of_modes[second][key]) for key, seconds in of_modes.get(first, {}).items() if key in of_modes.get(second, {})]
