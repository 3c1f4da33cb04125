/* The jobs of a run: each one is killed by the plan or goes on to the end, and the next one
 * restarts from the newest committed line. */
#include "harness/kind/elc/elc_run.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void elc_job_path(const char *dir, char out[SCRATCH_PATH])
{
	snprintf(out, SCRATCH_PATH, "%s/job.json", dir);
}

static void report_prefix(const char *dir, int job, char out[SCRATCH_PATH + 32])
{
	snprintf(out, SCRATCH_PATH + 32, "%s/report-%d-", dir, job);
}

json_t *elc_report(const struct elc_launch *launch, int job, int rank)
{
	char prefix[SCRATCH_PATH + 32], path[SCRATCH_PATH + 64];

	report_prefix(launch->dir, job, prefix);
	snprintf(path, sizeof path, "%s%d.json", prefix, rank);
	return json_load_file(path, 0, NULL);
}

/* What the library is told. Without a protocol it gets no folder, and does nothing. */
static json_t *environment(const struct elc_plan *p, const struct elc_launch *launch, int job)
{
	char text[SCRATCH_PATH + ELC_KILL];
	json_t *e = json_object();

	if (!elc_is_on(p))
		return e;
	snprintf(text, sizeof text, "%s/lines", launch->dir);
	json_object_set_new(e, "ELC_DIR", json_string(text));
	report_prefix(launch->dir, job, text);
	json_object_set_new(e, "ELC_REPORT", json_string(text));
	json_object_set_new(e, "ELC_PROTOCOL", json_string(elc_protocol_word((int)p->protocol)));
	json_object_set_new(e, "ELC_LOG", json_string(elc_log_word((int)p->log_form)));
	snprintf(text, sizeof text, "%.9g", p->interval_s);
	if (p->interval_s > 0)
		json_object_set_new(e, "ELC_INTERVAL", json_string(text));
	if (job < p->kills && p->kill[job].clock.count == 0) {
		elc_kill_format(&p->kill[job], text, sizeof text);
		json_object_set_new(e, "ELC_TEST_KILL", json_string(text));
	}
	return e;
}

static int save_job(const struct elc_plan *p, const struct elc_launch *launch, int job,
		    struct rb_error *err)
{
	json_t *arguments = json_array(), *json, *dir = json_string(launch->dir);
	char path[SCRATCH_PATH];
	int rc = RB_OK;

	if (!dir) /* the library would not be told, and the run would not be protected */
		rc = rb_fail(err, RB_EINVAL,
			     "--workdir, $TMPDIR: the name of this folder is not UTF-8; use "
			     "another one");
	if (p->kernel)
		json_array_append_new(arguments, json_string(p->program));
	for (int i = 0; i < p->arguments; i++)
		if (json_array_append_new(arguments, json_string(p->argument[i])) != 0)
			rc = rb_fail(err, RB_EINVAL, "argument %d of %s is not UTF-8", i + 1,
				     p->program);
	json = json_pack("{s:s, s:s, s:o, s:o}", "name", p->program, "path", p->path, "arguments",
			 arguments, "environment", environment(p, launch, job));
	elc_job_path(launch->dir, path);
	if (rc == RB_OK && (!json || json_dump_file(json, path, JSON_INDENT(2)) != 0))
		rc = rb_fail(err, RB_EIO, "%s: cannot be written: %s", path, strerror(errno));
	json_decref(dir);
	json_decref(json);
	return rc;
}

/* The line of figures in the log of a job. */
static bool find_figures(const struct elc_plan *p, const char *dir, long from,
			 struct elc_figures *out)
{
	FILE *f = job_log_open(dir, from);
	const size_t name = strlen(p->program);
	char line[512], checks[16];
	bool found = false;

	while (f && !found && text_line(f, line, sizeof line))
		found = strncmp(line, p->program, name) == 0 &&
			sscanf(line + name, " np %*d size %lld hash %39s checks %15s seconds %lf",
			       &out->size, out->hash, checks, &out->seconds) == 4;
	if (f)
		fclose(f);
	if (found)
		out->checks = strcmp(checks, "ok") == 0;
	return found;
}

/* Does the library end the job with these words, or go on? */
static bool is_notice(const char *line)
{
	return strstr(line, ": no line was committed") ||
	       strstr(line, " is written while the program waits") || strstr(line, " is refused: ");
}

/* Why a job died: what the library or the program says of it (true), else what the MPI says. */
static bool find_words(const struct elc_plan *p, const char *dir, long from, char out[JOB_LOG_TEXT])
{
	FILE *f = job_log_open(dir, from);
	char line[JOB_LOG_TEXT], own[96];
	bool found = false;

	snprintf(own, sizeof own, "%.80s: ", p->program);
	while (f && !found && text_line(f, line, sizeof line))
		found = (strncmp(line, "elc: rank ", 10) == 0 && !is_notice(line)) ||
			strncmp(line, own, strlen(own)) == 0 || strncmp(line, "rank ", 5) == 0;
	if (f)
		fclose(f);
	if (found)
		memcpy(out, line, sizeof line);
	else
		job_log_explain(dir, from, p->kills > 0, out);
	return found;
}

struct watched {
	const struct elc_plan *plan;
	const struct elc_launch *launch;
	long log;
};

/* Has a process died that the plan kills in this job? */
static bool was_killed(const struct elc_plan *p, const struct elc_launch *launch)
{
	json_t *report = NULL;
	bool killed;

	if (launch->killer)
		return elc_killer_sent(launch->killer) > 0;
	report = launch->jobs < p->kills
			 ? elc_report(launch, launch->jobs, p->kill[launch->jobs].rank)
			 : NULL;
	killed = json_is_string(json_object_get(report, "killed"));
	json_decref(report);
	return killed;
}

