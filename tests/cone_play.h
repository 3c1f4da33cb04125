/* tests/cone_play.h - a recovery with duplicates, played with numbers in the place of data, without
 * the engine.
 *
 * A role's state is a number that depends on all that it has received; what it sends depends on its
 * state at that point of its program. First all roles are played without a failure. Then the
 * recovery: duplicates, the roles themselves, and what logs have. Messages are matched as in MPI:
 * in their order, by source and tag. A receive that is left out puts a number of its own into the
 * state, which is then wrong, and so is what the role sends from there on. */
#ifndef TESTS_CONE_PLAY_H
#define TESTS_CONE_PLAY_H

#include "base/grow.h"
#include "base/mix.h"
#include "tests/cone_oracle.h"

#include <string.h>

struct play_message {
	int64_t iter;
	int source, receiver, tag;
	int number; /* of the operation that sent it */
	uint64_t value;
	bool taken;
};

/* Where a role is in its program: on its duplicate first, if it has one, and then itself. */
struct play_role {
	bool on_duplicate, replayed;
	int64_t iter;
	int at;   /* the operation that comes next */
	int done; /* receives before it were completed in this iteration */
	uint64_t state;
};

struct play {
	struct oracle o; /* the programs; x is the case */
	/* np results, each for another `me`; NULL: without a failure */
	const struct cone *of;
	bool computed_only; /* duplicates send nothing that is stored */
	uint64_t *value;    /* by play_index(): what was sent without a failure */
	/* (newest - oldest + 1) * np: at the beginning of each iteration */
	uint64_t *state;
	struct play_role *role;
	struct play_message *message;
	size_t messages, room;
	uint64_t left_out; /* receives */
	uint64_t wrong;    /* messages that differ from those without a failure */
};

enum { PLAY_OPERATIONS = 256 };

static inline uint64_t play_mix(uint64_t a, uint64_t b)
{
	return mix(a * 0x9e3779b97f4a7c15u + mix(b));
}

static inline size_t play_index(const struct play *p, int role, int64_t iter)
{
	return (size_t)(iter - p->o.oldest) * (size_t)p->o.np + (size_t)role;
}

static inline uint64_t *play_value(const struct play *p, int role, int64_t iter, int number)
{
	assert_in_range(number, 0, PLAY_OPERATIONS - 1);
	return &p->value[play_index(p, role, iter) * PLAY_OPERATIONS + (size_t)number];
}

static inline void play_send(struct play *p, int role, int64_t iter, int number, uint64_t value)
{
	const struct pattern_operation *is = &oracle_program(&p->o, role, iter)->op[number].is;

	p->message = grow(p->message, p->messages + 1, &p->room, sizeof *p->message);
	assert_non_null(p->message);
	p->message[p->messages++] =
		(struct play_message){ iter, role, is->peer, is->tag, number, value, false };
	p->wrong += p->of && value != *play_value(p, role, iter, number);
}

/* Does a survivor have this message of an iteration before its front? */
static inline bool play_stored(const struct play *p, int role, int64_t iter, int number)
{
	const struct gap *gap = oracle_gap(
		&p->o, role, oracle_program(&p->o, role, iter)->op[number].is.peer, iter);

	return !gap || gap->kept;
}

static inline struct place play_place(const struct play *p, int role, int64_t iter, int number)
{
	return (struct place){ iter, oracle_program(&p->o, role, iter)->op[number].place };
}

/* Does somebody lack this message: its receiver itself, or a duplicate of it? */
static inline bool play_leaves(const struct play *p, int role, int64_t iter, int number)
{
	const int receiver = oracle_program(&p->o, role, iter)->op[number].is.peer;

	return !p->of || p->o.x->front[receiver] <= iter ||
	       place_among(p->of[role].needed, p->of[role].needs,
			   play_place(p, role, iter, number));
}

/* What no duplicate of this role sends, from its log. */
static inline void play_replay(struct play *p, int role)
{
	for (int64_t i = p->o.oldest; p->of && !p->o.x->restarted[role] && i < p->o.x->front[role];
	     i++)
		for (int k = 0; k < oracle_program(&p->o, role, i)->count; k++)
			if (oracle_program(&p->o, role, i)->op[k].is.kind == PATTERN_SEND &&
			    !place_before(play_place(p, role, i, k), p->of[role].end[role]) &&
			    play_stored(p, role, i, k) && play_leaves(p, role, i, k))
				play_send(p, role, i, k, *play_value(p, role, i, k));
}

static inline bool play_is_absent(const struct play *p, int role,
				  const struct oracle_operation *receive)
{
	const struct play_role *r = &p->role[role];

	return p->of && r->on_duplicate &&
	       absence_among(p->of[role].absent, p->of[role].absences,
			     (struct absence){ r->iter, receive->is.peer });
}

/* The first message for this receive that was not taken yet; NULL: it has not been sent. */
static inline struct play_message *play_match(struct play *p, int role,
					      const struct oracle_operation *receive)
{
	for (size_t i = 0; i < p->messages; i++) {
		struct play_message *m = &p->message[i];

		if (!m->taken && m->source == receive->is.peer && m->receiver == role &&
		    m->tag == receive->is.tag) {
			assert_int_equal(m->iter, p->role[role].iter);
			assert_int_equal(m->number, receive->partner);
			return m;
		}
	}
	return NULL;
}

