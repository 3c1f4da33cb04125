/* Random programs under random schedules, with crashes, against an observer who knows every
 * message, with each protocol. */
#include "tests/elc_play.h"

#include <stdio.h>

/* ---- the protocol ---- */

/* Must a message of this process be taken from the network: one in transit, or one in front of a
 * marker? */
static bool missing(const struct play *w, int from, int to, uint32_t comm)
{
	const struct elc_process *e = &w->player[to].e;

	return elc_process_missing(e, from, comm) ||
	       (e->line.phase == ELC_CUT && w->waiting[from][to] &&
		elc_markers_to_come(e, from, comm, &w->waiting[from][to]->set) > 0);
}

static void take(struct play *w, int from, int to, uint32_t comm)
{
	while (!w->reads && missing(w, from, to, comm)) {
		const int i = unexpected(w, to, &(struct elc_pending){ 0, from, comm, ELC_ANY });
		struct message *m = &w->net[i];

		if (i < 0)
			return;
		m->gone = true;
		assert_int_equal(elc_process_take(&w->player[to].e, from, m->key, m->stamp,
						  copy_of(m->id), sizeof(int64_t)),
				 0);
		place_marker(w, from, to);
	}
}

static void progress(struct play *w, int me)
{
	struct player *p = &w->player[me];
	struct elc_pending pending[SLOTS];
	size_t n = 0;

	for (int r = 0; r < w->np; r++)
		for (uint32_t comm = 0; comm < COMMS; comm++)
			take(w, r, me, comm);
	for (int s = 0; s < SLOTS; s++)
		if (p->slot[s].active && !p->slot[s].done && !w->reads)
			pending[n++] = p->slot[s].want;
	if (!elc_process_ready(&p->e, pending, n)) {
		w->unordered = w->unordered || p->e.unordered >= 0;
		return;
	}
	free(p->part);
	p->part = elc_process_pack(&p->e, &p->bytes);
	assert_non_null(p->part);
	assert_int_equal(elc_process_completed(&p->e), 0);
	tell(w, COMPLETE, me, 0, elc_line_number(&p->e.line), NULL);
}

/* The observer: what of this envelope crosses the line that was just completed, and what do the
 * parts say? */
static void check_channel(struct play *w, const struct elc_process *part, int from, int to, int k)
{
	const elc_key key = elc_key_of((uint32_t)(k / TAGS), k % TAGS);
	const int64_t sent = w->player[from].cut.sent[to][k],
		      got = w->player[to].cut.received[from][k];
	int64_t next = got;

	for (size_t i = 0; i < part->held.n; i++)
		if (part->held.m[i]->peer == from && part->held.m[i]->key == key)
			assert_int_equal(*(int64_t *)part->held.m[i]->data, next++);
	assert_int_equal(next, sent > got ? sent : got);
	if (w->protocol->envelopes)
		assert_int_equal(elc_set_count(&part->with[from].transit, key),
				 sent > got ? sent - got : 0);
	assert_int_equal(elc_set_count(&part->with[from].orphan, key), got > sent ? got - sent : 0);
	w->transits += sent > got ? sent - got : 0;
	w->orphans += got > sent ? got - sent : 0;
	/* Sent before the line before this one. */
	w->crossed += w->image[from].program.sent[to][k] > got;
}

static void check_line(struct play *w)
{
	for (int to = 0; to < w->np; to++) {
		struct elc_process part;

		assert_int_equal(elc_process_init(&part, w->np, to, w->protocol, w->form, w->line),
				 0);
		for (int g = 0; g < GROUPS; g++)
			assert_true(!w->member[g][to] ||
				    elc_process_communicator(&part, comm_of_group(g), &to, 1));
		assert_int_equal(elc_process_unpack(&part, w->player[to].part, w->player[to].bytes),
				 0);
		for (int from = 0; from < w->np; from++)
			for (int k = 0; k < KEYS; k++)
				check_channel(w, &part, from, to, k);
		for (int g = 0; g < GROUPS; g++)
			if (w->member[g][to])
				check_results(w, &part, to, g);
		elc_process_free(&part);
	}
}

static void commit(struct play *w)
{
	check_line(w);
	w->line++;
	w->lines++;
	for (int r = 0; r < w->np; r++) {
		free(w->image[r].part);
		w->image[r] =
			(struct image){ w->player[r].cut, w->player[r].part, w->player[r].bytes };
		w->player[r].part = NULL;
		tell(w, COMMIT, 0, r, w->line, NULL);
	}
}

