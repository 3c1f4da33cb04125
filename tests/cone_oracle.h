/* tests/cone_oracle.h - the cone of data-flow rollback by brute force.
 *
 * Every operation of every role and iteration has a flag: it is executed, by the role itself or by
 * its duplicate. The rules of ft/recovery/cone.h are applied to all operations again and again
 * until no flag changes. Only for small cases: time grows with the square of the number of
 * operations, and faster. */
#ifndef TESTS_CONE_ORACLE_H
#define TESTS_CONE_ORACLE_H

#include "ft/recovery/cone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ORACLE_FAR = 1 << 20 };

struct oracle_operation {
	struct pattern_operation is;
	int32_t place; /* of a send or a wait */
	/* of a receive: which operation of its source sends the message; -1: none */
	int partner;
	int wait; /* of a receive: which operation completes it; -1: none */
	bool executed;
	bool recomputed; /* of a receive: the source sends the message on its duplicate */
};

/* The operations of a role in an iteration, without reductions over all roles. */
struct oracle_program {
	struct oracle_operation *op;
	int count;
	int32_t places;
};

struct oracle {
	const struct cone_case *x;
	int np;
	int64_t oldest, newest;
	struct oracle_program *program; /* (newest - oldest) * np */
	bool changed, impossible;
};

static inline struct oracle_program *oracle_program(const struct oracle *o, int role, int64_t iter)
{
	return &o->program[(size_t)(iter - o->oldest) * (size_t)o->np + (size_t)role];
}

static inline int oracle_add(void *ctx, const struct pattern_operation *is)
{
	struct oracle_program *p = ctx;
	size_t count = (size_t)p->count;

	if (is->reduction)
		return RB_OK;
	if ((count & (count - 1)) == 0) /* full: 0, 1, 2, 4, ... */
		p->op = realloc(p->op, (count ? 2 * count : 1) * sizeof *p->op);
	assert_non_null(p->op);
	p->op[p->count++] = (struct oracle_operation){
		.is = *is, .place = p->places, .partner = -1, .wait = -1
	};
	p->places += is->kind != PATTERN_RECEIVE;
	return RB_OK;
}

/* Each send belongs to the first receive of its destination that has no send yet. */
static inline void oracle_pair(const struct oracle *o, int source, int64_t iter)
{
	const struct oracle_program *from = oracle_program(o, source, iter);

	for (int i = 0; i < from->count; i++) {
		const struct pattern_operation *send = &from->op[i].is;
		struct oracle_program *to =
			oracle_program(o, send->peer < 0 ? 0 : send->peer, iter);
		int j = 0;

		if (send->kind != PATTERN_SEND)
			continue;
		while (j < to->count &&
		       (to->op[j].is.kind != PATTERN_RECEIVE || to->op[j].is.peer != source ||
			to->op[j].is.tag != send->tag || to->op[j].partner >= 0))
			j++;
		assert_true(j < to->count);
		assert_int_equal(to->op[j].is.bytes, send->bytes);
		to->op[j].partner = i;
	}
}

static inline void oracle_load(struct oracle *o)
{
	for (int64_t i = o->oldest; i < o->newest; i++)
		for (int r = 0; r < o->np; r++)
			assert_int_equal(o->x->pattern->operations(o->x->pattern, r, i, oracle_add,
								   oracle_program(o, r, i)),
					 RB_OK);
	for (int64_t i = o->oldest; i < o->newest; i++)
		for (int r = 0; r < o->np; r++) {
			struct oracle_program *p = oracle_program(o, r, i);
			int wait = -1;

			oracle_pair(o, r, i);
			for (int k = p->count - 1; k >= 0; k--) {
				wait = p->op[k].is.kind == PATTERN_WAIT ? k : wait;
				p->op[k].wait = wait;
			}
		}
}

/* NULL: the message is in the log. */
static inline const struct gap *oracle_gap(const struct oracle *o, int source, int receiver,
					   int64_t iter)
{
	for (size_t i = 0; i < o->x->gaps; i++) {
		const struct gap *g = &o->x->gap[i];

		if (g->source == source && g->receiver == receiver && g->from <= iter &&
		    iter < g->to)
			return g;
	}
	return NULL;
}

/* The role's own entry in the line is where a duplicate starts; until: the last operation that it
 * executes. */
