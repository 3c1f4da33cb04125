/* How fast the simulator's engine `fast` is, beside a triad in the same process: a run without failures of a stencil in so many
 * dimensions. Prints: roles, steps, role-iterations per second of CPU time with one thread and of time with two, the triad's bytes per second in
 * one thread, and the ratio of the former to the triad at 24 bytes per role-iteration. Best of so many rounds, interleaved. */
#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"
#include "kernels/stencil_pattern.h"
#include "sim/fast/fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIAD = 1 << 24, BYTES = 24, THREADS = 2 };

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

static double simulate(const struct model *m, int threads)
{
	const double begin = threads > 1 ? clock_monotonic() : cpu_seconds();
	struct rb_error err = { "" };
	struct result r;
	double seconds;

	if (simulate_fast(m, threads, NULL, 0, &r, &err) != RB_OK) {
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

int main(int argc, char **argv)
{
	int64_t axes, edge, steps, rounds;
	const size_t bytes[STENCIL_AXES] = { 8000, 0, 0 };
	struct stencil_pattern stencil;
	struct rb_error err;
	double *list = calloc(3 * (size_t)TRIAD, sizeof *list), bandwidth = 0, speed[THREADS] = { 0 };

	if (argc != 5 || !text_integer(argv[1], 1, STENCIL_AXES, &axes) || !text_integer(argv[2], 2, INT32_MAX, &edge) ||
	    !text_integer(argv[3], 1, INT64_MAX, &steps) || !text_integer(argv[4], 1, 1000, &rounds)) {
		fprintf(stderr, "usage: simulate AXES EDGE STEPS ROUNDS (EDGE^AXES roles)\n");
		return 2;
	}
	if (!list || stencil_pattern_init(&stencil, (int)axes, (int[]){ (int)edge, (int)edge, (int)edge }, false, bytes, &err))
		return 1;
	for (size_t i = 0; i < 3 * (size_t)TRIAD; i++)
		list[i] = 1e-30 * (double)i;
	for (int64_t i = 0; i < rounds; i++) {
		const struct model m = { .pattern = &stencil.pattern, .steps = steps, .policy = { .ops = &policy_none },
					 .schedule = { .interval = 100 }, .work = { 1, { 1 }, 0 },
					 .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9, .checkpoint_s = 0.5 } };

		bandwidth = more(bandwidth, triad(list, list + TRIAD, list + 2 * (size_t)TRIAD));
		for (int t = 0; t < THREADS; t++)
			speed[t] = more(speed[t], simulate(&m, t + 1));
	}
	printf("%d %lld %.4g %.4g %.4g %.3f\n", stencil.pattern.np, (long long)steps, speed[0], speed[1], bandwidth,
	       speed[0] * BYTES / bandwidth);
	free(list);
	return 0;
}
