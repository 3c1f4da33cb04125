#include "harness/experiment/points.h"

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *const ours[] = { "name", "together", "runs", NULL };

static int refuse(const struct yaml_file *file, const struct yaml_node *node, const char *what,
		  struct rb_error *err)
{
	return yaml_refuse(file, node, err, "%.60s: %s", yaml_called(node), what);
}

/* The keys of a mapping, without those that `other` has, too. */
static int add_keys(struct combination *c, const struct yaml_node *mapping,
		    const struct yaml_node *other, const struct points_keys *keys,
		    struct rb_error *err)
{
	for (const struct yaml_node *n = mapping->first; n; n = n->next) {
		if (yaml_is_among(n->key, ours) || (other && yaml_get(other, n->key)) ||
		    (keys->is_other && keys->is_other(keys->of, n->key)))
			continue;
		if (c->count == POINT_KEYS)
			return refuse(c->file, n, "too many keys", err);
		if (yaml_no_value(n))
			return refuse(c->file, yaml_no_value(n),
				      "expected a value or a list of values", err);
		c->axis[c->count++] = (struct axis){ .list = n,
						     .item = yaml_next(n, NULL),
						     .of_entry = mapping != c->file->root,
						     .with = -1,
						     .inner = keys->is_inner &&
							      keys->is_inner(keys->of, n->key) };
	}
	return RB_OK;
}

static int find(const struct combination *c, const char *name)
{
	for (int i = 0; name && i < c->count; i++)
		if (strcmp(c->axis[i].list->key, name) == 0)
			return i;
	return -1;
}

static unsigned length(const struct yaml_node *list)
{
	return list->kind == YAML_SEQUENCE ? list->count : 1;
}

/* Of axes that go together the first leads. It is an inner one if all are. */
static int couple(struct combination *c, const struct yaml_node *together, struct rb_error *err)
{
	const struct yaml_node *item = NULL;
	int first = -1;

	while (together && (item = yaml_next(together, item))) {
		const int at = find(c, item->text);

		if (at < 0)
			return refuse(c->file, item,
				      "together: expected the name of a key that is there", err);
		if (first >= 0 && length(c->axis[at].list) != length(c->axis[first].list))
			return yaml_refuse(c->file, item, err,
					   "together: %s has %u values and %s has %u",
					   c->axis[first].list->key, length(c->axis[first].list),
					   item->text, length(c->axis[at].list));
		if (at == first || c->axis[at].with >= 0)
			return refuse(c->file, item, "together: it is there twice", err);
		if (first < 0)
			first = at;
		else
			c->axis[at].with = first;
		c->axis[first].inner = c->axis[first].inner && c->axis[at].inner;
	}
	return RB_OK;
}

bool points_is_coupled(const struct combination *c, int axis)
{
	bool coupled = c->axis[axis].with >= 0;

	for (int k = 0; k < c->count; k++)
		coupled = coupled || c->axis[k].with == axis;
	return coupled;
}

int points_refuse_twice(const struct yaml_file *file, const struct yaml_node *list,
			const char *name, struct rb_error *err)
{
	json_t *seen = json_object();
	const struct yaml_node *item = NULL;
	int rc = RB_OK;

	while (rc == RB_OK && (item = yaml_next(list, item))) {
		if (json_object_get(seen, item->text))
			rc = yaml_refuse(file, item, err, "%s: %.60s is there twice", name,
					 item->text);
		json_object_set_new(seen, item->text, json_true());
	}
	json_decref(seen);
	return rc;
}

