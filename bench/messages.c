/* How fast the simulator's engine `fast` goes through lists of messages, beside a triad in the same
 * process: the pattern of a kernel or of a recorded profile, without failures, where all programs
 * are loaded. Prints: roles; iterations; their messages; messages per second of CPU time in one
 * thread; the triad's bytes per second in one thread; how many bytes of the triad that is per
 * message; which part of the messages of an iteration is looked at, because it can make a
 * difference. Best of so many rounds, all interleaved. */
#include "base/status.h"
#include "base/text.h"
#include "bench/beside.h"
#include "profile/recorded.h"
#include "forecast/fast/failure_free.h"
#include "forecast/programs/waves.h"

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
static double advance(struct failure_free *q, struct point *to)
{
	const double begin = cpu_seconds();
	struct point from = { .end = times_zero((size_t)q->m->pattern->np) };
	struct rb_error err = { "" };

	if (!from.end || failure_free_advance(q, &from, to, q->m->steps, &err) != RB_OK) {
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
	struct failure_free q = { .m = m, .programs = &programs, .logs = &logs, .threads = 1 };
	struct point to = { .end = times_alloc((size_t)m->pattern->np) };
	const struct program *p;
	const struct waves *waves;
	struct rb_error err;

	if (!to.end || programs_init(&programs, m) != RB_OK || log_costs_init(&logs, m) != RB_OK)
		return 1;
	advance(&q, &to);
	for (int64_t i = 0; i < rounds; i++) {
		bandwidth = more(bandwidth, triad(list));
		all = less(all, advance(&q, &to));
	}
	speed = messages / all;
	if (program_with_waves(&programs, m->steps - 1, &p, &waves, &err) != RB_OK)
		return 1;
	printf("%d %lld %.4g %.4g %.4g %.4g %.4g\n", m->pattern->np, (long long)m->steps, messages,
	       speed, bandwidth, bandwidth / speed, (double)waves->messages / (double)p->messages);
	failure_free_free(&q);
	log_costs_free(&logs);
	programs_free(&programs);
	free(to.end);
	free(list);
	return 0;
}

/* *pattern: of the profile, or of the kernel with its usual options. */
static int open_pattern(const char *name, const char *iterations, int np, struct recorded *recorded,
			struct kernel_pattern *kernel_of, const struct pattern **pattern,
			struct rb_error *err)
{
	static struct kernel_args args;
	const struct kernel_ops *kernel = kernel_find(name);
	struct kernel_plan planned;

	*pattern = &recorded->pattern;
	if (profile_is_name(name))
		return recorded_open(recorded, name, np, iterations, err);
	if (!kernel)
		return rb_fail(err, RB_EINVAL, "%s: no kernel and no profile", name);
	for (int i = 0; kernel->options[i].name; i++)
		args.value[i] = kernel->options[i].value;
	*kernel_of = kernel_pattern(kernel, &args, np);
	*pattern = &kernel_of->pattern;
	return kernel->plan(&args, np, &planned, err);
}

int main(int argc, char **argv)
{
	struct model m = { .policy = { .ops = &policy_none },
			   .schedule = { .interval = 1 << 30 },
			   .work = { 1, { 1e-3 }, 0 },
			   .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9 } };
	struct recorded recorded = { .iterations = 0 };
	struct rb_error err = { "" };
	struct kernel_pattern kernel;
	int64_t np, rounds;
	int status = 1;

	if (argc != 6 || !text_integer(argv[2], 1, INT32_MAX, &np) ||
	    !text_integer(argv[4], 1, INT32_MAX, &m.steps) ||
	    !text_integer(argv[5], 1, 1000, &rounds)) {
		fprintf(stderr,
			"usage: messages KERNEL|PROFILE ROLES ITERATIONS STEPS ROUNDS (ITERATIONS: "
			"of the recorded run)\n");
		return 2;
	}
	if (open_pattern(argv[1], argv[3], (int)np, &recorded, &kernel, &m.pattern, &err) == RB_OK)
		status = measure(&m, rounds);
	else
		fprintf(stderr, "messages: %s\n", err.text);
	recorded_close(&recorded);
	return status;
}
