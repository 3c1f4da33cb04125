/* The keys of an entry as axes, whose values are combined. */
#include "base/status.h"
#include "harness/sweep/sweep_expand.h"

#include <stdio.h>
#include <string.h>

static struct axis *append(struct expansion *x, const struct option *o, const char *name, const struct yaml_node *list)
{
	struct axis *a = &x->axis[x->axes];

	if (!list || x->axes == AXES_MAX)
		return NULL;
	x->axes++;
	*a = (struct axis){ .option = o, .name = name, .list = list };
	return a;
}

static bool is_of_kernel(const struct axis *a)
{
	return a->multiplied && !a->option;
}

static bool set_before(const struct expansion *x, const char *text, size_t name)
{
	for (unsigned i = 0; i < x->axes; i++)
		if (is_of_kernel(&x->axis[i]) && strncmp(x->axis[i].name, text, name + 1) == 0)
			return true;
	return false;
}

static int add_options_of_kernel(struct expansion *x)
{
	const struct yaml_node *list = yaml_get(x->entry, "options"), *item = NULL;

	while (list && (item = yaml_next(list, item))) {
		const char *equals = strchr(item->text, '=');
		size_t length = equals ? (size_t)(equals - item->text) : 0;
		struct axis *a;

		if (length == 0 || length >= SPEC_TEXT)
			return rb_fail(x->err, RB_EINVAL, "options: %.60s: expected name=value, or name=one|another",
				       item->text);
		if (set_before(x, item->text, length))
			return rb_fail(x->err, RB_EINVAL, "options: %.60s: set twice; several values are "
				       "name=one|another", item->text);
		if (x->axes == KERNEL_MAX_OPTIONS)
			return rb_fail(x->err, RB_EINVAL, "options: no kernel has more than %d", KERNEL_MAX_OPTIONS);
		a = append(x, NULL, item->text, item);
		a->multiplied = true;
		a->item = item;
		a->text = equals + 1;
	}
	return RB_OK;
}

static void add_options_of_run(struct expansion *x)
{
	for (const struct option *o = spec_table; o->name; o++) {
		const struct yaml_node *in = o->shape == SHAPE_TOP ? x->config->file->root : x->entry;
		struct axis *a = o->shape == SHAPE_NONE || strcmp(o->name, "kill") == 0 ? NULL :
				 append(x, o, o->name, yaml_get(in, option_file_key(o)));

		if (a && o->shape != SHAPE_INNER && o->shape != SHAPE_OWN) {
			a->multiplied = true;
			sweep_axis_next(a);
		}
	}
}

static struct axis *find(struct expansion *x, const char *name)
{
	for (unsigned i = 0; i < x->axes; i++)
		if (!is_of_kernel(&x->axis[i]) && strcmp(x->axis[i].name, name) == 0)
			return &x->axis[i];
	return NULL;
}

int sweep_axes(struct expansion *x)
{
	const struct yaml_node *kill = yaml_get(x->entry, "kill");

	x->axes = 0;
	RB_TRY(add_options_of_kernel(x));
	add_options_of_run(x);
	x->policies = find(x, "policy");
	x->power = find(x, "power");
	x->restart = find(x, "strategy");
	if (x->restart && strcmp(x->restart->list->text, "true") != 0)
		x->restart = NULL;
	/* Phases are checked for themselves, so a complaint about a kill can only be about the role. */
	x->roles = kill ? append(x, NULL, "kill", yaml_get(kill, "roles")) : NULL;
	x->iterations = kill ? append(x, NULL, "iterations", yaml_get(kill, "iterations")) : NULL;
	x->phases = kill ? append(x, NULL, "phases", yaml_get(kill, "phases")) : NULL;
	return RB_OK;
}

bool sweep_axis_next(struct axis *a)
{
	size_t length = is_of_kernel(a) ? strcspn(a->text, "|") : 0;

	if (is_of_kernel(a)) {
		bool more = a->text[length] == '|';

		a->text = more ? a->text + length + 1 : strchr(a->name, '=') + 1;
		return more;
	}
	a->item = yaml_next(a->list, a->item);
	a->text = a->item ? a->item->text : NULL;
	return a->item != NULL;
}

bool sweep_axes_next(struct expansion *x)
{
	for (unsigned i = x->axes; i-- > 0;) {
		struct axis *a = &x->axis[i];

		if (!a->multiplied)
			continue;
		if (sweep_axis_next(a))
			return true;
		if (a->option)
			sweep_axis_next(a); /* the first again */
	}
	return false;
}

static int set_value(const struct expansion *x, const struct axis *a, struct run_spec *spec)
{
	char name[SPEC_TEXT], value[2 * SPEC_TEXT], number[YAML_NUMBER];
	const char *text;

	if (a->option) {
		text = yaml_number(a->option, a->text, number);
		if (a->option->standard && strcmp(text, a->option->standard) == 0)
			return RB_OK; /* also if it means none */
		return option_set(a->option, spec, text, x->err);
	}
	snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, "="), a->name);
	snprintf(value, sizeof value, "%.*s", (int)strcspn(a->text, "|"), a->text);
	if (option_find(spec_table, name))
		return spec_unknown(spec->kernel, name, x->err); /* it has a key of its own */
	return spec_set(spec, name, value, x->err);
}

int sweep_axes_set(const struct expansion *x, struct run_spec *spec)
{
	for (unsigned i = 0; i < x->axes; i++)
		if (x->axis[i].multiplied)
			RB_TRY(set_value(x, &x->axis[i], spec));
	return RB_OK;
}

static bool is_named(const struct axis *a, const char *word, size_t length)
{
	const char *key = a->option ? option_file_key(a->option) : a->name;

	return (strncmp(a->name, word, length) == 0 && strchr("=", a->name[length])) ||
	       (strncmp(key, word, length) == 0 && !key[length]);
}

int sweep_axes_line(const struct expansion *x, const char *complaint)
{
	const char *word = complaint + (strncmp(complaint, "--", 2) == 0 ? 2 : 0);
	size_t length = strcspn(word, " :,");
	const struct yaml_node *node = NULL;
	char key[SPEC_TEXT];

	for (unsigned i = 0; length > 0 && !node && i < x->axes; i++)
		if (is_named(&x->axis[i], word, length))
			node = x->axis[i].item ? x->axis[i].item : x->axis[i].list;
	snprintf(key, sizeof key, "%.*s", (int)(length < SPEC_TEXT ? length : 0), word);
	if (!node)
		node = yaml_get(x->entry, key);
	return node ? node->line : x->entry->line;
}
