/* kernels/lulesh/block.h - elements that follow each other, one per lane, and their corners.
 *
 * The elements of a row along x have their corners beside each other, so a corner of all lanes is
 * one load. Where a row ends, the block goes on with the next one, which costs a second load. */
#ifndef KERNELS_LULESH_BLOCK_H
#define KERNELS_LULESH_BLOCK_H

#include "kernels/lulesh/domain.h"
#include "kernels/lulesh/lanes.h"

struct block {
	int64_t element; /* of lane 0 */
	int64_t node;    /* its first corner */
	int64_t row;     /* its row: k * edge + j */
	int64_t column;  /* its i */
	int count;       /* lanes in use, at most */
	int before;      /* of them in this row; the others are in the next one */
	int64_t skip;    /* additional distance of the nodes of the latter */
};

static inline int64_t fewer(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A block ends at the latest with the row after its first: a small mesh has short blocks. */
static inline struct block block_at(const struct kernel_state *s, int64_t row, int64_t column)
{
	const int64_t n = s->edge, rows = n * n, plane = row / n;
	const bool last_of_plane = row + 1 == (plane + 1) * n;
	const int64_t after = row + 1 < rows ? n : 0;

	return (struct block){ .element = row * n + column,
			       .node = (row + plane) * (n + 1) + column,
			       .row = row,
			       .column = column,
			       .count = (int)fewer(LANES, n - column + after),
			       .before = (int)fewer(LANES, n - column),
			       .skip = last_of_plane ? n + 2 : 1 };
}

/* For all blocks: for (b = block_at(s, 0, 0); b.count > 0; b = block_after(s, &b)) */
static inline struct block block_after(const struct kernel_state *s, const struct block *b)
{
	int64_t row = b->row, column = b->column + b->count;

	for (; column >= s->edge; column -= s->edge)
		row++;
	if (row == (int64_t)s->edge * s->edge)
		return (struct block){ .count = 0 };
	return block_at(s, row, column);
}

/* Do all lanes lie in one row? */
static inline bool block_is_straight(const struct block *b)
{
	return b->before == LANES;
}

/* Offsets of the eight corners from the first. */
static inline void corner_offsets(const struct kernel_state *s, int64_t offset[CORNERS])
{
	int64_t row = s->edge + 1, plane = row * row;

	offset[0] = 0;
	offset[1] = 1;
	offset[2] = row + 1;
	offset[3] = row;
	for (int c = 0; c < 4; c++)
		offset[c + 4] = offset[c] + plane;
}

/* The values of a field at the corners. It is followed by block_padding() doubles. */
static inline void gather(const double *field, const struct block *b, const int64_t offset[CORNERS],
			  lanes out[CORNERS])
{
	const double *first = field + b->node;
	const lanes_mask here = lanes_below(b->before);

	for (int c = 0; c < CORNERS; c++)
		out[c] = lanes_load(first + offset[c]);
	if (block_is_straight(b))
		return;
	for (int c = 0; c < CORNERS; c++)
		out[c] = lanes_select(here, out[c], lanes_load(first + offset[c] + b->skip));
}

/* Adds to a field what the corners have. A node gets the parts of its elements in their order:
 * within a block, a farther corner belongs to an earlier element. */
static inline void scatter_add(double *field, const struct block *b, const int64_t offset[CORNERS],
			       const lanes part[CORNERS])
{
	static const int farthest_first[CORNERS] = { 6, 7, 5, 4, 2, 3, 1, 0 };
	const lanes_mask here = lanes_below(b->before), used = lanes_below(b->count);
	const lanes none = lanes_all(0);

	for (int n = 0; n < CORNERS; n++) {
		const int c = farthest_first[n];
		double *to = field + b->node + offset[c];

		if (block_is_straight(b)) {
			lanes_store(to, lanes_load(to) + part[c], LANES);
			continue;
		}
		lanes_store(to, lanes_load(to) + lanes_select(here & used, part[c], none), LANES);
		to += b->skip;
		lanes_store(to, lanes_load(to) + lanes_select(~here & used, part[c], none), LANES);
	}
}

/* Doubles that gather() and scatter_add() touch behind the last node or element. */
static inline int64_t block_padding(int64_t edge)
{
	return edge + LANES + 1;
}

/* Of the lanes in use: note the first that is bad, with its value. RB_OK or RB_ENUMERIC. */
static inline int block_check(struct kernel_state *s, const struct block *b, const char *what,
			      lanes_mask bad, lanes value)
{
	int lane = lanes_first(bad & lanes_below(b->count));

	return lane < 0 ? RB_OK : in_trouble(s, what, b->element + lane, value[lane]);
}

#endif
