#include "ft/msg/wait.h"

#include "base/clock.h"
#include "ft/msg/nap.h"

#include <stdlib.h>
#include <time.h>

enum { TESTS_BEFORE_NAP = 200 };

static const double SKEW_S = 3e-3; /* between roles that wake up, or so */

void wait_init(struct wait *w)
{
	*w = (struct wait){ .naps = getenv("OMPI_MCA_mpi_yield_when_idle") != NULL };
}

void wait_watch(struct wait *w, bool on)
{
	w->watched = on;
	w->sleeps = false;
	w->cpu = 0;
}

/* With more ranks than cores MPI waits by sched_yield(). Since Linux 6.18 each of these moves the process
 * a whole slice back in the queue, so that one that has waited long is not run for minutes once others
 * compute (docs/ulfm-notes.md). A nap now and then clears that debt. */
void wait_nap(const struct wait *w, int tries)
{
	const struct timespec nap = { 0, 1 };

	if (w->naps && tries % TESTS_BEFORE_NAP == 0)
		nanosleep(&nap, NULL);
}

static int test_all(const struct wait *w, int count, MPI_Request *list)
{
	struct nap pause;

	if (w->sleeps)
		nap_begin(&pause, SKEW_S);
	for (int tries = 1;; tries++) {
		int flag, rc = MPI_Testall(count, list, &flag, MPI_STATUSES_IGNORE);

		if (rc != MPI_SUCCESS || flag)
			return rc;
		if (w->sleeps)
			nap(&pause);
		else
			wait_nap(w, tries);
	}
}

int wait_for_all(struct wait *w, int count, MPI_Request *list)
{
	double begin = w->watched ? clock_thread() : 0;
	int rc = w->naps || w->sleeps ? test_all(w, count, list) :
		 MPI_Waitall(count, list, MPI_STATUSES_IGNORE);

	w->cpu += w->watched ? clock_thread() - begin : 0;
	return rc;
}
