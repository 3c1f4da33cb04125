#include "base/clock.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/kind/elc/elc_run.h"
#include "harness/experiment/sweep_list.h"
#include "harness/job/launch.h"
#include "harness/options/command.h"
#include "harness/options/duration.h"
#include "harness/record/compare.h"
#include "harness/record/power_model.h"
#include "harness/store/store.h"
#include "harness/kind/engine/engine_torture.h"
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

static void count(struct sweep *s, size_t i, const json_t *record, enum run_status status,
		  bool resumed)
{
	const struct run_spec *spec = &s->plan.run[i].spec;
	char row[TALLY_NAME];

	engine_row(spec, row);
	tally_add(&s->tally, row,
		  &(struct outcome){ .status = status,
				     .expected = compare_is_expected(spec, record),
				     .escalated = record_is_escalated(record),
				     .resumed = resumed });
}

/* *found: the run has been done already. It is compared again, because its reference may have been
 * made again, or may come from another machine (`store merge`). */
static int resume(struct sweep *s, size_t i, bool *found)
{
	json_t *record = store_find(&s->store, s->plan.run[i].id, &s->plan.run[i].spec);
	const char *name = json_string_value(json_object_get(record, "status"));
	enum run_status status = name ? status_find(name) : STATUS_ABORT;
	bool changed = false;
	int rc = RB_OK;

	if (record)
		status = compare(s, i, record, status, &changed);
	*found = record &&
		 (compare_is_expected(&s->plan.run[i].spec, record) || !s->request.redo_failed);
	if (*found) {
		remember_state(s, i, record);
		count(s, i, record, status, true);
		s->without_watts += s->watts && !json_object_get(record, "watts");
		rc = refresh(s, i, record, changed);
	}
	json_decref(record);
	return rc;
}

