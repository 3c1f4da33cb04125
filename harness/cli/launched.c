#include "harness/cli/commands.h"

json_t *launch_record(const struct run_spec *spec, const struct kernel_plan *plan,
		      const struct launch *launch, enum run_status *status)
{
	json_t *events = launch_events(launch),
	       *record = record_make(spec, plan, launch->dir, events, status);

	json_decref(events);
	return record;
}
