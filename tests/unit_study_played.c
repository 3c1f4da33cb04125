/* Channels under the policy of a run, played message by message (forecast/study/played.h): cases by
 * hand, and the members of rollback sets. */
#include "base/mix.h"
#include "base/status.h"
#include "forecast/study/effort.h"
#include "forecast/study/played.h"
#include "forecast/study/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A message of one role. */
struct sent {
	int64_t iter;
	int source, receiver;
	size_t bytes;
};

/* Messages in program order, by role. */
struct listed {
	struct pattern pattern;
	const struct sent *list;
	size_t count;
};

static int operations(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
		      void *ctx)
{
	const struct listed *x = (const struct listed *)p;

	for (size_t i = 0; i < x->count; i++) {
		const struct sent *m = &x->list[i];

		if (m->source == role && m->iter == iter)
			RB_TRY(watch(ctx, &(struct pattern_operation){ .kind = PATTERN_SEND,
								       .peer = m->receiver,
								       .bytes = m->bytes }));
	}
	return RB_OK;
}

/* Channels that are off at the end of iterations from to to - 1 under a policy, as text: "0>2 1>0
 * ". Returns the largest log. */
static int64_t play(const struct sent *list, size_t count, int64_t from, int64_t to,
		    const char *policy_text, char *out)
{
	struct listed x = { { 3, operations }, list, count };
	struct exchange_entry entries[16];
	struct exchange e;
	struct policy policy;
	struct rb_error err;
	bool off[16], lost[16];
	size_t used = 0;
	int64_t log;

	for (size_t i = 0; i < count; i++)
		if (list[i].iter >= from && list[i].iter < to)
			entries[used++] = (struct exchange_entry){ list[i].source, list[i].receiver,
								   (int64_t)list[i].bytes };
	assert_int_equal(policy_parse(&policy, policy_text, &err), RB_OK);
	assert_int_equal(exchange_build(&e, 3, entries, used), RB_OK);
	assert_int_equal(played_channels(&(struct played){ &x.pattern, &policy, from, to }, &e, off,
					 lost, &log),
			 RB_OK);
	*out = '\0';
	for (size_t i = 0; i < e.count; i++)
		if (off[i])
			sprintf(out + strlen(out), "%d>%d ", e.source[i], e.receiver[i]);
	exchange_free(&e);
	return log;
}

#define PLAY(list, from, to, policy, out) \
	play(list, sizeof list / sizeof *list, from, to, policy, out)

/* Role 0 sends 10 to 1, 12 to 2, and 5 to 1. When the 12 come, the channel to 2 is the heaviest; in
 * the matrix it is that to 1. */
static void order_decides(void **state)
{
	static const struct sent list[] = { { 0, 0, 1, 10 }, { 0, 0, 2, 12 }, { 0, 0, 1, 5 } };
	static const struct sent other[] = { { 0, 0, 1, 10 }, { 0, 0, 1, 5 }, { 0, 0, 2, 12 } };
	char off[64];

	(void)state;
	assert_int_equal(PLAY(list, 0, 1, "budget:21", off), 15);
	assert_string_equal(off, "0>2 ");
	assert_int_equal(PLAY(other, 0, 1, "budget:21", off), 15);
	assert_string_equal(off, "0>1 ");
	assert_int_equal(PLAY(list, 0, 1, "budget:27", off), 27);
	assert_string_equal(off, "");
	assert_int_equal(PLAY(list, 0, 1, "budget:9", off), 0);
	assert_string_equal(off, "0>1 0>2 ");
}

/* What was off before the interval is on again, and what comes behind it does not count. */
static void an_interval_stands_alone(void **state)
{
	static const struct sent list[] = {
		{ 0, 0, 1, 100 }, { 1, 0, 1, 10 },  { 2, 0, 2, 10 },
		{ 2, 1, 0, 20 },  { 3, 0, 2, 100 },
	};
	char off[64];

	(void)state;
	assert_int_equal(PLAY(list, 0, 4, "budget:20", off), 20);
	assert_string_equal(off, "0>1 0>2 ");
	assert_int_equal(PLAY(list, 1, 3, "budget:20", off), 20);
	assert_string_equal(off, "");
	assert_int_equal(PLAY(list, 1, 3, "budget:19", off), 10);
	assert_string_equal(off, "0>1 1>0 ");
}

/* With the status kept, all that was sent before the interval matters; the interval before it is as
 * long. */
static void what_is_kept_comes_from_before(void **state)
{
	static const struct sent list[] = {
		{ 0, 0, 1, 100 }, { 1, 0, 2, 10 }, { 2, 0, 1, 1 },
		{ 3, 0, 2, 1 },   { 5, 0, 2, 30 }, { 5, 0, 0, 1 },
	};
	char off[64];

	(void)state;
	assert_int_equal(PLAY(list, 2, 4, "budget:20:online", off), 2);
	assert_string_equal(off, "");
	assert_int_equal(PLAY(list, 2, 4, "budget:20:online:kept", off), 100);
	assert_string_equal(off, "0>1 ");
	/* with checkpoints at 1 and 4, 1 is still on at 1 */
	assert_int_equal(PLAY(list, 1, 4, "budget:20:online:kept", off), 100);
	assert_string_equal(off, "");
}

enum { CHANNELS = 6, ROUNDS = 20, INTERVALS = 3 };

