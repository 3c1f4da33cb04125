/* If any M members of a group are lost, their blocks are computed again; and no member has two
 * places in one stripe. */
#include "ft/levels.h"
#include "ft/line/rs.h"

#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNK = 200 };

/* One stripe of a group, with chunks of different lengths. */
static unsigned char block[RS_GROUP_MAX][CHUNK];

static void fill_stripe(const struct rs_group *g)
{
	memset(block, 0, sizeof block);
	for (int p = 0; p < g->k; p++) {
		size_t length = p % 2 ? CHUNK : (size_t)(CHUNK - 10 * p % CHUNK);

		for (size_t i = 0; i < length; i++)
			block[p][i] = (unsigned char)rand();
		for (int j = 0; j < g->m; j++)
			rs_add(g, j, p, block[p], length, block[g->k + j]);
	}
}

static void recover(const struct rs_group *g, unsigned lost)
{
	void *there[RS_GROUP_MAX];
	int place[RS_GROUP_MAX], n = 0;

	for (int p = 0; p < g->size && n < g->k; p++)
		if (!(lost >> p & 1)) {
			place[n] = p;
			there[n++] = block[p];
		}
	for (int p = 0; p < g->size; p++) {
		unsigned char out[CHUNK];

		if (!(lost >> p & 1))
			continue;
		rs_recover(g, p, place, there, CHUNK, out);
		assert_memory_equal(out, block[p], CHUNK);
	}
}

static void all_losses_up_to_m_are_recovered(void **state)
{
	static const int form[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 4, 2 },
				       { 3, 3 }, { 7, 1 }, { 8, 4 } };
	int tried = 0;

	(void)state;
	srand(3);
	for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
		struct rs_group g;

		rs_group_of(&g, form[f][0] + form[f][1], 0, form[f][0], form[f][1]);
		fill_stripe(&g);
		for (unsigned lost = 1; lost < 1u << g.size; lost++)
			if (__builtin_popcount(lost) <= g.m) {
				recover(&g, lost);
				tried++;
			}
	}
	assert_true(tried > 800);
}

/* More than one piece of rs.c. */
static void long_chunks_are_recovered(void **state)
{
	enum { LONG = (5 << 20) + 192 };
	static unsigned char data[2][LONG], parity[LONG], out[LONG];
	void *there[] = { data[1], parity };
	int place[] = { 1, 2 };
	struct rs_group g;

	(void)state;
	rs_group_of(&g, 3, 0, 2, 1);
	for (int i = 0; i < LONG; i++) {
		data[0][i] = (unsigned char)rand();
		data[1][i] = (unsigned char)rand();
	}
	rs_add(&g, 0, 0, data[0], LONG, parity);
	rs_add(&g, 0, 1, data[1], LONG, parity);
	rs_recover(&g, 0, place, there, LONG, out);
	assert_memory_equal(out, data[0], LONG);
}

/* Every role is in one group, every member has each place in exactly one stripe. */
static void layout_is_a_permutation(void **state)
{
	(void)state;
	for (int np = 6; np < 70; np++)
		for (int role = 0; role < np; role++) {
			struct rs_group g, other;

			rs_group_of(&g, np, role, 4, 2);
			assert_true(g.size >= 6 && g.size <= RS_GROUP_MAX && g.k == g.size - 2);
			assert_int_equal(g.role[g.me], role);
			rs_group_of(&other, np, g.role[g.size - 1], 4, 2);
			assert_memory_equal(g.role, other.role, sizeof g.role);
			for (int i = 0; i < g.size; i++)
				for (int p = 0; p < g.size; p++) {
					int s = rs_stripe(&g, i, p);

					assert_int_equal(rs_place(&g, s, i), p);
					assert_int_equal(rs_member(&g, s, p), i);
				}
		}
}

