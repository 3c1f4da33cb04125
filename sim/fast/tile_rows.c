#include "sim/fast/tile_rows.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A role does not end this iteration before the others stop, or before it dies. */
static void pass(const struct tile_rows *x, int role, int k, double reached, double end)
{
	const bool joins = x->join && x->join[role] == x->row + k, taken = joins && x->s->since.saved[role] >= x->row + k;
	struct part *p = &x->s->at[role];
	double begin;

	reached += taken && x->due[k] ? x->checkpoint : 0;
	begin = k == 0 && x->barrier ? x->at : reached;
	x->s->past[role] = true;
	x->s->front[role] = x->row + k;
	p->reached = tile_tick(reached);
	p->begin = tile_tick(begin);
	p->saved = tile_tick(begin + (x->due[k] && !taken ? x->checkpoint : 0));
	p->start = tile_tick(begin + x->enter[k] - (x->due[k] && taken ? x->checkpoint : 0) - (tile_is_border(x, role) ? x->less[k] : 0));
	p->end = tile_tick(end);
	p->work = p->end < LATER ? (int64_t)x->work : 0;
	p->waited = 0;
}

/* The first index of a role in the arrays of a tile; more follow in steps of np, if the grid is periodic. */
static int64_t index_of(const struct tile_rows *x, const struct tile *t, int role)
{
	const int64_t np = x->s->np, at = role - t->left;

	return x->stencil->periodic ? (at % np + np) % np : at;
}

static void begin_joining(double *restrict start, const double *restrict end, const int64_t *restrict join, int count, int64_t row,
			  double enter, double again)
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
		for (int64_t i = index_of(x, t, x->dead[d]); i >= 0 && i < t->count; i += np)
			if (t->start[i] > (double)x->s->died[x->dead[d]])
				t->start[i] = INFINITY;
}

static void advance(const double *restrict start, double *restrict next, int count, double message, double work)
{
	for (int i = 0; i < count; i++) {
		const double beside = (start[i] > start[i + 2] ? start[i] : start[i + 2]) + message;

		next[i] = (start[i + 1] > beside ? start[i + 1] : beside) + work;
	}
}

static void advance_joining(const double *restrict start, const double *restrict end, const int64_t *restrict join,
			    double *restrict next, int count, int64_t row, double message, double work)
{
	for (int i = 0; i < count; i++) {
		const double left = start[i], right = start[i + 2], own = start[i + 1], before = end[i + 1];
		const double beside = (left > right ? left : right) + message, last = (own > beside ? own : beside) + work;

		next[i] = join[i + 1] <= row ? last : before;
	}
}

