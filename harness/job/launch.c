#include "harness/job/launch.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/job/escalation.h"
#include "harness/job/host.h"
#include "harness/job/job_log.h"
#include "harness/job/killer.h"
#include "harness/job/mpirun.h"
#include "harness/job/queues.h"
#include "harness/job/role_watch.h"
#include "harness/machine/pin.h"
#include "harness/options/allocation.h"
#include "harness/transport/transport.h"
#include "inject/roster.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESTARTS_MAX = 1000 };

/* Other hosts may run roles: those of --hostfile, or those that the arguments for mpirun name. */
static bool is_remote(const struct run_spec *spec)
{
	return spec->hosts || mpirun_names_hosts();
}

/* How far the roles of a job are that has ended. */
static struct progress look_at_roles(const struct run_spec *spec, const char *dir)
{
	struct role_watch *roles = role_watch_new(dir, spec->np, is_remote(spec));
	struct progress p = { .spares = true };

	if (roles)
		p = role_watch_look(roles, clock_monotonic());
	role_watch_free(roles);
	return p;
}

struct watched {
	struct role_watch *roles;
	struct launch *launch;
	int np, processes;
	/* the role gave up in an earlier job, and this job has not reached that point yet */
	bool stale;
	struct escalation escalation;
};

static bool note_escalation(struct watched *w)
{
	return escalation_note(&w->escalation, role_watch_describe(w->roles),
			       queues_broken(w->launch->folder.dir, w->processes));
}

static void see_hang(void *ctx)
{
	struct watched *w = ctx;

	queues_say(w->launch->folder.dir, w->processes, w->launch->queues);
}

/* Has only the MPI still to end the job? It does not always do so (prterun can block itself in
 * MPI_Abort). */
static enum job_state look(void *ctx)
{
	struct watched *w = ctx;
	double now = clock_monotonic();
	struct progress p = role_watch_look(w->roles, now);

	w->stale = w->stale && p.gave_up;
	if ((p.gave_up && !w->stale) || p.finished == w->np)
		return JOB_OVER;
	if (!escalation_is_due(&w->escalation, &p, w->np, now))
		return JOB_RUNS;
	return note_escalation(w) ? JOB_STUCK : JOB_RUNS;
}

/* Has Rollbench killed a process of the first job at its start? */
static bool killed_at_start(const struct launch *launch)
{
	return launch->restarts == 0 && killer_hit_start(launch->killer);
}

/* The number of the last job, from 0, in its run. */
static int number_of_job(const struct launch *launch)
{
	return launch->jobs_before + launch->restarts;
}

/* Have processes of the last job come as far as MPI_Init, without one that refuses to run? */
static bool has_tried(const struct launch *launch)
{
	json_t *events = events_read(launch->folder.dir), *event;
	bool started = false, refused = false;
	size_t i;

	json_array_foreach(events, i, event) {
		if (json_integer_value(json_object_get(event, "job")) != number_of_job(launch))
			continue;
		started = started || event_is(event, "started");
		refused = refused || event_is(event, "refused");
	}
	json_decref(events);
	return started && !refused;
}

/* May a new job help where one has ended before all its roles had begun? What is left of a job in
 * which a process died during MPI_Init says almost anything: an address that is missing, a
 * collective function that failed, an innocent process with signal 11 (docs/ulfm-notes.md). So the
 * first job in which processes came as far as that is tried once more, whatever it says; a later
 * one only if it says that a process was killed, because other failures would come again. */
static bool may_have_died(const struct launch *launch)
{
	return (launch->restarts == 0 && has_tried(launch)) || killed_at_start(launch) ||
	       job_log_says_killed(launch->folder.dir, launch->log);
}

/* The MPI has ended the job before all roles had begun: with job restart, or if a death came late
 * in MPI_Init. A new job is started as in the case in which the MPI waits. */
static void notice_early_death(struct watched *w, const struct run_spec *spec,
			       struct launch *launch)
{
	double now = clock_monotonic();
	struct progress p = role_watch_look(w->roles, now);

	if (!launch_ended(launch->end) || p.begun == w->np || (p.gave_up && !w->stale) ||
	    !may_have_died(launch))
		return;
	if (spec->strategy == FT_GO_ON) {
		if (!escalation_of_start(&w->escalation, now) || !note_escalation(w))
			return;
	}
	launch->end = LAUNCH_STUCK;
}

static void placement_path(const struct launch *launch, char out[SCRATCH_PATH])
{
	snprintf(out, SCRATCH_PATH, "%s/placement", launch->folder.dir);
}

