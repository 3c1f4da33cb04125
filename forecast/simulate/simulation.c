#include "forecast/simulate/simulation.h"

#include "base/build_json.h"
#include "base/clock.h"
#include "base/status.h"
#include "forecast/calibrate/calibration.h"
#include "forecast/forecast.h"
#include "forecast/pattern/allreduce.h"
#include "forecast/pattern/stencil_pattern.h"
#include "forecast/simulate/recovery_json.h"
#include "harness/options/duration.h"
#include "harness/options/recorded_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kernel_ops *simulation_kernel(const char *name)
{
	return name && strcmp(name, allreduce.name) == 0 ? &allreduce : kernel_or_profile(name);
}

struct model simulation_model(const struct simulation *s, const struct method *m, uint64_t seed)
{
	struct model model = { .pattern = s->pattern,
			       .steps = s->steps,
			       .policy = m->policy,
			       .recompute = m->recompute,
			       .schedule = { s->interval, s->ckpt_first },
			       .line = s->line,
			       .reach = s->stops,
			       .work = s->work,
			       .costs = s->costs,
			       .platform = s->platform };

	model.work.seed = seed;
	memcpy(model.watts, s->watts, sizeof model.watts);
	return model;
}

/* What a role sends in an iteration. */
struct sends {
	int64_t count, bytes;
};

static int add_send(void *ctx, const struct pattern_operation *o)
{
	struct sends *s = ctx;

	s->count += o->kind == PATTERN_SEND;
	s->bytes += o->kind == PATTERN_SEND ? (int64_t)o->bytes : 0;
	return RB_OK;
}

/* Do all roles that send as much have as much in their logs? In a stencil, all iterations are the
 * same. */
static bool depends_on_sends(const struct model *m)
{
	return stencil_of(m->pattern) && m->policy.ops->first_iterations;
}

/* {"largest", "sum"} over all roles. NULL: out of memory. */
static json_t *log_json(const struct model *m)
{
	const struct forecast_run run = { .pattern = m->pattern,
					  .policy = m->policy,
					  .schedule = m->schedule,
					  .iterations = m->steps,
					  .dataflow = ft_is_dataflow(m->recompute) };
	const bool alike = depends_on_sends(m);
	struct sends last = { -1, -1 }; /* of the role whose bytes are known */
	int64_t largest = 0, sum = 0, bytes = 0;

	for (int r = 0; r < m->pattern->np && m->policy.ops != &policy_none; r++) {
		struct sends here = { 0, 0 };

		if (alike && m->pattern->operations(m->pattern, r, 0, add_send, &here) != RB_OK)
			return NULL;
		if ((!alike || here.count != last.count || here.bytes != last.bytes) &&
		    forecast_log(&run, r, &bytes) != RB_OK)
			return NULL;
		last = here;
		sum += bytes;
		largest = bytes > largest ? bytes : largest;
	}
	return json_pack("{s:I, s:I}", "largest", (json_int_t)largest, "sum", (json_int_t)sum);
}

static json_t *by_state(const double *value)
{
	json_t *json = json_object();

	for (int i = 0; i < STATES; i++)
		json_object_set_new(json, energy_state_name((enum energy_state)i),
				    json_real(value[i]));
	return json;
}

static json_t *run_json(const struct simulation *s, const struct method *m, uint64_t seed,
			const struct result *r, double wall_s, json_t *log)
{
	char hash[17];

	snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
	return json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:{s:I, s:I, s:I, s:I}, s:o, s:o, s:O, s:s, "
		"s:s, s:f}",
		"method", m->name, "policy", m->policy.ops->name, "seed", (json_int_t)seed,
		"failures", (json_int_t)r->failures, "repairs", (json_int_t)r->repairs, "overlaps",
		(json_int_t)r->overlaps, "makespan_s", seconds_of(r->makespan), "iterations",
		"useful", (json_int_t)r->useful, "repeated", (json_int_t)r->repeated, "supported",
		(json_int_t)r->supported, "stopped", (json_int_t)r->stopped, "state_s",
		by_state(r->state_s), "energy_j", by_state(r->energy_j), "log_bytes", log,
		"end_times_hash", hash, "engine", engine_name(s->engine), "wall_s", wall_s);
}

/* Those that were given, and those before tick `end` that are drawn. The caller frees. NULL: out of
 * memory. */