/* RB_OK, RB_LOST: interrupted, or a negative status: the sweep cannot go on. */
static int run_one(struct sweep *s, size_t i)
{
	struct sweep_run *run = &s->plan.run[i];
	struct engine_run e = { .run = { .kind = &engine_kind,
					 .workdir = s->request.workdir,
					 .reference = reference_of(s, i) },
				.spec = run->spec,
				.plan = run->plan,
				.model = s->model,
				.watts = s->watts };
	enum run_status status;
	json_t *record;
	int rc;

	RB_TRY(e.run.kind->make(&e.run, LAUNCH_DISPOSABLE, &s->err));
	record = run_record(&e.run, &status);
	e.run.kind->remove(&e.run);
	if (!record)
		return rb_fail(&s->err, RB_ENOMEM, "out of memory");
	remember_state(s, i, record);
	rc = store_put(&s->store, run->id, &run->spec, record, &s->err);
	if (rc == RB_OK)
		count(s, i, record, status, false);
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

static int run_all(struct sweep *s)
{
	launch_catch_signals();
	tally_start(&s->tally, s->plan.count);
	for (size_t i = 0; i < s->plan.count; i++) {
		bool found;

		if (launch_signal())
			return RB_LOST;
		RB_TRY(resume(s, i, &found));
		if (!found && budget_is_spent(s)) {
			s->left++;
			continue;
		}
		if (!found) {
			RB_TRY(run_one(s, i));
			s->made++;
		}
		tally_progress(&s->tally, i + 1 == s->plan.count);
	}
	return RB_OK;
}

static void list_not_ok(struct sweep *s)
{
	for (size_t i = 0; i < s->plan.count; i++) {
		json_t *record = store_find(&s->store, s->plan.run[i].id, &s->plan.run[i].spec);
		const char *status = json_string_value(json_object_get(record, "status"));
		const char *message = json_string_value(json_object_get(record, "message"));

		if (status && !compare_is_expected(&s->plan.run[i].spec, record))
			printf("%s: %s%s%s%s\n", s->plan.run[i].id, status, message ? ": " : "",
			       message ? message : "",
			       spec_must_be_wrong(&s->plan.run[i].spec)
				       ? " (a negative control: it must end wrong)"
				       : "");
		json_decref(record);
	}
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
static int load_model(struct sweep *s, const struct sweep_config *config)
{
	const char *of = s->request.config, *path = config->power_model;
	const char *slash = strrchr(of, '/');
	char beside[SPEC_PATH];
	int rc, line = path ? yaml_get(config->file->root, "power_model")->line : 0;
	struct rb_error why;

	if (s->request.profile)
		return power_model_load(s->request.profile, &s->model, &s->err);
	if (!path)
		return RB_OK;
	if (snprintf(beside, sizeof beside, "%.*s%s",
		     path[0] != '/' && slash ? (int)(slash + 1 - of) : 0, of,
		     path) >= (int)sizeof beside)
		return rb_fail(&s->err, RB_EINVAL, "%s:%d: power_model: the path is too long", of,
			       line);
	rc = power_model_load(beside, &s->model, &why);
	return rc == RB_OK ? RB_OK
			   : rb_fail(&s->err, rc, "%s:%d: power_model: %.400s", of, line, why.text);
}

/* The wattmeter of the command line, or else that of the experiment file. Files and commands are
 * seen from the current folder in both cases. */
static int open_watts(struct sweep *s, const struct sweep_config *config)
{
	const char *key = yaml_get(config->file->root, "watts") ? "watts" : "watts_min";
	const struct yaml_node *place = yaml_get(config->file->root, key);
	const char *source = s->request.source ? s->request.source : config->watts;
	double min_w = s->request.min_w > 0 ? s->request.min_w : config->watts_min;
	struct rb_error why;
	int rc = watts_open(source, min_w, &s->watts, &why);

	if (rc == RB_OK)
		return RB_OK;
	if (s->request.source || s->request.min_w > 0 || !place)
		return rb_fail(&s->err, rc, "%.500s", why.text);
	return rb_fail(&s->err, rc, "%s:%d: %s: %.400s", s->request.config, place->line, key,
		       why.text);
}

static int make_plan(struct sweep *s, const struct sweep_config *config)
{
	RB_TRY(load_model(s, config));
	RB_TRY(open_watts(s, config));
	RB_TRY(sweep_plan_make(config, &s->plan, &s->err));
	if (s->request.budget_s > 0)
		s->plan.budget_s = s->request.budget_s;
	return RB_OK;
}

static int make_runs(struct sweep *s, const char *name, const char *results)
{
	s->begin = clock_monotonic();
	s->state = calloc(s->plan.count, sizeof *s->state);
	if (!s->state)
		return rb_fail(&s->err, RB_ENOMEM, "out of memory");
	RB_TRY(store_open(&s->store, results, &s->err));
	RB_TRY(store_put_sweep(&s->store, sweep_plan_json(&s->plan, name), &s->err));
	return run_all(s);
}

static int list_runs(struct sweep *s, const char *name, const char *results)
{
	char *argv[] = { "sweep", s->request.json ? "--json" : NULL, NULL };
	json_t *list = sweep_list(&s->plan, name, results, s->request.redo_failed);
	int status = script_feed(argv, "console/sweep_list.py", list, stdout);

	json_decref(list);
	return status;
}

static int sweep(struct sweep *s, const struct sweep_config *config)
{
	char results[SPEC_PATH];
	int rc;

	if (make_plan(s, config) != RB_OK)
		return refused_status("sweep", &s->err);
	snprintf(results, sizeof results, "results/%s", config->name);
	if (s->request.results)
		snprintf(results, sizeof results, "%s", s->request.results);
	if (s->request.dry_run)
		return list_runs(s, config->name, results);
	say_leftovers("sweep");
	rc = make_runs(s, config->name, results);
	if (rc == RB_LOST)
		return interrupted(s);
	if (rc != RB_OK)
		return refused_status("sweep", &s->err);
	if (s->tally.resumed)
		printf("%zu of %zu runs were already done\n", s->tally.resumed, s->plan.count);
	if (s->without_watts)
		printf("%zu of these were made without --watts and stay as they are: their records "
		       "have no readings\n",
		       s->without_watts);
	tally_table(&s->tally, stdout);
	list_not_ok(s);
	store_say_overhead(&s->store, stdout);
	printf("records: %s\n", s->store.dir);
	if (s->store.replaced > 0)
		printf("%zu records of another program or description are in %s/" STORE_REPLACED
		       " now\n",
		       s->store.replaced, s->store.dir);
	if (s->left > 0)
		return out_of_budget(s);
	return s->tally.bad == 0 ? 0 : STATUS_WRONG;
}

static int sweep_of_engine(struct sweep *s, struct yaml_file *file)
{
	struct sweep_config *config;
	int status;

	if (sweep_config_read(file, &config, &s->err) != RB_OK)
		return refused_status("sweep", &s->err);
	config->hosts = s->request.hosts;
	status = sweep(s, config);
	free(s->state);
	power_model_free(s->model);
	watts_free(s->watts);
	sweep_plan_free(&s->plan);
	store_close(&s->store);
	return status;
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep s = { .store = { .lock = -1 } };
	struct yaml_file *file = NULL;
	int rc = parse(argc, argv, &s.request, &s.err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK) /* once, since it can be a pipe */
		rc = yaml_load(s.request.config, "docs/experiments.md", &file, &s.err);
	if (rc != RB_OK)
		rc = refused_status("sweep", &s.err);
	else if (elc_sweep_asked(file))
		rc = elc_sweep_main(&(struct elc_sweep){ .file = file,
							 .results = s.request.results,
							 .workdir = s.request.workdir,
							 .redo_failed = s.request.redo_failed,
							 .dry_run = s.request.dry_run,
							 .budget_s = s.request.budget_s,
							 .hosts = s.request.hosts });
	else
		rc = sweep_of_engine(&s, file);
	yaml_free(file);
	return rc;
}
