/* The policies budget:BYTES:online and budget:BYTES:online:kept: the paper's Alg. 1, by hand and
 * against a second program of it. */
#include "base/mix.h"
#include "base/status.h"
#include "ft/log/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 8 };

static struct policy parse(const char *text, int role)
{
	struct rb_error err;
	struct policy p;

	assert_int_equal(policy_parse(&p, text, &err), RB_OK);
	p.role = role;
	p.np = NP;
	return p;
}

static void start(struct log *l, const struct policy *p)
{
	assert_int_equal(log_init(l, NP), RB_OK);
	l->keeps = p->kept;
}

/* As the logging port does it. */
static void send(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	if (p->ops->admits(p, l, dst, bytes))
		assert_int_equal(log_note(l, dst, 0, bytes), RB_OK);
	else
		assert_int_equal(log_skip(l, dst), RB_OK);
}

enum { CHECKPOINT = -1 };

struct by_hand {
	int dst; /* or CHECKPOINT */
	size_t bytes;
};

/* Of role 0, as text: "12", after these messages. */
static void check_off(const char *text, const struct by_hand *list, size_t count,
		      const char *expected, int64_t bytes)
{
	struct policy p = parse(text, 0);
	char off[NP + 1] = "";
	struct log l;
	int64_t iter = 0;

	start(&l, &p);
	log_begin(&l, iter);
	for (size_t i = 0; i < count; i++) {
		if (list[i].dst == CHECKPOINT) {
			log_commit(&l);
			log_restart(&l, ++iter);
		} else {
			send(&p, &l, list[i].dst, list[i].bytes);
		}
	}
	for (int d = 0; d < NP; d++)
		if (log_is_off(&l, d))
			off[strlen(off)] = (char)('0' + d);
	assert_string_equal(off, expected);
	assert_int_equal(l.bytes, bytes);
	log_free(&l);
}

#define CHECK_OFF(text, list, expected, bytes) \
	check_off(text, list, sizeof list / sizeof *list, expected, bytes)

/* Alg. 1 looks at the log before a message is added, without it, and switches off one channel. */
static void it_differs_from_the_hard_cap(void **state)
{
	static const struct by_hand last[] = { { 1, 12 }, { 2, 8 }, { 3, 30 } };
	static const struct by_hand later[] = { { 1, 12 }, { 2, 8 }, { 3, 30 }, { 3, 1 } };
	static const struct by_hand first[] = { { 1, 30 }, { 2, 1 } };
	static const struct by_hand weight[] = { { 1, 10 }, { 2, 6 }, { 3, 6 }, { 2, 5 } };
	static const struct by_hand one[] = { { 1, 8 }, { 2, 7 }, { 3, 5 }, { 1, 1 }, { 4, 20 } };
	static const struct by_hand on_a_channel_that_is_off[] = {
		{ 1, 12 }, { 2, 10 }, { 1, 1 }, { 3, 11 }, { 1, 1 }
	};
	static const struct by_hand full[] = { { 1, 10 }, { 2, 10 }, { 3, 1 } };
	static const struct by_hand tie[] = { { 3, 11 }, { 2, 11 }, { 4, 1 } };

	(void)state;
	/* The message that exceeds the cap is logged; nothing is tested behind the last one. */
	CHECK_OFF("budget:20", last, "3", 20);
	CHECK_OFF("budget:20:online", last, "", 50);
	CHECK_OFF("budget:20:online", later, "3", 20);
	/* One message that is larger than the cap. */
	CHECK_OFF("budget:20", first, "1", 1);
	CHECK_OFF("budget:20:online", first, "1", 1);
	/* The message counts where the hard cap chooses the heaviest, 10 or 11, and not in Alg. 1,
	 * 10 or 6. */
	CHECK_OFF("budget:22", weight, "2", 16);
	CHECK_OFF("budget:21:online", weight, "1", 17);
	/* As many channels as it takes, or one. */
	CHECK_OFF("budget:20", one, "14", 12);
	CHECK_OFF("budget:20:online", one, "1", 32);
	/* A message on a channel that is off is a send, too, before which the log is tested. */
	CHECK_OFF("budget:20", on_a_channel_that_is_off, "13", 10);
	CHECK_OFF("budget:20:online", on_a_channel_that_is_off, "13", 10);
	CHECK_OFF("budget:20:online", tie, "2", 12);
	/* A log that is just full is not larger than the cap. */
	CHECK_OFF("budget:20", full, "1", 11);
	CHECK_OFF("budget:20:online", full, "", 21);
}

