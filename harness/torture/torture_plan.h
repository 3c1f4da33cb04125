/* harness/torture/torture_plan.h - random runs: kernel, roles, policy, interval and one to four kills. */
#ifndef HARNESS_TORTURE_TORTURE_PLAN_H
#define HARNESS_TORTURE_TORTURE_PLAN_H

#include "harness/spec/spec.h"

enum { TORTURE_PROBLEMS = 8 };

/* Make run number i of a seed; it is always the same. *problem identifies the kernel and its options, so
 * that runs with equal answers can be recognised. */
int torture_make(struct run_spec *spec, uint64_t seed, int64_t i, int *problem,
		 struct rb_error *err);
/* The failure-free run of a problem. */
int torture_reference(struct run_spec *spec, int problem, struct rb_error *err);

#endif
