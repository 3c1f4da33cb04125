#include "harness/experiment/points.h"

#include "base/status.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { KEYS = 128 };

/* A key of a model while its values are combined. */
struct key {
	const struct yaml_node *list, *item; /* item: the present value */
	bool of_entry;                       /* it is in an entry of `runs` */
	int with;                            /* the key whose list it follows (`together`), or -1 */
};

struct expansion {
	struct yaml_file *file;
	struct points *points;
	size_t room;
	struct rb_error *err;
	struct key key[KEYS];
	int count;
	json_t *known; /* ids */
};

static const char *const ours[] = { "name", "together", "runs", NULL };

static int refuse(struct expansion *x, const struct yaml_node *node, const char *what)
{
	return yaml_refuse(x->file, node, x->err, "%.60s: %s",
			   node->key    ? node->key
			   : node->text ? node->text
					: "value",
			   what);
}

/* A value, or a list of values. */
static int check_list(struct expansion *x, const struct yaml_node *list)
{
	const struct yaml_node *item = NULL;

	if (list->kind == YAML_MAPPING || !yaml_next(list, NULL))
		return refuse(x, list, "expected a value or a list of values");
	while ((item = yaml_next(list, item)))
		if (item->kind != YAML_SCALAR || !item->text[0])
			return refuse(x, item, "expected a value or a list of values");
	return RB_OK;
}

/* The keys of a mapping, without those that `other` has, too. */
static int add_keys(struct expansion *x, const struct yaml_node *mapping,
		    const struct yaml_node *other, bool of_entry)
{
	for (const struct yaml_node *n = mapping->first; n; n = n->next) {
		if (yaml_is_among(n->key, ours) || (other && yaml_get(other, n->key)))
			continue;
		if (x->count == KEYS)
			return refuse(x, n, "too many keys");
		RB_TRY(check_list(x, n));
		x->key[x->count++] = (struct key){
			.list = n, .item = yaml_next(n, NULL), .of_entry = of_entry, .with = -1
		};
	}
	return RB_OK;
}

static int find(const struct expansion *x, const char *name)
{
	for (int i = 0; name && i < x->count; i++)
		if (strcmp(x->key[i].list->key, name) == 0)
			return i;
	return -1;
}

static unsigned length(const struct yaml_node *list)
{
	return list->kind == YAML_SEQUENCE ? list->count : 1;
}

static int couple(struct expansion *x, const struct yaml_node *together)
{
	const struct yaml_node *item = NULL;
	int first = -1;

	while (together && (item = yaml_next(together, item))) {
		const int at = find(x, item->text);

		if (at < 0)
			return refuse(x, item,
				      "together: expected the name of a key that is there");
		if (first >= 0 && length(x->key[at].list) != length(x->key[first].list))
			return yaml_refuse(x->file, item, x->err,
					   "together: %s has %u values and %s has %u",
					   x->key[first].list->key, length(x->key[first].list),
					   item->text, length(x->key[at].list));
		if (at == first || x->key[at].with >= 0)
			return refuse(x, item, "together: it is there twice");
		if (first < 0)
			first = at;
		else
			x->key[at].with = first;
	}
	return RB_OK;
}

/* Go to the next value of a list and of those that follow it. false: it was the last, and now it is
 * the first again. */
static bool next_value(struct expansion *x, int i)
{
	const bool more = yaml_next(x->key[i].list, x->key[i].item) != NULL;

	for (int k = 0; k < x->count; k++)
		if (k == i || x->key[k].with == i)
			x->key[k].item = yaml_next(x->key[k].list, more ? x->key[k].item : NULL);
	return more;
}

/* The last list changes fastest. */
static bool next_combination(struct expansion *x)
{
	for (int i = x->count - 1; i >= 0; i--)
		if (x->key[i].with < 0 && next_value(x, i))
			return true;
	return false;
}

/* It differs between points, and no other key says so already. */
static bool is_in_id(const struct key *k)
{
	return k->list->kind == YAML_SEQUENCE ? k->with < 0 : k->of_entry;
}

