/* Kills processes of a job by the clock, from outside: they can die at any instruction. */
#include "harness/kind/elc/elc_run.h"

#include "base/clock.h"
#include "base/status.h"
#include "harness/job/clockwork.h"
#include "harness/job/member.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* until that moment has come, it is looked for so often */
static const double LOOK_S = 0.001;

struct elc_killer {
	const struct elc_plan *plan;
	const char *dir;
	int job;
	const struct outside_plan *kills;
	struct clockwork clock;
	pid_t *rank;
	bool dead[OUTSIDE_MAX]; /* kills that were sent */
	atomic_int sent;
};

/* Wait until all processes are the program (startup), or until all are at the end of
 * elc_restarted(). *zero: when. false: the thread is to end. */
static bool await(struct elc_killer *k, bool startup, double *zero)
{
	for (;;) {
		*zero = clock_monotonic();
		if ((startup || elc_has_begun(k->dir, k->job)) &&
		    member_ranks(k->dir, k->rank, k->plan->np) == k->plan->np)
			return true;
		if (!clockwork_sleep_until(&k->clock, *zero + LOOK_S))
			return false;
	}
}

static void *kill_all(void *arg)
{
	struct elc_killer *k = arg;
	double zero;

	if (!await(k, k->kills->kill[0].startup, &zero))
		return NULL;
	for (size_t i = 0; i < k->kills->count; i++) {
		const struct outside_kill *kill = &k->kills->kill[i];
		int fd;

		if (!clockwork_sleep_until(&k->clock, zero + kill->at_s))
			return NULL;
		fd = member_open(k->rank[kill->number], k->dir);
		k->dead[i] = fd >= 0 && member_kill(fd);
		atomic_fetch_add(&k->sent, k->dead[i]);
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

int elc_killer_start(struct elc_killer **out, const struct elc_plan *p, const char *dir, int job,
		     struct rb_error *err)
{
	struct elc_killer *k;
	int rc;

	*out = NULL;
	if (job >= p->kills || p->kill[job].clock.count == 0)
		return RB_OK;
	RB_TRY(member_check(err));
	k = calloc(1, sizeof *k);
	if (!k)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	k->plan = p;
	k->dir = dir;
	k->job = job;
	k->kills = &p->kill[job].clock;
	k->rank = calloc((size_t)p->np, sizeof *k->rank);
	rc = k->rank ? clockwork_start(&k->clock, kill_all, k, "--kill-at", err)
		     : rb_fail(err, RB_ENOMEM, "out of memory");
	if (rc != RB_OK) {
		free(k->rank);
		free(k);
		return rc;
	}
	*out = k;
	return RB_OK;
}

int elc_killer_sent(struct elc_killer *k)
{
	return k ? atomic_load(&k->sent) : 0;
}

void elc_killer_stop(struct elc_killer *k, bool dead[OUTSIDE_MAX])
{
	if (!k)
		return;
	clockwork_stop(&k->clock);
	for (size_t i = 0; i < k->kills->count; i++)
		dead[i] = k->dead[i];
	free(k->rank);
	free(k);
}
