/* harness/lines/line_torture.h - random runs with --line for harness/torture: a program, its
 * options, processes, protocol, form of the logs, lines, and up to three jobs that are killed, at
 * points of the program or by the clock. */
#ifndef HARNESS_LINES_LINE_TORTURE_H
#define HARNESS_LINES_LINE_TORTURE_H

#include "harness/lines/lines.h"
#include "harness/torture/torture.h"
#include "harness/torture/torture_plan.h"

enum { LINE_PROTOCOLS = 16, LINE_ROWS = 32 };

struct line_torture {
	const char *programs, *protocols; /* names with commas, or "all"; programs NULL: all */
	int np;                           /* 0: drawn */
	enum torture_kills kills;
	double deadline_s;
	uint64_t seed;
	const char *workdir;

	enum line_protocol protocol[LINE_PROTOCOLS]; /* to draw from */
	int protocol_count;
	int row[LINE_ROWS]; /* likewise, of the table of problems */
	int row_count;
	struct line_plan plan; /* the run that was drawn last */
	struct line_run run;
};

/* Understand the options, and make `kind` the one of these runs; t must outlive it. RB_OK or
 * RB_EINVAL. */
int line_torture_begin(struct line_torture *t, struct torture_kind *kind, struct rb_error *err);

/* --- line_torture_plan.c --- */

/* Which problems and protocols the options name. RB_OK or RB_EINVAL. */
int line_torture_choose(struct line_torture *t, struct rb_error *err);
/* Make t->plan run number i; with the same options it is always the same. *problem identifies what
 * is computed. RB_OK or RB_EINVAL. */
int line_torture_draw(struct line_torture *t, int64_t i, int *problem, struct rb_error *err);
/* May a run of this plan be aborted with this message? docs/event-logging.md says when. */
bool line_torture_refuses(const struct line_plan *p, const char *message);

#endif
