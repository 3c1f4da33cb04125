/* The command `rollbench run PROGRAM --protocol PROTOCOL`: its options, the failure-free run, the
 * run, what it says. */
#include "harness/elc/elc_run.h"

#include "base/status.h"
#include "harness/job/launch.h"
#include "harness/options/command.h"
#include "harness/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char run_made[] = "run", none[] = "none";

static int set_kill(void *request, const char *text, struct rb_error *err)
{
	return elc_plan_kill(&((struct elc_request *)request)->plan, text, err);
}

static int set_kill_at(void *request, const char *text, struct rb_error *err)
{
	return elc_plan_kill_at(&((struct elc_request *)request)->plan, text, err);
}

static struct hosts hosts; /* a process has one cluster */

static int set_hostfile(void *request, const char *text, struct rb_error *err)
{
	((struct elc_request *)request)->plan.hosts = &hosts;
	return hosts_load(&hosts, text, err);
}

static int pass_on(void *request, const char *name, const char *value, struct rb_error *err)
{
	return elc_plan_argument(&((struct elc_request *)request)->plan, name, value, err);
}

static const char *log_word(int i)
{
	static const char *const words[] = { "counted", "list" };

	return i < 2 ? words[i] : NULL;
}

static int set_log(void *request, const char *text, struct rb_error *err)
{
	bool *list = &((struct elc_request *)request)->plan.list;

	*list = strcmp(text, log_word(1)) == 0;
	return *list || strcmp(text, log_word(0)) == 0
		       ? RB_OK
		       : rb_fail(err, RB_EINVAL, "--log-form %.60s: expected counted or list",
				 text);
}

#define AT(member) .at = offsetof(struct elc_request, member)

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(plan.program) },
	{ "protocol", "PROTOCOL",
	  "by which recovery lines are made: events, tagging, tagging-copy or markers. off: the "
	  "library does nothing. source: the program is not linked with it. With these two nothing "
	  "can be killed",
	  OPTION_WORD, AT(plan.protocol), .word = elc_protocol_word, .standard = "events" },
	{ "np", "N", "processes", OPTION_INT, AT(plan.np), .least = 1, .most = ELC_NP_MAX,
	  .standard = "4" },
	{ "lines", "K",
	  "lines that the program asks for, at places drawn from its --seed (default 4, or 0 with "
	  "--line-interval or the program's own --every)",
	  OPTION_LONG, AT(plan.lines), .least = 0, .most = 1000 },
	{ "line-interval", "S", "seconds after which rank 0 begins a line", OPTION_SECONDS,
	  AT(plan.interval_s) },
	{ "log-form", "FORM", "of the envelope logs: counted or list (default counted)", OPTION_OWN,
	  .set = set_log },
	{ "kill", "R@N[:MOMENT]",
	  "send SIGKILL to rank R at its safe point N, or at the first such moment from then on; "
	  "then the job is started again. Safe points are counted from 0, as the iterations of a "
	  "kernel, and a restarted program comes to that of its cut again. Repeatable: the second "
	  "kill is for the second job, and so on. Moments: step, cut, saved, asking, asked, requested, "
	  "identified, complete, known; of rank 0 also reported, committed, announcing",
	  OPTION_OWN, .set = set_kill },
	{ "kill-at", "S:R[,S:R...]",
	  "instead of a --kill: send SIGKILL from outside to rank R, S seconds after all processes "
	  "of the job have begun the program, at whatever instruction it is; with commas to "
	  "several ranks of this job. Repeatable, in turn with --kill",
	  OPTION_OWN, .set = set_kill_at },
	{ "reference", "HOW",
	  "what the result is compared with. run: a run without lines, made first. none: nothing. "
	  "Or the hash that is expected (default run; none with off and source)",
	  OPTION_STRING, AT(reference) },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ "deadline", "S", "seconds until the run with all its restarts counts as hung",
	  OPTION_SECONDS, AT(plan.deadline_s), .standard = "120" },
	{ "hostfile", "FILE",
	  "hosts to run on, one per line as `HOST [slots=N]`. Processes are placed in blocks, in "
	  "proportion to the slots. All hosts must see --workdir, where the lines are, at the same "
	  "path (docs/cluster.md)",
	  OPTION_OWN, .set = set_hostfile },
	{ "workdir", "DIR", "where the run folder is made (default $TMPDIR or /tmp)", OPTION_STRING,
	  AT(workdir) },
	{ "keep", NULL, "keep the run folder: reports, lines, mpirun.log", OPTION_FLAG, AT(keep) },
	{ "quiet", NULL, "say nothing but errors", OPTION_FLAG, AT(quiet) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench run PROGRAM [--protocol PROTOCOL] [OPTION ...] [--NAME VALUE ...]\n"
		"\n"
		"Run a plain MPI program under event-logging checkpoints (docs/event-logging.md), kill it as the options say,\n"
		"restart it from its newest committed line until it ends, compare its result, and write one record. PROGRAM is\n"
		"gauss_jordan, neurons, disks, matmul, or with --protocol a kernel. Its own options follow below.\n"
		"\n",
	.own = own,
	.other = pass_on,
	.notes =
		"\n"
		"exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort\n"
		"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n",
};

