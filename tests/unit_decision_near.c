/* What decide_near() decides for stencils is what decide() does, who goes through all messages: in
 * random situations, whether a run can come to them or not. How many there are:
 * DECISION_NEAR_CASES, from DECISION_NEAR_SEED on. */
#include "base/mix.h"
#include "base/status.h"
#include "forecast/pattern/stencil_pattern.h"
#include "forecast/time/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROLES = 60, TEXT = 4000 };

struct scene {
	uint64_t seed;
	struct stencil_pattern stencil;
	struct model m;
	bool dead[ROLES];
	int64_t line[ROLES], front[ROLES];
	struct situation s;
	char text[TEXT];
};

static struct tally {
	int copies, two_sends, far, partial, kept;
} tally;

static int draw(struct scene *c, int below)
{
	return (int)(mix_draw(&c->seed) % (uint64_t)below);
}

/* In step but for some roles; apart by at most one from role to role, or two; or anywhere. */
static void draw_fronts(struct scene *c)
{
	const int kind = draw(c, 5), most = 1 + draw(c, 30), line = draw(c, 4);
	int front = draw(c, most + 1);

	for (int r = 0; r < c->m.pattern->np; r++) {
		if (kind == 0)
			front = draw(c, most + 1);
		else if (kind == 1)
			front = draw(c, 8) ? most : draw(c, most + 1);
		else
			front += draw(c, 2 * (kind - 1) + 1) - (kind - 1);
		front = front < 0 ? 0 : front > most ? most : front;
		c->line[r] = line;
		c->front[r] = line + front;
		c->dead[r] = false;
	}
	for (int i = 1 + draw(c, 3); i > 0; i--)
		c->dead[draw(c, c->m.pattern->np)] = true;
}

static void draw_scene(struct scene *c, uint64_t seed)
{
	static const char *const policies[] = { "none", "none", "none", "none", "window:2", "all" };
	const size_t bytes[STENCIL_AXES] = { 8000 };
	struct rb_error err;
	size_t used;

	*c = (struct scene){ .seed = seed };
	if (stencil_pattern_init(&c->stencil, draw(c, 8) ? 1 : 2,
				 (int[]){ 2 + draw(c, draw(c, 2) ? 6 : ROLES / 2 - 2), 2 },
				 draw(c, 2), bytes, &err) != RB_OK ||
	    policy_parse(&c->m.policy, policies[draw(c, 6)], &err) != RB_OK)
		abort();
	c->m.pattern = &c->stencil.pattern;
	c->m.steps = 100;
	c->m.schedule = (struct schedule){ .interval = 1 + draw(c, 20) };
	c->m.reach = draw(c, 4) ? REPAIR_ALL : REPAIR_AFFECTED;
	c->m.recompute = draw(c, 3) ? FT_DATAFLOW : FT_FLAT;
	draw_fronts(c);
	c->s = (struct situation){ c->dead, c->line, c->front, draw(c, 4) == 0, NULL };
	used = (size_t)snprintf(
		c->text, sizeof c->text,
		"seed %llu: %s, recompute %d, reach %d, stop all %d, %d axes%s, line %lld, fronts",
		(unsigned long long)seed, c->m.policy.ops->name, c->m.recompute, c->m.reach,
		c->s.stop_all, c->stencil.axes, c->stencil.periodic ? ", periodic" : "",
		(long long)c->line[0]);
	for (int r = 0; r < c->m.pattern->np; r++)
		used += (size_t)snprintf(c->text + used, sizeof c->text - used, " %lld%s",
					 (long long)c->front[r], c->dead[r] ? "!" : "");
}

/* A receive of a role, or of its duplicate, that is executed: does the message come from the same
 * place? */
struct asking {
	const struct scene *c;
	const struct decision *all, *near;
	int role;
	int64_t iter;
	bool copy;
};

struct sending {
	int to;
	int32_t place, found;
};

static int find_send(void *ctx, const struct pattern_operation *o)
{
	struct sending *s = ctx;

	if (o->kind == PATTERN_SEND && o->peer == s->to)
		s->found = s->place;
	s->place += o->kind != PATTERN_RECEIVE;
	return RB_OK;
}

