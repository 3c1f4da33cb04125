"""How processes of other programs wait for messages, beside runs of `rollbench run`."""
import os

from measure import mpirun

LOOK_NS, SLACK_NS = 13000, 50000  # of a nap, as in harness/job/mpirun.c, which says why


def start(ranks, naps=False):
    """The words that start so many processes of this host. A process whose MPI finds nothing to do looks again at once, or where they share cores lets others
    run before (the MPI's own defaults). naps: there it sleeps, as in `rollbench run`."""
    cores = len(os.sched_getaffinity(0))
    nap = max(LOOK_NS * ranks // cores - SLACK_NS, 1)
    sleeps = ["--mca", "threads_pthreads_yield_strategy", "nanosleep", "--mca", "threads_pthreads_nanosleep_time", str(nap)]
    return [*mpirun(yields=ranks > cores), *(sleeps if naps and ranks > cores else []), "-n", str(ranks)]