static struct failure *failures_until(const struct simulation *s, uint64_t seed, int64_t end,
				      size_t *count)
{
	struct failure_law law = s->law;
	struct failure *drawn = NULL, *all = NULL;
	size_t more = 0;

	law.seed = seed;
	if (law.mtbf_s > 0 && draw_failures(&law, s->pattern->np, end, &drawn, &more) != RB_OK)
		return NULL;
	all = malloc((more + s->failures + 1) * sizeof *all);
	if (all && more > 0)
		memcpy(all, drawn, more * sizeof *all);
	if (all)
		memcpy(all + more, s->failure, s->failures * sizeof *all);
	*count = more + s->failures;
	free(drawn);
	return all;
}

/* A run. Failures are drawn up to a time; if it lasts longer, again, up to a later one: the first
 * are then the same. */
static int run_one(const struct simulation *s, const struct model *m, uint64_t seed,
		   struct result *r, struct rb_error *err)
{
	int64_t end = (int64_t)((double)ticks_of(m->work.seconds[m->work.knots - 1] +
						 m->costs.latency_s) *
				1.5 * (double)m->steps) +
		      ticks_of(1);

	for (;; end *= 2) {
		size_t count;
		struct failure *list = failures_until(s, seed, end, &count);
		int rc;

		json_array_clear(m->watched); /* nothing, if recoveries are not asked for */
		rc = list ? engine_call(s->engine, s->threads, m, list, count, r, err)
			  : rb_fail(err, RB_ENOMEM, "out of memory");

		free(list);
		if (rc != RB_OK || !(s->law.mtbf_s > 0) || r->makespan < end)
			return rc;
		result_free(r);
		if (end > TICKS_MAX / 2)
			return rb_fail(err, RB_EINVAL,
				       "with these failures the run does not come to an end");
	}
}

/* The same run without shared cores and links, and how much longer the run `r` takes. */
static int compare_free(const struct simulation *s, const struct model *m, uint64_t seed,
			const struct result *r, json_t *run, struct rb_error *err)
{
	struct simulation alone = *s;
	struct model free_model = *m;
	struct result free_run;

	alone.engine = ENGINE_FAST;
	alone.platform = free_model.platform = (struct platform){ 0 };
	free_model.watch = NULL;
	RB_TRY(run_one(&alone, &free_model, seed, &free_run, err));
	json_object_set_new(run, "contention_free_makespan_s",
			    json_real(seconds_of(free_run.makespan)));
	json_object_set_new(run, "contention_ratio",
			    free_run.makespan > 0
				    ? json_real((double)r->makespan / (double)free_run.makespan)
				    : json_null());
	result_free(&free_run);
	return RB_OK;
}

/* What only SimGrid tells. */
static int add_platform(const struct simulation *s, const struct model *m, uint64_t seed,
			const struct result *r, json_t *run, struct rb_error *err)
{
	if (s->engine == ENGINE_SIMGRID)
		json_object_set_new(run, "host_energy_j", json_real(r->host_energy_j));
	return platform_is_given(&s->platform) ? compare_free(s, m, seed, r, run, err) : RB_OK;
}

/* Progress for long work, on a terminal or not. */
static void say_progress(size_t done, size_t all, double begun, double *said)
{
	const double now = clock_monotonic();
	char left[DURATION_TEXT];

	if (now - *said < 5 || done == all)
		return;
	*said = now;
	duration_format((now - begun) / (double)done * (double)(all - done), left);
	fprintf(stderr, "%zu of %zu runs, ETA %s\n", done, all, left);
}

/* One run, and what the record says of it. */
static int run_method(const struct simulation *s, const struct method *method, uint64_t seed,
		      json_t *log, json_t *runs, struct rb_error *err)
{
	const double start = clock_monotonic();
	struct model m = simulation_model(s, method, seed);
	json_t *recoveries = json_array(), *run;
	struct result r;
	int rc;

	if (s->recoveries)
		recovery_watch(&m, recoveries);
	rc = run_one(s, &m, seed, &r, err);
	if (rc == RB_OK) {
		run = run_json(s, method, seed, &r, clock_monotonic() - start, log);
		if (s->recoveries)
			json_object_set(run, "recoveries", recoveries);
		rc = add_platform(s, &m, seed, &r, run, err);
		json_array_append_new(runs, run);
		result_free(&r);
	}
	json_decref(recoveries);
	return rc;
}

