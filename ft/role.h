/* ft/role.h - one logical role: its kernel, log, checkpoints and ledger (private to ft/).
 *
 * All functions returning a status may return RB_LOST (revoke and repair) or a negative,
 * terminal status with err filled. */
#ifndef FT_ROLE_H
#define FT_ROLE_H

#include "ft/config.h"
#include "ft/transport.h"

struct role {
	const struct ft_config *cfg;
	int id;
	struct kernel_state *kernel; /* NULL until role_prepare() */
	struct msg msg;
	struct ledger *ledger;
	int64_t front;   /* iteration this role is in */
	int64_t agreed;  /* newest checkpoint that counts, 0: the initial state */
	bool restored;   /* the kernel's state is that of iteration front */
	int64_t epoch;   /* recoveries so far */
	int64_t logged;  /* bytes_total of the log that are already in the ledger */
	struct {         /* the recovery under way */
		struct ledger_event *event; /* NULL: none to be measured */
		double resumed;
		bool replaying, catching_up;
	} recovery;
};

double clock_now(void); /* CLOCK_REALTIME, seconds */

/* Take on role `id`: open its ledger, make its log. The state is not there yet. */
int role_adopt(struct role *r, const struct ft_config *cfg, int id, struct rb_error *err);
void role_drop(struct role *r);

/* Enter a new epoch: resume at iteration front on the given communicator. If front is behind
 * the role's own (or the role is new), log and state restart from checkpoint `agreed`. */
void role_resume(struct role *r, MPI_Comm workers, int64_t epoch, const int64_t *front,
		 int64_t agreed, bool rolled_back);
/* The ledger's record of a recovery; called before role_resume(). */
void role_note_event(struct role *r, int64_t epoch, int64_t restart, bool died, bool rolled_back,
		     double t_detect);

/* Replay, restore, iterate, verify, write the result. */
int role_work(struct role *r, struct rb_error *err);
/* After RB_LOST, once the communicators are revoked: leave no request and no half iteration. */
void role_abort_iteration(struct role *r);

#endif
