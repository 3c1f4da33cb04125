/* tests/cone_scene.h - cases of data-flow rollback: who restarts, who is where, which messages are
 * in no log. */
#ifndef TESTS_CONE_SCENE_H
#define TESTS_CONE_SCENE_H

#include "ft/recovery/cone.h"
#include "forecast/pattern/stencil_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NP_MOST = 4096, GAPS_MOST = 2 * 26 * NP_MOST };

/* A case with room for many roles. */
struct scene {
	const struct pattern *pattern;
	int64_t line[NP_MOST], front[NP_MOST];
	bool restarted[NP_MOST];
	struct gap gap[GAPS_MOST];
	size_t gaps;
	bool flat;
	struct cone cone;
};

/* The pattern of a line of roles, in which neighbours exchange messages. */
static inline const struct pattern *chain(struct stencil_pattern *p, int roles)
{
	struct rb_error err;

	assert_int_equal(stencil_pattern_init(p, 1, &roles, false, (size_t[]){ 8 }, &err), RB_OK);
	return &p->pattern;
}

struct sender {
	struct scene *s;
	int role;
	size_t first; /* gap of this role */
};

static inline int add_gap(void *ctx, int dst, int tag, size_t bytes)
{
	struct sender *from = ctx;
	struct scene *s = from->s;
	const int64_t newest = s->front[from->role] - 1;

	(void)tag, (void)bytes;
	if (s->restarted[from->role] || newest < 0)
		return RB_OK;
	for (size_t i = from->first; i < s->gaps; i++)
		if (s->gap[i].receiver == dst)
			return RB_OK;
	assert_true(s->gaps + 2 <= GAPS_MOST);
	s->gap[s->gaps++] = (struct gap){ from->role, dst, 0, newest, 0 };
	s->gap[s->gaps++] = (struct gap){ from->role, dst, newest, newest + 1, 1 };
	return RB_OK;
}

/* All roles are at `front`, the line is 0, everything is in a log, the cone is not flat. */
static inline void all_at(struct scene *s, const struct pattern *pattern, int64_t front)
{
	s->pattern = pattern;
	s->gaps = 0;
	s->flat = false;
	for (int r = 0; r < pattern->np; r++) {
		s->line[r] = 0;
		s->front[r] = front;
		s->restarted[r] = false;
	}
}

static inline void restart(struct scene *s, int role)
{
	s->restarted[role] = true;
	s->front[role] = s->line[role];
}

/* Nobody has a log, and everybody has kept its last iteration. The pattern has all its channels in
 * iteration 0. */
static inline void without_logs(struct scene *s)
{
	s->gaps = 0;
	for (int r = 0; r < s->pattern->np; r++) {
		struct sender from = { s, r, s->gaps };

		assert_int_equal(pattern_sends(s->pattern, r, 0, add_gap, &from), RB_OK);
	}
}

/* One role dies, all others are at `lost`, nobody has a log. */
static inline void lose(struct scene *s, const struct pattern *pattern, int role, int64_t lost)
{
	all_at(s, pattern, lost);
	restart(s, role);
	without_logs(s);
}

/* But the log of this role, or of all (-1), has the iterations from, ..., to - 1. `from` or `to` is
 * an end of each gap. */
static inline void log_has(struct scene *s, int role, int64_t from, int64_t to)
{
	size_t left = 0;

	for (size_t i = 0; i < s->gaps; i++) {
		struct gap g = s->gap[i];

		if (role < 0 || g.source == role) {
			if (g.from >= from && g.from < to)
				g.from = to;
			if (g.to > from && g.to <= to)
				g.to = from;
		}
		if (g.from < g.to)
			s->gap[left++] = g;
	}
	s->gaps = left;
}

static inline struct cone_case case_of(struct scene *s, int me)
{
	return (struct cone_case){ s->pattern, s->line, s->front, s->restarted,
				   s->gap,     s->gaps, me,       s->flat };
}

static inline int find(struct scene *s, int me)
{
	struct cone_case x = case_of(s, me);

	return cone_find(&s->cone, &x);
}

/* Iterations on duplicates and of the restarted roles. */
static inline int64_t work(const struct scene *s, int64_t front)
{
	int64_t sum = 0;

	for (int r = 0; r < s->pattern->np; r++)
		sum += s->restarted[r] ? front - s->line[r] : cone_supported(&s->cone, s->line, r);
	return sum;
}

static inline int supporting(const struct scene *s)
{
	int count = 0;

	for (int r = 0; r < s->pattern->np; r++)
		count += cone_supported(&s->cone, s->line, r) > 0;
	return count;
}

/* Their duplicates commit no iteration. */
static inline int sending(const struct scene *s)
{
	int count = 0;

	for (int r = 0; r < s->pattern->np; r++)
		count += s->cone.end[r].iter >= 0 && cone_supported(&s->cone, s->line, r) == 0;
	return count;
}

#endif