static int run_all(const struct simulation *s, json_t *runs, struct rb_error *err)
{
	const double begun = clock_monotonic();
	double said = begun;
	size_t done = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct model m = simulation_model(s, &s->method[i], s->seed);
		json_t *log = log_json(&m);
		int rc = log ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

		for (int k = 0; rc == RB_OK && k < s->seeds; k++) {
			rc = run_method(s, &s->method[i], s->seed + (uint64_t)k, log, runs, err);
			if (rc == RB_OK && !s->quiet)
				say_progress(++done, s->count * (size_t)s->seeds, begun, &said);
		}
		json_decref(log);
		RB_TRY(rc);
	}
	return RB_OK;
}

static json_t *numbers(const double *list, int count)
{
	json_t *json = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(json, json_real(list[i]));
	return json;
}

static const char *word_of(const struct simulation *s, const char *option, int value)
{
	const struct option *o = option_find(s->table, option);

	return o->word(value);
}

/* The kernel's options as they were given. */
static json_t *params_json(const struct simulation *s)
{
	const struct kernel_ops *kernel = simulation_kernel(s->name);
	json_t *json = kernel ? json_object() : json_null();

	for (int i = 0; kernel && kernel->options[i].name; i++)
		json_object_set_new(json, kernel->options[i].name, json_string(s->args.value[i]));
	return json;
}

/* null: nothing is shared. */
static json_t *platform_json(const struct platform *p)
{
	if (!platform_is_given(p))
		return json_null();
	return json_pack("{s:i, s:i, s:s, s:f}", "roles_per_host", platform_roles(p),
			 "cores_per_host", platform_cores(p), "network",
			 p->network.text[0] ? p->network.text : "unshared", "hop_latency_s",
			 p->network.hop_s);
}

json_t *simulation_model_json(const struct simulation *s)
{
	const struct costs *c = &s->costs;
	json_t *costs =
		json_pack("{s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f}", "latency_s", c->latency_s,
			  "bytes_per_s", c->bytes_per_s, "log_bytes_per_s",
			  c->log_bytes_per_s > 0 ? json_real(c->log_bytes_per_s) : json_null(),
			  "checkpoint_s", c->checkpoint_s, "detect_s", c->detect_s, "repair_s",
			  c->repair_s, "restore_s", c->restore_s, "replay_speed", c->replay_speed);
	json_t *law = s->law.mtbf_s > 0
			      ? json_pack("{s:f, s:f, s:i}", "mtbf_node_s", s->law.mtbf_s, "shape",
					  s->law.shape, "roles_per_node", s->law.roles_per_node)
			      : json_null();
	json_t *grid = s->axes > 0 ? json_array() : json_null(), *given = json_array();

	for (int a = 0; a < s->axes; a++)
		json_array_append_new(grid, json_integer(s->grid[a]));
	for (size_t i = 0; i < s->failures; i++)
		json_array_append_new(
			given, s->failure[i].at < 0
				       ? json_pack("{s:i, s:I, s:s}", "role", s->failure[i].role,
						   "iteration", (json_int_t)s->failure[i].iter,
						   "point", failure_point_name(s->failure[i].at))
				       : json_pack("{s:i, s:f}", "role", s->failure[i].role, "at_s",
						   seconds_of(s->failure[i].at)));
	return json_pack(
		"{s:o, s:o, s:s, s:i, s:o, s:b, s:o, s:I, s:o, s:I, s:I, s:s, s:s, s:o, s:o, s:o, "
		"s:o, s:o*, s:o*}",
		"params", params_json(s), "platform", platform_json(&s->platform), "pattern",
		s->name, "np", s->pattern->np, "grid", grid, "periodic", s->periodic, "bytes",
		s->axes > 0 ? numbers(s->bytes, STENCIL_AXES) : json_null(), "steps",
		(json_int_t)s->steps, "work_s", numbers(s->work.seconds, s->work.knots), "interval",
		(json_int_t)s->interval, "ckpt_first", (json_int_t)s->ckpt_first, "line",
		word_of(s, "line", s->line), "stops", word_of(s, "stops", s->stops), "costs", costs,
		"watts", by_state(s->watts), "random_failures", law, "failures", given,
		"calibration", s->calibration ? calibration_json(s->calibration) : NULL, "width",
		s->axes > 0 && s->width > 1 ? json_integer(s->width) : NULL);
}

json_t *simulation_run(const struct simulation *s, struct rb_error *err)
{
	json_t *runs = json_array(), *model = simulation_model_json(s);

	if (run_all(s, runs, err) == RB_OK)
		return json_pack("{s:s, s:b, s:o, s:o, s:o}", "schema", "rollbench-simulate-1",
				 "modelled", 1, "rollbench", build_json(), "model", model, "runs",
				 runs);
	json_decref(runs);
	json_decref(model);
	return NULL;
}
