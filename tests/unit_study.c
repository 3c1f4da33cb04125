/* The study of an exchange matrix: who goes back is compared with the closure of the engine and
 * with a slow form of the definition on 10,000 random matrices; what is off, with the definition of
 * each strategy. Cases by hand are in unit_study_cases.c. */
#include "base/mix.h"
#include "base/status.h"
#include "ft/recovery/closure.h"
#include "forecast/study/chains.h"
#include "forecast/study/components.h"
#include "forecast/study/effort.h"
#include "forecast/study/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MATRICES = 10000, SMALL = 16, LARGE = 1500 };

static const struct timing once = { 1, 1 };

/* A dense matrix. */
struct dense {
	int np;
	int64_t bytes[SMALL][SMALL]; /* -1: no channel */
	bool off[SMALL][SMALL];
};

static struct exchange build(const struct dense *m)
{
	struct exchange_entry list[SMALL * SMALL];
	struct exchange e;
	size_t count = 0;

	for (int s = 0; s < m->np; s++)
		for (int d = m->np - 1; d >= 0; d--) /* not sorted */
			if (m->bytes[s][d] >= 0)
				list[count++] = (struct exchange_entry){ s, d, m->bytes[s][d] };
	assert_int_equal(exchange_build(&e, m->np, list, count), RB_OK);
	return e;
}

/* Few different numbers, so that there are ties; some ranks send nothing, some to themselves. */
static void draw(struct dense *m, uint64_t *state)
{
	const int sparse = 1 + (int)(mix_draw(state) % 6), values = 1 + (int)(mix_draw(state) % 9);

	memset(m, 0, sizeof *m);
	m->np = 1 + (int)(mix_draw(state) % SMALL);
	for (int s = 0; s < m->np; s++)
		for (int d = 0; d < m->np; d++)
			m->bytes[s][d] = mix_draw(state) % (uint64_t)sparse
						 ? -1
						 : (int64_t)(mix_draw(state) % (uint64_t)values);
}

/* ----- strategies by their definition ----- */

static int64_t largest_log(const struct dense *m)
{
	int64_t most = 0;

	for (int s = 0; s < m->np; s++) {
		int64_t sum = 0;

		for (int d = 0; d < m->np; d++)
			sum += d != s && m->bytes[s][d] > 0 ? m->bytes[s][d] : 0;
		most = sum > most ? sum : most;
	}
	return most;
}

static bool is_on(const struct dense *m, int s, int d)
{
	return d != s && m->bytes[s][d] > 0 && !m->off[s][d];
}

static int64_t held(const struct dense *m, int s)
{
	int64_t sum = 0;

	for (int d = 0; d < m->np; d++)
		sum += is_on(m, s, d) ? m->bytes[s][d] : 0;
	return sum;
}

/* The heaviest channel that is on among the ranks of a cluster; -1: there is none. */
static int heaviest(const struct dense *m, int s, const bool *cluster)
{
	int found = -1;

	for (int d = 0; d < m->np; d++)
		if (cluster[d] && is_on(m, s, d) &&
		    (found < 0 || m->bytes[s][d] > m->bytes[s][found]))
			found = d;
	return found;
}

/* The most traffic h so that both are connected by pairs with at least h: the widest path. */
static void widest(const struct dense *m, int64_t width[SMALL][SMALL])
{
	for (int a = 0; a < m->np; a++)
		for (int b = 0; b < m->np; b++) {
			const int64_t one = m->bytes[a][b], other = m->bytes[b][a];

			width[a][b] = (one > 0 ? one : 0) + (other > 0 ? other : 0);
		}
	for (int k = 0; k < m->np; k++)
		for (int a = 0; a < m->np; a++)
			for (int b = 0; b < m->np; b++) {
				const int64_t through =
					width[a][k] < width[k][b] ? width[a][k] : width[k][b];

				if (a != b && a != k && b != k && through > width[a][b])
					width[a][b] = through;
			}
}

/* The smallest cluster of s with a channel that is on. */
static void nearest(const struct dense *m, enum strategy_kind kind, int s,
		    int64_t width[SMALL][SMALL], bool *cluster)
{
	int64_t height = 0;

	for (int size = 2; kind == STRATEGY_CLUSTERS; size *= 2) {
		for (int d = 0; d < m->np; d++)
			cluster[d] = d / size == s / size;
		if (heaviest(m, s, cluster) >= 0)
			return;
	}
	for (int d = 0; d < m->np; d++)
		height = is_on(m, s, d) && width[s][d] > height ? width[s][d] : height;
	for (int d = 0; d < m->np; d++)
		cluster[d] = kind == STRATEGY_HEAVIEST || width[s][d] >= height;
}

static void switch_off(struct dense *m, const struct strategy *g, double theta)
{
	const double cap = theta * (double)largest_log(m) / 100;
	int64_t width[SMALL][SMALL];

	widest(m, width);
	for (int s = 0; s < m->np; s++)
		while ((double)held(m, s) > cap) {
			bool cluster[SMALL];
			int d;

			nearest(m, g->kind, s, width, cluster);
			d = heaviest(m, s, cluster);
			do
				m->off[s][d] = true;
			while (g->whole && (d = heaviest(m, s, cluster)) >= 0);
		}
}

/* ----- sets by their definition ----- */

/* The rollback set of a victim: repeat the rule until nothing changes. Returns its size. */
static int roll_back(const struct dense *m, int victim, int *chain)
{
	bool rolled[SMALL] = { false };
	int size = 1;

	rolled[victim] = true;
	for (*chain = 0;; ++*chain) {
		bool more[SMALL] = { false };
		int found = 0;

		for (int s = 0; s < m->np; s++)
			for (int d = 0; d < m->np && !rolled[s]; d++)
				more[s] = more[s] || (s != d && rolled[d] && m->off[s][d]);
		for (int s = 0; s < m->np; s++) {
			found += more[s];
			rolled[s] = rolled[s] || more[s];
		}
		if (found == 0)
			return size;
		size += found;
	}
}