bool elc_asked(int argc, char **argv)
{
	bool asked = argc > 1 && elc_is_program(argv[1]);

	for (int i = 1; i < argc; i++)
		asked = asked || strcmp(argv[i], "--protocol") == 0 ||
			strncmp(argv[i], "--protocol=", 11) == 0;
	return asked;
}

static int refuse(const struct rb_error *err)
{
	fprintf(stderr, "rollbench run: %s\n", err->text);
	return STATUS_USAGE;
}

static int interrupted(void)
{
	fprintf(stderr, "rollbench run: interrupted; no process and no record is left\n");
	return 128 + launch_signal();
}

int elc_refer(const struct elc_plan *p, const char *workdir, struct elc_reference *ref,
	      struct rb_error *err)
{
	struct elc_plan plain = *p;
	struct elc_run run;
	enum run_status status;
	json_t *record;
	int rc;

	plain.protocol = ELC_OFF;
	plain.kills = 0;
	rc = elc_run(&plain, workdir, &run, err);
	if (rc == RB_OK) {
		record = elc_record(&plain, &run, ref, &status);
		if (status != STATUS_OK)
			rc = rb_fail(
				err, RB_EINVAL,
				"the run without lines, whose result is the reference, has none: "
				"%.300s; see --reference",
				json_string_value(json_object_get(record, "message")));
		json_decref(record);
		ref->how = "a run without lines";
		snprintf(ref->hash, sizeof ref->hash, "%s", run.figures.hash);
		ref->seconds = run.figures.seconds;
		ref->wall_s = run.wall_s;
	}
	elc_run_remove(&run, false);
	return rc;
}

static long long whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void say_job(size_t i, const json_t *job, FILE *to)
{
	const json_t *death = json_object_get(job, "death"), *struck;
	size_t k;

	fprintf(to, "job %zu: ", i + 1);
	if (whole(job, "restored") > 0)
		fprintf(to, "from line %lld, ", whole(job, "restored"));
	fprintf(to, "%s after %.3f s", json_string_value(json_object_get(job, "end")),
		json_real_value(json_object_get(job, "wall_s")));
	if (json_is_object(death))
		fprintf(to, ": rank %lld at its safe point %lld (%s)", whole(death, "rank"),
			whole(death, "safe_point"),
			json_string_value(json_object_get(death, "moment")));
	json_array_foreach(json_object_get(job, "struck"), k, struck)
		fprintf(to, "%s%s", k ? ", " : ": from outside ", json_string_value(struck));
	fprintf(to, "\n");
}

static const char *how_equal(const json_t *compared)
{
	const char *how = json_string_value(json_object_get(compared, "reference"));

	return !how                              ? ""
	       : strcmp(how, "--reference") == 0 ? ": the hash is the expected one"
						 : ": equal to the failure-free run";
}

