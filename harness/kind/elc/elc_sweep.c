/* `rollbench sweep` of a file whose points are command lines of `rollbench run` with --protocol:
 * each point is made once, with a record in a results folder (harness/store). */
#include "harness/kind/elc/elc_order.h"
#include "harness/kind/elc/elc_run.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/program.h"
#include "base/status.h"
#include "harness/job/mpirun.h"
#include "harness/experiment/points.h"
#include "harness/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET_SPENT = 6, WORDS = 2 * ELC_ARGUMENTS };

struct sweep {
	const struct elc_sweep *asked;
	struct yaml_file *file;
	struct points points;
	struct elc_run *run;     /* of each point */
	int *reference;          /* of each point the one that it is compared with; -1: none */
	char (*state)[RUN_HASH]; /* of each point, once its run was ok; "": not yet */
	struct elc_order order;
	json_t *warm; /* programs that have had their warm-up */
	struct store store;
	char results[SPEC_PATH];
	char library[MANIFEST_HASH];                     /* of libelc.so */
	char path[SPEC_PATH], executable[MANIFEST_HASH]; /* a program, and its hash */
	size_t made, found, left, bad;
	double begun;
	struct rb_error err;
};

bool elc_sweep_asked(const struct yaml_file *file)
{
	return yaml_get(file->root, "protocol") || yaml_get(file->root, "program");
}

/* Where the record goes, and what the result is compared with, is the sweep's own business. */
static bool is_of_run(const char *key)
{
	static const char *const own[] = { "json",      "keep", "workdir", "quiet",
					   "reference", "help", "hostfile" };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(key, own[i]) == 0)
			return true;
	return false;
}

/* What a key is called now; NULL: as it was. */
static const char *renamed(const char *key)
{
	return strcmp(key, "line") == 0                                       ? "protocol"
	       : strcmp(key, "line_log") == 0 || strcmp(key, "line-log") == 0 ? "log_form"
									      : NULL;
}

/* The point as a command line of `run`. The words are not freed: the plan points to them. */
static int parse_point(struct sweep *s, const struct point *p, struct elc_run *r)
{
	const struct yaml_node *program = yaml_get(p->mapping, "program");
	char *word[WORDS + 3] = { (char *)(uintptr_t)"run", program ? program->text : NULL };
	struct rb_error why;
	int n = 2, rc;

	for (const struct yaml_node *key = program ? p->mapping->first : NULL; key && n < WORDS;
	     key = key->next) {
		if (key == program || elc_order_key(key->key))
			continue;
		if (is_of_run(key->key))
			return rb_fail(
				&s->err, RB_EINVAL,
				"%s: point %.100s: %s is an option of `rollbench run`, not of "
				"a sweep",
				s->file->path, p->id, key->key);
		if (renamed(key->key))
			return rb_fail(&s->err, RB_EINVAL, "%s:%d: the key %s is %s now",
				       s->file->path, key->line, key->key, renamed(key->key));
		if (asprintf(&word[n], "--%s=%s", key->key, key->text) < 0)
			return rb_fail(&s->err, RB_ENOMEM, "out of memory");
		for (char *c = word[n++]; *c && *c != '='; c++)
			*c = *c == '_' ? '-' : *c;
	}
	rc = program ? elc_parse(n, word, r, &why)
		     : rb_fail(&why, RB_EINVAL, "the key program is missing");
	r->plan.hosts = s->asked->hosts;
	if (rc == RB_OK)
		rc = elc_kind.check(&r->run, &why);
	return rc == RB_OK ? RB_OK
			   : rb_fail(&s->err, RB_EINVAL, "%s: point %.100s: %.360s", s->file->path,
				     p->id, why.text);
}

/* What is computed, whatever protects it: the program, its processes and arguments without those
 * that say when there are lines. */
static json_t *problem_of(const struct elc_plan *p)
{
	json_t *list = json_pack("[s, i]", p->program, p->np);

	for (int i = 0; i < p->arguments; i += 2)
		if (strcmp(p->argument[i], "--lines") && strcmp(p->argument[i], "--every")) {
			json_array_append_new(list, json_string(p->argument[i]));
			json_array_append_new(list, json_string(p->argument[i + 1]));
		}
	return list;
}

/* All that a record follows from, besides this program (store_find_described()). */
static json_t *describe(const struct sweep *s, const struct elc_plan *p)
{
	char text[ELC_KILL];
	json_t *kills = json_array(), *arguments = json_array(), *d;

	for (int i = 0; i < p->arguments; i++)
		json_array_append_new(arguments, json_string(p->argument[i]));
	for (int k = 0; k < p->kills; k++) {
		elc_kill_format(&p->kill[k], text, sizeof text);
		json_array_append_new(kills, json_string(text));
	}
	d = json_pack("{s:o, s:o, s:s, s:s, s:I, s:f, s:f, s:o, s:s, s:s}", "problem",
		      problem_of(p), "arguments", arguments, "protocol",
		      elc_protocol_word((int)p->protocol), "log_form",
		      elc_log_word((int)p->log_form), "lines", (json_int_t)p->lines, "interval_s",
		      p->interval_s, "deadline_s", p->deadline_s, "kills", kills, "executable",
		      s->executable, "library", s->library);
	mpirun_describe(d);
	if (d && p->hosts) /* not their names */
		json_object_set_new(d, "hosts", hosts_shape_json(p->hosts));
	return d;
}

