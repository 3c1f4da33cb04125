/* Messages that receivers keep: the closure against a slow form of its definition, message by
 * message, and the log of a receiver against a list of what it was given, through commits, aborts,
 * rollbacks and checkpoints. */
#include "base/status.h"
#include "ft/log/crossing.h"
#include "ft/log/kept.h"
#include "ft/log/received.h"
#include "ft/recovery/closure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 5, ITERATIONS = 12, TRIES = 20000 };

/* Every message that was ever sent, and who has it. */
struct world {
	int64_t line[NP], front[NP], copies[NP]; /* copies: of a role that lives; 0: it has died */
	bool dead[NP];
	bool by_receiver[NP][NP]; /* source, receiver */
	/* kept: by the end that is to keep it */
	bool sent[NP][NP][ITERATIONS], kept[NP][NP][ITERATIONS];
	/* it can still send its last iteration to receivers that keep messages */
	bool again[NP];
};

static void draw(struct world *w)
{
	const int64_t line = rand() % 4;

	memset(w, 0, sizeof *w);
	for (int r = 0; r < NP; r++) {
		w->line[r] = line;
		w->front[r] = line + rand() % (ITERATIONS - 4 - line);
		w->dead[r] = rand() % 4 == 0;
		/* it may have gone back before */
		w->copies[r] = w->dead[r] ? 0 : w->front[r] + (rand() % 3 ? 0 : rand() % 4);
		w->again[r] = rand() % 4 > 0;
	}
	for (int s = 0; s < NP; s++)
		for (int d = 0; d < NP; d++) {
			const int often = 1 + rand() % 4, holes = 1 + rand() % 6;

			w->by_receiver[s][d] = rand() % 2;
			for (int64_t i = line; s != d && i < w->front[s]; i++) {
				w->sent[s][d][i] = rand() % often == 0;
				w->kept[s][d][i] = rand() % holes > 0;
			}
			/* The receiver has gone through these, so they were sent, at some time. */
			for (int64_t i = w->front[s]; s != d && i < w->copies[d]; i++)
				w->sent[s][d][i] = w->kept[s][d][i] = rand() % often == 0;
		}
}

/* Has anybody the message s -> d of iteration i: s in its log, d as a copy, s as a part of its last
 * iteration? */
static bool somebody_has(const struct world *w, int s, int d, int64_t i)
{
	if (!w->by_receiver[s][d])
		return w->kept[s][d][i];
	if (!w->dead[d] && i < w->copies[d])
		return w->kept[s][d][i];
	return w->again[s] && i == w->front[s] - 1;
}

/* The definition: repeat until nobody must go back. */
static void slow(const struct world *w, bool *back)
{
	bool changed = true;

	memcpy(back, w->dead, sizeof w->dead);
	while (changed) {
		changed = false;
		for (int s = 0; s < NP; s++)
			for (int d = 0; d < NP && !back[s]; d++) {
				const int64_t from = back[d] ? w->line[d] : w->front[d];

				for (int64_t i = from; s != d && i < w->front[s]; i++)
					if (w->sent[s][d][i] && !somebody_has(w, s, d, i))
						changed = back[s] = true;
			}
	}
}

/* What each end would report in a repair (ft/recovery/extent.c). */
static size_t report(const struct world *w, struct channel *out)
{
	size_t count = 0;

	for (int s = 0; s < NP; s++)
		for (int d = 0; d < NP; d++) {
			const bool copied = w->by_receiver[s][d];
			int64_t sent = -1, received = -1;

			for (int64_t i = 0; i < ITERATIONS; i++) {
				if (!w->sent[s][d][i])
					continue;
				if (i < w->front[s] && (copied || !w->kept[s][d][i]))
					sent = i;
				if (copied && i < w->copies[d] && !w->kept[s][d][i])
					received = i;
			}
			if (copied && w->again[s])
				sent = kept_hole(sent, w->front[s]);
			if (!w->dead[s])
				out[count++] = (struct channel){ s, d, sent, copied };
			if (!w->dead[d])
				out[count++] = (struct channel){ s, d, received, 0 };
		}
	return count;
}