static inline void oracle_execute(struct oracle *o, int role, int64_t iter, int until)
{
	if (iter < o->x->line[role]) {
		o->impossible = true;
		return;
	}
	for (int64_t i = o->x->line[role]; i <= iter; i++) {
		struct oracle_program *p = oracle_program(o, role, i);

		for (int k = 0; k < p->count && (i < iter || k <= until); k++) {
			o->changed = o->changed || !p->op[k].executed;
			p->op[k].executed = true;
		}
	}
}

/* A wait is executed that completes this receive. */
static inline void oracle_receive(struct oracle *o, int role, int64_t iter,
				  struct oracle_operation *receive)
{
	const struct cone_case *x = o->x;
	const int source = receive->is.peer;
	const struct gap *gap;
	const bool survivor_itself = iter >= x->front[role] && !x->restarted[role];

	if (iter >= x->front[source])
		return; /* the source itself sends it */
	if (x->restarted[source]) {
		o->impossible = true;
		return;
	}
	gap = oracle_gap(o, source, role, iter);
	if (!gap)
		return;
	if (survivor_itself && gap->kept)
		return;
	receive->recomputed = true;
	oracle_execute(o, source, iter, receive->partner);
}

static inline void oracle_pass(struct oracle *o)
{
	for (int64_t i = o->oldest; i < o->newest; i++)
		for (int r = 0; r < o->np; r++) {
			struct oracle_program *p = oracle_program(o, r, i);

			for (int k = 0; k < p->count; k++)
				if (p->op[k].is.kind == PATTERN_RECEIVE && p->op[k].wait >= 0 &&
				    p->op[p->op[k].wait].executed)
					oracle_receive(o, r, i, &p->op[k]);
		}
}

/* RB_OK, or RB_EINVAL as cone_find(). */
static inline int oracle_find(struct oracle *o, const struct cone_case *x)
{
	*o = (struct oracle){
		.x = x, .np = x->pattern->np, .oldest = x->line[0], .newest = x->front[0]
	};
	for (int r = 1; r < o->np; r++) {
		o->oldest = x->line[r] < o->oldest ? x->line[r] : o->oldest;
		o->newest = x->front[r] > o->newest ? x->front[r] : o->newest;
	}
	o->program =
		calloc((size_t)(o->newest - o->oldest + 1) * (size_t)o->np, sizeof *o->program);
	assert_non_null(o->program);
	oracle_load(o);
	for (int r = 0; r < o->np; r++)
		for (int64_t i = x->front[r]; i < o->newest; i++)
			for (int k = 0; k < oracle_program(o, r, i)->count; k++)
				oracle_program(o, r, i)->op[k].executed = true;
	do {
		o->changed = false;
		oracle_pass(o);
	} while (o->changed);
	return o->impossible ? RB_EINVAL : RB_OK;
}

static inline void oracle_free(struct oracle *o)
{
	for (int64_t i = 0; i < (o->newest - o->oldest) * o->np; i++)
		free(o->program[i].op);
	free(o->program);
}

/* Behind the newest send that is executed before the front. */
static inline struct place oracle_end(const struct oracle *o, int role)
{
	for (int64_t i = o->x->front[role] - 1; i >= o->x->line[role]; i--) {
		const struct oracle_program *p = oracle_program(o, role, i);

		for (int k = p->count - 1; k >= 0; k--)
			if (p->op[k].executed && p->op[k].is.kind == PATTERN_SEND)
				return (struct place){ i, p->op[k].place + 1 };
	}
	return (struct place){ -1, 0 };
}

/* The shortest chain of recomputed messages from each role to a role that is itself at work: by
 * rounds. */
static inline void oracle_distances(const struct oracle *o, int32_t *distance)
{
	bool changed = true;

	for (int r = 0; r < o->np; r++)
		distance[r] = o->x->restarted[r] ? 0 : ORACLE_FAR;
	while (changed) {
		changed = false;
		for (int64_t i = o->oldest; i < o->newest; i++)
			for (int r = 0; r < o->np; r++)
				for (int k = 0; k < oracle_program(o, r, i)->count; k++) {
					const struct oracle_operation *op =
						&oracle_program(o, r, i)->op[k];
					int32_t d = i >= o->x->front[r] ? 1 : distance[r] + 1;

					if (!op->recomputed || d >= distance[op->is.peer])
						continue;
					distance[op->is.peer] = d;
					changed = true;
				}
	}
	for (int r = 0; r < o->np; r++)
		distance[r] = distance[r] == ORACLE_FAR ? -1 : distance[r];
}