/* The name of a problem as a key; the caller frees it. */
static char *key_of(const struct elc_plan *p)
{
	json_t *problem = problem_of(p);
	char *key = json_dumps(problem, JSON_COMPACT);

	json_decref(problem);
	return key;
}

/* Later runs of the problem are compared with a good run without lines. */
static void remember(struct sweep *s, size_t i, const json_t *record)
{
	if (strcmp(text_of(record, "status"), "ok") == 0)
		snprintf(s->state[i], RUN_HASH, "%s", text_of(record, "state_hash"));
}

/* "": there is none, or it was not ok. */
static const char *reference_of(const struct sweep *s, size_t i)
{
	return s->reference[i] < 0 ? "" : s->state[s->reference[i]];
}

/* Is the record there, and compared with what it is to be compared with now? */
static bool is_there(const struct sweep *s, size_t i, const json_t *record)
{
	const char *reference = reference_of(s, i);

	if (!record || (s->asked->redo_failed && strcmp(text_of(record, "status"), "ok")))
		return false;
	return !*reference ||
	       strcmp(text_of(json_object_get(record, "compared"), "hash"), reference) == 0;
}

/* Runs without a record, before the first one of a program: they read its files and those of the
 * MPI. RB_OK, RB_LOST: interrupted, or a negative status. */
static int warm_up(struct sweep *s, const struct elc_plan *p)
{
	struct elc_plan plain = *p;
	struct elc_launch launch;
	char key[SPEC_PATH + 64];
	int rc = RB_OK;

	snprintf(key, sizeof key, "%s %.60s", p->path, p->program);
	if (json_object_get(s->warm, key))
		return RB_OK;
	json_object_set_new(s->warm, key, json_true());
	plain.kills = 0;
	for (int64_t i = 0; i < s->order.warm_up && rc == RB_OK; i++) {
		fprintf(stderr, "warm-up of %s with --protocol %s\n", p->program,
			elc_protocol_word((int)p->protocol));
		rc = elc_launch(&plain, s->asked->workdir, &launch, &s->err);
		elc_launch_remove(&launch, false);
	}
	return rc;
}

/* RB_OK, RB_LOST: interrupted, or a negative status: the sweep cannot go on. */
static int make(struct sweep *s, size_t i, const json_t *description)
{
	const char *id = s->points.point[i].id, *hash = reference_of(s, i);
	struct run *run = &s->run[i].run;
	enum run_status status;
	json_t *record;
	int rc;

	RB_TRY(warm_up(s, &s->run[i].plan));
	run->reference = run_reference_to(*hash ? s->points.point[s->reference[i]].id : NULL, hash);
	run->workdir = s->asked->workdir;
	RB_TRY(run->kind->make(run, LAUNCH_DISPOSABLE, &s->err));
	record = run_record(run, &status);
	run->kind->remove(run);
	rc = store_put_described(&s->store, id, description, record, &s->err);
	remember(s, i, record);
	s->made++;
	s->bad += status != STATUS_OK;
	fprintf(stderr, "%zu of %zu: %s: %s\n", s->made + s->found + s->left, s->points.count, id,
		text_of(record, "status"));
	json_decref(record);
	return rc;
}

static bool budget_is_spent(const struct sweep *s)
{
	return s->asked->budget_s > 0 && s->made > 0 &&
	       clock_monotonic() - s->begun >= s->asked->budget_s;
}

static int hash_executable(struct sweep *s, const struct elc_plan *p)
{
	if (strcmp(s->path, p->path) == 0)
		return RB_OK;
	snprintf(s->path, sizeof s->path, "%s", p->path);
	return store_hash_file(p->path, s->executable, &s->err);
}

static int one(struct sweep *s, size_t i)
{
	const struct elc_plan *p = &s->run[i].plan;
	const char *id = s->points.point[i].id;
	json_t *description, *record;
	int rc = hash_executable(s, p);

	if (rc != RB_OK)
		return rc;
	description = describe(s, p);
	record = store_find_described(&s->store, id, description);

	if (is_there(s, i, record)) {
		remember(s, i, record);
		s->found++;
		s->bad += strcmp(text_of(record, "status"), "ok") != 0;
	} else if (budget_is_spent(s)) {
		s->left++;
	} else if (elc_is_on(p) && !*reference_of(s, i)) {
		s->bad++;
		s->found++;
		fprintf(stderr,
			"%zu of %zu: %s: not made: its run without lines was not ok, so there is "
			"nothing to compare it with\n",
			s->made + s->found + s->left, s->points.count, id);
	} else {
		rc = make(s, i, description);
	}
	json_decref(description);
	json_decref(record);
	return rc;
}

