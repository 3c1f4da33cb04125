/* harness/rank/describe.h - what only the processes of a job know of the MPI, as files of the
 * run's folder, for the record. */
#ifndef HARNESS_RANK_DESCRIBE_H
#define HARNESS_RANK_DESCRIBE_H

#include "base/error.h"
#include "inject/roster.h"

#include <stdbool.h>

/* Called by all processes with which a job starts. Rank 0 writes `mpi-version`, and what messages
 * between it and the rank `partner` cost to `network` (0: there is no partner, nor such a file):
 * the rank, seconds, bytes per second (harness/machine/network.h), its host. The variable
 * ROLLBENCH_NO_PING leaves that out. Whether ranks of one host share memory of the MPI are facts
 * (harness/machine/fact.h). Rank 0 of each job writes all parameters of the MPI that it
 * has in force to `mpi-settings.json`. RB_OK, or RB_EINVAL at rank 0: with goes_on, the job is to
 * survive a death, and one of these would not let it. */
int describe_mpi(const char *dir, const struct roster *roster, int partner, bool goes_on,
		 struct rb_error *err);

#endif
