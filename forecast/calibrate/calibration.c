#include "forecast/calibrate/calibration.h"

#include "base/json.h"
#include "base/mix.h"
#include "base/status.h"
#include "forecast/calibrate/work_tables.h"
#include "forecast/fast/fast.h"

#include <math.h>
#include <stdlib.h>

/* A bandwidth that is not asked for: the bytes of a message then take no time, and the latency is
 * that of a message of any size. */
#define NO_BYTES_COUNT 1e18

struct model calibration_model(const struct recorded *r)
{
	return (struct model){ .pattern = &r->pattern.pattern,
			       .steps = r->steps,
			       .policy = r->policy,
			       .recompute = r->spec.recompute,
			       .schedule = spec_schedule(&r->spec),
			       .line = LINE_FREE,
			       .reach = REPAIR_ALL };
}

/* Seconds of one checkpoint: of the role that waited longest for them. */
static double checkpoint_of(const json_t *record)
{
	const json_t *all = json_object_get(record, "checkpoints");
	const double count = number_of(all, "count") / number_of(record, "np");

	return count > 0 ? number_of(all, "seconds_max") / count : NAN;
}

/* Bytes that enter a log in a second of logging, without packing them, which is work. */
static double log_of(const json_t *record)
{
	double bytes = 0, seconds = 0;
	const json_t *role;
	size_t i;

	json_array_foreach(json_object_get(record, "roles"), i, role) {
		const json_t *phases = json_object_get(role, "phases");

		bytes += number_of(role, "log_bytes_total") / number_of(role, "executed");
		seconds += number_of(phases, "log_s") / number_of(phases, "iterations");
	}
	return bytes > 0 && seconds > 0 ? bytes / seconds : NAN;
}

static int note(struct calibration *c, enum cost which, double value)
{
	return isfinite(value) && value >= 0 ? sample_add(&c->cost[which], value) : RB_OK;
}

static int take_recovery(struct calibration *c, const json_t *failure)
{
	struct outage *o = &c->outage[c->outages++];

	*o = (struct outage){ number_of(failure, "detect_s"),
			      number_of(failure, "resume_s") - number_of(failure, "detect_s"),
			      number_of(failure, "restore_s") };
	RB_TRY(note(c, COST_DETECT, o->detect_s));
	RB_TRY(note(c, COST_REPAIR, o->repair_s));
	RB_TRY(note(c, COST_RESTORE, o->restore_s));
	return note(c, COST_REPLAY, number_of(failure, "replay_s"));
}

/* One for each repair: deaths of the same epoch are repaired together. */
static int take_recoveries(struct calibration *c, const json_t *failures)
{
	struct outage *more =
		realloc(c->outage, (c->outages + json_array_size(failures) + 1) * sizeof *more);
	const json_t *failure, *last = NULL;
	size_t i;

	if (!more)
		return RB_ENOMEM;
	c->outage = more;
	json_array_foreach(failures, i, failure) {
		if (!json_equal(json_object_get(failure, "epoch"), last))
			RB_TRY(take_recovery(c, failure));
		last = json_object_get(failure, "epoch");
	}
	return RB_OK;
}

/* The run as it would take with this latency, in ticks. */
static int makespan(const struct calibration *c, struct model *m, int64_t latency, int64_t *ticks,
		    struct rb_error *err)
{
	struct result r;

	m->costs.latency_s = seconds_of(latency);
	RB_TRY(simulate_fast(m, c->threads, NULL, 0, &r, err));
	*ticks = r.makespan;
	result_free(&r);
	return RB_OK;
}

/* The smallest latency in whole ticks with which the simulated run takes at least as long as the
 * measured one. NAN: there is none, because no messages are sent. */
static int fit_latency(const struct calibration *c, struct model *m, double loop_s,
		       double *latency_s, struct rb_error *err)
{
	int64_t low = -1, high = ticks_of(loop_s), takes;

	RB_TRY(makespan(c, m, high, &takes, err));
	*latency_s = NAN;
	if (takes < ticks_of(loop_s))
		return RB_OK;
	while (high - low > 1) {
		const int64_t middle = low + (high - low) / 2;

		RB_TRY(makespan(c, m, middle, &takes, err));
		if (takes >= ticks_of(loop_s))
			high = middle;
		else
			low = middle;
	}
	*latency_s = seconds_of(high);
	return RB_OK;
}

/* With its own work and checkpoints. The log costs what it costs in all runs. */
static int fit_run(struct calibration *c, struct failure_free_run *q, const struct measured *run,
		   struct rb_error *err)
{
	struct recorded r;
	int rc = recorded_read_run(&r, run->record, err);

	if (rc == RB_OK) {
		struct model m = calibration_model(&r);

		calibration_costs(c, &m.costs, &m.work);
		m.work = c->given_work.knots > 0 ? c->given_work : q->work;
		m.work.seed = c->seed;
		m.costs.checkpoint_s = isnan(c->given.checkpoint_s) && isfinite(q->checkpoint_s)
					       ? q->checkpoint_s
					       : m.costs.checkpoint_s;
		rc = fit_latency(c, &m, run->loop_s, &q->latency_s, err);
	}
	recorded_free(&r);
	return rc;
}

