/* harness/watts/meter_command.h - a command beside a run, whose standard output is read when it has
 * ended.
 *
 * A keeper process starts the command in a process group of its own. It ends that group when it is
 * told so, and also when the harness has ended in any way. While the command runs, neither keeper
 * nor harness does anything. */
#ifndef HARNESS_WATTS_METER_COMMAND_H
#define HARNESS_WATTS_METER_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { METER_COMMAND_TEXT = 256 };

struct meter_command {
	pid_t keeper;
	int socket;           /* the other end is the keeper's; -1: there is none */
	int output, messages; /* files without a name: what the command wrote; -1: there are none */
	bool ended;           /* it has ended, perhaps because it was told so */
	int status;           /* then: as of waitpid() */
};

/* Start `text` by sh -c. RB_OK or RB_EIO. */
int meter_command_start(struct meter_command *c, const char *text, struct rb_error *err);
/* Has it ended by itself? */
bool meter_command_has_ended(struct meter_command *c);
/* What it has written so far, from the beginning. The caller closes. NULL: out of files or
 * memory. */
FILE *meter_command_output(const struct meter_command *c);
/* How it ended, with the last line of its standard error: "exit status 1: not found". */
void meter_command_describe(const struct meter_command *c, char out[METER_COMMAND_TEXT]);
/* End it: SIGTERM to its process group, and SIGKILL to what is left of it after a second. Its
 * output can still be read. */
void meter_command_stop(struct meter_command *c);
/* Forget its output; the command must have been stopped. */
void meter_command_free(struct meter_command *c);

#endif