int points_begin(struct combination *c, struct yaml_file *file, const struct yaml_node *entry,
		 const struct points_keys *keys, struct rb_error *err)
{
	const struct yaml_node *together = entry ? yaml_get(entry, "together") : NULL;

	c->file = file;
	c->entry = entry;
	c->count = 0;
	if (entry && entry->kind != YAML_MAPPING)
		return refuse(file, entry, "runs: expected a list of mappings (key: value)", err);
	RB_TRY(add_keys(c, file->root, entry, keys, err));
	if (entry)
		RB_TRY(add_keys(c, entry, NULL, keys, err));
	RB_TRY(couple(c, together ? together : yaml_get(file->root, "together"), err));
	for (int i = 0; i < c->count; i++)
		if (!points_is_coupled(c, i))
			RB_TRY(points_refuse_twice(file, c->axis[i].list, c->axis[i].list->key,
						   err));
	return RB_OK;
}

/* Go to the next value of a list and of those that follow it. false: it was the last, and now it is
 * the first again. */
static bool next_value(struct combination *c, int i)
{
	const bool more = yaml_next(c->axis[i].list, c->axis[i].item) != NULL;

	for (int k = 0; k < c->count; k++)
		if (k == i || c->axis[k].with == i)
			c->axis[k].item = yaml_next(c->axis[k].list, more ? c->axis[k].item : NULL);
	return more;
}

bool points_next(struct combination *c, bool inner)
{
	for (int i = c->count - 1; i >= 0; i--)
		if (c->axis[i].with < 0 && c->axis[i].inner == inner && next_value(c, i))
			return true;
	return false;
}

struct yaml_node *points_mapping(const struct combination *c)
{
	struct yaml_node *mapping = yaml_alloc(c->file, (size_t)(c->count + 1) * sizeof *mapping);

	if (!mapping)
		return NULL;
	*mapping = (struct yaml_node){ .kind = YAML_MAPPING,
				       .line = (c->entry ? c->entry : c->file->root)->line,
				       .count = (unsigned)c->count };
	for (int i = 0; i < c->count; i++) {
		const struct axis *a = &c->axis[i];

		mapping[i + 1] =
			(struct yaml_node){ .kind = YAML_SCALAR,
					    .line = a->item->line,
					    .key = a->list->key,
					    .text = a->item->text,
					    .next = i + 1 < c->count ? &mapping[i + 2] : NULL };
	}
	mapping->first = c->count > 0 ? &mapping[1] : NULL;
	mapping->last = c->count > 0 ? &mapping[c->count] : NULL;
	return mapping;
}

int points_entries(struct yaml_file *file, int (*take)(void *ctx, const struct yaml_node *entry),
		   void *ctx, struct rb_error *err)
{
	const struct yaml_node *runs = yaml_get(file->root, "runs");

	if (file->root->kind != YAML_MAPPING)
		return refuse(file, file->root, "expected a mapping (key: value)", err);
	if (!runs)
		return take(ctx, NULL);
	if (runs->kind != YAML_SEQUENCE || !runs->first)
		return refuse(file, runs, "expected a list of mappings (key: value)", err);
	for (const struct yaml_node *entry = runs->first; entry; entry = entry->next)
		RB_TRY(take(ctx, entry));
	return RB_OK;
}

/* Of "configs/laptop/maps.yaml": "maps". */
static const char *stem(struct yaml_file *file)
{
	const char *slash = strrchr(file->path, '/'), *begin = slash ? slash + 1 : file->path,
		   *dot = strrchr(begin, '.');
	const size_t size = dot ? (size_t)(dot - begin) : strlen(begin);
	char *name = yaml_alloc(file, size + 1);

	if (name)
		memcpy(name, begin, size);
	return name;
}

int points_name(struct yaml_file *file, const char **name, struct rb_error *err)
{
	const struct yaml_node *given = yaml_get(file->root, "name");

	*name = given ? given->text : stem(file);
	return *name && text_names_folder(*name)
		       ? RB_OK
		       : yaml_refuse(file, given ? given : file->root, err,
				     "name: expected a name that a folder can have");
}

/* The points of a file while they are made. */
struct expansion {
	struct points *points;
	struct combination c;
	size_t room;
	struct rb_error *err;
	json_t *known; /* ids */
};

