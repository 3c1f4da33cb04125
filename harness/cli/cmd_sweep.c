#include "base/clock.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/sweep/sweep_list.h"
#include "harness/options/command.h"
#include "harness/options/duration.h"
#include "harness/record/power_model.h"
#include "harness/store/store.h"
#include "harness/torture/tally.h"
#include "harness/watts/watts.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET_SPENT = 6 }; /* follows the values of enum run_status */

struct request {
	const char *config, *results, *workdir, *profile, *source;
	double budget_s; /* 0: the file's */
	double min_w;    /* 0: the file's */
	bool redo_failed, dry_run, json;
	const struct hosts *hosts; /* NULL: here */
	/* the command line, which is printed when the sweep is interrupted */
	int argc;
	char **argv;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(config) },
	{ "results", "DIR", "where the records go (default results/NAME)", OPTION_STRING,
	  AT(results) },
	{ "workdir", "DIR", "where run folders are made (default $TMPDIR or /tmp)", OPTION_STRING,
	  AT(workdir) },
	{ "power-model", "F",
	  "a profile (docs/energy.md) instead of the file's own: records get the energy modelled "
	  "with it, those that are there already, too",
	  OPTION_STRING, AT(profile) },
	{ "watts", "SOURCE",
	  "as that of `rollbench run`, for runs that are made now; instead of the file's own",
	  OPTION_STRING, AT(source) },
	{ "watts-min", "W", "as that of `rollbench run`", OPTION_AMOUNT, AT(min_w) },
	{ "redo-failed", NULL,
	  "make runs again that did not end ok; otherwise they are only compared again",
	  OPTION_FLAG, AT(redo_failed) },
	{ "budget", "TIME",
	  "stop between two runs, at the earliest after one, when so much time is spent (90, 90s, "
	  "10m, 1.5h), instead of the budget of the file; the same command continues the sweep",
	  OPTION_TIME, AT(budget_s) },
	{ "dry-run", NULL,
	  "only list the runs, in their order, and estimate how long they will take", OPTION_FLAG,
	  AT(dry_run) },
	{ "json", NULL, "with --dry-run: as JSON", OPTION_FLAG, AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench sweep CONFIG.yaml [OPTION ...]\n"
		"\n"
		"Make every run of the experiment file (docs/experiments.md) once, with one record per run. Each\n"
		"run with a failure is compared bit for bit with its failure-free run. After an interruption, the\n"
		"same command resumes the sweep and repeats nothing, also on other hosts if their number and slots\n"
		"are the same. A changed parameter or program is a new run, and the record that it replaces is kept\n"
		"in DIR/replaced.\n"
		"\n",
	.options = FOR_HOSTS,
	.own = own,
	.notes =
		"\n"
		"exit status: 0 all ok (negative controls: wrong), 1 some not ok, 2 bad input or results that cannot be written, 6 the\n"
		"budget is spent and runs are left, 130/143 interrupted\n",
};

struct sweep {
	struct request request;
	struct store store;
	struct sweep_plan plan;
	struct tally tally;
	struct power_model *model; /* NULL: none */
	struct watts *watts;       /* NULL: none */
	size_t without_watts;      /* records from before that have no readings */
	struct state {
		bool known;    /* the run has been made, or found */
		char hash[40]; /* "": it ended without a state */
		char *bad;     /* how it ended, if not as it should; NULL: as it should */
	} *state;              /* of each run */
	double begin;          /* CLOCK_MONOTONIC */
	size_t made;           /* runs made by this call */
	size_t left;           /* runs for which there was no budget */
	struct rb_error err;
};

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	struct run_spec asked;
	int rc = command_parse(&command, argc, argv, &asked, r, err);

	r->argc = argc;
	r->argv = argv;
	r->hosts = asked.hosts;
	if (rc != RB_OK)
		return rc;
	RB_TRY(launch_find_hosts(&r->hosts, err));
	if (!r->config)
		return rb_fail(err, RB_EINVAL,
			       "expected a file, for instance configs/laptop/smoke.yaml");
	if (r->json && !r->dry_run)
		return rb_fail(err, RB_EINVAL,
			       "--json: only with --dry-run; a sweep's records are JSON files");
	return RB_OK;
}

static void remember_state(struct sweep *s, size_t i, const json_t *record)
{
	const char *hash = json_string_value(json_object_get(record, "state_hash"));

	s->state[i].known = true;
	snprintf(s->state[i].hash, sizeof s->state[i].hash, "%s", hash ? hash : "");
}

