#include "harness/job/killer.h"

#include "base/clock.h"
#include "base/status.h"
#include "ft/ledger.h"
#include "harness/job/clockwork.h"
#include "harness/job/member.h"
#include "inject/roster.h"

#include <stdlib.h>
#include <unistd.h>

/* until all processes, then all ledgers, are there, they are looked for so often */
static const double LOOK_S = 0.001;

struct killer {
	const struct run_spec *spec;
	const char *dir;
	struct clockwork clock;
	const struct ledger **ledger; /* np; NULL: not there yet */
	struct roster roster;         /* of the processes that the first job began with */
	bool listed;                  /* the roster is mapped */
	/* when ledgers and roster were first seen complete; 0: not yet */
	double ready;
	/* np + spares: the processes of the first job; 0: not there yet */
	pid_t *rank;
	struct outside_mark mark[OUTSIDE_MAX];
};

/* Do all roles have their ledgers, and all processes their places in the roster? */
static bool all_ready(struct killer *k)
{
	const int initial = k->spec->np + k->spec->spares;
	bool there;

	for (int r = 0; r < k->spec->np; r++) {
		k->ledger[r] = k->ledger[r] ? k->ledger[r] : ledger_map(k->dir, r);
		if (!k->ledger[r] || !((const volatile struct ledger *)k->ledger[r])->pid)
			return false;
	}
	k->listed = k->listed || roster_view(&k->roster, k->dir, initial);
	there = k->listed;
	for (int i = 0; i < initial && there; i++)
		there = ((const volatile struct roster_slot *)k->roster.slot)[i].pid != 0;
	return there;
}

static bool all_started(struct killer *k)
{
	const int initial = k->spec->np + k->spec->spares;

	return member_ranks(k->dir, k->rank, initial) == initial;
}

static int32_t pid_of(const struct killer *k, const struct outside_kill *kill)
{
	if (kill->startup)
		return (int32_t)
			k->rank[kill->number + (kill->who == INJECT_SPARE ? k->spec->np : 0)];
	if (kill->who == INJECT_SPARE)
		return ((const volatile struct roster_slot *)
				k->roster.slot)[k->spec->np + kill->number]
			.pid;
	return (int32_t)((const volatile struct ledger *)k->ledger[kill->number])->pid;
}

/* When the loop began that a process takes part in; -1: not yet. A spare has no loop of its own. */
static double loop_began(const struct killer *k, int role)
{
	double first = -1;

	for (int r = 0; r < k->spec->np; r++) {
		double began = ((const volatile struct ledger *)k->ledger[r])->t_loop;

		if (role == r)
			return began;
		if (began >= 0 && (first < 0 || began < first))
			first = began;
	}
	return first;
}

/* What the process is now. Its role may change while this reads: then the role is the one of the
 * first look. At the start it has no role yet, unless all have been quick. */
static void describe(struct killer *k, int32_t pid, struct outside_mark *mark)
{
	double began;

	mark->when = clock_now();
	if (mark->kill.startup && !all_ready(k))
		return;
	for (int r = 0; r < k->spec->np; r++) {
		const volatile struct ledger *l = k->ledger[r];

		if (l->pid != pid)
			continue;
		mark->role = r;
		mark->phase = l->phase;
		mark->front = l->front;
	}
	for (int s = 0; s < k->spec->spares; s++)
		if (((const volatile struct roster_slot *)k->roster.slot)[k->spec->np + s].pid ==
		    pid)
			mark->spare = s;
	began = loop_began(k, mark->role);
	mark->loop_s = began < 0 || mark->when < began ? -1 : mark->when - began;
}

/* A process that was killed a moment ago can still look alive. */
static bool was_hit(const struct killer *k, int32_t pid)
{
	for (size_t i = 0; i < k->spec->outside.count; i++)
		if (k->mark[i].pid == pid)
			return true;
	return false;
}

