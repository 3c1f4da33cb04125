#include "forecast/fast/tile_rows.h"

#include "forecast/fast/tile_copies.h"

#include <math.h>

/* A role does not end this iteration before the others stop, or before it dies. */
static void pass(const struct tile_rows *x, int role, int k, double reached, double end)
{
	const bool joins = x->join && x->join[role] == x->row + k,
		   taken = joins && x->s->since.saved[role] >= x->row + k;
	struct part *p = &x->s->at[role];
	double begin;

	reached += taken && x->due[k] ? x->checkpoint : 0;
	begin = k == 0 && x->barrier ? x->at : reached;
	x->s->past[role] = true;
	x->s->front[role] = x->row + k;
	p->reached = tile_tick(reached);
	p->begin = tile_tick(begin);
	p->saved = tile_tick(begin + (x->due[k] && !taken ? x->checkpoint : 0));
	p->start = tile_tick(begin + x->enter[k] - (x->due[k] && taken ? x->checkpoint : 0) -
			     (tile_is_border(x, role) ? x->less[k] : 0));
	p->end = tile_tick(end);
	p->work = p->end < LATER ? (int64_t)x->work : 0;
	p->waited = 0;
}

static void begin_joining(double *restrict start, const double *restrict end,
			  const int64_t *restrict join, int count, int64_t row, double enter,
			  double again)
{
	for (int i = 0; i < count; i++) {
		const double goes = end[i] + enter;

		start[i] = join[i] <= row ? goes : again;
	}
}

/* A dead role sends nothing when its program starts later. */
static void begin(const struct tile_rows *x, struct tile *t, int k)
{
	const int np = x->s->np;
	const double enter = x->enter[k];

	if (t->joining)
		begin_joining(t->start, t->end, t->join, t->count, x->row + k, enter, x->again);
	for (int i = 0; i < t->count && !t->joining; i++)
		t->start[i] = t->end[i] + enter;
	for (int i = 0; i < t->count && k == 0 && x->barrier; i++)
		t->start[i] = t->end[i] > -INFINITY ? x->at + enter : -INFINITY;
	for (int side = 0; side < 2 && !x->stencil->periodic; side++) {
		const int64_t i = (side ? np - 1 : 0) - t->left;

		if (i >= 0 && i < t->count && (!t->joining || t->join[i] <= x->row + k))
			t->start[i] -= x->less[k];
	}
	for (int d = 0; d < x->deaths; d++)
		for (int64_t i = tile_index_of(x, t, x->dead[d]); i >= 0 && i < t->count; i += np)
			if (t->start[i] > (double)x->s->died[x->dead[d]])
				t->start[i] = INFINITY;
}

static void advance(const double *restrict start, double *restrict next, int count, double message,
		    double work)
{
	for (int i = 0; i < count; i++) {
		const double beside = (start[i] > start[i + 2] ? start[i] : start[i + 2]) + message;

		next[i] = (start[i + 1] > beside ? start[i + 1] : beside) + work;
	}
}

static void advance_joining(const double *restrict start, const double *restrict end,
			    const int64_t *restrict join, double *restrict next, int count,
			    int64_t row, double message, double work)
{
	for (int i = 0; i < count; i++) {
		const double left = start[i], right = start[i + 2], own = start[i + 1],
			     before = end[i + 1];
		const double beside = (left > right ? left : right) + message,
			     last = (own > beside ? own : beside) + work;

		next[i] = join[i + 1] <= row ? last : before;
	}
}

/* What follows a role's death. t: behind the row. */
static void bury(const struct tile_rows *x, struct tile *t, int k)
{
	for (int d = 0; d < x->deaths; d++) {
		const int role = x->dead[d];

		for (int64_t i = tile_index_of(x, t, role); i >= 0 && i < t->count; i += x->s->np) {
			if (t->next[i] <= (double)x->s->died[role] ||
			    (t->joining && t->join[i] > x->row + k))
				continue;
			if (t->left + i >= t->first && t->left + i < t->first + t->width &&
			    !x->s->past[role])
				pass(x, role, k, t->end[i + 1], t->next[i]);
			t->next[i] = INFINITY;
		}
	}
}

/* What roles wait in the first iteration behind a recovery for which they did not go back. */
static void account_capped(const struct tile_rows *x, const struct tile *t, int k)
{
	const int at = (int)(t->first - t->left);
	const int64_t *capped = x->s->capped + t->first;
	const double *next = t->next + at, *start = t->start + at + 1;
	int64_t any = 0;

	for (int i = 0; i < t->width; i++)
		any += capped[i] == x->row + k;
	for (int i = 0; i < t->width && any > 0; i++)
		if (capped[i] == x->row + k && next[i] <= x->stop)
			t->totals->capped += (int64_t)(next[i] - x->work - start[i]);
}

/* Note the roles of the tile that are past since this row. */
static void look(const struct tile_rows *x, struct tile *t, int k)
{
	const int at = (int)(t->first - t->left);
	const double *next = t->next + at, *end = t->end + at + 1;
	const int64_t *join = t->joining ? t->join + at : NULL;
	int past = 0;

	for (int i = 0; i < t->width && !join; i++)
		past += next[i] > x->stop;
	for (int i = 0; i < t->width && join; i++)
		past += (next[i] > x->stop) & (join[i] <= x->row + k);
	if (past == t->past)
		return;
	t->past = past;
	for (int i = 0; i < t->width; i++)
		if (next[i] > x->stop && (!join || join[i] <= x->row + k) &&
		    !x->s->past[t->first + i])
			pass(x, (int)t->first + i, k, end[i], next[i]);
}

void tile_clear_outside(const struct tile_rows *x, const struct tile *t, double *a)
{
	for (int i = 0; i < t->count && t->left + i < 0 && !x->stencil->periodic; i++)
		a[i] = -INFINITY;
	for (int64_t i = t->count - 1; i >= 0 && t->left + i >= x->s->np && !x->stencil->periodic;
	     i--)
		a[i] = -INFINITY;
}

void tile_rows_do(const struct tile_rows *x, struct tile *t, bool special, int k)
{
	const int64_t row = x->row + k;

	begin(x, t, k);
	if (special)
		tile_copies_advance(x, t, k);
	else if (t->joining)
		advance_joining(t->start, t->end, t->join, t->next, t->count - 2, row, x->message,
				x->work);
	else
		advance(t->start, t->next, t->count - 2, x->message, x->work);
	t->count -= 2;
	t->left++;
	t->join++;
	tile_clear_outside(x, t, t->next);
	if (k >= t->failure_free)
		bury(x, t, k);
	if (t->joining)
		account_capped(x, t, k);
	if (k >= t->failure_free)
		look(x, t, k);
}
