/* The tree of a YAML file: its memory, its nodes, and reading its contents by the keys that they
 * may have. */
#include "base/status.h"
#include "harness/options/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct yaml_block {
	struct yaml_block *next;
	max_align_t bytes[];
};

void *yaml_alloc(struct yaml_file *file, size_t bytes)
{
	struct yaml_block *block = calloc(1, sizeof *block + bytes);

	if (!block)
		return NULL;
	block->next = file->blocks;
	file->blocks = block;
	return block->bytes;
}

void yaml_free(struct yaml_file *file)
{
	struct yaml_block *next;

	for (struct yaml_block *b = file ? file->blocks : NULL; b; b = next) {
		next = b->next;
		free(b);
	}
	free(file);
}

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
	const struct yaml_node *n = mapping->kind == YAML_MAPPING ? mapping->first : NULL;

	while (n && strcmp(n->key, key) != 0)
		n = n->next;
	return n;
}

const struct yaml_node *yaml_next(const struct yaml_node *list, const struct yaml_node *item)
{
	if (list->kind != YAML_SEQUENCE)
		return item ? NULL : list;
	return item ? item->next : list->first;
}

const struct yaml_node *yaml_no_value(const struct yaml_node *list)
{
	const struct yaml_node *item = NULL;

	if (list->kind == YAML_MAPPING || !yaml_next(list, NULL))
		return list;
	while ((item = yaml_next(list, item)))
		if (item->kind != YAML_SCALAR || !item->text[0])
			return item;
	return NULL;
}

const char *yaml_called(const struct yaml_node *node)
{
	return node->key ? node->key : node->text ? node->text : "value";
}

int yaml_refuse(const struct yaml_file *file, const struct yaml_node *node, struct rb_error *err,
		const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	return rb_fail(err, RB_EINVAL, "%s:%d: %s (the keys are in %s)", file->path, node->line,
		       what, file->doc);
}

bool yaml_is_among(const char *key, const char *const *keys)
{
	while (keys && *keys && strcmp(*keys, key) != 0)
		keys++;
	return keys && *keys;
}

static int read_key(const struct yaml_file *file, const struct yaml_node *node,
		    const struct option *o, void *base, struct rb_error *err)
{
	struct rb_error why;

	if (node->kind != YAML_SCALAR)
		return yaml_refuse(file, node, err, "%s: expected a STRING, not a %s", node->key,
				   node->kind == YAML_MAPPING ? "MAPPING" : "SEQUENCE");
	if (!node->text[0])
		return yaml_refuse(file, node, err, "%s: expected at least one character",
				   node->key);
	if (option_set(o, base, node->text, &why) == RB_OK)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "%s:%d: %.400s", file->path, node->line, why.text);
}

int yaml_read(const struct yaml_file *file, const struct yaml_node *mapping,
	      const struct option *table, const char *const *others, void *base,
	      struct rb_error *err)
{
	if (mapping->kind != YAML_MAPPING)
		return yaml_refuse(file, mapping, err, "expected a mapping (key: value)");
	for (const struct yaml_node *n = mapping->first; n; n = n->next) {
		const struct option *o = option_find(table, n->key);

		if (o)
			RB_TRY(read_key(file, n, o, base, err));
		else if (!yaml_is_among(n->key, others))
			return yaml_refuse(file, n, err, "unknown key: %s", n->key);
	}
	for (const struct option *o = table; o->name; o++)
		if (o->required && !yaml_get(mapping, o->name))
			return yaml_refuse(file, mapping, err, "the key %s is missing", o->name);
	return RB_OK;
}
