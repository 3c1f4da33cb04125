/* harness/spec/yaml.h - a YAML file as a tree whose nodes know their lines, read by libfyaml.
 *
 * Messages are one line long: "path:line: what is wrong". Limits, so that no file can make us slow: 1 MiB,
 * 16 levels, 100000 nodes, 64 keys in a mapping, 100 empty lines in a row. Refused as well: anchors and aliases,
 * a key twice in one mapping, a key without a value, a second document, directives other than %YAML, control
 * characters, text that is not UTF-8. */
#ifndef HARNESS_SPEC_YAML_H
#define HARNESS_SPEC_YAML_H

#include "base/error.h"

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

/* RB_OK; RB_EIO: the file cannot be read; RB_EINVAL: it is no YAML or beyond a limit above; RB_ENOMEM. The
 * caller frees with yaml_free(); all nodes and texts end then. path and doc are not copied. */
int yaml_load(const char *path, const char *doc, struct yaml_file **out, struct rb_error *err);
void yaml_free(struct yaml_file *file); /* NULL is fine */
/* Zeroed memory that lives as long as the file; NULL: there is none left. */
void *yaml_alloc(struct yaml_file *file, size_t bytes);

/* The value of a key; NULL: the mapping has no such key, or the node is no mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);
/* The node at a path like "runs[0].kill.roles[1]" ("" is the root), or the last one on the way to it that the
 * file has. */
const struct yaml_node *yaml_find(const struct yaml_file *file, const char *path);
/* The line of that node. */
int yaml_line(const struct yaml_file *file, const char *path);

/* Where one value needs no brackets: the items of a sequence, or the scalar itself. Begin with NULL. */
const struct yaml_node *yaml_next(const struct yaml_node *list, const struct yaml_node *item);
unsigned yaml_count(const struct yaml_node *list);

/* "path:line: ... (the keys are in `doc`)"; returns RB_EINVAL. */
int yaml_refuse(const struct yaml_file *file, const struct yaml_node *node, struct rb_error *err,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* RB_OK if the node is a mapping, else RB_EINVAL with a message. */
int yaml_mapping(const struct yaml_file *file, const struct yaml_node *node, struct rb_error *err);

/* The value of a scalar. RB_OK, or RB_EINVAL with a message. A string is at least one character long. Integers
 * are in [min, max], in C's notation (decimal, 0x.., 0..). A bool is the word true or false. */
int yaml_string(const struct yaml_file *file, const struct yaml_node *node, char **out, struct rb_error *err);
int yaml_integer(const struct yaml_file *file, const struct yaml_node *node, int64_t min, int64_t max,
		 int64_t *out, struct rb_error *err);
int yaml_double(const struct yaml_file *file, const struct yaml_node *node, double *out, struct rb_error *err);
int yaml_bool(const struct yaml_file *file, const struct yaml_node *node, bool *out, struct rb_error *err);

/* A mapping read into a struct, key by key. */
enum yaml_type { YAML_STRING, YAML_INT32, YAML_INT64, YAML_DOUBLE, YAML_BOOL, YAML_STRUCT };
enum yaml_shape {
	YAML_VALUE,   /* the member is the value */
	YAML_POINTER, /* the member points to it; NULL: the key is not there. A string is a VALUE */
	YAML_LIST,    /* the member points to an array of `count` values; one value needs no brackets */
};

struct yaml_field {
	const char *key; /* NULL ends a table */
	enum yaml_type type;
	enum yaml_shape shape;
	bool required, may_be_empty; /* the key; a list */
	size_t at;       /* offset of the member in the struct */
	size_t count_at; /* of a list: offset of the unsigned that counts its values */
	const struct yaml_field *fields; /* of a STRUCT: its own table */
	size_t size;                     /* of a STRUCT: its bytes */
};

/* Fill a zeroed struct; what its pointers point to lives as long as the file. RB_EINVAL, with a message: an
 * unknown or missing key, a value of another type; RB_ENOMEM. */
int yaml_fill(struct yaml_file *file, const struct yaml_node *mapping, const struct yaml_field *fields,
	      void *out, struct rb_error *err);

#endif
