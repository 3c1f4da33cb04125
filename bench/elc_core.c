/* What the core of libelc costs, without MPI: CPU time to identify a million envelopes, and to
 * catch many messages in transit. Prints "NAME VALUE" lines: milliseconds (identify_*), nanoseconds
 * (catch_*). What it costs to log an envelope is measured by `rollbench envelopes`. */
#include "elc/core/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EVENTS = 1000000, TIMES = 3 };

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(int holds)
{
	if (holds)
		return;
	fprintf(stderr, "elc_core: out of memory, or a wrong result\n");
	exit(1);
}

static uint64_t scramble(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return z ^ z >> 27;
}

/* EVENTS envelopes of so many kinds: the kinds by turns, or in an order of chance. */
static elc_key *events(uint64_t kinds, bool by_turns)
{
	elc_key *key = malloc(EVENTS * sizeof *key);

	need(key != NULL);
	for (uint64_t i = 0; i < EVENTS; i++)
		key[i] = elc_key_of((uint32_t)(i % kinds & 3), (int)(i % kinds >> 2));
	for (uint64_t i = EVENTS - 1; !by_turns && i > 0; i--) {
		const uint64_t j = scramble(i * UINT64_C(0x9e3779b97f4a7c15)) % (i + 1);
		const elc_key k = key[i];

		key[i] = key[j];
		key[j] = k;
	}
	return key;
}

/* The log of these events, in the order of the first or of the last. */
static struct elc_set log_of(enum elc_form form, const elc_key *key, bool backwards)
{
	struct elc_log log;
	struct elc_set set;

	elc_log_init(&log, form);
	for (int i = 0; i < EVENTS; i++)
		need(elc_log_add(&log, key[backwards ? EVENTS - 1 - i : i]) == 0);
	need(elc_log_close(&log, &set) == 0);
	elc_log_free(&log);
	return set;
}

/* 1: the receiver has got all but the last thousandth, in the order of sending; 2: in an order of
 * chance; 3: each in the reverse order. */
static void identifying(enum elc_form form, uint64_t kinds, bool by_turns, bool backwards)
{
	elc_key *key = events(kinds, by_turns);
	double best = 1e9;

	for (int time = 0; time < TIMES; time++) {
		struct elc_set sent = log_of(form, key, false),
			       received = log_of(form, key, backwards), transit, orphan;
		double begin;

		elc_set_init(&transit, form);
		elc_set_init(&orphan, form);
		begin = cpu();
		need(elc_identify(&sent, &received, &transit, &orphan) == 0);
		if (cpu() - begin < best)
			best = cpu() - begin;
		need(elc_set_total(&transit) == 0 && elc_set_total(&orphan) == 0);
		elc_set_free(&transit);
		elc_set_free(&orphan);
	}
	printf("identify_%s_%llu_%s %.2f\n", elc_form_name(form), (unsigned long long)kinds,
	       backwards && by_turns ? "turns_reverse"
	       : backwards           ? "reverse"
	       : by_turns            ? "turns"
				     : "chance",
	       best * 1e3);
	fflush(stdout);
	free(key);
}

/* n messages in transit from process 0 to 1, of so many kinds, which 1 takes one by one after 0's
 * request. */
static void catching(int n, int kinds)
{
	struct elc_process p, q;
	struct elc_set request;
	double begin;

	need(elc_process_init(&p, 2, 0, &elc_events, ELC_COUNTED, 0) == 0 &&
	     elc_process_init(&q, 2, 1, &elc_events, ELC_COUNTED, 0) == 0);
	for (int i = 0; i < n; i++)
		need(elc_process_send(&p, 1, elc_key_of(0, i % kinds), 0, 8) == ELC_SEND);
	need(elc_process_cut(&p) == 0 && elc_process_cut(&q) == 0);
	elc_set_init(&request, ELC_COUNTED);
	for (size_t i = 0; i < elc_process_request(&p, 1)->n; i++)
		need(elc_set_add(&request, elc_process_request(&p, 1)->entry[i].key,
				 elc_process_request(&p, 1)->entry[i].num) == 0);
	begin = cpu();
	need(elc_process_on_request(&q, 0, 1, &request) == 0);
	for (int i = 0; i < n; i++) {
		need(elc_process_missing(&q, 0, 0) && !elc_process_ready(&q, NULL, 0));
		need(elc_process_take(&q, 0, elc_key_of(0, i % kinds), 0, calloc(1, 8), 8) == 0);
	}
	need(!elc_process_missing(&q, 0, 0) && elc_process_ready(&q, NULL, 0));
	{
		size_t bytes;
		void *part = elc_process_pack(&q, &bytes);

		need(part != NULL);
		free(part);
	}
	printf("catch_%d_%d %.0f\n", n, kinds, (cpu() - begin) / n * 1e9);
	fflush(stdout);
	elc_process_free(&p);
	elc_process_free(&q);
}

int main(void)
{
	for (int n = 500; n <= 32000; n *= 4)
		for (int of = 8; of <= 512; of *= 64)
			catching(n, of);
	for (enum elc_form form = ELC_LIST; form <= ELC_COUNTED; form++) {
		identifying(form, 64, true, false);
		identifying(form, 64, false, false);
		identifying(form, 64, false, true);
		identifying(form, EVENTS, true, false);
		identifying(form, EVENTS, false, true);
		identifying(form, EVENTS, true, true);
		identifying(form, 5000, false, true);
	}
	return 0;
}
