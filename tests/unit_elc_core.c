/* Event-logging checkpoints: the paper's figures by hand, both forms of the logs, the commit. */
#include "elc/core/crc.h"
#include "elc/core/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum elc_form forms[] = { ELC_LIST, ELC_COUNTED };

/* A closed log of these tags on communicator 0. */
static struct elc_set set_of(enum elc_form form, const char *tags)
{
	struct elc_log log;
	struct elc_set set;

	elc_log_init(&log, form);
	for (; *tags; tags++)
		assert_int_equal(elc_log_add(&log, elc_key_of(0, *tags)), 0);
	assert_int_equal(elc_log_close(&log, &set), 0);
	elc_log_free(&log);
	return set;
}

/* Does the set have these tags, and no others? */
static void check_set(const struct elc_set *set, const char *tags)
{
	assert_int_equal(elc_set_total(set), strlen(tags));
	for (const char *t = tags; *t; t++) {
		int64_t n = 0;

		for (const char *u = tags; *u; u++)
			n += *u == *t;
		assert_int_equal(elc_set_count(set, elc_key_of(0, *t)), n);
	}
}

/* Logs of three intervals of p and q, each message a letter, and what crosses each line. */
static void identified_by_hand(void **state)
{
	static const struct {
		const char *send, *received, *transit, *orphan;
	} steps[] = {
		/* Fig. 1: sent before p's checkpoint, received after q's */
		{ "a", "", "a", "" },
		{ "", "a", "", "" },
		/* Fig. 2: received before q's checkpoint, sent after p's */
		{ "", "b", "", "b" },
		{ "b", "", "", "" },
		{ "1", "2", "1", "2" }, /* Fig. 3: M1, marker, M2; M2 overtakes both */
		{ "2", "1", "", "" },
		{ "xxxy", "xx", "xy", "" }, /* Fig. 4: intra, and in transit */
		{ "x", "xyxz", "", "z" },   /* the old ones arrive; intra; an orphan */
		{ "zz", "z", "", "" },
		{ "old", "", "old", "" }, /* Sect. 3.5: over several lines */
		{ "new", "ew", "oldn", "" },
		{ "", "dn", "ol", "" },
		{ "", "lo", "", "" },
	};

	(void)state;
	for (int f = 0; f < 2; f++) {
		struct elc_set transit, orphan;

		elc_set_init(&transit, forms[f]);
		elc_set_init(&orphan, forms[f]);
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
			struct elc_set send = set_of(forms[f], steps[i].send),
				       received = set_of(forms[f], steps[i].received);

			assert_int_equal(elc_identify(&send, &received, &transit, &orphan), 0);
			check_set(&transit, steps[i].transit);
			check_set(&orphan, steps[i].orphan);
		}
		elc_set_free(&transit);
		elc_set_free(&orphan);
	}
}

/* In a list the older messages come first. */
static void a_list_keeps_the_order(void **state)
{
	struct elc_set transit = set_of(ELC_LIST, "ab"), orphan = set_of(ELC_LIST, ""),
		       send = set_of(ELC_LIST, "acba"), received = set_of(ELC_LIST, "ca");
	/* of "ab" + "acba" without the first a and the c: b, then a, b, a */
	static const char expected[] = "baba";

	(void)state;
	assert_int_equal(elc_identify(&send, &received, &transit, &orphan), 0);
	assert_int_equal(transit.n, strlen(expected));
	for (size_t i = 0; i < transit.n; i++)
		assert_int_equal(elc_key_tag(transit.entry[i].key), expected[i]);
	elc_set_free(&transit);
	elc_set_free(&orphan);
}

enum { MANY = 200000 };

/* An order of chance, the same each time. */
static uint64_t drawn(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*seed >> 33) % below;
}

/* More envelopes than one table has (elc/core/identify.c): both forms must say the same, and a
 * search for each event would take hours. */
