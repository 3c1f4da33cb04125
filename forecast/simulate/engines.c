#include "forecast/simulate/engines.h"

#include "base/program.h"
#include "base/status.h"
#include "base/whole.h"
#include "forecast/fast/fast.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* It is in the program rollbench_simgrid only (forecast/simgrid/engine.h); elsewhere its address is
 * NULL. */
extern int simulate_simgrid(const struct model *m, const struct failure *list, size_t count,
			    struct result *r, struct rb_error *err) __attribute__((weak));

static const char *const names[] = { "fast", "simgrid" };

const char *engine_name(int engine)
{
	return engine < ENGINES ? names[engine] : NULL;
}

int engine_reach(enum engine engine, char **argv, struct rb_error *err)
{
	char self[4096], path[4096 + 8], *with[64] = { "rollbench_simgrid" };

	if (engine != ENGINE_SIMGRID || simulate_simgrid)
		return RB_OK;
	program_path(self, sizeof self);
	snprintf(path, sizeof path, "%s_simgrid", self);
	for (int i = 0; argv[i] && i + 2 < (int)(sizeof with / sizeof *with); i++)
		with[i + 1] = argv[i];
	execv(path, with);
	return rb_fail(
		err, RB_EINVAL,
		"--engine simgrid: %s: %s; it is built where SimGrid is installed (libsimgrid-dev; "
		"docs/simulator.md)",
		path, strerror(errno));
}

/* What a child tells of a run. */
struct answer {
	int rc;
	struct rb_error err;
	struct result result; /* its array follows */
};

static void answer(int to, const struct model *m, const struct failure *list, size_t count)
{
	struct answer a = { .err = { "" } };

	a.rc = simulate_simgrid(m, list, count, &a.result, &a.err);
	if (write_whole(to, &a, sizeof a) && a.rc == RB_OK)
		write_whole(to, a.result.end, (size_t)a.result.np * sizeof *a.result.end);
	_exit(0);
}

static int take_answer(int from, struct result *r, struct rb_error *err)
{
	struct answer a;
	int64_t *end;

	if (!read_whole(from, &a, sizeof a))
		return rb_fail(err, RB_EIO,
			       "SimGrid ended without an answer; what it said is above");
	*err = a.err;
	if (a.rc != RB_OK)
		return a.rc;
	end = malloc((size_t)a.result.np * sizeof *end);
	if (!end)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	*r = a.result;
	r->end = end;
	if (read_whole(from, end, (size_t)r->np * sizeof *end))
		return RB_OK;
	result_free(r);
	return rb_fail(err, RB_EIO, "SimGrid ended in its answer");
}

/* A process can have one simulation, so each gets a process. */
static int call_simgrid(const struct model *m, const struct failure *list, size_t count,
			struct result *r, struct rb_error *err)
{
	int pipes[2], rc;
	pid_t child;

	fflush(NULL);
	if (pipe(pipes) != 0)
		return rb_fail(err, RB_EIO, "no pipe: %s", strerror(errno));
	child = fork();
	if (child == 0)
		answer(pipes[1], m, list, count);
	close(pipes[1]);
	rc = child < 0 ? rb_fail(err, RB_EIO, "no process: %s", strerror(errno))
		       : take_answer(pipes[0], r, err);
	close(pipes[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return rc;
}

int engine_call(enum engine engine, int threads, const struct model *m, const struct failure *list,
		size_t count, struct result *r, struct rb_error *err)
{
	return engine == ENGINE_SIMGRID ? call_simgrid(m, list, count, r, err)
					: simulate_fast(m, threads, list, count, r, err);
}
