/* harness/job/escalation.h - a job that does not go on is ended from outside and started again.
 *
 * A repair waits within the MPI, and an MPI with an error may wait for ever (docs/ulfm-notes.md).
 * So the harness watches how long repairs last. If one does not close within a limit, the job is
 * ended and starts again from the newest checkpoint in files, or from the beginning if there is
 * none. The same is done with a job whose roles do not all begin. Each escalation is an
 * event of the run, so that a resumed run keeps them. */
#ifndef HARNESS_JOB_ESCALATION_H
#define HARNESS_JOB_ESCALATION_H

#include "harness/job/role_watch.h"
#include "harness/options/spec.h"

#define ESCALATION_EVENT "escalation"

/* A run with more than these is left to its deadline. */
enum { ESCALATIONS_MAX = 4 };

struct escalation {
	const char *dir; /* the run folder; not copied */
	bool off;
	bool repairs;             /* the job repairs itself; else only its start is watched */
	double begin;             /* of the job, CLOCK_MONOTONIC */
	double repair_s, start_s; /* limits: for a repair, and until each role has a process */
	/* the first one is not the user's: it grows with the time of an iteration */
	bool stretches;
	const char *why;         /* of the one that is due: "repair" or "start" */
	double seconds, limit_s; /* how long that has lasted, and its limit */
};

/* For a job that begins now. processes_per_core: how far the machine is oversubscribed; it
 * stretches the limits. */
struct escalation escalation_begin(const struct run_spec *spec, const char *dir,
				   double processes_per_core);
/* Does a job that ended before all roles had begun count as an escalation? Not if escalations are
 * off. */
bool escalation_of_start(struct escalation *e, double now);
/* Is it to be ended? np: roles. */
bool escalation_is_due(struct escalation *e, const struct progress *p, int np, double now);
/* Write the event of the one that is due; steals `roles` (role_watch_describe()) and
 * `queues` (queues_broken()). false: it cannot be written, which is said on standard error. There
 * is no escalation then, nor later, since nobody would count it. */
bool escalation_note(struct escalation *e, json_t *roles, json_t *queues);

#endif