static void many_envelopes_are_identified_as_in_counted_form(void **state)
{
	static const uint64_t kinds[] = { 4000, 5000, 60000, UINT64_C(1) << 40 };

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct elc_set set[2][4]; /* per form: send, received, transit, orphan */
		uint64_t seed = k;

		for (int f = 0; f < 2; f++)
			for (int s = 0; s < 4; s++)
				elc_set_init(&set[f][s], forms[f]);
		for (int s = 0; s < 2; s++) {
			struct elc_log log[2] = { { .form = forms[0] }, { .form = forms[1] } };

			for (int i = 0; i < MANY; i++) {
				const elc_key key = drawn(&seed, kinds[k]) * UINT64_C(0x100000001);

				for (int f = 0; f < 2; f++)
					assert_int_equal(elc_log_add(&log[f], key), 0);
			}
			for (int f = 0; f < 2; f++) {
				assert_int_equal(elc_log_close(&log[f], &set[f][s]), 0);
				elc_log_free(&log[f]);
			}
		}
		for (int f = 0; f < 2; f++)
			assert_int_equal(
				elc_identify(&set[f][0], &set[f][1], &set[f][2], &set[f][3]), 0);
		for (int s = 2; s < 4; s++) {
			assert_int_equal(elc_set_total(&set[0][s]), elc_set_total(&set[1][s]));
			assert_true(set[0][s].n > 1000);
			for (size_t i = 0; i < set[0][s].n; i++)
				assert_int_equal(
					elc_set_add(&set[1][s], set[0][s].entry[i].key, -1), 0);
			for (size_t i = 0; i < set[1][s].n; i++)
				assert_int_equal(set[1][s].entry[i].num, 0);
			elc_set_free(&set[0][s]);
			elc_set_free(&set[1][s]);
		}
	}
}

/* Different envelopes have different keys, also at the limits. */
static void keys_are_perfect(void **state)
{
	static const int tags[] = { 0, 1, 32767, 0x7fffffff };
	static const uint32_t comms[] = { 0, 1, 0xffffffff };

	(void)state;
	for (size_t c = 0; c < 3; c++)
		for (size_t t = 0; t < 4; t++) {
			assert_int_equal(elc_key_comm(elc_key_of(comms[c], tags[t])), comms[c]);
			assert_int_equal(elc_key_tag(elc_key_of(comms[c], tags[t])), tags[t]);
		}
}

static void a_counted_log_grows(void **state)
{
	struct elc_log log;
	struct elc_set set;

	(void)state;
	elc_log_init(&log, ELC_COUNTED);
	for (int round = 0; round < 2; round++) { /* closing empties it */
		for (int i = 0; i < 3000; i++)
			assert_int_equal(elc_log_add(&log, elc_key_of((uint32_t)(i % 7), i % 1000)),
					 0);
		assert_int_equal(elc_log_close(&log, &set), 0);
		assert_int_equal(set.n, 3000);
		assert_int_equal(elc_set_total(&set), 3000);
		for (size_t i = 1; i < set.n; i++)
			assert_true(set.entry[i - 1].key < set.entry[i].key);
		elc_set_free(&set);
	}
	for (int i = 0; i < 5000; i++)
		assert_int_equal(elc_log_add(&log, elc_key_of(3, 5)), 0);
	assert_int_equal(elc_log_close(&log, &set), 0);
	assert_int_equal(set.n, 1);
	assert_int_equal(set.entry[0].num, 5000);
	elc_set_free(&set);
	elc_log_free(&log);
}

static void checksum_is_that_of_the_standard(void **state)
{
	char text[100];

	(void)state;
	assert_int_equal(elc_crc(0, "123456789", 9), 0xcbf43926);
	memset(text, 'x', sizeof text);
	for (size_t k = 0; k <= sizeof text; k++) /* in two pieces, at any alignment */
		assert_int_equal(elc_crc(elc_crc(0, text, k), text + k, sizeof text - k),
				 elc_crc(0, text, sizeof text));
}

