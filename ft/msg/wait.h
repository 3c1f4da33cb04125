/* ft/msg/wait.h - how a rank waits for its requests: spinning in MPI, giving way, or asleep (private to ft/). */
#ifndef FT_MSG_WAIT_H
#define FT_MSG_WAIT_H

#include <mpi.h>
#include <stdbool.h>

struct wait {
	bool naps;    /* more ranks than cores: they give way to each other, and now and then sleep */
	bool sleeps;  /* between two looks this rank only sleeps (ft/msg/nap.h) */
	bool watched; /* the CPU time that waiting costs is added up */
	double cpu;   /* that, seconds, since wait_watch() */
};

void wait_init(struct wait *w);
/* From now on add up what waiting costs, from zero, or leave it. Nobody sleeps then. */
void wait_watch(struct wait *w, bool on);
/* Between two looks at something that is waited for, `tries` of them so far. */
void wait_nap(const struct wait *w, int tries);
/* Until all are complete; what MPI returns. */
int wait_for_all(struct wait *w, int count, MPI_Request *list);

#endif
