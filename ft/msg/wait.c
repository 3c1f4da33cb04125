#include "ft/msg/wait.h"

#include "base/clock.h"
#include "ft/msg/nap.h"

static const double SKEW_S = 3e-3; /* roughly, between roles that wake up */

void wait_watch(struct wait *w, bool on)
{
	w->watched = on;
	w->sleeps = false;
	w->cpu = 0;
}

static int sleep_until_all(int count, MPI_Request *list, MPI_Status *status)
{
	struct nap pause;

	nap_begin(&pause, SKEW_S);
	for (;;) {
		int flag, rc = MPI_Testall(count, list, &flag, status);

		if (rc != MPI_SUCCESS || flag)
			return rc;
		nap(&pause);
	}
}

int wait_for_all(struct wait *w, int count, MPI_Request *list, MPI_Status *status)
{
	double begin = w->watched ? clock_thread() : 0;
	int rc;

	if (w->told)
		w->told(w->ctx, true);
	rc = w->sleeps ? sleep_until_all(count, list, status) : MPI_Waitall(count, list, status);
	if (w->told)
		w->told(w->ctx, false);
	w->cpu += w->watched ? clock_thread() - begin : 0;
	return rc;
}
