/* profile/command/request.h - what `rollbench profile` is asked for (private to
 * profile/command). */
#ifndef PROFILE_COMMAND_REQUEST_H
#define PROFILE_COMMAND_REQUEST_H

#include "profile/command/of_kernel.h"

struct request {
	const char *out;                   /* the file; "-": standard output, of a kernel only */
	struct iteration_range iterations; /* of a kernel */
	bool copies;                       /* count what a role copies from itself to itself */
};

/* Write the profile of a kernel. words: what was asked for, without the command's name. RB_OK or a
 * negative status. */
int profile_kernel(const struct request *r, const struct run_spec *spec, char **words,
		   struct rb_error *err);

/* Run a command under the profiler, and see to it that the file is there. An exit status: that of
 * the command, unless nothing could be written; or a negative status. */
int profile_program(const struct request *r, char **words, struct rb_error *err);

/* Set the keys of the header that say what was run: program, arguments, host, date. RB_OK or
 * RB_ENOMEM. */
int profile_set_command(struct profile *p, const char *program, char **words);

#endif
