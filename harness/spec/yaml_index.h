/* harness/spec/yaml_index.h - the text of a YAML file and the line of everything in it, by libyaml.
 *
 * libcyaml knows lines only while it loads, and takes a list for no scalar. So a file is read twice:
 * here, where each place gets its line and a scalar that may be a list is written as a list of one; and
 * then, from that text, whose lines are the same, by libcyaml against a schema.
 *
 * Limits, so that no file can make us slow: 1 MiB, 16 levels, 100000 places; no anchors and aliases. */
#ifndef HARNESS_SPEC_YAML_INDEX_H
#define HARNESS_SPEC_YAML_INDEX_H

#include "base/error.h"

#include <stddef.h>

struct yaml_place {
	char *path; /* "runs[0].kill.roles[1]"; the top is "" */
	int line;   /* from 1: of the key, or of the item of a list */
};

struct yaml_index {
	struct yaml_place *place; /* in the order of the file */
	size_t count, capacity;
	char *text; /* as libcyaml is to read it */
	size_t length;
};

/* lists: keys (NULL-terminated; NULL: none) whose value may be a scalar or a list. RB_OK; RB_EIO: the
 * file cannot be read; RB_EINVAL: "path:line: what is wrong": no YAML, a key twice, a key without a
 * value, a limit above; RB_ENOMEM. The caller frees with yaml_index_free(). */
int yaml_index_read(const char *path, const char *const *lists, struct yaml_index **out,
		    struct rb_error *err);
void yaml_index_free(struct yaml_index *index); /* NULL is fine */

/* The line of a place; of what it is in, if it is not in the file itself. */
int yaml_index_line(const struct yaml_index *index, const char *path);
/* The first line at or after `from` (from 1) that sets this key, wherever; `from` if there is none. */
int yaml_index_key(const struct yaml_index *index, const char *key, int from);

#endif
