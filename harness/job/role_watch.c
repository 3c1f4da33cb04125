#include "harness/job/role_watch.h"

#include "base/status.h"
#include "ft/ledger.h"

#include <stdlib.h>

enum { REFRESHES = 256 }; /* ledgers mapped again in one look */

struct role_watch {
	const char *dir;
	const struct ledger **ledger; /* np; NULL: none yet */
	int np, looks;
	bool remote;
};

struct role_watch *role_watch_new(const char *dir, int np, bool remote)
{
	struct role_watch *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	*w = (struct role_watch){ dir, calloc((size_t)np, sizeof *w->ledger), np, 0, remote };
	if (!w->ledger) {
		free(w);
		return NULL;
	}
	return w;
}

void role_watch_free(struct role_watch *w)
{
	if (!w)
		return;
	for (int r = 0; r < w->np; r++)
		ledger_unmap(w->ledger[r]);
	free((void *)(uintptr_t)w->ledger);
	free(w);
}

/* A network file system shows what another host writes to a mapped file only after the file is opened again. So some
 * of those ledgers are mapped again in each look, all of them in turn. */
static bool is_stale(const struct role_watch *w, int role)
{
	int turns = w->np / REFRESHES + 1;

	return w->remote && role % turns == w->looks % turns;
}

static const struct ledger *ledger_of(struct role_watch *w, int role)
{
	if (w->ledger[role] && is_stale(w, role)) {
		ledger_unmap(w->ledger[role]);
		w->ledger[role] = NULL;
	}
	if (!w->ledger[role])
		w->ledger[role] = ledger_map(w->dir, role);
	return w->ledger[role];
}

struct progress role_watch_look(struct role_watch *w)
{
	struct progress p = { 0, 0, false, true };

	for (int r = 0; r < w->np; r++) {
		const volatile struct ledger *l = ledger_of(w, r); /* its role may be writing */
		bool failed = l && l->phase == LEDGER_FAILED;

		p.there += l != NULL;
		p.finished += l && l->finished_at >= 0;
		p.gave_up = p.gave_up || failed;
		p.spares = p.spares && (!failed || l->status == RB_ESPARES);
	}
	w->looks++;
	return p;
}
