/* harness/sweep/sweep_expand.h - inside of sweep_plan: the entries of an experiment file, multiplied out. */
#ifndef HARNESS_SWEEP_SWEEP_EXPAND_H
#define HARNESS_SWEEP_SWEEP_EXPAND_H

#include "harness/spec/spec_options.h"
#include "harness/sweep/sweep_plan.h"

/* A key of an entry and its values: those of an option, or of one of the kernel's ("name=one|another"). */
struct axis {
	const struct option *option; /* NULL: the kernel's, or none */
	const char *name;            /* with which complaints about it begin; of the kernel's up to the '=' */
	bool multiplied;             /* combined with the values of all other such axes */
	const struct yaml_node *list, *item; /* item: the value in hand; NULL: none */
	const char *text;            /* the value in hand; of the kernel's it ends at a '|' */
};

enum { AXES_MAX = OPTIONS_MAX + KERNEL_MAX_OPTIONS };

/* One entry of the file while it is being written out. */
struct expansion {
	const struct sweep_config *config;
	const struct yaml_node *entry;
	unsigned number;             /* of the entry, from 0 */
	const struct kernel_ops *kernel;
	struct sweep_plan *plan;
	struct rb_error *err;
	int line;                    /* that a complaint is about; 0: to be found by its first word */
	struct axis axis[AXES_MAX];
	int axes;
	struct axis *policies, *power, *roles, *iterations, *phases; /* of these; NULL: no such key */
	bool restart;                /* kills also with --strategy restart */
	int64_t log_peak;            /* run_spec.log_peak of the combination */
	int first;                   /* index of the run that others are compared with */
	int repetition;
	json_t *known;               /* index of the runs in the plan by their names */
};

/* Append all runs of all entries. RB_OK; RB_ENOMEM; RB_EINVAL with "path:line: run N: ...". */
int sweep_expand(const struct sweep_config *config, struct sweep_plan *plan, struct rb_error *err);

/* Read x->entry. RB_OK or RB_EINVAL. */
int sweep_axes(struct expansion *x);
/* The next combination of those that are multiplied, the last one fastest. false: that was the last. */
bool sweep_axes_next(struct expansion *x);
/* The next value of one of the others; the first if there is none in hand. false: that was the last, and there is none
 * in hand again. */
bool sweep_axis_next(struct axis *a);
/* Set what the multiplied axes and the single values say. RB_OK or RB_EINVAL. */
int sweep_axes_set(const struct expansion *x, struct run_spec *spec);
/* The line that a complaint about the combination in hand is about. */
int sweep_axes_line(const struct expansion *x, const char *complaint);

#endif