/* kept_hole() takes the iteration before the last one for a hole, so the set may be larger than the
 * definition asks for where a channel has no message there. It must never be smaller. */
static void the_closure_is_its_definition(void **state)
{
	struct channel list[2 * NP * NP];
	int larger = 0, mixed = 0;

	(void)state;
	srand(18);
	for (int t = 0; t < TRIES; t++) {
		struct world w;
		struct channels c;
		bool back[NP], wanted[NP], same = true;
		int chain, rolled = 0;

		draw(&w);
		slow(&w, wanted);
		memcpy(back, w.dead, sizeof back);
		assert_int_equal(
			channels_build(&c, NP, w.line[0], report(&w, list), channel_in_list, list),
			RB_OK);
		c.copies = w.copies;
		assert_int_equal(closure(&c, w.line, w.front, w.front, back, &chain), RB_OK);
		channels_free(&c);
		for (int r = 0; r < NP; r++) {
			assert_true(back[r] || !wanted[r]);
			same = same && back[r] == wanted[r];
			rolled += back[r];
		}
		larger += !same;
		mixed += rolled > 0 && rolled < NP;
	}
	assert_in_range(mixed, TRIES / 4, TRIES); /* the cases are not all trivial */
	assert_in_range(larger, 0, TRIES / 10);
}

/* A receiver that lives reads its own copies; one that has died has none. */
static void death_makes_the_difference(void **state)
{
	const struct channel list[] = { { 0, 1, 9, 1 }, { 1, 2, 9, 1 }, { 2, 3, 9, 1 } };
	const int64_t line[NP] = { 5, 5, 5, 5, 5 }, front[NP] = { 10, 10, 10, 10, 10 };
	int64_t copies[NP] = { 10, 10, 10, 0, 10 };
	bool back[NP] = { [3] = true };
	struct channels c;
	int chain;

	(void)state;
	assert_int_equal(channels_build(&c, NP, 5, 3, channel_in_list, list), RB_OK);
	c.copies = copies;
	assert_int_equal(closure(&c, line, front, front, back, &chain), RB_OK);
	/* 2 sent to the dead role; what 2 received itself, it has */
	assert_true(back[2] && back[3]);
	assert_false(back[0] || back[1] || back[4]);
	assert_int_equal(chain, 1);
	copies[2] = 9; /* it lacks the last message */
	memset(back, 0, sizeof back);
	back[3] = true;
	assert_int_equal(closure(&c, line, front, front, back, &chain), RB_OK);
	assert_true(back[1] && !back[0]);
	assert_int_equal(chain, 2);
	c.copies = NULL; /* nobody keeps anything: everybody whose message is lost goes back */
	memset(back, 0, sizeof back);
	back[3] = true;
	assert_int_equal(closure(&c, line, front, front, back, &chain), RB_OK);
	assert_true(back[0] && back[1] && back[2]);
	assert_int_equal(chain, 3);
	channels_free(&c);
}

enum { MESSAGES = 4, TAG = 7 };

/* Message k of an iteration is always the same. The last one often comes from where the first one
 * of the next iteration does. */
static int source_of(int64_t iter, int k)
{
	return (int)((iter / 4 + k % 3 * 3) % NP);
}

static unsigned char byte_of(int64_t iter, int k)
{
	return (unsigned char)(iter * 31 + k);
}

static size_t bytes_of(int64_t iter, int k)
{
	return (size_t)((iter * 5 + k) % 90);
}

static bool is_kept(int64_t iter, int k)
{
	return (iter + k) % 5 > 0;
}

/* Go through the first `count` messages of an iteration, and look at those that are there. Returns
 * how many were. */
