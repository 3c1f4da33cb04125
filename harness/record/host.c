#include "harness/record/host.h"

#include "base/json.h"
#include "harness/events/events.h"
#include "harness/transport/components.h"
#include "harness/transport/transport.h"

#include <stdbool.h>
#include <string.h>

/* With the event "memory": did all ranks that said so share memory of the MPI with others of their
 * host? *any: is there such an event? */
static bool shares_memory(const json_t *events, bool *any)
{
	const json_t *event;
	bool all = true;
	size_t i;

	*any = false;
	json_array_foreach(events, i, event) {
		if (!event_is(event, "memory"))
			continue;
		*any = true;
		all = all && json_is_true(json_object_get(event, "shared"));
	}
	return all;
}

/* With shared_memory: false if a rank had none, although its MPI was to use it. The component is
 * not among those of the process then. NULL: no process has said what it has in force. */
static json_t *transport(const json_t *plan, const json_t *settings, const json_t *events)
{
	json_t *found = settings ? transport_record(plan, settings) : NULL;
	const json_t *btl = json_object_get(json_object_get(found, "parameters"), "btl");
	const char *list = json_string_value(json_object_get(btl, "value"));
	struct components may;
	bool any, all = shares_memory(events, &any);

	if (!list || !any)
		return found;
	components_read(&may, list);
	if (components_have(&may, "sm"))
		json_object_set_new(found, "shared_memory", json_boolean(all));
	return found;
}

/* "runtime" if it is so for one process; NULL: no process has said it. */
static json_t *detector(const json_t *events)
{
	const json_t *event, *found = NULL;
	size_t i;

	json_array_foreach(events, i, event) {
		if (!event_is(event, "detector"))
			continue;
		if (!found || json_object_get(event, "why"))
			found = event;
	}
	return found ? event_members(found) : NULL;
}

json_t *host_json(json_t *harness, const json_t *events)
{
	const json_t *mpi = events_last(events, "mpi"), *network = events_last(events, "network");
	const char *version = text_of(mpi, "version");
	json_t *found = transport(json_object_get(harness, "transport_plan"),
				  json_object_get(mpi, "settings"), events);

	json_object_del(harness, "transport_plan");
	json_object_set_new(harness, "mpi",
			    json_string(version[0] ? version : "unknown: no worker came up"));
	if (found)
		json_object_set_new(harness, "transport", found);
	json_object_set_new(harness, "detector", detector(events));
	if (network)
		json_object_set_new(harness, "network", event_members(network));
	return harness;
}
