#include "base/json.h"
#include "base/status.h"
#include "forecast/simulate/best_interval.h"
#include "forecast/simulate/simulation_parse.h"
#include "harness/cli/commands.h"
#include "harness/interval/measured.h"
#include "harness/kind/engine/engine_run.h"
#include "harness/options/command.h"

#include <stdlib.h>
#include <string.h>

struct request {
	struct run_spec spec;
	double mtbf_s;
	bool simulate;
	const char *results, *json;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "mtbf", "S", "mean seconds between two deaths anywhere in the job", OPTION_SECONDS,
	  AT(mtbf_s) },
	{ "simulate", NULL,
	  "by simulation (docs/simulator.md): expects a pattern or FILE.yaml and options of "
	  "`rollbench simulate`, --mtbf-node among them",
	  OPTION_FLAG, AT(simulate) },
	{ "results", "DIR",
	  "with --simulate: where the simulations are kept, so that an interrupted search goes on",
	  OPTION_STRING, AT(results) },
	{ "json", "FILE",
	  "with --simulate: write the result to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench interval KERNEL --mtbf S [OPTION ...]\n"
		"       rollbench interval --simulate PATTERN|FILE.yaml [OPTION ...]\n"
		"\n"
		"Print how many iterations apart checkpoints should be if a death comes every S seconds on\n"
		"average: the optimum of Young and of Daly, for job restart, global and local rollback. The costs\n"
		"of a checkpoint, of a recovery and of repeated iterations are measured here. This runs the kernel\n"
		"ten times, and more often if a run could not time its recovery; the median of three runs counts.\n"
		"With --simulate nothing is measured: intervals are tried in simulations, each with the same failures.\n"
		"\n",
	.options = FOR_PLAN,
	.kernel = true,
	.own = own,
};

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	int rc = command_parse(&command, argc, argv, &r->spec, r, err);
	struct kernel_plan plan;
	struct run_spec checked;

	if (rc != RB_OK)
		return rc;
	if (r->results || r->json)
		return rb_fail(err, RB_EINVAL, "--results, --json: only with --simulate");
	if (r->spec.plan.count > 0 || r->spec.spares != SPARES_BY_PLAN ||
	    r->spec.strategy != FT_GO_ON)
		return rb_fail(err, RB_EINVAL,
			       "--kill, --spares, --strategy: this command chooses them");
	if (!(r->mtbf_s > 0))
		return rb_fail(err, RB_EINVAL,
			       "--mtbf: expected the mean number of seconds between two deaths");
	RB_TRY(launch_find_hosts(&r->spec.hosts, err));
	checked = r->spec; /* a check sets the spares, which follow from the kills of each run */
	return spec_check(&checked, &plan, err);
}

/* Of a run that does not end as it should. */
struct bad_run {
	int status; /* STATUS_USAGE: there is none */
	char command[COMMAND_TEXT];
};

/* ctx: struct bad_run. */
static int make(void *ctx, const struct run_spec *spec, json_t **record, struct rb_error *err)
{
	struct engine_run e = { .run.kind = &engine_kind, .spec = *spec };
	struct run *run = &e.run;
	struct bad_run *bad = ctx;
	enum run_status status;
	const char *said;

	RB_TRY(run->kind->check(run, err));
	RB_TRY(run_make(run, record, &status, err));
	if (status == STATUS_OK)
		return RB_OK;
	bad->status = (int)status;
	run->kind->command(run, bad->command);
	said = text_of(*record, "message");
	rb_fail(err, RB_EINVAL, "a run was %s%s%.300s", status_name(status), *said ? ": " : "",
		said);
	json_decref(*record);
	return RB_EINVAL;
}

/* Exit status. go_on: a remedy, or "". */
static int interrupted(const char *go_on)
{
	fprintf(stderr, "rollbench interval: interrupted; no process is left%s\n", go_on);
	return interrupted_status(launch_signal());
}

static int measure(const struct request *r, struct rb_error *err)
{
	struct bad_run bad = { .status = STATUS_USAGE };
	int rc;

	say_leftovers("interval");
	launch_catch_signals();
	rc = interval_measure(&r->spec, r->mtbf_s, make, &bad, stdout, err);
	if (rc == RB_LOST)
		return interrupted("");
	if (rc == RB_OK)
		return 0;
	refused_status("interval", err);
	if (bad.command[0])
		fprintf(stderr, "its command: %s\n", bad.command);
	return bad.status;
}

/* --- by simulation --- */

/* Where --simulate stands; 0: it does not, or help is asked for. */
static int simulate_at(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--simulate") == 0)
			return command_help_asked(argc, argv) ? 0 : i;
	return 0;
}

static int deliver(const struct best_interval *b, const char *json, struct rb_error *err)
{
	json_t *record = best_interval_json(b);
	int rc;

	if (!record)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	if (!record_is_to_stdout(json))
		best_interval_say(record, stdout);
	rc = record_deliver(record, json, err);
	json_decref(record);
	return rc;
}

static int search(const struct simulation *s, int argc, char **argv, struct rb_error *err)
{
	struct best_interval b;
	int rc;

	if (s->json && !record_is_to_stdout(s->json))
		RB_TRY(record_probe(s->json, err));
	rc = best_interval_search(&b, s, argc, argv, err);
	if (rc == RB_OK)
		rc = deliver(&b, s->json, err);
	best_interval_free(&b);
	return rc;
}

static int search_interrupted(const struct simulation *s)
{
	fprintf(stderr, "\n"); /* behind the progress */
	return interrupted(s->results ? "; go on with the same command" : "");
}

/* The words without --simulate, which stands at `at`, are those of `rollbench simulate`. */
static int simulate(int argc, char **argv, int at)
{
	static struct simulation s; /* with the table of its options, which is large */
	char **words = calloc((size_t)argc, sizeof *words);
	struct rb_error err = { "out of memory" };
	int rc = words ? RB_OK : RB_ENOMEM;

	for (int i = 0, n = 0; words && i < argc; i++)
		if (i != at)
			words[n++] = argv[i];
	if (rc == RB_OK) {
		rc = simulation_parse(&s, argc - 1, words, &err);
		if (rc == RB_OK)
			rc = engine_reach(s.engine, argv, &err);
		if (rc == RB_OK)
			rc = search(&s, argc - 1, words, &err);
		simulation_free(&s);
	}
	free(words);
	return rc == RB_LOST ? search_interrupted(&s)
	       : rc < 0      ? refused_status("interval", &err)
			     : 0;
}

int cmd_interval(int argc, char **argv)
{
	const int at = simulate_at(argc, argv);
	struct request r = { .mtbf_s = 0 };
	struct rb_error err;
	int rc;

	if (at > 0)
		return simulate(argc, argv, at);
	rc = parse(argc, argv, &r, &err);
	return rc == 1 ? 0 : rc == RB_OK ? measure(&r, &err) : refused_status("interval", &err);
}
