/* inject/strike.h - carry out a plan: a real SIGKILL, once per kill, and a mark that says so.
 *
 * Whoever creates the marker file kill.K in the run folder first carries out kill K, so a
 * replacement that comes to the same point survives, and the harness knows what fired, when and
 * whom it hit. Deaths by --mtbf leave death.ROLE.N. */
#ifndef INJECT_STRIKE_H
#define INJECT_STRIKE_H

#include "inject/plan.h"
#include "inject/roster.h"

enum { MARK_VICTIMS = 256 };

/* What a marker file holds. */
struct inject_mark {
	double when;         /* CLOCK_REALTIME, just before the signal */
	int64_t iter;        /* of the process that struck */
	int64_t amount;      /* operation, or microseconds since the repair began */
	int32_t phase;       /* enum inject_phase: the nearest point before it */
	int32_t count;
	int32_t victim[MARK_VICTIMS]; /* roles */
};

/* The process that might strike. */
struct inject_site {
	const struct inject_plan *plan;
	const char *dir;     /* run folder */
	struct roster roster;
	int slot;            /* own slot */
	int spare;           /* number among the spares, -1: started with a role */
	double mtbf_s;       /* mean time between two deaths in the whole run; 0: none by chance */
	uint64_t seed;
	double repair_began; /* CLOCK_MONOTONIC; 0 before the first */
};

/* Which point of which iteration this process is at right now; called in a signal handler. *amount
 * comes in as the microseconds since the last repair began. */
typedef enum inject_phase inject_where(int64_t *iter, int64_t *amount);

/* At a point of an iteration: does not return if a kill matches and has not fired yet. op: number
 * of the operation, for INJECT_OPERATION. */
void inject_strike(struct inject_site *site, int64_t iter, enum inject_phase phase, int op);
/* A waiting spare looks whether its time has come. */
void inject_strike_idle(struct inject_site *site);
/* From here on, death by chance: exponential, of mean mtbf_s * np for each process with a role.
 * nth: how many processes have played the role, this one included. */
void inject_arm_chance(struct inject_site *site, int np, int role, int nth, inject_where *where);

/* What is armed does not strike any more. */
void inject_cease(void);

/* Whether kill k fired. */
bool inject_fired(const char *dir, size_t k, struct inject_mark *mark);
/* The death by chance of the nth process (from 1) that played role; false if there was none. */
bool inject_chance_fired(const char *dir, int role, int nth, struct inject_mark *mark);

#endif
