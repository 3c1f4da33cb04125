/* inject/outside.h - failures from outside: kills by the harness at given times
 * (harness/job/killer.h), and their outcome.
 *
 * The text form is [start+]SECONDS:WHO. SECONDS count from the moment when the ledgers of all roles
 * exist, or with "start+" from the moment when all processes of the first job exist, before they
 * have joined it. WHO is a role ("3": the process that plays it then, or will begin with it) or a
 * spare ("spare0": the process that began as that spare, even if it plays a role then). No process
 * of the job knows of these kills, so it can die at any instruction. */
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

/* The outcome of a kill. */
struct outside_mark {
	struct outside_kill kill;
	int32_t pid; /* 0: it was not sent, since its process did not exist at that time */
	/* what the process played, and as which spare it began; -1: none, or not yet */
	int32_t role, spare;
	int32_t phase; /* enum ledger_phase of its role; -1: it played none */
	int64_t front; /* the iteration that its role was in; -1: none */
	double when;   /* CLOCK_REALTIME, just before the signal; 0: not yet, or never */
	/* seconds since its role began the loop (a spare: since the first role did); -1: not yet */
	double loop_s;
};

/* Parse one kill and add it in order of time. RB_OK or RB_EINVAL; err names the text and the
 * remedy. */
int outside_parse(struct outside_plan *plan, const char *text, struct rb_error *err);
/* The canonical text, e.g. "0.013200:3" or "start+0.050000:spare1". */
void outside_format(const struct outside_kill *kill, char *out, size_t size);

/* Write the outcomes into the run folder. RB_OK or RB_EIO. */
int outside_write(const char *dir, const struct outside_mark *mark, size_t count,
		  struct rb_error *err);
/* Read them. Returns how many there were; 0: none were planned. */
size_t outside_read(const char *dir, struct outside_mark mark[OUTSIDE_MAX]);

#endif
