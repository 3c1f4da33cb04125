/* Sets of PAPI events. The library is initialised once and never shut down, because others in the
 * process may use it, and because it cannot be started again everywhere after a shutdown. */
#include "harness/machine/meter/meter_inside.h"

#include "base/status.h"

#include <papi.h>
#include <stdio.h>
#include <string.h>

static int find_component(const char *name, char *why)
{
	int i = PAPI_get_component_index(name);
	const PAPI_component_info_t *c = i < 0 ? NULL : PAPI_get_component_info(i);

	if (!c)
		snprintf(why, METER_TEXT, "this PAPI was built without its component %s", name);
	else if (c->disabled != PAPI_OK && c->disabled != PAPI_EDELAY_INIT)
		snprintf(why, METER_TEXT, "PAPI says: %.200s",
			 c->disabled_reason[0] ? c->disabled_reason : "disabled");
	else
		return i;
	return -1;
}

static int inherit_counts(int handle)
{
	PAPI_option_t option;

	memset(&option, 0, sizeof option);
	option.inherit.eventset = handle;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	return PAPI_set_opt(PAPI_INHERIT, &option);
}

int meter_set_open(struct meter_set *s, const char *component, bool inherit, char *why)
{
	int index, code;

	*s = (struct meter_set){ .handle = PAPI_NULL };
	code = PAPI_library_init(PAPI_VER_CURRENT);
	if (code != PAPI_VER_CURRENT) {
		snprintf(why, METER_TEXT, "PAPI does not start: %s",
			 code > 0 ? "another version than we were built with"
				  : PAPI_strerror(code));
		return RB_EIO;
	}
	index = find_component(component, why);
	if (index < 0)
		return RB_EIO;
	code = PAPI_create_eventset(&s->handle);
	if (code == PAPI_OK)
		code = PAPI_assign_eventset_component(s->handle, index);
	if (code == PAPI_OK && inherit)
		code = inherit_counts(s->handle);
	if (code == PAPI_OK)
		return RB_OK;
	snprintf(why, METER_TEXT, "PAPI: %s: %s", component, PAPI_strerror(code));
	meter_set_close(s);
	return RB_EIO;
}

int meter_set_add(struct meter_set *s, const char *event)
{
	int code = PAPI_add_named_event(s->handle, event);

	s->count += code == PAPI_OK;
	return code;
}

int meter_set_start(struct meter_set *s, char *why)
{
	int code = PAPI_start(s->handle);

	s->running = code == PAPI_OK;
	if (!s->running)
		snprintf(why, METER_TEXT, "PAPI_start: %s", PAPI_strerror(code));
	return s->running ? RB_OK : RB_EIO;
}

int meter_set_read(const struct meter_set *s, long long *values)
{
	return PAPI_read(s->handle, values);
}

void meter_set_close(struct meter_set *s)
{
	long long values[METER_COUNTERS];

	if (s->handle == PAPI_NULL)
		return;
	if (s->running)
		PAPI_stop(s->handle, values);
	PAPI_cleanup_eventset(s->handle);
	PAPI_destroy_eventset(&s->handle);
	*s = (struct meter_set){ .handle = PAPI_NULL };
}
