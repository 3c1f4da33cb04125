/* What stands in a YAML file, by the keys that may be there. */
#include "base/status.h"
#include "harness/spec/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int yaml_refuse(const struct yaml_file *file, const struct yaml_node *node, struct rb_error *err,
		const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	return rb_fail(err, RB_EINVAL, "%s:%d: %s (the keys are in %s)", file->path, node->line, what,
		       file->doc);
}

/* What was found where something else was expected. */
static int refuse_kind(const struct yaml_file *file, const struct yaml_node *n, const char *expected,
		       struct rb_error *err)
{
	const char *name = n->key ? n->key : "value";

	if (n->kind == YAML_SCALAR)
		return yaml_refuse(file, n, err, "%s: expected %s, not \"%.60s\"", name, expected, n->text);
	return yaml_refuse(file, n, err, "%s: expected %s, not a %s", name, expected,
			   n->kind == YAML_MAPPING ? "MAPPING" : "SEQUENCE");
}

int yaml_string(const struct yaml_file *file, const struct yaml_node *node, const char **out, struct rb_error *err)
{
	if (node->kind != YAML_SCALAR)
		return refuse_kind(file, node, "a STRING", err);
	if (!node->text[0])
		return yaml_refuse(file, node, err, "%s: the text is too short: expected at least one character",
				   node->key ? node->key : "value");
	*out = node->text;
	return RB_OK;
}

const char *yaml_number(const struct option *o, const char *text, char out[YAML_NUMBER])
{
	char *end;
	long long value;

	if (o->type != OPTION_INT && o->type != OPTION_LONG)
		return text;
	errno = 0;
	value = strtoll(text, &end, 0);
	if (end == text || *end || errno != 0)
		return text;
	snprintf(out, YAML_NUMBER, "%lld", value);
	return out;
}

static bool is_among(const char *key, const char *const *keys)
{
	while (*keys && strcmp(*keys, key) != 0)
		keys++;
	return *keys != NULL;
}

int yaml_keys(const struct yaml_file *file, const struct yaml_node *mapping, const char *const *known,
	      struct rb_error *err)
{
	if (mapping->kind != YAML_MAPPING)
		return refuse_kind(file, mapping, "a mapping (key: value)", err);
	for (const struct yaml_node *n = mapping->first; n; n = n->next)
		if (!is_among(n->key, known))
			return yaml_refuse(file, n, err, "unknown key: %s", n->key);
	return RB_OK;
}

int yaml_need(const struct yaml_file *file, const struct yaml_node *mapping, const char *key, struct rb_error *err)
{
	return yaml_get(mapping, key) ? RB_OK : yaml_refuse(file, mapping, err, "the key %s is missing", key);
}

static int read_key(const struct yaml_file *file, const struct yaml_node *node, const struct option *o, void *base,
		    struct rb_error *err)
{
	char number[YAML_NUMBER];
	struct rb_error why;
	const char *text = NULL;

	RB_TRY(yaml_string(file, node, &text, err));
	if (option_set(o, base, yaml_number(o, text, number), &why) == RB_OK)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "%s:%d: %.400s", file->path, node->line, why.text);
}

int yaml_read(const struct yaml_file *file, const struct yaml_node *mapping, const struct option *table,
	      const char *const *others, void *base, struct rb_error *err)
{
	enum { KEYS_MAX = 64 };
	const char *keys[KEYS_MAX];
	int count = 0;

	for (; others && *others && count < KEYS_MAX - 1; others++)
		keys[count++] = *others;
	for (const struct option *o = table; o->name && count < KEYS_MAX - 1; o++)
		keys[count++] = o->name;
	keys[count] = NULL;
	RB_TRY(yaml_keys(file, mapping, keys, err));
	for (const struct option *o = table; o->name; o++) {
		const struct yaml_node *node = yaml_get(mapping, o->name);

		if (o->required)
			RB_TRY(yaml_need(file, mapping, o->name, err));
		if (node)
			RB_TRY(read_key(file, node, o, base, err));
	}
	return RB_OK;
}
