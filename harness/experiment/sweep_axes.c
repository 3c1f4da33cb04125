/* An entry of an experiment file as axes, whose values are combined. */
#include "base/status.h"
#include "base/text.h"
#include "harness/experiment/sweep_expand.h"

#include <stdio.h>
#include <string.h>

/* Refuse what is at a place of the file. */
static int refuse(struct expansion *x, const struct yaml_node *node, const char *what)
{
	x->line = node->line;
	return rb_fail(x->err, RB_EINVAL, "%s: %s",
		       node->key    ? node->key
		       : node->text ? node->text
				    : "value",
		       what);
}

/* Append an axis; *out (NULL is fine) stays as it is if the key is not there. */
static int append(struct expansion *x, const struct option *o, const char *name,
		  const struct yaml_node *list, struct axis **out)
{
	struct axis *a = &x->axis[x->axes];
	const struct yaml_node *item = NULL;
	bool one = o && (o->shape == SHAPE_VALUE || o->shape == SHAPE_TOP);

	if (!list)
		return RB_OK;
	if (list->kind == YAML_MAPPING || (one && list->kind != YAML_SCALAR))
		return refuse(x, list, "expected a STRING or a number, not a SEQUENCE or MAPPING");
	if (!yaml_next(list, NULL))
		return refuse(x, list, "expected at least one value");
	while ((item = yaml_next(list, item)))
		if (item->kind != YAML_SCALAR || !item->text[0])
			return refuse(x, item, "expected a STRING or a number");
	*a = (struct axis){ .option = o, .name = name, .list = list };
	x->axes++;
	if (out)
		*out = a;
	return RB_OK;
}

static bool is_of_kernel(const struct axis *a)
{
	return a->multiplied && !a->option;
}

static int add_options_of_kernel(struct expansion *x)
{
	const struct yaml_node *list = yaml_get(x->entry, "options"), *item = NULL;

	while (list && (item = yaml_next(list, item))) {
		const char *text = item->text, *equals = text ? strchr(text, '=') : NULL;
		struct axis *a = &x->axis[x->axes];

		if (!equals || equals == text || equals - text >= SPEC_TEXT)
			return rb_fail(x->err, RB_EINVAL,
				       "options: %.60s: expected name=value, or name=one|another",
				       text ? text : "a list");
		for (int i = 0; i < x->axes; i++)
			if (strncmp(x->axis[i].name, text, (size_t)(equals - text) + 1) == 0)
				return rb_fail(x->err, RB_EINVAL,
					       "options: %.60s: set twice; several values are "
					       "name=one|another",
					       text);
		if (x->axes == KERNEL_MAX_OPTIONS)
			return rb_fail(x->err, RB_EINVAL, "options: no kernel has more than %d",
				       KERNEL_MAX_OPTIONS);
		RB_TRY(append(x, NULL, text, item, NULL));
		*a = (struct axis){ .name = text,
				    .multiplied = true,
				    .list = item,
				    .item = item,
				    .text = equals + 1 };
	}
	return RB_OK;
}

static int add_options_of_run(struct expansion *x)
{
	for (const struct option *o = spec_table; o->name; o++) {
		const struct yaml_node *in =
			o->shape == SHAPE_TOP ? x->config->file->root : x->entry;
		struct axis *a = NULL;

		if (o->required && !yaml_get(in, option_file_key(o)))
			return rb_fail(x->err, RB_EINVAL, "the key %s is missing",
				       option_file_key(o));
		if (o->shape != SHAPE_NONE && o->shape != SHAPE_OWN)
			RB_TRY(append(x, o, o->name, yaml_get(in, option_file_key(o)), &a));
		if (a && o->shape != SHAPE_INNER) {
			a->multiplied = true;
			sweep_axis_next(a);
		}
		if (a && strcmp(o->name, "policy") == 0)
			x->policies = a;
		if (a && strcmp(o->name, "power") == 0)
			x->power = a;
		if (a && strcmp(o->name, "recompute") == 0)
			x->recompute = a;
	}
	return RB_OK;
}

static int refuse_others(struct expansion *x, const struct yaml_node *mapping,
			 const char *const *keys)
{
	for (const struct yaml_node *n = mapping->first; n; n = n->next)
		if (!yaml_is_among(n->key, keys))
			return refuse(x, n, "unknown key; docs/experiments.md has them all");
	return RB_OK;
}

/* Phases are checked separately, so a message about a kill can only concern the role. */
static int add_kill(struct expansion *x)
{
	static const char *const keys[] = { "roles", "iterations", "phases", NULL };
	const struct yaml_node *kill = yaml_get(x->entry, "kill");
	struct axis **axes[] = { &x->roles, &x->iterations, &x->phases };

	if (!kill)
		return RB_OK;
	RB_TRY(refuse_others(x, kill, keys));
	for (int i = 0; keys[i]; i++) {
		RB_TRY(append(x, NULL, i == 0 ? "kill" : keys[i], yaml_get(kill, keys[i]),
			      axes[i]));
		if (!*axes[i])
			return refuse(x, kill,
				      "expected the keys roles, iterations and phases in it");
	}
	return RB_OK;
}

