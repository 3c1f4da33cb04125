/* Several hosts: where the processes run, and whether the hosts share the folder of the lines. */
#include "harness/kind/elc/elc_run.h"

#include "base/clock.h"
#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD = 48 };
static const double DEADLINE_S = 60; /* until one process on each host has answered */

static void question_path(const char *dir, char out[SCRATCH_PATH + 32])
{
	snprintf(out, SCRATCH_PATH + 32, "%s/question", dir);
}

static void answer_path(const char *dir, int rank, char out[SCRATCH_PATH + 32])
{
	snprintf(out, SCRATCH_PATH + 32, "%s/answer-%d", dir, rank);
}

static bool write_word(const char *path, const char *word)
{
	FILE *f = fopen(path, "we");
	const bool written = f && fprintf(f, "%s", word) > 0;

	return (!f || fclose(f) == 0) && written;
}

static bool has_word(const char *path, const char *word)
{
	FILE *f = fopen(path, "re");
	char text[WORD] = "";
	const bool same = f && fgets(text, sizeof text, f) && strcmp(text, word) == 0;

	if (f)
		fclose(f);
	return same;
}

/* On another file system there is no such folder, or an old one of the same name. */
int elc_hosts_answer(const char *dir, const char *word)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	char path[SCRATCH_PATH + 32];

	question_path(dir, path);
	if (!rank || !has_word(path, word))
		return STATUS_ABORT;
	answer_path(dir, atoi(rank), path);
	return write_word(path, word) ? 0 : STATUS_ABORT;
}

static enum job_state look_at_nothing(void *ctx)
{
	(void)ctx;
	return JOB_RUNS;
}

/* The hosts in the order in which hosts_place_each() has put a process on each. */
static const struct host *host_of(const struct hosts *h, int rank)
{
	for (int i = 0; i < h->count; i++)
		if (!h->host[i].lost && rank-- == 0)
			return &h->host[i];
	return NULL;
}

/* All that did not start was marked lost, and mpirun then starts nothing. */
static int refuse_lost(const struct hosts *h, struct rb_error *err)
{
	char from[HOSTS_SOURCE];

	hosts_source(h, from);
	for (int i = 0; i < h->count; i++)
		if (h->host[i].lost)
			return rb_fail(err, RB_EINVAL,
				       "%s: mpirun cannot start a process on host %s", from,
				       h->host[i].name);
	return RB_OK;
}

static int read_answers(const struct hosts *h, const char *dir, const char *word, int processes,
			struct rb_error *err)
{
	char path[SCRATCH_PATH + 32], from[HOSTS_SOURCE];

	hosts_source(h, from);
	for (int rank = 0; rank < processes; rank++) {
		const struct host *host = host_of(h, rank);

		answer_path(dir, rank, path);
		if (!has_word(path, word))
			return rb_fail(
				err, RB_EINVAL,
				"%s: host %s does not share %.200s with this one, "
				"and the lines will be there; take a --workdir on a file system "
				"that all hosts have",
				from, host ? host->name : "?", dir);
		unlink(path);
	}
	question_path(dir, path);
	unlink(path);
	return RB_OK;
}

int elc_hosts_check(const struct elc_plan *p, const char *dir, struct rb_error *err)
{
	char word[WORD], path[SCRATCH_PATH + 32], placement[SCRATCH_PATH], log[SCRATCH_PATH];
	const char *const worker[] = { "elc-worker", dir, word, NULL };
	struct launch_job job = { .dir = dir,
				  .shared = "",
				  .placement = placement,
				  .worker = worker,
				  .begun_s = clock_monotonic(),
				  .deadline_s = DEADLINE_S,
				  .look = look_at_nothing };
	struct hosts hosts;
	enum launch_end end;
	long from;

	if (!p->hosts)
		return RB_OK;
	hosts = *p->hosts;
	snprintf(word, sizeof word, "%d-%.9f", (int)getpid(), clock_now());
	question_path(dir, path);
	if (!write_word(path, word))
		return rb_fail(err, RB_EIO, "%s: cannot be written: %s", path, strerror(errno));
	snprintf(placement, sizeof placement, "%s/placement", dir);
	RB_TRY(hosts_place_each(&hosts, placement, &job.np, err));
	job_log_path(dir, log);
	from = job_log_size(dir); /* of an earlier launch */
	RB_TRY(launch_job(&job, &end, err));
	if (end == LAUNCH_INTERRUPTED)
		return RB_LOST;
	hosts_notice(&hosts, log, from);
	RB_TRY(refuse_lost(&hosts, err));
	return read_answers(&hosts, dir, word, job.np, err);
}

int elc_hosts_place(const struct elc_plan *p, const char *dir, char path[SCRATCH_PATH],
		    const char **placement, struct rb_error *err)
{
	*placement = NULL;
	if (!p->hosts)
		return RB_OK;
	snprintf(path, SCRATCH_PATH, "%s/placement", dir);
	*placement = path;
	return hosts_place(p->hosts, p->np, 0, path, err);
}
