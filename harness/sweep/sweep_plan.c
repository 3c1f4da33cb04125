#include "harness/sweep/sweep_plan.h"

#include "base/status.h"
#include "harness/spec/duration.h"
#include "harness/sweep/sweep_expand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A message about a key of the top. */
static int refuse(const struct sweep_config *c, const char *path, const char *key,
		  const char *what, struct rb_error *err)
{
	return rb_fail(err, RB_EINVAL, "%s:%d: %s: %s", path, yaml_line(c->file, key), key, what);
}

static int check_repetitions(const struct sweep_config *c, const char *path, struct rb_error *err)
{
	int all = c->repetitions ? *c->repetitions : 1;
	struct rb_error why;

	rb_fail(&why, 0, "%d: expected 1 to %d", all, SWEEP_RUNS_MAX);
	if (all < 1 || all > SWEEP_RUNS_MAX)
		return refuse(c, path, "repetitions", why.text, err);
	if (!c->restart_repetitions ||
	    (*c->restart_repetitions >= 1 && *c->restart_repetitions <= all))
		return RB_OK;
	rb_fail(&why, 0, "%d: expected 1 to %d, the repetitions of all others", *c->restart_repetitions,
		all);
	return refuse(c, path, "restart_repetitions", why.text, err);
}

/* Something must be left to count. */
static int read_warm_up(const struct sweep_config *c, const char *path, struct sweep_plan *plan,
			struct rb_error *err)
{
	const int32_t *repetitions = c->restart_repetitions ? c->restart_repetitions : c->repetitions;
	int fewest = repetitions ? *repetitions : 1;
	struct rb_error why;

	plan->warm_up = c->warm_up ? *c->warm_up : 0;
	if (plan->warm_up >= 0 && plan->warm_up < fewest)
		return RB_OK;
	rb_fail(&why, 0, "%d: expected 0 to %d: of %s: %d at least one must count", plan->warm_up, fewest - 1,
		c->restart_repetitions ? "restart_repetitions" : "repetitions", fewest);
	return refuse(c, path, "warm_up", why.text, err);
}

static int read_order(const struct sweep_config *c, const char *path, struct sweep_plan *plan,
		      struct rb_error *err)
{
	plan->random = c->order && strcmp(c->order, "random") == 0;
	plan->seed = c->seed ? *c->seed : 1;
	if (c->order && !plan->random && strcmp(c->order, "listed") != 0)
		return refuse(c, path, "order", "expected listed or random", err);
	if (c->seed && !plan->random)
		return refuse(c, path, "seed", "nothing to draw without order: random", err);
	if (plan->seed < 0)
		return refuse(c, path, "seed", "expected 0 or more", err);
	return RB_OK;
}

static int read_top(const struct sweep_config *c, const char *path, struct sweep_plan *plan,
		    struct rb_error *err)
{
	struct rb_error why;

	if (c->deadline && !(isfinite(*c->deadline) && *c->deadline > 0))
		return refuse(c, path, "deadline", "expected a positive number of seconds", err);
	if (c->budget && duration_parse("budget", c->budget, &plan->budget_s, &why) != RB_OK)
		return rb_fail(err, RB_EINVAL, "%s:%d: %s", path, yaml_line(c->file, "budget"),
			       why.text);
	RB_TRY(check_repetitions(c, path, err));
	RB_TRY(read_warm_up(c, path, plan, err));
	return read_order(c, path, plan, err);
}

int sweep_plan_make(const struct sweep_config *config, const char *path, struct sweep_plan *plan,
		    struct rb_error *err)
{
	int rc;

	memset(plan, 0, sizeof *plan);
	rc = read_top(config, path, plan, err);
	if (rc == RB_OK)
		rc = sweep_expand(config, path, plan, err);
	if (rc == RB_OK && plan->random && sweep_plan_shuffle(plan) != RB_OK)
		rc = rb_fail(err, RB_ENOMEM, "%s: out of memory", path);
	if (rc != RB_OK)
		sweep_plan_free(plan);
	return rc;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	free(plan->run);
	memset(plan, 0, sizeof *plan);
}
