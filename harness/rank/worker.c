/* It reads the run's description, sets the hooks for binding and failures, and runs. */
#include "harness/rank/worker.h"

#include "base/end_with_parent.h"
#include "base/event.h"
#include "base/json.h"
#include "base/program.h"
#include "ft/run.h"
#include "harness/events/events.h"
#include "harness/machine/metering.h"
#include "harness/machine/pin.h"
#include "harness/machine/power/power_use.h"
#include "harness/machine/timeline.h"
#include "harness/options/spec.h"
#include "harness/rank/describe.h"
#include "harness/rank/detector.h"
#include "inject/kill.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPAWN_SLOTS = 64 };

struct worker {
	struct run_spec spec;
	const char *dir;
	int job; /* number of the job in its run, from 0 */
	struct inject_site site;
	int *node;   /* np: where each role started */
	int *core;   /* np: the core of this host that this process uses for the role */
	int partner; /* rank 0 measures the network with it; 0: with nobody */
	struct metering metering;
	struct timeline *timeline; /* NULL: none */
	struct power_use power_use;
	struct detector *detector; /* NULL: none */
};

static const enum inject_phase phase_of[] = {
	[FT_START] = INJECT_START,           [FT_SEND] = INJECT_SEND,
	[FT_OPERATION] = INJECT_OPERATION,   [FT_COMMIT] = INJECT_COMMIT,
	[FT_CHECKPOINT] = INJECT_CHECKPOINT, [FT_RECOVERY] = INJECT_RECOVERY,
	[FT_REPAIR] = INJECT_REPAIR,         [FT_RESTORE] = INJECT_RESTORE,
	[FT_REPLAY] = INJECT_REPLAY,         [FT_BLOCKED] = INJECT_BLOCKED,
	[FT_SUPPORT] = INJECT_SUPPORT,       [FT_IDLE] = INJECT_START,
};

static void reached(void *ctx, int role, int64_t iter, enum ft_point point, int op)
{
	struct worker *w = ctx;

	(void)role;
	if (point == FT_IDLE)
		inject_kill_idle_spare(&w->site);
	else if (point == FT_CLOSED)
		inject_cease();
	else
		inject_kill_here(&w->site, iter, phase_of[point], op);
}

/* The ledger of this process. A death by chance reads it in a signal handler, so it must be
 * global. */
static const struct ledger *here;

/* A recovery is identified by the iteration in which the failure found the role. */
static int64_t front_before(void)
{
	int32_t n = here->event_count;

	return n > 0 && n <= LEDGER_EVENTS ? here->event[n - 1].front_before : here->front;
}

static enum inject_phase where(int64_t *iter, int64_t *amount)
{
	*iter = here->front;
	switch (here->phase) {
	case LEDGER_CHECKPOINT:
		return INJECT_CHECKPOINT;
	case LEDGER_REPAIR: /* *amount is the time since it began */
		return INJECT_REPAIR;
	case LEDGER_RESTORE:
		*iter = front_before();
		return INJECT_RESTORE;
	case LEDGER_REPLAY:
		*iter = front_before();
		return INJECT_REPLAY;
	case LEDGER_SUPPORT:
		*iter = front_before();
		return INJECT_SUPPORT;
	case LEDGER_BLOCKED:
		*iter = front_before();
		return INJECT_BLOCKED;
	default:
		*amount = here->ops;
		return here->ops ? INJECT_OPERATION : INJECT_START;
	}
}

/* Does the plan kill that role, alone or with its node? */
static bool doomed(const struct worker *w, int role)
{
	for (size_t k = 0; k < w->spec.plan.count; k++) {
		const struct inject_kill *kill = &w->spec.plan.kill[k];

		if ((kill->who == INJECT_ROLE && kill->number == role) ||
		    (kill->who >= INJECT_NODE && kill->number == w->node[role]))
			return true;
	}
	return false;
}

/* Twice as many spans as iterations, because iterations are repeated, and some more for
 * recoveries. */
static int64_t room_for_spans(int64_t iterations)
{
	return 2 * iterations + 1024;
}

static void enters(void *ctx, int64_t iter, enum ledger_phase phase)
{
	struct worker *w = ctx;

	metering_enter(&w->metering, iter, phase);
	timeline_enter(w->timeline, iter, phase);
}

