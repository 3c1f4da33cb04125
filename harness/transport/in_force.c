/* What a process of a job has in force: for the record, and whether it is fit. */
#include "harness/transport/transport.h"

#include "base/status.h"
#include "harness/transport/components.h"
#include "harness/transport/rules.h"
#include "harness/transport/sources.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Told whoever sets them, or nobody. */
static const char *const always[] = { "mpi_ft_enable",      "mpi_event_tick_rate", "osc", "smsc",
				      "btl_tcp_if_include", "btl_tcp_if_exclude",  NULL };

/* What was asked for is told beside it if it is another value: a file that overrides all, or an
 * mpirun of another installation. */
static json_t *parameter(const json_t *plan, const json_t *settings, const char *name)
{
	const json_t *use = json_object_get(json_object_get(plan, "use"), name),
		     *value = json_object_get(settings, name);
	const json_t *alone = json_object_get(json_object_get(plan, "alone"), name),
		     *asked = json_object_get(use, "value");
	json_t *one;

	if (use)
		one = json_pack("{s:O?, s:O}", "value", value, "from",
				json_object_get(use, "from"));
	else
		one = json_pack("{s:O?, s:[s]}", "value", value, "from",
				value && alone && json_equal(value, alone) ? "default"
									   : "rollbench");
	if (use && value && json_object_get(use, "list") && !json_equal(asked, value))
		json_object_set(one, "asked", (json_t *)(uintptr_t)asked);
	return one;
}

/* The components of a framework that the process has: the first word of the names of their
 * parameters. */
static json_t *components_of(const json_t *settings, const char *framework)
{
	static const char *const others[] = { "base", "wrapper" };
	const size_t length = strlen(framework);
	json_t *list = json_array(), *seen = json_object(), *value;
	const char *name;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		json_object_set_new(seen, others[i], json_true());
	json_object_foreach((json_t *)(uintptr_t)settings, name, value) {
		char word[64];

		if (strncmp(name, framework, length) != 0 || name[length] != '_')
			continue;
		snprintf(word, sizeof word, "%.*s", (int)strcspn(name + length + 1, "_"),
			 name + length + 1);
		if (strcmp(word, "vader") ==
		    0) /* as sm was called before Open MPI 5, and as its parameters still are */
			strcpy(word, "sm");
		if (!json_object_get(seen, word))
			json_array_append_new(list, json_string(word));
		json_object_set_new(seen, word, json_true());
	}
	json_decref(seen);
	return list;
}

json_t *transport_record(const json_t *plan, const json_t *settings)
{
	static const char *const frameworks[] = { "pml", "btl", "coll" };
	json_t *parameters = json_object(), *components = json_object(), *one;
	const char *name;

	json_object_foreach(json_object_get(plan, "use"), name, one)
		json_object_set_new(parameters, name, parameter(plan, settings, name));
	for (size_t i = 0; always[i]; i++)
		json_object_set_new(parameters, always[i], parameter(plan, settings, always[i]));
	for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
		json_object_set_new(components, frameworks[i],
				    components_of(settings, frameworks[i]));
	return json_pack("{s:O, s:o, s:o}", "set", json_object_get(plan, "set"), "parameters",
			 parameters, "components", components);
}

int transport_judge(const json_t *settings, struct rb_error *err)
{
	json_t *set = sources_fault_tolerant(settings);
	const char *in_force = json_string_value(json_object_get(settings, "mpi_ft_enable")), *name;
	json_t *rules = set ? json_copy(set) : json_object(), *value;
	int rc = RB_OK;

	if (in_force && strcmp(in_force, "0") == 0)
		rc = rb_fail(
			err, RB_EINVAL,
			"the MPI has fault tolerance switched off (mpi_ft_enable is 0), although "
			"mpirun was told --with-ft ulfm; remedy: an mpirun of the same Open MPI "
			"($ROLLBENCH_MPIRUN), and no such parameter in a file or in the "
			"environment");
	if (!json_object_get(rules, rules_own))
		json_object_set_new(rules, rules_own, json_string(""));
	json_object_foreach(rules, name, value) {
		char rule[COMPONENTS_TEXT];

		rules_of(name, set, rule);
		in_force = json_string_value(json_object_get(settings, name));
		if (rc == RB_OK && in_force && !components_keep(rule, in_force))
			rc = rb_fail(
				err, RB_EINVAL,
				"%s = \"%s\" is in force, and after the death of a process %s is "
				"wanted (%s); remedy: rollbench doctor names who sets it",
				name, in_force, rule,
				set ? json_string_value(json_object_get(set, "")) : "rollbench");
	}
	json_decref(rules);
	json_decref(set);
	return rc;
}
