/* What was asked for, in the run folder: spec.json of the kind `elc`. */
#include "harness/kind/elc/elc_run.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is the option one value, and no argument? */
static bool is_value(const struct option *o)
{
	return o->name[0] && o->type != OPTION_OWN;
}

/* The options that are not as where the user says nothing. */
static void put_options(json_t *json, const struct elc_run *run)
{
	struct elc_run standard = { .run = { .kind = NULL } };
	char key[OPTION_KEY];

	elc_plan_init(&standard.plan);
	for (const struct option *o = elc_options; o->name; o++) {
		json_t *usual = is_value(o) ? option_json(o, &standard) : NULL,
		       *value = is_value(o) ? option_json(o, run) : NULL;

		option_key(o, key);
		if (value && !json_equal(value, usual))
			json_object_set(json, key, value);
		json_decref(value);
		json_decref(usual);
	}
}

/* NULL: it is not compared. */
static json_t *reference_json(const struct run_reference *reference)
{
	return reference->how ? json_pack("{s:s, s:s, s:f, s:f}", "how", reference->how, "hash",
					  reference->hash, "seconds", reference->seconds, "wall_s",
					  reference->wall_s)
			      : NULL;
}

int elc_save(const struct elc_run *run, const char *dir, struct rb_error *err)
{
	const struct elc_plan *p = &run->plan;
	json_t *arguments = json_array(),
	       *json = json_pack("{s:s, s:s, s:i, s:f, s:o, s:o, s:o*}", "kind", elc_kind.word,
				 "program", p->program, "np", p->np, "deadline", p->deadline_s,
				 "arguments", arguments, "kills", elc_kills_json(p), "reference",
				 reference_json(&run->run.reference));
	const int added = elc_add_arguments(p, arguments);
	int rc;

	put_options(json, run);
	rc = added < p->arguments ? rb_fail(err, RB_EINVAL, "argument %d of %s is not UTF-8",
					    added + 1, p->program)
				  : spec_file_write(dir, json, err);
	json_decref(json);
	return rc;
}

static int load_options(struct elc_run *run, const json_t *json, struct rb_error *err)
{
	char key[OPTION_KEY];

	for (const struct option *o = elc_options; o->name; o++) {
		const json_t *value;

		option_key(o, key);
		value = is_value(o) ? json_object_get(json, key) : NULL;
		if (value)
			RB_TRY(option_load(o, run, value, err));
	}
	return RB_OK;
}

static int load_lists(struct elc_plan *p, const json_t *json, struct rb_error *err)
{
	const json_t *arguments = json_object_get(json, "arguments"), *kill;
	size_t i;

	for (i = 0; i + 1 < json_array_size(arguments); i += 2) {
		const char *name = json_string_value(json_array_get(arguments, i)),
			   *value = json_string_value(json_array_get(arguments, i + 1));

		if (!name || strncmp(name, "--", 2) != 0 || !value)
			return rb_fail(err, RB_EINVAL, "arguments");
		RB_TRY(elc_plan_argument(p, name + 2, value, err));
	}
	json_array_foreach(json_object_get(json, "kills"), i, kill) {
		const char *text = json_string_value(kill);

		if (!text)
			return rb_fail(err, RB_EINVAL, "kills");
		RB_TRY(strchr(text, '@') ? elc_plan_kill(p, text, err)
					 : elc_plan_kill_at(p, text, err));
	}
	return RB_OK;
}

/* What it is compared with, if it is compared. */
static void load_reference(struct run_reference *reference, const json_t *json)
{
	const json_t *its = json_object_get(json, "reference");
	const bool made = strcmp(text_of(its, "how"), RUN_FAILURE_FREE) == 0;

	if (!its)
		return;
	*reference =
		run_reference_to(made ? RUN_FAILURE_FREE : "--reference", text_of(its, "hash"));
	reference->seconds = number_of(its, "seconds");
	reference->wall_s = number_of(its, "wall_s");
}

static int load(struct elc_run *run, json_t *json, struct rb_error *err)
{
	struct elc_plan *p = &run->plan;
	const char *program;

	if (json_unpack(json, "{s:s, s:i, s:F}", "program", &program, "np", &p->np, "deadline",
			&p->deadline_s) != 0)
		return rb_fail(err, RB_EINVAL, "a key is missing");
	p->program = run->run.words = strdup(program);
	if (!p->program)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	load_reference(&run->run.reference, json);
	RB_TRY(load_options(run, json, err));
	return load_lists(p, json, err);
}

int elc_load(struct elc_run *run, json_t *json, const char *dir, struct rb_error *err)
{
	struct rb_error why;
	int rc = load(run, json, &why);

	return rc == RB_OK ? RB_OK : spec_file_refuse(dir, rc, why.text, err);
}
