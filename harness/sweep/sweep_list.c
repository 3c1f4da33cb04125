#include "harness/sweep/sweep_list.h"

#include "base/status.h"
#include "harness/spec/duration.h"
#include "harness/store/store.h"
#include "harness/sweep/sweep_estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listing {
	const struct sweep_plan *plan;
	struct estimate *estimate;
	size_t done, warm_up, from[ESTIMATE_SOURCES]; /* from: of those left, by where the estimate is from */
	double left_s, total_s;                       /* of those that have an estimate */
};

/* Only of a folder that is there. Another sweep may be writing to it: then nothing is known to be done. */
static void find_done(struct listing *l, const char *dir, bool redo)
{
	struct store store = { .lock = -1 };
	struct rb_error why;

	if (access(dir, F_OK) == 0 && store_open_to_read(&store, dir, &why) == RB_OK)
		for (size_t i = 0; i < l->plan->count; i++) {
			json_t *record = store_find(&store, l->plan->run[i].id, &l->plan->run[i].spec);
			const char *status = json_string_value(json_object_get(record, "status"));

			l->estimate[i].done = record && (!redo || (status && strcmp(status, "ok") == 0));
			json_decref(record);
		}
	store_close(&store);
}

static void sum_up(struct listing *l)
{
	for (size_t i = 0; i < l->plan->count; i++) {
		const struct estimate *e = &l->estimate[i];
		double seconds = isnan(e->seconds) ? 0 : e->seconds;

		l->total_s += seconds;
		l->left_s += e->done ? 0 : seconds;
		l->from[e->source] += !e->done;
		l->done += e->done;
		l->warm_up += l->plan->run[i].repetition < l->plan->warm_up;
	}
}

static void say_runs(const struct listing *l)
{
	for (size_t i = 0; i < l->plan->count; i++) {
		const struct estimate *e = &l->estimate[i];
		char time[DURATION_TEXT] = "-";

		if (!isnan(e->seconds))
			duration_format(e->seconds, time);
		printf("%10s  %-22s  %s%s\n", time, e->done ? "done" : estimate_source_name(e->source),
		       l->plan->run[i].id, l->plan->run[i].repetition < l->plan->warm_up ? " (warm-up)" : "");
	}
}

static void say(const struct listing *l)
{
	static const char *const behind[ESTIMATE_SOURCES] = {
		[ESTIMATE_NONE] = " length: not in the sum; each ends at its deadline" };
	const struct sweep_plan *plan = l->plan;
	char left[DURATION_TEXT], total[DURATION_TEXT], budget[DURATION_TEXT];

	say_runs(l);
	duration_format(l->left_s, left);
	duration_format(l->total_s, total);
	duration_format(plan->budget_s, budget);
	printf("order: %s", plan->random ? "random, seed " : "as listed");
	if (plan->random)
		printf("%" PRId64, plan->seed);
	printf("%s%s\n", plan->budget_s > 0 ? "; budget: " : "", plan->budget_s > 0 ? budget : "");
	printf("%zu done, %zu left; estimate: %s left, %s in all\n", l->done, plan->count - l->done, left, total);
	for (int s = 0; s < ESTIMATE_SOURCES; s++)
		if (l->from[s] > 0 && s == ESTIMATE_RULE)
			printf("  of %zu by rule (%s)\n", l->from[s], estimate_rule);
		else if (l->from[s] > 0)
			printf("  of %zu by %s%s\n", l->from[s], estimate_source_name((enum estimate_source)s),
			       behind[s] ? behind[s] : "");
	printf("%zu runs", plan->count);
	if (l->warm_up > 0)
		printf(", %zu of them warm-ups that no figure counts", l->warm_up);
	printf("\n");
}

static void print_json(const struct listing *l, const char *name)
{
	const struct sweep_plan *plan = l->plan;
	json_t *runs = json_array(), *all;

	for (size_t i = 0; i < plan->count; i++) {
		const struct estimate *e = &l->estimate[i];

		json_array_append_new(runs, json_pack("{s:s, s:b, s:b, s:o, s:s}", "id", plan->run[i].id, "done", e->done,
						      "warm_up", plan->run[i].repetition < plan->warm_up, "estimate_s",
						      isnan(e->seconds) ? json_null() : json_real(e->seconds),
						      "source", estimate_source_name(e->source)));
	}
	all = json_pack("{s:s, s:s, s:o, s:f, s:f, s:I, s:s, s:o}", "schema", "rollbench-dry-run-1", "name",
			name, "budget_s", plan->budget_s > 0 ? json_real(plan->budget_s) : json_null(),
			"total_s", l->total_s, "left_s", l->left_s, "unknown",
			(json_int_t)l->from[ESTIMATE_NONE], "rule", estimate_rule, "runs", runs);
	sweep_plan_describe(plan, all);
	json_dumpf(all, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(all);
}

int sweep_list(const struct sweep_plan *plan, const char *name, const char *dir, bool redo, bool json,
	       struct rb_error *err)
{
	struct listing l = { .plan = plan, .estimate = calloc(plan->count, sizeof *l.estimate) };
	int rc = l.estimate ? sweep_estimate(plan, dir, l.estimate) : RB_ENOMEM;

	if (rc != RB_OK) {
		free(l.estimate);
		return rb_fail(err, rc, "out of memory");
	}
	find_done(&l, dir, redo);
	sum_up(&l);
	if (json)
		print_json(&l, name);
	else
		say(&l);
	free(l.estimate);
	return RB_OK;
}