static int go_through(struct received *r, int64_t iter, int count)
{
	int found = 0;

	received_begin(r, iter);
	for (int k = 0; k < count; k++) {
		const int source = source_of(iter, k);

		if (r->repeats) {
			const struct log_entry *e = received_again(r, source, TAG);

			assert_true((e != NULL) == is_kept(iter, k));
			if (!e)
				continue;
			found++;
			assert_int_equal(e->bytes, bytes_of(iter, k));
			for (size_t b = 0; b < e->bytes; b++)
				assert_int_equal(((unsigned char *)e->payload)[b],
						 byte_of(iter, k));
		} else if (is_kept(iter, k)) {
			memset(log_append(&r->log, source, TAG, bytes_of(iter, k)),
			       byte_of(iter, k), bytes_of(iter, k));
		} else {
			assert_int_equal(log_skip(&r->log, source), RB_OK);
		}
	}
	return found;
}

static int64_t newest_hole(int64_t since, int64_t until, int source)
{
	int64_t hole = since - 1;

	for (int64_t i = since; i < until; i++)
		for (int k = 0; k < MESSAGES; k++)
			if (source_of(i, k) == source && !is_kept(i, k))
				hole = i;
	return hole;
}

/* A role that takes checkpoints every ten iterations, which count some iterations later, and that
 * fails now and then: it keeps its state, or rolls back, and then the checkpoint under way is taken
 * again. */
static void copies_outlive_rollbacks(void **state)
{
	int again = 0;

	(void)state;
	srand(7);
	for (int life = 0; life < 200; life++) {
		struct received r;
		int64_t line = 0, mark = -1, front = 0, most = 0;

		assert_int_equal(received_init(&r, NP), RB_OK);
		for (int step = 0; step < 150; step++) {
			if (front % 10 == 0 && front > line && mark != front) {
				received_mark(&r, front);
				mark = front;
			}
			if (mark >= 0 && (rand() % 4 == 0 || front == mark + 9)) {
				assert_int_equal(received_trim(&r, mark), RB_OK);
				line = mark;
				mark = -1;
			}
			if (rand() % 12 == 0) { /* a failure in the middle of an iteration */
				go_through(&r, front, rand() % MESSAGES);
				received_abort(&r);
				/* roll back; the checkpoint under way may turn out to count */
				if (rand() % 2) {
					line = mark >= 0 && rand() % 3 == 0 ? mark : line;
					assert_int_equal(received_roll_back(&r, line), RB_OK);
					front = line;
					mark = -1;
				}
				continue;
			}
			again += go_through(&r, front, MESSAGES);
			received_commit(&r);
			front++;
			most = front > most ? front : most;
			assert_int_equal(r.until, most);
			for (int s = 0; s < NP; s++)
				assert_int_equal(log_hole(&r.log, s),
						 newest_hole(r.log.since, most, s));
		}
		assert_int_equal(r.log.since, line);
		received_free(&r);
	}
	assert_in_range(again, 1000, INT32_MAX);
}

/* A replacement has nothing, and neither has a role that goes back beyond what it has. */
static void an_older_checkpoint_leaves_nothing(void **state)
{
	struct received r;

	(void)state;
	assert_int_equal(received_init(&r, NP), RB_OK);
	assert_int_equal(received_roll_back(&r, 20), RB_OK);
	assert_int_equal(r.until, 20);
	for (int64_t i = 20; i < 33; i++) {
		if (i == 30)
			received_mark(&r, 30);
		go_through(&r, i, MESSAGES);
		received_commit(&r);
	}
	assert_int_equal(received_trim(&r, 30), RB_OK);
	assert_int_equal(r.until, 33);
	assert_int_equal(received_roll_back(&r, 30), RB_OK);
	assert_int_equal(r.until, 33);
	assert_true(go_through(&r, 30, MESSAGES) > 0);
	assert_int_equal(received_roll_back(&r, 10), RB_OK);
	assert_int_equal(r.until, 10);
	assert_int_equal(r.log.count, 0);
	received_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_closure_is_its_definition),
		cmocka_unit_test(death_makes_the_difference),
		cmocka_unit_test(copies_outlive_rollbacks),
		cmocka_unit_test(an_older_checkpoint_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
