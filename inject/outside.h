/* inject/outside.h - failures from outside: kills by the harness at given times
 * (harness/job/killer.h).
 *
 * The text form is [start+]SECONDS:WHO. SECONDS count from the moment when all roles have begun:
 * when their ledgers exist, or under event-logging checkpoints when all are at the end of
 * elc_restarted(). With "start+" they count from the moment when all processes of the job exist,
 * before they have joined it. WHO is a role ("3": the process that plays it then, or will begin
 * with it) or a spare ("spare0": the process that began as that spare, even if it plays a role
 * then). No process of the job knows of these kills, so it can die at any instruction. */
#ifndef INJECT_OUTSIDE_H
#define INJECT_OUTSIDE_H

#include "inject/plan.h"

enum { OUTSIDE_MAX = 16 };
#define OUTSIDE_STARTUP "start+"

struct outside_kill {
	enum inject_who who; /* INJECT_ROLE or INJECT_SPARE */
	int number;
	bool startup; /* the seconds count from the start of the processes */
	double at_s;  /* a whole number of microseconds */
};

struct outside_plan {
	size_t count;
	struct outside_kill kill[OUTSIDE_MAX]; /* in order of time, those of the start first */
};

/* Parse one kill and add it in order of time. RB_OK or RB_EINVAL; err names the text and the
 * remedy. */
int outside_parse(struct outside_plan *plan, const char *text, struct rb_error *err);
/* The canonical text, e.g. "0.013200:3" or "start+0.050000:spare1". */
void outside_format(const struct outside_kill *kill, char *out, size_t size);

#endif