/* Line 29: what is off stays off, and the volume is that of the whole run. */
static void its_status_outlives_a_checkpoint(void **state)
{
	static const struct by_hand off[] = {
		{ 1, 30 }, { 2, 1 }, { CHECKPOINT, 0 }, { 1, 5 }, { 2, 1 }
	};
	static const struct by_hand volume[] = { { 1, 15 }, { 2, 3 }, { CHECKPOINT, 0 }, { 1, 2 },
						 { 2, 10 }, { 3, 9 }, { 3, 1 } };
	static const struct by_hand nothing_in_it[] = { { 1, 20 }, { CHECKPOINT, 0 }, { 2, 12 },
							{ 3, 12 }, { 2, 1 },          { 2, 1 } };

	(void)state;
	CHECK_OFF("budget:20:online", off, "", 6);
	CHECK_OFF("budget:20:online:kept", off, "1", 1);
	/* Channel 1 has 17 bytes in all and 2 in this interval, channel 2 has 13 and 10. */
	CHECK_OFF("budget:20:online", volume, "2", 12);
	CHECK_OFF("budget:20:online:kept", volume, "1", 20);
	/* A channel is switched off that has nothing in the log, and the log is still larger than
	 * the cap. */
	CHECK_OFF("budget:20:online", nothing_in_it, "2", 12);
	CHECK_OFF("budget:20:online:kept", nothing_in_it, "12", 12);
}

/* Alg. 1 by its own words: the volume of each channel is counted, logged or not. What a checkpoint
 * resets is the variant. */
struct paper {
	int64_t volume[NP], log[NP], size;
	bool off[NP];
};

static void paper_send(struct paper *x, int64_t cap, int dst, int64_t bytes)
{
	int most = -1;

	if (x->size > cap) {
		for (int d = 0; d < NP; d++)
			if (!x->off[d] && (most < 0 || x->volume[d] > x->volume[most]))
				most = d;
		assert_true(most >= 0);
		x->off[most] = true;
		x->size -= x->log[most];
		x->log[most] = 0;
	}
	x->volume[dst] += bytes;
	if (!x->off[dst]) {
		x->log[dst] += bytes;
		x->size += bytes;
	}
}

/* A checkpoint was taken, and the iterations before it count no more. */
static void begin_interval(struct log *l, struct paper *x, int64_t iter)
{
	log_restart(l, iter);
	if (l->keeps) {
		x->size = 0;
		memset(x->log, 0, sizeof x->log);
	} else {
		*x = (struct paper){ .size = 0 };
	}
}

static void check_same(const struct log *l, const struct paper *x, int *switched)
{
	for (int d = 0; d < NP; d++) {
		assert_int_equal(log_is_off(l, d), x->off[d]);
		assert_int_equal(log_held(l, d), x->log[d]);
		*switched += x->off[d];
	}
	assert_int_equal(l->bytes, x->size);
}

/* Some channels are heavier than others, and some messages are larger than the cap. */
static void draw_message(uint64_t *draw, int *dst, int64_t *bytes)
{
	*dst = (int)(mix_draw(draw) % (mix_draw(draw) % 3 ? 3 : NP));
	*bytes = (int64_t)(mix_draw(draw) % (mix_draw(draw) % 20 ? 300 : 5000));
}

