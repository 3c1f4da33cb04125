#include "tests/oracle/ref_rows.h"

#include "base/grow.h"
#include "base/status.h"
#include "ft/role/expected_log.h"

#include <stdlib.h>
#include <string.h>

/* A row that is being loaded. */
struct loading {
	struct ref_row *row;
	const struct costs *costs;
	size_t count, room;
	int32_t places;
};

static int load_op(void *ctx, const struct pattern_operation *o)
{
	struct loading *l = ctx;
	struct ref_op *list = grow(l->row->op, l->count + 1, &l->room, sizeof *list);
	const bool counted = o->kind != PATTERN_RECEIVE && !o->reduction;

	if (!list)
		return RB_ENOMEM;
	l->row->op = list;
	list[l->count++] =
		(struct ref_op){ o->kind,
				 o->peer,
				 o->tag,
				 counted ? l->places : 0,
				 o->reduction,
				 o->kind == PATTERN_SEND ? message_ticks(l->costs, o->bytes) : 0,
				 0,
				 NEVER,
				 NEVER,
				 NEVER };
	l->places += counted;
	return RB_OK;
}

static bool same_channel(const struct ref_op *o, enum pattern_kind kind, int peer, int tag)
{
	return o->kind == kind && o->peer == peer && o->tag == tag;
}

/* Find the send of each receive of a role: the one with as many equal ones before it. */
static int match(struct ref_row *row, int role)
{
	for (size_t i = row->first[role]; i < row->first[role + 1]; i++) {
		struct ref_op *o = &row->op[i];
		int before = 0;
		size_t s;

		if (o->kind != PATTERN_RECEIVE)
			continue;
		for (size_t k = row->first[role]; k < i; k++)
			before += same_channel(&row->op[k], PATTERN_RECEIVE, o->peer, o->tag);
		for (s = row->first[o->peer]; s < row->first[o->peer + 1]; s++)
			if (same_channel(&row->op[s], PATTERN_SEND, role, o->tag) && before-- == 0)
				break;
		if (s == row->first[o->peer + 1])
			return RB_EINVAL;
		o->match = s;
	}
	return RB_OK;
}

static int load_row(struct ref *x, int64_t iter)
{
	struct ref_row *row = &x->row[iter];
	struct loading l = { row, &x->m->costs, 0, 0, 0 };

	row->first = malloc(((size_t)x->np + 1) * sizeof *row->first);
	row->own = calloc((size_t)x->np, sizeof *row->own);
	row->copy = calloc((size_t)x->np, sizeof *row->copy);
	x->loaded = iter + 1;
	if (!row->first || !row->own || !row->copy)
		return RB_ENOMEM;
	for (int r = 0; r < x->np; r++) {
		row->first[r] = l.count;
		l.places = 0;
		RB_TRY(x->m->pattern->operations(x->m->pattern, r, iter, load_op, &l));
	}
	row->first[x->np] = l.count;
	for (int r = 0; r < x->np; r++)
		RB_TRY(match(row, r));
	return RB_OK;
}

/* The bytes that a role copies into its logs in an iteration, also into that of what it
 * receives. */
static int logged_bytes(const struct ref *x, int role, int64_t iter, int64_t *bytes)
{
	struct expected_log e;
	int64_t from = schedule_newest(x->m->schedule, iter);
	int rc = expected_log_open(&e, x->m->pattern, &x->m->policy,
				   ft_is_dataflow(x->m->recompute), role);

	if (rc != RB_OK)
		return rc;
	rc = expected_log_resume(&e, x->m->schedule, from);
	for (; rc == RB_OK && from < iter; from++) {
		rc = expected_log_enter(&e, from);
		expected_log_commit(&e);
	}
	if (rc == RB_OK)
		rc = expected_log_enter(&e, iter);
	*bytes = expected_log_fresh(&e);
	expected_log_free(&e);
	return rc;
}

static int log_ticks(const struct ref *x, int role, int64_t iter, int64_t *ticks)
{
	const double speed = x->m->costs.log_bytes_per_s;
	int64_t bytes = 0;

	if (speed > 0)
		RB_TRY(logged_bytes(x, role, iter, &bytes));
	*ticks = bytes > 0 ? ticks_of((double)bytes / speed) : 0;
	return RB_OK;
}

static int64_t last_of_copy(const struct ref *x, int role)
{
	return decision_last_of_copy(&x->now, role, x->line[role]);
}

bool ref_has_copy(const struct ref *x, int role, int64_t iter)
{
	return iter >= x->line[role] && iter <= last_of_copy(x, role);
}

int64_t ref_resume(const struct ref *x, int role)
{
	const int64_t last = last_of_copy(x, role);

	if (last < 0)
		return x->ready[role];
	return last < x->begun ? x->row[last].copy[role].end : LATER;
}

