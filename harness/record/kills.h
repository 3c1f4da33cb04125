/* harness/record/kills.h - the kills that happened, planned, by chance or from outside, from the
 * events of a run. */
#ifndef HARNESS_RECORD_KILLS_H
#define HARNESS_RECORD_KILLS_H

#include "harness/options/spec.h"
#include "inject/kill.h"

/* The phase of a kill from outside: the process was wherever it was. */
enum { KILL_OUTSIDE = INJECT_PHASES };

struct kill {
	double when;           /* CLOCK_REALTIME, just before the signal */
	int64_t iter;          /* of the process that carried out the kill */
	int64_t amount;        /* operation, or microseconds since the repair began */
	int32_t phase;         /* enum inject_phase: the nearest point before it; or KILL_OUTSIDE */
	const json_t *victims; /* borrowed: roles, -1 for a spare */
};

struct kills {
	/* processes that were killed by plan or from outside while they played no role */
	int spares;
	size_t count;
	struct kill *list; /* in the order of time */
};

/* Read them from the events, which must stay. RB_OK or RB_ENOMEM; the caller frees s in both
 * cases. */
int kills_read(struct kills *s, const json_t *events);
void kills_free(struct kills *s);

/* Add "killed_from_outside" to a record: what became of each kill by the clock. Nothing if none was
 * asked for. */
void kills_record(json_t *record, const json_t *events);
/* New reference: the planned kills that did not happen, as options. */
json_t *kills_unfired(const struct inject_plan *plan, const json_t *events);
/* The first kill that hit a role after a given time; NULL if there was none. */
const struct kill *kills_next(const struct kills *s, int role, double after);
/* The kill that caused the nth death (from 0) of a role; NULL if Rollbench did not cause it. */
const struct kill *kills_behind(const struct kills *s, int role, int nth);

#endif