static void does(void *ctx, enum ft_activity what, bool begins)
{
	const struct worker *w = ctx;

	timeline_does(w->timeline, what, begins);
}

/* A run does not fail for want of one: the command says that it lacks processes. */
static void open_timeline(struct worker *w, bool spawned, struct ft_hooks *hooks)
{
	struct rb_error err;

	if (w->spec.timeline == TIMELINE_OFF)
		return;
	w->timeline =
		timeline_open(w->dir, w->job, w->site.slot, spawned ? -1 : w->site.spare, &err);
	if (w->timeline)
		hooks->does = does;
	else
		fprintf(stderr, "rollbench worker: no timeline: %s\n", err.text);
}

/* At the start of a job, a technique that was asked for and cannot be used ends the job. A
 * replacement goes on without it, and the record says so. */
static void adopt_power(struct worker *w, struct ledger *l)
{
	struct rb_error err;
	int rc = power_use_adopt(&w->power_use, l, &err);

	if (rc == RB_OK)
		return;
	if (w->site.spare >= 0) {
		power_use_trouble(&w->power_use, err.text);
		return;
	}
	l->status = rc;
	snprintf(l->message, sizeof l->message, "%s", err.text);
	l->phase = LEDGER_FAILED;
	ledger_sync(l);
	fprintf(stderr, "rollbench worker: %s\n", err.text);
	detector_stop(w->detector); /* the end of the job is no death */
	MPI_Abort(MPI_COMM_WORLD, 4);
}

/* A spare is bound to the core of its role when it takes over. */
static void adopted(void *ctx, int role, struct ledger *ledger)
{
	struct worker *w = ctx;
	struct roster_slot *self = &w->site.roster.slot[w->site.slot];
	struct rb_error err = { "" };

	timeline_adopt(w->timeline, role, ledger->incarnations);
	pin_self(w->core[role], ledger->binding, sizeof ledger->binding);
	gethostname(ledger->host, sizeof ledger->host - 1);
	ledger->pid = getpid();
	if (metering_adopt(&w->metering, role, ledger->incarnations, doomed(w, role),
			   room_for_spans(ledger->iterations), &err) != RB_OK)
		fprintf(stderr, "rollbench worker: nothing is metered: %s\n", err.text);
	self->front = ledger->front;
	self->role = role;
	here = ledger;
	adopt_power(w, ledger);
	inject_arm_chance(&w->site, w->spec.np, role, ledger->incarnations, where);
}

