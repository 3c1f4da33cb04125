/* harness/record/strikes.h - the kills that happened, planned or by chance: the marks in a run
 * folder, read once. */
#ifndef HARNESS_RECORD_STRIKES_H
#define HARNESS_RECORD_STRIKES_H

#include "ft/ledger.h"
#include "harness/options/spec.h"
#include "inject/strike.h"

/* The phase of a mark if the kill came from outside, so that the process was wherever it was. */
enum { STRIKE_OUTSIDE = INJECT_PHASES };

struct strike {
	/* the role that died by chance or from outside; -1: planned, and the mark says which roles
	 * it hit */
	int role;
	struct inject_mark mark;
};

struct strikes {
	/* processes that were killed by plan or from outside while they played no role */
	int spares;
	size_t count;
	struct strike *list;
};

/* Read the marks. ledger: np of them, by role. RB_OK or RB_ENOMEM; the caller frees s in both
 * cases. */
int strikes_read(struct strikes *s, const struct run_spec *spec, const char *dir,
		 const struct ledger *ledger);
void strikes_free(struct strikes *s);

/* Add "killed_from_outside" to a record: what became of each kill by the clock. Nothing if none was
 * asked for. */
void strikes_record(json_t *record, const char *dir);
/* The first kill that hit a role after a given time; NULL if there was none. */
const struct inject_mark *strikes_next(const struct strikes *s, int role, double after);
/* The kill that caused the nth death (from 0) of a role; NULL if Rollbench did not cause it. */
const struct inject_mark *strikes_behind(const struct strikes *s, int role, int nth);

#endif
