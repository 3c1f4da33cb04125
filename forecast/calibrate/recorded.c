#include "forecast/calibrate/recorded.h"

#include "base/json.h"
#include "base/status.h"
#include "forecast/calibrate/planned_pattern.h"
#include "inject/plan.h"

#include <stdlib.h>
#include <string.h>

/* The logs of all roles are entered iteration by iteration, and a damaged record may have any
 * number. */
enum { ROLES_MAX = 16384, ITERATIONS_MAX = 1000000 };

static const char no_death[] = "there was a repair in which no role died",
		  refused[] = "a checkpoint was lost, so roles went back further in another repair";

static int leave(struct rb_error *err, const char *why)
{
	return rb_fail(err, RB_EINVAL, "%s", why);
}

static bool is(const json_t *record, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(record, key));

	return value && strcmp(value, text) == 0;
}

/* Runs of which there is nothing to compare, or whose repairs are none of the simulator's. */
static int check_kind(const json_t *record, struct rb_error *err)
{
	const json_t *failures = json_object_get(record, "failures"), *failure;
	size_t i;

	if (!is(record, "schema", "rollbench-run-1") || !json_object_get(record, "kind"))
		return leave(err, "no record of a run of this version");
	if (is(record, "kind", "elc"))
		return leave(err, "with --protocol");
	if (!is(record, "status", "ok") ||
	    json_is_false(json_object_get(json_object_get(record, "compared"), "equal")))
		return leave(err, "not ok, or not equal to the failure-free run");
	if (json_array_size(failures) == 0)
		return leave(err, json_array_size(json_object_get(record, "plan"))
					  ? "no role died"
					  : "without a failure");
	if (is(record, "strategy", "restart"))
		return leave(err, "job restart, which is not simulated");
	if (json_integer_value(json_object_get(record, "escalations")) > 0 ||
	    json_integer_value(json_object_get(record, "restarts")) > 0)
		return leave(err, "its job was started again");
	if (json_is_true(json_object_get(record, "resumed")))
		return leave(err, "it was resumed");
	json_array_foreach(failures, i, failure)
		if (is(failure, "replaced_by", "restart"))
			return leave(err, "its job was started again");
	return RB_OK;
}

static int read_counts(struct recorded *r, const json_t *record, struct rb_error *err)
{
	const json_t *counts = json_object_get(record, "iterations");
	const json_t *useful = json_object_get(counts, "useful"),
		     *repeated = json_object_get(counts, "repeated");

	if (!json_is_integer(useful) || !json_is_integer(repeated))
		return leave(err, "its iterations were not counted");
	r->steps = json_integer_value(useful) / r->spec.np;
	r->repeated = json_integer_value(repeated);
	r->supported = json_integer_value(json_object_get(counts, "supported"));
	if (r->steps < 1 || r->steps > ITERATIONS_MAX / r->spec.np)
		return leave(err, "too many iterations");
	return RB_OK;
}

static int read_spec(struct recorded *r, json_t *record, struct rb_error *err)
{
	struct kernel_plan plan;

	RB_TRY(spec_from_record(&r->spec, record, err));
	if (r->spec.np > ROLES_MAX)
		return leave(err, "too many roles");
	r->args = spec_args(&r->spec);
	RB_TRY(planned_pattern(&r->pattern, &plan, r->spec.kernel, &r->args, r->spec.np, err));
	r->node = calloc((size_t)r->spec.np, sizeof *r->node);
	if (!r->node)
		return RB_ENOMEM;
	for (int i = 0; i < r->spec.np; i++)
		r->node[i] = spec_node(&r->spec, i);
	RB_TRY(policy_parse(&r->policy, r->spec.policy, err));
	r->policy.node = r->node;
	if (json_array_size(json_object_get(record, "refused_checkpoints")) > 0)
		r->unseen = refused;
	if (strncmp(r->spec.policy, "budget:", 7) == 0 && r->spec.lag != 0)
		return leave(
			err,
			"a log with a budget, and checkpoints that count later (--ckpt-lag): when "
			"it is full is not recorded");
	return RB_OK;
}

/* All roles that died in the epoch of this failure. */
static int read_dead(struct recorded *r, struct found *f, const json_t *failures,
		     const json_t *failure, json_t *died, struct rb_error *err)
{
	const json_t *other;
	size_t i;

	json_array_foreach(failures, i, other) {
		const json_int_t role = json_integer_value(json_object_get(other, "role"));

		if (!json_equal(json_object_get(other, "epoch"), json_object_get(failure, "epoch")))
			continue;
		if (role < 0 || role >= r->spec.np)
			return leave(err, "a damaged record");
		f->dead[role] = true;
		json_array_append_new(died, json_integer(role));
	}
	return RB_OK;
}

static int read_fronts(struct recorded *r, struct found *f, const json_t *failure, json_t *line,
		       struct rb_error *err)
{
	const json_t *fronts = json_object_get(failure, "fronts");
	const json_int_t checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));

	for (int i = 0; i < r->spec.np; i++) {
		const json_t *front = json_array_get(fronts, (size_t)i);

		if (!json_is_integer(front))
			return leave(err, "a role died before it noted in which iteration it was");
		f->front[i] = json_integer_value(front);
		f->line[i] = checkpoint;
		json_array_append_new(line, json_integer(checkpoint));
		if (f->front[i] < 0 || f->front[i] > r->steps || checkpoint < 0 ||
		    checkpoint > r->steps)
			return leave(err, "a damaged record");
	}
	return RB_OK;
}

