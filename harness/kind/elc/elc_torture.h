/* harness/kind/elc/elc_torture.h - random runs with --protocol for harness/torture: a program, its
 * options, processes, protocol, form of the logs, lines, and up to three jobs that are killed, at
 * points of the program or by the clock. */
#ifndef HARNESS_KIND_ELC_ELC_TORTURE_H
#define HARNESS_KIND_ELC_ELC_TORTURE_H

#include "harness/kind/elc/elc_run.h"
#include "harness/torture/torture.h"

enum { ELC_PROTOCOLS = 16, ELC_ROWS = 32 };

struct elc_torture {
	const char *programs, *protocols; /* names with commas, or "all"; programs NULL: all */
	int np;                           /* 0: drawn */
	enum torture_kills kills;
	double deadline_s;
	uint64_t seed;

	enum elc_protocol protocol[ELC_PROTOCOLS]; /* to draw from */
	int protocol_count;
	int row[ELC_ROWS]; /* likewise, of the table of problems */
	int row_count;
	struct elc_run run; /* that was drawn last */
};

/* Understand the options, and make `source` the one of these runs; t must outlive it. RB_OK or
 * RB_EINVAL. */
int elc_torture_begin(struct elc_torture *t, struct torture_source *source, struct rb_error *err);

/* --- elc_torture_plan.c --- */

/* Which problems and protocols the options name. RB_OK or RB_EINVAL. */
int elc_torture_choose(struct elc_torture *t, struct rb_error *err);
/* Make t->run run number i; with the same options it is always the same. *problem identifies what
 * is computed. RB_OK or RB_EINVAL. */
int elc_torture_draw(struct elc_torture *t, int64_t i, int *problem, struct rb_error *err);
/* May a run of this plan be aborted with this message? docs/event-logging.md says when. */
bool elc_torture_refuses(const struct elc_plan *p, const char *message);

#endif
