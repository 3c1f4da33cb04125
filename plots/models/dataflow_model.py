"""Energy that data-flow rollback saves compared with global rollback, as a model.

It is that of the data-flow-rollback paper, Sect. 6, Eq. 3 to 7. Pure functions. Each quantity is there as the paper
prints it (`printed`) and as it follows from the paper's own assumptions (docs/energy.md): one process per node, one
failure at a time, in each iteration of a checkpoint interval with equal probability, 3-point stencils in one dimension
and 5-point stencils in two, far from the border of the field.
"""
import collections

YEAR = 365.25 * 24 * 3600  # seconds

# nodes: n, one process each; mtbf_years: mu, of one node; interval: C, iterations from one checkpoint to the next;
# iteration_s: seconds that one takes; saved_w: watts that a process saves while it is idle; dim: of the stencil, 1 or 2.
Case = collections.namedtuple("Case", "nodes mtbf_years interval iteration_s saved_w dim")


def radius(i):
    """How far away the neighbours are that compute again, if i iterations are lost. Those at distance i only send what
    they have in their checkpoint."""
    return max(i - 1, 0)


def neighbours_printed(dim, i):
    """Eq. 4. In two dimensions it is wrong: 2 for i = 2, where a 5-point stencil has 4 neighbours."""
    return 2 * radius(i) ** dim


def neighbours(dim, i):
    """Roles at distance 1 to r: 2 r on a line, 4 + 8 + ... + 4 r = 2 r (r + 1) on a grid."""
    r = radius(i)
    return 2 * r if dim == 1 else 2 * r * (r + 1)


def active_printed(case):
    """Eq. 5: the mean over i = 1 to C."""
    return sum(neighbours_printed(case.dim, i) for i in range(1, case.interval + 1)) / case.interval


def active_in(case, i):
    """Roles that compute again besides the replacement, of n - 1 that there are."""
    return min(neighbours(case.dim, i), case.nodes - 1)


def active(case):
    """The mean over the iterations that can fail, which the paper gives as 0 <= i < C."""
    return sum(active_in(case, i) for i in range(case.interval)) / case.interval


def idle_printed(case):
    """Eq. 6, which counts the replacement as idle and may be negative."""
    return case.nodes - active_printed(case)


def idle(case):
    """Never negative, since active() counts no more roles than there are."""
    return case.nodes - 1 - active(case)


def per_process_printed(case):
    """C_e of Sect. 6.3, joules: on average C / 2 iterations are rolled back."""
    return case.saved_w * case.iteration_s * case.interval / 2


def per_process(case):
    """The mean of 0 to C - 1 is (C - 1) / 2."""
    return case.saved_w * case.iteration_s * (case.interval - 1) / 2


def failure_rate(case):
    """Of the system, per second (Sect. 6.2)."""
    return case.nodes / (case.mtbf_years * YEAR)


def saved_printed(case):
    """Eq. 3 of Eq. 4 to 6 as printed, J/s."""
    return failure_rate(case) * idle_printed(case) * per_process_printed(case)


def saved_approximately(case):
    """Eq. 7, J/s: Eq. 3 with n for the idle processes."""
    return failure_rate(case) * case.nodes * per_process_printed(case)


def saved(case):
    """Eq. 3, J/s. The more iterations are lost, the longer the recovery and the fewer the idle processes, so this is the
    mean of their products and not the product of their means."""
    lost = sum(i * (case.nodes - 1 - active_in(case, i)) for i in range(case.interval)) / case.interval
    return failure_rate(case) * case.saved_w * case.iteration_s * lost


def results(case):
    """{name: number} of all quantities."""
    return {"active_printed": active_printed(case), "active_exact": active(case), "idle_printed": idle_printed(case),
            "idle_exact": idle(case), "per_process_printed_j": per_process_printed(case),
            "per_process_exact_j": per_process(case), "saved_eq3_printed_w": saved_printed(case),
            "saved_eq7_printed_w": saved_approximately(case), "saved_exact_w": saved(case)}
