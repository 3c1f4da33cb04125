/* harness/experiment/points.h - the points of a model file, or of one for runs with --protocol: one
 * for each combination of the values in its lists.
 *
 * Every key of a model may have a list of values in place of one. The key `together` names keys
 * that go through their lists together. The key `runs` is a list of mappings; each has keys that
 * take the place of those of the file, and its points are those of its own lists and the file's. */
#ifndef HARNESS_EXPERIMENT_POINTS_H
#define HARNESS_EXPERIMENT_POINTS_H

#include "harness/options/yaml.h"

#include <jansson.h>

enum { POINTS_MAX = 20000, POINT_ID = 200 };

struct point {
	/* the keys of a model, each with one value and the line of that value */
	const struct yaml_node *mapping;
	/* "np=100-line=free": what differs from the others; a name of a file */
	char id[POINT_ID];
};

struct points {
	const char *name;    /* key `name`, or the file's name without folder and ending */
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