static void say(const struct elc_plan *p, const json_t *record, FILE *to)
{
	const json_t *result = json_object_get(record, "result"),
		     *compared = json_object_get(record, "compared"), *one;
	const json_t *lines = json_object_get(record, "lines_committed");
	const char *message = json_string_value(json_object_get(record, "message"));
	size_t i;

	json_array_foreach(json_object_get(record, "jobs"), i, one)
		say_job(i, one, to);
	json_array_foreach(json_object_get(record, "unfired"), i, one)
		fprintf(to, "warning: --kill%s %s: no job came to that point\n",
			strchr(json_string_value(one), '@') ? "" : "-at", json_string_value(one));
	if (json_is_object(result))
		fprintf(to, "%s: hash %s, %.6f s\n", p->program,
			json_string_value(json_object_get(result, "hash")),
			json_real_value(json_object_get(result, "seconds")));
	if (json_is_integer(lines))
		fprintf(to, "lines committed: %lld\n", whole(record, "lines_committed"));
	fprintf(to, "%s%s%s%s\n", json_string_value(json_object_get(record, "status")),
		message ? ": " : "", message ? message : "", message ? "" : how_equal(compared));
}

static int run(const struct elc_request *r, const struct elc_reference *ref,
	       struct record_file *file, FILE *talk)
{
	enum run_status status;
	struct elc_run run;
	struct rb_error err;
	json_t *record;
	int rc = elc_run(&r->plan, r->workdir, &run, &err);

	if (rc != RB_OK) {
		elc_run_remove(&run, false);
		return rc == RB_LOST ? interrupted() : refuse(&err);
	}
	record = elc_record(&r->plan, &run, ref, &status);
	say(&r->plan, record, talk);
	if (r->keep)
		fprintf(talk, "run folder: %s\n", run.dir);
	elc_run_remove(&run, r->keep);
	rc = record_finish(file, record, r->json, &err);
	json_decref(record);
	return rc == RB_OK ? (int)status : refuse(&err);
}

/* With --reference or by a run: what the result must be. RB_OK, or as elc_refer(). */
static int know_reference(const struct elc_request *r, struct elc_reference *ref,
			  struct rb_error *err)
{
	const char *how = r->reference ? r->reference : elc_is_on(&r->plan) ? run_made : none;

	if (strcmp(how, none) == 0)
		return RB_OK;
	if (strcmp(how, run_made) == 0)
		return elc_refer(&r->plan, r->workdir, ref, err);
	ref->how = "--reference";
	snprintf(ref->hash, sizeof ref->hash, "%s", how);
	return RB_OK;
}

static int check_reference(const char *how, struct rb_error *err)
{
	const size_t length = how ? strlen(how) : 0;

	if (!how || strcmp(how, run_made) == 0 || strcmp(how, none) == 0 ||
	    ((length == 16 || length == 32) && strspn(how, "0123456789abcdef") == length))
		return RB_OK;
	return rb_fail(
		err, RB_EINVAL,
		"--reference %.60s: expected run, none, or a hash of 16 or 32 hexadecimal digits",
		how);
}

int elc_parse(int argc, char **argv, struct elc_request *r, struct rb_error *err)
{
	int rc;

	*r = (struct elc_request){
		.plan = { .protocol = ELC_EVENTS, .np = 4, .lines = -1, .deadline_s = 120 }
	};
	rc = command_parse(&command, argc, argv, NULL, r, err);
	if (rc == 1 && argc > 1) {
		r->plan.program = argv[1];
		if (elc_plan_find(&r->plan, err) == RB_OK)
			elc_program_help(&r->plan);
	}
	if (rc != RB_OK)
		return rc;
	RB_TRY(check_reference(r->reference, err));
	RB_TRY(launch_find_hosts(&r->plan.hosts, err));
	RB_TRY(elc_plan_find(&r->plan, err));
	return elc_plan_check(&r->plan, err);
}

int elc_main(int argc, char **argv)
{
	struct elc_request r;
	struct elc_reference ref = { .seconds = -1, .wall_s = -1 };
	struct record_file file = { .to.fd = -1 };
	struct rb_error err;
	FILE *talk;
	int rc = elc_parse(argc, argv, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && r.json && strcmp(r.json, "-") != 0)
		rc = record_open(&file, r.json, &err);
	if (rc != RB_OK)
		return refuse(&err);
	launch_catch_signals();
	rc = know_reference(&r, &ref, &err);
	talk = r.quiet                              ? fopen("/dev/null", "we")
	       : r.json && strcmp(r.json, "-") == 0 ? stderr
						    : stdout;
	rc = rc == RB_LOST ? interrupted()
	     : rc != RB_OK ? refuse(&err)
			   : run(&r, &ref, &file, talk);
	record_discard(&file); /* unless it is in place */
	return rc;
}
