#include "harness/cli/explain.h"

#include "base/status.h"
#include "forecast/forecast.h"

#include <inttypes.h>
#include <stdlib.h>

int explain_case_init(struct explain_case *c, int np, struct rb_error *err)
{
	c->checkpoint = 0;
	c->recompute = FT_ROLLBACK;
	c->dead = calloc((size_t)np, sizeof *c->dead);
	c->lo = calloc((size_t)np, sizeof *c->lo);
	c->hi = calloc((size_t)np, sizeof *c->hi);
	return c->dead && c->lo && c->hi ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
}

void explain_case_free(struct explain_case *c)
{
	free(c->dead);
	free(c->lo);
	free(c->hi);
}

/* The iterations in which a kill finds the roles. Unless a kernel is uncoupled, each of its
 * iterations has a reduction over all roles, so a survivor is at most one iteration away. */
struct moment {
	int64_t checkpoint, front, least, most;
};

static struct moment moment_of(const struct inject_kill *kill, struct schedule s, int64_t lag)
{
	struct moment m = { .front = kill->iter };
	/* the next one waits for it */
	int64_t wait = lag < 0 ? 0 : lag < s.interval ? lag : s.interval;
	int64_t counts = kill->iter - wait; /* taken up to then */

	if (kill->phase == INJECT_CHECKPOINT) { /* the one under way does not count yet */
		m.front = schedule_next(s, kill->iter);
		m.checkpoint = schedule_newest(s, m.front - 1);
	} else {
		m.checkpoint = counts > 0 ? schedule_newest(s, counts) : 0;
	}
	m.least = m.front - (kill->phase != INJECT_COMMIT);
	m.most = m.front + (kill->phase == INJECT_COMMIT || kill->phase == INJECT_OPERATION);
	if (m.least < m.checkpoint)
		m.least = m.checkpoint;
	return m;
}

/* A job that is not repaired dies with its first role. */
static bool is_victim(const struct run_spec *spec, const struct inject_kill *kill, int role)
{
	if (spec->strategy == FT_RESTART)
		return true;
	if (kill->who == INJECT_ROLE)
		return kill->number == role;
	return kill->who >= INJECT_NODE && spec_node(spec, role) == kill->number;
}

int explain_plan(struct explain_case *c, const struct run_spec *spec,
		 const struct kernel_plan *plan, struct rb_error *err)
{
	int64_t least = INT64_MAX, most = 0, front = 0;
	struct moment m = { 0, 0, 0, 0 };

	if (plan->uncoupled)
		return rb_fail(
			err, RB_EINVAL,
			"%s: its roles run apart, so the iteration in which a failure finds each "
			"of them is unknown",
			spec->kernel->name);
	if (spec->plan.count == 0)
		return rb_fail(err, RB_EINVAL,
			       "--kill: expected at least one, for instance --kill 3@38");
	for (size_t k = 0; k < spec->plan.count; k++) {
		const struct inject_kill *kill = &spec->plan.kill[k];
		int64_t before = m.checkpoint;

		if (kill->phase >= INJECT_RECOVERY && kill->phase <= INJECT_BLOCKED)
			return rb_fail(
				err, RB_EINVAL,
				"--kill: the effect of a kill within a recovery depends on its "
				"course; phases start, send, op+N, commit and checkpoint can be "
				"forecast");
		m = moment_of(kill, spec_schedule(spec), spec->lag);
		if (k > 0 && m.checkpoint != before)
			return rb_fail(err, RB_EINVAL,
				       "--kill: these kills are not one failure: they go back to "
				       "checkpoints %" PRId64 " and %" PRId64
				       "; explain them one by one",
				       before, m.checkpoint);
		c->checkpoint = m.checkpoint;
		least = m.least < least ? m.least : least;
		most = m.most > most ? m.most : most;
		front = m.front > front ? m.front : front;
		for (int r = 0; r < spec->np; r++)
			if (is_victim(spec, kill, r)) {
				c->dead[r] = true;
				c->lo[r] = c->hi[r] = m.front;
			}
	}
	c->recompute = spec->recompute;
	for (int r = 0; r < spec->np; r++)
		if (!c->dead[r]) {
			c->lo[r] = ft_is_dataflow(c->recompute) ? front : least;
			c->hi[r] = most;
		}
	return RB_OK;
}

static json_t *those(const struct forecast *f, const enum forecast_answer *answers,
		     enum forecast_answer wanted)
{
	json_t *set = json_array();

	for (int r = 0; r < f->np; r++)
		if (answers[r] == wanted)
			json_array_append_new(set, json_integer(r));
	return set;
}

