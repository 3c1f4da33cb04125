"""The tables of runs with --protocol (docs/event-logging.md): their columns and rows."""
from plots.common.json_text import is_number
from plots.export import kills, rows
from plots.export.column import ID, Table, integer, logical, of_kernel_or_not, seconds, size, text
from plots.export.table import line
from plots.export.trace_cut import items

COUNTS = {  # of a process
    "safe_points": integer("safe_points", "places where its state was complete, since the beginning of the program"),
    "events": integer("events", "sends, receives and collective functions that were logged"),
    "transit": integer("transit", "messages to it in transit at the lines"),
    "transit_bytes": size("transit_bytes", "of these messages"),
    "orphans": integer("orphans", "messages that were received before a line and are sent again after it"),
    "results": integer("results", "of collective functions, in the lines"),
    "served": integer("served", "results of collective functions that came from a line after the restart"),
}
TIMES = {
    "identify_s": seconds("identify_s", "closing the logs and identification"),
    "stopped_s": seconds("stopped_s", "while the program stood still for what is copied or written"),
    "write_s": seconds("write_s", "writing files, beside the computation"),
    "line_s": seconds("line_s", "from its cuts until it knew of the commits"),
}
CPU = seconds("cpu_s", "CPU time of all threads after the set-up")


def gathered_columns(columns, how, name, meaning):
    """What processes have, gathered over those of the last job."""
    return {name(key): type(one)(f"{how}.{one.path}", one.type, one.unit, f"{one.meaning}; {meaning}") for key, one in columns.items()}


RUNS = of_kernel_or_not({
    "kernel": text("kernel", "name of the program of elc/programs, or of the kernel"),
    "params": text("params_text", "its options as name=value with blanks between them; one a row in params.csv"),
    "np": integer("np", "processes"),
    "protocol": text("protocol", "off, source, events, tagging, tagging-copy or markers"),
    "log_form": text("log_form", "form of the envelope logs: counted or list; empty: no protocol"),
    "line_interval_s": seconds("line_interval_s", "between lines; empty: the program asks for them"),
    "plan": text("plan", "planned kills as options, one for each job in turn; one a row in kills.csv"),
    "unfired": integer("#unfired", "those that no job came to"),
    "restarts": integer("restarts", "jobs but the first"),
    "lines_committed": integer("lines_committed", "of all jobs"),
    "state_hash": text("state_hash", "of the result; of a kernel: of its final state"),
    "size": integer("result.size", "of the problem; of a kernel: its iterations"),
    "checks": logical("result.checks", "the program's own checks hold"),
    "seconds": seconds("result.seconds", "of the last job, without the set-up"),
    **gathered_columns({**COUNTS, "cpu_s": CPU}, "sum", str, "summed over the processes of the last job"),
    **gathered_columns(TIMES, "max", lambda name: f"{name[:-2]}_max_s", "of the process of the last job with the largest value"),
})

KILLS = {
    "id": ID,
    "job": integer("job", "that it is for, from 1"),
    "option": text("option", "as a value of --kill, or of --kill-at if at_s is not empty"),
    "rank": integer("rank", "that is killed"),
    "safe_point": integer("safe_point", "from 0, at which it is killed"),
    "phase": text("phase", "in the first such phase from then on"),
    "at_s": seconds("at_s", "of --kill-at: when the signal is sent"),
    "at_start": logical("at_start", "of --kill-at: counted from the start of all processes (start+S), not from when all are at the end of elc_restarted()"),
    "fired": logical("fired", "a job came to the kill"),
}

JOBS = {
    "id": ID,
    "job": integer("number", "number of the job in its run, from 1"),
    "end": text("end", "finished, killed (as planned), died or hung"),
    "wall_s": seconds("wall_s", "with the start of the MPI"),
    "restored": integer("restored", "the line that it went on from, 0: from the beginning; empty: nobody has said it"),
    "struck": text("struck", "kills by the clock that were sent, with blanks between them"),
    "death_rank": integer("death.rank", "that was killed at a point of the program; this and what follows is empty if none was"),
    "death_phase": text("death.phase", "in which it was killed"),
    "death_safe_point": integer("death.safe_point", "at which it was, from 0"),
    "death_line": integer("death.line", "the newest line that it knew to be committed"),
}

PROCESSES = {
    "id": ID,
    "rank": integer("rank", "number of the process"),
    "binding": text("binding", "its processing units"),
    "committed": integer("committed", "lines"),
    **COUNTS, **TIMES,
    "seconds": seconds("seconds", "from the end of the set-up to MPI_Finalize()"),
    "cpu_s": CPU,
}


def gathered(processes, key, how):
    """None if a process lacks the value, or if there is none."""
    values = [items(one, dict).get(key) for one in processes]
    return how(values) if values and all(is_number(value) for value in values) else None


def run_rows(record):
    processes, paths = items(record.get("processes")), [column.path.split(".") for column in RUNS.values()]
    of_all = {name: {path[1]: gathered(processes, path[1], how) for path in paths if path[0] == name} for name, how in (("sum", sum), ("max", max))}
    yield line(RUNS, {**record, "params_text": rows.params_text(record), **of_all})


def kill_rows(record):
    for kill in kills.of_elc_run(record):
        yield line(KILLS, kill)


def job_rows(record):
    for number, job in enumerate(items(record.get("jobs")), 1):
        yield line(JOBS, {**items(job, dict), "id": record.get("id"), "number": number})


def process_rows(record):
    for one in items(record.get("processes")):
        yield line(PROCESSES, {**items(one, dict), "id": record.get("id")})


TABLES = (
    Table("runs", "one row per run", ("id",), RUNS, run_rows),
    Table("params", "one row per option of a run's program", ("id", "name"), rows.columns.PARAMS, rows.param_rows),
    Table("kills", "one row per process that a kill is planned for", ("id", "job", "rank"), KILLS, kill_rows),
    Table("jobs", "one row per job", ("id", "job"), JOBS, job_rows),
    Table("processes", "one row per process of the last job; none without protocol", ("id", "rank"), PROCESSES, process_rows),
)
