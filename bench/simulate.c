/* How fast the simulator's engine `fast` is, beside a triad in the same process: a run of a stencil
 * in so many dimensions (26: three, with messages to all 26 neighbours), with as many failures at
 * random times, or without any. Prints: roles and iterations; role-iterations per second of CPU
 * time and of elapsed time, with one thread and with two; the triad's bytes per second in one
 * thread; the ratio of the first to the triad at 24 bytes per role-iteration; messages per second
 * of CPU time with one thread, without what a run of one iteration takes, or 0 if messages are not
 * gone through one by one. Best of so many rounds, all interleaved. */
#include "base/clock.h"
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "bench/beside.h"
#include "forecast/pattern/stencil_pattern.h"
#include "forecast/fast/fast.h"

#include <string.h>

enum { THREADS = 2, FAILURES_MAX = 1000, NEIGHBOURS = 26 };

struct failures {
	struct failure list[FAILURES_MAX];
	size_t count;
};

/* What a run takes. */
struct taken {
	double cpu, elapsed;
};

static struct taken simulate(const struct model *m, int threads, const struct failures *f)
{
	const double cpu = cpu_seconds(), begin = clock_monotonic();
	struct rb_error err = { "" };
	struct result r;
	struct taken taken;

	if (simulate_fast(m, threads, f->list, f->count, &r, &err) != RB_OK) {
		fprintf(stderr, "simulate: %s\n", err.text);
		exit(1);
	}
	taken = (struct taken){ cpu_seconds() - cpu, clock_monotonic() - begin };
	result_free(&r);
	return taken;
}

static int count_message(void *ctx, const struct pattern_operation *o)
{
	*(double *)ctx += o->kind == PATTERN_SEND;
	return RB_OK;
}

/* Of all iterations but one. */
static double messages_of(const struct model *m)
{
	double count = 0;

	for (int r = 0; r < m->pattern->np; r++)
		if (m->pattern->operations(m->pattern, r, 0, count_message, &count) != RB_OK)
			exit(1);
	return count * (double)(m->steps - 1);
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

		f->list[i] = (struct failure){
			(int)role,
			(int64_t)(mix_draw(&seed) % (uint64_t)ticks_of((double)m->steps)), 0
		};
	}
	qsort(f->list, f->count, sizeof f->list[0], by_time);
}

/* none: global rollback. all: only the dead go back. dataflow: nothing is logged, and duplicates
 * send messages again. */
static bool set_method(struct model *m, const char *name)
{
	struct rb_error err;

	m->recompute = strcmp(name, "dataflow") == 0 ? FT_DATAFLOW : FT_ROLLBACK;
	return policy_parse(&m->policy, m->recompute == FT_DATAFLOW ? "none" : name, &err) == RB_OK;
}

/* lists: messages are gone through one by one. */
static void measure(const struct model *m, int64_t rounds, const struct failures *f, bool lists)
{
	const double work = (double)m->steps * m->pattern->np;
	struct taken best[THREADS] = { { 1e300, 1e300 }, { 1e300, 1e300 } };
	double *list = triad_arrays(), bandwidth = 0, first = 1e300;
	struct model one = *m;

	one.steps = 1;
	for (int64_t i = 0; i < rounds; i++) {
		bandwidth = more(bandwidth, triad(list));
		first = less(first, simulate(&one, 1, &(struct failures){ .count = 0 }).cpu);
		for (int t = 0; t < THREADS; t++) {
			const struct taken taken = simulate(m, t + 1, f);

			best[t] = (struct taken){ less(best[t].cpu, taken.cpu),
						  less(best[t].elapsed, taken.elapsed) };
		}
	}
	printf("%d %lld %.4g %.4g %.4g %.4g %.4g %.3f %.4g\n", m->pattern->np, (long long)m->steps,
	       work / best[0].cpu, work / best[0].elapsed, work / best[1].cpu,
	       work / best[1].elapsed, bandwidth, work / best[0].cpu * TRIAD_BYTES / bandwidth,
	       lists ? messages_of(m) / (best[0].cpu - first) : 0);
	free(list);
}

int main(int argc, char **argv)
{
	int64_t axes, edge, steps, rounds, count = 0;
	size_t bytes[STENCIL_AXES] = { 8000, 0, 0 };
	static struct failures failures;
	struct stencil_pattern stencil;
	struct rb_error err;
	struct model m = { .schedule = { .interval = 100 },
			   .work = { 1, { 1 }, 0 },
			   .costs = { .latency_s = 1e-5,
				      .bytes_per_s = 1e9,
				      .checkpoint_s = 0.5,
				      .repair_s = 5 } };

	if ((argc != 5 && argc != 7) || !text_integer(argv[1], 1, NEIGHBOURS, &axes) ||
	    !text_integer(argv[2], 2, INT32_MAX, &edge) ||
	    !text_integer(argv[3], 1, INT64_MAX, &steps) ||
	    (axes > STENCIL_AXES && axes != NEIGHBOURS) ||
	    !text_integer(argv[4], 1, 1000, &rounds) ||
	    !set_method(&m, argc == 7 ? argv[5] : "none") ||
	    (argc == 7 && !text_integer(argv[6], 0, FAILURES_MAX, &count))) {
		fprintf(stderr,
			"usage: simulate AXES|26 EDGE STEPS ROUNDS [POLICY|dataflow FAILURES] "
			"(EDGE^AXES roles)\n");
		return 2;
	}
	if (axes == NEIGHBOURS) {
		axes = STENCIL_AXES;
		bytes[1] = 500;
		bytes[2] = 50;
	}
	if (stencil_pattern_init(&stencil, (int)axes, (int[]){ (int)edge, (int)edge, (int)edge },
				 false, bytes, &err) != RB_OK) {
		fprintf(stderr, "simulate: %s\n", err.text);
		return 1;
	}
	m.pattern = &stencil.pattern;
	m.steps = steps;
	draw_failures(&failures, count, &m);
	measure(&m, rounds, &failures, bytes[1] > 0);
	return 0;
}
