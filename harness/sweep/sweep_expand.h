/* harness/sweep/sweep_expand.h - inside of sweep_plan: the entries of an experiment file, multiplied out. */
#ifndef HARNESS_SWEEP_SWEEP_EXPAND_H
#define HARNESS_SWEEP_SWEEP_EXPAND_H

#include "harness/sweep/sweep_plan.h"

/* Lists of an entry that are multiplied: each option of the kernel, and these. */
enum sweep_axis { AXIS_NP = KERNEL_MAX_OPTIONS, AXIS_INTERVAL, AXIS_CKPT, AXIS_LAG, SWEEP_AXES };

/* One entry of the file while it is being written out. */
struct expansion {
	const struct sweep_config *config;
	const struct sweep_entry *entry;
	unsigned number;             /* of the entry, from 0 */
	struct sweep_plan *plan;
	struct rb_error *err;
	unsigned length[SWEEP_AXES], at[SWEEP_AXES]; /* of each axis: how many values, and which one */
	unsigned policy, power, role, iterations, phase; /* items of lists that are in hand */
	int64_t log_peak;            /* run_spec.log_peak of the combination */
	int first;                   /* index of the run that others are compared with */
	int repetition, restart_repetitions;
	uint32_t *slot;              /* hash table of plan->run by id: index + 1, 0: free */
};

enum { EXPANSION_SLOTS = 1 << 17 }; /* more than twice SWEEP_RUNS_MAX */

/* Append all runs of all entries. RB_OK; RB_ENOMEM; RB_EINVAL with "path:line: run N: ...". */
int sweep_expand(const struct sweep_config *config, const char *path, struct sweep_plan *plan,
		 struct rb_error *err);

/* What a run of the entry is made with. */
struct recipe {
	const char *policy; /* NULL: the job dies and is started again */
	const char *power;  /* a technique; NULL: none */
	const char *kill;   /* NULL: failure-free */
};

/* How many values each axis has. RB_OK or RB_EINVAL. */
int sweep_axes(struct expansion *x);
/* The next combination of the axes, the last one fastest. false: that was the last. */
bool sweep_axes_next(struct expansion *x);
/* Append the run, or find it. *index: where it is. RB_OK; RB_ENOMEM; RB_EINVAL. */
int sweep_add(struct expansion *x, const struct recipe *with, int reference, int *index);

/* The line that a complaint about the combination in hand is about, by the option it begins with. */
int sweep_line(const struct expansion *x, const char *complaint);

#endif
