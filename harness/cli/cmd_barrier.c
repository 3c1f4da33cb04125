/* `rollbench barrier`: options, the job, its record. What is measured:
 * harness/barrier/barrier.h. */
#include "base/clock.h"
#include "base/status.h"
#include "harness/barrier/barrier.h"
#include "harness/barrier/barrier_table.h"
#include "harness/cli/commands.h"
#include "harness/events/events.h"
#include "harness/job/host.h"
#include "harness/job/job_log.h"
#include "harness/job/launch.h"
#include "harness/job/mpirun.h"
#include "harness/options/command.h"
#include "harness/record/host.h"
#include "harness/machine/pin.h"

#include <unistd.h>

static const char everything[] = "none,sleep,dvfs,cm,dvfs+cm";

struct request {
	struct barrier_plan plan;
	const char *json, *workdir;
	double deadline_s;         /* 0: by the plan */
	const struct hosts *hosts; /* NULL: here */
};

static int set_techniques(void *request, const char *list, struct rb_error *err)
{
	struct barrier_plan *p = &((struct request *)request)->plan;

	p->asked = true;
	return barrier_set_techniques(p, list, err);
}

static int set_hostfile(void *request, const char *path, struct rb_error *err)
{
	static struct hosts hosts;

	((struct request *)request)->hosts = &hosts;
	return hosts_load(&hosts, path, err);
}

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "np", "N", "ranks, at least 2 (default: as many as cores); the last one is late",
	  OPTION_INT, AT(plan.np), .least = 2, .most = BARRIER_RANKS_MAX },
	{ "seconds", "S",
	  "duration of the product, and how late the late rank is (default 1; the paper has 5)",
	  OPTION_SECONDS, AT(plan.seconds) },
	{ "repetitions", "R",
	  "repetitions of the product and of all barriers, these in random order", OPTION_INT,
	  AT(plan.repetitions), .least = 1, .most = BARRIER_REPETITIONS_MAX, .standard = "5" },
	{ "techniques", "LIST",
	  "some of none, sleep, dvfs, cm, dvfs+cm (default: all). Without this option a technique "
	  "that cannot be used is reported as absent, with the reason. If LIST has such a "
	  "technique, nothing is measured",
	  OPTION_OWN, .set = set_techniques },
	{ "order", "N", "order of the matrices", OPTION_INT, AT(plan.matrix_order), .least = 1,
	  .most = BARRIER_ORDER_MAX, .standard = "256" },
	{ "seed", "N", "seed of the order of the barriers", OPTION_LONG, AT(plan.seed), .least = 0,
	  .most = INT64_MAX, .standard = "1" },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ "deadline", "S",
	  "seconds until the job counts as hung (default: twice what it should take, and 60)",
	  OPTION_SECONDS, AT(deadline_s) },
	{ "workdir", "DIR",
	  "where the job's folder is made (default $TMPDIR or /tmp); must be seen by all hosts",
	  OPTION_STRING, AT(workdir) },
	{ "hostfile", "FILE",
	  "hosts to run on, one per line as `HOST [slots=N]`; without it those of the batch "
	  "system's allocation (docs/cluster.md)",
	  OPTION_OWN, .set = set_hostfile },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench barrier [OPTION ...]\n"
		"\n"
		"Measure what waiting costs. All ranks compute a matrix product, then one rank enters a barrier late\n"
		"while the others wait, once with each way to save power (power-log-n-roll paper, Alg. 2 and\n"
		"Fig. 3). The record has the CPU time of each rank, the watts of each package that has an energy\n"
		"meter, and how much longer than in a plain barrier it takes until the waiting ranks can go on.\n"
		"\n",
	.own = own,
	.notes =
		"\n"
		"exit status: 0 ok, 2 usage or a technique of LIST is absent, 3 hang, 4 abort\n"
		"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n",
};

static double duration(const struct barrier_plan *p)
{
	return p->seconds * barrier_phases(p);
}

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	int cores = pin_machine().cores, rc;

	r->plan = (struct barrier_plan){ .np = cores > 2 ? cores : 2,
					 .seconds = 1,
					 .repetitions = 5,
					 .matrix_order = 256,
					 .seed = 1 };
	RB_TRY(barrier_set_techniques(&r->plan, everything, err));
	rc = command_parse(&command, argc, argv, NULL, r, err);
	if (rc != RB_OK)
		return rc;
	RB_TRY(launch_find_hosts(&r->hosts, err));
	r->plan.oversubscribed =
		!mpirun_names_hosts() && launch_oversubscribed(r->hosts, r->plan.np, 0);
	if (r->deadline_s == 0)
		r->deadline_s = 2 * duration(&r->plan) + 60;
	if (r->deadline_s <= duration(&r->plan))
		return rb_fail(
			err, RB_EINVAL,
			"--deadline %g: measuring alone takes %g s; fewer --repetitions, or a "
			"later deadline",
			r->deadline_s, duration(&r->plan));
	return RB_OK;
}

/* Refuse a technique that the user asked for and this machine cannot use, before anything runs. The
 * ranks check again, each on its core. */
static int probe(const struct barrier_plan *p, struct rb_error *err)
{
	char text[POWER_TEXT];

	for (int i = 0; p->asked && i < p->techniques; i++)
		if (barrier_absent(p, p->technique[i], text))
			return rb_fail(err, RB_EINVAL, "--techniques %s: absent: %s",
				       power_name(p->technique[i]), text);
	return RB_OK;
}

/* The same after the run: a technique without numbers has the reason in its "absent" or its
 * "trouble". */
