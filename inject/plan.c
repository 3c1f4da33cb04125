#include "inject/plan.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name, *help;
} phases[INJECT_PHASES] = {
	[INJECT_START] = { "start", "before the first operation of the iteration" },
	[INJECT_SEND] = { "send", "between the first and the second send of the iteration" },
	[INJECT_COMMIT] = { "commit", "after the last message, before the iteration commits" },
	[INJECT_CHECKPOINT] = { "checkpoint",
				"while the first checkpoint at or after ITER is being written" },
};

const char *inject_phase_name(enum inject_phase phase)
{
	return phases[phase].name;
}

const char *inject_phase_help(enum inject_phase phase)
{
	return phases[phase].help;
}

/* A non-negative decimal number without sign or blanks; strtoll alone would take both. */
static bool parse_number(const char **text, int64_t *out)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*out = strtoll(*text, &end, 10);
	*text = end;
	return errno == 0;
}

static bool parse_phase(const char *name, enum inject_phase *out)
{
	for (int i = 0; i < INJECT_PHASES; i++) {
		if (strcmp(name, phases[i].name) == 0) {
			*out = (enum inject_phase)i;
			return true;
		}
	}
	return false;
}

int inject_parse(struct inject_plan *plan, const char *text, int np, struct rb_error *err)
{
	struct inject_kill kill = { .phase = INJECT_START };
	const char *at = text;
	int64_t role;

	if (plan->count == INJECT_MAX_KILLS)
		return rb_fail(err, RB_EINVAL, "--kill %s: at most %d kills a run", text,
			       INJECT_MAX_KILLS);
	if (!parse_number(&at, &role) || *at++ != '@' || !parse_number(&at, &kill.iter) ||
	    (*at != '\0' && *at != ':'))
		return rb_fail(err, RB_EINVAL,
			       "--kill %s: expected ROLE@ITER[:PHASE], for instance 3@13:send",
			       text);
	if (*at == ':' && !parse_phase(at + 1, &kill.phase))
		return rb_fail(err, RB_EINVAL,
			       "--kill %s: unknown phase '%s'; `rollbench list phases` shows them",
			       text, at + 1);
	if (role >= np)
		return rb_fail(err, RB_EINVAL,
			       "--kill %s: role %" PRId64 " does not exist; with --np %d the roles "
			       "are 0..%d", text, role, np, np - 1);
	kill.role = (int)role;
	plan->kill[plan->count++] = kill;
	return RB_OK;
}

void inject_format(const struct inject_kill *kill, char *out, size_t size)
{
	snprintf(out, size, "%d@%" PRId64 ":%s", kill->role, kill->iter,
		 inject_phase_name(kill->phase));
}

static void marker_path(const char *dir, size_t k, char *out, size_t size)
{
	snprintf(out, size, "%s/kill.%zu", dir, k);
}

/* O_EXCL decides who dies, once per kill and for all incarnations of the role. */
static void fire(const char *dir, size_t k, int64_t iter)
{
	char path[4096], line[64];
	struct timespec now;
	int fd, n;

	marker_path(dir, k, path, sizeof path);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	n = snprintf(line, sizeof line, "%" PRId64 ".%09ld %" PRId64 "\n", (int64_t)now.tv_sec,
		     now.tv_nsec, iter);
	if (write(fd, line, (size_t)n) != n)
		return; /* a kill that cannot be recorded is not carried out; it shows as unfired */
	raise(SIGKILL);
}

void inject_strike(const struct inject_plan *plan, const char *dir, int role, int64_t iter,
		   enum inject_phase phase)
{
	for (size_t k = 0; k < plan->count; k++) {
		const struct inject_kill *kill = &plan->kill[k];
		bool due = phase == INJECT_CHECKPOINT ? kill->iter <= iter : kill->iter == iter;

		if (kill->role == role && kill->phase == phase && due)
			fire(dir, k, iter);
	}
}

bool inject_fired(const char *dir, size_t k, double *when, int64_t *iter)
{
	char path[4096];
	FILE *f;
	bool ok;

	marker_path(dir, k, path, sizeof path);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fscanf(f, "%lf %" SCNd64, when, iter) == 2;
	fclose(f);
	return ok;
}
