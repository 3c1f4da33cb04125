/* What was asked for, in the run folder: spec.json of the kind `elc`. */
#include "harness/kind/elc/elc_run.h"

#include "base/json.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void path_in(const char *dir, char out[SCRATCH_PATH])
{
	snprintf(out, SCRATCH_PATH, "%s/spec.json", dir);
}

/* RB_OK, or RB_EINVAL: one is not UTF-8. */
static int arguments_json(const struct elc_plan *p, json_t *list, struct rb_error *err)
{
	for (int i = 0; i < p->arguments; i++)
		if (json_array_append_new(list, json_string(p->argument[i])) != 0)
			return rb_fail(err, RB_EINVAL, "argument %d of %s is not UTF-8", i + 1,
				       p->program);
	return RB_OK;
}

static json_t *kills_json(const struct elc_plan *p)
{
	json_t *list = json_array();
	char text[ELC_KILL];

	for (int k = 0; k < p->kills; k++) {
		elc_kill_format(&p->kill[k], text, sizeof text);
		json_array_append_new(list, json_string(text));
	}
	return list;
}

/* NULL: it is not compared. */
static json_t *reference_json(const struct run_reference *reference)
{
	return reference->how ? json_pack("{s:s, s:s, s:f, s:f}", "how", reference->how, "hash",
					  reference->hash, "seconds", reference->seconds, "wall_s",
					  reference->wall_s)
			      : NULL;
}

int elc_plan_save(const struct elc_plan *p, const struct run_reference *reference, const char *dir,
		  struct rb_error *err)
{
	json_t *arguments = json_array(),
	       *json = json_pack("{s:s, s:s, s:i, s:s, s:s, s:I, s:f, s:f, s:o, s:o, s:o*}", "kind",
				 "elc", "program", p->program, "np", p->np, "protocol",
				 elc_protocol_word((int)p->protocol), "log_form",
				 elc_log_word((int)p->log_form), "lines", (json_int_t)p->lines,
				 "interval_s", p->interval_s, "deadline_s", p->deadline_s,
				 "arguments", arguments, "kills", kills_json(p), "reference",
				 reference_json(reference));
	int rc = arguments_json(p, arguments, err);
	char path[SCRATCH_PATH];

	path_in(dir, path);
	if (rc == RB_OK && json_dump_file(json, path, JSON_INDENT(2)) != 0)
		rc = rb_fail(err, RB_EIO, "%s: cannot be written: %s", path, strerror(errno));
	json_decref(json);
	return rc;
}

/* The number of a word in a list of them; -1: it is not there. */
static int place_of(const char *(*word)(int), const char *text)
{
	for (int i = 0; word(i); i++)
		if (strcmp(word(i), text) == 0)
			return i;
	return -1;
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
static void load_reference(struct run_reference *reference, json_t *json)
{
	json_t *its = json_object_get(json, "reference");
	const bool made = strcmp(text_of(its, "how"), RUN_FAILURE_FREE) == 0;

	if (!its)
		return;
	*reference =
		run_reference_to(made ? RUN_FAILURE_FREE : "--reference", text_of(its, "hash"));
	reference->seconds = number_of(its, "seconds");
	reference->wall_s = number_of(its, "wall_s");
}

static int load(struct elc_plan *p, char **words, json_t *json, struct rb_error *err)
{
	const char *program, *protocol, *form;
	json_int_t lines;
	int of_protocols, of_forms;

	if (json_unpack(json, "{s:s, s:i, s:s, s:s, s:I, s:F, s:F}", "program", &program, "np",
			&p->np, "protocol", &protocol, "log_form", &form, "lines", &lines,
			"interval_s", &p->interval_s, "deadline_s", &p->deadline_s) != 0)
		return rb_fail(err, RB_EINVAL, "a key is missing");
	of_protocols = place_of(elc_protocol_word, protocol);
	of_forms = place_of(elc_log_word, form);
	if (of_protocols < 0 || of_forms < 0)
		return rb_fail(err, RB_EINVAL, "protocol or log_form");
	p->protocol = (enum elc_protocol)of_protocols;
	p->log_form = (enum elc_log_form)of_forms;
	p->lines = lines;
	p->program = *words = strdup(program);
	if (!*words)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	return load_lists(p, json, err);
}

int elc_plan_load(struct elc_plan *p, struct run_reference *reference, char **words,
		  const char *dir, struct rb_error *err)
{
	char path[SCRATCH_PATH];
	struct rb_error why;
	json_error_t where;
	json_t *json;
	int rc;

	path_in(dir, path);
	json = json_load_file(path, 0, &where);
	if (!json)
		return rb_fail(err, RB_EIO, "%s:%d: %s", path, where.line, where.text);
	rc = load(p, words, json, &why);
	load_reference(reference, json);
	if (rc != RB_OK)
		rb_fail(err, rc, "%s: not a run of this version: %.400s", path, why.text);
	json_decref(json);
	return rc;
}