/* A role that lives has copies of all that it has ever received, also if it has gone back since. */
static void note_copies(const struct recorded *r, struct found *f)
{
	const struct found *before = r->count > 1 ? f - 1 : NULL;

	for (int i = 0; i < r->spec.np; i++) {
		const int64_t had = before && !before->dead[i] ? before->copies[i] : 0;

		f->copies[i] = f->front[i] > had ? f->front[i] : had;
	}
}

static int read_recovery(struct recorded *r, const json_t *failures, const json_t *failure,
			 struct rb_error *err)
{
	static const char *const keys[] = { "fronts",  "rollback_set", "supporting",
					    "sending", "distance",     "supported" };
	const size_t n = (size_t)r->spec.np;
	struct found *f = &r->found[r->count++];
	json_t *told = json_pack("{s:[], s:[]}", "died", "line");

	json_array_append_new(r->recoveries, told);
	f->dead = calloc(n, sizeof *f->dead);
	f->front = calloc(n, sizeof *f->front);
	f->line = calloc(n, sizeof *f->line);
	f->copies = calloc(n, sizeof *f->copies);
	if (!f->dead || !f->front || !f->line || !f->copies)
		return RB_ENOMEM;
	f->recompute = spec_recompute_of(text_of(failure, "recompute"));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(told, keys[i], json_object_get(failure, keys[i]));
	RB_TRY(read_dead(r, f, failures, failure, json_object_get(told, "died"), err));
	RB_TRY(read_fronts(r, f, failure, json_object_get(told, "line"), err));
	note_copies(r, f);
	return RB_OK;
}

/* One per epoch, in their order. */
static int read_recoveries(struct recorded *r, const json_t *failures, struct rb_error *err)
{
	json_int_t last = 0;
	const json_t *failure;
	size_t i;

	r->recoveries = json_array();
	r->found = calloc(json_array_size(failures), sizeof *r->found);
	if (!r->recoveries || !r->found)
		return RB_ENOMEM;
	json_array_foreach(failures, i, failure) {
		const json_int_t epoch = json_integer_value(json_object_get(failure, "epoch"));

		if (epoch == last)
			continue;
		if (epoch != last + 1)
			r->unseen = no_death;
		last = epoch;
		RB_TRY(read_recovery(r, failures, failure, err));
	}
	return RB_OK;
}

static void note(struct recorded *r, const char *why)
{
	if (!r->unplanned[0])
		snprintf(r->unplanned, sizeof r->unplanned, "%s", why);
}

/* A planned kill as failures of the model, one per role that it hits. */
static void read_kill(struct recorded *r, const struct inject_kill *kill)
{
	static const int64_t points[] = { [INJECT_START] = AT_START,
					  [INJECT_SEND] = AT_SEND,
					  [INJECT_COMMIT] = AT_COMMIT,
					  [INJECT_CHECKPOINT] = AT_CHECKPOINT };

	if (kill->who == INJECT_SPARE) {
		r->unseen = no_death;
		note(r, "a spare was killed");
		return;
	}
	if (kill->phase > INJECT_CHECKPOINT || kill->nth > 1) {
		note(r,
		     "a kill at a point that the model does not have (of a recovery, op+N or #N)");
		return;
	}
	for (int role = 0; role < r->spec.np; role++)
		if (kill->who == INJECT_ROLE ? kill->number == role
					     : kill->number == r->node[role]) {
			if (r->failures == INJECT_MAX_KILLS) {
				note(r, "too many deaths for the simulator");
				return;
			}
			r->failure[r->failures++] =
				(struct failure){ role, points[kill->phase], kill->iter };
		}
}

static int read_plan(struct recorded *r, const json_t *record, struct rb_error *err)
{
	const json_t *outside = json_object_get(record, "killed_from_outside"), *text;
	struct inject_plan plan = { .count = 0 };
	size_t i;

	json_array_foreach(outside, i, text) {
		if (json_is_integer(json_object_get(text, "spare")))
			r->unseen = no_death;
		note(r, "kills by the clock");
	}
	if (r->spec.mtbf_s > 0)
		note(r, "kills at random");
	json_array_foreach(json_object_get(record, "plan"), i, text) {
		if (plan.count == INJECT_MAX_KILLS || !json_is_string(text))
			return leave(err, "a damaged record");
		RB_TRY(inject_parse(&plan, json_string_value(text), r->spec.np, err));
	}
	for (i = 0; i < plan.count; i++)
		read_kill(r, &plan.kill[i]);
	return RB_OK;
}

int recorded_read_run(struct recorded *r, json_t *record, struct rb_error *err)
{
	*r = (struct recorded){ .count = 0 };
	RB_TRY(read_spec(r, record, err));
	return read_counts(r, record, err);
}

int recorded_read(struct recorded *r, json_t *record, struct rb_error *err)
{
	*r = (struct recorded){ .count = 0 };
	RB_TRY(check_kind(record, err));
	RB_TRY(recorded_read_run(r, record, err));
	RB_TRY(read_plan(r, record, err));
	return read_recoveries(r, json_object_get(record, "failures"), err);
}

void recorded_free(struct recorded *r)
{
	for (size_t k = 0; k < r->count; k++) {
		free(r->found[k].dead);
		free(r->found[k].front);
		free(r->found[k].line);
		free(r->found[k].copies);
	}
	free(r->found);
	free(r->node);
	json_decref(r->recoveries);
}
