/* What the MPI says in this process without a job, and the plan that follows. */
#include "harness/transport/transport.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static json_t *(*asked)(void);

void transport_ask_with(json_t *(*settings)(void))
{
	asked = settings;
}

/* Write what the MPI says, in a child, since the MPI starts only once in a process and leaves much behind. */
static void answer(int out)
{
	json_t *settings = asked();
	FILE *to = fdopen(out, "w");

	if (to) {
		json_dumpf(settings, to, JSON_COMPACT);
		fclose(to);
	}
	_exit(0);
}

static json_t *ask(void)
{
	json_t *settings = NULL;
	int ends[2];
	pid_t child;
	FILE *from;

	if (!asked || pipe2(ends, O_CLOEXEC) != 0)
		return json_object();
	fflush(NULL);
	child = fork();
	if (child == 0)
		answer(ends[1]);
	close(ends[1]);
	from = fdopen(ends[0], "re");
	settings = from ? json_loadf(from, 0, NULL) : NULL;
	if (from)
		fclose(from);
	if (child > 0)
		waitpid(child, NULL, 0);
	return settings ? settings : json_object();
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
	json_decref(settings);
	return plan;
}