/* The first free slot after those of the initial processes. */
static int claim_slot(const struct roster *r, int first)
{
	for (int i = first; i < r->slots; i++) {
		int32_t none = 0;

		if (__atomic_compare_exchange_n(&r->slot[i].pid, &none, getpid(), false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return i;
	}
	return r->slots - 1;
}

/* Nodes are numbered in order of first appearance, by host name or by --node-size. */
static int node_of(const struct worker *w, char (*host)[ROSTER_HOST], int rank)
{
	int node = 0;

	if (w->spec.node_size > 0)
		return spec_node(&w->spec, rank);
	for (int i = 0; i <= rank; i++) {
		int seen = 0;

		while (strcmp(host[seen], host[i]) != 0)
			seen++;
		if (strcmp(host[i], host[rank]) == 0)
			return node;
		node += seen == i;
	}
	return node;
}

/* Store the names of all hosts, so that a process that is started later can number the nodes.
 * Processes of an earlier job on this host no longer exist. */
static void enter_hosts(struct roster *r, char (*host)[ROSTER_HOST], int size, const char *mine)
{
	for (int i = 0; i < size; i++) {
		memcpy(r->slot[i].host, host[i], ROSTER_HOST);
		if (strcmp(host[i], mine) != 0)
			r->slot[i].pid = 0;
	}
}

/* A process can kill only processes of its own host, so all ranks of a node must be on one host. */
static int check_node(const struct worker *w, char (*host)[ROSTER_HOST], int size, int rank,
		      struct rb_error *err)
{
	for (int i = 0; w->spec.node_size > 0 && i < size; i++)
		if (spec_node(&w->spec, i) == spec_node(&w->spec, rank) &&
		    strcmp(host[i], host[rank]) != 0)
			return rb_fail(
				err, RB_EINVAL,
				"--node-size %d: node %d would lie on hosts %s and %s; leave "
				"--node-size out, or choose one that divides the ranks of a host",
				w->spec.node_size, spec_node(&w->spec, rank), host[i], host[rank]);
	return RB_OK;
}

/* The roles of a host have its cores in order. A role that comes from another host gets a core
 * behind theirs. */
static void share_cores(struct worker *w, char (*host)[ROSTER_HOST], int rank)
{
	int np = w->spec.np, here = 0, before = 0;

	for (int i = 0; i < np; i++)
		if (strcmp(host[i], host[rank]) == 0)
			w->core[i] = here++;
	for (int i = np; i < rank; i++)
		before += strcmp(host[i], host[rank]) == 0;
	for (int i = 0; i < np; i++)
		if (strcmp(host[i], host[rank]) != 0)
			w->core[i] = here + before;
}

/* The first rank of another host; if there is none, the first of this host. */
static int partner_of_first(char (*host)[ROSTER_HOST], int size)
{
	for (int i = 1; i < size; i++)
		if (strcmp(host[i], host[0]) != 0)
			return i;
	return size > 1;
}

/* Enter this process in the roster, and find out where each role started. */
static int enlist(struct worker *w, bool spawned, int size, struct rb_error *err)
{
	int initial = w->spec.np + w->spec.spares, rank;
	struct roster *r = &w->site.roster;
	char(*host)[ROSTER_HOST] =
		calloc((size_t)(spawned ? initial + SPAWN_SLOTS : size), sizeof *host);
	char mine[ROSTER_HOST] = "";

	w->node = calloc((size_t)w->spec.np, sizeof *w->node);
	w->core = calloc((size_t)w->spec.np, sizeof *w->core);
	if (!host || !w->node || !w->core)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	RB_TRY(roster_open(r, w->dir, initial + SPAWN_SLOTS, err));
	gethostname(mine, sizeof mine - 1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (spawned) {
		rank = claim_slot(r, initial);
		for (int i = 0; i < r->slots; i++)
			memcpy(host[i], r->slot[i].host, ROSTER_HOST);
		memcpy(host[rank], mine, sizeof mine);
	} else {
		MPI_Allgather(mine, sizeof mine, MPI_BYTE, host, sizeof mine, MPI_BYTE,
			      MPI_COMM_WORLD);
		RB_TRY(check_node(w, host, size, rank, err));
		enter_hosts(r, host, size, mine);
		w->partner = partner_of_first(host, size);
	}
	w->site.slot = rank;
	w->site.spare = rank >= w->spec.np ? rank - w->spec.np : -1;
	r->slot[rank] = (struct roster_slot){ getpid(), -1, node_of(w, host, rank), 0, 0, "" };
	memcpy(r->slot[rank].host, mine, sizeof mine);
	for (int i = 0; i < w->spec.np; i++)
		w->node[i] = node_of(w, host, i);
	share_cores(w, host, rank);
	free(host);
	return RB_OK;
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

/* A run does not fail for want of one: the runtime notifies, too, and the record says that only it
 * does. */
static void start_detector(struct worker *w)
{
	struct rb_error err = { "" };

	if (!spec_goes_on(&w->spec))
		return;
	if (w->spec.detector == DETECTOR_HOST)
		w->detector = detector_start(w->dir, w->job, w->site.roster.slots, &err);
	describe_detector(w->dir, w->site.slot, w->detector, err.text);
}

static int run(struct worker *w, bool *recovered, struct rb_error *err)
{
	char params[128], self[SPEC_PATH], job[16],
		*args[] = { "worker", (char *)(uintptr_t)w->dir, job, NULL };
	struct kernel_plan plan;
	struct ft_config cfg = {
		.kernel = w->spec.kernel,
		.args = spec_args(&w->spec),
		.params = params,
		.strategy = w->spec.strategy,
		.replace = w->spec.replace,
		.recompute = w->spec.recompute,
		.transaction = w->spec.transaction,
		.constants = w->spec.constants,
		.program = self,
		.program_args = args,
		.np = w->spec.np,
		.schedule = spec_schedule(&w->spec),
		.lag = w->spec.lag,
		.power = { .waits_at_front = w->spec.power != POWER_NONE,
			   .sleeps = power_sleeps(w->spec.power),
			   .ctx = &w->power_use,
			   .reduce = power_sets_core(w->spec.power) ? power_use_reduce : NULL,
			   .slow = w->spec.power == POWER_SLOW_ALL ? power_use_slow : NULL },
		.stale_replay = w->spec.control == CONTROL_REPLAY,
		.paired = w->spec.paired,
		.dir = w->dir,
		.hooks = { .ctx = w, .adopted = adopted },
	};
	MPI_Comm parents;
	int size;

	sched_getaffinity(0, sizeof cfg.helpers, &cfg.helpers); /* before we are bound to a core */
	pin_prepare();
	program_path(self, sizeof self);
	snprintf(job, sizeof job, "%d", w->job);
	RB_TRY(policy_parse(&cfg.policy, w->spec.policy, err));
	RB_TRY(levels_parse(&cfg.levels, w->spec.ckpt, err));
	RB_TRY(cfg.kernel->plan(&cfg.args, cfg.np, &plan, err));
	cfg.iterations = plan.iterations;
	canonical_params(&w->spec, params, sizeof params);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_parent(&parents);
	if (parents == MPI_COMM_NULL && size != w->spec.np + w->spec.spares)
		return rb_fail(err, RB_EINVAL,
			       "started with %d processes, but the run needs %d "
			       "roles and %d spares",
			       size, w->spec.np, w->spec.spares);
	RB_TRY(enlist(w, parents != MPI_COMM_NULL, size, err));
	cfg.policy.node = w->node;
	cfg.here = w->site.roster.slot[w->site.slot].node;
	RB_TRY(metering_open(&w->metering, w->spec.meters, w->dir, err));
	open_timeline(w, parents != MPI_COMM_NULL, &cfg.hooks);
	if (w->spec.meters != METERS_OFF || w->timeline)
		cfg.hooks.enters = enters;
	if (w->spec.plan.count > 0 ||
	    w->spec.mtbf_s > 0) /* without kills, not even a call is spent */
		cfg.hooks.reached = reached;
	if (parents == MPI_COMM_NULL)
		RB_TRY(describe_mpi(w->dir, &w->site.roster, w->partner, spec_goes_on(&w->spec),
				    err));
	start_detector(w);
	return ft_run(&cfg, recovered, err);
}

/* What went wrong before a process began MPI_Init is no death of a process. */
static void tell_start(const struct worker *w)
{
	char path[EVENT_PATH];
	struct event e;

	event_path(w->dir, path);
	event_begin(&e, "started");
	event_integer(&e, "job", w->job);
	event_integer(&e, "pid", getpid());
	event_write(&e, path);
}

int worker_main(const char *dir, int job)
{
	struct worker w = { .dir = dir, .job = job };
	struct rb_error err = { "" };
	bool recovered = false;
	int rc, threads;

	end_with_parent(getppid()); /* no rank outlives the daemon that started it */
	/* Otherwise a process that sends to a rank of another host while that rank dies would die,
	 * too. */
	signal(SIGPIPE, SIG_IGN);
	if (spec_load(&w.spec, dir, &err) != RB_OK) {
		fprintf(stderr,
			"rollbench worker: %s; all hosts must see the folder of the run "
			"(--workdir)\n",
			err.text);
		return 2;
	}
	w.site = (struct inject_site){
		.plan = &w.spec.plan, .dir = dir, .mtbf_s = w.spec.mtbf_s, .seed = w.spec.seed
	};
	w.power_use.technique = w.spec.power;
	rc = power_guard(w.spec.power, &err); /* a fork: before MPI */
	tell_start(&w);
	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads); /* one that writes files */
	if (rc == RB_OK)
		rc = run(&w, &recovered, &err);
	detector_stop(w.detector);
	timeline_close(w.timeline);
	power_use_close(&w.power_use);
	if (rc == RB_ESPARES) /* all survivors have decided so, and each one leaves alone */
		_exit(0);
	if (rc != RB_OK && rc != RB_EMPI && rc != RB_LOST)
		/* nobody died, and a new job would refuse, too */
		events_add(dir, "refused",
			   json_pack("{s:i, s:o}", "job", job, "text", text_json(err.text)));
	if (rc != RB_OK) {
		fprintf(stderr, "rollbench worker: %s\n", err.text);
		MPI_Abort(MPI_COMM_WORLD, 4);
	}
	/* After a failure, MPI_Finalize sometimes hangs although all results are written. */
	if (recovered)
		_exit(0);
	metering_close(&w.metering);
	MPI_Finalize();
	return 0;
}