/* What becomes of a role with data-flow rollback. */
enum part { SUPPORTING, SENDING, IDLE };

static json_t *with_part(const struct dataflow *d, enum part wanted)
{
	json_t *set = json_array();

	for (int r = 0; r < d->np; r++) {
		bool idle = d->supported[r] < 0 && !d->active[r] && d->distance[r] != 0;
		enum part part = d->supported[r] > 0 ? SUPPORTING : SENDING;

		if (wanted == IDLE ? idle : d->supported[r] >= 0 && part == wanted)
			json_array_append_new(set, json_integer(r));
	}
	return set;
}

/* null: the role takes no part, or it has no duplicate. */
static void append_or_null(json_t *list, int64_t value)
{
	json_array_append_new(list, value < 0 ? json_null() : json_integer((json_int_t)value));
}

static json_t *dataflow_json(const struct dataflow *d)
{
	json_t *distance = json_array(), *each = json_array();
	json_t *sums = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I}", "restarted", (json_int_t)d->iterations.restarted,
		"supported", (json_int_t)d->iterations.supported, "cone",
		(json_int_t)d->iterations.cone, "rollback", (json_int_t)d->iterations.rollback,
		"full_logging", (json_int_t)d->iterations.full_logging, "global",
		(json_int_t)d->iterations.global);

	for (int r = 0; r < d->np; r++) {
		append_or_null(distance, d->distance[r]);
		append_or_null(each, d->supported[r]);
	}
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "front", (json_int_t)d->front,
		"supporting", with_part(d, SUPPORTING), "sending", with_part(d, SENDING), "idle",
		with_part(d, IDLE), "distance", distance, "supported_each", each, "supported",
		(json_int_t)d->iterations.supported, "iterations", sums, "global_after",
		d->global_after > 0 ? json_integer((json_int_t)d->global_after) : json_null());
}

static void add_dataflow(json_t *json, const struct forecast *f)
{
	json_t *early = dataflow_json(&f->early);

	json_object_update(json, early);
	json_decref(early);
	if (!dataflow_same(&f->early, &f->late))
		json_object_set_new(json, "perhaps", dataflow_json(&f->late));
}

static json_t *as_json(const struct forecast *f, enum ft_recompute how)
{
	json_t *blocked = json_array(), *peak = json_array(), *json;

	for (int r = 0; r < f->np; r++) {
		bool supports = f->dataflow && f->early.supported[r] >= 0;

		if (!supports && f->rolled[r] == FORECAST_NO && f->active[r] == FORECAST_NO)
			json_array_append_new(blocked, json_integer(r));
		json_array_append_new(peak, json_integer((json_int_t)f->log_peak[r]));
	}
	json = json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:[ii], s:o}", "recompute",
			 spec_recompute(how), "checkpoint", (json_int_t)f->checkpoint, "restarted",
			 those(f, f->rolled, FORECAST_YES), "perhaps_restarted",
			 those(f, f->rolled, FORECAST_MAYBE), "active",
			 those(f, f->active, FORECAST_YES), "perhaps_active",
			 those(f, f->active, FORECAST_MAYBE), "blocked", blocked, "chain",
			 f->chain_least, f->chain_most, "log_bytes_peak", peak);
	if (f->dataflow)
		add_dataflow(json, f);
	return json;
}

static int make(struct forecast *f, const struct run_spec *spec, const struct explain_case *c,
		struct rb_error *err)
{
	const struct kernel_args args = spec_args(spec);
	struct kernel_pattern p = kernel_pattern(spec->kernel, &args, spec->np);
	struct forecast_run run = { .pattern = &p.pattern,
				    .schedule = spec_schedule(spec),
				    .dataflow = ft_is_dataflow(c->recompute),
				    .flat = c->recompute == FT_FLAT };
	int *node = calloc((size_t)spec->np, sizeof *node);
	int rc;

	if (!node)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	for (int r = 0; r < spec->np; r++)
		node[r] = spec_node(spec, r);
	rc = policy_parse(&run.policy, spec->policy, err);
	run.policy.node = node;
	if (rc == RB_OK)
		rc = forecast_make(f, &run, c->checkpoint, c->dead, c->lo, c->hi, err);
	free(node);
	return rc;
}

int explain_forecast(const struct run_spec *spec, const struct explain_case *c, json_t **out,
		     struct rb_error *err)
{
	struct forecast f;

	RB_TRY(make(&f, spec, c, err));
	*out = as_json(&f, c->recompute);
	forecast_free(&f);
	return RB_OK;
}
