/* ft/line/constants.h - what a kernel computes once and never changes, in memory that outlives the
 * process of its role (private to ft/).
 *
 * The arrays are in sealed memory (base/sealed.h). Each role opens that of the next CONSTANTS_NEXT
 * roles of its node, and an idle spare that of all roles of its node, with a descriptor for each.
 * So a replacement on this node maps what the dead process has computed: it copies nothing and
 * computes nothing. If the node is lost, or if nobody had the memory open, the arrays are computed
 * again. The roles of a node are those that began there. */
#ifndef FT_LINE_CONSTANTS_H
#define FT_LINE_CONSTANTS_H

#include "base/sealed.h"
#include "ft/config.h"

enum { CONSTANTS_NEXT = LEDGER_HOLDS - 1 };

/* Of one process. */
struct constants {
	const struct ft_config *cfg;
	struct constants_held {
		struct sealed memory;
		const struct ledger *ledger; /* NULL: not mapped yet */
		int64_t refused;             /* the pid of a process that did not let us open it */
	} *held;                             /* np, by role; NULL: the run keeps none */
	void *data;                          /* mapped: of the role that this process plays */
	size_t bytes;                        /* of data; 0: nothing is mapped */
	int most;                            /* the largest descriptor that is taken for this */
};

/* cfg must outlive it. RB_OK or RB_ENOMEM. */
int constants_init(struct constants *c, const struct ft_config *cfg);
/* After the states that use them. */
void constants_free(struct constants *c);
/* Make the state of a role, with constants of an earlier process of the role if there are any, and
 * tell other processes where these can be opened. own: the role's ledger. *from: where they come
 * from. RB_OK, or what create() returned with err filled. */
int constants_create(struct constants *c, struct ledger *own, struct kernel_state **out,
		     enum ledger_constants *from, struct rb_error *err);
/* Open those that this process is to hold and does not hold yet. own: the ledger of the role that
 * it plays; NULL: it is a spare. */
void constants_hold(struct constants *c, struct ledger *own);

#endif
