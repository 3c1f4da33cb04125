#include "profile/command/parts.h"

#include "base/json.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
	[MSG_WORK] = "work", [MSG_EXCHANGE] = "exchange", [MSG_COMMIT] = "commit"
};

static void begin(json_t *parts, enum msg_part part, const char *name)
{
	json_array_append_new(parts, json_pack("{s:s, s:s?}", "part", words[part], "name", name));
}

/* The exchange that is under way. Messages before a part is named are one without a name. */
static json_t *exchange(json_t *parts)
{
	json_t *last = json_array_get(parts, json_array_size(parts) - 1);

	if (!last || strcmp(text_of(last, "part"), words[MSG_EXCHANGE]) != 0) {
		begin(parts, MSG_EXCHANGE, NULL);
		last = json_array_get(parts, json_array_size(parts) - 1);
	}
	if (!json_object_get(last, "sends"))
		json_object_update_new(last,
				       json_pack("{s:i, s:i, s:[], s:i, s:i, s:[], s:i}", "sends",
						 0, "send_bytes", 0, "to", "receives", 0,
						 "receive_bytes", 0, "from", "waits", 0));
	return last;
}

static void add(json_t *part, const char *key, json_int_t more)
{
	json_object_set_new(part, key,
			    json_integer(json_integer_value(json_object_get(part, key)) + more));
}

/* In ascending order, each once. */
static void add_role(json_t *roles, int role)
{
	size_t i = 0;

	while (i < json_array_size(roles) && json_integer_value(json_array_get(roles, i)) < role)
		i++;
	if (json_integer_value(json_array_get(roles, i)) != role || i == json_array_size(roles))
		json_array_insert_new(roles, i, json_integer(role));
}

static int watch(void *ctx, const struct pattern_operation *o)
{
	const bool sends = o->kind == PATTERN_SEND;
	json_t *parts = ctx, *part;

	if (o->kind == PATTERN_PART) {
		begin(parts, o->part, o->name);
		if (o->part == MSG_EXCHANGE)
			exchange(parts);
		return RB_OK;
	}
	part = exchange(parts);
	if (o->kind == PATTERN_WAIT) {
		add(part, "waits", 1);
		return RB_OK;
	}
	add(part, sends ? "sends" : "receives", 1);
	add(part, sends ? "send_bytes" : "receive_bytes", (json_int_t)o->bytes);
	add_role(json_object_get(part, sends ? "to" : "from"), o->peer);
	return RB_OK;
}

int parts_list(const struct pattern *pattern, int role, int64_t iter, json_t **parts)
{
	int rc;

	*parts = json_array();
	rc = pattern->operations(pattern, role, iter, watch, *parts);
	if (rc != RB_OK)
		json_decref(*parts);
	return rc;
}

enum { ROLES_TEXT = 28 };

/* "0 3 8", or "26 roles" if that is too long. */
static void say_roles(const json_t *roles, char out[ROLES_TEXT])
{
	size_t used = 0, i;
	const json_t *one;

	out[0] = '\0';
	json_array_foreach(roles, i, one) {
		used += (size_t)snprintf(out + used, ROLES_TEXT - used, "%s%lld", i ? " " : "",
					 (long long)json_integer_value(one));
		if (used >= ROLES_TEXT) {
			snprintf(out, ROLES_TEXT, "%zu roles", json_array_size(roles));
			return;
		}
	}
}

static long long number(const json_t *part, const char *key)
{
	return (long long)json_integer_value(json_object_get(part, key));
}

void parts_print(const json_t *parts, bool in_place)
{
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part) {
		const char *name = json_string_value(json_object_get(part, "name"));
		char to[ROLES_TEXT], from[ROLES_TEXT];

		printf("%-8s  %s\n", text_of(part, "part"), name ? name : "(no name)");
		if (!json_object_get(part, "sends"))
			continue;
		say_roles(json_object_get(part, "to"), to);
		say_roles(json_object_get(part, "from"), from);
		printf("          sends %lld (%lld bytes)%s%s; receives %lld (at most %lld bytes)%s%s; "
		       "waits %lld\n",
		       number(part, "sends"), number(part, "send_bytes"), to[0] ? " to " : "", to,
		       number(part, "receives"), number(part, "receive_bytes"),
		       from[0] ? " from " : "", from, number(part, "waits"));
	}
	printf("What is sent is packed into the log. A failure can be noticed in any exchange. Then the\n"
	       "communicator is repaired, a new process loads the checkpoint and gets the messages again, and\n"
	       "the others begin the iteration again. %s\n",
	       in_place ? "They can do so only with a copy of the state\n"
			  "(--transaction copy), since this kernel changes it in place."
			: "Nothing committed has changed before the commit.");
}
