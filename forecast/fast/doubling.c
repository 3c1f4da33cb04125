#include "forecast/fast/doubling.h"

#include "base/status.h"
#include "forecast/pattern/allreduce.h"
#include "forecast/fast/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Roles of a block that is in the cache, of a part of one, and of a vector. Blocks are combined
 * LANES roles at once. They lie so far apart that these do not fall into the same few places of the
 * cache. */
enum { BLOCK = 4096, PART = 64, NEAR = 8, LANES = 128, STRIDE = BLOCK + 16 };

struct doubling {
	int np;
	int32_t message;
	double whole; /* ticks of all rounds */
	double zero;  /* the tick from which times in 32 bits count */
};

/* The time of all rounds, or -1: no power of two of roles. */
static int64_t ticks_of_rounds(const struct model *m)
{
	const int np = m->pattern->np;
	int64_t ticks = 0;

	if (np < 1 || (np & (np - 1)) != 0)
		return -1;
	for (int bit = 1; bit < np; bit *= 2)
		ticks += message_ticks(&m->costs, allreduce_doubling_bytes(m->pattern));
	return ticks;
}

bool doubling_fits(const struct model *m, const struct log_costs *logs)
{
	const bool logged = logs->form == LOGS_ASKED ||
			    (logs->form == LOGS_ALL && !ft_is_dataflow(m->recompute));
	int64_t ticks;

	if (allreduce_doubling_bytes(m->pattern) == 0 || m->line == LINE_OWN || logged)
		return false;
	ticks = ticks_of_rounds(m);
	return ticks >= 0 && ticks < INT32_MAX / 4;
}

static inline int32_t later(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static inline void pair(int32_t *x, int32_t *y, int32_t message)
{
	const int32_t a = later(*x, *y + message), b = later(*y, *x + message);

	*x = a;
	*y = b;
}

/* One round of `count` roles with others. The lines do not overlap, and the compiler is told so. */
static inline void do_one(int32_t *restrict a, int32_t *restrict b, int count, int32_t message)
{
	for (int k = 0; k < count; k++)
		pair(a + k, b + k, message);
}

/* Three rounds of eight lines. */
static inline void do_three(int32_t *restrict a, int32_t *restrict b, int32_t *restrict c,
			    int32_t *restrict d, int32_t *restrict e, int32_t *restrict f,
			    int32_t *restrict g, int32_t *restrict h, int count, int32_t message)
{
	for (int k = 0; k < count; k++) {
		int32_t p = a[k], q = b[k], r = c[k], s = d[k], t = e[k], u = f[k], v = g[k],
			w = h[k];

		pair(&p, &q, message), pair(&r, &s, message), pair(&t, &u, message),
			pair(&v, &w, message);
		pair(&p, &r, message), pair(&q, &s, message), pair(&t, &v, message),
			pair(&u, &w, message);
		pair(&p, &t, message), pair(&q, &u, message), pair(&r, &v, message),
			pair(&s, &w, message);
		a[k] = p, b[k] = q, c[k] = r, d[k] = s, e[k] = t, f[k] = u, g[k] = v, h[k] = w;
	}
}

/* All rounds among lines of `width` roles that begin `stride` roles apart. Always inline, so that
 * the compiler knows the width. */
__attribute__((always_inline)) static inline void do_rounds(int32_t *a, int lines, int stride,
							    int width, int32_t message)
{
	int bit = 1;

	for (; 8 * bit <= lines; bit *= 8)
		for (int i = 0; i < lines; i++) {
			const size_t step = (size_t)bit * (size_t)stride;
			int32_t *p = a + (size_t)i * (size_t)stride;

			if ((i & 7 * bit) == 0)
				do_three(p, p + step, p + 2 * step, p + 3 * step, p + 4 * step,
					 p + 5 * step, p + 6 * step, p + 7 * step, width, message);
		}
	for (; 2 * bit <= lines; bit *= 2)
		for (int i = 0; i < lines; i++)
			if ((i & bit) == 0)
				do_one(a + (size_t)i * (size_t)stride,
				       a + (size_t)(i + bit) * (size_t)stride, width, message);
}

typedef int32_t eight_counts __attribute__((vector_size(32)));
typedef double four_times __attribute__((vector_size(32)));
typedef int64_t four_masks __attribute__((vector_size(32)));
typedef int32_t four_counts __attribute__((vector_size(16)));

static inline eight_counts later_of_each(eight_counts a, eight_counts b)
{
	const eight_counts larger = a > b;

	return (a & larger) | (b & ~larger);
}

/* The rounds among NEAR roles. */
static inline void do_near(int32_t *a, int32_t message)
{
	eight_counts x;

	memcpy(&x, a, sizeof x);
	x = later_of_each(x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6) + message);
	x = later_of_each(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5) + message);
	x = later_of_each(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3) + message);
	memcpy(a, &x, sizeof x);
}

