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

/* What the first job measured (harness/rank/describe.h). */
static json_t *network(const json_t *event)
{
	static const char *const keys[] = { "partner", "host", "one_way_s", "bytes_per_s" };
	json_t *network = json_object();

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(network, keys[i], json_object_get(event, keys[i]));
	return network;
}

json_t *host_json(const json_t *harness, const json_t *events)
{
	const json_t *mpi = events_last(events, "mpi"), *measured = events_last(events, "network");
	const char *version = text_of(mpi, "version");
	json_t *host = json_copy((json_t *)(uintptr_t)harness), *found;

	found = transport(json_object_get(host, "transport_plan"), json_object_get(mpi, "settings"),
			  events);
	json_object_del(host, "transport_plan");
	json_object_set_new(host, "mpi",
			    json_string(version[0] ? version : "unknown: no worker came up"));
	if (found)
		json_object_set_new(host, "transport", found);
	if (measured)
		json_object_set_new(host, "network", network(measured));
	return host;
}
