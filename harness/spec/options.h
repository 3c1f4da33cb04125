/* harness/spec/options.h - command lines: `--name value`, `--name=value`, switches, the rest. */
#ifndef HARNESS_SPEC_OPTIONS_H
#define HARNESS_SPEC_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct options {
	int argc;
	char **argv;
	int at;            /* next argument */
	char name[64];     /* of the option last read, without dashes */
	const char *value; /* behind '=', or NULL */
};

/* Whether -h or --help is anywhere among the arguments. */
bool options_help(int argc, char **argv);
/* The next argument: true and o->name set if it is an option, o->name "" and o->value the text
 * if not. false at the end. */
bool options_next(struct options *o);
/* The option's value, from behind '=' or the next argument. RB_EINVAL if there is none. */
int options_value(struct options *o, const char **value, struct rb_error *err);
/* A number as base/text.h reads it, so least is not negative. RB_EINVAL leaves *out alone. */
int options_int(struct options *o, int64_t least, int64_t most, int64_t *out,
		struct rb_error *err);
/* Arguments as a shell takes them, a blank in front of each. */
void options_print(FILE *to, int argc, char **argv);
int options_seconds(struct options *o, double *out, struct rb_error *err);

#endif