static int take_failure_free(struct calibration *c, struct work_tables *all,
			     const struct measured *run)
{
	struct failure_free_run *q = &c->failure_free[c->failure_free_count++];
	struct work_tables own = { .tables = 0 };
	int rc = work_tables_add(&own, run->record);

	*q = (struct failure_free_run){ .latency_s = NAN,
					.checkpoint_s = checkpoint_of(run->record) };
	work_tables_make(&own, &q->work);
	work_tables_free(&own);
	if (rc == RB_OK)
		rc = work_tables_add(all, run->record);
	if (rc == RB_OK)
		rc = note(c, COST_CHECKPOINT, q->checkpoint_s);
	return rc == RB_OK ? note(c, COST_LOG, log_of(run->record)) : rc;
}

static int take_records(struct calibration *c, struct rb_error *err)
{
	struct work_tables all = { .tables = 0 };
	int rc = RB_OK;

	for (size_t i = 0; rc == RB_OK && i < c->m.count; i++) {
		const struct measured *run = &c->m.list[i];

		if (run->fitted && !run->point)
			rc = take_failure_free(c, &all, run);
		else if (run->fitted)
			rc = take_recoveries(c, json_object_get(run->record, "failures"));
	}
	work_tables_make(&all, &c->work);
	c->work_mean = work_tables_mean(&all);
	c->work_tables = all.tables;
	work_tables_free(&all);
	for (int k = 0; k < COSTS; k++)
		sample_sort(&c->cost[k]);
	return rc == RB_OK ? RB_OK : rb_fail(err, rc, "out of memory");
}

static void clear(struct calibration *c)
{
	free(c->failure_free);
	free(c->outage);
	c->failure_free = NULL;
	c->outage = NULL;
	c->failure_free_count = c->outages = 0;
	for (int k = 0; k < COSTS; k++)
		sample_free(&c->cost[k]);
}

int calibration_fit(struct calibration *c, struct rb_error *err)
{
	clear(c);
	c->failure_free = calloc(c->m.failure_free, sizeof *c->failure_free);
	if (!c->failure_free)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	RB_TRY(take_records(c, err));
	if (c->work.knots == 0 && c->given_work.knots == 0)
		return rb_fail(
			err, RB_EINVAL,
			"--from %.200s: no failure-free record has quantiles of its work that can "
			"be used (roles[].phases.work_quantiles_s); measure again, or give --work",
			c->m.path);
	for (size_t i = 0, k = 0; i < c->m.count && isnan(c->given.latency_s); i++) {
		const struct measured *run = &c->m.list[i];
		struct failure_free_run *q = &c->failure_free[k];

		if (run->point || !run->fitted)
			continue;
		k++;
		if (q->work.knots == 0 && c->given_work.knots == 0)
			continue;
		RB_TRY(fit_run(c, q, run, err));
		if (note(c, COST_LATENCY, q->latency_s) != RB_OK)
			return rb_fail(err, RB_ENOMEM, "out of memory");
	}
	sample_sort(&c->cost[COST_LATENCY]);
	c->fitted = true;
	return RB_OK;
}

void calibration_free(struct calibration *c)
{
	clear(c);
	measurements_free(&c->m);
}

/* An option, else the median, else 0. */
static double pick(const struct calibration *c, double given, enum cost which)
{
	return !isnan(given)              ? given
	       : c->cost[which].count > 0 ? sample_quantile(&c->cost[which], 0.5)
					  : 0;
}

void calibration_costs(const struct calibration *c, struct costs *costs, struct work *work)
{
	const struct costs *given = &c->given;

	*costs = (struct costs){
		.latency_s = pick(c, given->latency_s, COST_LATENCY),
		.bytes_per_s = isnan(given->bytes_per_s) ? NO_BYTES_COUNT : given->bytes_per_s,
		.log_bytes_per_s = pick(c, given->log_bytes_per_s, COST_LOG),
		.checkpoint_s = pick(c, given->checkpoint_s, COST_CHECKPOINT),
		.detect_s = pick(c, given->detect_s, COST_DETECT),
		.repair_s = pick(c, given->repair_s, COST_REPAIR),
		.restore_s = pick(c, given->restore_s, COST_RESTORE),
		.replay_speed = isnan(given->replay_speed) ? 1 : given->replay_speed,
	};
	*work = c->given_work.knots > 0 ? c->given_work : c->work;
}

/* The drawn value, unless an option says it or it was not measured there. */
static void draw(double *value, double given, double drawn)
{
	if (isnan(given) && isfinite(drawn) && drawn >= 0)
		*value = drawn;
}

void calibration_draw(const struct calibration *c, uint64_t seed, struct costs *costs,
		      struct work *work)
{
	const struct costs *given = &c->given;
	uint64_t state = mix(seed);
	const uint64_t q = mix_draw(&state), o = mix_draw(&state);

	calibration_costs(c, costs, work);
	if (c->failure_free_count > 0) {
		const struct failure_free_run *run = &c->failure_free[q % c->failure_free_count];

		draw(&costs->latency_s, given->latency_s, run->latency_s);
		draw(&costs->checkpoint_s, given->checkpoint_s, run->checkpoint_s);
		if (c->given_work.knots == 0 && run->work.knots > 0)
			*work = run->work;
	}
	if (c->outages > 0) {
		const struct outage *outage = &c->outage[o % c->outages];

		draw(&costs->detect_s, given->detect_s, outage->detect_s);
		draw(&costs->repair_s, given->repair_s, outage->repair_s);
		draw(&costs->restore_s, given->restore_s, outage->restore_s);
	}
	work->seed = seed;
}

const char *calibration_refuses_times(const struct calibration *c)
{
	return c->m.crowded
		       ? "roles outnumber the cores of their host, so measured times contain "
			 "waiting for a core, which the model does not have; measure with at most "
			 "one role for each core"
		       : NULL;
}
