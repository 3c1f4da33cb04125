"""The tables of runs with --line (docs/event-logging.md): {name: where in a row it stands, as export/table.py has it}, and their rows."""
from plots.common.json_text import is_number
from plots.export.table import line
from plots.export.trace_cut import items

RUNS = {
    "id": "id", "key": "key", "status": "status", "message": "message", "equal": "compared.equal", "reference": "compared.reference",
    "program": "program", "kernel": "kernel", "arguments": "arguments", "np": "np", "protocol": "protocol", "log": "log",
    "line_interval_s": "line_interval_s", "plan": "plan", "unfired": "#unfired", "restarts": "restarts", "lines_committed": "lines_committed",
    "hash": "result.hash", "size": "result.size", "checks": "result.checks", "seconds": "result.seconds",
    "safe_points": "sum.safe_points", "events": "sum.events", "transit": "sum.transit", "transit_bytes": "sum.transit_bytes",
    "orphans": "sum.orphans", "results": "sum.results", "served": "sum.served", "cpu_s": "sum.cpu_s", "identify_max_s": "max.identify_s", "stopped_max_s": "max.stopped_s",
    "write_max_s": "max.write_s", "line_max_s": "max.line_s",
    "wall_s": "wall_s", "deadline_s": "deadline_s", "oversubscribed": "oversubscribed", "host": "host.hostname", "cpu": "host.cpu",
    "cores": "host.cores", "mpi": "host.mpi", "mpirun": "host.mpirun", "compiler": "host.compiler", "flags": "host.flags",
    "commit": "host.commit",
}

JOBS = {
    "id": "id", "job": "number", "end": "end", "wall_s": "wall_s", "restored": "restored", "struck": "struck", "death_rank": "death.rank",
    "death_moment": "death.moment", "death_safe_points": "death.safe_points", "death_line": "death.line",
}

PROCESSES = {
    "id": "id", "rank": "rank", "binding": "binding", "safe_points": "safe_points", "events": "events", "committed": "committed",
    "transit": "transit", "transit_bytes": "transit_bytes", "orphans": "orphans",
    "results": "results", "served": "served", "identify_s": "identify_s", "stopped_s": "stopped_s", "write_s": "write_s",
    "line_s": "line_s", "seconds": "seconds", "cpu_s": "cpu_s",
}


def gathered(processes, key, how):
    """None if a process lacks the value, or if there is none."""
    values = [items(one, dict).get(key) for one in processes]
    return how(values) if values and all(is_number(value) for value in values) else None


def run_rows(record):
    processes = items(record.get("processes"))
    yield line(RUNS, {**record, **{name: {path.split(".")[1]: gathered(processes, path.split(".")[1], how) for path in RUNS.values()
                                          if path.startswith(f"{name}.")} for name, how in (("sum", sum), ("max", max))}})


def job_rows(record):
    for number, job in enumerate(items(record.get("jobs")), 1):
        yield line(JOBS, {**items(job, dict), "id": record.get("id"), "number": number})


def process_rows(record):
    for one in items(record.get("processes")):
        yield line(PROCESSES, {**items(one, dict), "id": record.get("id")})


TABLES = (("runs.csv", RUNS, run_rows), ("jobs.csv", JOBS, job_rows), ("processes.csv", PROCESSES, process_rows))
