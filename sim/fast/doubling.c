#include "sim/fast/doubling.h"

#include "base/status.h"
#include "kernels/allreduce.h"
#include "sim/fast/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Roles of a block that is in the cache, and how many are done at once when blocks are combined. */
enum { BLOCK = 4096, LANES = 16 };

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
		ticks += message_ticks(&m->costs, allreduce_bytes(m->pattern));
	return ticks;
}

bool doubling_fits(const struct model *m, const struct log_costs *logs)
{
	const bool logged = logs->form == LOGS_ASKED || (logs->form == LOGS_ALL && !ft_is_dataflow(m->recompute));
	int64_t ticks;

	if (allreduce_bytes(m->pattern) == 0 || m->line == LINE_OWN || logged)
		return false;
	ticks = ticks_of_rounds(m);
	return ticks >= 0 && ticks < INT32_MAX / 4;
}

static inline int32_t later(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* One round: partners are `bit` apart. */
static void do_round(int32_t *a, int count, int bit, int32_t message)
{
	for (int i = 0; i < count; i += 2 * bit)
		for (int k = i; k < i + bit; k++) {
			const int32_t x = a[k], y = a[k + bit];

			a[k] = later(x, y + message);
			a[k + bit] = later(y, x + message);
		}
}

/* Two rounds: partners are `bit` and 2 `bit` apart. */
static inline void do_two(int32_t *a, int count, int bit, int32_t message)
{
	for (int i = 0; i < count; i += 4 * bit)
		for (int k = i; k < i + bit; k++) {
			const int32_t p = a[k], q = a[k + bit], r = a[k + 2 * bit], s = a[k + 3 * bit];
			const int32_t p1 = later(p, q + message), q1 = later(q, p + message);
			const int32_t r1 = later(r, s + message), s1 = later(s, r + message);

			a[k] = later(p1, r1 + message);
			a[k + bit] = later(q1, s1 + message);
			a[k + 2 * bit] = later(r1, p1 + message);
			a[k + 3 * bit] = later(s1, q1 + message);
		}
}

/* All rounds with partners from `bit` on. */
static void do_rounds(int32_t *a, int count, int bit, int32_t message)
{
	for (; bit < LANES && 4 * bit <= count; bit *= 4) /* of constant distance, so that the compiler sees what lies side by side */
		if (bit == 1)
			do_two(a, count, 1, message);
		else
			do_two(a, count, 4, message);
	for (; 4 * bit <= count; bit *= 4)
		do_two(a, count, bit, message);
	if (2 * bit <= count)
		do_round(a, count, bit, message);
}

/* The rounds among blocks, LANES roles of each at once. */
static void combine(const struct doubling *d, const int32_t *a, int32_t *strip, double *to, double before)
{
	const int blocks = d->np / BLOCK;
	const double zero = d->zero + before;

	for (int c = 0; c < BLOCK; c += LANES) {
		for (int b = 0; b < blocks; b++)
			memcpy(strip + (size_t)b * LANES, a + (size_t)b * BLOCK + c, LANES * sizeof *strip);
		do_rounds(strip, blocks * LANES, LANES, d->message);
		for (int b = 0; b < blocks; b++)
			for (int k = 0; k < LANES; k++)
				to[(size_t)b * BLOCK + c + k] = zero + strip[(size_t)b * LANES + k];
	}
}

/* When each role is done that begins at from[], and `before` is added to all. */
static void do_reduction(const struct doubling *d, int32_t *a, const double *from, double *to, double before)
{
	const int block = d->np < BLOCK ? d->np : BLOCK;
	const double zero = d->zero;

	for (int first = 0; first < d->np; first += block) {
		for (int r = first; r < first + block; r++)
			a[r] = from[r] > zero ? (int32_t)(from[r] - zero) : 0;
		do_rounds(a + first, block, 1, d->message);
	}
	if (d->np > BLOCK)
		combine(d, a, a + d->np, to, before);
	else
		for (int r = 0; r < d->np; r++)
			to[r] = zero + before + a[r];
}

/* Each role is done `ticks` after it began, or after the one whose number differs in all bits did. to may be from. */
static void shift(const double *from, double *to, int np, bool swapped, double ticks)
{
	for (int r = 0; 2 * r < np; r++) {
		const int other = np - 1 - r;
		const double a = from[r] + ticks, b = from[other] + ticks;

		to[r] = swapped ? b : a;
		to[other] = swapped ? a : b;
	}
}

/* Many iterations without the rounds. Returns how many. */
static int64_t shift_rows(const struct model *m, const struct doubling *d, const double *from, struct point *x, int64_t rows)
{
	const int64_t work = work_ticks(&m->work, 0, 0), done = tiles_rows(m, x->row, rows);
	int64_t before = 0;

	for (int64_t i = 0; i < done; i++)
		before += work + (model_due(m, 0, x->row + i) ? ticks_of(m->costs.checkpoint_s) : 0);
	shift(from, x->end, d->np, done % 2 && d->np > 1, (double)before + (double)done * d->whole);
	x->computed += (tick_sum)before * d->np;
	x->least += before + done * (int64_t)d->whole;
	x->most += before + done * (int64_t)d->whole;
	return done;
}

/* One iteration with its rounds. What comes before the program may be added behind them, like the work. */
static void reduce_row(const struct model *m, const struct doubling *d, int32_t *a, const double *from, struct point *x)
{
	const bool alike = m->work.knots == 1;
	const int64_t before = (model_due(m, 0, x->row) ? ticks_of(m->costs.checkpoint_s) : 0) +
			       (alike ? work_ticks(&m->work, 0, x->row) : 0);
	double least = INFINITY, most = 0;

	do_reduction(d, a, from, x->end, (double)before);
	x->computed += (tick_sum)before * d->np;
	for (int r = 0; r < d->np && !alike; r++) {
		const int64_t work = work_ticks(&m->work, r, x->row);

		x->end[r] += (double)work;
		x->computed += work;
	}
	line_bounds(x->end, d->np, &least, &most);
	x->least = (int64_t)least;
	x->most = (int64_t)most;
}

/* Room for the times of all roles, and for those of LANES roles of each block. */
static int make_room(struct quiet *q, int np)
{
	const size_t strip = (size_t)(np / BLOCK) * LANES;

	if (!q->behind)
		q->behind = times_alloc(((size_t)np + strip + 1) / 2);
	return q->behind ? RB_OK : RB_ENOMEM;
}

int doubling_advance(struct quiet *q, const struct point *from, struct point *to, int64_t rows)
{
	const struct model *m = q->m;
	const int np = m->pattern->np;
	struct doubling d = { np, (int32_t)message_ticks(&m->costs, allreduce_bytes(m->pattern)), (double)ticks_of_rounds(m), 0 };
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
			RB_TRY(make_room(q, np));
			d.zero = (double)x.most - d.whole;
			reduce_row(m, &d, q->behind, begin, &x);
		}
		x.row += done;
		begin = x.end;
	}
	*to = x;
	return RB_OK;
}