/* Times as they count from zero on. Does any? By vectors, since compilers make branches of it where
 * they unroll it. */
static inline bool count_from_zero(const double *from, int32_t *a, int count, double zero)
{
	four_counts all = { 0 };
	bool any = false;
	int r = 0;

	for (; r + 4 <= count; r += 4) {
		four_times behind;
		four_counts counts;

		memcpy(&behind, from + r, sizeof behind);
		behind -= zero;
		behind = (four_times)((four_masks)behind & (behind > 0));
		counts = __builtin_convertvector(behind, four_counts);
		memcpy(a + r, &counts, sizeof counts);
		all |= counts;
	}
	for (; r < count; r++) {
		a[r] = from[r] > zero ? (int32_t)(from[r] - zero) : 0;
		any |= a[r] > 0;
	}
	return any || (all[0] | all[1] | all[2] | all[3]) != 0;
}

/* All rounds among `count` roles that begin at from[], or none if all of them begin so early that
 * they delay nobody. */
static bool do_roles(const struct doubling *d, const double *from, int32_t *a, int count)
{
	const int part = count / 8;
	bool any = false;

	if (count <= PART) {
		any = count_from_zero(from, a, count, d->zero);
		for (int r = 0; any && r + NEAR <= count; r += NEAR)
			do_near(a + r, d->message);
		if (any && count == PART) /* a number that the compiler knows */
			do_rounds(a, PART / NEAR, NEAR, NEAR, d->message);
		else if (any && count >= NEAR)
			do_rounds(a, count / NEAR, NEAR, NEAR, d->message);
		else if (any)
			do_rounds(a, count, 1, 1, d->message);
		return any;
	}
	for (int r = 0; r < count; r += part)
		any |= do_roles(d, from + r, a + r, part);
	if (any)
		do_rounds(a, 8, part, part, d->message);
	return any;
}

/* When each role is done that begins at from[], and `before` is added to all. least, most: of
 * to[]. */
static void do_reduction(const struct doubling *d, int32_t *a, const double *from, double *to,
			 double before, double *least, double *most)
{
	const int block = d->np < BLOCK ? d->np : BLOCK, blocks = d->np / block;
	const double zero = d->zero + before;
	int32_t low = INT32_MAX, high = 0;

	for (int b = 0; b < blocks; b++)
		(void)do_roles(d, from + (size_t)b * BLOCK, a + (size_t)b * STRIDE, block);
	for (int c = 0; c < BLOCK && blocks > 1; c += LANES)
		do_rounds(a + c, blocks, STRIDE, LANES, d->message);
	for (int b = 0; b < blocks; b++) {
		const int32_t *ends = a + (size_t)b * STRIDE;

		for (int r = 0; r < block; r++) {
			to[(size_t)b * BLOCK + (size_t)r] = zero + ends[r];
			low = ends[r] < low ? ends[r] : low;
			high = later(high, ends[r]);
		}
	}
	*least = zero + low;
	*most = zero + high;
}

