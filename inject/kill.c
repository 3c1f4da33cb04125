#include "inject/kill.h"

#include "base/clock.h"
#include "base/event.h"
#include "base/mix.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOT (SIGRTMIN + 3) /* the signal for deaths that happen at a given time */

enum { PATH = 4096 };

/* What carries out a kill. Its paths are made beforehand, because a signal handler must not make
 * them. */
struct death {
	/* "plan": kill number `number` of the plan; "chance": that of the process that is the
	 * number-th to play its role */
	const char *cause;
	int64_t number;
	enum inject_who who;
	char claim[PATH]; /* whoever makes this file dies; "": no other process could */
	char events[EVENT_PATH];
};

/* A death at a given time. It is static because a signal handler has to find it. */
static struct shot {
	struct inject_site *site;
	struct death death;
	inject_where *where; /* NULL: within the repair */
} repair_shot, chance_shot;

static void plan_death(struct death *d, const char *dir, size_t k, enum inject_who who)
{
	d->cause = "plan";
	d->number = (int64_t)k;
	d->who = who;
	snprintf(d->claim, sizeof d->claim, "%s/kill.%zu", dir, k);
	event_path(dir, d->events);
}

/* O_EXCL decides which process dies. */
static bool claim(const struct death *d)
{
	int fd;

	if (!d->claim[0])
		return true;
	fd = open(d->claim, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* All processes of a node are to die at the same time, since survivors know at once of the first
 * death. So the others are found, and the kill is recorded, before the first signal.
 * From here to the signals there are only async-signal-safe calls. */
static void fire(struct inject_site *site, const struct death *d, int64_t iter,
		 enum inject_phase phase, int64_t amount)
{
	const struct roster *roster = &site->roster;
	struct roster_process other[KILL_VICTIMS];
	int32_t victim[KILL_VICTIMS] = { roster->slot[site->slot].role };
	int others = 0, next = 0;
	struct event e;

	if (!claim(d))
		return;
	event_begin(&e, "kill");
	event_integer(&e, d->cause, d->number);
	event_integer(&e, "iteration", iter);
	event_word(&e, "phase", inject_phase_name(phase));
	event_integer(&e, "amount", amount);
	if (d->who >= INJECT_NODE)
		others = roster_find_node(roster, site->dir, site->slot, &next, other,
					  KILL_VICTIMS - 1);
	for (int i = 0; i < others; i++)
		victim[1 + i] = other[i].role;
	event_integers(&e, "victims", victim, 1 + others);
	if (!event_write(&e, d->events))
		/* a kill that cannot be recorded is not carried out; the record lists it as
		 * unfired */
		return;
	while (others > 0) {
		for (int i = 0; i < others; i++)
			kill(other[i].pid, SIGKILL);
		others =
			roster_find_node(roster, site->dir, site->slot, &next, other, KILL_VICTIMS);
	}
	if (d->who == INJECT_HOST)
		/* the daemon started this process */
		kill(getppid() > 1 ? getppid() : getpid(), SIGKILL);
	kill(getpid(), SIGKILL);
}

/* Files also count earlier passes of the same point. */
static bool pass(const char *dir, size_t k, const struct inject_kill *kill)
{
	char path[PATH];

	for (int n = 1; n < kill->nth; n++) {
		int fd;

		snprintf(path, sizeof path, "%s/kill.%zu.pass%d", dir, k, n);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			return false;
		}
	}
	return true;
}

static bool hits(const struct inject_site *site, const struct inject_kill *kill)
{
	const struct roster_slot *self = &site->roster.slot[site->slot];

	switch (kill->who) {
	case INJECT_ROLE:
		return self->role == kill->number;
	case INJECT_SPARE:
		return self->role < 0 && site->spare == kill->number;
	default:
		return self->node == kill->number;
	}
}

static bool due(const struct inject_kill *kill, int64_t iter, enum inject_phase phase, int op)
{
	if (kill->phase != phase)
		return false;
	switch (phase) {
	case INJECT_CHECKPOINT:
		return iter >= kill->iter;
	case INJECT_RECOVERY:
	case INJECT_REPAIR:
	case INJECT_RESTORE:
	case INJECT_REPLAY:
	case INJECT_SUPPORT:
	case INJECT_BLOCKED:
		return iter >= kill->iter - 1;
	case INJECT_OPERATION:
		return iter == kill->iter && op == kill->amount;
	default:
		return iter == kill->iter;
	}
}

static void on_time(int sig, siginfo_t *info, void *context)
{
	struct shot *shot = info->si_value.sival_ptr;
	struct inject_site *site = shot->site;
	enum inject_phase phase = INJECT_REPAIR;
	int64_t amount = (int64_t)(1e6 * (clock_monotonic() - site->repair_began));
	int64_t iter = site->roster.slot[site->slot].front;

	(void)sig, (void)context;
	if (shot->where)
		phase = shot->where(&iter, &amount);
	fire(site, &shot->death, iter, phase, amount);
}

void inject_cease(void)
{
	signal(SHOT, SIG_IGN);
}

/* Send the signal in `seconds`. */
static void arm(struct shot *shot, double seconds)
{
	struct sigaction action = { .sa_sigaction = on_time, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SHOT };
	struct itimerspec at = { .it_value = { (time_t)seconds,
					       (long)(1e9 * (seconds - floor(seconds))) + 1 } };
	timer_t timer;

	event.sigev_value.sival_ptr = shot;
	sigaction(event.sigev_signo, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &at, NULL);
}

void inject_kill_here(struct inject_site *site, int64_t iter, enum inject_phase phase, int op)
{
	struct roster_slot *self = &site->roster.slot[site->slot];
	struct death death;

	if (phase == INJECT_START)
		self->front = iter;
	if (phase == INJECT_REPAIR)
		site->repair_began = clock_monotonic();
	for (size_t k = 0; k < site->plan->count; k++) {
		const struct inject_kill *kill = &site->plan->kill[k];
		/* A spare does not know where the roles are. */
		int64_t where = self->role < 0 ? roster_front(&site->roster) : iter;

		if (!hits(site, kill) || !due(kill, where, phase, op))
			continue;
		plan_death(&death, site->dir, k, kill->who);
		if (access(death.claim, F_OK) == 0 || !pass(site->dir, k, kill))
			continue;
		if (phase != INJECT_REPAIR) {
			fire(site, &death, where, phase, kill->amount);
			continue;
		}
		repair_shot.death = death;
		repair_shot.site = site;
		arm(&repair_shot, 1e-6 * (double)kill->amount);
	}
}

void inject_kill_idle_spare(struct inject_site *site)
{
	struct death death;

	for (size_t k = 0; k < site->plan->count; k++) {
		const struct inject_kill *kill = &site->plan->kill[k];

		if (kill->who != INJECT_SPARE || kill->phase != INJECT_START || !hits(site, kill) ||
		    roster_front(&site->roster) < kill->iter)
			continue;
		plan_death(&death, site->dir, k, kill->who);
		fire(site, &death, kill->iter, INJECT_START, 0);
	}
}

void inject_arm_chance(struct inject_site *site, int np, int role, int nth, inject_where *where)
{
	uint64_t bits = mix(mix(mix(site->seed) + (uint64_t)role) + (uint64_t)nth);
	double uniform = ((double)(bits >> 11) + 0.5) * 0x1p-53;

	if (site->mtbf_s <= 0)
		return;
	chance_shot.site = site;
	chance_shot.where = where;
	chance_shot.death = (struct death){ .cause = "chance", .number = nth, .who = INJECT_ROLE };
	event_path(site->dir, chance_shot.death.events);
	arm(&chance_shot, -log(uniform) * site->mtbf_s * np);
}
