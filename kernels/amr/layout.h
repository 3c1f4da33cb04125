/* kernels/amr/layout.h - which block has which resolution and belongs to which role, and the front
 * that decides it.
 *
 * The unit square, periodic in both directions, has side x side blocks of equal area. A block at
 * level l has (cells * 2^l)^2 cells. Blocks near the front have the highest level; it falls by at
 * most one from a block to the next. Blocks are numbered along the Morton curve, which is cut into
 * pieces with about the same number of cells, one for each role.
 *
 * The front is where a ring is that moves with the flow. So the layout follows from the iteration
 * alone, and every role computes all of it. It stays the same for `regrid` iterations, an epoch. */
#ifndef KERNELS_AMR_LAYOUT_H
#define KERNELS_AMR_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { WEST, SOUTH, SIDES };

struct grid {
	int side;       /* blocks along a side, a power of two */
	int cells;      /* along a side of a block at level 0, even */
	int levels;     /* the highest level */
	int64_t regrid; /* iterations of an epoch */
};

struct layout {
	int64_t epoch;  /* -1: not made */
	uint8_t *level; /* by block */
	int32_t *owner;
	size_t *at;   /* where its cells begin in the state of its owner */
	size_t *size; /* np: cells of each role */
};

/* What a cell of the finest level has if the density is 1. */
#define AMR_UNIT ((int64_t)1 << 24)

/* The density is 1 and, in the ring, up to 1 more. Per step the flow moves it by 1/2 and 1/4 of the
 * finest cell. */
enum { AMR_SHIFT_X = 1, AMR_SHIFT_Y = 2 };

static inline int grid_blocks(const struct grid *g)
{
	return g->side * g->side;
}

/* Cells along a side of a block of that level. */
static inline int grid_width(const struct grid *g, int level)
{
	return g->cells << level;
}

/* The block next to block b in the west or in the south. */
int grid_neighbour(const struct grid *g, int b, int direction);

int layout_init(struct layout *l, const struct grid *g, int np); /* RB_OK or RB_ENOMEM */
void layout_free(struct layout *l);
void layout_make(struct layout *l, const struct grid *g, int np, int64_t epoch);

/* What the cells of a block have after so many steps if the solution is exact. mass: width^2
 * numbers. */
void layout_exact(const struct grid *g, int b, int level, int64_t steps, int64_t *mass);
/* The bound of the error of the scheme after so many steps, as in docs/kernels.md: the integral of
 * its absolute value. */
double layout_bound(const struct grid *g, int64_t steps);

#endif
