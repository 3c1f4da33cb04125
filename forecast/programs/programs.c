#include "forecast/programs/programs.h"

#include "base/grow.h"
#include "base/mix.h"
#include "base/status.h"
#include "forecast/pattern/allreduce.h"
#include "forecast/pattern/stencil_pattern.h"
#include "forecast/programs/order.h"
#include "forecast/programs/waves.h"

#include <stdlib.h>
#include <string.h>

/* How many iterations are compared to find the period. An outer iteration of CG has 26. */
enum { LOOKED_AT = 128, SAMPLE = 4096 };

/* An operation of a program that is being loaded. */
struct loaded {
	enum pattern_kind kind;
	int32_t peer, tag;
	uint16_t place;
	bool reduction;
	int64_t cost;
	uint32_t segment;
};

struct loading {
	const struct model *m;
	struct program *p;
	struct loaded *op;
	size_t ops, op_room, segment_room, message_room;
	size_t *first;    /* np + 1: where the operations of each role begin */
	uint32_t *sorted; /* ops: those of each role, from its first one, by channels */
	/* ops: of a receive, the operation that sends it, from the first one of the sender */
	uint32_t *send;
	int role;
	uint16_t places;
	bool open; /* the last segment has no wait yet */
};

static int open_segment(struct loading *l)
{
	struct program *p = l->p;
	struct segment *list =
		grow(p->segment, (size_t)p->segments + 2, &l->segment_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	p->segment = list;
	list[p->segments++] = (struct segment){ .role = l->role };
	l->open = true;
	return RB_OK;
}

static int load_op(void *ctx, const struct pattern_operation *o)
{
	struct loading *l = ctx;
	struct program *p = l->p;
	const bool counted = o->kind != PATTERN_RECEIVE && !o->reduction;
	struct loaded *list = grow(l->op, l->ops + 1, &l->op_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	l->op = list;
	if (!l->open)
		RB_TRY(open_segment(l));
	list[l->ops++] = (struct loaded){
		o->kind,        o->peer,
		o->tag,         counted ? l->places : 0,
		o->reduction,   o->kind == PATTERN_SEND ? message_ticks(&l->m->costs, o->bytes) : 0,
		p->segments - 1
	};
	if (o->kind == PATTERN_SEND) {
		p->bytes[l->role] += (int64_t)o->bytes;
		p->reduced[l->role] += o->reduction ? (int64_t)o->bytes : 0;
	}
	if (o->kind == PATTERN_WAIT) {
		struct segment *s = &p->segment[p->segments - 1];

		s->waits = true;
		s->reduction = o->reduction;
		s->place = counted ? l->places : 0;
		l->open = false;
	}
	l->places += counted;
	return RB_OK;
}

static int load_roles(struct loading *l, int64_t iter)
{
	const struct pattern *pattern = l->m->pattern;
	struct program *p = l->p;

	for (int r = 0; r < pattern->np; r++) {
		l->first[r] = l->ops;
		p->first[r] = p->segments;
		l->role = r;
		l->places = 0;
		l->open = false;
		RB_TRY(pattern->operations(pattern, r, iter, load_op, l));
	}
	l->first[pattern->np] = l->ops;
	p->first[pattern->np] = p->segments;
	return RB_OK;
}

static int compare_channels(const struct loaded *x, enum pattern_kind kind, int peer, int tag)
{
	if (x->kind != kind)
		return x->kind < kind ? -1 : 1;
	if (x->peer != peer)
		return x->peer < peer ? -1 : 1;
	return (x->tag > tag) - (x->tag < tag);
}

/* By kind, peer and tag, and then in program order. */
static int by_channel(const void *a, const void *b, void *list)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct loaded *other = (const struct loaded *)list + y;
	const int order = compare_channels((const struct loaded *)list + x, other->kind,
					   other->peer, other->tag);

	return order ? order : (x > y) - (x < y);
}

/* Sort a role's operations. Programs often have each kind in order already. */
static void sort_role(struct loading *l, int role)
{
	const size_t first = l->first[role], count = l->first[role + 1] - first;
	struct loaded *op = l->op + first;
	uint32_t *list = l->sorted + first;
	size_t sorted = 0, i = 1;

	for (enum pattern_kind kind = PATTERN_SEND; kind <= PATTERN_WAIT; kind++)
		for (size_t k = 0; k < count; k++)
			if (op[k].kind == kind)
				list[sorted++] = (uint32_t)k;
	while (i < count && by_channel(&list[i - 1], &list[i], op) < 0)
		i++;
	if (i < count)
		qsort_r(list, count, sizeof *list, by_channel, op);
}

/* Operation number i of a role, where they are sorted. */
static const struct loaded *sorted_op(const struct loading *l, int role, size_t i)
{
	return &l->op[l->first[role] + l->sorted[i]];
}

/* The first of a role's operations of this kind with this peer and tag, or where it would be. */
static size_t channel_begin(const struct loading *l, int role, enum pattern_kind kind, int peer,
			    int tag)
{
	size_t low = l->first[role], high = l->first[role + 1];

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_channels(sorted_op(l, role, middle), kind, peer, tag) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Number i of a role's sorted operations, if it is of this channel. */
static const struct loaded *of_channel(const struct loading *l, int role, size_t i,
				       enum pattern_kind kind, int peer, int tag)
{
	const struct loaded *o = i < l->first[role + 1] ? sorted_op(l, role, i) : NULL;

	return o && compare_channels(o, kind, peer, tag) == 0 ? o : NULL;
}

/* For all receives of a role, the send: the one with as many of the same channel before it. false:
 * one has none. */
static bool match_sends(struct loading *l, int role)
{
	size_t i = channel_begin(l, role, PATTERN_RECEIVE, INT32_MIN, INT32_MIN);
	const struct loaded *o, *send;

	while (i < l->first[role + 1] && (o = sorted_op(l, role, i))->kind == PATTERN_RECEIVE) {
		const int peer = o->peer, tag = o->tag;
		const bool known = peer >= 0 && peer < l->m->pattern->np;
		size_t next = known ? channel_begin(l, peer, PATTERN_SEND, role, tag) : 0;

		for (; (o = of_channel(l, role, i, PATTERN_RECEIVE, peer, tag)); i++) {
			send = known ? of_channel(l, peer, next++, PATTERN_SEND, role, tag) : NULL;
			if (!send && l->p->segment[o->segment].waits)
				return false;
			l->send[o - l->op] =
				send ? (uint32_t)(send - l->op - (ptrdiff_t)l->first[peer]) : 0;
		}
	}
	return true;
}

static int match_role(struct loading *l, int role)
{
	struct program *p = l->p;
	uint32_t segment = p->first[role];

	if (!match_sends(l, role))
		return RB_EINVAL;
	for (size_t i = l->first[role]; i < l->first[role + 1]; i++) {
		const struct loaded *send, *o = &l->op[i];
		struct message *list;

		while (segment < o->segment)
			p->segment[++segment].message = p->messages;
		if (o->kind != PATTERN_RECEIVE || !p->segment[segment].waits)
			continue;
		send = &l->op[l->first[o->peer] + l->send[i]];
		list = grow(p->message, (size_t)p->messages + 1, &l->message_room, sizeof *list);
		if (!list)
			return RB_ENOMEM;
		p->message = list;
		list[p->messages++] = (struct message){ send->cost, send->segment, o->peer,
							send->place, o->reduction };
	}
	return RB_OK;
}

static int match(struct loading *l)
{
	struct program *p = l->p;

	l->sorted = malloc((l->ops + 1) * sizeof *l->sorted);
	l->send = malloc((l->ops + 1) * sizeof *l->send);
	if (!l->sorted || !l->send)
		return RB_ENOMEM;
	for (int r = 0; r < l->m->pattern->np; r++)
		sort_role(l, r);
	for (int r = 0; r < l->m->pattern->np; r++) {
		if (p->first[r] < p->first[r + 1])
			p->segment[p->first[r]].message = p->messages;
		RB_TRY(match_role(l, r));
	}
	p->segment[p->segments] = (struct segment){ .message = p->messages };
	return RB_OK;
}

static void program_free(struct program *p)
{
	if (!p)
		return;
	free(p->first);
	free(p->segment);
	free(p->message);
	free(p->order);
	free(p->bytes);
	if (p->waves)
		waves_free(p->waves);
	free(p->waves);
	free(p);
}

static int fill(struct loading *l, int64_t iter, struct rb_error *err)
{
	const size_t n = (size_t)l->m->pattern->np;
	struct program *p = l->p;
	int rc;

	p->first = malloc((n + 1) * sizeof *p->first);
	p->bytes = calloc(2 * n, sizeof *p->bytes);
	p->segment = grow(NULL, 1, &l->segment_room, sizeof *p->segment);
	l->first = malloc((n + 1) * sizeof *l->first);
	if (!p->first || !p->bytes || !p->segment || !l->first)
		return RB_ENOMEM;
	p->reduced = p->bytes + n;
	RB_TRY(load_roles(l, iter));
	rc = match(l);
	if (rc == RB_EINVAL)
		return rb_fail(err, rc, "a message is received that nobody sends");
	RB_TRY(rc);
	rc = order_waits(p, l->m->pattern->np);
	return rc == RB_EINVAL
		       ? rb_fail(err, rc, "iteration %lld does not end: roles wait for each other",
				 (long long)iter)
		       : rc;
}

static int load(struct programs *p, int64_t iter, struct program **program, struct rb_error *err)
{
	struct loading l = { .m = p->m, .p = calloc(1, sizeof *l.p) };
	int rc = RB_ENOMEM;

	if (l.p)
		rc = fill(&l, iter, err);
	free(l.op);
	free(l.first);
	free(l.sorted);
	free(l.send);
	if (rc == RB_OK)
		*program = l.p;
	else
		program_free(l.p);
	return rc;
}

static int add_to_hash(void *ctx, const struct pattern_operation *o)
{
	uint64_t *hash = ctx;

	*hash = mix(*hash ^ ((uint64_t)o->kind << 62 | (uint64_t)o->reduction << 61) ^ o->bytes) +
		((uint64_t)(uint32_t)o->peer << 32 | (uint32_t)o->tag);
	return RB_OK;
}

/* Of the roles, or of some of them if there are many. */
static int hash_iteration(const struct programs *p, int64_t iter, uint64_t *hash)
{
	const struct pattern *pattern = p->m->pattern;
	const int step = pattern->np / SAMPLE + 1;

	*hash = 0;
	for (int r = 0; r < pattern->np; r += step) {
		*hash = mix(*hash + (uint64_t)r);
		RB_TRY(pattern->operations(pattern, r, iter, add_to_hash, hash));
	}
	return RB_OK;
}

static bool repeats(const uint64_t *hash, int64_t count, int64_t before, int64_t period)
{
	for (int64_t i = before + period; i < count; i++)
		if (hash[i] != hash[i - period])
			return false;
	return true;
}

/* The shortest period that is seen at least twice behind the fewest iterations before it. */
static void find_period(struct programs *p, const uint64_t *hash, int64_t count)
{
	for (p->before = 0; p->before < count; p->before++)
		for (p->period = 1; p->before + 2 * p->period <= count; p->period++)
			if (repeats(hash, count, p->before, p->period))
				return;
	p->before = count;
	p->period = 0;
}

int programs_init(struct programs *p, const struct model *m)
{
	const int64_t count = m->steps < LOOKED_AT ? m->steps : LOOKED_AT;
	const bool alike = stencil_of(m->pattern) || allreduce_is(m->pattern); /* all iterations */
	uint64_t hash[LOOKED_AT];

	*p = (struct programs){ .m = m, .period = 1, .single = -1 };
	for (int64_t i = 0; i < count && !alike; i++)
		RB_TRY(hash_iteration(p, i, &hash[i]));
	if (!alike)
		find_period(p, hash, count);
	p->count = p->before + p->period;
	if (p->period == 0 && m->steps > count)
		p->count = 1;
	p->list = calloc((size_t)p->count, sizeof *p->list);
	return p->list ? RB_OK : RB_ENOMEM;
}

void programs_free(struct programs *p)
{
	for (int64_t i = 0; p->list && i < p->count; i++)
		program_free(p->list[i]);
	free(p->list);
}

/* Load the program of an iteration if it is not there yet. */
static int find(struct programs *p, int64_t iter, struct program **program, struct rb_error *err)
{
	int64_t at = iter;

	if (p->period > 0 && iter >= p->before)
		at = p->before + (iter - p->before) % p->period;
	if (p->period == 0 && p->m->steps > p->count) { /* none that repeats: one at a time */
		at = 0;
		if (p->single != iter) {
			program_free(p->list[0]);
			p->list[0] = NULL;
		}
		p->single = iter;
	}
	if (!p->list[at])
		RB_TRY(load(p, iter, &p->list[at], err));
	*program = p->list[at];
	return RB_OK;
}

int program_of(struct programs *p, int64_t iter, const struct program **program,
	       struct rb_error *err)
{
	struct program *found;

	RB_TRY(find(p, iter, &found, err));
	*program = found;
	return RB_OK;
}

int program_with_waves(struct programs *p, int64_t iter, const struct program **program,
		       const struct waves **waves, struct rb_error *err)
{
	struct program *found;

	RB_TRY(find(p, iter, &found, err));
	if (!found->waves) {
		found->waves = calloc(1, sizeof *found->waves);
		if (!found->waves)
			return RB_ENOMEM;
		RB_TRY(waves_make(found->waves, found, p->m->pattern->np));
	}
	*program = found;
	*waves = found->waves;
	return RB_OK;
}