/* Run one job from its start to its end. RB_OK, RB_EIO or RB_ENOMEM. */
static int run_job(const struct run_spec *spec, struct launch *launch, double begin,
		   struct rb_error *err)
{
	char number[16];
	const char *const worker[] = { "worker", launch->folder.dir, number, NULL };
	struct watched watched = { role_watch_new(launch->folder.dir, spec->np, is_remote(spec)),
				   launch,
				   spec->np,
				   spec->np + spec->spares,
				   false,
				   escalation_begin(
					   spec, launch->folder.dir,
					   launch_per_core(spec->hosts, spec->np + spec->spares)) };
	char placement[SCRATCH_PATH];
	const struct launch_job job = {
		.dir = launch->folder.dir,
		.shared = launch->folder.shared.dir,
		.placement = launch->hosts.count > 0 ? placement : NULL,
		.np = spec->np + spec->spares,
		.with_ft = spec_goes_on(spec),
		.per_core = launch->oversubscribed
				    ? launch_per_core(spec->hosts, spec->np + spec->spares)
				    : 0,
		.worker = worker,
		.begun_s = begin,
		.deadline_s = spec->deadline_s,
		.look = look,
		.late = see_hang,
		.ctx = &watched,
	};

	int rc = RB_OK;

	if (!watched.roles)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	watched.stale = role_watch_look(watched.roles, clock_monotonic()).gave_up;
	launch->log = job_log_size(launch->folder.dir);
	placement_path(launch, placement);
	if (job.placement) {
		rc = hosts_place(&launch->hosts, spec->np, spec->spares, placement, err);
		/* ranks may have been on other hosts in an earlier job */
		roster_forget(launch->folder.dir);
	}
	snprintf(number, sizeof number, "%d", number_of_job(launch));
	if (rc == RB_OK) {
		events_add(
			launch->folder.dir, "job",
			json_pack("{s:i, s:i}", "job", number_of_job(launch), "processes", job.np));
		rc = launch_job(&job, &launch->end, err);
	}
	if (rc == RB_OK)
		notice_early_death(&watched, spec, launch);
	role_watch_free(watched.roles);
	return rc;
}

/* Is there something to resume? There is if the job ended without a result and no role gave up. */
static bool died(const struct launch *launch, const struct progress *p)
{
	return launch_ended(launch->end) && p->there > 0 && !p->gave_up;
}

static enum job_state look_at_nothing(void *ctx)
{
	(void)ctx;
	return JOB_RUNS;
}

_Static_assert((int)HOST_NAME == (int)ROSTER_HOST, "a host has one length of names");

/* What the hosts of the last job call themselves: a file of hosts can have their addresses. */
static void learn_names(const struct run_spec *spec, struct launch *launch)
{
	const int ranks = spec->np + spec->spares;
	char(*name)[ROSTER_HOST] = calloc((size_t)ranks, sizeof *name);

	if (name && roster_hosts(launch->folder.dir, ranks, name))
		for (int i = 0; i < ranks; i++)
			memcpy(launch->hosts.host[hosts_of(&launch->hosts, spec->np, i)].own,
			       name[i], sizeof *name);
	free(name);
}

/* Mark the hosts that messages of the last job, and of what was started since, call lost. Returns
 * how many. */
static int notice_hosts(struct launch *launch)
{
	char log[SCRATCH_PATH];

	job_log_path(launch->folder.dir, log);
	return hosts_notice(&launch->hosts, log, launch->log);
}

/* Without spares the remaining ranks give up before mpirun has written that a daemon is gone. So
 * this tries to start a process on each host, and marks the hosts on which it cannot. Returns how
 * many. */
static int missing_hosts(const struct run_spec *spec, struct launch *launch, double begin)
{
	static const char *const anything[] = { "nothing", NULL };
	char placement[SCRATCH_PATH];
	enum launch_end end;
	struct rb_error err;
	struct launch_job job = { .dir = launch->folder.dir,
				  .shared = "",
				  .placement = placement,
				  .worker = anything,
				  .begun_s = begin,
				  .deadline_s = spec->deadline_s,
				  .look = look_at_nothing };

	placement_path(launch, placement);
	if (hosts_place_each(&launch->hosts, placement, &job.np, &err) != RB_OK ||
	    launch_job(&job, &end, &err) != RB_OK)
		return 0;
	if (end == LAUNCH_INTERRUPTED)
		launch->end = end;
	return notice_hosts(launch);
}

