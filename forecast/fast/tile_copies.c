#include "forecast/fast/tile_copies.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the role at index i; -1: it is beyond the ends of the line. */
static int64_t role_at(const struct tile_rows *x, const struct tile *t, int i)
{
	const int64_t np = x->s->np, role = t->left + i;

	if (role >= 0 && role < np)
		return role;
	return x->stencil->periodic ? (role % np + np) % np : -1;
}

/* A part of a tile goes through the rows of a stretch with so many roles on both sides. Who gets
 * messages of a duplicate is beside it, so one role less would do. */
static void mark(struct tile_rows *x, int64_t role, int64_t last)
{
	const int64_t np = x->s->np, end = role + tile_sizes.rows, part = tile_sizes.part;
	const bool periodic = x->stencil->periodic;
	int64_t r = role - tile_sizes.rows;

	for (r = r < 0 && !periodic ? 0 : r; r <= end && (r < np || periodic);) {
		const int64_t at = (r % np + np) % np;

		if (last > x->special[at / part])
			x->special[at / part] = last;
		r += smaller(part - at % part, np - at);
	}
}

int tile_copies_init(struct tile_rows *x, struct rb_error *err)
{
	const struct since *s = &x->s->since;
	const struct decision *d = &s->now;
	const size_t np = (size_t)x->s->np, parts = np / (size_t)tile_sizes.part + 1;

	if (s->last_copy < 0)
		return RB_OK;
	x->special = malloc(parts * sizeof *x->special);
	x->copy = calloc(2 * np, sizeof *x->copy);
	x->gap = calloc(np, sizeof *x->gap);
	if (!x->special || !x->copy || !x->gap)
		return RB_ENOMEM;
	x->copy_to = x->copy + np;
	x->unlogged = policy_logs_nothing(&x->s->m->policy);
	for (size_t i = 0; i < parts; i++)
		x->special[i] = -1;
	for (size_t r = 0; r < np; r++) {
		const int64_t last = d->end[r].iter >= 0 ? since_last_of_copy(s, (int)r) : -1;

		if (last < 0)
			continue;
		mark(x, (int64_t)r, last);
		x->copy[r] = (double)s->copies;
	}
	for (size_t i = d->gaps; i-- > 0;)
		x->gap[d->gap[i].receiver] = (uint32_t)i + 1;
	return program_of(&x->s->programs, 0, &x->program, err);
}

void tile_copies_free(struct tile_rows *x)
{
	free(x->special);
	free(x->gap);
	free(x->copy < x->copy_to ? x->copy : x->copy_to);
}

void tile_copies_load(const struct tile_rows *x, struct tile *t, struct tile_copies *c)
{
	const struct since *s = &x->s->since;

	t->copies = c;
	t->shift = 0;
	c->by_message = !x->unlogged;
	for (int d = 0; d < x->deaths; d++) {
		const int64_t i = tile_index_of(x, t, x->dead[d]);

		c->by_message = c->by_message || (i >= 0 && i < t->count);
	}
	line_load(c->copy, x->copy, x->s->np, x->stencil->periodic, t->left, t->count);
	for (int i = 0; i < t->count; i++) {
		const int64_t r = role_at(x, t, i);

		c->last[i] = r >= 0 ? since_last_of_copy(s, (int)r) : -1;
		c->back[i] = r >= 0 && s->now.back[r];
		c->late[i] = c->last[i] >= x->row ? tile_taken(x->s, r) : 0;
	}
}

void tile_copies_store(const struct tile_rows *x, const struct tile *t)
{
	const double *copy = t->copies->copy + t->shift;

	memcpy(x->copy_to + t->first, copy + (t->first - t->left), (size_t)t->width * sizeof *copy);
}

static const struct gap *gap_of(const struct tile_rows *x, int source, int receiver, int64_t iter)
{
	const struct decision *d = &x->s->since.now;
	const uint32_t first = x->gap[receiver];

	for (size_t i = first - (size_t)1;
	     first > 0 && i < d->gaps && d->gap[i].receiver == receiver; i++)
		if (d->gap[i].source == source && d->gap[i].from <= iter && iter < d->gap[i].to)
			return &d->gap[i];
	return NULL;
}

/* When a message is there that the role at index i + 1 gets in row k. */
static double arrival(const struct tile_rows *x, const struct tile *t, int i, bool copy,
		      const struct message *m, int64_t iter)
{
	const struct since *s = &x->s->since;
	const int64_t r = role_at(x, t, i + 1);
	const int from = role_at(x, t, i) == m->source ? i : i + 2;
	double sent = t->start[from];

	if (iter < s->from[m->source]) {
		const enum source source =
			decision_source_at(&s->now, gap_of(x, m->source, (int)r, iter), m->source,
					   (int)r, copy, iter, m->place);

		if (source == SOURCE_NONE)
			return -INFINITY;
		sent = source == SOURCE_DUPLICATE ? t->copies->sent[t->shift + from] : x->again;
	}
	sent = sent > x->again ? sent : x->again;
	if (x->s->died[m->source] != NEVER && sent > (double)x->s->died[m->source])
		return INFINITY;
	return sent + x->message;
}

static double last_arrival(const struct tile_rows *x, const struct tile *t, int i, bool copy,
			   int64_t iter, double start)
{
	const struct segment *g = &x->program->segment[role_at(x, t, i + 1)];
	double last = start;

	for (uint32_t k = g->message; k < g[1].message; k++) {
		const double there = arrival(x, t, i, copy, &x->program->message[k], iter);

		last = there > last ? there : last;
	}
	return last;
}