static void hear(struct play *w)
{
	struct control c;
	struct elc_process *e;
	const int i = w->controls ? (int)draw(w, (uint64_t)w->controls) : 0;

	if (!w->controls)
		return;
	c = w->control[i];
	w->control[i] = w->control[--w->controls];
	e = &w->player[c.to].e;
	if (c.kind == REQUEST) {
		assert_int_equal(elc_process_on_request(e, c.from, c.number, &c.set), 0);
	} else if (c.kind == COMMIT) {
		assert_int_equal(elc_process_commit(e, c.number), 0);
	} else {
		assert_int_equal(elc_line_report(&e->line, c.from, c.number), 0);
		if (elc_line_all_reported(&e->line))
			commit(w);
	}
	elc_set_free(&c.set);
}

/* Nothing is on its way any more. */
static void clear(struct play *w)
{
	for (; w->controls > 0; w->controls--)
		elc_set_free(&w->control[w->controls - 1].set);
	for (; w->sent > 0; w->sent--)
		elc_set_free(&w->net[w->sent - 1].set);
	memset(w->waiting, 0, sizeof w->waiting);
	memset(w->match, 0, sizeof w->match);
}

/* All processes die; all begin again from the committed line. */
static void begin(struct play *w)
{
	clear(w);
	for (int r = 0; r < w->np; r++) {
		struct player *p = &w->player[r];

		elc_process_free(&p->e);
		memset(p->slot, 0, sizeof p->slot);
		p->program = w->image[r].program;
		assert_int_equal(elc_process_init(&p->e, w->np, r, w->protocol, w->form, w->line),
				 0);
		begin_calls(w, r);
		if (w->image[r].part)
			assert_int_equal(
				elc_process_unpack(&p->e, w->image[r].part, w->image[r].bytes), 0);
	}
	for (int r = 0; r < w->np; r++)
		for (int to = 0; to < w->np; to++) {
			elc_key key;

			assert_int_equal(elc_process_expect(&w->player[r].e, to,
							    &w->player[to].e.with[r].orphan, &key),
					 0);
		}
}

static bool finished(const struct play *w)
{
	for (int r = 0; r < w->np; r++)
		if (w->player[r].program.pc < w->player[r].ops)
			return false;
	return true;
}

static void end(struct play *w)
{
	clear(w);
	for (int r = 0; r < w->np; r++) {
		elc_process_free(&w->player[r].e);
		free(w->player[r].part);
		free(w->image[r].part);
	}
}

/* What a test is about. */
struct kind {
	const struct elc_protocol *protocol;
	bool crashes, reads, channels; /* reads: as in struct play; channels: their order is kept */
};

/* One step of somebody. Some processes and channels are slow for a whole case, so that messages
 * cross several lines. */
static void step(struct play *w, const uint64_t speed[3])
{
	const uint64_t what = draw(w, 4 + speed[0] + speed[1] + speed[2]);

	if (what < 4)
		play_op(w, (int)draw(w, (uint64_t)w->np));
	else if (what < 4 + speed[0])
		arrive_one(w);
	else if (what < 4 + speed[0] + speed[1])
		hear(w);
	else
		progress(w, (int)draw(w, (uint64_t)w->np));
}

/* The programs have ended. When all that was sent has come, no line is in progress that all
 * processes have cut for. */
static void check_end(struct play *w)
{
	for (int round = 0; round < 10 && !w->unordered; round++) {
		for (int i = 0; i < w->sent; i++)
			if (!w->net[i].arrived)
				arrive(w, i);
		while (w->controls)
			hear(w);
		for (int r = 0; r < w->np; r++)
			progress(w, r);
	}
	for (int r = 0; r < w->np && !w->unordered; r++)
		assert_false(w->player[r].e.line.phase >= ELC_CUT &&
			     elc_line_all_requested(&w->player[r].e.line));
}

/* All is as in a run without lines; or a process has said that the order was wrong, and the case
 * ends there. */
static void play_one(struct play *w, uint64_t seed, const struct kind *kind)
{
	uint64_t speed[3];
	int steps = 0;

	memset(w, 0, sizeof *w);
	w->seed = seed;
	w->protocol = kind->protocol;
	w->reads = kind->reads;
	w->np = 2 + (int)draw(w, NP - 1);
	w->order = draw(w, 2) ? PER_COMMUNICATOR : PER_ENVELOPE;
	if (kind->channels)
		w->order = PER_CHANNEL;
	w->form = draw(w, 2) ? ELC_COUNTED : ELC_LIST;
	for (int i = 0; i < 3; i++)
		speed[i] = 1 + draw(w, 12);
	draw_programs(w, 40 + (int)draw(w, 1200));
	begin(w);
	while (!finished(w) && !w->unordered) {
		assert_true(steps++ < 1000000);
		step(w, speed);
		/* Mostly behind a line. */
		if (kind->crashes && w->crashes < 3 && draw(w, w->line ? 200 : 2000) == 0) {
			w->crashes++;
			begin(w);
		}
	}
	check_end(w);
	for (int r = 0; r < w->np && !w->unordered; r++) {
		check_received(w, r);
		for (int to = 0; to < w->np; to++)
			assert_int_equal(w->player[r].e.with[to].expected.left, 0);
	}
	end(w);
}

