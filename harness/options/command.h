/* harness/options/command.h - command lines: `--name value`, `--name=value`, switches and
 * arguments, read by tables. */
#ifndef HARNESS_OPTIONS_COMMAND_H
#define HARNESS_OPTIONS_COMMAND_H

#include "harness/options/spec.h"

#include <stdio.h>

/* What a command takes: options of a run, and its own. */
struct command {
	const char *usage;        /* --help up to the options */
	unsigned options;         /* enum option_commands: which options of a run; 0: none */
	bool kernel;              /* its first argument is a kernel, whose options it takes, too */
	bool profiles;            /* or a recorded profile */
	bool allreduce;           /* or the pattern of a reduction alone */
	const struct option *own; /* describes the struct that command_parse() is given */
	/* likewise, options that other commands have, too; they describe the beginning of that
	 * struct. NULL: none */
	const struct option *shared;
	/* Takes an option that no table has; NULL: such an option is refused. RB_OK or
	 * RB_EINVAL. */
	int (*other)(void *own, const char *name, const char *value, struct rb_error *err);
	const char *notes; /* what --help prints after the options; NULL: nothing */
};

/* Read a command line into *spec, which gets its defaults first, and *own. spec: NULL if it takes
 * none of a run's options. RB_OK; RB_EINVAL; 1: help was asked for, and has been printed. */
int command_parse(const struct command *c, int argc, char **argv, struct run_spec *spec, void *own,
		  struct rb_error *err);
bool command_help_asked(int argc, char **argv);
/* Print the kernels and their options, as `list` and --help have them. */
void command_list_kernels(void);
/* The shell command that repeats the run: "./rollbench run cg --class S --np 8 ...", without
 * hosts. */
enum { COMMAND_TEXT = 4096 };
void command_of(const struct run_spec *spec, char out[COMMAND_TEXT]);
/* Print a word, quoted for a shell where that is necessary; arguments, with a blank before each. */
void command_print_word(FILE *to, const char *text);
void command_print(FILE *to, int argc, char **argv);

#endif
