/* The jobs of a run: each one is killed by the plan or goes on to the end, and the next one
 * restarts from the newest committed line. */
#include "harness/kind/elc/elc_run.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/events/events.h"
#include "harness/job/host.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
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

static void report_path(const char *dir, int job, int rank, char out[SCRATCH_PATH + 64])
{
	char prefix[SCRATCH_PATH + 32];

	report_prefix(dir, job, prefix);
	snprintf(out, SCRATCH_PATH + 64, "%s%d.json", prefix, rank);
}

json_t *elc_report(const char *dir, int job, int rank)
{
	char path[SCRATCH_PATH + 64];

	report_path(dir, job, rank, path);
	return json_load_file(path, 0, NULL);
}

static void begun_path(const char *dir, int job, char out[SCRATCH_PATH + 64])
{
	char prefix[SCRATCH_PATH + 32];

	report_prefix(dir, job, prefix);
	snprintf(out, SCRATCH_PATH + 64, "%sbegun", prefix);
}

bool elc_has_begun(const char *dir, int job)
{
	char path[SCRATCH_PATH + 64];

	begun_path(dir, job, path);
	return access(path, F_OK) == 0;
}

/* What a job of this number has left that was interrupted. */
static void forget_reports(const struct elc_plan *p, const struct elc_launch *launch)
{
	char path[SCRATCH_PATH + 64];

	for (int rank = 0; rank < p->np; rank++) {
		report_path(launch->folder.dir, launch->jobs, rank, path);
		unlink(path);
	}
	begun_path(launch->folder.dir, launch->jobs, path);
	unlink(path);
}

/* What the program prints at its end. */
struct figures {
	char hash[RUN_HASH];
	bool checks; /* they hold */
	long long size;
	double seconds;
};

/* What the library is told. Without a protocol it gets no folder, and does nothing. */
static json_t *environment(const struct elc_plan *p, const struct elc_launch *launch, int job)
{
	char text[SCRATCH_PATH + ELC_KILL];
	json_t *e = json_object();

	if (!elc_is_on(p))
		return e;
	snprintf(text, sizeof text, "%s/lines", launch->folder.dir);
	json_object_set_new(e, "ELC_DIR", json_string(text));
	report_prefix(launch->folder.dir, job, text);
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
	json_t *arguments = json_array(), *json, *dir = json_string(launch->folder.dir);
	char path[SCRATCH_PATH];
	int rc = RB_OK;

	if (!dir) /* the library would not be told, and the run would not be protected */
		rc = rb_fail(err, RB_EINVAL,
			     "--workdir, $TMPDIR: the name of this folder is not UTF-8; use "
			     "another one");
	if (p->kernel)
		json_array_append_new(arguments, json_string(p->program));
	elc_add_arguments(p, arguments);
	json = json_pack("{s:s, s:s, s:o, s:o}", "name", p->program, "path", p->path, "arguments",
			 arguments, "environment", environment(p, launch, job));
	elc_job_path(launch->folder.dir, path);
	if (rc == RB_OK && (!json || json_dump_file(json, path, JSON_INDENT(2)) != 0))
		rc = rb_fail(err, RB_EIO, "%s: cannot be written: %s", path, strerror(errno));
	json_decref(dir);
	json_decref(json);
	return rc;
}

/* The line of figures in the log of a job. */
static bool find_figures(const struct elc_plan *p, const char *dir, long from, struct figures *out)
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

/* When a rank wrote its report, in seconds. */
static double reported_at(const char *dir, int job, int rank)
{
	char path[SCRATCH_PATH + 64];
	struct stat s;

	report_path(dir, job, rank, path);
	return stat(path, &s) == 0 ? (double)s.st_mtim.tv_sec + 1e-9 * (double)s.st_mtim.tv_nsec
				   : HUGE_VAL;
}

/* Why the library has ended this job, as the rank says that was the first to: what others say can
 * be a consequence of that. false: it has not. */
static bool find_refusal(const struct elc_plan *p, const struct elc_launch *launch,
			 char out[JOB_LOG_TEXT])
{
	double first = HUGE_VAL;

	for (int rank = 0; rank < p->np; rank++) {
		json_t *report = elc_report(launch->folder.dir, launch->jobs, rank);
		const char *text = json_string_value(json_object_get(report, "refused"));
		const double at =
			text ? reported_at(launch->folder.dir, launch->jobs, rank) : HUGE_VAL;

		if (at < first) {
			first = at;
			snprintf(out, JOB_LOG_TEXT, "elc: rank %d: %s", rank, text);
		}
		json_decref(report);
	}
	return first < HUGE_VAL;
}

