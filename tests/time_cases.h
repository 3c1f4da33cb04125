/* tests/time_cases.h - random models and failures for the engines of the simulator. The same seed
 * gives the same case. */
#ifndef TESTS_TIME_CASES_H
#define TESTS_TIME_CASES_H

#include "base/mix.h"
#include "base/status.h"
#include "forecast/pattern/allreduce.h"
#include "forecast/pattern/stencil_pattern.h"
#include "forecast/time/model.h"
#include "tests/drawn_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_FAILURES = 5, CASE_TEXT = 400 };

struct time_case {
	uint64_t seed;
	struct stencil_pattern stencil;
	struct drawn_pattern drawn;
	struct kernel_args args;
	struct kernel_pattern kernel;
	struct model m;
	struct failure failure[CASE_FAILURES];
	size_t failures;
	char text[CASE_TEXT]; /* what it is, for messages */
};

static inline int case_draw(struct time_case *c, int below)
{
	return (int)(mix_draw(&c->seed) % (uint64_t)below);
}

static inline double case_fraction(struct time_case *c)
{
	return (double)case_draw(c, 1 << 30) / (1 << 30);
}

static inline void case_stencil(struct time_case *c)
{
	const int axes = 1 + case_draw(c, 3);
	const size_t bytes[STENCIL_AXES] = { 8000, (size_t)(case_draw(c, 2) * 500),
					     (size_t)(case_draw(c, 2) * 50) };
	int length[STENCIL_AXES];
	struct rb_error err;

	for (int a = 0; a < axes; a++)
		length[a] = axes == 1   ? 2 + case_draw(c, 30)
			    : axes == 2 ? 1 + case_draw(c, 6)
					: 1 + case_draw(c, 3);
	if (stencil_pattern_init(&c->stencil, axes, length, case_draw(c, 2), bytes, &err) != RB_OK)
		abort();
	stencil_pattern_widen(&c->stencil, mix(c->seed) % 8 ? 1 : 2);
	c->m.pattern = &c->stencil.pattern;
	snprintf(c->text, sizeof c->text, "stencil of %d axes, width %d, np %d", axes,
		 c->stencil.width, c->stencil.pattern.np);
}

static inline void case_kernel(struct time_case *c)
{
	static const char *const names[] = { "jacobi", "lulesh", "cg" };
	const struct kernel_ops *kernel = kernel_find(names[case_draw(c, 3)]);
	const bool free_np = kernel == kernel_find("jacobi");
	const int np = free_np                           ? 1 + case_draw(c, 12)
		       : kernel == kernel_find("lulesh") ? 8
							 : 1 << case_draw(c, 4);

	for (int i = 0; kernel->options[i].name; i++)
		c->args.value[i] = kernel->options[i].value;
	c->kernel = kernel_pattern(kernel, &c->args, np);
	c->m.pattern = &c->kernel.pattern;
	snprintf(c->text, sizeof c->text, "%s, np %d", kernel->name, np);
}

static inline const char *case_policy(struct time_case *c)
{
	static const char *const texts[] = { "none",         "none",     "all",
					     "all",          "window:2", "window:4",
					     "budget:20000", "teams:2",  "teams:3" };
	static const char *const more[] = { "budget:20000:online:kept", "receiver", "receiver",
					    "budget:20000:receiver", "teams:2:receiver" };
	const char *text = texts[case_draw(c, sizeof texts / sizeof *texts)];
	struct rb_error err;

	/* These take no number from the other draws. */
	if (text[0] == 'b' || text[0] == 't')
		text = mix(c->seed) % 2 ? text
					: more[mix(c->seed) / 2 % (sizeof more / sizeof *more)];
	if (policy_parse(&c->m.policy, text, &err) != RB_OK)
		abort();
	return text;
}