/* Of a run that is not compared, or whose reference has not run yet: how is NULL. */
static struct run_reference reference_of(const struct sweep *s, size_t i)
{
	int reference = s->plan.run[i].reference;

	if (reference < 0 || !s->state[reference].known)
		return run_reference_to(NULL, "");
	return run_reference_to(s->plan.run[reference].id, s->state[reference].hash);
}

static enum run_status compare(const struct sweep *s, size_t i, json_t *record,
			       enum run_status status, bool *changed)
{
	const struct run_reference reference = reference_of(s, i);

	*changed = false;
	return reference.how ? compare_with(record, &reference, changed) : status;
}

/* The results of a comparison and of a model follow from records, so they are no reason to run
 * again. */
static int refresh(struct sweep *s, size_t i, json_t *record, bool changed)
{
	if (s->model && !power_model_is_in(s->model, record)) {
		power_model_add(s->model, record);
		changed = true;
	}
	return changed ? store_replace(&s->store, s->plan.run[i].id, record, &s->err) : RB_OK;
}

/* For people; NULL: the record does not say it, or out of memory. */
static char *how_it_ended(const json_t *record)
{
	const char *status = json_string_value(json_object_get(record, "status")),
		   *message = json_string_value(json_object_get(record, "message"));
	const bool control = json_object_get(record, "control") &&
			     json_array_size(json_object_get(record, "plan")) > 0;
	char *text;

	return !status || asprintf(&text, "%s%s%s%s", status, message ? ": " : "",
				   message ? message : "",
				   control ? " (a negative control: it must end wrong)" : "") < 0
		       ? NULL
		       : text;
}

static void count(struct sweep *s, size_t i, const struct run *run, const json_t *record,
		  enum run_status status, bool resumed)
{
	const json_int_t restarts = json_integer_value(json_object_get(record, "restarts"));
	const bool expected = run->kind->is_expected(run, record);
	char row[TALLY_NAME];

	if (!expected)
		s->state[i].bad = how_it_ended(record);
	run->kind->row(run, row, sizeof row);
	tally_add(&s->tally, row,
		  &(struct outcome){ .status = status,
				     .expected = expected,
				     .escalated = record_is_escalated(record),
				     .restarts = (int)restarts,
				     .resumed = resumed });
}

/* *found: the run has been done already. It is compared again, because its reference may have been
 * made again, or may come from another machine (`store merge`). */
static int resume(struct sweep *s, size_t i, const struct run *run, const json_t *description,
		  bool *found)
{
	json_t *record = store_find(&s->store, s->plan.run[i].id, description);
	const char *name = json_string_value(json_object_get(record, "status"));
	enum run_status status = name ? status_find(name) : STATUS_ABORT;
	bool changed = false;
	int rc = RB_OK;

	if (record)
		status = compare(s, i, record, status, &changed);
	*found = record && (run->kind->is_expected(run, record) || !s->request.redo_failed);
	if (*found) {
		remember_state(s, i, record);
		count(s, i, run, record, status, true);
		s->without_watts += s->watts && !json_object_get(record, "watts");
		rc = refresh(s, i, record, changed);
	}
	json_decref(record);
	return rc;
}

/* RB_OK, RB_LOST: interrupted, or a negative status: the sweep cannot go on. */
static int make(struct sweep *s, size_t i, struct run *run, const json_t *description)
{
	enum run_status status;
	json_t *record;
	int rc;

	run->workdir = s->request.workdir;
	run->reference = reference_of(s, i);
	run->model = s->model;
	run->watts = s->watts;
	RB_TRY(run_make(run, &record, &status, &s->err));
	remember_state(s, i, record);
	rc = store_put(&s->store, s->plan.run[i].id, description, record, &s->err);
	if (rc == RB_OK)
		count(s, i, run, record, status, false);
	json_decref(record);
	return rc;
}

/* One run is always made: else a budget below the time of the start would never finish the
 * sweep. */
static bool budget_is_spent(const struct sweep *s)
{
	return s->plan.budget_s > 0 && s->made > 0 &&
	       clock_monotonic() - s->begin >= s->plan.budget_s;
}