/* Did the job end because hosts were lost? These are not used again, whatever the strategy. The
 * other hosts continue from the checkpoints in files, if there are other hosts and such
 * checkpoints. */
static bool lost_hosts(const struct run_spec *spec, struct launch *launch, const struct progress *p,
		       double begin)
{
	struct levels levels;
	struct rb_error err;
	int lost;

	launch->lost_host = false;
	if (launch->hosts.count == 0 || launch->end == LAUNCH_INTERRUPTED)
		return false;
	learn_names(spec, launch);
	lost = notice_hosts(launch); /* of a job that finished, too: the record names them */
	if (p->finished == spec->np)
		return false;
	if (lost == 0 && p->gave_up && p->spares && launch->end != LAUNCH_DEADLINE)
		lost = missing_hosts(spec, launch, begin);
	launch->lost_host = lost > 0;
	return lost > 0 && launch->end != LAUNCH_INTERRUPTED &&
	       hosts_check(&launch->hosts, &err) == RB_OK &&
	       levels_parse(&levels, spec->ckpt, &err) == RB_OK && levels.file;
}

static bool go_on(const struct run_spec *spec, struct launch *launch, double begin)
{
	struct progress p = look_at_roles(spec, launch->folder.dir);
	bool lost = lost_hosts(spec, launch, &p, begin);

	launch->unstarted =
		p.there == 0 && launch->end != LAUNCH_INTERRUPTED && !killed_at_start(launch);
	if (p.finished == spec->np) /* perhaps while the job was being ended */
		return false;
	return launch->restarts < RESTARTS_MAX && launch->end != LAUNCH_DEADLINE &&
	       (lost || launch->end == LAUNCH_STUCK ||
		(spec->strategy == FT_RESTART && died(launch, &p)));
}

/* The kills by the clock, as options; NULL: none. */
static json_t *outside_json(const struct outside_plan *plan)
{
	json_t *list = plan->count > 0 ? json_array() : NULL;
	char text[INJECT_TEXT];

	for (size_t i = 0; i < plan->count; i++) {
		outside_format(&plan->kill[i], text, sizeof text);
		json_array_append_new(list, json_string(text));
	}
	return list;
}

static void begin_events(const struct run_spec *spec, struct launch *launch)
{
	json_t *before = events_read(launch->folder.dir);

	launch->number = events_count(before, "launch");
	launch->jobs_before = events_count(before, "job");
	json_decref(before);
	events_add(launch->folder.dir, "launch",
		   json_pack("{s:i, s:b, s:o*}", "launch", launch->number, "resumed",
			     launch->resumed, "kill_at", outside_json(&spec->outside)));
}

/* What the last job said; where none has started, an earlier one may have said the cause. */
static void explain(const struct run_spec *spec, const struct launch *launch,
		    char out[JOB_LOG_TEXT])
{
	const bool kills = spec->plan.count + spec->outside.count > 0;
	char before[JOB_LOG_TEXT];

	if (!job_log_explain(launch->folder.dir, launch->log, kills, out) && launch->unstarted &&
	    job_log_explain(launch->folder.dir, 0, kills, before))
		memcpy(out, before, sizeof before);
}

static json_t *ended(const struct launch *launch)
{
	static const char *const ways[] = {
		[LAUNCH_EXITED] = "exited",     [LAUNCH_CUT] = "cut",
		[LAUNCH_LINGERED] = "lingered", [LAUNCH_STUCK] = "stuck",
		[LAUNCH_DEADLINE] = "deadline", [LAUNCH_INTERRUPTED] = "interrupted",
	};
	json_t *members = json_pack(
		"{s:i, s:s, s:f, s:i, s:b, s:b, s:b, s:o*, s:o*, s:o}", "launch", launch->number,
		"how", ways[launch->end], "wall_s", launch->wall_s, "restarts", launch->restarts,
		"resumed", launch->resumed, "oversubscribed", launch->oversubscribed, "lost_host",
		launch->lost_host, "said", launch->said[0] ? text_json(launch->said) : NULL,
		"queues", launch->queues[0] ? text_json(launch->queues) : NULL, "host",
		host_of_harness());

	if (launch->hosts.count > 0) {
		json_object_set_new(members, "hosts", hosts_json(&launch->hosts, false));
		json_object_set_new(members, "lost_hosts", hosts_json(&launch->hosts, true));
	}
	return members;
}

static void end_events(const struct run_spec *spec, struct launch *launch)
{
	if (look_at_roles(spec, launch->folder.dir).finished < spec->np)
		explain(spec, launch, launch->said);
	events_tell(launch->folder.dir, "ended", ended(launch), &launch->folder.unwritten);
}

