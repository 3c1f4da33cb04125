#include "base/status.h"
#include "harness/commands.h"
#include "harness/launch.h"
#include "harness/options.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: rollbench run KERNEL [OPTION ...]\n"
	"\n"
	"Run a kernel once, kill what the plan says, recover, verify, and write one record.\n"
	"\n"
	"  --np N            roles, that is ranks that compute (default 4)\n"
	"  --spares N        ranks that wait to replace dead ones (default: as many as planned\n"
	"                    kills can cost; 4 with --mtbf)\n"
	"  --replace HOW     spare (default), or spawn: start a process when no spare is left\n"
	"  --policy NAME     which messages are logged: `rollbench list policies` (default none)\n"
	"  --interval N      iterations between two checkpoints (default 25)\n"
	"  --kill R@I[:PH]   SIGKILL role R in iteration I (from 0) at phase PH (default start);\n"
	"                    repeatable; `rollbench list phases`. spareN@I: a spare; nodeN@I: all\n"
	"                    processes of a node; R@I:PH#2: when the point is reached again\n"
	"  --kill-node N@I[:PH]  the same as --kill nodeN@I[:PH]\n"
	"  --node-size N     N consecutive ranks count as a node (default: ranks of one host)\n"
	"  --mtbf S          deaths by chance: any role, exponential, S seconds apart on average\n"
	"  --seed N          of these (default 1); the record has them as --kill options\n"
	"  --json FILE       write the record to FILE; '-': alone on standard output\n"
	"  --deadline S      seconds until the run counts as hung (default 120)\n"
	"  --workdir DIR     where the run folder is made (default $TMPDIR or /tmp); must be seen\n"
	"                    by all hosts\n"
	"  --keep            keep the run folder: ledgers, checkpoints, mpirun.log\n"
	"  --quiet           say nothing but errors\n"
	"  --help            this text\n"
	"\n"
	"exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort, 5 out of spares\n"
	"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n"
	"\n"
	"kernels and their options:\n";

struct request {
	struct run_spec spec;
	const char *json, *workdir;
	bool keep, quiet;
};

static void print_usage(FILE *to)
{
	fputs(usage, to);
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++) {
		fprintf(to, "  %-10s %s\n", (*k)->name, (*k)->summary);
		for (const struct kernel_option *o = (*k)->options; o->name; o++)
			fprintf(to, "    --%-9s %s (default %s)\n", o->name, o->help, o->value);
	}
}

static int parse_number(struct options *o, struct request *r, struct rb_error *err)
{
	int64_t n;

	if (strcmp(o->name, "interval") == 0)
		return options_int(o, 1, INT64_MAX, &r->spec.interval, err);
	if (strcmp(o->name, "seed") == 0) {
		RB_TRY(options_int(o, 0, INT64_MAX, &n, err));
		r->spec.seed = (uint64_t)n;
		return RB_OK;
	}
	if (strcmp(o->name, "node-size") == 0) {
		RB_TRY(options_int(o, 1, 1 << 20, &n, err));
		r->spec.node_size = (int)n;
		return RB_OK;
	}
	RB_TRY(options_int(o, strcmp(o->name, "np") == 0, 1 << 20, &n, err));
	if (strcmp(o->name, "np") == 0) {
		r->spec.np = (int)n;
	} else {
		r->spec.spares = (int)n;
		r->spec.spares_given = true;
	}
	return RB_OK;
}

/* --kill-node 1@13 is --kill node1@13; the texts are few and live to the end of the process. */
static int add_kill(const char *prefix, const char *value, const char **kills, int *count,
		    struct rb_error *err)
{
	size_t size = strlen(prefix) + strlen(value) + 1;
	char *text = malloc(size);

	if (*count == INJECT_MAX_KILLS || !text) {
		free(text);
		return rb_fail(err, RB_EINVAL, "--kill: at most %d kills a run", INJECT_MAX_KILLS);
	}
	snprintf(text, size, "%s%s", prefix, value);
	kills[(*count)++] = text;
	return RB_OK;
}

static bool is_number(const char *name)
{
	static const char *const numbers[] = { "np", "spares", "interval", "seed", "node-size" };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(name, numbers[i]) == 0)
			return true;
	return false;
}

static int parse_option(struct options *o, struct request *r, const char **kills, int *count,
			struct rb_error *err)
{
	const char *value;