/* Has every process left the report of its end? The library writes it in MPI_Finalize, when it has
 * checked that each message was repeated that had to be; the program prints its figures before. */
static bool all_have_ended(const struct elc_plan *p, const struct elc_launch *launch)
{
	bool ended = true;

	for (int rank = 0; ended && elc_is_on(p) && rank < p->np; rank++) {
		json_t *report = elc_report(launch, launch->jobs, rank);

		ended = json_is_null(json_object_get(report, "killed"));
		json_decref(report);
	}
	return ended;
}

static enum job_state look(void *ctx)
{
	const struct watched *w = ctx;
	struct elc_figures figures;
	const bool ended = find_figures(w->plan, w->launch->dir, w->log, &figures) &&
			   all_have_ended(w->plan, w->launch);

	return ended || was_killed(w->plan, w->launch) ? JOB_OVER : JOB_RUNS;
}

/* Has the library ended the job? A kill by the clock that came a moment later is then not what it
 * died of. */
static bool says_refused(const char *dir, long from)
{
	FILE *f = job_log_open(dir, from);
	char line[JOB_LOG_TEXT];
	bool said = false;

	while (f && !said && text_line(f, line, sizeof line))
		said = strncmp(line, "elc: rank ", 10) == 0 && !is_notice(line);
	if (f)
		fclose(f);
	return said;
}

/* A kill by the clock may come when all have ended already. A job that has not died of its kill by
 * the deadline hangs. */
static enum elc_end how_ended(const struct elc_plan *p, struct elc_launch *launch,
			      enum launch_end end, long log)
{
	if (find_figures(p, launch->dir, log, &launch->figures) && all_have_ended(p, launch))
		return ELC_FINISHED;
	if (was_killed(p, launch) && !(launch->killer && says_refused(launch->dir, log)))
		return ELC_KILLED;
	return end == LAUNCH_DEADLINE ? ELC_HUNG : ELC_DIED;
}

/* One job from its start to its end. RB_OK, RB_LOST or what it could not be started for. */
static int run_job(const struct elc_plan *p, struct elc_launch *launch, double begin,
		   struct rb_error *err)
{
	const char *const worker[] = { "elc-worker", launch->dir, NULL };
	struct watched watched = { p, launch, job_log_size(launch->dir) };
	char path[SCRATCH_PATH];
	struct launch_job job = { .dir = launch->dir,
				  .shared = launch->shared.dir,
				  .np = p->np,
				  .worker = worker,
				  .per_core = launch->oversubscribed
						      ? launch_per_core(p->hosts, p->np)
						      : 0,
				  .begun_s = begin,
				  .deadline_s = p->deadline_s,
				  .look = look,
				  .ctx = &watched };
	struct elc_job *now = &launch->job[launch->jobs];
	const double begun = clock_monotonic();
	enum launch_end end;
	int rc;

	RB_TRY(save_job(p, launch, launch->jobs, err));
	RB_TRY(elc_hosts_place(p, launch->dir, path, &job.placement, err));
	RB_TRY(elc_killer_start(&launch->killer, p, launch->dir, launch->jobs, err));
	rc = launch_job(&job, &end, err);
	now->wall_s = clock_monotonic() - begun;
	if (rc == RB_OK)
		now->end = how_ended(p, launch, end, watched.log);
	elc_killer_stop(launch->killer, now->struck);
	launch->killer = NULL;
	RB_TRY(rc);
	if (end == LAUNCH_INTERRUPTED)
		return RB_LOST;
	if (now->end == ELC_DIED)
		launch->unexplained = !find_words(p, launch->dir, watched.log, launch->words);
	launch->jobs++;
	return RB_OK;
}

static int run_jobs(const struct elc_plan *p, struct elc_launch *launch, struct rb_error *err)
{
	const double begin = clock_monotonic();
	int rc;

	do
		rc = run_job(p, launch, begin, err);
	while (rc == RB_OK && launch->job[launch->jobs - 1].end == ELC_KILLED);
	launch->wall_s = clock_monotonic() - begin;
	launch->ended_at = clock_now();
	return rc;
}

int elc_launch(const struct elc_plan *p, const char *parent, struct elc_launch *launch,
	       struct rb_error *err)
{
	char lines[SCRATCH_PATH];

	*launch =
		(struct elc_launch){ .shared = { "", -1 },
				     .cleaner = { .socket = -1 },
				     .oversubscribed = launch_oversubscribed(p->hosts, p->np, 0) };
	RB_TRY(cleaner_make_run(&launch->cleaner, parent, true, launch->dir, err));
	shared_memory_make(&launch->shared, launch->dir);
	cleaner_guard(&launch->cleaner, launch->dir, true, launch->shared.dir);
	snprintf(lines, sizeof lines, "%s/lines", launch->dir);
	if (mkdir(lines, 0777) != 0)
		return rb_fail(err, RB_EIO, "%s: cannot be made", lines);
	RB_TRY(elc_hosts_check(p, launch->dir, err));
	return run_jobs(p, launch, err);
}

void elc_launch_remove(struct elc_launch *launch, bool keep)
{
	shared_memory_remove(&launch->shared);
	if (!keep && launch->unexplained)
		job_log_leave(launch->dir);
	if (!keep)
		scratch_remove(launch->dir);
	cleaner_stop(&launch->cleaner);
}