static int check_asked(const struct barrier_plan *p, const json_t *record, struct rb_error *err)
{
	const json_t *technique;
	size_t i;

	json_array_foreach(json_object_get(record, "techniques"), i, technique) {
		const char *absent = json_string_value(json_object_get(technique, "absent"));
		const char *why =
			absent ? absent : json_string_value(json_object_get(technique, "trouble"));

		if (p->asked && why)
			return rb_fail(err, RB_EINVAL, "--techniques %s: absent: %s",
				       json_string_value(json_object_get(technique, "name")), why);
	}
	return RB_OK;
}

static void say_task(const struct barrier_plan *p, FILE *to)
{
	fprintf(to, "%d ranks, rank %d comes %g s late, %d repetition%s, seed %llu; up to %.0f s\n",
		p->np, p->np - 1, p->seconds, p->repetitions, p->repetitions == 1 ? "" : "s",
		(unsigned long long)p->seed, duration(p));
	if (p->oversubscribed)
		fprintf(to,
			"warning: oversubscribed: %d ranks on %d cores; waiting ranks nap, "
			"and latencies are the scheduler's\n",
			p->np, pin_machine().cores);
	fflush(to);
}

struct job {
	struct run_folder folder;
	enum launch_end end;
	double wall_s;
};

static enum job_state look(void *ctx)
{
	const struct job *job = ctx;
	char path[SPEC_PATH + 16];

	barrier_measured_path(job->folder.dir, path, sizeof path);
	return access(path, F_OK) == 0 ? JOB_OVER : JOB_RUNS;
}

static int launch(const struct request *r, struct job *job, struct rb_error *err)
{
	const char *const worker[] = { "barrier-worker", job->folder.dir, NULL };
	char placement[SCRATCH_PATH];
	struct launch_job start = { .dir = job->folder.dir,
				    .np = r->plan.np,
				    .worker = worker,
				    .per_core = r->plan.oversubscribed
							? launch_per_core(r->hosts, r->plan.np)
							: 0,
				    .look = look,
				    .ctx = job,
				    .begun_s = clock_monotonic(),
				    .deadline_s = r->deadline_s };
	int rc;

	RB_TRY(run_folder_make(&job->folder, r->workdir, true, err));
	start.shared = job->folder.shared.dir;
	rc = barrier_plan_save(&r->plan, job->folder.dir, err);
	snprintf(placement, sizeof placement, "%s/placement", job->folder.dir);
	start.placement = r->hosts ? placement : NULL;
	if (rc == RB_OK && r->hosts)
		rc = hosts_place(r->hosts, r->plan.np, 0, placement, err);
	if (rc == RB_OK)
		rc = launch_job(&start, &job->end, err);
	job->wall_s = clock_monotonic() - start.begun_s;
	return rc;
}

static int no_record(const struct request *r, const struct job *job)
{
	char words[JOB_LOG_TEXT];

	if (job->end == LAUNCH_INTERRUPTED) {
		fprintf(stderr,
			"rollbench barrier: interrupted; no process and no record is left\n");
		return interrupted_status(launch_signal());
	}
	if (job->end == LAUNCH_DEADLINE) {
		fprintf(stderr,
			"rollbench barrier: not done by --deadline %g; ended, there is no record\n",
			r->deadline_s);
		return STATUS_HANG;
	}
	job_log_explain(job->folder.dir, 0, false, words);
	job_log_leave(job->folder.dir);
	fprintf(stderr, "rollbench barrier: the job ended without a result; it said: %s\n", words);
	return STATUS_ABORT;
}

static json_t *host_of_job(const struct job *job)
{
	json_t *events = events_read(job->folder.dir), *host = host_json(host_of_harness(), events);

	json_decref(events);
	return host;
}

/* file: open if r->json names one. Nothing was measured if a technique that the user asked for was
 * found absent by a rank. */
static int report(const struct request *r, struct job *job, struct record_file *file, FILE *talk)
{
	char path[SPEC_PATH + 16];
	struct rb_error err;
	json_t *measured, *record;
	int rc = RB_OK;

	barrier_measured_path(job->folder.dir, path, sizeof path);
	measured = job->end == LAUNCH_INTERRUPTED ? NULL : json_load_file(path, 0, NULL);
	if (!measured)
		return no_record(r, job);
	record = barrier_record(&r->plan, measured, host_of_job(job), job->wall_s);
	if (json_array_size(json_object_get(record, "phases")) > 0) {
		rc = record_finish(file, record, r->json, &err);
		barrier_table(record, talk);
	}
	if (rc == RB_OK)
		rc = check_asked(&r->plan, record, &err);
	json_decref(record);
	return rc == RB_OK ? 0 : refused_status("barrier", &err);
}

static int run(const struct request *r, struct record_file *file)
{
	FILE *talk = record_is_to_stdout(r->json) ? stderr : stdout;
	struct job job = { .folder = RUN_FOLDER_NONE };
	struct rb_error err;
	int status;

	say_task(&r->plan, talk);
	status = launch(r, &job, &err) == RB_OK ? report(r, &job, file, talk)
						: refused_status("barrier", &err);
	run_folder_remove(&job.folder);
	record_discard(file); /* unless it is in place */
	return status;
}

int cmd_barrier(int argc, char **argv)
{
	struct request r = { .json = NULL };
	struct record_file file = { .to.fd = -1 };
	struct rb_error err;
	int rc = parse(argc, argv, &r, &err);

	if (rc == 1)
		return 0;
	launch_catch_signals();
	if (rc == RB_OK) {
		say_leftovers("barrier");
		rc = probe(&r.plan, &err);
	}
	if (rc == RB_OK && r.json && !record_is_to_stdout(r.json))
		rc = record_open(&file, r.json, &err);
	return rc == RB_OK ? run(&r, &file) : refused_status("barrier", &err);
}
