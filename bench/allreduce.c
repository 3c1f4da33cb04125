/* How long the simulator's engine `fast` takes for an allreduce over a power of two of roles. Prints: roles; milliseconds of CPU
 * time of a run of one iteration, which has nothing but an allreduce, all arrays included; of each further iteration, if they all
 * work as long; and of one allreduce of roles that begin at random times within a second; gigabytes per second of copying
 * the roles' times from one array to another. Best of so many rounds, all interleaved. */
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "kernels/allreduce.h"
#include "sim/fast/doubling.h"
#include "sim/fast/fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 101 };

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run(struct model *m, int64_t steps)
{
	const double begin = cpu_seconds();
	struct rb_error err = { "" };
	struct result r;
	double taken;

	m->steps = steps;
	if (simulate_fast(m, 1, NULL, 0, &r, &err) != RB_OK) {
		fprintf(stderr, "allreduce: %s\n", err.text);
		exit(1);
	}
	taken = cpu_seconds() - begin;
	result_free(&r);
	return taken;
}

static double reduce(struct quiet *q, const struct point *from, struct point *to)
{
	const double begin = cpu_seconds();

	if (doubling_advance(q, from, to, 1) != RB_OK)
		exit(1);
	return cpu_seconds() - begin;
}

static double copy(const struct point *from, struct point *to, size_t np)
{
	const double begin = cpu_seconds();

	memcpy(to->end, from->end, np * sizeof *to->end);
	return cpu_seconds() - begin + 1e-300 * to->end[np / 2];
}

static void draw(struct point *x, int np)
{
	uint64_t seed = 1;

	x->most = 0;
	x->least = ticks_of(1);
	for (int r = 0; r < np; r++) {
		const int64_t at = (int64_t)(mix_draw(&seed) % (uint64_t)ticks_of(1));

		x->end[r] = (double)at;
		x->most = at > x->most ? at : x->most;
		x->least = smaller(x->least, at);
	}
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

static int measure(struct model *m, int64_t rounds)
{
	const size_t np = (size_t)m->pattern->np;
	struct quiet q = { .m = m };
	struct log_costs logs = { .m = m, .form = LOGS_NOTHING };
	struct point from = { .end = times_alloc(np) }, to = { .end = times_alloc(np) };
	double one = 1e300, more = 1e300, apart = 1e300, copied = 1e300;

	if (!from.end || !to.end || !doubling_fits(m, &logs)) {
		fprintf(stderr, "allreduce: out of memory, or no power of two of roles\n");
		return 1;
	}
	draw(&from, (int)np);
	for (int64_t i = 0; i < rounds; i++) {
		one = less(one, run(m, 1));
		more = less(more, (run(m, STEPS) - run(m, 1)) / (STEPS - 1));
		apart = less(apart, reduce(&q, &from, &to));
		copied = less(copied, copy(&from, &to, np));
	}
	printf("%zu %.4g %.4g %.4g %.4g\n", np, 1e3 * one, 1e3 * more, 1e3 * apart, 2e-9 * (double)(np * sizeof *to.end) / copied);
	quiet_free(&q);
	free(from.end);
	free(to.end);
	return 0;
}

int main(int argc, char **argv)
{
	const struct kernel_args args = { { "8" } };
	struct model m = { .steps = 1, .policy = { .ops = &policy_none }, .schedule = { .interval = 1000 },
			   .work = { 1, { 1e-3 }, 0 }, .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9 } };
	struct kernel_pattern pattern;
	int64_t roles, rounds;

	if (argc != 3 || !text_integer(argv[1], 2, INT32_MAX, &roles) || !text_integer(argv[2], 1, 1000, &rounds)) {
		fprintf(stderr, "usage: allreduce ROLES ROUNDS\n");
		return 2;
	}
	pattern = kernel_pattern(&allreduce, &args, (int)roles);
	m.pattern = &pattern.pattern;
	return measure(&m, rounds);
}