/* Find the run, make it, or leave it if the budget is spent. */
static int find_or_make(struct sweep *s, size_t i, struct run *run, const json_t *description)
{
	bool found;

	RB_TRY(resume(s, i, run, description, &found));
	if (found)
		return RB_OK;
	if (budget_is_spent(s)) {
		s->left++;
		return RB_OK;
	}
	RB_TRY(make(s, i, run, description));
	s->made++;
	return RB_OK;
}

static int take(struct sweep *s, size_t i)
{
	json_t *description = NULL;
	struct run *run;
	int rc = sweep_plan_run(&s->plan, i, &run, &s->err);

	if (rc == RB_OK) {
		description = run->kind->describe(run, &s->err);
		rc = description ? find_or_make(s, i, run, description) : RB_EIO;
	}
	json_decref(description);
	run_free(run);
	return rc;
}

static int run_all(struct sweep *s)
{
	launch_catch_signals();
	tally_start(&s->tally, s->plan.count);
	s->tally.elc = s->plan.kind->restarts_jobs;
	for (size_t i = 0; i < s->plan.count; i++) {
		if (launch_signal())
			return RB_LOST;
		RB_TRY(take(s, i));
		tally_progress(&s->tally, i + 1 == s->plan.count);
	}
	return RB_OK;
}

static void list_not_ok(const struct sweep *s)
{
	for (size_t i = 0; i < s->plan.count; i++)
		if (s->state[i].bad)
			printf("%s: %s\n", s->plan.run[i].id, s->state[i].bad);
}

static void say_command(const struct sweep *s)
{
	fprintf(stderr, "  ./rollbench");
	command_print(stderr, s->request.argc, s->request.argv);
	fprintf(stderr, "\n");
}

static int interrupted(const struct sweep *s)
{
	fprintf(stderr,
		"\nrollbench sweep: interrupted after %zu of %zu runs; no process is "
		"left. Resume with the same command:\n",
		s->tally.done, s->plan.count);
	say_command(s);
	return interrupted_status(launch_signal());
}

static int out_of_budget(const struct sweep *s)
{
	char budget[DURATION_TEXT];

	duration_format(s->plan.budget_s, budget);
	fprintf(stderr,
		"rollbench sweep: the budget of %s is spent: %zu of %zu runs are done, %zu are "
		"left and nothing is lost. Go on with the same command:\n",
		budget, s->tally.done, s->plan.count, s->left);
	say_command(s);
	return BUDGET_SPENT;
}

/* The profile of the command line, or else that of the experiment file, whose path is relative to
 * that file. */
static int load_model(struct sweep *s, const struct experiment *of)
{
	const char *file = s->request.config, *path = of->power_model;
	const char *slash = strrchr(file, '/');
	char beside[SPEC_PATH];
	int rc, line = path ? yaml_get(of->file->root, "power_model")->line : 0;
	struct rb_error why;

	if (s->request.profile)
		return power_model_load(s->request.profile, &s->model, &s->err);
	if (!path)
		return RB_OK;
	if (snprintf(beside, sizeof beside, "%.*s%s",
		     path[0] != '/' && slash ? (int)(slash + 1 - file) : 0, file,
		     path) >= (int)sizeof beside)
		return rb_fail(&s->err, RB_EINVAL, "%s:%d: power_model: the path is too long", file,
			       line);
	rc = power_model_load(beside, &s->model, &why);
	return rc == RB_OK
		       ? RB_OK
		       : rb_fail(&s->err, rc, "%s:%d: power_model: %.400s", file, line, why.text);
}

/* The wattmeter of the command line, or else that of the experiment file. Files and commands are
 * seen from the current folder in both cases. */
static int open_watts(struct sweep *s, const struct experiment *of)
{
	const char *key = yaml_get(of->file->root, "watts") ? "watts" : "watts_min";
	const struct yaml_node *place = yaml_get(of->file->root, key);
	const char *source = s->request.source ? s->request.source : of->watts;
	double min_w = s->request.min_w > 0 ? s->request.min_w : of->watts_min;
	struct rb_error why;
	int rc = watts_open(source, min_w, &s->watts, &why);

	if (rc == RB_OK)
		return RB_OK;
	if (s->request.source || s->request.min_w > 0 || !place)
		return rb_fail(&s->err, rc, "%.500s", why.text);
	return rb_fail(&s->err, rc, "%s:%d: %s: %.400s", s->request.config, place->line, key,
		       why.text);
}

