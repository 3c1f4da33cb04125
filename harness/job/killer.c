#include "harness/job/killer.h"

#include "base/clock.h"
#include "base/event.h"
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
	/* the process that each kill has ended; 0: none yet */
	_Atomic int32_t hit[OUTSIDE_MAX];
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

/* What the process is now, which may change while this reads. Returns its role; -1: it has none. */
static int32_t add_place(const struct killer *k, struct event *e, int32_t pid, double now)
{
	const volatile struct roster_slot *spare = k->roster.slot + k->spec->np;
	int32_t role = -1;
	double began;

	for (int r = 0; r < k->spec->np && role < 0; r++) {
		const volatile struct ledger *l = k->ledger[r];

		if (l->pid != pid)
			continue;
		role = r;
		event_word(e, "phase", ledger_phase_name((enum ledger_phase)l->phase));
		event_integer(e, "iteration", l->front);
	}
	for (int s = 0; s < k->spec->spares; s++)
		if (spare[s].pid == pid)
			event_integer(e, "spare", s);
	began = loop_began(k, role);
	if (began >= 0 && now >= began)
		event_seconds(e, "loop_s", now - began);
	return role;
}

/* At its start a process has no role yet, unless all have been quick. */
static struct event describe(struct killer *k, size_t i, int32_t pid)
{
	const double now = clock_now();
	int32_t role = -1;
	struct event e;

	event_begin_at(&e, "kill", now);
	event_integer(&e, "clock", (int64_t)i);
	event_integer(&e, "pid", pid);
	if (!k->spec->outside.kill[i].startup || all_ready(k))
		role = add_place(k, &e, pid, now);
	event_integers(&e, "victims", &role, 1);
	return e;
}

/* A process that was killed a moment ago can still look alive. */
static bool was_hit(const struct killer *k, int32_t pid)
{
	for (size_t i = 0; i < k->spec->outside.count; i++)
		if (k->hit[i] == pid)
			return true;
	return false;
}

static void fire(struct killer *k, size_t i)
{
	const int32_t pid = pid_of(k, &k->spec->outside.kill[i]);
	const int fd = was_hit(k, pid) ? -1 : member_open(pid, k->dir);
	char path[EVENT_PATH];
	struct event e;

	if (fd < 0)
		return;
	e = describe(k, i, pid);
	event_path(k->dir, path);
	if (member_kill(fd)) {
		k->hit[i] = pid;
		event_write(&e, path);
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
	const struct outside_kill *kill = k->spec->outside.kill;
	double zero = 0;

	for (size_t i = 0; i < k->spec->outside.count; i++) {
		if ((i == 0 || kill[i].startup != kill[i - 1].startup) &&
		    !await(k, kill[i].startup, &zero))
			return NULL;
		if (!look_until(k, zero + kill[i].at_s))
			return NULL;
		fire(k, i);
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
	rc = k->ledger && k->rank ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
	if (rc == RB_OK)
		rc = clockwork_start(&k->clock, kill_all, k, "--kill-at", err);
	if (rc != RB_OK) {
		release(k);
		return rc;
	}
	*out = k;
	return RB_OK;
}

bool killer_hit_start(const struct killer *k)
{
	bool hit = false;

	for (size_t i = 0; k && i < k->spec->outside.count; i++)
		hit = hit || (k->hit[i] && k->spec->outside.kill[i].startup);
	return hit;
}

void killer_stop(struct killer *k)
{
	if (!k)
		return;
	clockwork_stop(&k->clock);
	release(k);
}