/* What follows a role's death. t: behind the row. */
static void bury(const struct tile_rows *x, struct tile *t, int k)
{
	for (int d = 0; d < x->deaths; d++) {
		const int role = x->dead[d];

		for (int64_t i = index_of(x, t, role); i >= 0 && i < t->count; i += x->s->np) {
			if (t->next[i] <= (double)x->s->died[role] || (t->joining && t->join[i] > x->row + k))
				continue;
			if (t->left + i >= t->first && t->left + i < t->first + t->width && !x->s->past[role])
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
		if (next[i] > x->stop && (!join || join[i] <= x->row + k) && !x->s->past[t->first + i])
			pass(x, (int)t->first + i, k, end[i], next[i]);
}

static int64_t role_at(const struct tile_rows *x, const struct tile *t, int i)
{
	const int64_t np = x->s->np, role = t->left + i;

	if (role >= 0 && role < np)
		return role;
	return x->stencil->periodic ? (role % np + np) % np : -1;
}

/* A part of a tile goes through the rows of a stretch with so many roles on both sides. One less would do: who has a duplicate has gaps
 * to both neighbours, which are marked as receivers. */
static void mark(struct tile_rows *x, int64_t role)
{
	const int64_t np = x->s->np;

	for (int64_t r = role - tile_sizes.rows; r <= role + tile_sizes.rows; r++)
		if (r >= 0 && r < np)
			x->special[r / tile_sizes.part] = true;
		else if (x->stencil->periodic)
			x->special[((r % np + np) % np) / tile_sizes.part] = true;
}

int tile_copies_init(struct tile_rows *x, struct rb_error *err)
{
	const struct decision *d = &x->s->since.now;
	const size_t np = (size_t)x->s->np;

	if (d->gaps == 0 && x->s->since.last_copy < 0)
		return RB_OK;
	x->special = calloc(np / (size_t)tile_sizes.part + 1, sizeof *x->special);
	x->copy = calloc(2 * np, sizeof *x->copy);
	x->gap = calloc(np, sizeof *x->gap);
	if (!x->special || !x->copy || !x->gap)
		return RB_ENOMEM;
	x->copy_to = x->copy + np;
	for (size_t r = 0; r < np; r++)
		if (d->end[r].iter >= 0)
			mark(x, (int64_t)r);
	for (size_t i = d->gaps; i-- > 0;) {
		x->gap[d->gap[i].receiver] = (uint32_t)i + 1;
		mark(x, d->gap[i].source);
		mark(x, d->gap[i].receiver);
	}
	return program_of(&x->s->programs, 0, &x->program, err);
}

void tile_copies_free(struct tile_rows *x)
{
	free(x->special);
	free(x->gap);
	free(x->copy < x->copy_to ? x->copy : x->copy_to);
}

void tile_copies_load(const struct tile_rows *x, struct tile *t)
{
	line_load(t->copy, x->copy, x->s->np, x->stencil->periodic, t->left, t->count);
}

static bool has_copy(const struct tile_rows *x, int64_t role, int64_t iter)
{
	return role >= 0 && since_has_copy(&x->s->since, (int)role, iter);
}

/* A role whose duplicate has ended goes on then; t->end: when it has ended the iteration before. */
static void begin_copies(const struct tile_rows *x, struct tile *t, int k)
{
	const struct since *s = &x->s->since;
	const int64_t iter = x->row + k;

	for (int i = 0; i < t->count; i++) {
		const int64_t r = role_at(x, t, i);

		if (r < 0)
			continue;
		if (has_copy(x, r, iter))
			t->copy_start[i] = iter > s->line[r] ? t->copy[i] : (double)s->copies;
		if (x->join[r] == iter && since_last_of_copy(s, (int)r) >= 0)
			t->end[i] = t->copy[i] - (x->due[k] && s->saved[r] >= iter ? x->checkpoint : 0);
	}
}

static const struct gap *gap_of(const struct tile_rows *x, int source, int receiver, int64_t iter)
{
	const struct decision *d = &x->s->since.now;
	const uint32_t first = x->gap[receiver];

	for (size_t i = first - (size_t)1; first > 0 && i < d->gaps && d->gap[i].receiver == receiver; i++)
		if (d->gap[i].source == source && d->gap[i].from <= iter && iter < d->gap[i].to)
			return &d->gap[i];
	return NULL;
}

/* When a message is there that the role at index i + 1 gets in row k. */
static double arrival(const struct tile_rows *x, const struct tile *t, int i, bool copy, const struct message *m, int64_t iter)
{
	const struct since *s = &x->s->since;
	const int64_t r = role_at(x, t, i + 1);
	const int from = role_at(x, t, i) == m->source ? i : i + 2;
	double sent = t->start[from];

	if (iter < s->from[m->source]) {
		const enum source source = decision_source_at(&s->now, gap_of(x, m->source, (int)r, iter), m->source, (int)r,
							      copy, iter, m->place);

		if (source == SOURCE_NONE)
			return -INFINITY;
		sent = source == SOURCE_DUPLICATE ? t->copy_start[from] : x->again;
	}
	sent = sent > x->again ? sent : x->again;
	if (x->s->died[m->source] != NEVER && sent > (double)x->s->died[m->source])
		return INFINITY;
	return sent + x->message;
}

static double last_arrival(const struct tile_rows *x, const struct tile *t, int i, bool copy, int64_t iter, double start)
{
	const struct segment *g = &x->program->segment[role_at(x, t, i + 1)];
	double last = start;

	for (uint32_t k = g->message; k < g[1].message; k++) {
		const double there = arrival(x, t, i, copy, &x->program->message[k], iter);

		last = there > last ? there : last;
	}
	return last;
}

static void account_copy(const struct tile_rows *x, struct totals *t, int64_t role, int64_t iter, double start, double end, int64_t work)
{
	const int64_t until = x->s->until[role], last = tile_tick(end);

	t->computed += computed_before(tile_tick(start), tile_tick(start), last, work, until + 1);
	t->supported += iter < x->s->since.now.end[role].iter && last <= until;
}

static void advance_copy(const struct tile_rows *x, struct tile *t, int i, int64_t iter)
{
	const int64_t r = role_at(x, t, i + 1), at = t->left + i + 1;
	const struct place end = x->s->since.now.end[r];
	const double start = t->copy_start[i + 1];
	double last = start, work;

	if (place_before((struct place){ iter, x->program->segment[r].place }, end))
		last = last_arrival(x, t, i, true, iter, start);
	work = end.iter > iter && last < INFINITY ? x->work : 0;
	if (at >= t->first && at < t->first + t->width)
		account_copy(x, t->totals, r, iter, start, last + work, (int64_t)work);
	t->copy[i + 1] = last + work;
}

static void advance_special(const struct tile_rows *x, struct tile *t, int k)
{
	const int64_t iter = x->row + k;

	for (int i = 0; i < t->count - 2; i++) {
		const int64_t r = role_at(x, t, i + 1);

		if (r < 0)
			t->next[i] = -INFINITY;
		else if (x->join[r] <= iter)
			t->next[i] = last_arrival(x, t, i, false, iter, t->start[i + 1]) + x->work;
		else
			t->next[i] = t->end[i + 1];
		if (has_copy(x, r, iter))
			advance_copy(x, t, i, iter);
	}
	t->copy++;
	t->copy_start++;
}

void tile_copies_store(const struct tile_rows *x, const struct tile *t)
{
	memcpy(x->copy_to + t->first, t->copy + (t->first - t->left), (size_t)t->width * sizeof *t->copy);
}

void tile_clear_outside(const struct tile_rows *x, const struct tile *t, double *a)
{
	for (int i = 0; i < t->count && t->left + i < 0 && !x->stencil->periodic; i++)
		a[i] = -INFINITY;
	for (int64_t i = t->count - 1; i >= 0 && t->left + i >= x->s->np && !x->stencil->periodic; i--)
		a[i] = -INFINITY;
}

void tile_rows_do(const struct tile_rows *x, struct tile *t, bool special, int k)
{
	const int64_t row = x->row + k;

	if (special)
		begin_copies(x, t, k);
	begin(x, t, k);
	if (special)
		advance_special(x, t, k);
	else if (t->joining)
		advance_joining(t->start, t->end, t->join, t->next, t->count - 2, row, x->message, x->work);
	else
		advance(t->start, t->next, t->count - 2, x->message, x->work);
	t->count -= 2;
	t->left++;
	t->join++;
	tile_clear_outside(x, t, t->next);
	if (k >= t->quiet)
		bury(x, t, k);
	if (t->joining)
		account_capped(x, t, k);
	if (k >= t->quiet)
		look(x, t, k);
}
