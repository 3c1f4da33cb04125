#include "harness/job/role_watch.h"

#include "base/status.h"
#include "ft/ledger.h"

#include <stdlib.h>

enum { REFRESHES = 256 }; /* ledgers mapped again in one look */

struct role_watch {
	const char *dir;
	const struct ledger **ledger; /* np; NULL: none yet */
	int *pending; /* the roles that have not finished */
	int np, pendings;
	unsigned looks;
	bool remote;
};

struct role_watch *role_watch_new(const char *dir, int np, bool remote)
{
	struct role_watch *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	*w = (struct role_watch){ dir, calloc((size_t)np, sizeof *w->ledger), malloc((size_t)np * sizeof *w->pending),
				  np, np, 0, remote };
	if (!w->ledger || !w->pending) {
		role_watch_free(w);
		return NULL;
	}
	for (int r = 0; r < np; r++)
		w->pending[r] = r;
	return w;
}

void role_watch_free(struct role_watch *w)
{
	if (!w)
		return;
	for (int r = 0; w->ledger && r < w->np; r++)
		ledger_unmap(w->ledger[r]);
	free((void *)(uintptr_t)w->ledger);
	free(w->pending);
	free(w);
}

/* A network file system shows what another host writes to a mapped file only after the file is opened again. So some
 * of those ledgers are mapped again in each look, all of them in turn. */
static bool is_stale(const struct role_watch *w, int place)
{
	unsigned turns = (unsigned)w->pendings / REFRESHES + 1;

	return w->remote && (unsigned)place % turns == w->looks % turns;
}

static const struct ledger *ledger_of(struct role_watch *w, int place)
{
	int role = w->pending[place];

	if (w->ledger[role] && is_stale(w, place)) {
		ledger_unmap(w->ledger[role]);
		w->ledger[role] = NULL;
	}
	if (!w->ledger[role])
		w->ledger[role] = ledger_map(w->dir, role);
	return w->ledger[role];
}

struct progress role_watch_look(struct role_watch *w)
{
	struct progress p = { w->np - w->pendings, w->np - w->pendings, false, true };
	int kept = 0;

	for (int i = 0; i < w->pendings; i++) {
		const volatile struct ledger *l = ledger_of(w, i); /* its role may be writing */
		bool failed = l && l->phase == LEDGER_FAILED;

		p.there += l != NULL;
		p.gave_up = p.gave_up || failed;
		p.spares = p.spares && (!failed || l->status == RB_ESPARES);
		if (l && l->finished_at >= 0)
			p.finished++;
		else
			w->pending[kept++] = w->pending[i];
	}
	w->pendings = kept;
	w->looks++;
	return p;
}