/* What the program says before it ends itself: "gauss_jordan: ..." or "rank 3: ...". */
static bool find_words(const struct elc_plan *p, const char *dir, long from, char out[JOB_LOG_TEXT])
{
	FILE *f = job_log_open(dir, from);
	char line[JOB_LOG_TEXT], own[96];
	bool found = false;

	snprintf(own, sizeof own, "%.80s: ", p->program);
	while (f && !found && text_line(f, line, sizeof line))
		found = strncmp(line, own, strlen(own)) == 0 || strncmp(line, "rank ", 5) == 0;
	if (f)
		fclose(f);
	if (found)
		memcpy(out, line, sizeof line);
	return found;
}

/* Why a job died that the library has not ended: what the program says of it (true), else what the
 * MPI says. The latter also if a full disk has no room for the library's report: then the log is
 * left. */
static bool explain(const struct elc_plan *p, const struct elc_launch *launch, long log,
		    char out[JOB_LOG_TEXT])
{
	const bool found = find_words(p, launch->folder.dir, log, out);

	if (!found)
		job_log_explain(launch->folder.dir, log, p->kills > 0, out);
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
			 ? elc_report(launch->folder.dir, launch->jobs, p->kill[launch->jobs].rank)
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
		json_t *report = elc_report(launch->folder.dir, launch->jobs, rank);

		ended = json_is_null(json_object_get(report, "killed")) &&
			json_is_null(json_object_get(report, "refused"));
		json_decref(report);
	}
	return ended;
}

static enum job_state look(void *ctx)
{
	const struct watched *w = ctx;
	struct figures figures;
	const bool ended = find_figures(w->plan, w->launch->folder.dir, w->log, &figures) &&
			   all_have_ended(w->plan, w->launch);

	return ended || was_killed(w->plan, w->launch) ? JOB_OVER : JOB_RUNS;
}

/* refused: the library has ended the job. A kill by the clock may come a moment after that, or when
 * all have ended already. A job that has not died of its kill by the deadline hangs. */
static enum elc_end how_ended(const struct elc_plan *p, const struct elc_launch *launch,
			      enum launch_end end, bool refused, long log, struct figures *figures)
{
	if (find_figures(p, launch->folder.dir, log, figures) && all_have_ended(p, launch))
		return ELC_FINISHED;
	if (was_killed(p, launch) && !(launch->killer && refused))
		return ELC_KILLED;
	return end == LAUNCH_DEADLINE ? ELC_HUNG : ELC_DIED;
}

/* Kills by the clock that were sent, as options. */
static json_t *struck_json(const struct elc_plan *p, int job, const bool struck[OUTSIDE_MAX])
{
	json_t *list = json_array();

	for (size_t i = 0; job < p->kills && i < p->kill[job].clock.count; i++) {
		const struct elc_kill one = { .clock = { .count = 1,
							 .kill = { p->kill[job].clock.kill[i] } } };
		char text[ELC_KILL];

		elc_kill_format(&one, text, sizeof text);
		if (struck[i])
			json_array_append_new(list, json_string(text));
	}
	return list;
}

/* How the last job ended. */
static void tell_end(const struct elc_plan *p, struct elc_launch *launch, enum elc_end end,
		     double wall_s, const bool struck[OUTSIDE_MAX], const struct figures *figures,
		     const char *said)
{
	json_t *members =
		json_pack("{s:i, s:s, s:f, s:o}", "job", launch->jobs, "how", elc_end_word(end),
			  "wall_s", wall_s, "struck", struck_json(p, launch->jobs, struck));

	if (end == ELC_DIED)
		json_object_set_new(members, "said", text_json(said));
	if (end == ELC_FINISHED) {
		json_object_set_new(members, "hash", json_string(figures->hash));
		json_object_set_new(members, "result",
				    json_pack("{s:I, s:b, s:f}", "size", (json_int_t)figures->size,
					      "checks", figures->checks, "seconds",
					      figures->seconds));
	}
	events_tell(launch->folder.dir, "job_ended", members, &launch->folder.unwritten);
}

/* One job from its start to its end. *killed: by the plan. RB_OK, RB_LOST or what it could not be
 * started for. */
static int run_job(const struct elc_plan *p, struct elc_launch *launch, double begin, bool *killed,
		   struct rb_error *err)
{
	const char *const worker[] = { "elc-worker", launch->folder.dir, NULL };
	struct watched watched = { p, launch, job_log_size(launch->folder.dir) };
	char path[SCRATCH_PATH];
	struct launch_job job = { .dir = launch->folder.dir,
				  .shared = launch->folder.shared.dir,
				  .np = p->np,
				  .worker = worker,
				  .per_core = launch_oversubscribed(p->hosts, p->np, 0)
						      ? launch_per_core(p->hosts, p->np)
						      : 0,
				  .begun_s = begin,
				  .deadline_s = p->deadline_s,
				  .look = look,
				  .ctx = &watched };
	bool struck[OUTSIDE_MAX] = { false };
	char said[JOB_LOG_TEXT] = "";
	struct figures figures;
	const double begun = clock_monotonic();
	enum elc_end how = ELC_DIED;
	enum launch_end end;
	bool refused = false;
	double wall_s;
	int rc;

