/* How fast the simulator's engine `fast` goes through lists of messages, beside a triad in the same process: the pattern of a kernel
 * or of a recorded profile, without failures, where all programs are loaded. Prints: roles; iterations; their messages; messages
 * per second of CPU time in one thread; the triad's bytes per second in one thread; how many bytes of the triad that is per
 * message. Best of so many rounds, all interleaved. */
#include "base/status.h"
#include "base/text.h"
#include "bench/beside.h"
#include "harness/spec/recorded_kernel.h"
#include "sim/fast/quiet.h"

#include <string.h>

static int count_message(void *ctx, const struct pattern_operation *o)
{
	*(double *)ctx += o->kind == PATTERN_SEND;
	return RB_OK;
}

static double messages_of(const struct pattern *p, int64_t steps)
{
	double count = 0;

	for (int64_t i = 0; i < steps; i++)
		for (int r = 0; r < p->np; r++)
			if (p->operations(p, r, i, count_message, &count) != RB_OK)
				exit(1);
	return count;
}

/* Go through all iterations. Returns the seconds that this takes. */
static double advance(struct quiet *q, struct point *to)
{
	const double begin = cpu_seconds();
	struct point from = { .end = times_alloc((size_t)q->m->pattern->np) };
	struct rb_error err = { "" };

	if (!from.end || quiet_advance(q, &from, to, q->m->steps, &err) != RB_OK) {
		fprintf(stderr, "messages: %s\n", err.text);
		exit(1);
	}
	free(from.end);
	return cpu_seconds() - begin;
}

static int measure(const struct model *m, int64_t rounds)
{
	const double messages = messages_of(m->pattern, m->steps);
	double *list = triad_arrays(), bandwidth = 0, all = 1e300, speed;
	struct programs programs;
	struct log_costs logs;
	struct quiet q = { .m = m, .programs = &programs, .logs = &logs, .threads = 1 };
	struct point to = { .end = times_alloc((size_t)m->pattern->np) };

	if (!to.end || programs_init(&programs, m) != RB_OK || log_costs_init(&logs, m) != RB_OK)
		return 1;
	advance(&q, &to);
	for (int64_t i = 0; i < rounds; i++) {
		bandwidth = more(bandwidth, triad(list));
		all = less(all, advance(&q, &to));
	}
	speed = messages / all;
	printf("%d %lld %.4g %.4g %.4g %.4g\n", m->pattern->np, (long long)m->steps, messages, speed, bandwidth, bandwidth / speed);
	quiet_free(&q);
	log_costs_free(&logs);
	programs_free(&programs);
	free(to.end);
	free(list);
	return 0;
}

/* The kernel or the profile, with `iterations` for a profile. */
static int plan(const struct kernel_ops *kernel, struct kernel_args *args, const char *iterations, int np, struct rb_error *err)
{
	struct kernel_plan planned;

	for (int i = 0; kernel->options[i].name; i++)
		args->value[i] = strcmp(kernel->options[i].name, "iterations") == 0 ? iterations : kernel->options[i].value;
	return kernel->plan(args, np, &planned, err);
}

int main(int argc, char **argv)
{
	struct model m = { .policy = { .ops = &policy_none }, .schedule = { .interval = 1 << 30 }, .work = { 1, { 1e-3 }, 0 },
			   .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9 } };
	struct kernel_args args = { { NULL } };
	const struct kernel_ops *kernel = argc > 1 ? kernel_or_profile(argv[1]) : NULL;
	struct rb_error err = { "" };
	struct kernel_pattern pattern;
	int64_t np, rounds;

	if (argc != 6 || !kernel || !text_integer(argv[2], 1, INT32_MAX, &np) || !text_integer(argv[4], 1, INT32_MAX, &m.steps) ||
	    !text_integer(argv[5], 1, 1000, &rounds)) {
		fprintf(stderr, "usage: messages KERNEL|PROFILE ROLES ITERATIONS STEPS ROUNDS (ITERATIONS: of the recorded run)\n");
		return 2;
	}
	if (plan(kernel, &args, argv[3], (int)np, &err) != RB_OK) {
		fprintf(stderr, "messages: %s\n", err.text);
		return 1;
	}
	pattern = kernel_pattern(kernel, &args, (int)np);
	m.pattern = &pattern.pattern;
	return measure(&m, rounds);
}
