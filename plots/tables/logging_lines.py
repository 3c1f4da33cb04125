"""Table 2 of the message-logging-kernels paper: lines of code. There they are written once per kernel, here one engine serves all."""
from plots.common.markdown import table
from plots.tables import code_lines
from plots.tables.logging_numbers import numbers

# The paper's row, what plots/papers calls it, our concerns, and why they are not the same.
ENGINE = (
    ("C/R", "checkpoints", ("checkpoints: levels, draining, fetching", "job restart"),
     "three levels (files, partners, parity) instead of one, and restart of the job"),
    ("ULFM-specific", "ULFM", ("repair (ULFM)",), "spares and spawned processes, failures during a repair"),
    ("Message logging (replay, sender wrapper, payload logging)", "message logging",
     ("log and policies", "ports, replay, collectives", "rollback set and forecasts"), "six policies and their forecasts instead of two"),
)
KERNELS = ("cg", "lulesh")


def pair(of):
    return " / ".join(map(str, of))


def rows(theirs):
    for name, what, concerns, why in ENGINE:
        ours = sum(code_lines.count(code_lines.CONCERNS[concern]) for concern in concerns)
        wanted = theirs[f"{what}; CG and LULESH", "lines"]
        yield name, pair(wanted), f"{ours} once, for all kernels", "0 / 0", f"{ours / sum(wanted):.1f} times the paper's two together: {why}"
    of = [code_lines.kernel_lines(kernel) for kernel in KERNELS]
    yield ("Temp buffers (for transactions)", pair(theirs["temporary buffers; CG and LULESH", "lines"]), "none", pair(own for _, own in of),
           f"all that a kernel has for protection: functions named {', '.join(code_lines.FOR_PROTECTION)}")
    yield ("Total", pair(theirs["total; CG and LULESH", "lines"]), "", pair(total for total, _ in of),
           "kernels written anew in C; the paper extends NPB (Fortran) and LULESH (C++)")


def lines():
    if not code_lines.here():
        return ["### Table 2: lines of code", "", "Not counted: the sources are not here.", ""]
    return table("Table 2: lines of code (CG / LULESH)", ("row", "paper", "ours, in the engine", "ours, in the kernel", "difference"),
                 rows(numbers("table2")), "Lines that are neither blank nor comment. The rest of the engine (time-step loop, injection, roles that wait, "
                 "data-flow rollback) has no row in the paper.")