static int add_kernel(struct expansion *x)
{
	const struct yaml_node *kernel = yaml_get(x->entry, "kernel");

	if (!kernel)
		return rb_fail(x->err, RB_EINVAL, "the key kernel is missing");
	if (!kernel->text)
		return refuse(x, kernel,
			      "expected a STRING, the name of one, not a SEQUENCE or MAPPING");
	x->kernel = kernel_find(kernel->text);
	if (!x->kernel)
		return rb_fail(x->err, RB_EINVAL,
			       "kernel %.60s: unknown; see `rollbench list kernels`", kernel->text);
	return add_options_of_kernel(x);
}

static int read_restart(struct expansion *x)
{
	const struct yaml_node *node = yaml_get(x->entry, "restart");
	const char *text = !node ? "false" : node->text ? node->text : "a list";

	x->restart = strcmp(text, "true") == 0;
	return x->restart || strcmp(text, "false") == 0
		       ? RB_OK
		       : rb_fail(x->err, RB_EINVAL, "restart: %.60s: expected true or false", text);
}

int sweep_axes(struct expansion *x)
{
	const char *keys[OPTIONS_MAX] = { "kernel", "options" };
	int count = 2;

	for (const struct option *o = spec_table; o->name; o++)
		if (o->shape != SHAPE_NONE && o->shape != SHAPE_TOP)
			keys[count++] = option_file_key(o);
	x->axes = x->line = 0;
	x->policies = x->recompute = x->power = x->roles = x->iterations = x->phases = NULL;
	if (x->entry->kind != YAML_MAPPING)
		return rb_fail(x->err, RB_EINVAL, "expected a mapping (key: value)");
	RB_TRY(refuse_others(x, x->entry, keys));
	RB_TRY(add_kernel(x));
	RB_TRY(read_restart(x));
	RB_TRY(add_options_of_run(x));
	return add_kill(x);
}

bool sweep_axis_next(struct axis *a)
{
	if (is_of_kernel(a)) {
		const char *end = a->text + strcspn(a->text, "|");

		a->text = *end ? end + 1 : strchr(a->name, '=') + 1;
		return *end;
	}
	a->item = yaml_next(a->list, a->item);
	a->text = a->item ? a->item->text : NULL;
	return a->item != NULL;
}

bool sweep_axes_next(struct expansion *x)
{
	for (int i = x->axes - 1; i >= 0; i--) {
		struct axis *a = &x->axis[i];

		if (a->multiplied && sweep_axis_next(a))
			return true;
		if (a->multiplied && a->option)
			sweep_axis_next(a); /* the first again */
	}
	return false;
}

static int set_value(const struct expansion *x, const struct axis *a, struct run_spec *spec)
{
	char name[SPEC_TEXT], value[2 * SPEC_TEXT];

	if (a->option) {
		snprintf(value, sizeof value, "%s", a->text);
		text_normal(value);
		if (a->option->standard && strcmp(value, a->option->standard) == 0)
			return RB_OK; /* also if it means none */
		return option_set(a->option, spec, a->text, x->err);
	}
	snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, "="), a->name);
	snprintf(value, sizeof value, "%.*s", (int)strcspn(a->text, "|"), a->text);
	if (option_find(spec_table, name))
		return spec_unknown(spec->kernel, name, x->err); /* it has a key of its own */
	return spec_set(spec, name, value, x->err);
}

int sweep_axes_set(const struct expansion *x, struct run_spec *spec)
{
	for (int i = 0; i < x->axes; i++)
		if (x->axis[i].multiplied)
			RB_TRY(set_value(x, &x->axis[i], spec));
	return RB_OK;
}

/* The message begins with the option or the key that it concerns. */
int sweep_axes_line(const struct expansion *x, const char *complaint)
{
	const char *word = complaint + (strncmp(complaint, "--", 2) == 0 ? 2 : 0);
	size_t length = strcspn(word, " :,");
	const struct yaml_node *node = NULL;
	const struct option *o;
	char key[SPEC_TEXT];

	snprintf(key, sizeof key, "%.*s", (int)(length < SPEC_TEXT ? length : 0), word);
	for (int i = 0; key[0] && !node && i < x->axes; i++) {
		const struct axis *a = &x->axis[i];

		if (strncmp(a->name, key, length) == 0 && strchr("=", a->name[length]))
			node = a->item ? a->item : a->list;
	}
	o = option_find(spec_table, key);
	if (!node)
		node = yaml_get(x->entry, o && o->shape != SHAPE_NONE ? option_file_key(o) : key);
	return x->line ? x->line : node ? node->line : x->entry->line;
}
