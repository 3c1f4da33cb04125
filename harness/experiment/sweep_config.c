#include "harness/experiment/sweep_config.h"

#include "base/status.h"
#include "base/text.h"
#include "harness/options/spec_options.h"

#include <stdarg.h>
#include <stdio.h>

static const char *order_word(int i)
{
	static const char *const words[] = { "listed", "random" };

	return i < 2 ? words[i] : NULL;
}

#define AT(member) .at = offsetof(struct sweep_config, member)
#define ANY .least = INT32_MIN, .most = INT32_MAX

/* The keys at the top of the file. Any number is accepted here, so that check_top() can say what
 * its range depends on. */
static const struct option top_table[] = {
	{ .name = "name", .type = OPTION_STRING, AT(name), .required = true },
	{ .name = "power_model", .type = OPTION_STRING, AT(power_model) },
	{ .name = "watts", .type = OPTION_STRING, AT(watts) },
	{ .name = "watts_min", .type = OPTION_AMOUNT, AT(watts_min) },
	{ .name = "repetitions", .type = OPTION_INT, AT(repetitions), ANY },
	{ .name = "references", .type = OPTION_INT, AT(references), ANY },
	{ .name = "restart_repetitions", .type = OPTION_INT, AT(restart_repetitions), ANY },
	{ .name = "warm_up", .type = OPTION_INT, AT(warm_up), ANY },
	{ .name = "order", .type = OPTION_WORD, AT(random), .word = order_word },
	{ .name = "seed", .type = OPTION_LONG, AT(seed), .least = 0, .most = INT64_MAX },
	{ .name = "budget", .type = OPTION_TIME, AT(budget_s) },
	{ .name = NULL },
};

/* A message about a key at the top of the file. */
static int refuse(const struct sweep_config *c, const char *key, struct rb_error *err,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int refuse(const struct sweep_config *c, const char *key, struct rb_error *err,
		  const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	return rb_fail(err, RB_EINVAL, "%s:%d: %s: %s", c->file->path,
		       yaml_get(c->file->root, key)->line, key, what);
}

/* Check values whose range depends on other keys. */
static int check_top(struct sweep_config *c, struct rb_error *err)
{
	bool restarts =
		c->restart_repetitions != 0 || yaml_get(c->file->root, "restart_repetitions");
	int fewest;

	if (!text_names_folder(c->name))
		return refuse(c, "name", err, "%.60s: expected a name that a folder can have",
			      c->name);
	if (c->repetitions < 1 || c->repetitions > SWEEP_RUNS_MAX)
		return refuse(c, "repetitions", err, "%d: expected 1 to %d", c->repetitions,
			      SWEEP_RUNS_MAX);
	if (restarts && (c->restart_repetitions < 1 || c->restart_repetitions > c->repetitions))
		return refuse(c, "restart_repetitions", err,
			      "%d: expected 1 to %d, the repetitions of all others",
			      c->restart_repetitions, c->repetitions);
	if (!yaml_get(c->file->root, "references"))
		c->references = c->repetitions;
	else if (c->references < 1 || c->references > SWEEP_RUNS_MAX)
		return refuse(c, "references", err, "%d: expected 1 to %d", c->references,
			      SWEEP_RUNS_MAX);
	c->restart_repetitions = restarts ? c->restart_repetitions : c->repetitions;
	fewest = c->references < c->restart_repetitions ? c->references : c->restart_repetitions;
	if (c->warm_up < 0 || c->warm_up >= fewest) /* at least one repetition must count */
		return refuse(c, "warm_up", err,
			      "%d: expected 0 to %d: of %s: %d at least one must count", c->warm_up,
			      fewest - 1,
			      fewest == c->references && fewest < c->repetitions ? "references"
			      : restarts ? "restart_repetitions"
					 : "repetitions",
			      fewest);
	if (!c->random && yaml_get(c->file->root, "seed"))
		return refuse(c, "seed", err, "nothing to draw without order: random");
	return RB_OK;
}

static int read_file(struct yaml_file *file, struct sweep_config *c, struct rb_error *err)
{
	const char *others[OPTIONS_MAX] = { "runs" };
	int count = 1;

	for (const struct option *o = spec_table; o->name; o++)
		if (o->shape == SHAPE_TOP)
			others[count++] = option_file_key(o);
	c->file = file;
	RB_TRY(yaml_read(file, file->root, top_table, others, c, err));
	c->runs = yaml_get(file->root, "runs");
	if (!c->runs || c->runs->kind != YAML_SEQUENCE || !c->runs->first)
		return yaml_refuse(file, c->runs ? c->runs : file->root, err,
				   "runs: expected a list of at least one entry");
	return check_top(c, err);
}

int sweep_config_read(struct yaml_file *file, struct sweep_config **out, struct rb_error *err)
{
	*out = yaml_alloc(file, sizeof **out);
	if (!*out)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", file->path);
	**out = (struct sweep_config){ .repetitions = 1, .seed = 1 };
	return read_file(file, *out, err);
}