static inline void case_costs(struct time_case *c)
{
	struct costs *k = &c->m.costs;
	struct work *w = &c->m.work;

	*k = (struct costs){ .latency_s = case_draw(c, 2) * 0.001 * case_fraction(c),
			     .bytes_per_s = 1e5 + 1e7 * case_fraction(c),
			     .log_bytes_per_s = case_draw(c, 2) * (1e6 + 1e6 * case_fraction(c)),
			     .checkpoint_s = case_draw(c, 2) * 0.5 * case_fraction(c),
			     .detect_s = case_draw(c, 2) * 0.5 * case_fraction(c),
			     .repair_s = case_draw(c, 2) * case_fraction(c),
			     .restore_s = case_draw(c, 2) * case_fraction(c),
			     .replay_speed = case_draw(c, 4) ? 0 : 0.25 + 2 * case_fraction(c) };
	w->seed = (uint64_t)case_draw(c, 1000);
	w->knots = case_draw(c, 2) ? 1 : 2 + case_draw(c, 4);
	for (int i = 0; i < w->knots; i++)
		w->seconds[i] = (i ? w->seconds[i - 1] : 0.001) + 0.3 * case_fraction(c);
	for (int i = 0; i < STATES; i++)
		c->m.watts[i] = 100 * case_fraction(c);
}

static inline void case_failures(struct time_case *c)
{
	const double about = 0.3 * (double)c->m.steps;
	int64_t at = 0;

	c->failures = (size_t)case_draw(c, CASE_FAILURES + 1);
	for (size_t i = 0; i < c->failures; i++) {
		struct failure *f = &c->failure[i];

		*f = (struct failure){ case_draw(c, c->m.pattern->np), -1,
				       case_draw(c, (int)c->m.steps) };
		if (case_draw(c, 4) == 0)
			continue;
		/* Often soon after the last one, so that it comes within its recovery. */
		at += ticks_of(case_fraction(c) * (case_draw(c, 2) ? about / 2 : 0.5));
		f->at = at;
	}
}

/* Have failures of a case happen at all points of iterations, and in half of the cases those by the
 * clock, too. */
static inline void case_points(struct time_case *c)
{
	const bool all = case_draw(c, 2);
	size_t used = strlen(c->text);

	for (size_t i = 0; i < c->failures; i++) {
		struct failure *f = &c->failure[i];

		if (f->at >= 0 && (!all || case_draw(c, 2)))
			continue;
		f->at = AT_START - case_draw(c, 4);
		f->iter = case_draw(c, (int)c->m.steps);
		used += (size_t)snprintf(c->text + used, sizeof c->text - used, ", %d@%lld:%s",
					 f->role, (long long)f->iter, failure_point_name(f->at));
	}
}

static inline void case_model(struct time_case *c, int steps)
{
	c->m.steps = steps;
	c->m.schedule = (struct schedule){ 1 + case_draw(c, 12),
					   case_draw(c, 3) ? 0 : 1 + case_draw(c, 5) };
	c->m.line = (enum line_kind)case_draw(c, 3);
	c->m.reach = (enum repair_reach)case_draw(c, 2);
	c->m.recompute = (enum ft_recompute)case_draw(c, 3);
}

/* All roles work as long, a repair stops all of them, and failures come by the clock: what engines
 * do fastest. */
static inline void case_make_regular(struct time_case *c)
{
	size_t kept = 0;

	c->m.work.knots = 1;
	c->m.reach = REPAIR_ALL;
	for (size_t i = 0; i < c->failures; i++)
		if (c->failure[i].at >= 0)
			c->failure[kept++] = c->failure[i];
	c->failures = kept;
}

/* What a case has besides its pattern. false: the model is one that is refused. */
static inline bool case_rest(struct time_case *c, uint64_t seed, bool regular)
{
	const char *const policy = case_policy(c);
	struct rb_error err;
	size_t used;

	if (c->m.policy.by_receivers)
		c->m.recompute = FT_ROLLBACK;
	case_costs(c);
	case_failures(c);
	if (regular)
		case_make_regular(c);
	used = strlen(c->text);
	snprintf(
		c->text + used, sizeof c->text - used,
		", %lld steps, interval %lld, first %lld, line %d, reach %d, %s, recompute %d, %zu "
		"failures (seed %llu)",
		(long long)c->m.steps, (long long)c->m.schedule.interval,
		(long long)c->m.schedule.first, c->m.line, c->m.reach, policy, c->m.recompute,
		c->failures, (unsigned long long)seed);
	return model_check(&c->m, &err) == RB_OK;
}

static inline bool case_make(struct time_case *c, uint64_t seed)
{
	*c = (struct time_case){ .seed = seed };
	case_model(c, 1 + case_draw(c, 30));
	if (case_draw(c, 2))
		case_stencil(c);
	else
		case_kernel(c);
	return case_rest(c, seed, false);
}

/* A regular case of a stencil in one dimension, with up to `roles` roles more than two, and up to
 * `steps` iterations. */
