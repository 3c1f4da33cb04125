#include "ft/recovery/front_wait.h"

#include "base/clock.h"
#include "ft/msg/nap.h"

static const double WOKEN_MOST_S = 50e-3; /* the longest nap of a role that will be woken */

/* A role that was behind tells all roles that wait. The requests end with those of the replay.
 * Wake-ups follow after all messages are sent, so that all roles go on together. */
static int announce(struct role *r, const struct wakeup *w)
{
	for (int d = 0; d < r->cfg->np; d++)
		if (r->ports.demand.front[d] == r->recovery.meeting)
			RB_TRY(link_send(&r->link, &r->replay.requests, NULL, 0, d, TAG_FRONT));
	for (int d = 0; d < r->cfg->np; d++)
		if (r->ports.demand.front[d] == r->recovery.meeting)
			wakeup_send(w, d, r->epoch);
	return RB_OK;
}

/* Can every role that is behind send a wake-up here? */
static bool all_wake(const struct role *r, const struct wakeup *w)
{
	for (int s = 0; s < r->cfg->np; s++)
		if (r->ports.demand.front[s] < r->recovery.meeting && !wakeup_reaches(w, s))
			return false;
	return true;
}

/* A role that was woken tests again soon: the message may arrive a little later. */
static void sleep_on(const struct role *r, const struct wakeup *w, struct nap *pause)
{
	if (pause->most < WOKEN_MOST_S && all_wake(r, w))
		pause->most = WOKEN_MOST_S;
	if (wakeup_wait(w, nap_next_ns(pause), r->epoch)) {
		pause->begun = clock_monotonic();
		pause->expected = 0;
	}
}

static int expect(struct role *r)
{
	for (int s = 0; s < r->cfg->np; s++)
		if (r->ports.demand.front[s] < r->recovery.meeting)
			RB_TRY(link_receive(&r->link, &r->link.receives, NULL, 0, s, TAG_FRONT));
	return RB_OK;
}

/* *is: this role can only wait. It has no replay and no part in a checkpoint to do. */
static int idle(struct role *r, struct save *save, bool *is, struct rb_error *err)
{
	bool replayed;

	RB_TRY(link_test(&r->link, &r->replay.requests, &replayed));
	RB_TRY(save_poll(save, err));
	*is = replayed && !save_busy(save);
	return RB_OK;
}

/* Seconds until the last role is at the front, if it goes through its iterations as fast as this
 * one did. */
static double expected(const struct role *r)
{
	const struct ledger_phases *p = &r->ledger->phases;
	int64_t least = r->front;

	for (int s = 0; s < r->cfg->np; s++)
		least = r->ports.demand.front[s] < least ? r->ports.demand.front[s] : least;
	return p->iterations > 0 ? p->total / (double)p->iterations * (double)(r->front - least)
				 : 0;
}

static int await(struct role *r, struct save *save, const struct wakeup *w, struct rb_error *err)
{
	const struct ft_power *power = &r->cfg->power;
	bool reduced = false, told = false, is_idle = false, all = false;
	double cpu = clock_thread();
	struct nap pause;
	int rc = RB_OK;

	role_enter(r, LEDGER_BLOCKED);
	nap_begin(&pause, expected(r));
	while (rc == RB_OK && !all) {
		rc = link_test(&r->link, &r->link.receives, &all);
		if (rc == RB_OK && !all)
			rc = idle(r, save, &is_idle, err);
		if (rc != RB_OK || all)
			break;
		if (is_idle && !reduced && power->reduce) {
			power->reduce(power->ctx, true);
			reduced = true;
		}
		role_spends(r, LEDGER_BLOCKED); /* so that a long wait has samples */
		if (is_idle && power->sleeps)
			sleep_on(r, w, &pause);
		if (is_idle && !told)
			role_reached(r, r->recovery.front_before, FT_BLOCKED);
		told = told || is_idle;
	}
	if (reduced)
		power->reduce(power->ctx, false);
	r->link.wait.cpu += clock_thread() - cpu;
	/* until all others are awake, too */
	r->link.wait.sleeps = power->sleeps && r->link.wait.watched;
	return rc;
}

int front_wait(struct role *r, struct save *save, const struct wakeup *w, struct rb_error *err)
{
	const struct ft_power *power = &r->cfg->power;

	if (r->recovery.meeting < 0 || r->front != r->recovery.meeting)
		return RB_OK;
	if (power->slow)
		power->slow(power->ctx, false);
	if (r->ports.demand.front[r->id] < r->recovery.meeting) {
		RB_TRY(announce(r, w));
	} else {
		RB_TRY(expect(r));
		RB_TRY(await(r, save, w, err));
	}
	r->recovery.meeting = -1;
	return RB_OK;
}
