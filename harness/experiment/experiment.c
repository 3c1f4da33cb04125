#include "harness/experiment/experiment.h"

#include "base/status.h"
#include "harness/experiment/points.h"

#include <string.h>

static const char *order_word(int i)
{
	static const char *const words[] = { "listed", "random" };

	return i < 2 ? words[i] : NULL;
}

#define AT(member) .at = offsetof(struct experiment, member)
#define ANY .least = INT32_MIN, .most = INT32_MAX

/* Any number is accepted here, so that check() can say what its range depends on. */
static const struct option table[] = {
	{ .name = "name", .type = OPTION_STRING, AT(name) },
	{ .name = "power_model", .type = OPTION_STRING, AT(power_model) },
	{ .name = "watts", .type = OPTION_STRING, AT(watts) },
	{ .name = "watts_min", .type = OPTION_AMOUNT, AT(watts_min) },
	{ .name = "repetitions", .type = OPTION_INT, AT(repetitions), ANY },
	{ .name = "references", .type = OPTION_INT, AT(references), ANY },
	{ .name = "warm_up", .type = OPTION_INT, AT(warm_up), ANY },
	{ .name = "order", .type = OPTION_WORD, AT(random), .word = order_word },
	{ .name = "order_seed",
	  .type = OPTION_LONG,
	  AT(order_seed),
	  .least = 0,
	  .most = INT64_MAX },
	{ .name = "budget", .type = OPTION_TIME, AT(budget_s) },
	{ .name = NULL },
};

bool experiment_has_key(const char *key)
{
	return option_find(table, key) != NULL;
}

const char *experiment_key_now(const char *key)
{
	static const struct {
		const char *key, *now;
	} old[] = {
		{ "policies", "`policy`" },
		{ "options", "a key for each option, with a list if it has several values: "
			     "`class: [S, W]`" },
		{ "restart", "`strategy: [repair, restart]`" },
		{ "restart_repetitions", "`repetitions`, which are those of all runs" },
		{ "mode", "left out: the name of a run has its protocol and lines" },
		{ "line", "`protocol`" },
		{ "line_log", "`log_form`" },
		{ "line-log", "`log_form`" },
		{ "line-interval", "`line_interval`" },
	};

	for (size_t i = 0; i < sizeof old / sizeof *old; i++)
		if (strcmp(old[i].key, key) == 0)
			return old[i].now;
	return NULL;
}

/* Check values whose range depends on other keys. */
static int check(struct experiment *x, struct rb_error *err)
{
	const struct yaml_node *root = x->file->root, *references = yaml_get(root, "references");
	int fewest;

	if (x->repetitions < 1 || x->repetitions > SWEEP_RUNS_MAX)
		return yaml_refuse(x->file, yaml_get(root, "repetitions"), err,
				   "repetitions: %d: expected 1 to %d", x->repetitions,
				   SWEEP_RUNS_MAX);
	if (!references)
		x->references = x->repetitions;
	else if (x->references < 1 || x->references > SWEEP_RUNS_MAX)
		return yaml_refuse(x->file, references, err, "references: %d: expected 1 to %d",
				   x->references, SWEEP_RUNS_MAX);
	fewest = x->references < x->repetitions ? x->references : x->repetitions;
	if (x->warm_up < 0 || x->warm_up >= fewest) /* at least one repetition must count */
		return yaml_refuse(
			x->file, yaml_get(root, "warm_up"), err,
			"warm_up: %d: expected 0 to %d: of %s: %d at least one must count",
			x->warm_up, fewest - 1,
			fewest < x->repetitions ? "references" : "repetitions", fewest);
	if (!x->random && yaml_get(root, "order_seed"))
		return yaml_refuse(x->file, yaml_get(root, "order_seed"), err,
				   "order_seed: nothing to draw without order: random");
	return RB_OK;
}

/* The keys that are the runs' own, or NULL: out of memory. */
static const char **keys_of_runs(struct yaml_file *file)
{
	const char **keys = yaml_alloc(file, (file->root->count + 1) * sizeof *keys);
	size_t count = 0;

	for (const struct yaml_node *n = file->root->first; keys && n; n = n->next)
		if (!experiment_has_key(n->key))
			keys[count++] = n->key;
	return keys;
}

int experiment_read(struct yaml_file *file, struct experiment **out, struct rb_error *err)
{
	const char **others;

	*out = NULL;
	if (file->root->kind != YAML_MAPPING)
		return yaml_refuse(file, file->root, err, "expected a mapping (key: value)");
	*out = yaml_alloc(file, sizeof **out);
	others = keys_of_runs(file);
	if (!*out || !others)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", file->path);
	**out = (struct experiment){ .repetitions = 1, .order_seed = 1, .file = file };
	RB_TRY(yaml_read(file, file->root, table, others, *out, err));
	RB_TRY(points_name(file, &(*out)->name, err));
	return check(*out, err);
}
