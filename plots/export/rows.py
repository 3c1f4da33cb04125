"""The rows that a record gives, by table."""
from plots.common import runs
from plots.common.json_text import is_number
from plots.export import columns, kills
from plots.export.column import Table
from plots.export.table import line
from plots.export.trace_cut import first_lacking, integer, items

SETS = ("rollback_set", "active", "blocked", "supporting", "sending")  # of a failure


def params_text(record):
    """Kernels have different parameters: "grid=48 steps=40"."""
    return " ".join(f"{name}={value}" for name, value in items(record.get("params"), dict).items())


def trouble_text(record):
    """"role 0: what went wrong; role 3: ..."; empty if nothing did, None if the record does not say."""
    trouble = record.get("power_trouble")
    if not isinstance(trouble, list):
        return None
    return "; ".join(f"role {integer(one.get('role'))}: {one.get('text') or ''}"
                     for one in (items(one, dict) for one in trouble))


def recomputed(record):
    """None if the run did not end, or if the record does not say."""
    of_run = {"supported": 0, **items(record.get("iterations"), dict)}
    return runs.recomputed(record) if all(is_number(of_run.get(key)) for key in ("executed", "supported", "useful")) else None


def run_rows(record):
    planned = kills.of_run(record)
    yield line(columns.RUNS, {**record, "params_text": params_text(record), "power_trouble_text": trouble_text(record), "recomputed": recomputed(record),
                              "kills": len(planned), "only": kills.only(planned)})


def param_rows(record):
    for name, value in items(record.get("params"), dict).items():
        yield line(columns.PARAMS, {"id": record.get("id"), "name": name, "value": value})


def kill_rows(record):
    for kill in kills.of_run(record):
        yield line(columns.KILLS, kill)


def failures(record):
    """(number, failure) in the order of the record."""
    return enumerate(items(one, dict) for one in items(record.get("failures")))


def failure_rows(record):
    for number, failure in failures(record):
        yield line(columns.FAILURES, {**failure, "id": record.get("id"), "number": number})


def at(values, index):
    values = items(values)
    return values[index] if index < len(values) else None


def in_sets(failure, role):
    """{set: is the role in it}; a set that the record does not have is in no table."""
    return {name: role in failure[name] for name in SETS if isinstance(failure.get(name), list)}


def by_role(groups):
    """{role: its group} of {group: roles}."""
    return {role: name for name, roles in items(groups, dict).items() for role in items(roles) if isinstance(role, int)}


def failure_role_rows(record):
    """One row per role of the run for every failure: `fronts` has them all."""
    for number, failure in failures(record):
        sources, constants = by_role(failure.get("restored_from")), by_role(failure.get("constants_from"))
        for role, front in enumerate(items(failure.get("fronts"))):
            yield line(columns.FAILURE_ROLES, {
                "id": record.get("id"), "number": number, "role": role, "front": front, "in": in_sets(failure, role),
                "distance": at(failure.get("distance"), role), "source": sources.get(role), "constants": constants.get(role)})


def add(row, key, value):
    """A sum of which a part was not measured was not measured."""
    old = row.get(key, 0)
    row[key] = old + value if is_number(value) and old is not None else None


def add_span(row, phase, span):
    add(row["in"], phase, span.get("wall_s"))
    for key in columns.SUMMED:
        add(row, key, span.get(key))


def role_rows(record):
    """From the sums over the whole run."""
    for number, role in enumerate(items(role, dict) for role in items(record.get("roles"))):
        row = {"id": record.get("id"), "role": number, "host": role.get("host"), "binding": role.get("binding"), "in": {}, "whole": role}
        for phase, used in items(role.get("used"), dict).items():
            if isinstance(used, dict):  # "lost" is a number
                add(row, "spans", used.get("spans"))
                add_span(row, phase, used)
        yield line(columns.ROLES, row)


def add_to_iteration(iterations, row, span):
    """span: {"iteration": 3, "phase": "step", ...}; row: how an iteration begins."""
    row = iterations.setdefault(integer(span.get("iteration")), {
        **row, "in": {}, "iteration": span.get("iteration"), "first_incarnation": span.get("incarnation")})
    row.update({key: span[name] for key, name in (("last_incarnation", "incarnation"), ("end_s", "t_s"))
                if name in span})
    add(row, "spans", 1)
    if isinstance(span.get("phase"), str):
        add_span(row, span["phase"], span)


def without_sums(row):
    return {key: value for key, value in row.items()
            if key not in (*columns.SUMMED, "in", "spans", "end_s", "last_incarnation")}


def iteration_rows(record):
    """With a trace: a row per role and iteration, in the order in which the role came to them."""
    traces = items(record.get("trace"))
    for number, role in enumerate(items(role, dict) for role in items(record.get("roles"))):
        trace = items(at(traces, number), dict)
        iterations, names = {}, items(trace.get("columns"))
        for values in items(trace.get("rows")):
            add_to_iteration(iterations, {"id": record.get("id"), "role": number}, dict(zip(names, items(values))))
        first, lacks_setup = first_lacking(record, number, trace, role)
        for iteration, row in iterations.items():
            lacks = iteration >= first or (lacks_setup and iteration == 0)
            yield line(columns.ITERATIONS, without_sums(row) if lacks else row)


TABLES = (
    Table("runs", "one row per run, in the order of the sweep", ("id",), columns.RUNS, run_rows),
    Table("params", "one row per option of a run's kernel", ("id", "name"), columns.PARAMS, param_rows),
    Table("kills", "one row per planned kill", ("id", "kill"), columns.KILLS, kill_rows),
    Table("failures", "one row per role that died", ("id", "failure"), columns.FAILURES, failure_rows),
    Table("failure_roles", "one row per failure and role of the run", ("id", "failure", "role"), columns.FAILURE_ROLES, failure_role_rows),
    Table("roles", "one row per role", ("id", "role"), columns.ROLES, role_rows),
    Table("iterations", "one row per role and iteration of runs with a trace (--meters iterations)", ("id", "role", "iteration"),
          columns.ITERATIONS, iteration_rows),
)