/* Each role is done `ticks` after it began, or after the one whose number differs in all bits did.
 * to may be from. */
static void shift(const double *from, double *to, int np, bool swapped, double ticks)
{
	for (int r = 0; 2 * r < np; r++) { /* from both ends */
		const int other = np - 1 - r;
		const double a = from[r] + ticks, b = from[other] + ticks;

		to[r] = swapped ? b : a;
		to[other] = swapped ? a : b;
	}
}

/* Many iterations without the rounds. Returns how many. */
static int64_t shift_rows(const struct model *m, const struct doubling *d, const double *from,
			  struct point *x, int64_t rows)
{
	const int64_t work = work_ticks(&m->work, 0, 0), done = tiles_rows(m, x->row, rows);
	int64_t before = 0;
	double ticks;

	for (int64_t i = 0; i < done; i++)
		before +=
			work + (model_due(m, 0, x->row + i) ? ticks_of(m->costs.checkpoint_s) : 0);
	ticks = (double)before + (double)done * d->whole;
	if (x->least < x->most)
		shift(from, x->end, d->np, done % 2 && d->np > 1, ticks);
	for (int r = 0; r < d->np && x->least == x->most; r++)
		x->end[r] = (double)x->most + ticks;
	x->computed += (tick_sum)before * d->np;
	x->least += before + done * (int64_t)d->whole;
	x->most += before + done * (int64_t)d->whole;
	return done;
}

/* One iteration with its rounds. What comes before the program may be added behind them, like the
 * work. */
static void reduce_row(const struct model *m, const struct doubling *d, int32_t *a,
		       const double *from, struct point *x)
{
	const bool alike = m->work.knots == 1;
	const int64_t before = (model_due(m, 0, x->row) ? ticks_of(m->costs.checkpoint_s) : 0) +
			       (alike ? work_ticks(&m->work, 0, x->row) : 0);
	double least, most;

	do_reduction(d, a, from, x->end, (double)before, &least, &most);
	x->computed += (tick_sum)before * d->np;
	for (int r = 0; r < d->np && !alike; r++) {
		const int64_t work = work_ticks(&m->work, r, x->row);

		x->end[r] += (double)work;
		x->computed += work;
	}
	if (!alike) {
		least = INFINITY;
		most = 0;
		line_bounds(x->end, d->np, &least, &most);
	}
	x->least = (int64_t)least;
	x->most = (int64_t)most;
}

static int make_room(int32_t **behind, int np)
{
	if (!*behind)
		*behind = times_alloc(((size_t)np / BLOCK + 1) * (STRIDE / 2));
	return *behind ? RB_OK : RB_ENOMEM;
}

int doubling_advance(const struct model *m, int32_t **behind, const struct point *from,
		     struct point *to, int64_t rows)
{
	const int np = m->pattern->np;
	struct doubling d = {
		np, (int32_t)message_ticks(&m->costs, allreduce_doubling_bytes(m->pattern)),
		(double)ticks_of_rounds(m), 0
	};
	const double *begin = from->end;
	struct point x = *from;
	int64_t done;

	for (x.end = to->end; rows > 0 && x.most <= TICKS_MAX; rows -= done) {
		const bool barrier = m->line == LINE_BARRIER && model_due(m, 0, x.row);

		for (int r = 0; r < np && barrier; r++)
			x.end[r] = (double)x.most;
		if (barrier) {
			x.least = x.most;
			begin = x.end;
		}
		done = 1;
		if (m->work.knots == 1 && x.most - x.least <= d.message) {
			done = shift_rows(m, &d, begin, &x, rows);
		} else {
			RB_TRY(make_room(behind, np));
			d.zero = (double)x.most - d.whole;
			reduce_row(m, &d, *behind, begin, &x);
		}
		x.row += done;
		begin = x.end;
	}
	*to = x;
	return RB_OK;
}