/* Returns in how many cases a process has said that the order was wrong. */
static int play_many(const struct kind *kind, int cases, uint64_t seed)
{
	static struct play w;
	int64_t lines = 0, transits = 0, orphans = 0, suppressed = 0, crossed = 0, crashed = 0,
		results = 0, left = 0;
	int unordered = 0;

	for (int i = 0; i < cases; i++) {
		play_one(&w, seed + (uint64_t)i * 1000003, kind);
		lines += w.lines;
		transits += w.transits;
		orphans += w.orphans;
		suppressed += w.suppressed;
		crossed += w.crossed;
		results += w.results;
		left += w.left;
		crashed += w.crashes;
		unordered += w.unordered;
	}
	print_message(
		"%s: %d programs, %lld lines, %lld messages in transit (%lld channels with one "
		"over several lines), %lld orphans, %lld crashes, %lld suppressed sends, %lld "
		"results of collective functions (%lld over several lines), %d ended because of "
		"their order\n",
		kind->protocol->name, cases, (long long)lines, (long long)transits,
		(long long)crossed, (long long)orphans, (long long)crashed, (long long)suppressed,
		(long long)results, (long long)left, unordered);
	/* The cases contain what they are for. */
	if (!unordered) {
		assert_true(lines > cases / 2 && transits > lines && orphans > lines / 4 &&
			    crossed > cases / 20);
		assert_true(results > lines / 4 && (!kind->crashes || left > cases / 100));
		assert_true(!kind->crashes || suppressed > cases / (kind->reads ? 40 : 20));
	}
	return unordered;
}

/* tests/program/test_elc.py asks for tens of thousands; others may ask for other programs than
 * these. */
static int cases(int otherwise)
{
	const char *asked = getenv("ROLLBENCH_TEST_ELC_CASES");

	return asked ? atoi(asked) : otherwise;
}

/* Of each of the other protocols. */
static int fewer_cases(int otherwise)
{
	const int n = cases(4 * otherwise) / 4;

	return n > 0 ? n : 1;
}

static uint64_t first_seed(uint64_t otherwise)
{
	const char *asked = getenv("ROLLBENCH_TEST_ELC_SEED");

	return asked ? strtoull(asked, NULL, 0) * UINT64_C(0xd1342543de82ef95) + otherwise
		     : otherwise;
}

static void lines_without_crashes(void **state)
{
	(void)state;
	assert_int_equal(play_many(&(struct kind){ &elc_events, false, false, false }, cases(800),
				   first_seed(1)),
			 0);
	assert_int_equal(play_many(&(struct kind){ &elc_tagging, false, false, false },
				   fewer_cases(800), first_seed(1)),
			 0);
}

static void lines_with_crashes(void **state)
{
	(void)state;
	assert_int_equal(play_many(&(struct kind){ &elc_events, true, false, false }, cases(1600),
				   first_seed(77)),
			 0);
	assert_int_equal(play_many(&(struct kind){ &elc_tagging, true, false, false },
				   fewer_cases(1600), first_seed(77)),
			 0);
}

/* Every message and every marker is read in the order of sending. */
static void markers_are_right_where_channels_keep_their_order(void **state)
{
	(void)state;
	assert_int_equal(play_many(&(struct kind){ &elc_markers, false, true, true },
				   fewer_cases(800), first_seed(1)),
			 0);
	assert_int_equal(play_many(&(struct kind){ &elc_markers, true, true, true },
				   fewer_cases(1600), first_seed(77)),
			 0);
}

/* Where they do not, or where the programs receive in another order, a line is right or refused. */
static void markers_are_right_or_say_so_otherwise(void **state)
{
	static const struct kind kinds[] = {
		{ &elc_markers, true, true, false }, /* read in another order than sent */
		{ &elc_markers, true, false, true }, /* received by the programs, as in elc/mpi */
		{ &elc_markers, true, false, false },
	};

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const int n = fewer_cases(800), unordered = play_many(&kinds[k], n, first_seed(77));

		assert_in_range(unordered, n / 4, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_without_crashes),
		cmocka_unit_test(lines_with_crashes),
		cmocka_unit_test(markers_are_right_where_channels_keep_their_order),
		cmocka_unit_test(markers_are_right_or_say_so_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