/* asked: on the command line; NULL: in the file */
static int refuse_energy(struct sweep *s, const char *key, const char *asked)
{
	static const char why[] = "not with protocol or program: such records have no energy";

	if (asked)
		return rb_fail(&s->err, RB_EINVAL, "--%s: %s",
			       strcmp(key, "watts") ? "power-model" : key, why);
	return rb_fail(&s->err, RB_EINVAL, "%s:%d: %s: %s", s->request.config,
		       yaml_get(s->plan.of->file->root, key)->line, key, why);
}

static int make_plan(struct sweep *s, const struct experiment *of)
{
	RB_TRY(load_model(s, of));
	RB_TRY(open_watts(s, of));
	RB_TRY(sweep_plan_make(of, all_kinds, s->request.hosts, &s->plan, &s->err));
	if (s->request.budget_s > 0)
		s->plan.budget_s = s->request.budget_s;
	if ((s->model || s->watts) && !s->plan.kind->has_energy)
		return refuse_energy(s, s->watts ? "watts" : "power_model",
				     s->watts ? s->request.source : s->request.profile);
	return RB_OK;
}

static int make_runs(struct sweep *s, const char *results)
{
	s->begin = clock_monotonic();
	s->state = calloc(s->plan.count, sizeof *s->state);
	if (!s->state)
		return rb_fail(&s->err, RB_ENOMEM, "out of memory");
	RB_TRY(store_open(&s->store, results, STORE_RESULTS, &s->err));
	RB_TRY(store_put_sweep(&s->store, sweep_plan_json(&s->plan), &s->err));
	return run_all(s);
}

static int list_runs(struct sweep *s, const char *results)
{
	struct sweep_list *list;
	int rc = sweep_list_make(&list, &s->plan, results, s->request.redo_failed, &s->err);

	if (rc == RB_OK && s->request.json)
		rc = sweep_list_dump(list, stdout, &s->err);
	else if (rc == RB_OK)
		sweep_list_say(list, stdout);
	sweep_list_free(list);
	return rc;
}

static int say_end(struct sweep *s)
{
	struct store_overhead took = { .runs = 0 };

	if (s->tally.resumed)
		printf("%zu of %zu runs were already done\n", s->tally.resumed, s->plan.count);
	if (s->without_watts)
		printf("%zu of these were made without --watts and stay as they are: their records "
		       "have no readings\n",
		       s->without_watts);
	tally_table(&s->tally, stdout);
	list_not_ok(s);
	store_add_overhead(&s->store, &took);
	store_say_overhead(&took, stdout);
	printf("records: %s\n", s->store.dir);
	if (s->store.replaced > 0)
		printf("%zu records of another program or description are in %s/" STORE_REPLACED
		       " now\n",
		       s->store.replaced, s->store.dir);
	if (s->left > 0)
		return out_of_budget(s);
	return s->tally.bad == 0 ? 0 : STATUS_WRONG;
}

static int sweep(struct sweep *s, struct yaml_file *file)
{
	struct experiment *of;
	char results[SPEC_PATH];
	int rc = experiment_read(file, &of, &s->err);

	if (rc != RB_OK || make_plan(s, of) != RB_OK)
		return refused_status("sweep", &s->err);
	snprintf(results, sizeof results, "results/%s", of->name);
	if (s->request.results)
		snprintf(results, sizeof results, "%s", s->request.results);
	if (s->request.dry_run) {
		rc = list_runs(s, results);
		return rc == RB_OK ? 0 : refused_status("sweep", &s->err);
	}
	say_leftovers("sweep");
	rc = make_runs(s, results);
	if (rc == RB_LOST)
		return interrupted(s);
	return rc == RB_OK ? say_end(s) : refused_status("sweep", &s->err);
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep s = { .store = { .lock = -1 } };
	struct yaml_file *file = NULL;
	int rc = parse(argc, argv, &s.request, &s.err), status;

	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = yaml_load(s.request.config, "docs/experiments.md", &file, &s.err);
	status = rc == RB_OK ? sweep(&s, file) : refused_status("sweep", &s.err);
	for (size_t i = 0; s.state && i < s.plan.count; i++)
		free(s.state[i].bad);
	free(s.state);
	power_model_free(s.model);
	watts_free(s.watts);
	sweep_plan_free(&s.plan);
	store_close(&s.store);
	yaml_free(file);
	return status;
}