/* A wait: false: not all messages are there. Then those that are stay taken. */
static inline bool play_wait(struct play *p, int role)
{
	struct play_role *r = &p->role[role];
	const struct oracle_program *program = oracle_program(&p->o, role, r->iter);

	for (; r->done < r->at; r->done++) {
		const struct oracle_operation *receive = &program->op[r->done];
		struct play_message *m;

		if (receive->is.kind != PATTERN_RECEIVE)
			continue;
		if (play_is_absent(p, role, receive)) {
			r->state = play_mix(r->state, ~++p->left_out);
			continue;
		}
		m = play_match(p, role, receive);
		if (!m)
			return false;
		m->taken = true;
		r->state = play_mix(r->state, m->value);
	}
	return true;
}

static inline void play_push(struct play *p, int role)
{
	struct play_role *r = &p->role[role];
	const uint64_t value = play_mix(r->state, (uint64_t)r->at);

	if (!p->of)
		*play_value(p, role, r->iter, r->at) = value;
	if (!play_leaves(p, role, r->iter, r->at))
		return;
	if (r->on_duplicate && !p->computed_only && play_stored(p, role, r->iter, r->at) &&
	    !place_before(play_place(p, role, r->iter, r->at), p->of[role].part[role]))
		play_send(p, role, r->iter, r->at, *play_value(p, role, r->iter, r->at));
	else
		play_send(p, role, r->iter, r->at, value);
}

/* The duplicate is at its end: the role itself goes on. */
static inline void play_itself(struct play *p, int role)
{
	struct play_role *r = &p->role[role];

	play_replay(p, role);
	*r = (struct play_role){ .iter = p->o.x->front[role] };
	r->state = p->of ? p->state[play_index(p, role, r->iter)] : mix((uint64_t)role);
}

static inline void play_begin(struct play *p, int role)
{
	const struct cone_case *x = p->o.x;
	struct play_role *r = &p->role[role];

	if (!p->of || p->of[role].end[role].iter < 0) {
		play_itself(p, role);
		return;
	}
	*r = (struct play_role){ .on_duplicate = true, .iter = x->line[role] };
	r->state = p->state[play_index(p, role, r->iter)];
}

/* One operation, or the end of an iteration. false: it must wait, or is at the front. */
static inline bool play_step(struct play *p, int role)
{
	struct play_role *r = &p->role[role];
	const struct oracle_program *program;

	if (r->on_duplicate && !place_before((struct place){ r->iter, 0 }, p->of[role].end[role])) {
		play_itself(p, role);
		return true;
	}
	if (r->iter == p->o.newest)
		return false;
	program = oracle_program(&p->o, role, r->iter);
	if (!p->of && r->at == 0)
		p->state[play_index(p, role, r->iter)] = r->state;
	if (r->at == program->count) {
		*r = (struct play_role){ .on_duplicate = r->on_duplicate,
					 .iter = r->iter + 1,
					 .state = r->state };
		return true;
	}
	if (program->op[r->at].is.kind == PATTERN_WAIT && !play_wait(p, role))
		return false;
	if (program->op[r->at].is.kind == PATTERN_SEND)
		play_push(p, role);
	r->at++;
	if (r->on_duplicate &&
	    !place_before((struct place){ r->iter, r->at < program->count ? program->op[r->at].place
									  : program->places },
			  p->of[role].end[role]))
		play_itself(p, role); /* in the middle of an iteration */
	return true;
}

static inline void play_all(struct play *p)
{
	bool moved = true;

	p->messages = 0;
	for (int r = 0; r < p->o.np; r++)
		play_begin(p, r);
	while (moved) {
		moved = false;
		for (int r = 0; r < p->o.np; r++)
			while (play_step(p, r))
				moved = true;
	}
	for (int r = 0; r < p->o.np; r++)
		/* else a message is waited for that nobody sends */
		assert_int_equal(p->role[r].iter, p->o.newest);
	for (size_t i = 0; i < p->messages; i++)
		assert_true(p->message[i].taken); /* else one is sent that nobody receives */
}

/* The programs of a case, and what they do without a failure. x stays. */
static inline void play_init(struct play *p, const struct cone_case *x)
{
	const size_t np = (size_t)x->pattern->np;
	int64_t front[64], newest = x->front[0];
	bool restarted[64] = { false };
	struct cone_case whole = *x;
	size_t iterations;

	assert_true(np <= 64);
	*p = (struct play){ .of = NULL };
	oracle_find(&p->o, x); /* for the programs */
	for (size_t r = 0; r < np; r++)
		front[r] = p->o.oldest;
	newest = p->o.newest;
	whole.front = front;
	whole.restarted = restarted;
	iterations = (size_t)(newest - p->o.oldest) + 1;
	p->value = calloc(iterations * np * PLAY_OPERATIONS, sizeof *p->value);
	p->state = calloc(iterations * np, sizeof *p->state);
	p->role = calloc(np, sizeof *p->role);
	assert_true(p->value && p->state && p->role);
	p->o.x = &whole;
	play_all(p);
	for (size_t r = 0; r < np; r++)
		p->state[play_index(p, (int)r, newest)] = p->role[r].state;
	p->o.x = x;
}

/* of: np results. Returns how many roles end with a wrong state. */
static inline int play_recovery(struct play *p, const struct cone *of)
{
	int wrong = 0;

	p->of = of;
	p->left_out = p->wrong = 0;
	play_all(p);
	for (int r = 0; r < p->o.np; r++)
		wrong += p->role[r].state != p->state[play_index(p, r, p->o.newest)];
	return wrong;
}

static inline void play_free(struct play *p)
{
	free(p->value);
	free(p->state);
	free(p->role);
	free(p->message);
	oracle_free(&p->o);
}

#endif