static int run_jobs(const struct run_spec *spec, struct launch *launch, struct rb_error *err)
{
	double begin = clock_monotonic();
	int rc;

	if (spec->hosts)
		launch->hosts = *spec->hosts;
	launch->oversubscribed = launch_oversubscribed(spec->hosts, spec->np, spec->spares);
	begin_events(spec, launch);
	rc = killer_start(&launch->killer, spec, launch->folder.dir, err);
	if (rc == RB_OK)
		rc = run_job(spec, launch, begin, err);
	while (rc == RB_OK && go_on(spec, launch, begin)) {
		launch->restarts++;
		rc = run_job(spec, launch, begin, err);
	}
	killer_stop(launch->killer);
	launch->killer = NULL;
	launch->wall_s = clock_monotonic() - begin;
	if (rc == RB_OK)
		end_events(spec, launch);
	return rc;
}

int launch_find_hosts(const struct hosts **hosts, struct rb_error *err)
{
	static struct hosts found; /* a process has one cluster */
	char from[ALLOCATION_TEXT];

	if ((*hosts && (*hosts)->count > 0) || mpirun_lists_hosts())
		return RB_OK;
	found.spare_hosts = *hosts ? (*hosts)->spare_hosts : 0;
	RB_TRY(allocation_find(&found, from, err));
	if (found.count > 0)
		*hosts = &found;
	return RB_OK;
}

int launch_check_power(const struct run_spec *spec, struct rb_error *err)
{
	int cores = pin_machine().cores, cpu = 0;
	char text[POWER_TEXT];
	cpu_set_t ours;

	if (!power_sets_core(spec->power))
		return RB_OK;
	if (spec->np > cores)
		return rb_fail(
			err, RB_EINVAL,
			"--power %s: %d roles on %d cores: a role that waits would slow down one "
			"that works; remedy: --power sleep, or fewer roles",
			power_name(spec->power), spec->np, cores);
	if (sched_getaffinity(0, sizeof ours, &ours) == 0)
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &ours))
			cpu++;
	if (!power_probe(spec->power, cpu, text))
		return rb_fail(err, RB_EINVAL, "--power %s: %s", power_name(spec->power), text);
	return RB_OK;
}

/* On other hosts each role checks its power technique itself (harness/rank/worker.c). */
int launch_check(const struct run_spec *spec, struct rb_error *err)
{
	if (spec_goes_on(spec))
		RB_TRY(transport_check(transport_plan(), err));
	if (spec->outside.count > 0 && mpirun_names_hosts())
		return rb_fail(err, RB_EINVAL,
			       "--kill-at: it reaches processes of this machine only, but "
			       "$ROLLBENCH_MPIRUN_ARGS names hosts or interfaces");
	return spec->hosts || mpirun_names_hosts() ? RB_OK : launch_check_power(spec, err);
}

int launch_run(const struct run_spec *spec, const char *parent, enum launch_use use,
	       struct launch *launch, struct rb_error *err)
{
	int rc;

	*launch = (struct launch){ .folder = RUN_FOLDER_NONE };
	RB_TRY(launch_check(spec, err));
	rc = run_folder_make(&launch->folder, parent, use == LAUNCH_DISPOSABLE, err);
	if (rc == RB_OK)
		rc = spec_save(spec, launch->folder.dir, err);
	if (rc == RB_OK)
		rc = run_jobs(spec, launch, err);
	if (rc == RB_OK && launch->end == LAUNCH_INTERRUPTED)
		rc = RB_LOST;
	if (rc == RB_LOST && use == LAUNCH_KEPT)
		run_folder_leave(&launch->folder);
	else if (rc != RB_OK)
		launch_remove(launch);
	return rc;
}

int launch_resume(const struct run_spec *spec, const char *dir, struct launch *launch,
		  struct rb_error *err)
{
	int rc;

	*launch = (struct launch){ .folder = RUN_FOLDER_NONE, .resumed = true };
	RB_TRY(launch_check(spec, err));
	rc = run_folder_take(&launch->folder, dir, err);
	if (rc == RB_OK)
		rc = run_jobs(spec, launch, err);
	if (rc == RB_OK && launch->end == LAUNCH_INTERRUPTED)
		rc = RB_LOST;
	if (rc != RB_OK)
		run_folder_leave(&launch->folder);
	return rc;
}

void launch_remove(struct launch *launch)
{
	if (launch->unstarted)
		job_log_leave(launch->folder.dir);
	run_folder_remove(&launch->folder);
}
