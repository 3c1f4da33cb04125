/* What the MPI says without a job, and the plan that follows. */
#include "base/program.h"
#include "harness/transport/rules.h"
#include "harness/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command has no MPI, so the program of the ranks asks it. {}: there is no such program;
 * UNASKED: it gives no answer. */
static json_t *ask(void)
{
	const struct program_ranks *ranks = program_ranks();
	json_t *settings = NULL;
	int ends[2];
	pid_t child;
	FILE *from;

	if (ranks->file.st_ino == 0 || pipe2(ends, O_CLOEXEC) != 0)
		return json_object();
	child = fork();
	if (child == 0) {
		if (dup2(ends[1], STDOUT_FILENO) >= 0)
			execl(ranks->path, ranks->path, "settings", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	from = fdopen(ends[0], "re");
	settings = from ? json_loadf(from, 0, NULL) : NULL;
	if (from)
		fclose(from);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return settings ? settings : json_pack("{s:b}", UNASKED, true);
}

const json_t *transport_plan(void)
{
	static json_t *plan;
	const char *arguments = getenv("ROLLBENCH_MPIRUN_ARGS");
	json_t *settings;

	if (plan)
		return plan;
	settings = ask();
	plan = transport_plan_of(settings, arguments ? arguments : "");
	if (json_object_get(settings, UNASKED))
		json_object_set_new(plan, UNASKED, json_true());
	json_decref(settings);
	return plan;
}
