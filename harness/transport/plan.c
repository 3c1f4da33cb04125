#include "harness/transport/transport.h"

#include "base/program.h"
#include "base/status.h"
#include "harness/transport/components.h"
#include "harness/transport/rules.h"
#include "harness/transport/sources.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What the ft-mpi set does not have. han hangs in repairs across hosts; ftagree is what agreements
 * are made of (docs/ulfm-notes.md). */
const char rules_own[] = "coll";
static const char own_rule[] = "^han", needed[] = "ftagree";
/* One more list, which is not of components but of ways to wait for events. */
static const char events[] = "opal_event_include";

bool transport_is_option(const char *word)
{
	return sources_is_option(word);
}

void rules_of(const char *name, const json_t *set, char out[COMPONENTS_TEXT])
{
	const char *wanted = json_string_value(json_object_get(set, name));

	if (!wanted || !name[0] || (strchr(name, '_') && strcmp(name, events) != 0))
		wanted = "";
	components_both(wanted, strcmp(name, rules_own) == 0 ? own_rule : "", out);
}

/* What the user can do. Only what comes from the user, or cannot be replaced, is unfit. */
static void remedy_of(const char *name, const char *from, char *out, size_t size)
{
	if (strcmp(from, "environment") == 0)
		snprintf(out, size, "unset OMPI_MCA_%s", name);
	else if (strcmp(from, "command line") == 0)
		snprintf(out, size, "leave --mca %s out of $ROLLBENCH_MPIRUN_ARGS", name);
	else
		snprintf(out, size, "take %s out of %s", name, from);
}

static bool lacks_needed(const char *name, const char *value)
{
	struct components c;

	components_read(&c, value);
	return strcmp(name, rules_own) == 0 && !components_have(&c, needed);
}

static json_t *unfit_text(const char *name, const char *value, const char *from,
			  const char *conflict, const char *rule, const char *where)
{
	char remedy[TRANSPORT_TEXT / 2], text[2 * TRANSPORT_TEXT];

	remedy_of(name, from, remedy, sizeof remedy);
	if (conflict[0])
		snprintf(text, sizeof text,
			 "%s=%s (%s): %s is not fit for the death of a process: %s has %s = %s; "
			 "remedy: %s",
			 name, value, from, conflict, where, name, rule, remedy);
	else
		snprintf(text, sizeof text,
			 "%s=%s (%s): without %s the processes left after a death cannot agree; "
			 "remedy: add it, or %s",
			 name, value, from, needed, remedy);
	return json_string(text);
}

/* Somebody gives a list of components. One of a file is replaced where it is not fit, and one of
 * the user is not. */
static json_t *join(const char *name, const char *rule, const json_t *given, const char *where)
{
	const char *value = json_string_value(json_object_get(given, "value")),
		   *from = json_string_value(json_object_get(given, "from"));
	const bool of_file = strncmp(from, "file ", 5) == 0;
	char both[COMPONENTS_TEXT], conflict[COMPONENTS_TEXT];
	json_t *one = json_pack("{s:s, s:[], s:b}", "value", value, "from", "list", true);

	components_conflict(rule, value, conflict);
	if (!of_file && (conflict[0] || lacks_needed(name, value))) {
		json_object_set_new(one, "unfit",
				    unfit_text(name, value, from, conflict, rule, where));
	} else if (!components_both(rule, value, both)) {
		json_object_set_new(one, "replaced",
				    json_pack("{s:s, s:s}", "value", value, "from", from));
		json_object_set_new(one, "value", json_string(rule));
		return one;
	} else {
		json_object_set_new(one, "value", json_string(both));
	}
	json_array_append_new(json_object_get(one, "from"), json_string(from));
	return one;
}

/* The parameters that the set or Rollbench has rules for. */
static void add_lists(json_t *use, const json_t *set, const json_t *given, const char *where)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)set, name, value) {
		const json_t *theirs = json_object_get(given, name);
		char rule[COMPONENTS_TEXT];
		json_t *one;

		rules_of(name, set, rule);
		if (!rule[0] || (!theirs && strcmp(name, events) == 0))
			continue;
		one = theirs ? join(name, rule, theirs, where)
			     : json_pack("{s:s, s:[], s:b}", "value", rule, "from", "list", true);
		if (json_string_length(value) > 0 && !json_object_get(one, "unfit"))
			json_array_insert_new(json_object_get(one, "from"), 0,
					      json_string("ft-mpi"));
		if (strcmp(name, rules_own) == 0 && !json_object_get(one, "unfit"))
			json_array_append_new(json_object_get(one, "from"),
					      json_string("rollbench"));
		json_object_set_new(use, name, one);
	}
}

json_t *transport_plan_of(const json_t *settings, const char *arguments)
{
	json_t *set = sources_fault_tolerant(settings), *given = sources_given(settings, arguments),
	       *use = json_object(), *one, *plan;
	const char *where = set ? json_string_value(json_object_get(set, "")) : "rollbench", *name;
	json_t *rules = set ? json_copy(set) : json_object();

	if (!json_object_get(rules, rules_own))
		json_object_set_new(rules, rules_own, json_string(""));
	json_object_del(rules, "");
	add_lists(use, rules, given, where);
	json_object_foreach(given, name, one)
		if (!json_object_get(use, name))
			json_object_set_new(use, name,
					    json_pack("{s:O, s:[O]}", "value",
						      json_object_get(one, "value"), "from",
						      json_object_get(one, "from")));
	plan = json_pack("{s:s?, s:o, s:O}", "set", set ? where : NULL, "use", use, "alone",
			 settings);
	json_decref(rules);
	json_decref(given);
	json_decref(set);
	return plan;
}

int transport_check(const json_t *plan, struct rb_error *err)
{
	const char *name;
	json_t *one;

	if (json_object_get(plan, UNASKED))
		return rb_fail(
			err, RB_EIO,
			"%.400s settings: no answer, so nobody knows which components the MPI "
			"would use; remedy: see what it says, and load the module of the MPI that "
			"Rollbench was built with",
			program_ranks()->path);
	json_object_foreach(json_object_get(plan, "use"), name, one)
		if (json_object_get(one, "unfit"))
			return rb_fail(err, RB_EINVAL, "%s",
				       json_string_value(json_object_get(one, "unfit")));
	return RB_OK;
}

void transport_replaced(const json_t *plan, char out[TRANSPORT_TEXT])
{
	const char *name;
	json_t *one;

	out[0] = '\0';
	json_object_foreach(json_object_get(plan, "use"), name, one) {
		const json_t *replaced = json_object_get(one, "replaced");
		size_t used = strlen(out);

		if (replaced)
			snprintf(out + used, TRANSPORT_TEXT - used,
				 "%s%s=%s of %s is replaced by %s", used ? "; " : "", name,
				 json_string_value(json_object_get(replaced, "value")),
				 json_string_value(json_object_get(replaced, "from")),
				 json_string_value(json_object_get(one, "value")));
	}
}
