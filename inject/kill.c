#include "inject/kill.h"

#include "base/clock.h"
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

/* A death at a given time. It is static because a signal handler has to find it. Its path is made
 * beforehand because a handler must not make it. */
static struct shot {
	struct inject_site *site;
	char path[PATH];
	inject_where *where; /* NULL: within the repair */
	enum inject_who who;
} repair_shot, chance_shot;

static void marker_path(const char *dir, size_t k, char *out, size_t size)
{
	snprintf(out, size, "%s/kill.%zu", dir, k);
}

/* O_EXCL decides which process dies. From here to the signal there are only async-signal-safe
 * calls. */
static void fire(struct inject_site *site, const char *path, int64_t iter, enum inject_phase phase,
		 int64_t amount, enum inject_who who)
{
	struct inject_mark mark = { .iter = iter, .amount = amount, .phase = (int32_t)phase };
	const struct roster_slot *self = &site->roster.slot[site->slot];
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

	if (fd < 0)
		return;
	mark.when = clock_now();
	if (who >= INJECT_NODE)
		mark.count = roster_kill_node(&site->roster, site->dir, site->slot, mark.victim,
					      MARK_VICTIMS);
	else
		mark.victim[mark.count++] = self->role;
	if (write(fd, &mark, sizeof mark) != (ssize_t)sizeof mark && who < INJECT_NODE)
		/* a kill that cannot be recorded is not carried out; the record lists it as
		 * unfired */
		return;
	if (who == INJECT_HOST)
		/* the daemon started this process */
		kill(getppid() > 1 ? getppid() : getpid(), SIGKILL);
	kill(getpid(), SIGKILL);
}

/* Marker files also count earlier passes of the same point. */
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
	fire(site, shot->path, iter, phase, amount, shot->who);
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
	char path[PATH];

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
		marker_path(site->dir, k, path, sizeof path);
		if (access(path, F_OK) == 0 || !pass(site->dir, k, kill))
			continue;
		if (phase != INJECT_REPAIR) {
			fire(site, path, where, phase, kill->amount, kill->who);
			continue;
		}
		memcpy(repair_shot.path, path, sizeof path);
		repair_shot.site = site;
		repair_shot.who = kill->who;
		arm(&repair_shot, 1e-6 * (double)kill->amount);
	}
}

void inject_kill_idle_spare(struct inject_site *site)
{
	char path[PATH];

	for (size_t k = 0; k < site->plan->count; k++) {
		const struct inject_kill *kill = &site->plan->kill[k];

		if (kill->who != INJECT_SPARE || kill->phase != INJECT_START || !hits(site, kill) ||
		    roster_front(&site->roster) < kill->iter)
			continue;
		marker_path(site->dir, k, path, sizeof path);
		fire(site, path, kill->iter, INJECT_START, 0, kill->who);
	}
}

static void chance_path(const char *dir, int role, int nth, char *out, size_t size)
{
	snprintf(out, size, "%s/death.%d.%d", dir, role, nth);
}

void inject_arm_chance(struct inject_site *site, int np, int role, int nth, inject_where *where)
{
	uint64_t bits = mix(mix(mix(site->seed) + (uint64_t)role) + (uint64_t)nth);
	double uniform = ((double)(bits >> 11) + 0.5) * 0x1p-53;

	if (site->mtbf_s <= 0)
		return;
	chance_shot.site = site;
	chance_shot.where = where;
	chance_shot.who = INJECT_ROLE;
	chance_path(site->dir, role, nth, chance_shot.path, sizeof chance_shot.path);
	arm(&chance_shot, -log(uniform) * site->mtbf_s * np);
}

static bool read_mark(const char *path, struct inject_mark *mark)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fread(mark, sizeof *mark, 1, f) == 1;

	if (f)
		fclose(f);
	return ok;
}

bool inject_fired(const char *dir, size_t k, struct inject_mark *mark)
{
	char path[PATH];

	marker_path(dir, k, path, sizeof path);
	return read_mark(path, mark);
}

bool inject_chance_fired(const char *dir, int role, int nth, struct inject_mark *mark)
{
	char path[PATH];

	chance_path(dir, role, nth, path, sizeof path);
	return read_mark(path, mark);
}