/* Process 0 of 2. It cuts, receives M before the request of process 1 is here, and only then learns
 * that M was in transit: ambiguity E-1 of the paper. */
static void a_payload_between_cut_and_request_is_kept(void **state)
{
	struct elc_process p;
	struct elc_set request = set_of(ELC_COUNTED, "M");
	const elc_key key = elc_key_of(0, 'M');
	uint64_t order;
	size_t bytes;
	void *part;

	(void)state;
	assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 0), 0);
	assert_false(elc_process_wants_copy(&p, 1, key, 0));
	assert_int_equal(elc_process_cut(&p), 0);
	assert_true(elc_process_wants_copy(&p, 1, key, 0));
	order = elc_process_order(&p);
	assert_int_equal(elc_process_receive(&p, 1, key, 0, order, strdup("payload"), 8), 0);
	assert_false(elc_process_ready(&p, NULL, 0));
	assert_int_equal(elc_process_on_request(&p, 1, 1, &request), 0);
	assert_false(elc_process_missing(&p, 1, 0));
	/* A receive that was posted before may get an earlier message of this envelope. */
	assert_false(
		elc_process_ready(&p, &(struct elc_pending){ order - 1, ELC_ANY, 0, ELC_ANY }, 1));
	assert_true(
		elc_process_ready(&p, &(struct elc_pending){ order - 1, ELC_ANY, 1, ELC_ANY }, 1));
	assert_true(elc_process_ready(&p, NULL, 0));
	part = elc_process_pack(&p, &bytes);
	assert_int_equal(elc_process_completed(&p), 0);
	elc_process_free(&p);

	assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 1), 0);
	assert_int_equal(elc_process_unpack(&p, part, bytes), 0);
	assert_int_equal(p.held.n, 1);
	assert_string_equal(elc_process_find(&p, ELC_ANY, 0, ELC_ANY)->data, "payload");
	assert_null(elc_process_find(&p, 0, 0, 'M'));
	assert_int_equal(elc_process_deliver(&p, p.held.m[0]), 0);
	elc_process_free(&p);
	/* Cut short anywhere, it is refused. */
	for (size_t n = 0; n < bytes; n++) {
		assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 1), 0);
		assert_int_equal(elc_process_unpack(&p, part, n), -2);
		elc_process_free(&p);
	}
	free(part);
}

/* Process 1 has sent M before the first line; process 0 receives it behind the third one. A restart
 * after the second line counts the lines before it. */
static void the_lines_of_a_message_in_transit_are_counted(void **state)
{
	struct elc_set request[2] = { set_of(ELC_COUNTED, "M"), set_of(ELC_COUNTED, "") };
	const elc_key key = elc_key_of(0, 'M');
	struct elc_process p;
	void *part = NULL;
	size_t bytes;

	(void)state;
	assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 0), 0);
	for (int line = 1; line <= 3; line++) {
		assert_int_equal(elc_process_cut(&p), 0);
		assert_int_equal(elc_process_on_request(&p, 1, line, &request[line > 1]), 0);
		if (line == 1)
			assert_int_equal(elc_process_take(&p, 1, key, 0, strdup("payload"), 8), 0);
		assert_true(elc_process_ready(&p, NULL, 0));
		free(part);
		part = elc_process_pack(&p, &bytes);
		assert_null(elc_process_kept_longer(&p, line));
		assert_non_null(elc_process_kept_longer(&p, line - 1));
		assert_int_equal(elc_process_completed(&p), 0);
		assert_int_equal(elc_process_commit(&p, line), 0);
		if (line != 2)
			continue;
		elc_process_free(&p);
		assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, line), 0);
		assert_int_equal(elc_process_unpack(&p, part, bytes), 0);
	}
	assert_int_equal(elc_process_deliver(&p, p.held.m[0]), 0);
	assert_int_equal(elc_process_cut(&p), 0);
	assert_int_equal(elc_process_on_request(&p, 1, 4, &request[1]), 0);
	assert_true(elc_process_ready(&p, NULL, 0));
	assert_null(elc_process_kept_longer(&p, 0));
	elc_process_free(&p);
	free(part);
}

