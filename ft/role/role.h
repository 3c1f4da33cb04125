/* ft/role/role.h - one logical role: its kernel, its ports and log, its ledger (private to ft/).
 *
 * Its actions are elsewhere: iterations (ft/role/iterate.h), checkpoints (ft/line), recoveries
 * (ft/recovery), and the order of these (ft/player.h). */
#ifndef FT_ROLE_ROLE_H
#define FT_ROLE_ROLE_H

#include "ft/config.h"
#include "ft/msg/dissemination.h"
#include "ft/msg/ports.h"
#include "ft/msg/replay.h"
#include "ft/role/undo.h"

struct constants;

struct role {
	const struct ft_config *cfg;
	struct constants *constants; /* of its process (ft/line/constants.h) */
	int id;
	struct kernel_state *kernel; /* NULL until the role is restored for the first time */
	struct link link;
	struct dissemination rounds; /* of barriers, and of what all roles tell each other */
	struct ports ports;
	struct replay replay;
	struct ledger *ledger;
	int64_t front; /* iteration this role is in */
	/* its entry in the line: newest checkpoint that counts; 0: initial state */
	int64_t line;
	const int64_t *lines; /* np: the recovery line, of the newest epoch */
	int64_t refused;      /* the checkpoint that was not loadable in this epoch, -1: none */
	int64_t older;        /* and the newest before it that it may have, 0: the initial state */
	enum level_source source; /* what it was restored from last, and from whom */
	int source_role;
	bool restored; /* the kernel's state is that of iteration front */
	/* data-flow rollback: where its duplicate ends in this epoch; iter -1: it has none */
	struct place end;
	bool unable;    /* there was no memory for a duplicate in this epoch */
	int64_t epoch;  /* recoveries so far */
	int64_t logged; /* bytes_total of the log that are already in the ledger */
	int64_t drops;  /* the same for the drops of its log */
	struct {        /* and for what was taken from its own log of receives */
		int64_t messages, bytes;
	} reread;
	struct { /* the iteration under way, and what the messages had cost before it */
		double begun, copied, log, pack, communicate;
		bool under_way;
	} clock;
	struct undo undo;                   /* with FT_COPY: its state before that iteration */
	double reading;                     /* cost of one reading of the clock, seconds */
	struct {                            /* the recovery under way */
		struct ledger_event *event; /* NULL: none to be measured */
		int64_t front_before;       /* where the failure found this role */
		const bool *rolled;         /* np: the rollback set */
		int64_t meeting;            /* the front where blocked roles wait, -1: none */
		double resumed;             /* when it ended for this role */
		bool replaying, catching_up;
	} recovery;
};

/* Take on role `id`: open its ledger, make its ports with their logs. The kernel's state is not
 * there yet. RB_OK, or RB_ENOMEM, RB_EIO with err filled. Not owned: constants. */
int role_open(struct role *r, const struct ft_config *cfg, struct constants *constants, int id,
	      struct rb_error *err);
void role_close(struct role *r);

/* A barrier of all roles. Each round counts as a message operation. RB_OK or the link's status. */
int role_barrier(struct role *r);

/* Note in the ledger that a checkpoint was damaged. */
void role_note_refusal(struct role *r, const struct rb_error *why);

bool role_finished(const struct role *r); /* all iterations are committed */
/* A new phase of the role begins: tell the ledger and the hook `enters`. */
void role_enter(struct role *r, enum ledger_phase phase);
/* The same for the hook only. */
void role_spends(const struct role *r, enum ledger_phase phase);
/* The role saw an MPI error: a repair begins. Its phase stays, to show where this happened. */
void role_loses(struct role *r);
/* Tell the hook, if there is one. */
static inline void role_reached(const struct role *r, int64_t iter, enum ft_point point)
{
	const struct ft_hooks *hooks = &r->cfg->hooks;

	if (hooks->reached)
		hooks->reached(hooks->ctx, r->id, iter, point, r->ports.cursor.ops);
}

#endif