static void fire(struct killer *k, struct outside_mark *mark)
{
	int32_t pid = pid_of(k, &mark->kill);
	int fd = was_hit(k, pid) ? -1 : member_open(pid, k->dir);
	struct outside_mark seen = *mark;

	if (fd < 0)
		return;
	describe(k, pid, &seen);
	if (member_kill(fd)) {
		*mark = seen;
		mark->pid = pid;
	}
	close(fd);
}

static void note_ready(struct killer *k, double now)
{
	if (k->ready == 0 && all_ready(k))
		k->ready = now;
}

/* Sleep until that time, but note the moment at which all are ready. false: the thread is to
 * end. */
static bool look_until(struct killer *k, double at)
{
	double now = clock_monotonic();

	while (now < at) {
		note_ready(k, now);
		if (!clockwork_sleep_until(&k->clock,
					   k->ready > 0 || now + LOOK_S > at ? at : now + LOOK_S))
			return false;
		now = clock_monotonic();
	}
	return true;
}

/* Wait until all processes have started, or until all are ready. *zero: when. false: the thread is
 * to end. */
static bool await(struct killer *k, bool startup, double *zero)
{
	for (;;) {
		*zero = clock_monotonic();
		note_ready(k, *zero);
		if (startup ? all_started(k) : k->ready > 0)
			break;
		if (!clockwork_sleep_until(&k->clock, *zero + LOOK_S))
			return false;
	}
	*zero = startup ? *zero : k->ready;
	return true;
}

static void *kill_all(void *arg)
{
	struct killer *k = arg;
	struct rb_error ignored; /* the file is there, and has its size */
	double zero = 0;

	for (size_t i = 0; i < k->spec->outside.count; i++) {
		const struct outside_kill *kill = &k->mark[i].kill;

		if ((i == 0 || kill->startup != k->mark[i - 1].kill.startup) &&
		    !await(k, kill->startup, &zero))
			return NULL;
		if (!look_until(k, zero + kill->at_s))
			return NULL;
		fire(k, &k->mark[i]);
		outside_write(k->dir, k->mark, k->spec->outside.count, &ignored);
	}
	return NULL;
}

static void release(struct killer *k)
{
	for (int r = 0; r < k->spec->np && k->ledger; r++)
		ledger_unmap(k->ledger[r]);
	if (k->listed)
		roster_close(&k->roster);
	free((void *)(uintptr_t)k->ledger);
	free(k->rank);
	free(k);
}

static struct killer *make(const struct run_spec *spec, const char *dir)
{
	struct killer *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->spec = spec;
	k->dir = dir;
	k->ledger = calloc((size_t)spec->np, sizeof *k->ledger);
	k->rank = calloc((size_t)(spec->np + spec->spares), sizeof *k->rank);
	for (size_t i = 0; i < spec->outside.count; i++)
		k->mark[i] = (struct outside_mark){ .kill = spec->outside.kill[i],
						    .role = -1,
						    .spare = -1,
						    .phase = -1,
						    .front = -1,
						    .loop_s = -1 };
	return k;
}

int killer_start(struct killer **out, const struct run_spec *spec, const char *dir,
		 struct rb_error *err)
{
	struct killer *k;
	int rc;

	*out = NULL;
	if (spec->outside.count == 0)
		return RB_OK;
	RB_TRY(member_check(err));
	k = make(spec, dir);
	if (!k)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	rc = k->ledger && k->rank ? outside_write(dir, k->mark, spec->outside.count, err)
				  : rb_fail(err, RB_ENOMEM, "out of memory");
	if (rc == RB_OK)
		rc = clockwork_start(&k->clock, kill_all, k, "--kill-at", err);
	if (rc != RB_OK) {
		release(k);
		return rc;
	}
	*out = k;
	return RB_OK;
}

void killer_stop(struct killer *k)
{
	if (!k)
		return;
	clockwork_stop(&k->clock);
	release(k);
}
