/* kernels/lulesh/batch.h - elements that follow each other, one per lane, and their corners.
 *
 * The elements of a row along x have their corners beside each other, so a corner of all lanes is
 * one load. Where a row ends, the batch goes on with the next row, which costs a second load. */
#ifndef KERNELS_LULESH_BATCH_H
#define KERNELS_LULESH_BATCH_H

#include "kernels/lulesh/domain.h"
#include "kernels/lulesh/lanes.h"

/* Doubles behind the last node or element that lanes which are not in use may touch. */
enum { BATCH_PADDING = LANES - 1 };

struct batch {
	int64_t element; /* of lane 0 */
	int64_t node;    /* its first corner */
	int count;       /* lanes in use, at most LANES */
	int before;      /* of them in the row of lane 0; the others are in the next one */
	int64_t skip;    /* additional distance of the nodes of the latter */
};

static inline int64_t fewer(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The batch that begins with this element; after the last element, one without lanes in use. It
 * ends at the latest with the row after its first one: a small mesh has short batches. For all
 * batches: for (b = batch_at(s, 0); b.count > 0; b = batch_at(s, b.element + b.count)) */
static inline struct batch batch_at(const struct kernel_state *s, int64_t element)
{
	const int64_t n = s->edge, row = element / n, column = element % n, plane = row / n;
	const int64_t to_next_row = (row + 1) % n == 0 ? n + 2 : 1;

	return (struct batch){ .element = element,
			       .node = (row + plane) * (n + 1) + column,
			       .count = (int)fewer(LANES,
						   fewer(2 * n - column, s->elements - element)),
			       .before = (int)fewer(LANES, n - column),
			       .skip = row + 1 < n * n ? to_next_row : 0 };
}

/* Are all LANES in use, and in one row? */
static inline bool batch_is_straight(const struct batch *b)
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

/* The values of a field at the corners. BATCH_PADDING doubles follow it. */
static inline void gather(const double *field, const struct batch *b, const int64_t offset[CORNERS],
			  lanes out[CORNERS])
{
	const double *first = field + b->node;
	const lanes_mask here = lanes_below(b->before);

	for (int c = 0; c < CORNERS; c++)
		out[c] = lanes_load(first + offset[c]);
	if (batch_is_straight(b))
		return;
	for (int c = 0; c < CORNERS; c++)
		out[c] = lanes_select(here, out[c], lanes_load(first + offset[c] + b->skip));
}

/* Adds to a field what the corners have. A node gets the parts of its elements in their order:
 * within a batch, a farther corner belongs to an earlier element. */
static inline void scatter_add(double *field, const struct batch *b, const int64_t offset[CORNERS],
			       const lanes part[CORNERS])
{
	static const int farthest_first[CORNERS] = { 6, 7, 5, 4, 2, 3, 1, 0 };
	const lanes_mask here = lanes_below(b->before), used = lanes_below(b->count);
	const lanes none = lanes_broadcast(0);

	for (int n = 0; n < CORNERS; n++) {
		const int c = farthest_first[n];
		double *to = field + b->node + offset[c];

		if (batch_is_straight(b)) {
			lanes_store(to, lanes_load(to) + part[c], LANES);
			continue;
		}
		lanes_store(to, lanes_load(to) + lanes_select(here & used, part[c], none), LANES);
		to += b->skip;
		lanes_store(to, lanes_load(to) + lanes_select(~here & used, part[c], none), LANES);
	}
}

/* Of the lanes in use: note the first that is bad, with its value. RB_OK or RB_ENUMERIC. */
static inline int batch_check(struct kernel_state *s, const struct batch *b, const char *what,
			      lanes_mask bad, lanes value)
{
	int lane = lanes_first_true(bad & lanes_below(b->count));

	return lane < 0 ? RB_OK : in_trouble(s, what, b->element + lane, value[lane]);
}

#endif
