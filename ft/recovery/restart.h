/* ft/recovery/restart.h - begin where an earlier job of the same run folder ended (private to ft/).
 *
 * Most sites do this after a failure: the job dies and is started again from the last complete
 * checkpoint. It needs only the ledgers and checkpoints in the run folder, so it works on any MPI,
 * and from a copy of the folder on another machine. */
#ifndef FT_RECOVERY_RESTART_H
#define FT_RECOVERY_RESTART_H

#include "ft/config.h"
#include "ft/recovery/recovery.h"

#include <mpi.h>

/* Collective over world, before any ledger is opened. role: -1 for a spare. If the folder holds an
 * earlier job's ledgers, fill rec as a recovery in which everybody goes back to the newest
 * checkpoint that all roles can read, and set rec->restarted; refusal then says what this role
 * could not read, if anything. RB_OK, RB_EMPI, or RB_ENOMEM: a role has no memory for its
 * checkpoint. */
int restart_find(const struct ft_config *cfg, MPI_Comm world, int role, struct recovery *rec,
		 struct rb_error *refusal);

#endif