/* Without :kept the log exceeds the cap by one message at most. */
static void it_is_the_papers(void **state)
{
	uint64_t draw = mix(3);
	int switched = 0;

	(void)state;
	for (int trial = 0; trial < 300; trial++) {
		struct policy p = parse(
			trial % 2 ? "budget:3000:online:kept" : "budget:3000:online", trial % NP);
		struct paper x = { .size = 0 };
		int64_t largest = 0, bytes;
		struct log l;
		int dst;

		start(&l, &p);
		for (int64_t i = 0; i < 30; i++) {
			log_begin(&l, i);
			for (uint64_t n = mix_draw(&draw) % 12; n > 0; n--) {
				draw_message(&draw, &dst, &bytes);
				largest = bytes > largest ? bytes : largest;
				send(&p, &l, dst, (size_t)bytes);
				paper_send(&x, p.amount, dst, bytes);
				assert_true(p.kept || l.bytes <= p.amount + largest);
			}
			log_commit(&l);
			check_same(&l, &x, &switched);
			if (mix_draw(&draw) % 12 == 0)
				begin_interval(&l, &x, i + 1);
		}
		log_free(&l);
	}
	assert_true(switched > 1000);
}

enum { LENGTH = 10, INTERVALS = 4, MESSAGES = 9 }; /* of a run */

struct sends {
	int dst[LENGTH * INTERVALS][MESSAGES];
	int64_t bytes[LENGTH * INTERVALS][MESSAGES];
};

static void iterate(const struct policy *p, struct log *l, const struct sends *x, int64_t i,
		    int messages)
{
	log_begin(l, i);
	for (int k = 0; k < messages; k++)
		send(p, l, x->dst[i][k], (size_t)x->bytes[i][k]);
}

/* A second image of the status of checkpoint c, as it would go into a file. */
struct stored_status {
	struct log_status list[NP];
	size_t count;
};

static void take_checkpoint(struct log *l, struct stored_status *to, int64_t c, bool later)
{
	to->count = log_statuses(l);
	assert_true(to->count <= NP);
	log_get_status(l, to->list);
	log_mark(l, c);
	if (!later)
		assert_int_equal(log_trim(l, c), RB_OK);
}

/* Channels that are off, and the volumes of the others. */
static void check_status(const struct log *a, const struct log *b)
{
	for (int d = 0; d < NP; d++) {
		const struct log_channel *x = log_channels_find(&a->channels, d),
					 *y = log_channels_find(&b->channels, d);

		assert_int_equal(x ? x->off : 0, y ? y->off : 0);
		if (!x || !x->off)
			assert_int_equal(x ? x->sent : 0, y ? y->sent : 0);
	}
}

/* A role that goes back, one that is replaced, and one whose iteration is broken off, end as one
 * that nothing happened to. */
static void a_restored_role_has_the_status_of_its_line(void **state)
{
	uint64_t draw = mix(5);
	int off = 0;

	(void)state;
	for (int trial = 0; trial < 400; trial++) {
		struct policy p = parse("budget:900:online:kept", 0);
		struct log smooth, rough;
		struct stored_status stored[INTERVALS], own;
		struct sends x;
		int failures = 3;

		for (int i = 0; i < LENGTH * INTERVALS; i++)
			for (int k = 0; k < MESSAGES; k++)
				draw_message(&draw, &x.dst[i][k], &x.bytes[i][k]);
		start(&smooth, &p);
		start(&rough, &p);
		for (int64_t i = 0; i < LENGTH * INTERVALS; i++) {
			if (i > 0 && i % LENGTH == 0)
				take_checkpoint(&smooth, &own, i, false);
			iterate(&p, &smooth, &x, i, MESSAGES);
			log_commit(&smooth);
		}
		for (int64_t i = 0; i < LENGTH * INTERVALS; i++) {
			const int64_t line = i / LENGTH * LENGTH;

			if (i > 0 && i == line)
				take_checkpoint(&rough, &stored[i / LENGTH], i, false);
			if (failures > 0 && mix_draw(&draw) % 10 == 0) {
				const struct stored_status *s = &stored[i / LENGTH];

				failures--;
				iterate(&p, &rough, &x, i, MESSAGES / 2);
				log_abort(&rough);
				if (mix_draw(&draw) % 3 == 0) { /* its process is another one */
					log_free(&rough);
					start(&rough, &p);
				}
				if (mix_draw(&draw) % 3 > 0 || rough.channels.count == 0) {
					log_restart(&rough, line);
					if (line > 0)
						assert_int_equal(
							log_set_status(&rough, s->list, s->count),
							RB_OK);
					i = line;
				}
			}
			iterate(&p, &rough, &x, i, MESSAGES);
			log_commit(&rough);
		}
		check_status(&smooth, &rough);
		assert_int_equal(smooth.bytes, rough.bytes);
		for (int d = 0; d < NP; d++) {
			off += log_is_off(&rough, d);
			assert_int_equal(log_hole(&smooth, d), log_hole(&rough, d));
		}
		log_free(&smooth);
		log_free(&rough);
	}
	assert_true(off > 400);
}

