/* How fast the simulator's engine `fast` is, beside a triad in the same process: a run of a stencil in so many dimensions, with
 * as many failures at random times, or without any. Prints: roles, steps, role-iterations per second of CPU time with one thread
 * and of time with two, the triad's bytes per second in one thread, and the ratio of the former to the triad at 24 bytes per
 * role-iteration. Best of so many rounds, interleaved. */
#include "base/clock.h"
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "kernels/stencil_pattern.h"
#include "sim/fast/fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIAD = 1 << 24, BYTES = 24, THREADS = 2, FAILURES_MAX = 1000 };

struct failures {
	struct failure list[FAILURES_MAX];
	size_t count;
};

/* What others do on this core does not count, other than their use of the memory. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes per second. */
static double triad(double *a, const double *b, const double *c)
{
	const double begin = cpu_seconds();

	for (size_t i = 0; i < TRIAD; i++)
		a[i] = b[i] + 3 * c[i];
	return (double)BYTES * TRIAD / (cpu_seconds() - begin + 1e-12 * a[TRIAD / 2]);
}

static double simulate(const struct model *m, int threads, const struct failures *f)
{
	const double begin = threads > 1 ? clock_monotonic() : cpu_seconds();
	struct rb_error err = { "" };
	struct result r;
	double seconds;

	if (simulate_fast(m, threads, f->list, f->count, &r, &err) != RB_OK) {
		fprintf(stderr, "simulate: %s\n", err.text);
		exit(1);
	}
	seconds = (threads > 1 ? clock_monotonic() : cpu_seconds()) - begin;
	result_free(&r);
	return (double)m->steps * m->pattern->np / seconds;
}

static double more(double a, double b)
{
	return a > b ? a : b;
}

static int by_time(const void *a, const void *b)
{
	const int64_t x = ((const struct failure *)a)->at, y = ((const struct failure *)b)->at;

	return (x > y) - (x < y);
}

/* An iteration takes a second. */
static void draw_failures(struct failures *f, int64_t count, const struct model *m)
{
	uint64_t seed = 1;

	f->count = (size_t)count;
	for (size_t i = 0; i < f->count; i++) {
		const int64_t role = (int64_t)(mix_draw(&seed) % (uint64_t)m->pattern->np);

		f->list[i] = (struct failure){ (int)role, (int64_t)(mix_draw(&seed) % (uint64_t)ticks_of((double)m->steps)), 0 };
	}
	qsort(f->list, f->count, sizeof f->list[0], by_time);
}

/* none: global rollback. all: only the dead go back. dataflow: nothing is logged, and duplicates send messages again. */
static bool set_method(struct model *m, const char *name)
{
	struct rb_error err;

	m->recompute = strcmp(name, "dataflow") == 0 ? FT_DATAFLOW : FT_ROLLBACK;
	return policy_parse(&m->policy, m->recompute == FT_DATAFLOW ? "none" : name, &err) == RB_OK;
}

static void measure(const struct model *m, int64_t rounds, const struct failures *f)
{
	double *list = calloc(3 * (size_t)TRIAD, sizeof *list), bandwidth = 0, speed[THREADS] = { 0 };

	if (!list) {
		fprintf(stderr, "simulate: out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < 3 * (size_t)TRIAD; i++)
		list[i] = 1e-30 * (double)i;
	for (int64_t i = 0; i < rounds; i++) {
		bandwidth = more(bandwidth, triad(list, list + TRIAD, list + 2 * (size_t)TRIAD));
		for (int t = 0; t < THREADS; t++)
			speed[t] = more(speed[t], simulate(m, t + 1, f));
	}
	printf("%d %lld %.4g %.4g %.4g %.3f\n", m->pattern->np, (long long)m->steps, speed[0], speed[1], bandwidth,
	       speed[0] * BYTES / bandwidth);
	free(list);
}

int main(int argc, char **argv)
{
	int64_t axes, edge, steps, rounds, count = 0;
	const size_t bytes[STENCIL_AXES] = { 8000, 0, 0 };
	static struct failures failures;
	struct stencil_pattern stencil;
	struct rb_error err;
	struct model m = { .schedule = { .interval = 100 }, .work = { 1, { 1 }, 0 },
			   .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9, .checkpoint_s = 0.5, .repair_s = 5 } };

	if ((argc != 5 && argc != 7) || !text_integer(argv[1], 1, STENCIL_AXES, &axes) ||
	    !text_integer(argv[2], 2, INT32_MAX, &edge) || !text_integer(argv[3], 1, INT64_MAX, &steps) ||
	    !text_integer(argv[4], 1, 1000, &rounds) || !set_method(&m, argc == 7 ? argv[5] : "none") ||
	    (argc == 7 && !text_integer(argv[6], 0, FAILURES_MAX, &count))) {
		fprintf(stderr, "usage: simulate AXES EDGE STEPS ROUNDS [POLICY|dataflow FAILURES] (EDGE^AXES roles)\n");
		return 2;
	}
	if (stencil_pattern_init(&stencil, (int)axes, (int[]){ (int)edge, (int)edge, (int)edge }, false, bytes, &err) != RB_OK) {
		fprintf(stderr, "simulate: %s\n", err.text);
		return 1;
	}
	m.pattern = &stencil.pattern;
	m.steps = steps;
	draw_failures(&failures, count, &m);
	measure(&m, rounds, &failures);
	return 0;
}
