/* Strategies of the study in which receivers keep messages: who switches off what, and who goes
 * back, against the definition and against the closure of the engine. */
#include "base/mix.h"
#include "base/status.h"
#include "ft/recovery/closure.h"
#include "forecast/study/effort.h"
#include "forecast/study/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 12, TRIALS = 3000 };

static const struct timing once = { 1, 1 };

/* A random matrix, or its transposed one. */
struct random_matrix {
	struct exchange_entry list[NP * NP];
	size_t count;
};

static struct exchange build(const struct random_matrix *m, bool transposed)
{
	struct exchange_entry list[NP * NP];
	struct exchange e;

	for (size_t i = 0; i < m->count; i++) {
		list[i] = m->list[i];
		if (transposed) {
			list[i].source = m->list[i].receiver;
			list[i].receiver = m->list[i].source;
		}
	}
	assert_int_equal(exchange_build(&e, NP, list, m->count), RB_OK);
	return e;
}

static void draw(struct random_matrix *m, uint64_t *state)
{
	const uint64_t sparse = 1 + mix_draw(state) % 6, values = 1 + mix_draw(state) % 9;

	m->count = 0;
	for (int i = 0; i < NP * NP; i++)
		if (mix_draw(state) % sparse == 0)
			m->list[m->count++] =
				(struct exchange_entry){ i / NP, i % NP,
							 (int64_t)(mix_draw(state) % values) };
}

static void parse(struct strategy *s, const char *name)
{
	struct rb_error err;

	assert_int_equal(strategy_parse(s, name, &err), RB_OK);
}

/* A receiver decides as a sender of the transposed matrix. */
static void receivers_decide_as_senders(void **state)
{
	static const char *const names[][2] = {
		{ "heaviest:receiver", "heaviest" },
		{ "clusters:receiver", "clusters" },
		{ "clusters:whole:receiver", "clusters:whole" },
		{ "dendrogram:receiver", "dendrogram" },
		{ "dendrogram:whole:receiver", "dendrogram:whole" },
	};
	uint64_t random = mix(21);
	int found = 0;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		const double theta = (double)(mix_draw(&random) % 101);
		bool off[NP * NP], expected[NP * NP];
		struct random_matrix m;
		struct exchange e, t;
		struct strategy receiver, sender;
		int64_t log, other;

		draw(&m, &random);
		e = build(&m, false);
		t = build(&m, true);
		parse(&receiver, names[i % 5][0]);
		parse(&sender, names[i % 5][1]);
		assert_true(receiver.by_receivers && !sender.by_receivers &&
			    strategy_has_cap(&receiver));
		assert_int_equal(strategy_apply(&receiver, &e, theta, &once, off, &log), RB_OK);
		assert_int_equal(strategy_apply(&sender, &t, theta, &once, expected, &other),
				 RB_OK);
		assert_int_equal(log, other);
		assert_int_equal(exchange_largest_received(&e), exchange_largest_log(&t));
		for (size_t c = 0; c < e.count; c++) {
			const size_t at = exchange_find(&t, e.receiver[c], e.source[c]);

			assert_true(at < t.count && t.bytes[at] == e.bytes[c]);
			assert_int_equal(off[c], expected[at]);
			found += off[c];
		}
		exchange_free(&e);
		exchange_free(&t);
	}
	assert_true(found > TRIALS);
}

/* Steps from the victim; -1: the rank keeps its state. The first step goes over what is off or
 * lost, later ones over what is off. */
static int search(const struct exchange *e, const bool *off, const bool *lost, int victim,
		  int steps[NP])
{
	bool more = true;
	int longest = 0;

	for (int r = 0; r < NP; r++)
		steps[r] = r == victim ? 0 : -1;
	for (int k = 1; more; k++) {
		more = false;
		for (size_t i = 0; i < e->count; i++) {
			const bool needed = off[i] || (lost[i] && e->receiver[i] == victim);

			if (!needed || steps[e->receiver[i]] != k - 1 || steps[e->source[i]] >= 0)
				continue;
			steps[e->source[i]] = longest = k;
			more = true;
		}
	}
	return longest;
}

/* By the engine: all have gone through iteration 0, and the victim has no copies. Returns the
 * length of the chain. */
