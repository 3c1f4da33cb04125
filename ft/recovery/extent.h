/* ft/recovery/extent.h - who has to compute what again after a failure: all roles gather what their
 * logs lack, and each finds the same answer from it, by the closure or by the cone (private to
 * ft/). */
#ifndef FT_RECOVERY_EXTENT_H
#define FT_RECOVERY_EXTENT_H

#include "ft/config.h"
#include "ft/msg/ports.h"
#include "ft/recovery/recovery.h"

/* All zero: nothing is gathered yet. */
struct extent {
	void *list; /* of all roles: struct channel, or struct gap with data-flow rollback */
	size_t count;
	bool starved; /* this process ran out of memory */
};

/* Collective over the workers. mine: NULL for a replacement, which starts at the line, has logged
 * nothing, and computes again all that it might have to re-send. false: MPI failed, and the
 * communicator is revoked, or the process is starved. */
bool extent_gather(struct extent *x, MPI_Comm workers, const struct ft_config *cfg,
		   const struct recovery *rec, int role, const struct ports *mine);
/* The rollback set or the cone, and the fronts. RB_OK, RB_ENOMEM, or RB_EINVAL: what the roles say
 * does not fit together. */
int extent_close(const struct extent *x, const struct ft_config *cfg, struct recovery *rec);
void extent_free(struct extent *x);

#endif
