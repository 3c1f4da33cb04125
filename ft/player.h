/* ft/player.h - a process that plays a role, from one repair to the next (private to ft/).
 *
 * The role itself is in ft/role/role.h. This module has its checkpoints and the order of its
 * actions in an epoch: replay, restore, iterate with checkpoints, verify. Functions that return a
 * status may return RB_LOST (revoke and repair) or a negative, terminal status with err filled. */
#ifndef FT_PLAYER_H
#define FT_PLAYER_H

#include "ft/line/image_store.h"
#include "ft/line/save.h"
#include "ft/recovery/recovery.h"
#include "ft/recovery/support.h"
#include "ft/recovery/wakeup.h"
#include "ft/role/role.h"

struct player {
	struct role role;
	struct image_store images;
	struct save save;
	struct support support;
	const struct recovery *rec; /* of the epoch */
	struct wakeup wakeup;       /* open where blocked roles sleep */
};

/* Take on role `id`. The state is not there yet. It must not move in memory until player_end(). Not
 * owned: constants. */
int player_begin(struct player *p, const struct ft_config *cfg, struct constants *constants, int id,
		 struct rb_error *err);
void player_end(struct player *p);

/* The ledger's record of a recovery; called before player_enter(). */
void player_note_event(struct player *p, const struct recovery *rec, double t_detect, bool spawned);
/* Enter a new epoch as the recovery says (ft/recovery/recovery.h; it must outlive the epoch). A
 * role that is in the rollback set restarts log and state from its entry in the recovery line.
 * RB_OK or a terminal status. */
int player_enter(struct player *p, MPI_Comm world, const struct recovery *rec,
		 struct rb_error *err);
/* Replay, restore, iterate, verify, write the result. */
int player_play(struct player *p, struct rb_error *err);
/* What this role brings into a repair. */
struct role_status player_status(const struct player *p, int64_t epoch);
/* Wake the roles that sleep at the front: the epoch has failed. */
void player_wake_others(const struct player *p);
/* After RB_LOST, once the communicator is revoked: end all requests and the iteration under
 * way. */
void player_abort(struct player *p);

#endif
