/* ft/recovery/membership.h - who belongs to the job: the communicator of all living processes.
 * Roles send to each other on it, too, by rank (recovery.rank). */
#ifndef FT_RECOVERY_MEMBERSHIP_H
#define FT_RECOVERY_MEMBERSHIP_H

#include "ft/config.h"

#include <mpi.h>
#include <stdbool.h>

struct membership {
	const struct ft_config *cfg;
	MPI_Comm world; /* workers and spares */
	bool spawned;   /* this process was started by a repair and has had no part in one yet */
};

/* In the initial world, ranks below np work, and the others are spares. In a process that a repair
 * has started: join those who started it; repair() is next. RB_OK, RB_EMPI, or RB_LOST: they are
 * gone, so this process has nothing to do. */
int membership_form(struct membership *members, const struct ft_config *cfg);
/* Called by all; true only if all pass ok and no process died unnoticed. */
bool membership_fence(MPI_Comm comm, bool ok);

#endif