static inline bool case_make_line(struct time_case *c, uint64_t seed, int roles, int steps)
{
	const size_t bytes[STENCIL_AXES] = { 8000 };
	int length[STENCIL_AXES] = { 0 };
	struct rb_error err;

	*c = (struct time_case){ .seed = seed };
	case_model(c, 1 + case_draw(c, steps));
	length[0] = 3 + case_draw(c, roles);
	if (stencil_pattern_init(&c->stencil, 1, length, case_draw(c, 2), bytes, &err) != RB_OK)
		abort();
	c->m.pattern = &c->stencil.pattern;
	snprintf(c->text, sizeof c->text, "line of %d%s", length[0],
		 c->stencil.periodic ? ", periodic" : "");
	return case_rest(c, seed, true);
}

/* A random pattern of up to `roles` roles with up to 6 phases in an iteration. */
static inline bool case_make_drawn(struct time_case *c, uint64_t seed, int roles, int steps)
{
	*c = (struct time_case){ .seed = seed };
	case_model(c, 1 + case_draw(c, steps));
	c->drawn = drawn_pattern(mix(seed), 1 + case_draw(c, roles), 1 + case_draw(c, 6),
				 1 + case_draw(c, 3));
	c->m.pattern = &c->drawn.pattern;
	snprintf(c->text, sizeof c->text, "random pattern, np %d, %d phases, period %d",
		 c->drawn.pattern.np, c->drawn.phases, c->drawn.period);
	return case_rest(c, seed, false);
}

/* A reduction over up to `roles` roles in each iteration, often over a power of two. If they are
 * thousands, over so many or half, and they do not work as long as each other. */
static inline bool case_make_allreduce(struct time_case *c, uint64_t seed, int roles, int steps)
{
	int np = roles;

	*c = (struct time_case){ .seed = seed };
	case_model(c, 1 + case_draw(c, steps));
	c->m.reach = REPAIR_ALL;
	while (np > (roles > 1000 ? roles / 2 : 1) && case_draw(c, 3))
		np /= 2;
	np -= roles > 1000 || case_draw(c, 4) ? 0 : case_draw(c, np);
	c->args.value[0] = case_draw(c, 2) ? "8" : "128";
	c->kernel = kernel_pattern(&allreduce, &c->args, np);
	c->m.pattern = &c->kernel.pattern;
	snprintf(c->text, sizeof c->text, "allreduce, np %d", np);
	if (!case_rest(c, seed, seed % 2))
		return false;
	if (seed / 2 % 2) { /* so that roles are often apart by about the time of a message */
		c->m.costs.latency_s = 0.05 * case_fraction(c);
		c->m.costs.restore_s *= 0.1;
	}
	if (roles > 1000) {
		c->m.work.knots = 2;
		c->m.work.seconds[1] = c->m.work.seconds[0] + 0.1;
	}
	for (int i = 0; i < c->m.work.knots; i++) /* about as long as a reduction, or longer */
		c->m.work.seconds[i] *= seed % 3 ? 0.01 : 1;
	return true;
}

/* A stencil of at least `roles` roles, with at least `steps` iterations, and up to twice as many of
 * both; half of them regular. */
static inline bool case_make_large(struct time_case *c, uint64_t seed, int roles, int steps)
{
	const size_t bytes[STENCIL_AXES] = { 8000, (size_t)(seed / 4 % 2 * 500),
					     (size_t)(seed / 8 % 2 * 50) };
	const int axes = seed % 4 < 2 ? 1 : (int)(seed % 4);
	int length[STENCIL_AXES] = { 0 }, left = roles;
	struct rb_error err;

	*c = (struct time_case){ .seed = seed };
	case_model(c, steps + case_draw(c, steps));
	for (int a = 0; a < axes; a++) {
		length[a] = a + 1 < axes ? 1 + case_draw(c, axes == 2 ? 60 : 20)
					 : left + case_draw(c, left);
		left = (left + length[a] - 1) / length[a];
	}
	if (stencil_pattern_init(&c->stencil, axes, length, case_draw(c, 2), bytes, &err) != RB_OK)
		abort();
	c->m.pattern = &c->stencil.pattern;
	snprintf(c->text, sizeof c->text, "stencil %d x %d x %d%s", length[0], length[1], length[2],
		 c->stencil.periodic ? ", periodic" : "");
	return case_rest(c, seed, seed / 16 % 2 == 0);
}

#endif