static void levels_are_read(void **state)
{
	static const char *const bad[] = {
		"",        "disk",    "file,",       ",file",   "file,file",     "buddy:0",
		"buddy:3", "buddy:x", "buddy,buddy", "rs",      "rs:4",          "rs:0+1",
		"rs:1+0",  "rs:4+9",  "rs:40+2",     "rs:4+2x", "rs:2+1,rs:2+1", "buddy:1x"
	};
	struct rb_error err;
	struct levels l;

	(void)state;
	assert_int_equal(levels_parse(&l, "file", &err), RB_OK);
	assert_true(l.file && !levels_in_memory(&l));
	assert_int_equal(levels_parse(&l, "rs:4+2,buddy:2", &err), RB_OK);
	assert_true(!l.file && l.buddies == 2 && l.k == 4 && l.m == 2);
	assert_int_equal(levels_check(&l, 6, &err), RB_OK);
	assert_int_equal(levels_check(&l, 5, &err), RB_EINVAL);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(levels_parse(&l, bad[i], &err), RB_EINVAL);
		assert_non_null(strstr(err.text, "--ckpt"));
	}
	assert_int_equal(levels_parse(&l, "buddy:2", &err), RB_OK);
	assert_int_equal(levels_check(&l, 2, &err), RB_EINVAL);
}

/* Copies lie on other nodes than the original and each other wherever that is possible. */
static void copies_lie_on_other_nodes(void **state)
{
	const struct levels two = { .buddies = 2 };

	(void)state;
	for (int size = 1; size <= 4; size++)
		for (int nodes = 1; nodes <= 4; nodes++) {
			int node[16], stride[2], np = size * nodes;

			if (np < 3)
				continue;
			for (int r = 0; r < np; r++)
				node[r] = r / size;
			levels_strides(&two, np, node, stride);
			assert_true(stride[0] > 0 && stride[1] > 0 && stride[0] != stride[1]);
			assert_true(stride[0] < np && stride[1] < np);
			for (int r = 0; r < np; r++) {
				int first = node[(r + stride[0]) % np],
				    second = node[(r + stride[1]) % np];

				if (nodes > 1)
					assert_int_not_equal(first, node[r]);
				if (nodes > 2)
					assert_true(second != node[r] && second != first);
			}
		}
}

/* Each role has another one as its partner, and no two the same; it is on the same node if there is
 * another role on it. */
static void partners_nearby(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int trial = 0; trial < 2000; trial++) {
		int node[12], partner[12], holds[12] = { 0 }, there[12] = { 0 },
					   np = 2 + trial % 11;
		int nodes = 1 + trial / 11 % 5, alone = 0;

		for (int r = 0; r < np; r++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			node[r] = (int)(seed >> 40) % nodes;
		}
		assert_int_equal(levels_near(np, node, partner), RB_OK);
		for (int r = 0; r < np; r++) {
			for (int i = 0; i < np; i++)
				there[r] += node[i] == node[r];
			alone += there[r] == 1;
		}
		for (int r = 0; r < np; r++) {
			assert_in_range(partner[r], 0, np - 1);
			assert_int_not_equal(partner[r], r);
			assert_int_equal(holds[partner[r]]++, 0);
			if (there[r] > 1 && alone != 1)
				assert_int_equal(node[partner[r]], node[r]);
			if (there[r] > 1 && there[r] % 2 == 0 && alone != 1)
				assert_int_equal(partner[partner[r]], r);
		}
	}
}

/* The layout of the data-flow-rollback paper's Fig. 4. */
static void partners_of_the_paper(void **state)
{
	const int node[] = { 0, 0, 1, 1, 2, 2, 3, 3 }, expected[] = { 1, 0, 3, 2, 5, 4, 7, 6 };
	int partner[8];

	(void)state;
	assert_int_equal(levels_near(8, node, partner), RB_OK);
	assert_memory_equal(partner, expected, sizeof expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_losses_up_to_m_are_recovered),
		cmocka_unit_test(long_chunks_are_recovered),
		cmocka_unit_test(layout_is_a_permutation),
		cmocka_unit_test(levels_are_read),
		cmocka_unit_test(copies_lie_on_other_nodes),
		cmocka_unit_test(partners_nearby),
		cmocka_unit_test(partners_of_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
