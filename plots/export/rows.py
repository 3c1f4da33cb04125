"""The rows that a record gives, by table."""
from plots.common.json_text import is_number
from plots.export.columns import FAILURES, ROLES, RUNS, SUMMED
from plots.export.table import line
from plots.export.trace_cut import first_lacking, integer, items


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


def run_rows(record):
    yield line(RUNS, {**record, "params_text": params_text(record), "power_trouble_text": trouble_text(record)})


def failure_rows(record):
    for number, failure in enumerate(items(record.get("failures"))):
        yield line(FAILURES, {**items(failure, dict), "id": record.get("id"), "number": number})


def add(row, key, value):
    """A sum of which a part was not measured was not measured."""
    old = row.get(key, 0)
    row[key] = old + value if is_number(value) and old is not None else None


def add_span(row, phase, span):
    add(row["in"], phase, span.get("wall_s"))
    for key in SUMMED:
        add(row, key, span.get(key))


def role_row(record, role, number):
    return {"id": record.get("id"), "role": number, "host": role.get("host"), "binding": role.get("binding"),
            "in": {}}


def whole_role(record, role, number):
    """From the sums over the whole run."""
    row = {**role_row(record, role, number), "whole": role}
    for phase, used in items(role.get("used"), dict).items():
        if isinstance(used, dict):  # "lost" is a number
            add(row, "spans", used.get("spans"))
            add_span(row, phase, used)
    yield line(ROLES, row)


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
            if key not in (*SUMMED, "in", "spans", "end_s", "last_incarnation")}


def traced_role(record, role, number, trace):
    """A row per iteration, in the order in which the role came to them."""
    iterations, begin = {}, role_row(record, role, number)
    columns = items(trace.get("columns"))
    for values in trace["rows"]:
        add_to_iteration(iterations, begin, dict(zip(columns, items(values))))
    first, lacks_setup = first_lacking(record, number, trace, role)
    for iteration, row in iterations.items():
        lacks = iteration >= first or (lacks_setup and iteration == 0)
        yield line(ROLES, without_sums(row) if lacks else row)


def role_rows(record):
    traces = items(record.get("trace"))
    for number, role in enumerate(items(role, dict) for role in items(record.get("roles"))):
        trace = items(traces[number] if number < len(traces) else None, dict)
        if items(trace.get("rows")):
            yield from traced_role(record, role, number, trace)
        else:
            yield from whole_role(record, role, number)