/* Each role sends equal shares to both others, by their numbers. */
struct shares {
	struct sent list[CHANNELS * INTERVALS * ROUNDS];
	struct exchange_entry entry[CHANNELS * INTERVALS * ROUNDS];
	size_t count;
};

static void make_shares(struct shares *x, int intervals, const size_t *bytes)
{
	static const int receiver[CHANNELS] = { 1, 2, 0, 2, 0, 1 };

	x->count = 0;
	for (int i = 0; i < intervals * ROUNDS; i++)
		for (int c = 0; c < CHANNELS; c++) {
			x->list[x->count] = (struct sent){ i, c / 2, receiver[c], bytes[c] };
			x->entry[x->count++] =
				(struct exchange_entry){ c / 2, receiver[c], (int64_t)bytes[c] };
		}
}

/* Channels that are off at the end of the last interval: by the policy of a run, and by the study.
 * Returns how many. */
static int compare_online(struct shares *shares, const struct timing *t, bool kept)
{
	struct listed x = { { 3, operations }, shares->list, shares->count };
	const int64_t end = (int64_t)t->intervals * ROUNDS;
	bool off[CHANNELS], lost[CHANNELS], expected[CHANNELS];
	int64_t log, most;
	struct exchange e;
	struct strategy s;
	struct policy policy;
	struct rb_error err;
	char text[64];
	int found = 0;

	assert_int_equal(exchange_build(&e, 3, shares->entry, shares->count), RB_OK);
	assert_int_equal(e.count, CHANNELS);
	assert_int_equal(strategy_parse(&s, kept ? "online" : "online:reset", &err), RB_OK);
	assert_int_equal(strategy_apply(&s, &e, 50, t, expected, &most), RB_OK);
	snprintf(text, sizeof text, "budget:%d:online%s",
		 (int)(exchange_largest_log(&e) / 2 / t->intervals), kept ? ":kept" : "");
	assert_int_equal(policy_parse(&policy, text, &err), RB_OK);
	assert_int_equal(played_channels(&(struct played){ &x.pattern, &policy, end - ROUNDS, end },
					 &e, off, lost, &log),
			 RB_OK);
	assert_int_equal(log, most);
	for (int c = 0; c < CHANNELS; c++) {
		assert_int_equal(off[c], expected[c]);
		found += off[c];
	}
	exchange_free(&e);
	return found;
}

/* Alg. 1 as a policy of a run is Alg. 1 as a form of the study, two programs of it, where the
 * messages are the equal shares that the study takes them to be. */
static void the_online_policy_is_that_of_the_study(void **state)
{
	static struct shares shares;
	uint64_t draw = mix(11);
	int found = 0;

	(void)state;
	for (int trial = 0; trial < 400; trial++) {
		const struct timing t = { .intervals = 1 + trial % INTERVALS, .rounds = ROUNDS };
		size_t bytes[CHANNELS];

		for (int c = 0; c < CHANNELS; c++)
			bytes[c] = 1 + mix_draw(&draw) % (trial % 3 ? 40 : 4);
		make_shares(&shares, t.intervals, bytes);
		found += compare_online(&shares, &t, false);
		found += compare_online(&shares, &t, true);
	}
	assert_true(found > 800);
}

/* A message without payload is a hole, too, once its channel is off. */
static void empty_messages_count(void **state)
{
	static const struct sent list[] = { { 0, 0, 1, 0 }, { 0, 0, 2, 8 } };
	char off[64];

	(void)state;
	assert_int_equal(PLAY(list, 0, 1, "none", off), 0);
	assert_string_equal(off, "0>1 0>2 ");
	assert_int_equal(PLAY(list, 0, 1, "budget:4", off), 0);
	assert_string_equal(off, "0>2 ");
}

/* The members of all sets are as many as effort_find() says, and are what follows from the
 * channels, by the definition. */
static void members_of_sets(void **state)
{
	enum { NP = 9 };
	uint64_t draw = mix(7);

	(void)state;
	for (int trial = 0; trial < 500; trial++) {
		struct exchange_entry list[NP * NP];
		bool off[NP * NP], set[NP * NP];
		int32_t sizes[NP];
		struct exchange e;
		struct effort x;
		size_t count = 0;

		for (int i = 0; i < NP * NP; i++)
			if (mix_draw(&draw) % 4 == 0)
				list[count++] = (struct exchange_entry){ i / NP, i % NP, 1 };
		assert_int_equal(exchange_build(&e, NP, list, count), RB_OK);
		for (size_t i = 0; i < e.count; i++)
			off[i] = mix_draw(&draw) % 2;
		assert_int_equal(effort_find(&x, &e, off, NULL, NP, 1, sizes), RB_OK);
		assert_int_equal(effort_members(&e, off, NULL, set), RB_OK);
		for (int v = 0; v < NP; v++) {
			int members = 0;

			assert_true(set[v * NP + v]);
			for (int r = 0; r < NP; r++)
				members += set[v * NP + r];
			assert_int_equal(members, sizes[v]);
			for (size_t i = 0; i < e.count;
			     i++) /* closed: who lacks a log for a member is a member */
				assert_true(!off[i] || !set[v * NP + e.receiver[i]] ||
					    set[v * NP + e.source[i]]);
		}
		exchange_free(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_decides),
		cmocka_unit_test(an_interval_stands_alone),
		cmocka_unit_test(what_is_kept_comes_from_before),
		cmocka_unit_test(empty_messages_count),
		cmocka_unit_test(the_online_policy_is_that_of_the_study),
		cmocka_unit_test(members_of_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
