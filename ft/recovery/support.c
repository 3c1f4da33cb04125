#include "ft/recovery/support.h"

#include "base/clock.h"
#include "contract/regions.h"
#include "ft/role/iterate.h"

#include <stdio.h>
#include <string.h>

static int64_t bytes_of(const struct role *r, struct kernel_state *state)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];

	return (int64_t)regions_bytes(region, r->cfg->kernel->regions(state, region));
}

int support_begin(struct support *s, struct role *role, const struct cone *cone)
{
	s->role = role;
	if (role->end.iter < 0)
		return RB_OK;
	s->begun = clock_now();
	role_enter(role, LEDGER_SUPPORT); /* making a second state takes time, too */
	if (role->cfg->kernel->twin(&s->state, role->kernel) != RB_OK) {
		s->state = NULL;
		role->unable = true;
		snprintf(role->link.reason, sizeof role->link.reason, "no memory for a duplicate");
		return RB_LOST;
	}
	duplicate_init(&s->port,
		       &(struct duplicate_case){ &role->ports, cone->part[role->id], role->end,
						 cone->absent, cone->absences });
	if (role->recovery.event)
		role->recovery.event->duplicate_bytes = bytes_of(role, s->state);
	return RB_OK;
}

/* One iteration. RB_STOPPED: it was the last one, which is not committed. */
static int iterate_duplicate(struct support *s, int64_t iter, struct rb_error *err)
{
	struct role *r = s->role;
	int rc;

	role_reached(r, r->recovery.front_before, FT_SUPPORT);
	duplicate_begin(&s->port, iter);
	rc = iterate_step(r, "duplicate of ", s->state, &s->port.plain.msg, iter, err);
	if (rc != RB_OK && rc != RB_STOPPED)
		return rc;
	RB_TRY(plain_flush(&s->port.plain));
	if (rc == RB_OK) {
		r->cfg->kernel->commit(s->state, iter);
		r->ledger->supported++;
	}
	return rc;
}

static void throw_away(struct support *s)
{
	if (!s->state)
		return;
	s->role->cfg->kernel->destroy(s->state);
	duplicate_free(&s->port);
	s->state = NULL;
}

int support_run(struct support *s, struct rb_error *err)
{
	struct role *r = s->role;
	int rc = RB_OK;

	if (!s->state)
		return RB_OK;
	for (int64_t i = r->line; rc == RB_OK && place_before((struct place){ i, 0 }, r->end); i++)
		rc = iterate_duplicate(s, i, err);
	if (rc == RB_ENOMEM) { /* for its messages */
		r->unable = true;
		rc = RB_LOST;
	}
	if (rc != RB_OK && rc != RB_STOPPED)
		return rc; /* support_abort() follows */
	throw_away(s);
	if (r->recovery.event)
		r->recovery.event->support_s = clock_now() - s->begun;
	return RB_OK;
}

void support_abort(struct support *s)
{
	if (s->state)
		plain_drain(&s->port.plain);
	throw_away(s);
}
