#include "harness/sweep/sweep_list.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/store/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_done(struct store *store, const struct sweep_run *of, const struct run *run,
		    bool redo)
{
	struct rb_error why;
	json_t *description = run->kind->describe(run, &why),
	       *record = description ? store_find(store, of->id, description) : NULL;
	bool done = record && (!redo || run->kind->is_expected(run, record));

	json_decref(description);
	json_decref(record);
	return done;
}

static json_t *run_json(const struct sweep_run *of, const struct run *run, bool done, bool warm_up)
{
	const struct run_size size = run->kind->size(run);
	char problem[SWEEP_ID], alike[2 * SWEEP_ID];
	/* a part of a run's id, so there is room */
	size_t used = run->kind->name(run, NAME_ALIKE, alike, SWEEP_ID);

	run->kind->name(run, NAME_PROBLEM, problem, sizeof problem);
	snprintf(alike + used, SWEEP_ID, run_option(of->options, "kill") ? "-kill" : "-free");
	return json_pack("{s:s, s:b, s:b, s:s, s:s, s:i, s:o, s:f, s:b, s:f}", "id", of->id, "done",
			 done, "warm_up", warm_up, "records like it", alike,
			 "records of the problem", problem, "np", size.np, "iterations",
			 size.iterations < 0 ? json_null()
					     : json_integer((json_int_t)size.iterations),
			 "bytes_per_role", size.bytes_per_role, "restart", size.twice, "deadline_s",
			 size.deadline_s);
}

json_t *sweep_list(const struct sweep_plan *plan, const char *dir, bool redo)
{
	struct store store = { .lock = -1 };
	json_t *runs = json_array(), *all;
	struct rb_error why;
	/* Another sweep may be writing to the folder: then nothing is known to be done. */
	bool open = access(dir, F_OK) == 0 && store_open_to_read(&store, dir, &why) == RB_OK;

	for (size_t i = 0; i < plan->count; i++) {
		const struct sweep_run *of = &plan->run[i];
		struct run *run;

		if (sweep_plan_run(plan, i, &run, &why) == RB_OK) /* it was checked */
			json_array_append_new(runs, run_json(of, run,
							     open && is_done(&store, of, run, redo),
							     of->repetition < plan->of->warm_up));
		run_free(run);
	}
	store_close(&store);
	all = json_pack("{s:o, s:o, s:o, s:o}", "name", text_json(plan->of->name), "folder",
			text_json(dir), "budget_s",
			plan->budget_s > 0 ? json_real(plan->budget_s) : json_null(), "runs", runs);
	sweep_plan_describe(plan, all);
	return all;
}