/* The same by the closure that repairs and forecasts call. */
static int close_for(const struct dense *m, int victim, int *chain)
{
	struct channel list[SMALL * SMALL];
	int64_t line[SMALL] = { 0 }, front[SMALL];
	bool rolled[SMALL] = { false };
	struct channels c;
	size_t count = 0;
	int size = 0;

	for (int s = 0; s < m->np; s++) {
		front[s] = 1;
		for (int d = 0; d < m->np; d++)
			if (m->off[s][d])
				list[count++] = (struct channel){ s, d, 0, 0 };
	}
	rolled[victim] = true;
	assert_int_equal(channels_build(&c, m->np, 0, count, channel_in_list, list), RB_OK);
	assert_int_equal(closure(&c, line, front, front, rolled, chain), RB_OK);
	channels_free(&c);
	for (int r = 0; r < m->np; r++)
		size += rolled[r];
	return size;
}

static void check_effort(const struct dense *m, const struct exchange *e, const bool *off)
{
	int32_t sets[SMALL];
	struct effort x;
	int sum = 0, chains = 0, most = 0;

	assert_int_equal(effort_find(&x, e, off, NULL, m->np, 1, sets), RB_OK);
	for (int y = 0; y < m->np; y++) {
		int chain, other, size = roll_back(m, y, &chain);

		assert_int_equal(close_for(m, y, &other), size);
		assert_int_equal(other, chain);
		assert_int_equal(sets[y], size);
		sum += size;
		chains += chain;
		most = chain > most ? chain : most;
	}
	assert_true(x.set == (double)sum / m->np && x.chain == (double)chains / m->np);
	assert_int_equal(x.chain_most, most);
	assert_true(x.chain_victims == m->np && x.chain_error == 0);
}

static void check_off(const struct dense *m, const struct exchange *e, const bool *off)
{
	for (size_t i = 0; i < e->count; i++)
		assert_int_equal(off[i], m->off[e->source[i]][e->receiver[i]]);
}

/* Every matrix with another strategy and cap. */
static void sets_are_those_of_the_definition(void **state)
{
	static const char *const names[] = { "heaviest", "clusters", "clusters:whole", "dendrogram",
					     "dendrogram:whole" };
	uint64_t random = 7;
	int64_t rolled = 0, log;

	(void)state;
	for (int i = 0; i < MATRICES; i++) {
		const double theta = (double)(mix_draw(&random) % 101);
		bool off[SMALL * SMALL];
		struct strategy g;
		struct rb_error err;
		struct dense m;
		struct exchange e;

		draw(&m, &random);
		e = build(&m);
		assert_int_equal(strategy_parse(&g, names[i % 5], &err), RB_OK);
		assert_int_equal(strategy_apply(&g, &e, theta, &once, off, &log), RB_OK);
		switch_off(&m, &g, theta);
		check_off(&m, &e, off);
		check_effort(&m, &e, off);
		assert_true((double)log <= theta * (double)largest_log(&m) / 100);
		for (int s = 0; s < m.np; s++)
			rolled += held(&m, s) < log;
		exchange_free(&e);
	}
	assert_true(rolled > MATRICES); /* the cases are not empty */
}

/* ----- more than 512 victims ----- */

/* A graph with `edges` edges for each of np ranks; near: to ranks not far away and with smaller
 * numbers, so there are no cycles. */
static struct channels draw_graph(int np, int edges, bool near, uint64_t *state)
{
	struct channel *list = malloc((size_t)np * (size_t)edges * sizeof *list);
	struct channels c;

	for (int i = 0; i < np * edges; i++) {
		const int s = i / edges,
			  step = 1 + (int)(mix_draw(state) % (uint64_t)(near ? 9 : np - 1));

		list[i] = (struct channel){ s, near ? (s > step ? s - step : 0) : (s + step) % np,
					    0, 0 };
	}
	assert_int_equal(channels_build(&c, np, 0, (size_t)(np * edges), channel_in_list, list),
			 RB_OK);
	free(list);
	return c;
}

static void check_graph(const struct channels *c)
{
	static int32_t reach[LARGE], chain[LARGE], set[LARGE];
	static int64_t line[LARGE], front[LARGE];
	static bool rolled[LARGE];
	struct components x;

	assert_int_equal(components_make(&x, c), RB_OK);
	assert_int_equal(components_reach(&x, reach), RB_OK);
	assert_int_equal(chains_find(c, 0, NULL, c->np, chain, set), RB_OK);
	for (int r = 0; r < c->np; r++)
		front[r] = 1;
	for (int y = 0; y < c->np; y++) {
		int length, size = 0;

		memset(rolled, 0, sizeof rolled);
		rolled[y] = true;
		assert_int_equal(closure(c, line, front, front, rolled, &length), RB_OK);
		for (int r = 0; r < c->np; r++)
			size += rolled[r];
		assert_int_equal(reach[x.of[y]], size);
		assert_int_equal(set[y], size);
		assert_int_equal(chain[y], length);
	}
	components_free(&x);
}

static void large_graphs_are_as_the_closure(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (int np = 511; np <= LARGE; np += 247)
		for (int edges = 1; edges <= 3; edges++)
			for (int near = 0; near < 2; near++) {
				struct channels c = draw_graph(np, edges, near, &random);

				check_graph(&c);
				channels_free(&c);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_those_of_the_definition),
		cmocka_unit_test(large_graphs_are_as_the_closure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