	forget_reports(p, launch);
	RB_TRY(save_job(p, launch, launch->jobs, err));
	RB_TRY(elc_hosts_place(p, launch->folder.dir, path, &job.placement, err));
	RB_TRY(elc_killer_start(&launch->killer, p, launch->folder.dir, launch->jobs, err));
	events_add(launch->folder.dir, "job",
		   json_pack("{s:i, s:i}", "job", launch->jobs, "processes", p->np));
	rc = launch_job(&job, &end, err);
	wall_s = clock_monotonic() - begun;
	if (rc == RB_OK) {
		refused = find_refusal(p, launch, said);
		how = how_ended(p, launch, end, refused, watched.log, &figures);
	}
	elc_killer_stop(launch->killer, struck);
	launch->killer = NULL;
	RB_TRY(rc);
	if (end == LAUNCH_INTERRUPTED)
		return RB_LOST;
	if (how == ELC_DIED && !refused)
		launch->unexplained = !explain(p, launch, watched.log, said);
	launch->cut = how == ELC_DIED && end == LAUNCH_CUT;
	tell_end(p, launch, how, wall_s, struck, &figures, said);
	launch->jobs++;
	*killed = how == ELC_KILLED;
	return RB_OK;
}

static void tell_launch(const struct elc_plan *p, struct elc_launch *launch, bool resumed,
			double begin)
{
	json_t *members =
		json_pack("{s:i, s:f, s:b, s:b, s:o}", "launch", launch->number, "wall_s",
			  clock_monotonic() - begin, "resumed", resumed, "oversubscribed",
			  launch_oversubscribed(p->hosts, p->np, 0), "host", host_of_harness());

	if (p->hosts)
		json_object_set_new(members, "hosts", hosts_json(p->hosts, false));
	events_tell(launch->folder.dir, "ended", members, &launch->folder.unwritten);
}

static int run_jobs(const struct elc_plan *p, bool resumed, struct elc_launch *launch,
		    struct rb_error *err)
{
	const double begin = clock_monotonic();
	bool killed;

	events_add(launch->folder.dir, "launch",
		   json_pack("{s:i, s:b}", "launch", launch->number, "resumed", resumed));
	do
		RB_TRY(run_job(p, launch, begin, &killed, err));
	while (killed);
	tell_launch(p, launch, resumed, begin);
	return RB_OK;
}

/* A new run folder. */
static int begin_folder(struct elc_run *run, enum launch_use use, struct rb_error *err)
{
	struct elc_launch *launch = &run->launch;
	/* without the library there is nothing to go on with */
	const bool disposable = use == LAUNCH_DISPOSABLE || !elc_is_on(&run->plan);
	char lines[SCRATCH_PATH];

	RB_TRY(run_folder_make(&launch->folder, run->run.workdir, disposable, err));
	snprintf(lines, sizeof lines, "%s/lines", launch->folder.dir);
	if (mkdir(lines, 0777) != 0)
		return rb_fail(err, RB_EIO, "%s: cannot be made", lines);
	return elc_save(run, launch->folder.dir, err);
}

/* The folder of a run that was interrupted, or whose harness has died. */
static int take_folder(struct elc_run *run, struct rb_error *err)
{
	struct elc_launch *launch = &run->launch;
	json_t *events;

	RB_TRY(run_folder_take(&launch->folder, run->run.from, err));
	events = events_read(launch->folder.dir);
	launch->number = events_count(events, "launch");
	launch->jobs = events_count(events, "job_ended");
	json_decref(events);
	return RB_OK;
}

int elc_launch(struct elc_run *run, enum launch_use use, struct rb_error *err)
{
	struct elc_launch *launch = &run->launch;

	*launch = (struct elc_launch){ .folder = RUN_FOLDER_NONE };
	RB_TRY(run->run.from ? take_folder(run, err) : begin_folder(run, use, err));
	RB_TRY(elc_hosts_check(&run->plan, launch->folder.dir, err));
	return run_jobs(&run->plan, run->run.from != NULL, launch, err);
}

void elc_launch_remove(struct elc_launch *launch)
{
	if (launch->unexplained)
		job_log_leave(launch->folder.dir);
	run_folder_remove(&launch->folder);
}
