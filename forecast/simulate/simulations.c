#include "forecast/simulate/simulations.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"
#include "base/streams.h"
#include "forecast/simulate/simulation_parse.h"
#include "harness/job/launch_job.h"
#include "forecast/simulate/pool.h"
#include "harness/options/duration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is known of a point before it is simulated. */
struct task {
	json_t *description; /* all that its record follows from (store_find()) */
	double size;         /* iterations of roles in all its runs */
};

struct making {
	const struct simulations_list *list;
	struct simulations *to;
	struct store store;
	struct task *task;
	/* size, done: sums of task.size; said: when progress was told */
	double size, done, begun, said;
	struct rb_error *err;
};

/* The number of threads does not change the results, and neither does the way in which options were
 * given. */
static json_t *describe(const struct simulation *s)
{
	return json_pack("{s:o, s:s, s:i, s:I, s:s, s:b}", "simulate", simulation_model_json(s),
			 "methods", s->methods, "seeds", s->seeds, "seed", (json_int_t)s->seed,
			 "engine", engine_name((int)s->engine), "recoveries", s->recoveries);
}

/* Read all points, so that a mistake in the last one is told before the first one is simulated. */
static int read_points(struct making *m)
{
	struct simulation *s = malloc(sizeof *s);
	int rc = s && m->task ? RB_OK : rb_fail(m->err, RB_ENOMEM, "out of memory");

	for (size_t i = 0; rc == RB_OK && i < m->to->count; i++) {
		rc = launch_signal() ? RB_LOST : m->list->parse(m->list->of, i, s, m->err);
		if (rc != RB_OK)
			break;
		m->task[i].description = describe(s);
		m->task[i].size = (double)s->pattern->np * (double)s->steps * (double)s->seeds *
				  (double)s->count;
		simulation_free(s);
	}
	free(s);
	return rc;
}

/* In a process of its own: the record of a point. */
static int simulate_point(void *ctx, size_t i, char **text, struct rb_error *err)
{
	const struct making *m = ctx;
	struct simulation *s = malloc(sizeof *s);
	json_t *record;

	if (!s)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	RB_TRY(m->list->parse(m->list->of, i, s, err));
	s->quiet = true;
	record = simulation_run(s, err);
	if (!record)
		return RB_EINVAL;
	*text = json_dumps(record, JSON_REAL_PRECISION(17));
	return RB_OK;
}

static void say_progress(struct making *m, bool last)
{
	const struct simulations *to = m->to;
	const bool terminal = streams_terminal(STDERR_FILENO);
	const double now = clock_monotonic();
	char left[DURATION_TEXT];

	if (!last && now < m->said + (terminal ? 0.2 : 10))
		return;
	m->said = now;
	fprintf(stderr, "%s%zu of %zu points", terminal ? "\r" : "",
		to->found + to->made + to->failed, to->count);
	if (m->done > 0 && m->done < m->size) {
		duration_format((now - m->begun) / m->done * (m->size - m->done), left);
		fprintf(stderr, ", ETA %s", left);
	}
	fprintf(stderr, "     %s", terminal && !last ? "" : "\n");
}

static void take(const struct making *m, size_t i, const json_t *record)
{
	if (m->list->take)
		m->list->take(m->list->ctx, i, record);
}

static int keep(struct making *m, struct pool_answer *a)
{
	const char *id = m->list->id(m->list->of, a->task);
	json_t *record;
	int rc = RB_OK;

	m->done += m->task[a->task].size;
	if (a->rc != RB_OK) {
		fprintf(stderr, "%s: %s\n", id, a->err.text);
		m->to->failed++;
		return RB_OK;
	}
	record = json_loads(a->text, 0, NULL);
	free(a->text);
	if (!record)
		return rb_fail(m->err, RB_ENOMEM, "out of memory");
	if (m->list->results)
		rc = store_put(&m->store, id, m->task[a->task].description, record, m->err);
	if (rc == RB_OK)
		take(m, a->task, record);
	json_decref(record);
	m->to->made += rc == RB_OK;
	return rc;
}

/* Does point i have to be simulated? */
static bool is_missing(struct making *m, size_t i)
{
	json_t *record = m->list->results ? store_find(&m->store, m->list->id(m->list->of, i),
						       m->task[i].description)
					  : NULL;

	if (!record)
		return true;
	take(m, i, record);
	json_decref(record);
	return false;
}

