/* The policy budget:BYTES:online: the paper's Alg. 1, by hand and against a second program of it. */
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

/* As the logging port does it. */
static void send(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	if (p->ops->admits(p, l, dst, bytes))
		assert_int_equal(log_note(l, dst, 0, bytes), RB_OK);
	else
		assert_int_equal(log_skip(l, dst), RB_OK);
}

struct by_hand {
	int dst;
	size_t bytes;
};

/* Of role 0, as text: "12", after these messages. */
static void check_off(const char *text, const struct by_hand *list, size_t count, const char *expected, int64_t bytes)
{
	struct policy p = parse(text, 0);
	char off[NP + 1] = "";
	struct log l;

	assert_int_equal(log_init(&l, NP), RB_OK);
	log_begin(&l, 0);
	for (size_t i = 0; i < count; i++)
		send(&p, &l, list[i].dst, list[i].bytes);
	for (int d = 0; d < NP; d++)
		if (log_is_off(&l, d))
			off[strlen(off)] = (char)('0' + d);
	assert_string_equal(off, expected);
	assert_int_equal(l.bytes, bytes);
	log_free(&l);
}

#define CHECK_OFF(text, list, expected, bytes) check_off(text, list, sizeof list / sizeof *list, expected, bytes)

/* Alg. 1 looks at the log before a message is added, without it, and switches off one channel. */
static void it_differs_from_the_hard_cap(void **state)
{
	static const struct by_hand last[] = { { 1, 12 }, { 2, 8 }, { 3, 30 } };
	static const struct by_hand later[] = { { 1, 12 }, { 2, 8 }, { 3, 30 }, { 3, 1 } };
	static const struct by_hand first[] = { { 1, 30 }, { 2, 1 } };
	static const struct by_hand weight[] = { { 1, 10 }, { 2, 6 }, { 3, 6 }, { 2, 5 } };
	static const struct by_hand one[] = { { 1, 8 }, { 2, 7 }, { 3, 5 }, { 1, 1 }, { 4, 20 } };
	static const struct by_hand on_a_channel_that_is_off[] = { { 1, 12 }, { 2, 10 }, { 1, 1 }, { 3, 11 }, { 1, 1 } };
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
	/* The message counts where the hard cap chooses the heaviest, 10 or 11, and not in Alg. 1, 10 or 6. */
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

/* Alg. 1 by its own words: the volume of each channel is counted, logged or not, and a checkpoint turns all on again. */
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
	*x = (struct paper){ .size = 0 };
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

/* The log exceeds the cap by one message at most. */
static void it_is_the_papers(void **state)
{
	uint64_t draw = mix(3);
	int switched = 0;

	(void)state;
	for (int trial = 0; trial < 300; trial++) {
		struct policy p = parse("budget:3000:online", trial % NP);
		struct paper x = { .size = 0 };
		int64_t largest = 0, bytes;
		struct log l;
		int dst;

		assert_int_equal(log_init(&l, NP), RB_OK);
		for (int64_t i = 0; i < 30; i++) {
			log_begin(&l, i);
			for (uint64_t n = mix_draw(&draw) % 12; n > 0; n--) {
				draw_message(&draw, &dst, &bytes);
				largest = bytes > largest ? bytes : largest;
				send(&p, &l, dst, (size_t)bytes);
				paper_send(&x, p.amount, dst, bytes);
				assert_true(l.bytes <= p.amount + largest);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_differs_from_the_hard_cap),
		cmocka_unit_test(it_is_the_papers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
