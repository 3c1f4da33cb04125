/* inject/kill.h - carry out a plan: a real SIGKILL, once per kill, and an event that says so.
 *
 * The process that first creates the file kill.K in the run folder carries out kill K, so a
 * replacement that reaches the same point survives. Before it dies it writes the event "kill"
 * (base/event.h, docs/record.md): which kill, when, at which point of which iteration, and whom it
 * hit. So do deaths by --mtbf. */
#ifndef INJECT_KILL_H
#define INJECT_KILL_H

#include "inject/plan.h"
#include "inject/roster.h"

/* An event names so many victims, roles or -1 for a spare. */
enum { KILL_VICTIMS = 256 };

/* The process that may carry out a kill. */
struct inject_site {
	const struct inject_plan *plan;
	const char *dir; /* run folder */
	struct roster roster;
	int slot;  /* own slot */
	int spare; /* number among the spares; -1: the process was started with a role */
	/* mean time between two deaths in the whole run; 0: no deaths by chance */
	double mtbf_s;
	uint64_t seed;
	double repair_began; /* CLOCK_MONOTONIC; 0 before the first */
};

/* Tell at which point of which iteration this process is now. Called in a signal handler. On input,
 * *amount is the number of microseconds since the last repair began. */
typedef enum inject_phase inject_where(int64_t *iter, int64_t *amount);

/* Called at a point of an iteration. Does not return if a kill matches that has not fired yet. op:
 * the number of the operation, for INJECT_OPERATION. */
void inject_kill_here(struct inject_site *site, int64_t iter, enum inject_phase phase, int op);
/* Called by a waiting spare from time to time, for kills of spares. */
void inject_kill_idle_spare(struct inject_site *site);
/* From now on this process dies by chance, with exponentially distributed times of mean mtbf_s * np
 * for each process with a role. nth: how many processes have played the role, this one included. */
void inject_arm_chance(struct inject_site *site, int np, int role, int nth, inject_where *where);

/* Cancel deaths that are armed. */
void inject_cease(void);

#endif