static int ask(void *ctx, const struct pattern_operation *o)
{
	const struct asking *a = ctx;
	const struct pattern *p = a->c->m.pattern;
	struct sending s = { a->role, 0, -1 };
	enum source all;

	if (o->kind != PATTERN_RECEIVE || a->iter >= a->all->from[o->peer])
		return RB_OK;
	assert_int_equal(p->operations(p, o->peer, a->iter, find_send, &s), RB_OK);
	all = decision_source(a->all, o->peer, a->role, a->copy, a->iter, s.found);
	if (decision_source(a->near, o->peer, a->role, a->copy, a->iter, s.found) != all)
		fail_msg(
			"%s: the message of role %d to %s%d of iteration %lld comes from elsewhere",
			a->c->text, o->peer, a->copy ? "the duplicate of " : "", a->role,
			(long long)a->iter);
	tally.kept += !a->copy && all == SOURCE_SENT;
	return RB_OK;
}

static void same_sources(const struct scene *c, const struct decision *all,
			 const struct decision *near)
{
	const struct pattern *p = c->m.pattern;

	if (c->stencil.length[0] < 3) /* two channels from a role to the same one */
		return;
	for (int r = 0; r < p->np; r++) {
		for (int64_t i = all->from[r]; i < c->m.steps && i <= c->line[0] + 40; i++)
			assert_int_equal(
				p->operations(p, r, i, ask,
					      &(struct asking){ c, all, near, r, i, false }),
				RB_OK);
		for (int64_t i = c->line[r]; i < all->end[r].iter; i++)
			assert_int_equal(
				p->operations(p, r, i, ask,
					      &(struct asking){ c, all, near, r, i, true }),
				RB_OK);
	}
}

static void same(const struct scene *c, const struct decision *all, const struct decision *near)
{
	if (all->known != near->known || all->dataflow != near->dataflow || all->flat != near->flat)
		fail_msg("%s: what is known is not the same", c->text);
	for (int r = 0; r < all->np; r++) {
		const struct place a = all->end[r], b = near->end[r];

		if (all->back[r] != near->back[r] || all->stopped[r] != near->stopped[r] ||
		    all->from[r] != near->from[r])
			fail_msg("%s: role %d goes on elsewhere", c->text, r);
		if (a.iter != b.iter || (a.iter >= 0 && a.number != b.number))
			fail_msg("%s: the duplicate of role %d ends at %lld:%d, not at %lld:%d",
				 c->text, r, (long long)a.iter, a.number, (long long)b.iter,
				 b.number);
		if (all->distance[r] != near->distance[r])
			fail_msg("%s: role %d is at distance %d, not %d", c->text, r,
				 all->distance[r], near->distance[r]);
		tally.copies += a.iter >= 0;
		tally.two_sends += a.number == 2;
		tally.far += all->distance[r] > 2;
		tally.partial += a.iter >= 0 && a.iter < all->from[r] - 1;
	}
	same_sources(c, all, near);
}

static void test_situations(void **state)
{
	const char *cases = getenv("DECISION_NEAR_CASES"), *first = getenv("DECISION_NEAR_SEED");
	const long count = cases ? atol(cases) : 3000;
	static struct scene c;

	(void)state;
	for (long i = 0; i < count; i++) {
		struct decision all, near;
		struct rb_error err = { "" };
		int rc;

		draw_scene(&c, (uint64_t)((first ? atol(first) : 1) + i));
		rc = decide(&all, &c.m, &c.s, &err);
		if (decide_near(&near, &c.m, &c.s, 1 + (int)(i % 2), &err) != rc)
			fail_msg("%s: %s", c.text, err.text);
		if (rc != RB_OK)
			continue;
		same(&c, &all, &near);
		decision_free(&all);
		decision_free(&near);
	}
	print_message(
		"%ld situations: %d duplicates, %d end behind their second send, %d at a distance "
		"of more than two, %d before the last iteration; %d messages from logs or kept\n",
		count, tally.copies, tally.two_sends, tally.far, tally.partial, tally.kept);
	assert_true(tally.copies > count && tally.two_sends > count / 4 && tally.far > count / 2 &&
		    tally.partial > count / 2);
	assert_true(tally.kept > count / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_situations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
