/* harness/kind/engine/engine_torture.h - random runs of the engine for harness/torture: kernel,
 * roles, policy, levels, lag, power, strategy, and who dies when. */
#ifndef HARNESS_KIND_ENGINE_ENGINE_TORTURE_H
#define HARNESS_KIND_ENGINE_ENGINE_TORTURE_H

#include "harness/kind/engine/engine_run.h"
#include "harness/torture/torture.h"

enum { ENGINE_PROBLEMS = 23 };

/* The runs of a torture. */
struct engine_draw {
	uint64_t seed;
	enum torture_kills kills;
	enum ft_replace replace;
	/* NULL: this machine. Else nodes die, and MPI daemons where files are left of them */
	const struct hosts *hosts;
	/* runs are escalated: some processes may die in MPI_Init, from which only a new job
	 * helps */
	bool escalation;
};

struct engine_torture {
	struct engine_draw draw;
	const struct run_spec *limits; /* with the deadlines and the escalation of all runs */
	const char *kernel;            /* only runs of this one; NULL: of all */
	struct engine_run run;         /* that was drawn last */
	/* why a drawn power technique cannot be used; "": all can */
	char refused[RB_ERROR_MAX];
};

/* Make `source` the one of these runs; t must outlive it. RB_OK or RB_EINVAL. */
int engine_torture_begin(struct engine_torture *t, struct torture_source *source,
			 struct rb_error *err);
/* May a run end so? It may end ok, or out of spares if more processes died than there were
 * replacements. */
bool engine_torture_allows(const struct run_spec *spec, const json_t *record,
			   enum run_status status);

/* --- engine_torture_plan.c --- */

/* Make run number i; for the same draw it is always the same, and with TORTURE_BOTH it is that of
 * one of the other two. It may ask for a power technique that this machine does not permit.
 * *problem identifies the kernel and its options, so that runs with equal answers can be
 * recognised. RB_OK or RB_EINVAL. */
int engine_torture_draw(struct run_spec *spec, const struct engine_draw *asked, int64_t i,
			int *problem, struct rb_error *err);

#endif
