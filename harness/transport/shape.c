/* What of a parameter or argument says how a job runs, and what only where. */
#include "harness/transport/transport.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum transport_value transport_value_of(const char *name)
{
	static const struct {
		const char *name;
		enum transport_value value;
	} known[] = {
		{ "--host", VALUE_HOSTS },
		{ "-host", VALUE_HOSTS },
		{ "-H", VALUE_HOSTS },
		/* the connection to a daemon, which nothing that is measured uses */
		{ "plm_ssh_agent", VALUE_WHERE },
		{ "plm_rsh_agent", VALUE_WHERE },
		{ "plm_ssh_args", VALUE_WHERE },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].value;
	return text_ends_with(name, "_if_include") || text_ends_with(name, "_if_exclude")
		       ? VALUE_NETWORKS
		       : VALUE_HOW;
}

static void add(char *out, size_t size, const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, size - used, "%s", text);
}

void transport_add_shape(char *out, size_t size, const char *list, enum transport_value value)
{
	char *copy = strdup(list), *save, *item = copy ? strtok_r(copy, ",", &save) : NULL;

	for (bool first = true; item; item = strtok_r(NULL, ",", &save), first = false) {
		const char *slots = strchr(item, ':');

		add(out, size, first ? "" : ",");
		if (value == VALUE_NETWORKS && !isdigit((unsigned char)item[0])) {
			add(out, size, item);
			continue;
		}
		add(out, size, "*");
		if (value == VALUE_HOSTS && slots)
			add(out, size, slots);
	}
	free(copy);
}

json_t *transport_shape(const json_t *plan)
{
	json_t *shape = json_object(), *one;
	const char *name;

	json_object_foreach(json_object_get(plan, "use"), name, one) {
		const char *value = json_string_value(json_object_get(one, "value"));
		enum transport_value how = transport_value_of(name);
		char text[TRANSPORT_TEXT] = "";

		if (how == VALUE_WHERE)
			continue;
		if (how != VALUE_HOW)
			transport_add_shape(text, sizeof text, value, how);
		json_object_set_new(shape, name,
				    how == VALUE_HOW ? json_string(value) : json_string(text));
	}
	return shape;
}