/* The first point without lines of the same problem, with whose result that of the run is compared.
 * It comes before in the file. */
static int find_reference(struct sweep *s, int i, json_t *seen)
{
	const struct elc_plan *p = &s->run[i].plan;
	char *key = key_of(p);
	const json_t *found = key ? json_object_get(seen, key) : NULL;

	s->reference[i] = found ? (int)json_integer_value(found) : -1;
	if (key && !found && !elc_is_on(p))
		json_object_set_new(seen, key, json_integer(i));
	free(key);
	return s->reference[i] >= 0 || !elc_is_on(p)
		       ? RB_OK
		       : rb_fail(&s->err, RB_EINVAL,
				 "%s: point %.100s: there is nothing to compare it with; let a "
				 "point with `protocol: source` or `protocol: off` of the same problem "
				 "come before it",
				 s->file->path, s->points.point[i].id);
}

/* A mistake in the last point is told before the first one is run. */
static int check_all(struct sweep *s)
{
	json_t *seen = json_object();
	int rc = RB_OK;

	s->run = calloc(s->points.count, sizeof *s->run);
	s->reference = calloc(s->points.count, sizeof *s->reference);
	s->state = calloc(s->points.count, sizeof *s->state);
	if (!s->run || !s->reference || !s->state) {
		json_decref(seen);
		return rb_fail(&s->err, RB_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < s->points.count && rc == RB_OK; i++) {
		rc = parse_point(s, &s->points.point[i], &s->run[i]);
		if (rc == RB_OK)
			rc = find_reference(s, (int)i, seen);
	}
	json_decref(seen);
	return rc;
}

static json_t *list_of(const struct sweep *s)
{
	json_t *list = points_list(s->file, &s->points, "rollbench-lines-1");

	elc_order_describe(&s->order, list);
	return list;
}

static int sweep(struct sweep *s)
{
	s->file->doc = "docs/event-logging.md";
	RB_TRY(elc_order_read(&s->order, s->file, &s->err));
	RB_TRY(points_expand(s->file, &s->points, &s->err));
	RB_TRY(check_all(s));
	RB_TRY(elc_order_draw(&s->order, s->reference, s->points.count, &s->err));
	if (s->asked->dry_run) {
		for (size_t i = 0; i < s->points.count; i++)
			printf("%s\n", s->points.point[s->order.place[i]].id);
		printf("%zu runs\n", s->points.count);
		return RB_OK;
	}
	snprintf(s->results, sizeof s->results, "results/%s", s->points.name);
	if (s->asked->results)
		snprintf(s->results, sizeof s->results, "%s", s->asked->results);
	RB_TRY(store_open(&s->store, s->results, &s->err));
	RB_TRY(store_put_sweep(&s->store, list_of(s), &s->err));
	RB_TRY(elc_hash(ELC_LIBRARY, s->library, &s->err));
	launch_catch_signals();
	s->begun = clock_monotonic();
	for (size_t i = 0; i < s->points.count; i++) {
		const int k = s->order.place[i];

		RB_TRY(launch_signal() ? RB_LOST : one(s, (size_t)k));
	}
	return RB_OK;
}

static int say_end(const struct sweep *s)
{
	if (s->asked->dry_run)
		return 0;
	printf("%zu runs: %zu made, %zu there already, %zu of these not ok; records: %s\n",
	       s->points.count, s->made, s->found, s->bad, s->store.dir);
	if (s->left > 0)
		fprintf(stderr,
			"rollbench sweep: the budget is spent: %zu runs are left; go on with the "
			"same command\n",
			s->left);
	return s->left > 0 ? BUDGET_SPENT : s->bad > 0 ? STATUS_WRONG : 0;
}

int elc_sweep_main(const struct elc_sweep *asked)
{
	struct sweep s = {
		.asked = asked, .file = asked->file, .store = { .lock = -1 }, .warm = json_object()
	};
	int rc = sweep(&s), status;

	if (rc == RB_OK)
		status = say_end(&s);
	else if (rc == RB_LOST)
		status = 128 + launch_signal();
	else
		status = STATUS_USAGE;
	if (rc == RB_LOST)
		fprintf(stderr,
			"rollbench sweep: interrupted after %zu of %zu runs; no process is left. "
			"The same command goes on\n",
			s.made + s.found, s.points.count);
	else if (rc != RB_OK)
		fprintf(stderr, "rollbench sweep: %s\n", s.err.text);
	json_decref(s.warm);
	elc_order_free(&s.order);
	free(s.reference);
	free(s.state);
	free(s.run);
	store_close(&s.store);
	return status;
}
