/* harness/record/strikes.h - what was carried out, planned or by chance: the marks in a run folder, read once. */
#ifndef HARNESS_RECORD_STRIKES_H
#define HARNESS_RECORD_STRIKES_H

#include "ft/ledger.h"
#include "harness/spec/spec.h"
#include "inject/strike.h"

struct strike {
	int role; /* that died by chance; -1: planned, the mark says whom it hit */
	struct inject_mark mark;
};

struct strikes {
	size_t count;
	struct strike *list;
};

/* ledger: np of them, by role. RB_OK or RB_ENOMEM; to be freed in either case. */
int strikes_read(struct strikes *s, const struct run_spec *spec, const char *dir,
		 const struct ledger *ledger);
void strikes_free(struct strikes *s);

/* The first strike that hit a role after a given time; NULL if there was none. */
const struct inject_mark *strikes_next(const struct strikes *s, int role, double after);
/* The strike behind the nth death (from 0) of a role; NULL if it was not ours. */
const struct inject_mark *strikes_behind(const struct strikes *s, int role, int nth);

#endif
