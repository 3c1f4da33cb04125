/* inject/plan.h - failures as data: who dies, in which iteration, at which point.
 *
 * Text form ROLE@ITER[:PHASE], iterations count from 0, phase defaults to "start". A strike is
 * a real SIGKILL by the process to itself. Each kill fires once: the process that dies first
 * creates the marker file kill.K in the run folder, so a replacement that re-executes the same
 * iteration survives, and the harness knows what fired and when. */
#ifndef INJECT_PLAN_H
#define INJECT_PLAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inject_phase {
	INJECT_START,      /* before the first operation of the iteration */
	INJECT_SEND,       /* between two sends of the iteration */
	INJECT_COMMIT,     /* computed and communicated, not yet committed */
	INJECT_CHECKPOINT, /* while the first checkpoint at or after ITER is being written */
	INJECT_PHASES,
};
const char *inject_phase_name(enum inject_phase phase);
const char *inject_phase_help(enum inject_phase phase);

enum { INJECT_MAX_KILLS = 64 };

struct inject_kill {
	int role;
	int64_t iter;
	enum inject_phase phase;
};

struct inject_plan {
	size_t count;
	struct inject_kill kill[INJECT_MAX_KILLS];
};

/* Parse one kill and append it. RB_OK or RB_EINVAL; err names the text and the remedy. */
int inject_parse(struct inject_plan *plan, const char *text, int np, struct rb_error *err);
/* The canonical text, e.g. "3@13:start". */
void inject_format(const struct inject_kill *kill, char *out, size_t size);

/* Called by role at a point of an iteration; does not return if a kill matches and has not
 * fired yet. `dir` is the run folder. */
void inject_strike(const struct inject_plan *plan, const char *dir, int role, int64_t iter,
		   enum inject_phase phase);

/* Whether kill k fired, and when (CLOCK_REALTIME seconds) and in which iteration. */
bool inject_fired(const char *dir, size_t k, double *when, int64_t *iter);

#endif