/* Process 0 sends M between its cut and the request of process 1, where it is an orphan, and sends
 * it again after a restart. */
static void a_sender_that_does_not_repeat_itself_is_told_so(void **state)
{
	struct elc_process p;
	struct elc_set request = set_of(ELC_COUNTED, ""), orphan = set_of(ELC_COUNTED, "M"),
		       more = set_of(ELC_COUNTED, "MM");
	const elc_key key = elc_key_of(0, 'M');
	elc_key missing = 0;
	size_t bytes;
	void *part;

	(void)state;
	assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 0), 0);
	assert_false(elc_process_wants_sum(&p, 1, key));
	assert_int_equal(elc_process_cut(&p), 0);
	assert_true(elc_process_wants_sum(&p, 1, key));
	assert_int_equal(elc_process_send(&p, 1, key, 77, 4), ELC_SEND);
	assert_int_equal(elc_process_on_request(&p, 1, 1, &request), 0);
	assert_false(elc_process_wants_sum(&p, 1, key));
	assert_true(elc_process_ready(&p, NULL, 0));
	part = elc_process_pack(&p, &bytes);
	elc_process_free(&p);

	assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 1), 0);
	assert_int_equal(elc_process_unpack(&p, part, bytes), 0);
	assert_int_equal(elc_process_expect(&p, 1, &more, &missing), -2);
	assert_int_equal(missing, key);
	assert_int_equal(elc_process_expect(&p, 1, &orphan, &missing), 0);
	assert_true(elc_process_wants_sum(&p, 1, key));
	assert_int_equal(elc_process_send(&p, 1, key, 78, 4), ELC_DIFFERENT);
	assert_int_equal(elc_process_send(&p, 1, key, 77, 5), ELC_DIFFERENT);
	assert_int_equal(elc_process_send(&p, 1, key, 77, 4), ELC_SUPPRESS);
	assert_int_equal(elc_process_send(&p, 1, key, 78, 4), ELC_SEND); /* the next one is new */
	elc_process_free(&p);
	elc_set_free(&orphan);
	elc_set_free(&more);
	free(part);
}

/* The paper says that an orphan lasts for one line. After a restart process 0 may cut before it has
 * sent M again; then M is an orphan of the second line, too, and must be suppressed after the next
 * restart. */
static void an_orphan_may_outlast_a_line(void **state)
{
	struct elc_process p;
	struct elc_set request = set_of(ELC_COUNTED, ""), orphan = set_of(ELC_COUNTED, "M");
	const elc_key key = elc_key_of(0, 'M');
	elc_key missing = 0;
	size_t bytes;
	void *part = NULL;

	(void)state;
	for (int line = 0; line < 3; line++) {
		assert_int_equal(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, line), 0);
		if (part) {
			assert_int_equal(elc_process_unpack(&p, part, bytes), 0);
			assert_int_equal(elc_process_expect(&p, 1, &orphan, &missing), 0);
			free(part);
		}
		assert_int_equal(elc_process_cut(&p), 0);
		if (line == 0)
			assert_int_equal(elc_process_send(&p, 1, key, 77, 4), ELC_SEND);
		assert_int_equal(elc_process_on_request(&p, 1, line + 1, &request), 0);
		if (line == 2)
			assert_int_equal(elc_process_send(&p, 1, key, 77, 4), ELC_SUPPRESS);
		assert_true(elc_process_ready(&p, NULL, 0));
		part = elc_process_pack(&p, &bytes);
		elc_process_free(&p);
	}
	free(part);
	elc_set_free(&orphan);
}

/* Orphans of as many envelopes as messages, and of one: a search for each of them would compare 2 *
 * 10^10 times. They are sent again in another order than before; those of an envelope keep
 * theirs. */
