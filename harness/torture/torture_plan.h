/* harness/torture/torture_plan.h - random runs: kernel, roles, policy, levels, lag, power,
 * strategy, and who dies when. */
#ifndef HARNESS_TORTURE_TORTURE_PLAN_H
#define HARNESS_TORTURE_TORTURE_PLAN_H

#include "harness/record/record.h"
#include "harness/options/spec.h"

enum { TORTURE_PROBLEMS = 23 };

/* How processes die. */
enum torture_kills {
	/* one to four of them at points of the program, as --kill says (inject/plan.h) */
	TORTURE_PLANNED,
	/* one to three of them by the clock, as --kill-at says (inject/outside.h) */
	TORTURE_CLOCK,
	TORTURE_BOTH,     /* half of the runs in each way */
	TORTURE_BY_HOSTS, /* the user does not say: planned on several hosts, else both */
};

/* The runs of a torture. */
struct torture_draw {
	uint64_t seed;
	enum torture_kills kills;
	enum ft_replace replace;
	/* NULL: this machine. Else nodes die, and MPI daemons where files are left of them */
	const struct hosts *hosts;
	/* runs are escalated: some processes may die in MPI_Init, from which only a new job
	 * helps */
	bool escalation;
};

/* Make run number i; for the same draw it is always the same, and with TORTURE_BOTH it is that of
 * one of the other two. It may ask for a power technique that this machine does not permit.
 * *problem identifies the kernel and its options, so that runs with equal answers can be
 * recognised. RB_OK or RB_EINVAL. */
int torture_make(struct run_spec *spec, const struct torture_draw *asked, int64_t i, int *problem,
		 struct rb_error *err);
/* The failure-free run of a problem. */
int torture_reference(struct run_spec *spec, int problem, struct rb_error *err);

#endif
