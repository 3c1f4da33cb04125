#include "harness/experiment/sweep_list.h"

#include "base/status.h"
#include "harness/record/compare.h"
#include "harness/store/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_done(struct store *store, const struct sweep_run *run, bool redo)
{
	json_t *record = store_find(store, run->id, &run->spec);
	bool done = record && (!redo || compare_is_expected(&run->spec, record));

	json_decref(record);
	return done;
}

static json_t *run_json(const struct sweep_run *run, bool done, bool warm_up)
{
	const struct run_spec *s = &run->spec;
	char problem[SWEEP_ID], alike[2 * SWEEP_ID];
	/* a part of a run's id, so there is room */
	size_t used = spec_name(s, false, alike, SWEEP_ID);

	spec_name(s, true, problem, sizeof problem);
	snprintf(alike + used, SWEEP_ID, s->plan.count > 0 ? "-kill" : "-free");
	return json_pack("{s:s, s:b, s:b, s:s, s:s, s:i, s:o, s:f, s:b, s:f}", "id", run->id,
			 "done", done, "warm_up", warm_up, "records like it", alike,
			 "records of the problem", problem, "np", s->np, "iterations",
			 run->plan.open_ended ? json_null()
					      : json_integer((json_int_t)run->plan.iterations),
			 "bytes_per_role", run->plan.bytes_per_role, "restart",
			 s->strategy == FT_RESTART, "deadline_s", s->deadline_s);
}

json_t *sweep_list(const struct sweep_plan *plan, const char *name, const char *dir, bool redo)
{
	struct store store = { .lock = -1 };
	json_t *runs = json_array(), *all;
	struct rb_error why;
	/* Another sweep may be writing to the folder: then nothing is known to be done. */
	bool open = access(dir, F_OK) == 0 && store_open_to_read(&store, dir, &why) == RB_OK;

	for (size_t i = 0; i < plan->count; i++)
		json_array_append_new(runs, run_json(&plan->run[i],
						     open && is_done(&store, &plan->run[i], redo),
						     plan->run[i].repetition < plan->warm_up));
	store_close(&store);
	all = json_pack("{s:s, s:s, s:o, s:o}", "name", name, "folder", dir, "budget_s",
			plan->budget_s > 0 ? json_real(plan->budget_s) : json_null(), "runs", runs);
	sweep_plan_describe(plan, all);
	return all;
}