/* A checkpoint that does not count yet has its own status, and what is switched off behind it is
 * not in it. */
static void a_checkpoint_under_way_has_its_own_status(void **state)
{
	struct policy p = parse("budget:20:online:kept", 0);
	struct stored_status stored;
	struct log l;

	(void)state;
	start(&l, &p);
	log_begin(&l, 0);
	send(&p, &l, 1, 30);
	send(&p, &l, 2, 7);
	log_commit(&l);
	take_checkpoint(&l, &stored, 1, true);
	log_begin(&l, 1);
	send(&p, &l, 3, 40);
	send(&p, &l, 2, 1);
	log_commit(&l);
	assert_true(log_is_off(&l, 1) && log_is_off(&l, 3) && !log_is_off(&l, 2));
	assert_int_equal(log_trim(&l, 1), RB_OK);
	assert_true(log_is_off(&l, 1) && log_is_off(&l, 3) && !log_is_off(&l, 2));
	log_restart(&l, 1);
	assert_int_equal(log_set_status(&l, stored.list, stored.count), RB_OK);
	assert_true(log_is_off(&l, 1) && !log_is_off(&l, 3) && !log_is_off(&l, 2));
	assert_int_equal(log_channels_find(&l.channels, 2)->sent, 7);
	assert_int_equal(log_channels_find(&l.channels, 3)->sent, 0);
	assert_int_equal(log_hole(&l, 1), 0);
	log_free(&l);
}

static void the_initial_state_has_all_on(void **state)
{
	struct policy p = parse("budget:20:online:kept", 0);
	struct log l;

	(void)state;
	start(&l, &p);
	log_begin(&l, 0);
	send(&p, &l, 1, 30);
	send(&p, &l, 2, 7);
	log_commit(&l);
	log_restart(&l, 1);
	assert_true(log_is_off(&l, 1) && log_channels_find(&l.channels, 2)->sent == 7);
	log_restart(&l, 0);
	assert_true(!log_is_off(&l, 1) && log_channels_find(&l.channels, 2)->sent == 0);
	log_free(&l);
}

static void a_status_that_cannot_be_is_refused(void **state)
{
	static const struct log_status bad[] = { { NP, 1, 0 }, { -1, 1, 0 }, { 1, 0, -1 } };
	struct policy p = parse("budget:20:online:kept", 0), resets = parse("budget:20:online", 0);
	struct log l;

	(void)state;
	start(&l, &p);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(log_set_status(&l, &bad[i], 1), RB_ECORRUPT);
	log_free(&l);
	start(&l, &resets);
	send(&resets, &l, 1, 3);
	assert_int_equal(log_statuses(&l), 0);
	log_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_status_outlives_a_checkpoint),
		cmocka_unit_test(a_restored_role_has_the_status_of_its_line),
		cmocka_unit_test(a_checkpoint_under_way_has_its_own_status),
		cmocka_unit_test(the_initial_state_has_all_on),
		cmocka_unit_test(a_status_that_cannot_be_is_refused),
		cmocka_unit_test(it_differs_from_the_hard_cap),
		cmocka_unit_test(it_is_the_papers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