static int close_for(const struct exchange *e, const bool *off, const bool *lost, int victim,
		     bool rolled[NP])
{
	struct channel list[2 * NP * NP];
	int64_t line[NP] = { 0 }, front[NP], copies[NP];
	struct channels c;
	size_t count = 0;
	int chain;

	for (int r = 0; r < NP; r++) {
		front[r] = r != victim;
		copies[r] = r != victim;
		rolled[r] = r == victim;
	}
	for (size_t i = 0; i < e->count; i++) {
		if (off[i])
			list[count++] = (struct channel){ e->source[i], e->receiver[i], 0, 0 };
		if (lost[i])
			list[count++] = (struct channel){ e->source[i], e->receiver[i], 0, 1 };
	}
	assert_int_equal(channels_build(&c, NP, 0, count, channel_in_list, list), RB_OK);
	c.copies = copies;
	assert_int_equal(closure(&c, line, front, front, rolled, &chain), RB_OK);
	channels_free(&c);
	return chain;
}

static void check_effort(const struct exchange *e, const bool *off, const bool *lost)
{
	bool set[NP * NP];
	int32_t sizes[NP];
	struct effort x;
	int sum = 0, chains = 0, most = 0;

	assert_int_equal(effort_find(&x, e, off, lost, NP, 1, sizes), RB_OK);
	assert_int_equal(effort_members(e, off, lost, set), RB_OK);
	for (int v = 0; v < NP; v++) {
		bool rolled[NP];
		int steps[NP], size = 0, chain = search(e, off, lost, v, steps);

		assert_int_equal(close_for(e, off, lost, v, rolled), chain);
		for (int r = 0; r < NP; r++) {
			assert_int_equal(rolled[r], steps[r] >= 0);
			assert_int_equal(set[v * NP + r], steps[r] >= 0);
			size += rolled[r];
		}
		assert_int_equal(sizes[v], size);
		sum += size;
		chains += chain;
		most = chain > most ? chain : most;
	}
	assert_true(x.set == (double)sum / NP && x.chain == (double)chains / NP &&
		    x.chain_most == most);
}

static void who_goes_back(void **state)
{
	uint64_t random = mix(22);
	int ends = 0;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		bool off[NP * NP], lost[NP * NP];
		struct random_matrix m;
		struct exchange e;
		const uint64_t part = 1 + mix_draw(&random) % 5;

		draw(&m, &random);
		e = build(&m, false);
		for (size_t c = 0; c < e.count; c++) {
			off[c] =
				e.source[c] != e.receiver[c] && mix_draw(&random) % (2 * part) == 0;
			lost[c] = e.source[c] != e.receiver[c] && mix_draw(&random) % part > 0;
			ends += lost[c] && !off[c];
		}
		check_effort(&e, off, lost);
		exchange_free(&e);
	}
	assert_true(ends > TRIALS);
}

/* Rank 1 sends to 0 and 2 sends to 1: without a cap the chain ends behind one step, in a team as
 * well. */
static void what_is_lost(void **state)
{
	struct exchange_entry list[] = { { 0, 0, 9 }, { 1, 0, 5 }, { 2, 1, 7 }, { 3, 2, 1 } };
	bool off[4], lost[4];
	struct exchange e;
	struct strategy s;
	struct effort x;
	int64_t log;

	(void)state;
	assert_int_equal(exchange_build(&e, 4, list, 4), RB_OK);
	parse(&s, "receiver");
	assert_false(strategy_has_cap(&s));
	assert_int_equal(strategy_apply(&s, &e, 0, NULL, off, &log), RB_OK);
	strategy_lost(&s, &e, lost);
	assert_int_equal(log, 7);
	assert_true(!lost[0] && lost[1] && lost[2] && lost[3]);
	assert_false(off[0] || off[1] || off[2] || off[3]);
	assert_int_equal(effort_find(&x, &e, off, lost, 4, 1, NULL), RB_OK);
	assert_true(x.set == 7 / 4.0 && x.chain == 3 / 4.0 && x.set_most == 2 && x.chain_most == 1);
	parse(&s, "teams:2:receiver");
	assert_int_equal(strategy_apply(&s, &e, 0, NULL, off, &log), RB_OK);
	strategy_lost(&s, &e, lost);
	assert_int_equal(log, 8); /* of rank 2, which has 7 in its log and 1 from rank 3 */
	assert_true(!lost[0] && lost[1] && !lost[2] && lost[3]);
	exchange_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receivers_decide_as_senders),
		cmocka_unit_test(who_goes_back),
		cmocka_unit_test(what_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