/* It differs between points, and no other key says so already. */
static bool is_in_id(const struct axis *a)
{
	return a->list->kind == YAML_SEQUENCE ? a->with < 0 : a->of_entry;
}

static int name_point(struct expansion *x, char id[POINT_ID])
{
	size_t used = 0;

	id[0] = '\0';
	for (int i = 0; i < x->c.count; i++)
		if (is_in_id(&x->c.axis[i]) && used < POINT_ID)
			used += (size_t)snprintf(id + used, POINT_ID - used, "%s%s=%s",
						 used ? "-" : "", x->c.axis[i].list->key,
						 x->c.axis[i].item->text);
	if (used == 0)
		used = (size_t)snprintf(id, POINT_ID, "%s", x->points->name);
	if (used >= POINT_ID)
		return refuse(
			x->c.file, x->c.file->root,
			"the name of a record would be too long; fewer keys, or shorter values",
			x->err);
	for (char *c = id; *c; c++)
		*c = strchr(" /\\:,'\"", *c) || (unsigned char)*c < ' ' ? '_' : *c;
	if (json_object_get(x->known, id) || strcmp(id, "sweep") == 0)
		return yaml_refuse(x->c.file, x->c.file->root, x->err,
				   "twice a record of the name %.150s", id);
	json_object_set_new(x->known, id, json_true());
	return RB_OK;
}

static int add_point(struct expansion *x)
{
	struct point *here = &x->points->point[x->points->count];

	if (x->points->count == POINTS_MAX)
		return yaml_refuse(x->c.file, x->c.file->root, x->err,
				   "more than %d points in one file", POINTS_MAX);
	RB_TRY(name_point(x, here->id));
	here->mapping = points_mapping(&x->c);
	x->points->count++;
	return here->mapping ? RB_OK : rb_fail(x->err, RB_ENOMEM, "out of memory");
}

/* Room for one more; the file frees what was there before, too. */
static int make_room(struct expansion *x)
{
	struct points *p = x->points;
	struct point *more;

	if (p->count < x->room)
		return RB_OK;
	x->room = x->room ? 4 * x->room : 64;
	more = yaml_alloc(x->c.file, x->room * sizeof *more);
	if (!more)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	if (p->count > 0)
		memcpy(more, p->point, p->count * sizeof *more);
	p->point = more;
	return RB_OK;
}

static int add_entry(void *ctx, const struct yaml_node *entry)
{
	static const struct points_keys all = { .of = NULL };
	struct expansion *x = ctx;

	RB_TRY(points_begin(&x->c, x->c.file, entry, &all, x->err));
	do {
		RB_TRY(make_room(x));
		RB_TRY(add_point(x));
	} while (points_next(&x->c, false));
	return RB_OK;
}

int points_expand(struct yaml_file *file, struct points *p, struct rb_error *err)
{
	struct expansion x = { .points = p, .c.file = file, .err = err, .known = json_object() };
	int rc;

	*p = (struct points){ .name = NULL };
	rc = points_name(file, &p->name, err);
	if (rc == RB_OK)
		rc = points_entries(file, add_entry, &x, err);
	json_decref(x.known);
	return rc;
}

bool points_differ_in(const struct yaml_file *file, const char *key)
{
	const struct yaml_node *node = yaml_get(file->root, key),
			       *runs = yaml_get(file->root, "runs"), *entry = NULL;
	bool differ = node && node->kind == YAML_SEQUENCE;

	while (!differ && runs && (entry = yaml_next(runs, entry)))
		differ = yaml_get(entry, key) != NULL;
	return differ;
}

json_t *points_list(const struct yaml_file *file, const struct points *p, const char *schema)
{
	json_t *ids = json_array();

	for (size_t i = 0; i < p->count; i++)
		json_array_append_new(ids, json_string(p->point[i].id));
	return json_pack("{s:s, s:o, s:o, s:o}", "schema", schema, "name", text_json(p->name),
			 "file", text_json(file->path), "runs", ids);
}
