#include "harness/job/escalation.h"

#include "base/clock.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Seconds. The slowest repairs that were measured took 1 s (256 roles on 2 cores), starts of 10
 * processes 0.5 s. */
enum { LEAST_S = 10, WORK_FACTOR = 10 };

static void path_of(const char *dir, char out[SPEC_PATH + 16])
{
	snprintf(out, SPEC_PATH + 16, "%s/escalations", dir);
}

struct escalation escalation_begin(const struct run_spec *spec, const char *dir,
				   double processes_per_core)
{
	const double limit_s = LEAST_S + processes_per_core;
	json_t *before = escalations_json(dir);
	struct escalation e = {
		.dir = dir,
		.off = spec->escalation == ESCALATION_OFF ||
		       !(spec_goes_on(spec) || spec->strategy == FT_RESTART) ||
		       json_array_size(before) >= ESCALATIONS_MAX,
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
	json_t *line = json_pack("{s:s, s:f, s:f, s:o, s:o}", "why", e->why, "seconds", e->seconds,
				 "limit_s", e->limit_s, "roles", roles, "broken_queues", queues);
	char path[SPEC_PATH + 16];
	bool ok = false;
	FILE *f;

	path_of(e->dir, path);
	f = fopen(path, "ae");
	if (f) {
		ok = line && json_dumpf(line, f, JSON_COMPACT) == 0 && fputc('\n', f) != EOF;
		ok = fclose(f) == 0 && ok;
	}
	if (!ok)
		fprintf(stderr,
			"rollbench: %s: cannot be written: %s; the job is left to its deadline\n",
			path, strerror(errno));
	e->off = e->off || !ok;
	json_decref(line);
	return ok;
}

json_t *escalations_json(const char *dir)
{
	char path[SPEC_PATH + 16];
	json_t *list = json_array(), *line;
	FILE *f;

	path_of(dir, path);
	f = fopen(path, "re");
	while (f && (line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)))
		json_array_append_new(list, line);
	if (f)
		fclose(f);
	return list;
}
