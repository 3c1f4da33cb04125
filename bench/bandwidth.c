/* Jacobi and the triad in turn, both with non-temporal stores, some milliseconds apart: the memory
 * of a shared machine may have twice its bandwidth a second later. usage: bandwidth PROCESSES SIDE
 * ELEMENTS PAIRS ITERATIONS. Each process has a core, and problems of its own, of SIDE x SIDE
 * points and ELEMENTS, without messages. Prints for each pair the seconds of all processes for so
 * many iterations of Jacobi, and of the triad. */
#include "base/clock.h"
#include "base/status.h"
#include "contract/kernel.h"
#include "contract/port.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES, SIDE, ELEMENTS, PAIRS, ITERATIONS, ARGUMENTS };
enum { JACOBI, TRIAD, KERNELS, DEADLINE_S = 120 };

/* What the processes share. */
struct meeting {
	atomic_int arrived;
};

/* Each has a core, so it may look all the time. */
static void meet(struct meeting *m, int *meetings, int processes)
{
	const int all = ++*meetings * processes;

	atomic_fetch_add(&m->arrived, 1);
	while (atomic_load(&m->arrived) < all)
		;
}

static int nothing_to_wait_for(struct msg *m)
{
	(void)m;
	return RB_OK;
}

static const struct port_ops alone = { .wait = nothing_to_wait_for, .carries_data = true };

struct work {
	const struct kernel_ops *kernel;
	struct kernel_state *state;
	int64_t done; /* iterations */
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bandwidth: %s: %s\n", what, why);
	fflush(stderr);
	_exit(1);
}

/* size: the first option of each kernel; the second is the number of iterations. */
static struct work begin(const char *name, int size, int steps, const struct kernel_args *rest)
{
	struct work w = { .kernel = kernel_find(name) };
	struct kernel_args args = *rest;
	char text[2][24];
	struct rb_error err;

	snprintf(text[0], sizeof text[0], "%d", size);
	snprintf(text[1], sizeof text[1], "%d", steps);
	args.value[0] = text[0];
	args.value[1] = text[1];
	if (w.kernel->create(&w.state, &args, 0, 1, NULL, &err) != RB_OK)
		fail(name, err.text);
	return w;
}

static void iterate(struct work *w, int iterations)
{
	struct msg m = { &alone, 0, 1 };

	for (int i = 0; i < iterations; i++, w->done++) {
		if (w->kernel->step(w->state, &m, w->done) != RB_OK)
			fail(w->kernel->name, "an iteration failed");
		w->kernel->commit(w->state, w->done);
	}
}

static void check(struct work *w)
{
	struct msg m = { &alone, 0, 1 };
	struct kernel_verdict verdict;

	if (w->kernel->verify(w->state, &m, &verdict) != RB_OK || !verdict.ok)
		fail(w->kernel->name, "the answer is wrong");
	w->kernel->destroy(w->state);
}

static void measure(struct meeting *m, int process, const int given[ARGUMENTS])
{
	const int steps = (given[PAIRS] + 1) * given[ITERATIONS], processes = given[PROCESSES];
	const struct kernel_args grid = { { [2] = "auto", "auto", "streaming" } },
				 vectors = { { [2] = "streaming" } };
	struct work work[KERNELS];
	int meetings = 0;

	alarm(DEADLINE_S); /* if another process has ended, nobody meets this one */
	work[JACOBI] = begin("jacobi", given[SIDE], steps, &grid);
	work[TRIAD] = begin("triad", given[ELEMENTS], steps, &vectors);
	for (int pair = -1; pair < given[PAIRS]; pair++) /* the first one makes pages */
		for (int k = 0; k < KERNELS; k++) {
			double since;

			meet(m, &meetings, processes);
			since = clock_monotonic();
			iterate(&work[k], given[ITERATIONS]);
			meet(m, &meetings, processes);
			if (process == 0 && pair >= 0)
				printf("%.9f%c", clock_monotonic() - since,
				       k == JACOBI ? ' ' : '\n');
		}
	check(&work[JACOBI]);
	check(&work[TRIAD]);
}

/* Are there so many positive numbers, and a core for each process? */
static bool understood(int argc, char **argv, int given[ARGUMENTS])
{
	cpu_set_t cores;

	for (int i = 0; i < ARGUMENTS; i++) {
		given[i] = i + 1 < argc ? atoi(argv[i + 1]) : 0;
		if (given[i] < 1)
			return false;
	}
	return argc == 1 + ARGUMENTS && sched_getaffinity(0, sizeof cores, &cores) == 0 &&
	       given[PROCESSES] <= CPU_COUNT(&cores);
}

int main(int argc, char **argv)
{
	struct meeting *m =
		mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int given[ARGUMENTS], status, failed = 0;

	if (m == MAP_FAILED || !understood(argc, argv, given)) {
		fprintf(stderr,
			"usage: bandwidth PROCESSES SIDE ELEMENTS PAIRS ITERATIONS; at most "
			"a process for each core\n");
		return 2;
	}
	for (int p = 1; p < given[PROCESSES]; p++) {
		const pid_t child = fork();

		if (child < 0)
			fail("fork", strerror(errno));
		if (child == 0) {
			measure(m, p, given);
			_exit(0);
		}
	}
	measure(m, 0, given);
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
