/* harness/record/kills.h - the kills that happened, planned or by chance: the marks in a run
 * folder, read once. */
#ifndef HARNESS_RECORD_KILLS_H
#define HARNESS_RECORD_KILLS_H

#include "ft/ledger.h"
#include "harness/options/spec.h"
#include "inject/kill.h"

/* The phase of a mark if the kill came from outside, so that the process was wherever it was. */
enum { KILL_OUTSIDE = INJECT_PHASES };

struct kill {
	/* the role that died by chance or from outside; -1: planned, and the mark says which roles
	 * it hit */
	int role;
	struct inject_mark mark;
};

struct kills {
	/* processes that were killed by plan or from outside while they played no role */
	int spares;
	size_t count;
	struct kill *list;
};

/* Read the marks. ledger: np of them, by role. RB_OK or RB_ENOMEM; the caller frees s in both
 * cases. */
int kills_read(struct kills *s, const struct run_spec *spec, const char *dir,
	       const struct ledger *ledger);
void kills_free(struct kills *s);

/* Add "killed_from_outside" to a record: what became of each kill by the clock. Nothing if none was
 * asked for. */
void kills_record(json_t *record, const char *dir);
/* The first kill that hit a role after a given time; NULL if there was none. */
const struct inject_mark *kills_next(const struct kills *s, int role, double after);
/* The kill that caused the nth death (from 0) of a role; NULL if Rollbench did not cause it. */
const struct inject_mark *kills_behind(const struct kills *s, int role, int nth);

#endif
