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

/* Run a command under the profiler, and see to it that the file is there. An exit status: that of
 * the command, unless nothing could be written; or a negative status. */
int profile_program(const struct request *r, char **words, struct rb_error *err);

#endif