static int make_missing(struct making *m, const size_t *missing, size_t count)
{
	const struct timespec nap = { 0, 2 * 1000 * 1000 };
	struct pool pool;
	size_t next = 0;
	int rc = pool_open(&pool, m->list->jobs, simulate_point, m, m->err);

	while (rc == RB_OK && (next < count || pool.busy > 0)) {
		struct pool_answer answer;

		if (launch_signal())
			rc = RB_LOST;
		else if (next < count && pool.busy < pool.size)
			rc = pool_start(&pool, missing[next++], m->err);
		else if (pool_ended(&pool, &answer))
			rc = keep(m, &answer);
		else
			nanosleep(&nap, NULL);
		say_progress(m, false);
	}
	pool_close(&pool);
	return rc;
}

static int make_all(struct making *m)
{
	size_t *missing = malloc((m->to->count + 1) * sizeof *missing), count = 0;
	int rc;

	if (!missing)
		return rb_fail(m->err, RB_ENOMEM, "out of memory");
	for (size_t i = 0; i < m->to->count; i++) {
		if (!is_missing(m, i)) {
			m->to->found++;
			continue;
		}
		missing[count++] = i;
		m->size += m->task[i].size;
	}
	rc = make_missing(m, missing, count);
	free(missing);
	return rc;
}

static int make(struct making *m)
{
	RB_TRY(read_points(m));
	if (m->list->results) {
		RB_TRY(store_open(&m->store, m->to->results, STORE_RESULTS, m->err));
		RB_TRY(store_put_sweep(&m->store, json_incref(m->list->sweep), m->err));
	}
	launch_catch_signals();
	m->begun = m->said = clock_monotonic();
	RB_TRY(make_all(m));
	say_progress(m, true);
	return RB_OK;
}

int simulations_list(const struct simulations_list *list, struct simulations *to,
		     struct rb_error *err)
{
	struct making m = { .list = list, .to = to, .store = { .lock = -1 }, .err = err };
	int rc = RB_OK;

	*to = (struct simulations){ .count = list->count };
	if (list->results && snprintf(to->results, sizeof to->results, "%s", list->results) >=
				     (int)sizeof to->results)
		rc = rb_fail(err, RB_EINVAL, "--results: the path is too long");
	m.task = calloc(to->count + 1, sizeof *m.task);
	if (rc == RB_OK)
		rc = make(&m);
	for (size_t i = 0; m.task && i < to->count; i++)
		json_decref(m.task[i].description);
	free(m.task);
	to->replaced = m.store.replaced;
	store_close(&m.store);
	json_decref(list->sweep);
	return rc;
}

/* --- the points of a file --- */

/* They are read by the command line. */
struct of_file {
	const struct simulation *all;
	int argc;
	char **argv;
};

static const char *id_of_point(const void *of, size_t i)
{
	const struct of_file *f = of;

	return f->all->points.point[i].id;
}

static int parse_point(const void *of, size_t i, struct simulation *s, struct rb_error *err)
{
	const struct of_file *f = of;

	RB_TRY(simulation_parse_point(s, f->all, i, f->argc, f->argv, err));
	if (s->engine != ENGINE_SIMGRID || f->all->engine == ENGINE_SIMGRID)
		return RB_OK;
	simulation_free(s);
	return rb_fail(err, RB_EINVAL,
		       "%s: point %s: engine: simgrid is the engine of all points or of none",
		       f->all->file->path, id_of_point(of, i));
}

/* An option holds for all points, so their names would not be true if it were one in which they
 * differ. */
static int check_words(const struct of_file *f, struct rb_error *err)
{
	for (int i = 2; i < f->argc; i++) {
		char key[SPEC_TEXT];

		if (strncmp(f->argv[i], "--", 2) != 0)
			continue;
		snprintf(key, sizeof key, "%.*s", (int)strcspn(f->argv[i] + 2, "="),
			 f->argv[i] + 2);
		text_replace(key, '-', '_');
		if (points_differ_in(f->all->file, key))
			return rb_fail(err, RB_EINVAL,
				       "%s: the points of %s differ in it; change it there",
				       f->argv[i], f->all->file->path);
	}
	return RB_OK;
}

int simulations_make(const struct simulation *all, int argc, char **argv, struct simulations *to,
		     struct rb_error *err)
{
	const struct of_file of = { all, argc, argv };
	char results[SPEC_PATH];

	snprintf(results, sizeof results, "results/%s", all->points.name);
	RB_TRY(check_words(&of, err));
	return simulations_list(
		&(struct simulations_list){
			.count = all->points.count,
			.of = &of,
			.id = id_of_point,
			.parse = parse_point,
			.sweep = points_list(all->file, &all->points, "rollbench-simulations-1"),
			.results = all->results ? all->results : results,
			.jobs = all->jobs },
		to, err);
}