int64_t ref_begin(const struct ref *x, int role, int64_t iter)
{
	return iter == x->from[role] ? ref_resume(x, role) : x->row[iter - 1].own[role].end;
}

/* Has the role to take the checkpoint that is due, and has not yet begun to do so? */
static bool is_to_save(const struct ref *x, int role, int64_t iter)
{
	return x->from[role] <= iter && x->saved[role] < iter &&
	       (x->from[role] < iter || x->under_way[role] == NEVER);
}

/* Has a role died by then? */
static bool is_dead(const struct ref *x, int role, int64_t tick)
{
	return x->died[role] != NEVER && tick > x->died[role];
}

/* When all roles that have to come to this barrier are there. One that has died behind it
 * counts. */
static int64_t barrier(const struct ref *x, int64_t iter)
{
	int64_t last = 0;

	for (int r = 0; r < x->np; r++) {
		const int64_t there = is_to_save(x, r, iter) ? ref_begin(x, r, iter) : 0;

		if (is_dead(x, r, there))
			return LATER;
		last = there > last ? there : last;
	}
	return last;
}

static int begin_own(struct ref *x, int role, int64_t iter, int64_t at)
{
	struct ref_part *p = &x->row[iter].own[role];
	int64_t ticks, begin = ref_begin(x, role, iter);

	if (iter == x->from[role] && x->under_way[role] != NEVER)
		begin = x->under_way[role];
	else if (is_to_save(x, role, iter) && at > begin)
		begin = at;
	*p = (struct ref_part){ .begin = begin, .saved = begin, .start = begin };
	if (begin >= LATER)
		return RB_OK;
	if (model_due(x->m, role, iter) && x->saved[role] < iter)
		p->saved += ticks_of(x->m->costs.checkpoint_s);
	RB_TRY(log_ticks(x, role, iter, &ticks));
	p->start = p->clock = p->saved + ticks;
	p->next = p->posted = x->row[iter].first[role];
	return RB_OK;
}

static void begin_copy(struct ref *x, int role, int64_t iter)
{
	struct ref_part *p = &x->row[iter].copy[role];

	memset(p, 0, sizeof *p);
	p->begin = p->saved = p->start = p->clock =
		ref_has_copy(x, role, iter - 1) ? x->row[iter - 1].copy[role].end : x->copies;
	p->next = p->posted = x->row[iter].first[role];
}

static int begin_row(struct ref *x, int64_t iter)
{
	const int64_t at =
		x->m->line == LINE_BARRIER && model_due(x->m, 0, iter) ? barrier(x, iter) : 0;

	for (int r = 0; r < x->np; r++) {
		if (x->from[r] <= iter)
			RB_TRY(begin_own(x, r, iter, at));
		if (ref_has_copy(x, r, iter))
			begin_copy(x, r, iter);
	}
	return RB_OK;
}

/* When the message of a receive is there; NEVER: it has not been sent yet. 0: nobody waits for
 * it. */
static int64_t arrival(const struct ref *x, int role, bool copy, int64_t iter,
		       const struct ref_op *receive)
{
	const int from = receive->peer;
	const struct ref_op *send = &x->row[iter].op[receive->match];
	const int64_t stop = x->stop[role];
	const bool stopped = copy || (x->now.np && x->now.stopped[role]);
	int64_t sent = send->own;

	if (iter < x->from[from]) {
		const enum source source =
			decision_source(&x->now, from, role, copy, iter, send->place);

		if (source == SOURCE_NONE)
			return 0;
		sent = source == SOURCE_DUPLICATE ? send->copy : send->first;
	} else if (!stopped && send->first != NEVER) {
		/* it was on its way before the sender was stopped, and what is sent again is
		 * dropped */
		sent = send->first;
	}
	if (sent == NEVER)
		return NEVER;
	sent = sent > stop ? sent : stop;
	return is_dead(x, from, sent) ? NEVER : sent + send->cost;
}

/* Have all messages come that were posted? Then the clock is where the wait ends. */
static bool waited(struct ref *x, int role, bool copy, int64_t iter, struct ref_part *p)
{
	int64_t last = p->clock;

	for (size_t i = p->posted; i < p->next; i++) {
		const struct ref_op *o = &x->row[iter].op[i];
		int64_t there = 0;

		if (o->kind == PATTERN_RECEIVE && !(o->reduction && iter < x->now.known))
			there = arrival(x, role, copy, iter, o);
		if (there == NEVER)
			return false;
		last = there > last ? there : last;
	}
	p->waited += last - p->clock;
	p->clock = last;
	p->posted = p->next;
	return true;
}

static void finish_part(const struct ref *x, int role, bool copy, int64_t iter, struct ref_part *p)
{
	const bool works = !copy || x->now.end[role].iter > iter;

	p->work = works ? model_work(x->m, role, iter, copy || iter < x->high[role]) : 0;
	p->clock += p->work;
	p->end = p->clock;
	p->done = true;
}

