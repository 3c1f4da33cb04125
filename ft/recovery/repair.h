/* ft/recovery/repair.h - from a lost communicator to a whole one: spares take over lost roles.
 *
 * One epoch is one incarnation of the whole communicator (docs/ulfm-notes.md). repair() is
 * collective over all living processes, loops until one pass closes with a successful
 * agreement, and changes nothing before that but the membership, if processes are started. Every collective that follows a constructor is
 * fenced by MPIX_Comm_agree, and the output of a failed constructor is never touched. */
#ifndef FT_RECOVERY_REPAIR_H
#define FT_RECOVERY_REPAIR_H

#include "base/error.h"
#include "ft/config.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a process stands. role == -1: a spare. */
struct role_status {
	int64_t front;
	int64_t agreed;
	int64_t epoch;
	int64_t refused;  /* a checkpoint that this role could not load, -1: none */
	int64_t older;    /* then: the newest one before it that it may have */
	int32_t role, pad;
};

struct membership {
	const struct ft_config *cfg;
	MPI_Comm world;   /* workers and spares */
	MPI_Comm workers; /* rank == role; MPI_COMM_NULL for a spare */
	int np;
	bool spawned;     /* this process was started by a repair and has had no part in one yet */
};

/* What a repair decided; all but `role` is the same everywhere. Arrays of np are owned by the
 * caller, see recovery_init(). */
struct recovery {
	int role;         /* this process's role from now on, -1: still a spare */
	int64_t epoch;
	int64_t agreed;   /* the checkpoint that rolled-back roles load */
	bool restarted;   /* not a repair: a new job resumes an earlier one (ft/recovery/restart.h) */
	bool fallback;    /* a role could not load the newest one: all go back to an older one */
	int64_t *front;   /* where each role resumes */
	bool *died;       /* its process was lost in this repair */
	bool *rolled;     /* the rollback set */
	int chain;        /* length of the longest rollback chain (ft/recovery/closure.h) */
	double t_shrunk;  /* when the survivors had a communicator again, CLOCK_REALTIME */
	int lost;         /* how many roles died */
	int shortage;     /* roles without a spare to take them */
};

int recovery_init(struct recovery *rec, int np); /* RB_OK or RB_ENOMEM */
void recovery_free(struct recovery *rec);

/* Split the initial world: ranks below np work, the others are spares. In a process that a repair
 * has started: join those who started it; repair() is next. RB_OK, RB_EMPI, or RB_LOST: they are
 * gone, so this process has nothing to do. */
int membership_form(struct membership *members, const struct ft_config *cfg);
/* Tell everybody that this epoch is over. */
void membership_revoke(struct membership *members);

/* hole: this role's np numbers (ft/msg/log.h), NULL for a spare. RB_OK (members is whole again),
 * RB_ESPARES (the same on all processes; rec->shortage says how many) or RB_ENOMEM. */
int repair(struct membership *members, const struct role_status *self, const int64_t *hole,
	   struct recovery *rec);

#endif
