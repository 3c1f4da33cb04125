#include "harness/job/role_watch.h"

#include "base/status.h"
#include "ft/ledger.h"
#include "harness/job/proc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

enum { REFRESHES = 256 }; /* ledgers mapped again in one look */

struct role {
	const struct ledger *ledger; /* NULL: none yet */
	int32_t before;              /* processes that had played it when the watch began */
	/* of the repair that the role is in, since that time; since < 0: it is in none */
	int64_t epoch;
	double since;
};

struct role_watch {
	const char *dir;
	struct role *role; /* np */
	int np, looks;
	bool remote;
};

/* A network file system shows what another host writes to a mapped file only after the file is
 * opened again. So some of those ledgers are mapped again in each look, all of them in turn. */
static bool is_stale(const struct role_watch *w, int role)
{
	int turns = w->np / REFRESHES + 1;

	return w->remote && role % turns == w->looks % turns;
}

static const struct ledger *ledger_of(struct role_watch *w, int role)
{
	const struct ledger **ledger = &w->role[role].ledger;

	if (*ledger && is_stale(w, role)) {
		ledger_unmap(*ledger);
		*ledger = NULL;
	}
	if (!*ledger)
		*ledger = ledger_map(w->dir, role);
	return *ledger;
}

struct role_watch *role_watch_new(const char *dir, int np, bool remote)
{
	struct role_watch *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	*w = (struct role_watch){ dir, calloc((size_t)np, sizeof *w->role), np, 0, remote };
	if (!w->role) {
		free(w);
		return NULL;
	}
	for (int r = 0; r < np; r++) {
		const struct ledger *l = ledger_of(w, r);

		w->role[r].before = l ? l->incarnations : 0;
		w->role[r].since = -1;
	}
	return w;
}

void role_watch_free(struct role_watch *w)
{
	if (!w)
		return;
	for (int r = 0; r < w->np; r++)
		ledger_unmap(w->role[r].ledger);
	free(w->role);
	free(w);
}

/* Has its process died, and no other one has the role yet? Perhaps nobody has noticed: the MPI
 * reports a death to those only who wait for the dead process, and they may be dead, too. */
static bool is_vacant(const struct role_watch *w, const volatile struct ledger *l)
{
	return !w->remote && l->pid > 0 && l->finished_at < 0 && l->phase != LEDGER_FAILED &&
	       kill((pid_t)l->pid, 0) != 0 && errno == ESRCH;
}

/* Seconds since the role was first seen in the repair that it is in, or to need one. A repair that
 * has closed has an event. */
static double repairing(const struct role_watch *w, struct role *role,
			const volatile struct ledger *l, double now)
{
	if ((!l->recovering && !is_vacant(w, l)) || l->incarnations == role->before) {
		role->since = -1;
		return 0;
	}
	if (role->since < 0 || role->epoch != l->last_epoch)
		role->since = now;
	role->epoch = l->last_epoch;
	return now - role->since;
}

static double mean(double sum, int64_t count)
{
	return count > 0 ? sum / (double)count : 0;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

struct progress role_watch_look(struct role_watch *w, double now)
{
	struct progress p = { .spares = true };

	for (int r = 0; r < w->np; r++) {
		const volatile struct ledger *l = ledger_of(w, r); /* its role may be writing */
		bool failed = l && l->phase == LEDGER_FAILED;

		p.there += l != NULL;
		p.finished += l && l->finished_at >= 0;
		p.gave_up = p.gave_up || failed;
		p.spares = p.spares && (!failed || l->status == RB_ESPARES);
		if (l) {
			p.begun += l->incarnations > w->role[r].before;
			p.repair_s = larger(p.repair_s, repairing(w, &w->role[r], l, now));
			p.work_s = larger(p.work_s, l->setup_s);
			p.work_s = larger(p.work_s, mean(l->phases.total, l->phases.iterations) +
							    mean(l->checkpoint_s, l->checkpoints));
		}
	}
	w->looks++;
	return p;
}

static json_t *describe(const struct ledger *l, int role, bool remote)
{
	struct proc_stat process;

	if (!l)
		return json_pack("{s:i, s:s}", "role", role, "phase", "not started");
	return json_pack("{s:i, s:s, s:I, s:I, s:o}", "role", role, "phase",
			 ledger_phase_name((enum ledger_phase)l->phase), "front",
			 (json_int_t)l->front, "pid", (json_int_t)l->pid, "process",
			 remote                               ? json_null()
			 : proc_stat((pid_t)l->pid, &process) ? json_stringn(&process.state, 1)
							      : json_string("dead"));
}

json_t *role_watch_describe(struct role_watch *w)
{
	json_t *list = json_array();

	for (int r = 0; r < w->np; r++)
		json_array_append_new(list, describe(ledger_of(w, r), r, w->remote));
	return list;
}
