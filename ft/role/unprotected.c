#include "ft/role/unprotected.h"

#include "base/clock.h"
#include "base/event.h"
#include "ft/role/iterate.h"

bool is_unprotected(const struct role *r)
{
	return r->cfg->policy.ops == &policy_off;
}

/* The same kernel, messages and meters as iterate(), and nothing else. */
static int iterate_plain(struct role *r, struct rb_error *err)
{
	role_spends(r, LEDGER_STEP);
	plain_begin(&r->ports.plain);
	RB_TRY(iterate_step(r, "", r->kernel, &r->ports.plain.msg, r->front, err));
	RB_TRY(plain_flush(&r->ports.plain));
	r->cfg->kernel->commit(r->kernel, r->front);
	r->front++;
	return RB_OK;
}

/* They were not counted one by one. */
static void note_iterations(struct role *r)
{
	r->ledger->begun = r->ledger->executed = r->ledger->front = r->front;
}

int iterate_unprotected(struct role *r, struct rb_error *err)
{
	role_enter(r, LEDGER_STEP);
	while (!role_finished(r))
		RB_TRY(iterate_plain(r, err));
	note_iterations(r);
	return RB_OK;
}

/* A block of iterations; returns its seconds in *took. */
static int block(struct role *r, bool plain, double *took, struct rb_error *err)
{
	double begin = clock_monotonic();

	for (int64_t i = 0; i < r->cfg->paired && !role_finished(r); i++)
		RB_TRY(plain ? iterate_plain(r, err) : iterate(r, err));
	if (!plain)
		/* as a checkpoint would; a plain block has no log to empty */
		ports_restart(&r->ports, r->front);
	*took = clock_monotonic() - begin;
	return RB_OK;
}

/* Blocks in the order off, on, on, off, so that a drift falls on both; one event for each complete
 * pair. */
int iterate_paired(struct role *r, struct rb_error *err)
{
	char path[EVENT_PATH];
	int rc = RB_OK;

	role_enter(r, LEDGER_STEP);
	event_path(r->cfg->dir, path);
	for (int pair = 0; rc == RB_OK && !role_finished(r); pair++) {
		bool plain = pair % 2 == 0;
		double took[2] = { 0, 0 }; /* protected, plain */
		struct event e;

		rc = block(r, plain, &took[plain], err);
		if (rc == RB_OK)
			rc = block(r, !plain, &took[!plain], err);
		if (rc != RB_OK || r->id > 0 || r->front % (2 * r->cfg->paired) != 0)
			continue;
		event_begin(&e, "pair");
		event_seconds(&e, "protected_s", took[0]);
		event_seconds(&e, "bare_s", took[1]);
		if (!event_write(&e, path))
			rc = rb_fail(err, RB_EIO, "%s: cannot be written", path);
	}
	note_iterations(r);
	return rc;
}
