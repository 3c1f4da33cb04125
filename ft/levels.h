/* ft/levels.h - where checkpoints are kept: the levels, and which role holds which copies.
 *
 * "file", "buddy[:COPIES]" or "buddy:near", and "rs:K+M", combined by commas. What each survives:
 *
 *      file   everything that the folder survives, the end of the job included
 *      buddy  any deaths but those of a role and all its partners
 *      near   the same with one partner, on the role's own node (data-flow-rollback paper, Sect.
 *             4.1); not the node's death
 *      rs     M deaths in each group of K+M roles, at M/K of the memory of a copy
 *
 * With buddy and rs, every role also keeps its own image in memory, so a role that rolls back
 * without having died only copies it. */
#ifndef FT_LEVELS_H
#define FT_LEVELS_H

#include "base/error.h"

#include <stdbool.h>

/* Limits of rs: roles that share parity (k + m), and parity chunks (m). */
enum { BUDDIES_MAX = 2, RS_MEMBERS_MAX = 32, RS_PARITY_MAX = 8, LEVELS_TEXT = 64 };

struct levels {
	bool file;
	int buddies; /* copies with partners; 0: none */
	bool near;   /* one copy, on the same node */
	int k, m;    /* rs; 0: none */
};

/* For `rollbench list`; ends with a NULL form. */
extern const struct level_help {
	const char *form, *summary;
} levels_help[];

/* Where a role got its state from, the cheapest first. */
enum level_source {
	FROM_NOWHERE, /* not rolled back */
	FROM_INITIAL, /* the state before iteration 0, which can always be made */
	FROM_OWN,     /* its own image, in its memory */
	FROM_BUDDY,
	FROM_RS,
	FROM_FILE,
};
const char *level_source_name(enum level_source source);

/* RB_OK, or RB_EINVAL with the option and what was expected in err. */
int levels_parse(struct levels *l, const char *text, struct rb_error *err);
/* Are there enough roles? RB_OK or RB_EINVAL. */
int levels_check(const struct levels *l, int np, struct rb_error *err);
/* Are images kept in memory? */
static inline bool levels_in_memory(const struct levels *l)
{
	return l->buddies > 0 || l->k > 0;
}

/* Partner b of role r is role r + stride[b] (mod np). node: np, where each role is. The strides put
 * as many copies as possible on other nodes than the role and its other copies. */
void levels_strides(const struct levels *l, int np, const int *node, int stride[BUDDIES_MAX]);
/* With `near`: the roles of a node in ascending order are partners in pairs, and the last three in
 * a ring if they are odd in number. Roles that are alone on their nodes are treated as if they
 * shared one; a single one joins the roles of another node. partner: np, a permutation without
 * fixed points. np: at least 2. RB_OK or RB_ENOMEM. */
int levels_near(int np, const int *node, int *partner);

#endif
