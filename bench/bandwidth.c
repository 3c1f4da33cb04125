/* Iterations of Jacobi and of the triad in turn, both with non-temporal stores, some milliseconds
 * apart: the memory of a shared machine may have twice its bandwidth a second later. usage:
 * bandwidth PROCESSES. Each has a core, and a problem of its own without messages, that many times
 * smaller. Prints for each pair: GB/s of Jacobi, GB/s of the triad, of all processes together. */
#include "base/clock.h"
#include "base/status.h"
#include "contract/kernel.h"
#include "contract/port.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRID = 4096, ELEMENTS = 8000000, PAIRS = 15, IN_TURN = 3, MOST = 64, DEADLINE_S = 120 };
enum { JACOBI, TRIAD, KERNELS };

static const double POINT_BYTES = 16, ELEMENT_BYTES = 24;

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
	double gigabytes; /* of all iterations in turn, of all processes */
	int64_t done;     /* iterations */
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bandwidth: %s: %s\n", what, why);
	fflush(stderr);
	_exit(1);
}

/* size: the first option of each kernel; the second is the number of iterations. */
static struct work begin(const char *name, int size, const struct kernel_args *rest)
{
	const int steps = (PAIRS + 1) * IN_TURN;
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

static void iterate(struct work *w)
{
	struct msg m = { &alone, 0, 1 };

	for (int i = 0; i < IN_TURN; i++, w->done++) {
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

static void measure(struct meeting *m, int process, int processes)
{
	const int side = (int)(GRID / sqrt(processes)), elements = ELEMENTS / processes;
	const struct kernel_args grid = { { [2] = "auto", "auto", "streaming" } },
				 vectors = { { [2] = "streaming" } };
	struct work work[KERNELS];
	int meetings = 0;

	alarm(DEADLINE_S); /* if another process has ended, nobody meets this one */
	work[JACOBI] = begin("jacobi", side, &grid);
	work[JACOBI].gigabytes = IN_TURN * POINT_BYTES * side * side * processes / 1e9;
	work[TRIAD] = begin("triad", elements, &vectors);
	work[TRIAD].gigabytes = IN_TURN * ELEMENT_BYTES * elements * processes / 1e9;
	for (int pair = -1; pair < PAIRS; pair++) /* the first one makes pages */
		for (int k = 0; k < KERNELS; k++) {
			double since;

			meet(m, &meetings, processes);
			since = clock_monotonic();
			iterate(&work[k]);
			meet(m, &meetings, processes);
			if (process == 0 && pair >= 0)
				printf("%.3f%c", work[k].gigabytes / (clock_monotonic() - since),
				       k == JACOBI ? ' ' : '\n');
		}
	check(&work[JACOBI]);
	check(&work[TRIAD]);
}

int main(int argc, char **argv)
{
	const int processes = argc == 2 ? atoi(argv[1]) : 0;
	struct meeting *m =
		mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, failed = 0;

	if (processes < 1 || processes > MOST || m == MAP_FAILED) {
		fprintf(stderr, "usage: bandwidth PROCESSES, 1 to %d\n", MOST);
		return 2;
	}
	for (int p = 1; p < processes; p++)
		if (fork() == 0) {
			measure(m, p, processes);
			_exit(0);
		}
	measure(m, 0, processes);
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
