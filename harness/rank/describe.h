/* harness/rank/describe.h - what only the processes of a job know of the MPI, as events of the run
 * (harness/events/events.h), for the record. */
#ifndef HARNESS_RANK_DESCRIBE_H
#define HARNESS_RANK_DESCRIBE_H

#include "base/error.h"
#include "inject/roster.h"

#include <stdbool.h>

/* Called by all processes with which a job starts. Rank 0 writes the event "mpi"
 * (harness/transport/settings.h) and, if no earlier job has, "network": what messages between it
 * and the rank `partner` cost (harness/machine/network.h; 0: there is no partner). The variable
 * ROLLBENCH_NO_PING leaves the latter out. "memory" says whether ranks of one host share memory of
 * the MPI: rank 0 does if others are on its host, and each rank that has none. RB_OK, or RB_EINVAL
 * at rank 0: with goes_on, the job is to survive a death, and one of the parameters of the MPI
 * would not let it. */
int describe_mpi(const char *dir, const struct roster *roster, int partner, bool goes_on,
		 struct rb_error *err);
/* "detector": who notifies the process in this slot of deaths. The first one says so, and each for
 * which the detector of the host could not be started; `why` is the reason, or "". */
void describe_detector(const char *dir, int slot, bool host, const char *why);

#endif
