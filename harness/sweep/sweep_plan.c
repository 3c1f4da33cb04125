#include "harness/sweep/sweep_plan.h"

#include "base/json.h"
#include "base/mix.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Give run i the next place, after the run that it is compared with. place[i] is -1 as long as it
 * has none. */
static void emit(const struct sweep_plan *plan, int i, int *place, int *next)
{
	if (place[i] >= 0)
		return;
	if (plan->run[i].reference >= 0)
		emit(plan, plan->run[i].reference, place, next);
	place[i] = (*next)++;
}

/* The order in which the runs are taken into account. */
static void draw(const struct sweep_plan *plan, int *order)
{
	for (size_t i = 0; i < plan->count; i++)
		order[i] = (int)i;
	if (plan->of->random)
		mix_shuffle(order, plan->count, (uint64_t)plan->of->order_seed);
}

static void find_places(const struct sweep_plan *plan, const int *order, int *place)
{
	int next = 0;

	for (size_t i = 0; i < plan->count; i++)
		place[i] = -1;
	for (size_t i = 0; plan->of->random && i < plan->count; i++)
		if (plan->run[order[i]].repetition < plan->of->warm_up)
			emit(plan, order[i], place, &next);
	for (size_t i = 0; i < plan->count; i++)
		emit(plan, order[i], place, &next);
}

/* Put the runs in order. RB_OK or RB_ENOMEM. */
static int arrange(struct sweep_plan *plan)
{
	int *order = malloc(plan->count * sizeof *order),
	    *place = malloc(plan->count * sizeof *place);
	struct sweep_run *moved = malloc(plan->count * sizeof *moved);
	const int rc = order && place && moved ? RB_OK : RB_ENOMEM;

	if (rc == RB_OK) {
		draw(plan, order);
		find_places(plan, order, place);
		for (size_t i = 0; i < plan->count; i++) {
			struct sweep_run *to = &moved[place[i]];

			*to = plan->run[i];
			to->reference = to->reference < 0 ? -1 : place[to->reference];
		}
		free(plan->run);
		plan->run = moved;
		plan->capacity = plan->count;
	} else {
		free(moved);
	}
	free(order);
	free(place);
	return rc;
}

void sweep_plan_describe(const struct sweep_plan *plan, json_t *manifest)
{
	json_object_set_new(manifest, "order", json_string(plan->of->random ? "random" : "listed"));
	json_object_set_new(manifest, "order_seed",
			    plan->of->random ? json_integer(plan->of->order_seed) : json_null());
	json_object_set_new(manifest, "warm_up", json_integer(plan->of->warm_up));
}

json_t *sweep_plan_json(const struct sweep_plan *plan)
{
	json_t *ids = json_array(), *all;

	for (size_t i = 0; i < plan->count; i++)
		json_array_append_new(ids, json_string(plan->run[i].id));
	all = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "rollbench-sweep-1", "kind",
			plan->kind->word, "name", text_json(plan->of->name), "file",
			text_json(plan->of->file->path), "runs", ids);
	sweep_plan_describe(plan, all);
	return all;
}

int sweep_plan_run(const struct sweep_plan *plan, size_t i, struct run **run, struct rb_error *err)
{
	const struct sweep_run *r = &plan->run[i];

	RB_TRY(run_of_options(run, plan->kind, r->options, err));
	return plan->kind->complete(*run, &r->setting, err);
}

int sweep_plan_make(const struct experiment *of, const struct kind *const *kinds,
		    const struct hosts *hosts, struct sweep_plan *plan, struct rb_error *err)
{
	int rc;

	*plan = (struct sweep_plan){ .of = of, .budget_s = of->budget_s };
	rc = sweep_runs(kinds, hosts, plan, err);
	if (rc == RB_OK && arrange(plan) != RB_OK)
		rc = rb_fail(err, RB_ENOMEM, "%s: out of memory", of->file->path);
	if (rc != RB_OK)
		sweep_plan_free(plan);
	return rc;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	free(plan->run);
	memset(plan, 0, sizeof *plan);
}