static void many_orphans_are_matched(void **state)
{
	static const uint64_t kinds[] = { 1, 64, MANY };

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct elc_sums sums = { .sum = NULL };
		struct elc_set orphan;
		struct elc_log log;
		elc_key missing;

		elc_log_init(&log, ELC_COUNTED);
		for (uint64_t i = 0; i < MANY; i++) {
			const struct elc_sum sum = { i % kinds[k], (uint32_t)i, 0, i };

			assert_int_equal(elc_sums_add(&sums, sum), 0);
			assert_int_equal(i < MANY / 2 ? elc_log_add(&log, sum.key) : 0, 0);
		}
		assert_int_equal(elc_log_close(&log, &orphan), 0);
		assert_int_equal(elc_sums_keep(&sums, &orphan, &missing), 0);
		assert_int_equal(sums.left, MANY / 2);
		for (uint64_t key = kinds[k]; key-- > 0;)
			for (uint64_t i = key; i < MANY / 2; i += kinds[k]) {
				const struct elc_sum *next = elc_sums_next(&sums, key);

				assert_true(next && next->crc == i && next->bytes == i);
				elc_sums_done(&sums, next);
			}
		for (uint64_t key = 0; key < kinds[k]; key++)
			assert_null(elc_sums_next(&sums, key));
		assert_true(sums.left == 0 && !elc_sums_first(&sums));
		elc_log_free(&log);
		elc_set_free(&orphan);
		elc_sums_free(&sums);
	}
}

/* Events that the protocol cannot have are refused and change nothing. */
static void a_line_is_committed_in_two_phases(void **state)
{
	struct elc_line l;

	(void)state;
	assert_int_equal(elc_line_init(&l, 3, 0, 0), 0);
	assert_int_equal(elc_line_commit(&l, 1), -1);
	assert_int_equal(elc_line_request(&l, 1, 2), -1); /* not before line 1 */
	assert_int_equal(elc_line_request(&l, 1, 1), 0);
	assert_int_equal(elc_line_request(&l, 1, 1), -1); /* twice */
	assert_true(elc_line_due(&l));
	assert_int_equal(elc_line_cut(&l), 0);
	assert_int_equal(elc_line_cut(&l), -1);
	assert_int_equal(elc_line_completed(&l), -1); /* process 2 has not asked */
	assert_int_equal(elc_line_request(&l, 2, 1), 0);
	assert_int_equal(elc_line_completed(&l), 0);
	assert_int_equal(elc_line_report(&l, 0, 1), 0);
	assert_int_equal(elc_line_report(&l, 2, 1), 0);
	assert_int_equal(elc_line_report(&l, 2, 1), -1);
	assert_false(elc_line_all_reported(&l));
	assert_int_equal(elc_line_report(&l, 1, 1), 0);
	assert_true(elc_line_all_reported(&l));
	assert_int_equal(elc_line_request(&l, 2, 2), 0); /* early: process 2 knows of the commit */
	assert_false(elc_line_due(&l));
	assert_int_equal(elc_line_commit(&l, 1), 0);
	assert_true(elc_line_due(&l));
	assert_int_equal(elc_line_number(&l), 2);
	assert_true(elc_line_has_request(&l, 2));
	assert_false(elc_line_has_request(&l, 1));
	elc_line_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identified_by_hand),
		cmocka_unit_test(a_list_keeps_the_order),
		cmocka_unit_test(many_envelopes_are_identified_as_in_counted_form),
		cmocka_unit_test(keys_are_perfect),
		cmocka_unit_test(a_counted_log_grows),
		cmocka_unit_test(checksum_is_that_of_the_standard),
		cmocka_unit_test(a_payload_between_cut_and_request_is_kept),
		cmocka_unit_test(the_lines_of_a_message_in_transit_are_counted),
		cmocka_unit_test(a_sender_that_does_not_repeat_itself_is_told_so),
		cmocka_unit_test(an_orphan_may_outlast_a_line),
		cmocka_unit_test(many_orphans_are_matched),
		cmocka_unit_test(a_line_is_committed_in_two_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
