/* harness/options/yaml.h - a YAML file as a tree whose nodes know their lines, read by libfyaml.
 *
 * Messages are one line long: "path:line: what is wrong". Limits, so that no file takes long to
 * read: 1 MiB, 16 levels, 100000 nodes, 64 keys in a mapping, 100 empty lines in a row. Refused as
 * well: anchors and aliases, a key twice in one mapping, a key without a value, a second document,
 * directives other than %YAML, control characters, text that is not UTF-8. */
#ifndef HARNESS_OPTIONS_YAML_H
#define HARNESS_OPTIONS_YAML_H

#include "harness/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
	enum yaml_kind kind;
	int line;       /* from 1: of its key in a mapping, of its first character elsewhere */
	char *key;      /* NULL: not in a mapping */
	char *text;     /* of a scalar; NULL: a sequence or mapping */
	unsigned count; /* of nodes in it */
	struct yaml_node *first, *last; /* the nodes in it, in the order of the file */
	struct yaml_node *next;         /* in the node that this one is in */
};

struct yaml_file {
	const char *path; /* for messages */
	const char *doc;  /* the page that describes the keys, for messages */
	struct yaml_node *root;
	struct yaml_block *blocks; /* all memory of yaml_alloc() */
};

/* RB_OK; RB_EIO: the file cannot be read; RB_EINVAL: it is no YAML or beyond a limit above;
 * RB_ENOMEM. The caller frees with yaml_free(); all nodes and texts end then. path and doc are not
 * copied. */
int yaml_load(const char *path, const char *doc, struct yaml_file **out, struct rb_error *err);
void yaml_free(struct yaml_file *file); /* NULL is fine */
/* Zeroed memory that lives as long as the file; NULL: there is none left. */
void *yaml_alloc(struct yaml_file *file, size_t bytes);

/* The value of a key; NULL: the mapping has no such key, or the node is no mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);
/* The next item of a sequence, or the scalar itself, where one value needs no brackets. Begin with
 * NULL. */
const struct yaml_node *yaml_next(const struct yaml_node *list, const struct yaml_node *item);

/* What of it is neither a value nor a list of values (texts of at least one character); NULL: it is
 * one of them. */
const struct yaml_node *yaml_no_value(const struct yaml_node *list);
/* What messages call a node: its key or else its text. */
const char *yaml_called(const struct yaml_node *node);

/* "path:line: ... (the keys are in `doc`)"; returns RB_EINVAL. */
int yaml_refuse(const struct yaml_file *file, const struct yaml_node *node, struct rb_error *err,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Is the key one of these (NULL-terminated; NULL: none)? */
bool yaml_is_among(const char *key, const char *const *keys);

/* Read a mapping whose keys are the names of a table's rows, and perhaps others (NULL-terminated;
 * NULL: none), into the struct that the table describes; texts live as long as the file. RB_EINVAL,
 * with a message. */
int yaml_read(const struct yaml_file *file, const struct yaml_node *mapping,
	      const struct option *table, const char *const *others, void *base,
	      struct rb_error *err);

#endif
