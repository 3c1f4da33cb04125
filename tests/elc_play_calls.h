/* Collective functions in a play (elc_play.h). MPI matches them by their order since the restart,
 * and lets a process leave as soon as their meaning allows it: so the root of a broadcast is ahead
 * of the others. What each of them must get is known beforehand. */
#ifndef ELC_PLAY_CALLS_H
#define ELC_PLAY_CALLS_H

#include "tests/elc_world.h"

enum function { BARRIER, BCAST, REDUCE, SCAN };
/* the number of the first communicator for them; the last one of the play has messages, too */
enum { GROUP_COMM = 50 };

static inline uint32_t comm_of_group(int group)
{
	return group == GROUPS - 1 ? 0 : (uint32_t)(GROUP_COMM + group);
}

static inline uint64_t given(int rank, int group, int64_t id)
{
	return mix((uint64_t)rank << 40 | (uint64_t)group << 32 | (uint64_t)id);
}

static inline bool gets(int function, int root, int me)
{
	return function == SCAN || (function == BCAST && me != root) ||
	       (function == REDUCE && me == root);
}

/* Does what this process gets depend on that one? */
static inline bool depends(int function, int root, int me, int on)
{
	return (function == BARRIER) || (function == BCAST && on == root && me != root) ||
	       (function == REDUCE && me == root) || (function == SCAN && on <= me);
}

static inline uint64_t result_of(const struct play *w, const struct call *c, int me,
				 const struct match *m)
{
	uint64_t value = 1;

	for (int r = 0; r < w->np; r++)
		if (w->member[c->group][r] && depends(c->function, c->root, me, r))
			value = mix(value ^ (m ? m->given[r] : given(r, c->group, c->id)));
	return value;
}

static inline struct elc_part part_of(int me, const struct call *c)
{
	static const char *const names[] = { "barrier", "bcast", "reduce", "scan" };
	struct elc_part part = { .root = c->root,
				 .given = 8,
				 .got = gets(c->function, c->root, me) ? 8 : 0 };

	strcpy(part.function, names[c->function]);
	part.crc = (uint32_t)given(me, c->group, c->id);
	return part;
}

/* The process enters; all that have entered must be in the same function of their programs. */
static inline void enter(struct play *w, int me, struct call *c)
{
	struct match *m;

	c->match = w->player[me].matched[c->group]++;
	assert_true(c->match < OPS);
	m = &w->match[c->group][c->match];
	m->entered[me] = true;
	m->id[me] = c->id;
	m->given[me] = given(me, c->group, c->id);
	for (int r = 0; r < w->np; r++)
		assert_true(!m->entered[r] || m->id[r] == c->id);
}

static inline void play_begin(struct play *w, int me, const struct op *op)
{
	struct player *p = &w->player[me];
	struct elc_collectives *with = p->with[op->comm];
	struct call c = { .active = true,
			  .group = op->comm,
			  .function = op->tag,
			  .root = op->peer,
			  .id = p->program.calls[op->comm]++,
			  .number = -1 };
	struct elc_part part = part_of(me, &c), nothing = { .root = 0 };
	int fate = ELC_CALL;

	if (elc_collective_plain(&p->e, with))
		elc_collective_count(&p->e, with);
	else
		fate = elc_collective_begin(&p->e, with,
					    elc_collective_compares(&p->e, with) ? &part : &nothing,
					    &c.number);
	assert_in_range(fate, ELC_CALL, ELC_SERVE);
	if (fate == ELC_SERVE) {
		if (part.got)
			assert_true(*(uint64_t *)elc_collective_next(with)->data ==
				    result_of(w, &c, me, NULL));
		elc_collective_taken(&p->e, with);
		c.served = true;
	} else {
		enter(w, me, &c);
	}
	p->call[op->slot] = c;
	p->program.pc++;
}

static inline void play_end(struct play *w, int me, const struct op *op)
{
	struct player *p = &w->player[me];
	struct call *c = &p->call[op->slot];
	const struct match *m = &w->match[c->group][c->match];
	uint64_t *data;

	for (int r = 0; !c->served && r < w->np; r++)
		if (w->member[c->group][r] && depends(c->function, c->root, me, r) &&
		    !m->entered[r])
			return;
	c->active = false;
	p->program.pc++;
	if (c->served)
		return;
	data = malloc(sizeof *data);
	assert_non_null(data);
	*data = result_of(w, c, me, m);
	assert_true(*data == result_of(w, c, me, NULL));
	if (c->number >= 0)
		elc_collective_end(p->with[c->group], c->number, data);
	else
		free(data);
}

/* MPI knows nothing; the communicators are made again. */
static inline void begin_calls(struct play *w, int me)
{
	struct player *p = &w->player[me];
	int world[NP];

	memset(p->call, 0, sizeof p->call);
	memset(p->matched, 0, sizeof p->matched);
	for (int g = 0; g < GROUPS; g++) {
		int n = 0;

		for (int r = 0; r < w->np; r++)
			if (w->member[g][r])
				world[n++] = r;
		p->with[g] = w->member[g][me]
				     ? elc_process_communicator(&p->e, comm_of_group(g), world, n)
				     : NULL;
		assert_true(!w->member[g][me] || p->with[g]);
	}
}

/* The function with this number in the program of this process. */
static inline struct call call_of(const struct play *w, int me, int group, int64_t id)
{
	int64_t n = 0;

	for (int i = 0; i < w->player[me].ops; i++) {
		const struct op *op = &w->player[me].op[i];

		if (op->kind == OP_BEGIN && op->comm == group && n++ == id)
			return (struct call){
				.group = group, .function = op->tag, .root = op->peer, .id = id
			};
	}
	fail();
	return (struct call){ .id = -1 };
}

/* The observer: does this part of a line have what others have behind them, and nothing else?
 * before: the count at the line before. */
static inline void check_results(struct play *w, const struct elc_process *part, int me, int group)
{
	const struct elc_collectives *c = part->collectives;
	int64_t last = 0, last_before = 0;

	while (c->comm != comm_of_group(group))
		c = c->next;
	for (int r = 0; r < w->np; r++)
		if (w->member[group][r]) {
			last = w->player[r].cut.calls[group] > last ? w->player[r].cut.calls[group]
								    : last;
			last_before = w->image[r].program.calls[group] > last_before
					      ? w->image[r].program.calls[group]
					      : last_before;
		}
	assert_int_equal(c->count, w->player[me].cut.calls[group]);
	assert_int_equal(c->count + (int64_t)c->n, last);
	for (size_t i = 0; i < c->n; i++) {
		const struct call call = call_of(w, me, group, c->count + (int64_t)i);
		const struct elc_part expected = part_of(me, &call);

		assert_memory_equal(&c->result[i].part, &expected, sizeof expected);
		if (expected.got)
			assert_true(*(uint64_t *)c->result[i].data ==
				    result_of(w, &call, me, NULL));
	}
	w->results += (int64_t)c->n;
	w->left += last_before > c->count ? last_before - c->count : 0;
}

#endif
