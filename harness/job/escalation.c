#include "harness/job/escalation.h"

#include "base/clock.h"
#include "base/status.h"
#include "harness/events/events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Seconds. The slowest repairs that were measured took 1 s (256 roles on 2 cores), starts of 10
 * processes 0.5 s. */
enum { LEAST_S = 10, WORK_FACTOR = 10 };

struct escalation escalation_begin(const struct run_spec *spec, const char *dir,
				   double processes_per_core)
{
	const double limit_s = LEAST_S + processes_per_core;
	json_t *before = events_read(dir);
	struct escalation e = {
		.dir = dir,
		.off = spec->escalation == ESCALATION_OFF ||
		       !(spec_goes_on(spec) || spec->strategy == FT_RESTART) ||
		       events_count(before, ESCALATION_EVENT) >= ESCALATIONS_MAX,
		.repairs = spec_goes_on(spec),
		.begin = clock_monotonic(),
		.repair_s = spec->repair_deadline_s > 0 ? spec->repair_deadline_s : limit_s,
		.stretches = spec->repair_deadline_s <= 0,
		.start_s = spec->repair_deadline_s > limit_s ? spec->repair_deadline_s : limit_s,
	};

	json_decref(before);
	return e;
}

static bool lasts(struct escalation *e, const char *what, double seconds, double limit_s)
{
	e->why = what;
	e->seconds = seconds;
	e->limit_s = limit_s;
	return seconds > limit_s;
}

bool escalation_is_due(struct escalation *e, const struct progress *p, int np, double now)
{
	if (e->off)
		return false;
	return (e->repairs && lasts(e, "repair", p->repair_s,
				    e->repair_s + (e->stretches ? WORK_FACTOR * p->work_s : 0))) ||
	       (p->begun < np && lasts(e, "start", now - e->begin, e->start_s));
}

bool escalation_of_start(struct escalation *e, double now)
{
	lasts(e, "start", now - e->begin, e->start_s);
	return !e->off;
}

bool escalation_note(struct escalation *e, json_t *roles, json_t *queues)
{
	const bool ok = events_add(e->dir, ESCALATION_EVENT,
				   json_pack("{s:s, s:f, s:f, s:o, s:o}", "why", e->why, "seconds",
					     e->seconds, "limit_s", e->limit_s, "roles", roles,
					     "broken_queues", queues));

	if (!ok)
		fprintf(stderr,
			"rollbench: %s: no event can be written: %s; the job is left to its "
			"deadline\n",
			e->dir, strerror(errno));
	e->off = e->off || !ok;
	return ok;
}
