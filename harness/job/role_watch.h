/* harness/job/role_watch.h - how far the roles of a job are, according to their ledgers
 * (ft/ledger.h).
 *
 * Each ledger is mapped when it appears, and a look reads a few numbers of each: 4096 roles take
 * less than a millisecond. */
#ifndef HARNESS_JOB_ROLE_WATCH_H
#define HARNESS_JOB_ROLE_WATCH_H

#include <jansson.h>
#include <stdbool.h>

struct progress {
	/* roles that have a ledger; that have written their result (and may still go back) */
	int there, finished;
	bool gave_up; /* one of them has given up, so the job will have no result */
	bool spares;  /* all that gave up did so because there were no spares */
	int begun;    /* roles whose ledger a process of this job has opened */
	/* how long a role has waited for one repair to close, or has had no process, at most; seen
	 * from look to look */
	double repair_s;
	/* the set-up of a role, or an iteration and a checkpoint on average, at most: others may
	 * wait for that */
	double work_s;
};

struct role_watch;

/* Watch np roles in the run folder dir, which is not copied. remote: other hosts may write ledgers.
 * NULL: out of memory. */
struct role_watch *role_watch_new(const char *dir, int np, bool remote);
/* now: CLOCK_MONOTONIC, seconds. */
struct progress role_watch_look(struct role_watch *w, double now);
/* New reference: what each role does, as the list "roles" of an escalation (docs/record.md). On
 * this machine also the state of its process. */
json_t *role_watch_describe(struct role_watch *w);
void role_watch_free(struct role_watch *w); /* NULL is fine */

#endif
