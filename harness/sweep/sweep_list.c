#include "harness/sweep/sweep_list.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/options/duration.h"
#include "harness/store/store.h"
#include "harness/sweep/sweep_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct listed {
	bool done;
	struct estimate estimate;
};

struct sweep_list {
	const struct sweep_plan *plan;
	struct listed *run; /* as the runs of the plan */
	size_t done, warm_ups;
	size_t by[ESTIMATE_SOURCES]; /* of the runs that are left, by the source of the estimate */
	double total_s, left_s;      /* without what is unknown */
};

static bool is_warm_up(const struct sweep_list *list, size_t i)
{
	return list->plan->run[i].repetition < list->plan->of->warm_up;
}

/* The record of a run that is done, or NULL. New reference. */
static json_t *find_done(struct store *store, const struct sweep_run *of, const struct run *run)
{
	struct rb_error why;
	json_t *description = run->kind->describe(run, &why),
	       *record = description ? store_find(store, of->id, description) : NULL;

	json_decref(description);
	return record;
}

/* The file of a run's record, also if it does not count any more. New reference, or NULL. */
static json_t *load(const char *dir, const char *id)
{
	char path[SPEC_PATH];

	if (snprintf(path, sizeof path, "%s/%s.json", dir, id) >= (int)sizeof path ||
	    access(path, R_OK) != 0)
		return NULL;
	return json_load_file(path, 0, NULL);
}

static int no_memory(const struct sweep_plan *plan, struct rb_error *err)
{
	return rb_fail(err, RB_ENOMEM, "%s: out of memory", plan->of->file->path);
}

/* store: NULL if nothing is known to be done. */
static int list_run(struct sweep_list *list, size_t i, struct store *store, const char *dir,
		    bool redo, struct estimates *estimates, struct rb_error *err)
{
	const struct sweep_run *of = &list->plan->run[i];
	json_t *record = NULL;
	double seconds;
	struct run *run;
	int rc = sweep_plan_run(list->plan, i, &run, err);

	if (rc == RB_OK) {
		record = store ? find_done(store, of, run) : NULL;
		list->run[i].done = record && (!redo || run->kind->is_expected(run, record));
		record = record ? record : load(dir, of->id);
		seconds = number_of(record, "wall_s");
		if (!estimates_enter(estimates, of, run, seconds >= 0 ? seconds : NAN))
			rc = no_memory(list->plan, err);
	}
	json_decref(record);
	run_free(run);
	return rc;
}

static int list_runs(struct sweep_list *list, const char *dir, bool redo,
		     struct estimates *estimates, struct rb_error *err)
{
	struct store store = { .lock = -1 };
	struct rb_error why;
	/* Another sweep may be writing to the folder: then nothing is known to be done. */
	bool open = access(dir, F_OK) == 0 && store_open_to_read(&store, dir, &why) == RB_OK;
	int rc = RB_OK;

	for (size_t i = 0; i < list->plan->count && rc == RB_OK; i++)
		rc = list_run(list, i, open ? &store : NULL, dir, redo, estimates, err);
	store_close(&store);
	return rc;
}

static void count(struct sweep_list *list, struct estimates *estimates)
{
	for (size_t i = 0; i < list->plan->count; i++) {
		struct listed *run = &list->run[i];
		double seconds;

		run->estimate = estimates_of(estimates, i);
		seconds = isnan(run->estimate.seconds) ? 0 : run->estimate.seconds;
		list->total_s += seconds;
		list->warm_ups += is_warm_up(list, i);
		list->done += run->done;
		if (run->done)
			continue;
		list->left_s += seconds;
		list->by[run->estimate.source]++;
	}
}

int sweep_list_make(struct sweep_list **out, const struct sweep_plan *plan, const char *dir,
		    bool redo, struct rb_error *err)
{
	struct estimates *estimates = estimates_new(plan->count);
	struct sweep_list *list = *out = calloc(1, sizeof *list);
	int rc = RB_OK;

	if (list) {
		list->plan = plan;
		list->run = calloc(plan->count, sizeof *list->run);
	}
	if (!estimates || !list || !list->run)
		rc = no_memory(plan, err);
	if (rc == RB_OK)
		rc = list_runs(list, dir, redo, estimates, err);
	if (rc == RB_OK)
		count(list, estimates);
	estimates_free(estimates);
	return rc;
}