static void advance_copy(const struct tile_rows *x, struct tile *t, int i, int64_t iter)
{
	double *copy = &t->copies->copy[t->shift + i + 1];
	const int64_t r = role_at(x, t, i + 1), at = t->left + i + 1, until = x->s->until[r];
	const struct place end = x->s->since.now.end[r];
	const double start = *copy;
	int64_t work;

	if (place_before((struct place){ iter, x->program->segment[r].place }, end))
		*copy = last_arrival(x, t, i, true, iter, start);
	work = end.iter > iter && *copy < INFINITY ? (int64_t)x->work : 0;
	*copy += (double)work;
	if (at < t->first || at >= t->first + t->width)
		return;
	t->totals->computed += computed_before(tile_tick(start), tile_tick(start), tile_tick(*copy),
					       work, until + 1);
	t->totals->supported += iter < end.iter && tile_tick(*copy) <= until;
}

/* Duplicates send what they have to when they start. */
static void advance_by_message(const struct tile_rows *x, struct tile *t, int64_t iter)
{
	struct tile_copies *c = t->copies;

	memcpy(c->sent + t->shift, c->copy + t->shift, (size_t)t->count * sizeof *c->sent);
	for (int i = 0; i < t->count - 2; i++) {
		const int64_t r = role_at(x, t, i + 1), last = c->last[t->shift + i + 1];

		if (r < 0)
			t->next[i] = -INFINITY;
		else if (x->join[r] <= iter)
			t->next[i] = last_arrival(x, t, i, false, iter, t->start[i + 1]) + x->work;
		else
			t->next[i] = t->end[i + 1];
		if (last >= iter)
			advance_copy(x, t, i, iter);
		if (last == iter)
			t->next[i] = c->copy[t->shift + i + 1] - c->late[t->shift + i + 1];
	}
}

/* What roles and their duplicates send in a row. */
static void send(double *restrict sent, double *restrict kept, const double *restrict start,
		 const double *restrict copy, const int64_t *restrict join,
		 const int64_t *restrict last, int count, int64_t row, double again)
{
	for (int i = 0; i < count; i++) {
		const double by_copy = last[i] >= row ? copy[i] : -INFINITY,
			     by_any = join[i] <= row ? start[i] : by_copy;

		sent[i] = by_any;
		kept[i] = join[i] == row + 1 ? again : by_any;
	}
}

/* A row of roles and their duplicates. flat: 1: duplicates complete their last iteration, too; 0:
 * they only send in it. */
static void receive(const struct tile_rows *x, struct tile *t, int64_t row, int flat)
{
	struct tile_copies *c = t->copies;
	const double *restrict sent = c->sent + t->shift, *restrict kept = c->kept + t->shift,
			       *restrict late = c->late + t->shift;
	const int64_t *restrict last = c->last + t->shift, *restrict back = c->back + t->shift,
				*restrict join = t->join;
	const double *restrict start = t->start, *restrict end = t->end, message = x->message,
			       work = x->work;
	double *restrict next = t->next, *restrict copy = c->copy + t->shift;
	const int count = t->count - 2;

	for (int i = 0; i < count; i++) {
		const double of_copies = (sent[i] > sent[i + 2] ? sent[i] : sent[i + 2]) + message;
		const double of_kept = (kept[i] > kept[i + 2] ? kept[i] : kept[i + 2]) + message;
		const double beside = back[i + 1] ? of_copies : of_kept, own = start[i + 1],
			     before = copy[i + 1];
		const double done = (own > beside ? own : beside) + work,
			     done_copy = (before > of_copies ? before : of_copies) + work;
		const double now = last[i + 1] + flat > row ? done_copy : before,
			     waits = last[i + 1] == row ? now - late[i + 1] : end[i + 1];

		copy[i + 1] = now;
		next[i] = join[i + 1] <= row ? done : waits;
	}
}

/* What duplicates have completed in a row, and computed before the others stop. */
static void account_copies(const struct tile_rows *x, const struct tile *t, int64_t row, int flat)
{
	const int at = t->shift + (int)(t->first - t->left);
	const double *copy = t->copies->copy + at, stop = x->stop, work = x->work;
	const int64_t *last = t->copies->last + at;
	int64_t all = 0, some = 0;

	for (int i = 0; i < t->width; i++) {
		all += (last[i] + flat > row) & (copy[i] <= stop);
		some += (last[i] + flat > row) & (copy[i] - work <= stop);
	}
	t->totals->supported += all;
	t->totals->computed += all * (int64_t)work;
	for (int i = 0; i < t->width && some > all; i++)
		if (last[i] + flat > row && copy[i] > stop && copy[i] - work <= stop)
			t->totals->computed += (int64_t)(stop + 1 - (copy[i] - work));
}

/* Note when duplicates have ended that have done so in this row. */
static void note_ends(const struct tile_rows *x, const struct tile *t, int64_t row)
{
	const int at = t->shift + (int)(t->first - t->left);
	const int64_t *last = t->copies->last + at;
	int ended = 0;

	for (int i = 0; i < t->width; i++)
		ended += last[i] == row;
	for (int i = 0; i < t->width && ended > 0; i++)
		if (last[i] == row)
			x->s->walk.copy[t->first + i].end = tile_tick(t->copies->copy[at + i]);
}

void tile_copies_advance(const struct tile_rows *x, struct tile *t, int k)
{
	struct tile_copies *c = t->copies;
	const int64_t row = x->row + k;
	const int flat = x->s->since.now.flat;

	if (c->by_message) {
		advance_by_message(x, t, row);
	} else {
		send(c->sent + t->shift, c->kept + t->shift, t->start, c->copy + t->shift, t->join,
		     c->last + t->shift, t->count, row, x->again);
		receive(x, t, row, flat);
		account_copies(x, t, row, flat);
	}
	note_ends(x, t, row);
	t->shift++;
}
