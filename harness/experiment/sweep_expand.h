/* harness/experiment/sweep_expand.h - internal to sweep_plan: the runs of each entry of an
 * experiment file. */
#ifndef HARNESS_EXPERIMENT_SWEEP_EXPAND_H
#define HARNESS_EXPERIMENT_SWEEP_EXPAND_H

#include "harness/options/spec_options.h"
#include "harness/experiment/sweep_plan.h"

/* A key of an entry and its values: those of an option, or of one of the kernel's
 * ("name=one|another"). */
struct axis {
	const struct option *option; /* NULL: the kernel's, or none */
	/* messages about it begin with this; of the kernel's option up to the '=' */
	const char *name;
	bool multiplied;                     /* combined with the values of all other such axes */
	const struct yaml_node *list, *item; /* item: the present value; NULL: none */
	/* the present value; that of a kernel's option ends at a '|' */
	const char *text;
};

enum { AXES_MAX = OPTIONS_MAX + KERNEL_MAX_OPTIONS };

/* One entry of the file while its runs are made. */
struct expansion {
	const struct sweep_config *config;
	const struct yaml_node *entry;
	unsigned number; /* of the entry, from 0 */
	const struct kernel_ops *kernel;
	struct sweep_plan *plan;
	struct rb_error *err;
	/* that a message concerns; 0: found by the message's first word */
	int line;
	struct axis axis[AXES_MAX];
	int axes;
	/* of these; NULL: no such key */
	struct axis *policies, *recompute, *power, *roles, *iterations, *phases;
	bool restart;     /* kills also with --strategy restart */
	int64_t log_peak; /* run_spec.log_peak of the combination */
	int first;        /* index of the run that others are compared with */
	int repetition;
	json_t *known; /* index of the runs in the plan by their names */
};

/* Append all runs of all entries. RB_OK; RB_ENOMEM; RB_EINVAL with "path:line: run N: ...". */
int sweep_expand(const struct sweep_config *config, struct sweep_plan *plan, struct rb_error *err);

/* Read x->entry. RB_OK or RB_EINVAL. */
int sweep_axes(struct expansion *x);
/* Go to the next combination of the multiplied axes; the last axis changes fastest. false: there is
 * none. */
bool sweep_axes_next(struct expansion *x);
/* Go to the next value of one of the other axes, or to the first one if there is no present value.
 * false: there is no next value, and then there is no present value. */
bool sweep_axis_next(struct axis *a);
/* Set the present values of the multiplied axes. RB_OK or RB_EINVAL. */
int sweep_axes_set(const struct expansion *x, struct run_spec *spec);
/* The line of the file that a message about the present combination concerns. */
int sweep_axes_line(const struct expansion *x, const char *complaint);

#endif
