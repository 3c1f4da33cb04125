/* A kernel of this project as a plain MPI program with event-logging checkpoints: messages go
 * through a port to MPI, the regions are the registered state, and there is a safe point before
 * each iteration. The kernels' sources are the same as in `rollbench run`, and so is the hash of
 * the final state. */
#include "elc/kernel/port.h"

#include "base/grow.h"
#include "elc/elc.h"
#include "elc/programs/common.h"
#include "contract/kernel.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { EXIT_USAGE = 2, HASH_TEXT = 33 };

static const struct kernel_ops *kernel;
static struct kernel_args args;
static struct kernel_plan plan;
static struct kernel_state *state;
static struct mpi_port port;
static int64_t iteration;

/* --- the command line --- */

static bool take(const char *name, const char *value)
{
	for (int i = 0; kernel->options[i].name; i++)
		if (strcmp(kernel->options[i].name, name) == 0) {
			args.value[i] = value;
			return true;
		}
	return false;
}

static void describe(void)
{
	for (const struct kernel_option *o = kernel->options; o->name; o++)
		printf("  --%-10s %s (default %s)\n", o->name, o->help, o->value);
}

static bool check(long processes, long lines)
{
	struct rb_error err;

	plan = (struct kernel_plan){ .iterations = 0 };
	if (kernel->plan(&args, (int)processes, &plan, &err) != RB_OK) {
		fprintf(stderr, "%s: %s\n", kernel->name, err.text);
		return false;
	}
	if (plan.open_ended && lines > 0)
		fprintf(stderr,
			"%s: --lines %ld: how many iterations there will be is not known before "
			"the end; use --every N, or a fixed number of steps\n",
			kernel->name, lines);
	return !plan.open_ended || lines == 0;
}

/* The first argument is the kernel; its options have their defaults then. */
static void find_kernel(int argc, char **argv)
{
	const bool help = argc > 1 && strcmp(argv[1], "--help") == 0;

	kernel = argc > 1 ? kernel_find(argv[1]) : NULL;
	if (kernel) {
		for (int i = 0; kernel->options[i].name; i++)
			args.value[i] = kernel->options[i].value;
		return;
	}
	fprintf(help ? stdout : stderr,
		"usage: mpirun -n PROCESSES kernel KERNEL [--NAME VALUE ...]; KERNEL --help says "
		"more. Kernels:\n");
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++)
		fprintf(help ? stdout : stderr, "  %-10s %s\n", (*k)->name, (*k)->summary);
	exit(help ? 0 : EXIT_USAGE);
}

/* --- the registered state --- */

static void protect(void)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	const size_t n = kernel->regions(state, region);

	elc_protect(0, &iteration, sizeof iteration);
	for (size_t i = 0; i < n; i++)
		elc_protect((int)i + 1, region[i].data, region[i].bytes);
}

/* Regions get the sizes that they have in the line. */
static int fit(void *context, const int *id, const size_t *bytes, size_t n)
{
	(void)context;
	(void)id;
	if (kernel->fit && kernel->fit(state, bytes + 1, n - 1) != RB_OK)
		return -1;
	protect();
	return 0;
}

/* --- the run --- */

static void must(int rc)
{
	struct rb_error why = { "" };

	if (rc == RB_OK)
		return;
	if (rc == RB_ENUMERIC && kernel->breakdown)
		kernel->breakdown(state, &why);
	require(false,
		rc == RB_ENOMEM ? "out of memory for messages"
		: rc == RB_ELENGTH
			? "a message is longer than MPI can count; with more processes messages "
			  "are shorter"
		: why.text[0] ? why.text
			      : "an iteration has failed");
}

static bool finished(void)
{
	return iteration >= plan.iterations || (kernel->finished && kernel->finished(state));
}

static void iterate(void)
{
	while (!finished()) {
		safe_point(iteration, plan.iterations);
		must(kernel->step(state, &port.msg, iteration));
		must(mpi_port_flush(&port));
		kernel->commit(state, iteration++);
		protect();
	}
}

static bool verify(void)
{
	struct kernel_verdict v = { .what = "" };
	char reference[32] = "not known";
	int good, all_good = 0;

	must(kernel->verify(state, &port.msg, &v));
	must(mpi_port_flush(&port));
	if (!isnan(v.reference))
		snprintf(reference, sizeof reference, "%.15g", v.reference);
	if (rank == 0)
		printf("%s = %.15g, reference %s: %s (%s)\n", v.what, v.value, reference,
		       v.ok ? "ok" : "failed", v.note);
	good = v.ok;
	MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
	return all_good;
}

/* XXH3-128 of the regions of each role {low, high}, and of these in the order of the roles, as in
 * the records of `rollbench run`. */
static void hash(char text[HASH_TEXT])
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	const size_t n = kernel->regions(state, region);
	uint64_t *all = zeros(2 * (size_t)np, sizeof *all), own[2];
	XXH3_state_t *sum = XXH3_createState();
	XXH128_hash_t h;

	require(sum, "out of memory");
	XXH3_128bits_reset(sum);
	for (size_t i = 0; i < n; i++)
		XXH3_128bits_update(sum, region[i].data, region[i].bytes);
	h = XXH3_128bits_digest(sum);
	XXH3_freeState(sum);
	own[0] = h.low64;
	own[1] = h.high64;
	MPI_Gather(own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	h = XXH3_128bits(all, 2 * (size_t)np * sizeof *all);
	snprintf(text, HASH_TEXT, "%016llx%016llx", (unsigned long long)h.high64,
		 (unsigned long long)h.low64);
	free(all);
}

int main(int argc, char **argv)
{
	struct program program = { .text = "", .take = take, .describe = describe, .check = check };
	char sum[HASH_TEXT];
	struct rb_error err;
	bool good;

	find_kernel(argc, argv);
	argc--;
	argv++;
	program.name = kernel->name;
	program.text = kernel->summary;
	begin(&argc, &argv, &program);
	require(kernel->create(&state, &args, rank, np, NULL, &err) == RB_OK, err.text);
	mpi_port_init(&port, rank, np);
	kernel->reset(state);
	protect();
	elc_fit(fit, NULL);
	set_up_done();
	iterate();
	computed();
	good = verify();
	hash(sum);
	kernel->destroy(state);
	mpi_port_free(&port);
	return end_with(&program, iteration, sum, good);
}
