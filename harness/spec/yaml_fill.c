/* The values of a YAML file: scalars of a type, and mappings read into a struct. */
#include "base/status.h"
#include "harness/spec/yaml.h"

#include <errno.h>
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

/* What a message calls it: an item of a list has no key. */
static const char *name(const struct yaml_node *n)
{
	return n->key ? n->key : "value";
}

/* What was found where something else was expected. */
static int refuse_kind(const struct yaml_file *file, const struct yaml_node *n, const char *expected,
		       struct rb_error *err)
{
	if (n->kind == YAML_SCALAR)
		return yaml_refuse(file, n, err, "%s: expected %s, not \"%.60s\"", name(n), expected, n->text);
	return yaml_refuse(file, n, err, "%s: expected %s, not a %s", name(n), expected,
			   n->kind == YAML_MAPPING ? "mapping" : "list");
}

int yaml_mapping(const struct yaml_file *file, const struct yaml_node *node, struct rb_error *err)
{
	return node->kind == YAML_MAPPING ? RB_OK : refuse_kind(file, node, "a mapping (key: value)", err);
}

int yaml_string(const struct yaml_file *file, const struct yaml_node *node, char **out, struct rb_error *err)
{
	if (node->kind != YAML_SCALAR)
		return refuse_kind(file, node, "a STRING", err);
	if (!node->text[0])
		return yaml_refuse(file, node, err, "%s: the text is too short: expected at least one character",
				   name(node));
	*out = node->text;
	return RB_OK;
}

int yaml_integer(const struct yaml_file *file, const struct yaml_node *node, int64_t min, int64_t max,
		 int64_t *out, struct rb_error *err)
{
	char *end;

	if (node->kind != YAML_SCALAR)
		return refuse_kind(file, node, "an INT", err);
	errno = 0;
	*out = strtoll(node->text, &end, 0);
	if (end == node->text || *end)
		return refuse_kind(file, node, "an INT", err);
	if (errno || *out < min || *out > max)
		return yaml_refuse(file, node, err, "%s: %.60s is out of range: expected %lld to %lld", name(node),
				   node->text, (long long)min, (long long)max);
	return RB_OK;
}

int yaml_double(const struct yaml_file *file, const struct yaml_node *node, double *out, struct rb_error *err)
{
	char *end;

	if (node->kind != YAML_SCALAR)
		return refuse_kind(file, node, "a FLOAT", err);
	*out = strtod(node->text, &end);
	return end == node->text || *end ? refuse_kind(file, node, "a FLOAT", err) : RB_OK;
}

int yaml_bool(const struct yaml_file *file, const struct yaml_node *node, bool *out, struct rb_error *err)
{
	*out = node->text && strcmp(node->text, "true") == 0;
	if (*out || (node->text && strcmp(node->text, "false") == 0))
		return RB_OK;
	return refuse_kind(file, node, "true or false", err);
}

static size_t size_of(const struct yaml_field *f)
{
	switch (f->type) {
	case YAML_STRING:
		return sizeof(char *);
	case YAML_INT32:
		return sizeof(int32_t);
	case YAML_INT64:
		return sizeof(int64_t);
	case YAML_DOUBLE:
		return sizeof(double);
	case YAML_BOOL:
		return sizeof(bool);
	default:
		return f->size;
	}
}

static int fill_value(struct yaml_file *file, const struct yaml_node *n, const struct yaml_field *f, void *out,
		      struct rb_error *err)
{
	int64_t number;

	switch (f->type) {
	case YAML_STRING:
		return yaml_string(file, n, out, err);
	case YAML_INT32:
		RB_TRY(yaml_integer(file, n, INT32_MIN, INT32_MAX, &number, err));
		*(int32_t *)out = (int32_t)number;
		return RB_OK;
	case YAML_INT64:
		return yaml_integer(file, n, INT64_MIN, INT64_MAX, out, err);
	case YAML_DOUBLE:
		return yaml_double(file, n, out, err);
	case YAML_BOOL:
		return yaml_bool(file, n, out, err);
	default:
		return yaml_fill(file, n, f->fields, out, err);
	}
}

/* The member becomes a pointer to `count` values. */
static int fill_list(struct yaml_file *file, const struct yaml_node *list, const struct yaml_field *f,
		     unsigned count, void *member, struct rb_error *err)
{
	char *values = yaml_alloc(file, count * size_of(f)), *at = values;
	const struct yaml_node *n = NULL;

	if (!values)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", file->path);
	memcpy(member, &values, sizeof values);
	if (f->shape == YAML_POINTER)
		return fill_value(file, list, f, values, err);
	for (; (n = yaml_next(list, n)) != NULL; at += size_of(f))
		RB_TRY(fill_value(file, n, f, at, err));
	return RB_OK;
}

static int fill_member(struct yaml_file *file, const struct yaml_node *n, const struct yaml_field *f, char *out,
		       struct rb_error *err)
{
	unsigned count = 1;

	if (f->shape == YAML_VALUE)
		return fill_value(file, n, f, out + f->at, err);
	if (f->shape == YAML_LIST) {
		/* A single struct is no list: `- ` was forgotten, or the indentation is wrong. */
		if (n->kind == YAML_MAPPING || (n->kind == YAML_SCALAR && f->type == YAML_STRUCT))
			return refuse_kind(file, n, "a list", err);
		count = yaml_count(n);
		if (count == 0 && !f->may_be_empty)
			return yaml_refuse(file, n, err, "%s: expected at least one value", f->key);
		memcpy(out + f->count_at, &count, sizeof count);
	}
	return fill_list(file, n, f, count, out + f->at, err);
}

static int check_keys(const struct yaml_file *file, const struct yaml_node *mapping,
		      const struct yaml_field *fields, struct rb_error *err)
{
	const struct yaml_field *f;

	RB_TRY(yaml_mapping(file, mapping, err));
	for (const struct yaml_node *n = mapping->first; n; n = n->next) {
		for (f = fields; f->key && strcmp(f->key, n->key) != 0; f++)
			;
		if (!f->key)
			return yaml_refuse(file, n, err, "unknown key: %s", n->key);
	}
	for (f = fields; f->key; f++)
		if (f->required && !yaml_get(mapping, f->key))
			return yaml_refuse(file, mapping, err, "the key %s is missing", f->key);
	return RB_OK;
}

int yaml_fill(struct yaml_file *file, const struct yaml_node *mapping, const struct yaml_field *fields,
	      void *out, struct rb_error *err)
{
	RB_TRY(check_keys(file, mapping, fields, err));
	for (const struct yaml_field *f = fields; f->key; f++) {
		const struct yaml_node *n = yaml_get(mapping, f->key);

		if (n)
			RB_TRY(fill_member(file, n, f, out, err));
	}
	return RB_OK;
}
