/* The body of each MPI process: read the run's description, hook in binding and failures, run. */
#include "ft/run.h"
#include "harness/pin.h"
#include "harness/spec.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct worker {
	struct run_spec spec;
	const char *dir;
};

static const enum inject_phase phase_of[] = {
	[FT_START] = INJECT_START,
	[FT_SEND] = INJECT_SEND,
	[FT_COMMIT] = INJECT_COMMIT,
	[FT_CHECKPOINT] = INJECT_CHECKPOINT,
};

static void reached(void *ctx, int role, int64_t iter, enum ft_point point)
{
	const struct worker *w = ctx;

	inject_strike(&w->spec.plan, w->dir, role, iter, phase_of[point]);
}

/* Roles are bound in order; a spare moves to its role's place when it takes over. */
static void adopted(void *ctx, int role, struct ledger *ledger)
{
	(void)ctx;
	pin_self(role, ledger->binding, sizeof ledger->binding);
	gethostname(ledger->host, sizeof ledger->host - 1);
	ledger->pid = getpid();
}

/* Kernel options as one line, in the kernel's own order. */
static void canonical_params(const struct run_spec *spec, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; spec->kernel->options[i].name && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s=%s", i ? " " : "",
					 spec->kernel->options[i].name, spec->value[i]);
}

/* For the record, written once by whoever has rank 0 at the start. */
static void write_version(const char *dir)
{
	char path[SPEC_PATH + 16], text[MPI_MAX_LIBRARY_VERSION_STRING];
	int length, rank;
	FILE *f;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank != 0)
		return;
	MPI_Get_library_version(text, &length);
	snprintf(path, sizeof path, "%s/mpi-version", dir);
	f = fopen(path, "we");
	if (!f)
		return;
	fprintf(f, "%s\n", text);
	fclose(f);
}

static int run(struct worker *w, bool *recovered, struct rb_error *err)
{
	char params[128];
	struct kernel_plan plan;
	struct ft_config cfg = {
		.kernel = w->spec.kernel,
		.args = spec_args(&w->spec),
		.params = params,
		.policy = policy_find(w->spec.policy, err),
		.np = w->spec.np,
		.interval = w->spec.interval,
		.dir = w->dir,
		.hooks = { .ctx = w, .reached = reached, .adopted = adopted },
	};
	int size;

	if (!cfg.policy)
		return RB_EINVAL;
	RB_TRY(cfg.kernel->plan(&cfg.args, cfg.np, &plan, err));
	cfg.iterations = plan.iterations;
	canonical_params(&w->spec, params, sizeof params);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != w->spec.np + w->spec.spares)
		return rb_fail(err, RB_EINVAL, "started with %d processes, but the run needs %d "
			       "roles and %d spares", size, w->spec.np, w->spec.spares);
	write_version(w->dir);
	return ft_run(&cfg, recovered, err);
}

int worker_main(const char *dir)
{
	struct worker w = { .dir = dir };
	struct rb_error err = { "" };
	bool recovered = false;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no rank outlives the daemon that started it */
	if (spec_load(&w.spec, dir, &err) != RB_OK) {
		fprintf(stderr, "rollbench worker: %s\n", err.text);
		return 2;
	}
	MPI_Init(NULL, NULL);
	rc = run(&w, &recovered, &err);
	if (rc == RB_ESPARES) /* decided by all survivors: each leaves by itself */
		_exit(0);
	if (rc != RB_OK) {
		fprintf(stderr, "rollbench worker: %s\n", err.text);
		MPI_Abort(MPI_COMM_WORLD, 4);
	}
	/* After a failure MPI_Finalize sometimes hangs although all answers are safe. */
	if (recovered)
		_exit(0);
	MPI_Finalize();
	return 0;
}
