/* inject/kill.h - carry out a plan: a real SIGKILL, once per kill, and a marker file that records
 * it.
 *
 * The process that first creates the marker file kill.K in the run folder carries out kill K. So a
 * replacement that reaches the same point survives, and the harness knows which kill fired, when,
 * and which roles it hit. Deaths by --mtbf leave death.ROLE.N. */
#ifndef INJECT_KILL_H
#define INJECT_KILL_H

#include "inject/plan.h"
#include "inject/roster.h"

enum { MARK_VICTIMS = 256 };

/* What a marker file holds. */
struct inject_mark {
	double when;    /* CLOCK_REALTIME, just before the signal */
	int64_t iter;   /* of the process that carried out the kill */
	int64_t amount; /* operation, or microseconds since the repair began */
	int32_t phase;  /* enum inject_phase: the nearest point before it */
	int32_t count;
	int32_t victim[MARK_VICTIMS]; /* roles; -1: a spare */
};

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

/* Did kill k fire? */
bool inject_fired(const char *dir, size_t k, struct inject_mark *mark);
/* The death by chance of the nth process (from 1) that played role; false if there was none. */
bool inject_chance_fired(const char *dir, int role, int nth, struct inject_mark *mark);

#endif