/* Go on until a message is missing. true: something was done. */
static bool advance(struct ref *x, int role, bool copy, int64_t iter, struct ref_part *p)
{
	const struct ref_row *row = &x->row[iter];
	const size_t before = p->next;

	for (; p->next < row->first[role + 1]; p->next++) {
		struct ref_op *o = &row->op[p->next];

		if (copy && o->kind != PATTERN_RECEIVE && !o->reduction &&
		    !place_before((struct place){ iter, o->place }, x->now.end[role])) {
			finish_part(x, role, copy, iter, p);
			return true;
		}
		if (o->reduction && iter < x->now.known)
			continue;
		if (o->kind == PATTERN_SEND)
			*(copy ? &o->copy : &o->own) = p->clock;
		if (o->kind == PATTERN_WAIT && !waited(x, role, copy, iter, p))
			return p->next > before;
	}
	finish_part(x, role, copy, iter, p);
	return true;
}

static bool advance_if_begun(struct ref *x, int role, bool copy, int64_t iter, bool *left)
{
	struct ref_part *p = copy ? &x->row[iter].copy[role] : &x->row[iter].own[role];
	bool moved;

	if (!(copy ? ref_has_copy(x, role, iter) : x->from[role] <= iter) || p->done)
		return false;
	if (p->begin >= LATER) {
		*left = true;
		return false;
	}
	moved = advance(x, role, copy, iter, p);
	*left = *left || !p->done;
	return moved;
}

/* What waits for roles that have died. */
static void break_off(struct ref *x, int64_t iter)
{
	for (int r = 0; r < x->np; r++) {
		struct ref_part *own = &x->row[iter].own[r], *copy = &x->row[iter].copy[r];

		if (x->from[r] <= iter && !own->done)
			own->end = LATER;
		if (ref_has_copy(x, r, iter) && !copy->done)
			copy->end = LATER;
	}
}

static bool has_deaths(const struct ref *x)
{
	for (int r = 0; r < x->np; r++)
		if (x->died[r] != NEVER)
			return true;
	return false;
}

static bool too_late(const struct ref *x, int64_t iter)
{
	for (int r = 0; r < x->np; r++)
		if (x->from[r] <= iter && x->row[iter].own[r].end > TICKS_MAX &&
		    x->row[iter].own[r].end < LATER)
			return true;
	return false;
}

int ref_execute(struct ref *x, struct rb_error *err)
{
	const int64_t iter = x->begun;
	bool moved = true, left = true;
	int rc = iter < x->loaded ? RB_OK : load_row(x, iter);

	if (rc == RB_OK)
		rc = begin_row(x, iter);
	if (rc != RB_OK)
		return rb_fail(err, rc,
			       rc == RB_ENOMEM ? "out of memory"
					       : "a message is received that nobody sends");
	while (left && moved) {
		left = moved = false;
		for (int r = 0; r < x->np; r++) {
			moved |= advance_if_begun(x, r, false, iter, &left);
			moved |= advance_if_begun(x, r, true, iter, &left);
		}
	}
	if (left && has_deaths(x))
		break_off(x, iter);
	else if (left)
		return rb_fail(err, RB_EINVAL,
			       "iteration %lld does not end: roles wait for each other",
			       (long long)iter);
	if (too_late(x, iter))
		return rb_fail(
			err, RB_EINVAL,
			"the run lasts longer than %g s, the last time that a double has exactly",
			seconds_of(TICKS_MAX));
	x->begun++;
	return RB_OK;
}

void ref_rewind(struct ref *x)
{
	for (int64_t i = x->base; i < x->begun; i++)
		for (size_t k = 0; k < x->row[i].first[x->np]; k++)
			x->row[i].op[k].own = x->row[i].op[k].copy = NEVER;
	x->begun = x->base;
}

int64_t ref_reaches(const struct ref *x, const struct failure *f)
{
	const struct ref_part *p;
	int64_t iter = f->iter;

	while (f->at == AT_CHECKPOINT && iter < x->begun && !model_due(x->m, f->role, iter))
		iter++;
	if (iter >= x->begun || x->from[f->role] > iter)
		return NEVER;
	p = &x->row[iter].own[f->role];
	if (f->at == AT_CHECKPOINT)
		return p->saved > p->begin ? p->begin : NEVER;
	if (f->at == AT_COMMIT)
		return p->end < LATER ? p->end - 1 : NEVER;
	return f->at == AT_SEND ? p->start : p->saved;
}

void ref_rows_free(struct ref *x)
{
	for (int64_t i = 0; x->row && i < x->loaded; i++) {
		free(x->row[i].op);
		free(x->row[i].first);
		free(x->row[i].own);
		free(x->row[i].copy);
	}
	free(x->row);
}
