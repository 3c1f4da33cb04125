/* ft/role.h - one logical role: its kernel, log, checkpoints and ledger (private to ft/).
 *
 * All functions returning a status may return RB_LOST (revoke and repair) or a negative,
 * terminal status with err filled. */
#ifndef FT_ROLE_H
#define FT_ROLE_H

#include "ft/recovery/wakeup.h"
#include "ft/line/checkpoint.h"
#include "ft/config.h"
#include "ft/line/image_store.h"
#include "ft/recovery/repair.h"
#include "ft/line/save.h"
#include "ft/msg/transport.h"

struct role {
	const struct ft_config *cfg;
	int id;
	struct kernel_state *kernel; /* NULL until role_prepare() */
	struct msg msg;
	struct wakeup wakeup; /* open where blocked roles sleep */
	struct image_store images;
	struct save save;
	struct ledger *ledger;
	int64_t front;   /* iteration this role is in */
	int64_t line;    /* its place of the recovery line: the newest checkpoint that counts, 0: the initial state */
	const int64_t *lines; /* np: the recovery line, of the newest epoch */
	int64_t refused; /* the one that could not be loaded in this epoch, -1: none */
	int64_t older;   /* and the newest before it that it may have, 0: the initial state */
	enum level_source source; /* what it was restored from last, and from whom */
	int source_role;
	bool restored;   /* the kernel's state is that of iteration front */
	int64_t epoch;   /* recoveries so far */
	int64_t logged;  /* bytes_total of the log that are already in the ledger */
	int64_t drops;   /* the same for the log's drops */
	struct {         /* the iteration under way, and what the messages had cost before it */
		double begun, log, pack, communicate;
		bool under_way;
	} clock;
	double reading;  /* cost of one reading of the clock, seconds */
	struct {         /* the recovery under way */
		struct ledger_event *event; /* NULL: none to be measured */
		int64_t front_before;       /* where the failure found this role */
		const bool *rolled;         /* np: the rollback set */
		int64_t meeting;            /* the front where blocked roles wait, -1: they don't */
		double resumed;             /* when it ended for this role */
		bool replaying, catching_up;
	} recovery;
};

/* What a role's checkpoint is known by. */
struct image_id role_identify(const struct ft_config *cfg, int role, int64_t iter);

/* Take on role `id`: open its ledger, make its log. The state is not there yet. */
int role_adopt(struct role *r, const struct ft_config *cfg, int id, struct rb_error *err);
void role_drop(struct role *r);

/* Enter a new epoch as the recovery says (ft/recovery/repair.h; it must outlive the epoch). A role that
 * is in the rollback set restarts log and state from its place of the recovery line. RB_OK or a
 * terminal status. */
int role_enter_epoch(struct role *r, MPI_Comm workers, const struct recovery *rec,
		struct rb_error *err);
/* Build the kernel's constant data, unless it is there. */
int role_prepare(struct role *r, struct rb_error *err);
/* The ledger's record of a recovery; called before role_enter_epoch(). */
void role_note_event(struct role *r, const struct recovery *rec, double t_detect, bool spawned);

/* A checkpoint was damaged: into the ledger. */
void role_note_refusal(struct role *r, const struct rb_error *why);

bool role_finished(const struct role *r); /* all iterations are committed */
/* What the role does from here on: into the ledger, and to whoever measures. */
void role_enter(struct role *r, enum ledger_phase phase);
/* The same for the meters only. */
void role_spends(const struct role *r, enum ledger_phase phase);
/* Tell the hook, if there is one. */
void role_reached(const struct role *r, int64_t iter, enum ft_point point);

/* Replay, restore, iterate, verify, write the result. */
int role_work(struct role *r, struct rb_error *err);
/* Something has happened that roles asleep at the front should see. */
void role_wake_others(const struct role *r);
/* After RB_LOST, once the communicators are revoked: leave no request and no half iteration. */
void role_abort_iteration(struct role *r);

#endif