static int name_point(struct expansion *x, char id[POINT_ID])
{
	size_t used = 0;

	id[0] = '\0';
	for (int i = 0; i < x->count; i++)
		if (is_in_id(&x->key[i]) && used < POINT_ID)
			used += (size_t)snprintf(id + used, POINT_ID - used, "%s%s=%s",
						 used ? "-" : "", x->key[i].list->key,
						 x->key[i].item->text);
	if (used == 0)
		used = (size_t)snprintf(id, POINT_ID, "%s", x->points->name);
	if (used >= POINT_ID)
		return refuse(
			x, x->file->root,
			"the name of a record would be too long; fewer keys, or shorter values");
	for (char *c = id; *c; c++)
		*c = strchr(" /\\:,'\"", *c) || (unsigned char)*c < ' ' ? '_' : *c;
	if (json_object_get(x->known, id) || strcmp(id, "sweep") == 0)
		return yaml_refuse(x->file, x->file->root, x->err,
				   "twice a record of the name %.150s", id);
	json_object_set_new(x->known, id, json_true());
	return RB_OK;
}

/* A mapping of the present values. NULL: out of memory. */
static struct yaml_node *make_mapping(struct expansion *x)
{
	struct yaml_node *mapping = yaml_alloc(x->file, (size_t)(x->count + 1) * sizeof *mapping);

	if (!mapping)
		return NULL;
	*mapping = (struct yaml_node){ .kind = YAML_MAPPING,
				       .line = x->file->root->line,
				       .count = (unsigned)x->count };
	for (int i = 0; i < x->count; i++) {
		const struct key *k = &x->key[i];

		mapping[i + 1] =
			(struct yaml_node){ .kind = YAML_SCALAR,
					    .line = k->item->line,
					    .key = k->list->key,
					    .text = k->item->text,
					    .next = i + 1 < x->count ? &mapping[i + 2] : NULL };
	}
	mapping->first = x->count > 0 ? &mapping[1] : NULL;
	mapping->last = x->count > 0 ? &mapping[x->count] : NULL;
	return mapping;
}

static int add_point(struct expansion *x)
{
	struct point *here = &x->points->point[x->points->count];

	if (x->points->count == POINTS_MAX)
		return yaml_refuse(x->file, x->file->root, x->err,
				   "more than %d points in one file", POINTS_MAX);
	RB_TRY(name_point(x, here->id));
	here->mapping = make_mapping(x);
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
	more = yaml_alloc(x->file, x->room * sizeof *more);
	if (!more)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	if (p->count > 0)
		memcpy(more, p->point, p->count * sizeof *more);
	p->point = more;
	return RB_OK;
}

/* entry: NULL if the file has no `runs`. */
static int add_entry(struct expansion *x, const struct yaml_node *entry)
{
	const struct yaml_node *root = x->file->root,
			       *together = entry ? yaml_get(entry, "together") : NULL;

	if (entry && entry->kind != YAML_MAPPING)
		return refuse(x, entry, "runs: expected a list of mappings (key: value)");
	x->count = 0;
	RB_TRY(add_keys(x, root, entry, false));
	if (entry)
		RB_TRY(add_keys(x, entry, NULL, true));
	RB_TRY(couple(x, together ? together : yaml_get(root, "together")));
	do {
		RB_TRY(make_room(x));
		RB_TRY(add_point(x));
	} while (next_combination(x));
	return RB_OK;
}

static int add_entries(struct expansion *x)
{
	const struct yaml_node *runs = yaml_get(x->file->root, "runs");

	if (!runs)
		return add_entry(x, NULL);
	if (runs->kind != YAML_SEQUENCE || !runs->first)
		return refuse(x, runs, "expected a list of mappings (key: value)");
	for (const struct yaml_node *entry = runs->first; entry; entry = entry->next)
		RB_TRY(add_entry(x, entry));
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

int points_expand(struct yaml_file *file, struct points *p, struct rb_error *err)
{
	struct expansion x = { .file = file, .points = p, .err = err, .known = json_object() };
	const struct yaml_node *name = yaml_get(file->root, "name");
	int rc;

	*p = (struct points){ .name = name ? name->text : stem(file) };
	if (file->root->kind != YAML_MAPPING)
		rc = refuse(&x, file->root, "expected a mapping (key: value)");
	else if (!p->name || !text_names_folder(p->name))
		rc = refuse(&x, name ? name : file->root, "expected a name that a folder can have");
	else
		rc = add_entries(&x);
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
	return json_pack("{s:s, s:s, s:s, s:o}", "schema", schema, "name", p->name, "file",
			 file->path, "runs", ids);
}
