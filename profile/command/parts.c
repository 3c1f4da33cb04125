#include "profile/command/parts.h"

#include "base/json.h"
#include "base/status.h"
#include "profile/command/role_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
	[MSG_WORK] = "work", [MSG_EXCHANGE] = "exchange", [MSG_COMMIT] = "commit"
};

/* Messages of one direction, and the roles at the other end. */
struct side {
	json_int_t messages, bytes;
	struct role_list roles;
};

/* The part that is under way. */
struct listing {
	json_t *parts;
	enum msg_part part;
	const char *name;
	bool begun;
	struct side sent, received;
	int waits;
};

/* New reference. */
static json_t *roles_of(struct side *side)
{
	role_list_sort(&side->roles);
	return role_list_json(&side->roles);
}

/* Put the part that is under way into the list. RB_OK or RB_ENOMEM. */
static int end(struct listing *l)
{
	json_t *part;

	if (!l->begun)
		return RB_OK;
	part = json_pack("{s:s, s:s?}", "part", words[l->part], "name", l->name);
	if (part && l->part == MSG_EXCHANGE &&
	    json_object_update_new(part,
				   json_pack("{s:I, s:I, s:o, s:I, s:I, s:o, s:i}", "sends",
					     l->sent.messages, "send_bytes", l->sent.bytes, "to",
					     roles_of(&l->sent), "receives", l->received.messages,
					     "receive_bytes", l->received.bytes, "from",
					     roles_of(&l->received), "waits", l->waits)) != 0) {
		json_decref(part);
		return RB_ENOMEM;
	}
	l->begun = false;
	l->sent.roles.count = l->received.roles.count = 0;
	l->sent.messages = l->sent.bytes = l->received.messages = l->received.bytes = 0;
	l->waits = 0;
	return part && json_array_append_new(l->parts, part) == 0 ? RB_OK : RB_ENOMEM;
}

static int begin(void *ctx, enum msg_part part, const char *name)
{
	struct listing *l = ctx;

	RB_TRY(end(l));
	l->begun = true;
	l->part = part;
	l->name = name;
	return RB_OK;
}

static int add(struct side *side, const struct pattern_operation *o)
{
	side->messages++;
	side->bytes += (json_int_t)o->bytes;
	return role_list_add(&side->roles, o->peer);
}

static int watch(void *ctx, const struct pattern_operation *o)
{
	struct listing *l = ctx;

	/* messages of which nobody has said what they are */
	if (!l->begun || l->part != MSG_EXCHANGE)
		RB_TRY(begin(l, MSG_EXCHANGE, NULL));
	if (o->kind != PATTERN_WAIT)
		return add(o->kind == PATTERN_SEND ? &l->sent : &l->received, o);
	l->waits++;
	return RB_OK;
}

int parts_list(struct kernel_pattern *pattern, int role, int64_t iter, json_t **parts)
{
	struct listing l = { .parts = json_array() };
	int rc;

	pattern->part = begin;
	rc = pattern->pattern.operations(&pattern->pattern, role, iter, watch, &l);
	rc = rc == RB_OK ? end(&l) : rc;
	free(l.sent.roles.role);
	free(l.received.roles.role);
	*parts = l.parts;
	if (rc != RB_OK)
		json_decref(l.parts);
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

static void print_exchange(const json_t *part)
{
	char to[ROLES_TEXT], from[ROLES_TEXT];

	say_roles(json_object_get(part, "to"), to);
	say_roles(json_object_get(part, "from"), from);
	printf("          sends %lld (%lld bytes)%s%s; receives %lld (at most %lld bytes)%s%s; "
	       "waits %lld\n",
	       number(part, "sends"), number(part, "send_bytes"), to[0] ? " to " : "", to,
	       number(part, "receives"), number(part, "receive_bytes"), from[0] ? " from " : "",
	       from, number(part, "waits"));
}

static bool is(const json_t *part, enum msg_part what)
{
	return strcmp(text_of(part, "part"), words[what]) == 0;
}

void parts_print(const json_t *parts, bool in_place)
{
	bool exchanges = false, commits = false;
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part) {
		const char *name = json_string_value(json_object_get(part, "name"));

		printf("%-8s  %s\n", text_of(part, "part"), name ? name : "(no name)");
		if (is(part, MSG_EXCHANGE))
			print_exchange(part);
		exchanges = exchanges || number(part, "waits") > 0;
		commits = commits || is(part, MSG_COMMIT);
	}
	if (!exchanges || !commits)
		return;
	printf("A failure can be noticed in each exchange that has messages. Roles that do not go back then\n"
	       "begin the iteration again. %s\n",
	       in_place
		       ? "They can do so only with a copy of the state (--transaction copy), since\n"
			 "this kernel changes it in place."
		       : "Nothing committed has changed before the commit.");
}
