/* ft/recovery/extent.h - who has to compute what again after a failure: what the logs of all roles
 * lack is gathered, and each role finds the same answer from it, by the closure or by the cone
 * (private to ft/). */
#ifndef FT_RECOVERY_EXTENT_H
#define FT_RECOVERY_EXTENT_H

#include "ft/config.h"
#include "ft/msg/ports.h"
#include "ft/recovery/recovery.h"

/* Entries are struct channel, or struct gap with data-flow rollback. All zero: nothing is listed or
 * gathered. */
struct extent {
	size_t size; /* of an entry; 0: nothing is listed yet */
	void *mine;  /* of this role, since the checkpoint that counts as far as it knows */
	size_t listed;
	void *list; /* of all roles, in their order */
	size_t count;
};

/* List what the log of this role lacks, unless it is listed. mine: NULL for a spare, which has
 * nothing to tell, also as a replacement: it starts at the line, has logged nothing, and computes
 * again all that it might have to re-send. RB_OK or RB_ENOMEM. */
int extent_list(struct extent *x, const struct ft_config *cfg, const struct role_status *self,
		const struct ports *mine);
/* Collective over all members of comm; all: what they have said of themselves, by rank. rec: which
 * of them play the roles. RB_OK; RB_LOST: MPI failed, and RB_ENOMEM: the communicator is revoked in
 * both cases. */
int extent_gather(struct extent *x, MPI_Comm comm, const struct role_status *all, int size,
		  const struct recovery *rec, int np);
/* The rollback set or the cone, and the fronts. RB_OK, RB_ENOMEM, or RB_EINVAL: what the roles say
 * does not fit together. */
int extent_close(const struct extent *x, const struct ft_config *cfg, struct recovery *rec);
void extent_free(struct extent *x);

#endif
