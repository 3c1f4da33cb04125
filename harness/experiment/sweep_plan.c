#include "harness/experiment/sweep_plan.h"

#include "base/mix.h"
#include "base/status.h"
#include "harness/experiment/sweep_expand.h"

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

static int shuffle(struct sweep_plan *plan)
{
	int *order = malloc(plan->count * sizeof *order),
	    *place = malloc(plan->count * sizeof *place);
	struct sweep_run *moved = malloc(plan->count * sizeof *moved);
	int next = 0, rc = order && place && moved ? RB_OK : RB_ENOMEM;

	for (size_t i = 0; rc == RB_OK && i < plan->count; i++) {
		order[i] = (int)i;
		place[i] = -1;
	}
	if (rc == RB_OK) {
		mix_shuffle(order, plan->count, (uint64_t)plan->seed);
		for (size_t i = 0; i < plan->count; i++)
			if (plan->run[order[i]].repetition < plan->warm_up)
				emit(plan, order[i], place, &next);
		for (size_t i = 0; i < plan->count; i++)
			emit(plan, order[i], place, &next);
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
	json_object_set_new(manifest, "order", json_string(plan->random ? "random" : "listed"));
	json_object_set_new(manifest, "seed",
			    plan->random ? json_integer(plan->seed) : json_null());
	json_object_set_new(manifest, "warm_up", json_integer(plan->warm_up));
}

json_t *sweep_plan_json(const struct sweep_plan *plan, const char *name)
{
	json_t *ids = json_array(), *all;

	for (size_t i = 0; i < plan->count; i++)
		json_array_append_new(ids, json_string(plan->run[i].id));
	all = json_pack("{s:s, s:s, s:o}", "schema", "rollbench-sweep-1", "name", name, "runs",
			ids);
	sweep_plan_describe(plan, all);
	return all;
}

int sweep_plan_make(const struct sweep_config *config, struct sweep_plan *plan,
		    struct rb_error *err)
{
	int rc;

	*plan = (struct sweep_plan){ .random = config->random,
				     .seed = config->seed,
				     .warm_up = config->warm_up,
				     .budget_s = config->budget_s };
	rc = sweep_expand(config, plan, err);
	if (rc == RB_OK && plan->random && shuffle(plan) != RB_OK)
		rc = rb_fail(err, RB_ENOMEM, "%s: out of memory", config->file->path);
	if (rc != RB_OK)
		sweep_plan_free(plan);
	return rc;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	free(plan->run);
	memset(plan, 0, sizeof *plan);
}
