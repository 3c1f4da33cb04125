/* ft/msg/wait.h - how a rank waits for its requests: in MPI, or asleep (private to ft/).
 *
 * In MPI it spins, or naps if there are more ranks than cores (harness/job/launch_job.c); so does
 * any loop that tests a request. */
#ifndef FT_MSG_WAIT_H
#define FT_MSG_WAIT_H

#include <mpi.h>
#include <stdbool.h>

struct wait {
	bool sleeps;  /* between two tests this rank only sleeps (ft/msg/nap.h) */
	bool watched; /* the CPU time that waiting costs is added up */
	double cpu;   /* the sum, seconds, since wait_watch() */
	void (*told)(void *ctx, bool begins); /* where a wait begins and ends; NULL: nobody */
	void *ctx;
};

/* Start (at zero) or stop adding up what waiting costs. `sleeps` becomes false. */
void wait_watch(struct wait *w, bool on);
/* Wait for all. status: count of them, or MPI_STATUSES_IGNORE. Returns what MPI returns. */
int wait_for_all(struct wait *w, int count, MPI_Request *list, MPI_Status *status);

#endif