	if (strcmp(o->name, "keep") == 0 || strcmp(o->name, "quiet") == 0) {
		*(o->name[0] == 'k' ? &r->keep : &r->quiet) = true;
		return RB_OK;
	}
	if (is_number(o->name))
		return parse_number(o, r, err);
	if (strcmp(o->name, "deadline") == 0)
		return options_seconds(o, &r->spec.deadline_s, err);
	if (strcmp(o->name, "mtbf") == 0)
		return options_seconds(o, &r->spec.mtbf_s, err);
	RB_TRY(options_value(o, &value, err));
	if (strcmp(o->name, "kill") == 0)
		return add_kill("", value, kills, count, err);
	if (strcmp(o->name, "kill-node") == 0)
		return add_kill("node", value, kills, count, err);
	if (strcmp(o->name, "replace") == 0)
		return spec_set_replace(&r->spec, value, err);
	if (strcmp(o->name, "policy") == 0) {
		snprintf(r->spec.policy, sizeof r->spec.policy, "%s", value);
	} else if (strcmp(o->name, "json") == 0) {
		r->json = value;
	} else if (strcmp(o->name, "workdir") == 0) {
		r->workdir = value;
	} else {
		return spec_set_option(&r->spec, o->name, value, err);
	}
	return RB_OK;
}

/* Kills are checked last, since --np may come after them. 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	struct options o = { argc, argv, 1, "", NULL };
	const struct kernel_ops *kernel = NULL;
	const char *kills[INJECT_MAX_KILLS];
	int count = 0;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return 1;
	if (argc > 1)
		kernel = kernel_find(argv[1]);
	if (!kernel)
		return rb_fail(err, RB_EINVAL, "%s%s: expected a kernel first (see "
			       "`rollbench list kernels`)", argc > 1 ? argv[1] : "run",
			       argc > 1 ? ": unknown kernel" : "");
	spec_init(&r->spec, kernel);
	o.at = 2;
	while (options_next(&o)) {
		if (!o.name[0])
			return rb_fail(err, RB_EINVAL, "%s: unexpected argument", o.value);
		RB_TRY(parse_option(&o, r, kills, &count, err));
	}
	for (int i = 0; i < count; i++)
		RB_TRY(inject_parse(&r->spec.plan, kills[i], r->spec.np, err));
	return RB_OK;
}

static int fail(const struct rb_error *err)
{
	fprintf(stderr, "rollbench run: %s\n", err->text);
	return STATUS_USAGE;
}

/* The record goes to standard output or into its file; what can't be written is an error. */
static int deliver(const struct request *r, struct record_file *file, const json_t *record,
		   struct rb_error *err)
{
	if (!r->json)
		return RB_OK;
	if (strcmp(r->json, "-") != 0)
		return record_save(file, record, err);
	if (json_dumpf(record, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ||
	    fputs("\n", stdout) == EOF || fflush(stdout) != 0)
		return rb_fail(err, RB_EIO, "--json -: standard output cannot be written");
	return RB_OK;
}

static int run(const struct request *r, const struct kernel_plan *plan, struct record_file *file)
{
	FILE *talk = r->quiet ? fopen("/dev/null", "we") : r->json && strcmp(r->json, "-") == 0 ?
		     stderr : stdout;
	enum run_status status;
	struct launch launch;
	struct rb_error err;
	json_t *record;

	say_plan(&r->spec, plan, talk);
	fflush(talk);
	launch_catch_signals();
	if (launch_run(&r->spec, r->workdir, &launch, &err) != RB_OK) {
		record_discard(file);
		return fail(&err);
	}
	if (launch.end == LAUNCH_INTERRUPTED) {
		launch_remove(&launch);
		record_discard(file);
		fprintf(stderr, "rollbench run: interrupted; no process and no record is left\n");
		return interrupted_status(launch_signal());
	}
	record = record_make(&r->spec, plan, &launch, &status);
	if (r->keep)
		fprintf(talk, "run folder: %s\n", launch.dir);
	else
		launch_remove(&launch);
	say_outcome(record, talk);
	if (deliver(r, file, record, &err) != RB_OK)
		status = (enum run_status)fail(&err);
	json_decref(record);
	return (int)status;
}

int cmd_run(int argc, char **argv)
{
	struct request r = { .keep = false };
	struct record_file file = { .fd = -1 };
	struct kernel_plan plan;
	struct rb_error err;
	int rc = parse(argc, argv, &r, &err);

	if (rc == 1) {
		print_usage(stdout);
		return 0;
	}
	if (rc != RB_OK || spec_check(&r.spec, &plan, &err) != RB_OK)
		return fail(&err);
	if (r.json && strcmp(r.json, "-") != 0 && record_open(&file, r.json, &err) != RB_OK)
		return fail(&err);
	return run(&r, &plan, &file);
}
