/* ft/recovery/recovery.h - what a repair is told by each process, and what it decides (private to
 * ft/). */
#ifndef FT_RECOVERY_RECOVERY_H
#define FT_RECOVERY_RECOVERY_H

#include "ft/recovery/cone.h"

#include <stdbool.h>
#include <stdint.h>

/* What a process reports. role == -1: a spare. */
struct role_status {
	int64_t front;
	int64_t line; /* its entry in the recovery line: the newest checkpoint that counts */
	int64_t epoch;
	int64_t refused; /* a checkpoint that this role could not load, -1: none */
	int64_t older;   /* then: the newest one before it that it may have */
	int32_t role;
	int32_t unable;        /* 1: it had no memory for a duplicate */
	int32_t failed_starts; /* set by repair() */
	int32_t listed;        /* entries of its list (ft/recovery/extent.h); set by repair() */
	/* it has copies of what it received in iterations before this one (ft/log/received.h) */
	int64_t copies;
};

/* What a repair decided; all but `role` is the same everywhere. Arrays of np are owned by the
 * caller, see recovery_init(). */
struct recovery {
	int role; /* this process's role from now on, -1: still a spare */
	int64_t epoch;
	/* not a repair: a new job resumes an earlier one (ft/recovery/restart.h) */
	bool restarted;
	/* all go back: a role could not load the newest one, so to an older one, or had no memory
	 * for a duplicate */
	bool fallback;
	int64_t *line;  /* the recovery line: the checkpoint that counts for each role */
	int64_t *front; /* where each role resumes */
	/* role r still has copies of what it received before this iteration; 0: it has none */
	int64_t *copies;
	int *rank;    /* in the communicator of the new epoch, of the process that plays the role */
	bool *died;   /* its process was lost in this repair */
	bool *rolled; /* the rollback set */
	/* roles that lack a log recompute on duplicates, as `cone` says; else they roll back */
	bool dataflow;
	struct cone cone; /* only then */
	int chain;        /* length of the longest rollback chain (ft/recovery/closure.h) */
	double t_shrunk;  /* when the survivors had a communicator again, CLOCK_REALTIME */
	int lost;         /* how many roles died */
	int shortage;     /* roles without a spare to take them */
};

int recovery_init(struct recovery *rec, int np); /* RB_OK or RB_ENOMEM */
void recovery_free(struct recovery *rec);

#endif
