/* The order of a sweep's runs, and the keys of its file that are not of the runs. */
#include "harness/kind/elc/elc_order.h"

#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { WARM_UP_MOST = 100 };

static const char *const keys[] = { "mode", "order", "order_seed", "warm_up" };

bool elc_order_key(const char *key)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* The value of a key of the whole file; NULL: it has none. */
static int top(struct yaml_file *file, const char *key, const struct yaml_node **found,
	       struct rb_error *err)
{
	const struct yaml_node *runs = yaml_get(file->root, "runs"), *entry = NULL;

	*found = yaml_get(file->root, key);
	if (*found && (*found)->kind != YAML_SCALAR)
		return yaml_refuse(file, *found, err, "%s: expected one value for the whole file",
				   key);
	while (runs && (entry = yaml_next(runs, entry)))
		if (entry->kind == YAML_MAPPING && yaml_get(entry, key))
			return yaml_refuse(
				file, yaml_get(entry, key), err,
				"%s: expected at the top of the file, not in an entry of runs",
				key);
	return RB_OK;
}

static int number(struct yaml_file *file, const char *key, int64_t least, int64_t most,
		  int64_t *out, struct rb_error *err)
{
	const struct yaml_node *node;

	RB_TRY(top(file, key, &node, err));
	if (node && !text_integer(node->text, least, most, out))
		return yaml_refuse(file, node, err,
				   "%s %.60s: expected a whole number from %lld to %lld", key,
				   node->text, (long long)least, (long long)most);
	return RB_OK;
}

int elc_order_read(struct elc_order *o, struct yaml_file *file, struct rb_error *err)
{
	const struct yaml_node *order, *seed = yaml_get(file->root, "order_seed");

	o->seed = 1;
	o->warm_up = 0;
	RB_TRY(top(file, "order", &order, err));
	o->random = order && strcmp(order->text, "random") == 0;
	if (order && !o->random && strcmp(order->text, "listed"))
		return yaml_refuse(file, order, err, "order %.60s: expected listed or random",
				   order->text);
	RB_TRY(number(file, "order_seed", 0, INT64_MAX, &o->seed, err));
	if (seed && !o->random)
		return yaml_refuse(file, seed, err,
				   "order_seed: nothing to draw without order: random");
	return number(file, "warm_up", 0, WARM_UP_MOST, &o->warm_up, err);
}

/* Give point i the next place, after the one that it is compared with. */
static void emit(struct elc_order *o, int i, const int *reference, bool *placed, size_t *next)
{
	if (placed[i])
		return;
	placed[i] = true;
	if (reference[i] >= 0)
		emit(o, reference[i], reference, placed, next);
	o->place[(*next)++] = i;
}

int elc_order_draw(struct elc_order *o, const int *reference, size_t count, struct rb_error *err)
{
	int *drawn = calloc(count, sizeof *drawn);
	bool *placed = calloc(count, sizeof *placed);
	size_t next = 0;

	o->place = calloc(count, sizeof *o->place);
	if (drawn && placed && o->place) {
		for (size_t i = 0; i < count; i++)
			drawn[i] = (int)i;
		if (o->random)
			mix_shuffle(drawn, count, (uint64_t)o->seed);
		for (size_t i = 0; i < count; i++)
			emit(o, drawn[i], reference, placed, &next);
	}
	free(drawn);
	free(placed);
	return next == count ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
}

void elc_order_describe(const struct elc_order *o, json_t *list)
{
	json_object_set_new(list, "order", json_string(o->random ? "random" : "listed"));
	json_object_set_new(list, "order_seed", o->random ? json_integer(o->seed) : json_null());
	json_object_set_new(list, "warm_up", json_integer(o->warm_up));
}

void elc_order_free(struct elc_order *o)
{
	free(o->place);
	o->place = NULL;
}