void sweep_list_free(struct sweep_list *list)
{
	if (list)
		free(list->run);
	free(list);
}

static void say_run(const struct sweep_list *list, size_t i, FILE *to)
{
	const struct listed *run = &list->run[i];
	char time[DURATION_TEXT] = "-";

	if (!isnan(run->estimate.seconds))
		duration_format(run->estimate.seconds, time);
	fprintf(to, "%10s  %-22s  %s%s\n", time,
		run->done ? "done" : estimate_source_name(run->estimate.source),
		list->plan->run[i].id, is_warm_up(list, i) ? " (warm-up)" : "");
}

static void say_order(const struct sweep_plan *plan, FILE *to)
{
	char budget[DURATION_TEXT];

	if (plan->of->random)
		fprintf(to, "order: random, seed %lld", (long long)plan->of->order_seed);
	else
		fprintf(to, "order: as listed");
	if (plan->budget_s > 0) {
		duration_format(plan->budget_s, budget);
		fprintf(to, "; budget: %s", budget);
	}
	fprintf(to, "\n");
}

static void say_sources(const struct sweep_list *list, FILE *to)
{
	for (enum estimate_source s = 0; s < ESTIMATE_SOURCES; s++) {
		if (list->by[s] == 0)
			continue;
		fprintf(to, "  of %zu by %s", list->by[s], estimate_source_name(s));
		if (s == ESTIMATE_RULE)
			fprintf(to, " (%s)", estimate_rule);
		if (s == ESTIMATE_UNKNOWN)
			fprintf(to, " length: not in the sum; each ends at its deadline");
		fprintf(to, "\n");
	}
}

void sweep_list_say(const struct sweep_list *list, FILE *to)
{
	const size_t runs = list->plan->count;
	char left[DURATION_TEXT], total[DURATION_TEXT];

	for (size_t i = 0; i < runs; i++)
		say_run(list, i, to);
	say_order(list->plan, to);
	duration_format(list->left_s, left);
	duration_format(list->total_s, total);
	fprintf(to, "%zu done, %zu left; estimate: %s left, %s in all\n", list->done,
		runs - list->done, left, total);
	say_sources(list, to);
	fprintf(to, "%zu runs", runs);
	if (list->warm_ups > 0)
		fprintf(to, ", %zu of them warm-ups that no figure counts", list->warm_ups);
	fprintf(to, "\n");
}

static json_t *run_json(const struct sweep_list *list, size_t i)
{
	const struct listed *run = &list->run[i];

	return json_pack("{s:s, s:b, s:b, s:o, s:s}", "id", list->plan->run[i].id, "done",
			 run->done, "warm_up", is_warm_up(list, i), "estimate_s",
			 number_json(run->estimate.seconds), "source",
			 estimate_source_name(run->estimate.source));
}

int sweep_list_dump(const struct sweep_list *list, FILE *to, struct rb_error *err)
{
	const struct sweep_plan *plan = list->plan;
	json_t *runs = json_array(), *all;

	for (size_t i = 0; i < plan->count; i++)
		json_array_append_new(runs, run_json(list, i));
	all = json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:s, s:o}", "schema", "rollbench-dry-run-1",
			"name", text_json(plan->of->name), "budget_s",
			plan->budget_s > 0 ? json_real(plan->budget_s) : json_null(), "total_s",
			number_json(list->total_s), "left_s", number_json(list->left_s), "unknown",
			(json_int_t)list->by[ESTIMATE_UNKNOWN], "rule", estimate_rule, "runs",
			runs);
	if (!all)
		return no_memory(plan, err);
	sweep_plan_describe(plan, all);
	json_dumpf(all, to, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	fputc('\n', to);
	json_decref(all);
	return RB_OK;
}
