/* kernels/amr/amr.h - adaptive mesh refinement: a workload whose state changes its size, and whose
 * blocks change their resolution and their owners.
 *
 * A ring is carried over a periodic square (advection with a constant velocity). An iteration is
 * one time step. The first one of an epoch refines and coarsens blocks and gives them to new owners
 * (kernels/amr/layout.h). */
#ifndef KERNELS_AMR_AMR_H
#define KERNELS_AMR_AMR_H

#include "kernels/amr/items.h"
#include "kernels/amr/layout.h"
#include "contract/kernel.h"

enum { TAG_BLOCKS = 0, TAG_FLOW = 1, TAG_TOTAL = 2, TAG_CHECK = 4 };

struct amr_clock {
	int64_t steps;
	int64_t total; /* mass of all roles behind the newest step, 0 before the first one */
};

/* The cells of the blocks of one role, block by block. */
struct cells {
	int64_t *mass;
	size_t count, room;
};

struct kernel_state {
	struct grid grid;
	int role, np;
	struct layout layout[2]; /* of an epoch, by its last bit */
	struct cells now, moved, next;
	struct amr_clock clock, clock_next;
	struct items moves, faces;
	int64_t faces_epoch;  /* of which the faces are listed, -1: of none */
	int64_t *side[SIDES]; /* what comes into a block */
};

extern const struct kernel_ops kernel_amr;

/* The layout of an epoch. It stays until one of the second next epoch is asked for. */
const struct layout *amr_layout(struct kernel_state *s, int64_t epoch);
/* The epoch in which the state was made. */
int64_t amr_epoch(const struct kernel_state *s);

/* What role `role` sends and receives when the layout changes, and in a step. RB_OK or
 * RB_ENOMEM. */
int amr_list_moves(struct items *x, const struct grid *g, const struct layout *from,
		   const struct layout *to, int role);
int amr_list_faces(struct items *x, const struct grid *g, const struct layout *l, int role);

/* Exchange blocks for a new layout: s->moved. What the message calls return. */
int amr_move(struct kernel_state *s, struct msg *m, const struct layout *from,
	     const struct layout *to);
/* One step from these cells: s->next. Likewise. */
int amr_advance(struct kernel_state *s, struct msg *m, const struct layout *l,
		const struct cells *cells);

/* Room for so many cells, which have no values yet. RB_OK or RB_ENOMEM. */
int amr_room(struct cells *c, size_t count);

#endif
