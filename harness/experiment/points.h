/* harness/experiment/points.h - the one language of files with several runs or simulations: points
 * are the combinations of the values in lists.
 *
 * Every key may have a list of values in place of one. The key `together` names keys that go
 * through their lists together. The key `runs` is a list of entries; each is a mapping whose keys
 * take the place of those of the file, and its points are those of its own lists and the file's. A
 * file without `runs` is one entry. */
#ifndef HARNESS_EXPERIMENT_POINTS_H
#define HARNESS_EXPERIMENT_POINTS_H

#include "harness/options/yaml.h"

#include <jansson.h>

enum { POINTS_MAX = 20000, POINT_ID = 200, POINT_KEYS = 128 };

/* A key and its values. */
struct axis {
	const struct yaml_node *list, *item; /* item: the present value */
	bool of_entry;                       /* it is in an entry of `runs` */
	int with;                            /* the key whose list it follows (`together`), or -1 */
	bool inner;
};

/* What the user of the language says of its keys. */
struct points_keys {
	/* Is it neither name, together nor runs, and no axis either? NULL: every key is one. */
	bool (*is_other)(const void *of, const char *key);
	/* Is the axis one of the inner ones, which are gone through for each combination of the
	 * others? NULL: none is. */
	bool (*is_inner)(const void *of, const char *key);
	const void *of;
};

/* The present values of an entry. */
struct combination {
	struct yaml_file *file;
	const struct yaml_node *entry; /* NULL: the file itself */
	struct axis axis[POINT_KEYS];  /* in the order of the file, those of its top first */
	int count;
};

/* Begin with the first combination of an entry; entry: NULL if the file has no `runs`. RB_OK, or
 * RB_EINVAL with file:line. */
int points_begin(struct combination *c, struct yaml_file *file, const struct yaml_node *entry,
		 const struct points_keys *keys, struct rb_error *err);
/* Go to the next combination of the inner or of the other axes; the last one changes fastest.
 * false: there is none, and those axes have their first values again. */
bool points_next(struct combination *c, bool inner);
/* Does the axis go through its list together with others? */
bool points_is_coupled(const struct combination *c, int axis);
/* Refuse a list of texts in which one is twice; name: the key. RB_OK or RB_EINVAL with file:line.
 */
int points_refuse_twice(const struct yaml_file *file, const struct yaml_node *list,
			const char *name, struct rb_error *err);
/* The present values as a mapping with the lines of the values and of the entry; its memory is the
 * file's. NULL: out of memory. */
struct yaml_node *points_mapping(const struct combination *c);
/* Call a function for each entry of the file, or once with NULL, until one returns other than
 * RB_OK. RB_EINVAL: `runs` is no list of entries. */
int points_entries(struct yaml_file *file, int (*take)(void *ctx, const struct yaml_node *entry),
		   void *ctx, struct rb_error *err);
/* The key `name`, or the name of the file without folder and ending. RB_OK or RB_EINVAL. */
int points_name(struct yaml_file *file, const char **name, struct rb_error *err);

/* --- points that are named by what differs between them --- */

struct point {
	/* the keys of a model, each with one value and the line of that value */
	const struct yaml_node *mapping;
	/* "np=100-line=free": what differs from the others; a name of a file */
	char id[POINT_ID];
};

struct points {
	const char *name;    /* points_name() */
	struct point *point; /* at least one; no two have the same id */
	size_t count;
};

/* All memory is the file's (yaml_alloc()). RB_OK; RB_EINVAL with file:line; RB_ENOMEM. */
int points_expand(struct yaml_file *file, struct points *p, struct rb_error *err);
/* Do points differ in this key, by a list or by an entry of `runs`? */
bool points_differ_in(const struct yaml_file *file, const char *key);
/* What a results folder says of them, in a file of this schema: name, file, and the ids as `runs`.
 * New reference. */
json_t *points_list(const struct yaml_file *file, const struct points *p, const char *schema);

#endif
