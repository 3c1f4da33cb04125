/* How long the simulator's engine `fast` takes for an allreduce over a power of two of roles.
 * Prints: roles; milliseconds of CPU time of a run of one iteration, which has nothing but an
 * allreduce, all arrays included; of each further iteration, if they all work as long; and of one
 * allreduce of roles that begin at random times within a second, and within the time of all its
 * messages; gigabytes per second of a triad in the same process; how many bytes of the triad the
 * two allreduces and the run are for each role. Best of so many rounds, all interleaved. */
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "bench/beside.h"
#include "forecast/pattern/allreduce.h"
#include "forecast/fast/doubling.h"
#include "forecast/fast/failure_free.h"
#include "forecast/fast/fast.h"

#include <math.h>

enum { STEPS = 101 };

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

static double reduce(struct failure_free *q, const struct point *from, struct point *to)
{
	const double begin = cpu_seconds();

	if (doubling_advance(q->m, &q->behind, from, to, 1) != RB_OK)
		exit(1);
	return cpu_seconds() - begin;
}

static void draw(struct point *x, int np, double within)
{
	uint64_t seed = 1;

	x->most = 0;
	x->least = ticks_of(within);
	for (int r = 0; r < np; r++) {
		const int64_t at = (int64_t)(mix_draw(&seed) % (uint64_t)ticks_of(within));

		x->end[r] = (double)at;
		x->most = at > x->most ? at : x->most;
		x->least = smaller(x->least, at);
	}
}

static double bytes_for_each(double seconds, double bandwidth, size_t np)
{
	return seconds * bandwidth / (double)np;
}

static int measure(struct model *m, int64_t rounds)
{
	const size_t np = (size_t)m->pattern->np;
	struct failure_free q = { .m = m };
	struct log_costs logs = { .m = m, .form = LOGS_NOTHING };
	struct point apart = { .end = times_alloc(np) }, close = { .end = times_alloc(np) },
		     to = { .end = times_alloc(np) };
	double *list = triad_arrays(), one = 1e300, further = 1e300, from_apart = 1e300,
	       from_close = 1e300, bandwidth = 0;

	if (!apart.end || !close.end || !to.end || !doubling_fits(m, &logs)) {
		fprintf(stderr, "allreduce: out of memory, or no power of two of roles\n");
		return 1;
	}
	draw(&apart, (int)np, 1);
	draw(&close, (int)np, log2((double)np) * m->costs.latency_s);
	for (int64_t i = 0; i < rounds; i++) {
		bandwidth = more(bandwidth, triad(list));
		one = less(one, run(m, 1));
		further = less(further, (run(m, STEPS) - run(m, 1)) / (STEPS - 1));
		from_apart = less(from_apart, reduce(&q, &apart, &to));
		from_close = less(from_close, reduce(&q, &close, &to));
	}
	printf("%zu %.4g %.4g %.4g %.4g %.4g %.4g %.4g %.4g\n", np, 1e3 * one, 1e3 * further,
	       1e3 * from_apart, 1e3 * from_close, 1e-9 * bandwidth,
	       bytes_for_each(from_apart, bandwidth, np), bytes_for_each(from_close, bandwidth, np),
	       bytes_for_each(one, bandwidth, np));
	failure_free_free(&q);
	free(apart.end);
	free(close.end);
	free(to.end);
	free(list);
	return 0;
}

int main(int argc, char **argv)
{
	const struct kernel_args args = { { "8" } };
	struct model m = { .steps = 1,
			   .policy = { .ops = &policy_none },
			   .schedule = { .interval = 1000 },
			   .work = { 1, { 1e-3 }, 0 },
			   .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9 } };
	struct kernel_pattern pattern;
	int64_t roles, rounds;

	if (argc != 3 || !text_integer(argv[1], 2, INT32_MAX, &roles) ||
	    !text_integer(argv[2], 1, 1000, &rounds)) {
		fprintf(stderr, "usage: allreduce ROLES ROUNDS\n");
		return 2;
	}
	pattern = kernel_pattern(&allreduce, &args, (int)roles);
	m.pattern = &pattern.pattern;
	return measure(&m, rounds);
}
