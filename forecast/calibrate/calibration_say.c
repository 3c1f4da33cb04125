/* What was taken from records, for people and for the record. */
#include "base/json.h"
#include "base/status.h"
#include "forecast/calibrate/calibration.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The costs: where an option puts them, and what was measured. */
static const struct {
	const char *key;
	size_t option; /* in struct costs; NO_OPTION: the model does not have it */
} costs[COSTS] = {
#define NO_OPTION ((size_t)-1)
	[COST_LATENCY] = { "latency_s", offsetof(struct costs, latency_s) },
	[COST_LOG] = { "log_bytes_per_s", offsetof(struct costs, log_bytes_per_s) },
	[COST_CHECKPOINT] = { "checkpoint_s", offsetof(struct costs, checkpoint_s) },
	[COST_DETECT] = { "detect_s", offsetof(struct costs, detect_s) },
	[COST_REPAIR] = { "repair_s", offsetof(struct costs, repair_s) },
	[COST_RESTORE] = { "restore_s", offsetof(struct costs, restore_s) },
	[COST_REPLAY] = { "replay_s", NO_OPTION },
};

/* A value of the model, and where it is from. */
struct taken {
	const char *key, *source;
	size_t samples;
	double value, least, most; /* NAN: none */
};

static double given_value(const struct calibration *c, size_t option)
{
	double value;

	if (option == NO_OPTION)
		return NAN;
	memcpy(&value, (const char *)&c->given + option, sizeof value);
	return value;
}

static struct taken taken_of(const struct calibration *c, enum cost which)
{
	const struct sample *s = &c->cost[which];
	const double given = given_value(c, costs[which].option);
	struct taken t = { costs[which].key,
			   "records",
			   s->count,
			   sample_quantile(s, 0.5),
			   sample_quantile(s, 0),
			   sample_quantile(s, 1) };

	if (!isnan(given)) {
		t.source = "option";
		t.value = given;
	} else if (costs[which].option == NO_OPTION) {
		t.source = "not modelled";
	} else if (s->count == 0) {
		t.source = "default";
		t.value = which == COST_LOG ? NAN : 0;
	}
	return t;
}

static struct taken taken_bandwidth(const struct calibration *c)
{
	const double given = c->given.bytes_per_s;

	return (struct taken){
		"bytes_per_s", isnan(given) ? "in the latency" : "option", 0, given, NAN, NAN
	};
}

static struct taken taken_work(const struct calibration *c)
{
	const struct work *w = c->given_work.knots > 0 ? &c->given_work : &c->work;

	return (struct taken){ "work_s",
			       c->given_work.knots > 0 ? "option" : "records",
			       c->work_tables,
			       c->given_work.knots == 1  ? w->seconds[0]
			       : c->given_work.knots > 0 ? NAN
							 : c->work_mean,
			       w->seconds[0],
			       w->seconds[w->knots - 1] };
}

/* Call `each` for all values. */
static void for_all(const struct calibration *c, void (*each)(void *ctx, const struct taken *t),
		    void *ctx)
{
	struct taken t = taken_work(c);

	each(ctx, &t);
	t = taken_bandwidth(c);
	each(ctx, &t);
	for (int k = 0; k < COSTS; k++) {
		t = taken_of(c, (enum cost)k);
		each(ctx, &t);
	}
}

static void add_json(void *ctx, const struct taken *t)
{
	json_object_set_new(ctx, t->key,
			    json_pack("{s:s, s:I, s:o, s:o, s:o}", "source", t->source, "samples",
				      (json_int_t)t->samples, "value", number_json(t->value),
				      "least", number_json(t->least), "most",
				      number_json(t->most)));
}

static size_t fitted_failure_free(const struct calibration *c, size_t *failing)
{
	size_t failure_free = 0;

	*failing = 0;
	for (size_t i = 0; i < c->m.count; i++) {
		failure_free += c->m.list[i].fitted && !c->m.list[i].point;
		*failing += c->m.list[i].fitted && c->m.list[i].point;
	}
	return failure_free;
}

json_t *calibration_json(const struct calibration *c)
{
	json_t *values = c->fitted ? json_object() : json_null();
	const json_t *first = c->m.list[0].record, *host = json_object_get(first, "host");
	size_t failing;
	const size_t failure_free = fitted_failure_free(c, &failing);
	const char *refused = calibration_refuses_times(c);

	if (c->fitted)
		for_all(c, add_json, values);
	return json_pack("{s:s, s:{s:I, s:I, s:I, s:I, s:O}, s:{s:O?, s:O?}, s:s?, s:o}", "from",
			 c->m.path, "records", "read", (json_int_t)c->m.read, "failure_free",
			 (json_int_t)failure_free, "failing", (json_int_t)failing, "others",
			 (json_int_t)c->m.others, "left_out", c->m.left_out, "host", "cpu",
			 json_object_get(host, "cpu"), "cores", json_object_get(host, "cores"),
			 "times_refused", refused, "values", values);
}

static void say_one(void *ctx, const struct taken *t)
{
	const double all[] = { t->value, t->least, t->most };

	fprintf(ctx, "%-16s %-14s %8zu", t->key, t->source, t->samples);
	for (int i = 0; i < 3; i++)
		if (isfinite(all[i]))
			fprintf(ctx, " %12.6g", all[i]);
		else
			fprintf(ctx, " %12s", "-");
	fprintf(ctx, "\n");
}

void calibration_say(const struct calibration *c, FILE *to)
{
	size_t failing;
	const size_t failure_free = fitted_failure_free(c, &failing);
	const char *why;
	const json_t *count;

	fprintf(to, "calibrated by %zu failure-free and %zu failing runs of %zu records in %s\n",
		failure_free, failing, c->m.read, c->m.path);
	if (c->m.others > 0)
		fprintf(to, "%zu records are of another kernel, np or option\n", c->m.others);
	json_object_foreach(c->m.left_out, why, count)
		fprintf(to, "%lld left out: %s\n", (long long)json_integer_value(count), why);
	if (!c->fitted)
		return;
	fprintf(to, "%-16s %-14s %8s %12s %12s %12s\n", "value", "from", "samples", "median",
		"least", "most");
	for_all(c, say_one, to);
	fprintf(to, "(work_s: samples are roles, and the mean is in the place of the median)\n\n");
}
