/* harness/spec/spec_options.h - the options of a run: one table, and the kernel's as a second one of the same shape.
 *
 * A new option is a row of the table, a member of struct run_spec, and whatever uses it. */
#ifndef HARNESS_SPEC_SPEC_OPTIONS_H
#define HARNESS_SPEC_SPEC_OPTIONS_H

#include "harness/spec/options.h"
#include "harness/spec/spec.h"

enum { OPTIONS_MAX = 48 };

extern const struct option spec_table[];

/* All options of a run of this kernel, first the kernel's own. They describe struct run_spec. */
void spec_options(const struct kernel_ops *kernel, struct option out[OPTIONS_MAX]);

/* What a command takes: options of a run, and its own. */
struct command {
	const char *usage;        /* --help up to the options */
	unsigned options;         /* enum option_commands: which options of a run; 0: none */
	bool kernel;              /* its first argument is a kernel, whose options it takes, too */
	const struct option *own; /* describes the struct that command_parse() is given */
	const char *notes;        /* --help from behind the options on; NULL: nothing */
};

/* Read a command line into *spec, which gets its defaults first, and *own. RB_OK; RB_EINVAL; 1: help was asked for,
 * and has been printed. */
int command_parse(const struct command *c, int argc, char **argv, struct run_spec *spec, void *own,
		  struct rb_error *err);
/* The kernels and their options, as `list` and --help have them. */
void command_list_kernels(void);

#endif
