"""A trace has room for so many spans (harness/machine/usage.h); what it lacks of those after.

The sums over the whole run (roles[].used) do count them, so it is known of which phases they were.
"""
import math


def integer(value):
    """0 if it is no whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def items(value, kind=list):
    """A list, or an object; empty if it is none."""
    return value if isinstance(value, kind) else kind()


def column(trace, row, name):
    columns, row = items(trace.get("columns")), items(row)
    at = columns.index(name) if name in columns else len(row)
    return row[at] if at < len(row) else None


def lacking(trace, role, phase):
    """How many of the role's spans in a phase had no room."""
    spans = integer(items(items(role.get("used"), dict).get(phase), dict).get("spans"))
    return spans - sum(column(trace, row, "phase") == phase for row in items(trace.get("rows")))


def first_lacking(record, number, trace, role):
    """From which iteration on spans of this role may be lacking, and whether iteration 0 lacks some, too.

    (infinity, False) of a whole trace. Iteration 0 is what a new process's setup belongs to.
    """
    if integer(trace.get("dropped")) <= 0:
        return math.inf, False
    rows = items(trace.get("rows"))
    first = integer(column(trace, rows[-1], "iteration")) if rows else 0
    if lacking(trace, role, "restore") > 0:
        # It went back when there was no room any more; which of its failures that was is not known.
        first = min([first, *(integer(failure.get("checkpoint"))
                              for failure in (items(one, dict) for one in items(record.get("failures")))
                              if number in items(failure.get("rollback_set")))])
    return first, lacking(trace, role, "setup") > 0


def spans_lacking(record):
    """Spans without room, of all roles."""
    return sum(integer(items(trace, dict).get("dropped")) for trace in items(record.get("trace")))
