"""What the processes of a run did around a recovery: from "timeline" in records (docs/record.md).

Times are milliseconds since the SIGKILL.
"""
import collections

# One process: its words; spans, in the order in which they ended; moments, None if there is none.
Process = collections.namedtuple("Process", "name spans died detected")
Span = collections.namedtuple("Span", "what iteration begun ended")  # ended: None if that was not seen

RECOVERY = ("repair", "restore", "replay", "support", "catchup")  # phases that only a recovery has
PHASES = ("setup", "step", "aborted", "catchup", "checkpoint", "repair", "restore", "replay", "support", "blocked", "finish", "verify", "close")


def spans_of(process, zero):
    return [Span(what, iteration, moment(begun, zero), None if length is None else moment(begun + length, zero))
            for what, iteration, begun, length in process["rows"]]


def moment(us, zero):
    return None if us is None else (us - zero) / 1000


def name_of(process, times):
    """times: how many processes the role had before this one."""
    role, spare = process["role"], process["spare"]
    if role is None:
        return "process without a role" if spare is None else f"spare {spare}"
    if not times:
        return f"role {role}"
    return f"role {role}: started anew" if spare is None else f"role {role}: spare {spare}"


def first_death(run):
    """When the first role died, in the time of the timeline; None if that is not known."""
    return min((p["died_us"] for p in run["timeline"]["processes"] if p["died_us"] is not None and p["role"] is not None), default=None)


def processes(run):
    """[Process] of a run with a death, ordered by role; those without one stand last."""
    zero, found, before = first_death(run), [], collections.Counter()
    for process in sorted(run["timeline"]["processes"], key=lambda p: float("inf") if p["role"] is None else p["role"]):
        spans = spans_of(process, zero)
        detected = next((span.begun for span in spans if span.what == "repair"), None)
        found.append(Process(name_of(process, before[process["role"]]), spans, moment(process["died_us"], zero), detected))
        before[process["role"]] += 1
    return found


def end_of_recovery(found):
    """When the last of these processes had done what a recovery makes it do."""
    return max(span.ended for process in found for span in process.spans if span.what in RECOVERY and span.ended is not None)