/* Sends of role `me` that duplicates receive, sorted; returns how many. list: room for them, or
 * NULL. */
static inline size_t oracle_needed(const struct oracle *o, int me, struct place *list)
{
	size_t count = 0;

	for (int r = 0; r < o->np; r++)
		for (int64_t i = o->oldest; i < o->x->front[r]; i++) {
			const struct oracle_program *p = oracle_program(o, r, i);

			for (int k = 0; k < p->count; k++) {
				const struct oracle_operation *op = &p->op[k];

				if (op->is.kind != PATTERN_RECEIVE || op->is.peer != me ||
				    op->wait < 0 || !p->op[op->wait].executed)
					continue;
				if (list)
					list[count] = (struct place){
						i, oracle_program(o, me, i)->op[op->partner].place
					};
				count++;
			}
		}
	if (count > 1 && list)
		qsort(list, count, sizeof *list, place_compare);
	return count;
}

/* All that cone_find() has found with x->me == me. */
static inline void oracle_compare(const struct oracle *o, const struct cone *c, int me)
{
	size_t count = me < 0 ? 0 : oracle_needed(o, me, NULL);
	struct place *list = malloc((count + 1) * sizeof *list);
	int32_t *distance = malloc((size_t)o->np * sizeof *distance);

	assert_true(list && distance);
	assert_int_equal(c->np, o->np);
	assert_int_equal(c->newest, o->newest);
	oracle_distances(o, distance);
	for (int r = 0; r < o->np; r++) {
		struct place end = oracle_end(o, r);

		assert_int_equal(c->end[r].iter, end.iter);
		assert_int_equal(c->end[r].number, end.number);
		assert_int_equal(c->distance[r], distance[r]);
	}
	assert_int_equal(c->needs, count);
	if (me >= 0)
		oracle_needed(o, me, list);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(place_compare(&c->needed[i], &list[i]), 0);
	free(list);
	free(distance);
}

/* The receives that the duplicate of a role completes before its end: each is in the list of its
 * source. Returns how many. */
static inline size_t oracle_walk(const struct oracle *o, const struct cone *of, int role)
{
	const struct place end = of[0].end[role];
	size_t received = 0;

	for (int64_t i = o->x->line[role]; i <= end.iter; i++) {
		const struct oracle_program *p = oracle_program(o, role, i);

		for (int k = 0; k < p->count; k++) {
			const struct oracle_operation *op = &p->op[k];
			const struct cone *source =
				&of[op->is.kind == PATTERN_RECEIVE ? op->is.peer : 0];

			if (op->is.kind != PATTERN_RECEIVE || op->wait < 0 ||
			    !place_before((struct place){ i, p->op[op->wait].place }, end))
				continue;
			assert_true(place_among(source->needed, source->needs,
						(struct place){ i, oracle_program(o, op->is.peer, i)
									   ->op[op->partner]
									   .place }));
			received++;
		}
	}
	return received;
}

/* of: np results, each for another `me`. What duplicates receive up to their ends is in the lists,
 * and nothing else is: a send has one receiver, so equal numbers suffice. */
static inline void oracle_check_lists(const struct oracle *o, const struct cone *of)
{
	size_t received = 0, listed = 0;

	for (int r = 0; r < o->np; r++) {
		received += oracle_walk(o, of, r);
		listed += of[r].needs;
		for (size_t i = 1; i < of[r].needs; i++)
			assert_true(place_before(of[r].needed[i - 1], of[r].needed[i]));
	}
	assert_int_equal(received, listed);
}

/* cone_find() for every role and for nobody against brute force. RB_OK or RB_EINVAL, as both
 * find. */
static inline int oracle_check(struct cone_case *x)
{
	const int np = x->pattern->np;
	struct cone *of = calloc((size_t)np + 1, sizeof *of);
	struct oracle oracle;
	int rc = oracle_find(&oracle, x);

	assert_non_null(of);
	for (int me = -1; me < np; me++) {
		x->me = me;
		assert_int_equal(cone_find(&of[me < 0 ? np : me], x), rc);
		if (rc == RB_OK)
			oracle_compare(&oracle, &of[me < 0 ? np : me], me);
	}
	if (rc == RB_OK)
		oracle_check_lists(&oracle, of);
	for (int me = 0; me <= np; me++)
		cone_free(&of[me]);
	free(of);
	oracle_free(&oracle);
	return rc;
}

#endif
