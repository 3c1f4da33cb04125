/* The record of a search, and its text. */
#include "base/build_json.h"
#include "base/json.h"
#include "base/resample.h"
#include "forecast/simulate/best_interval.h"
#include "harness/options/command.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of global rollback of roles in step, if failures are exponential: Daly's Eq. 20 for whole
 * intervals and for the rest behind the last checkpoint. */
static json_t *expected_json(const struct best_interval *b, int64_t interval, size_t method)
{
	const struct interval_costs *c = &b->costs[method];
	const int64_t steps = b->asked->steps, whole = (steps - 1) / interval;

	if (b->asked->law.shape < 1 || b->asked->law.shape > 1)
		return json_null();
	return number_json((double)whole * optimal_expected(c, b->mtbf_s,
							    (double)interval * c->iteration_s +
								    c->checkpoint_s) +
			   optimal_expected(c, b->mtbf_s,
					    (double)(steps - whole * interval) * c->iteration_s));
}

static json_t *attempt_json(const struct best_interval *b, size_t at, size_t method)
{
	const double *time = best_interval_times(b, at, method);
	json_t *runs = json_array();

	for (int i = 0; i < b->seeds; i++)
		json_array_append_new(runs, json_real(time[i]));
	return json_pack("{s:I, s:f, s:o, s:o}", "interval", (json_int_t)b->tried[at].interval,
			 "makespan_s", mean(time, (size_t)b->seeds), "expected_in_step_s",
			 expected_json(b, b->tried[at].interval, method), "runs_s", runs);
}

static double mean_at(const struct best_interval *b, int64_t interval, size_t method)
{
	size_t at = 0;

	while (b->tried[at].interval != interval)
		at++;
	return mean(best_interval_times(b, at, method), (size_t)b->seeds);
}

static json_t *method_json(const struct best_interval *b, size_t m)
{
	const struct interval_range r = best_interval_range(b, m);
	const double *best = best_interval_times(b, r.best, m),
		     best_s = mean(best, (size_t)b->seeds);
	const int64_t daly = best_interval_daly(b, m), first = b->tried[r.first].interval,
		      last = b->tried[r.last].interval;
	json_t *attempts = json_array();
	double low, high;

	mean_95(best, (size_t)b->seeds, &low, &high);
	for (size_t i = 0; i < b->attempts; i++)
		json_array_append_new(attempts, attempt_json(b, i, m));
	return json_pack("{s:s, s:f, s:f, s:I, s:I, s:I, s:[II], s:b, s:f, s:[ff], s:f, s:o}",
			 "method", b->asked->method[m].name, "iteration_s", b->costs[m].iteration_s,
			 "free_s", b->free_s[m], "young", (json_int_t)best_interval_young(b, m),
			 "daly", (json_int_t)daly, "best", (json_int_t)b->tried[r.best].interval,
			 "not_worse", (json_int_t)first, (json_int_t)last, "daly_is_not_worse",
			 first <= daly && daly <= last, "best_makespan_s", best_s,
			 "best_makespan_95_s", low, high, "daly_minus_best_s",
			 mean_at(b, daly, m) - best_s, "intervals", attempts);
}

/* How it was asked for. text_json() cuts it if it is long and not UTF-8. */
static json_t *command_json(const struct best_interval *b)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	json_t *json;

	if (!to)
		return json_null();
	fprintf(to, "./rollbench interval --simulate");
	command_print(to, b->argc - 1, b->argv + 1);
	fclose(to);
	json = text_json(text);
	free(text);
	return json;
}

json_t *best_interval_json(const struct best_interval *b)
{
	json_t *methods = json_array(), *model = simulation_model_json(b->asked);

	json_object_del(model, "interval"); /* many were tried */
	for (size_t m = 0; m < b->asked->count; m++)
		json_array_append_new(methods, method_json(b, m));
	return json_pack("{s:s, s:b, s:o, s:o, s:o, s:i, s:f, s:f, s:o}", "schema",
			 "rollbench-interval-2", "modelled", 1, "rollbench", build_json(),
			 "command", command_json(b), "model", model, "seeds", b->seeds, "mtbf_s",
			 b->mtbf_s, "recovery_s", b->costs[0].recovery_s, "methods", methods);
}

static void say_method(const json_t *m, FILE *to)
{
	const json_t *range = json_object_get(m, "not_worse"),
		     *spread = json_object_get(m, "best_makespan_95_s");
	char ends[48], time[80], daly[32];

	snprintf(ends, sizeof ends, "%" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT,
		 json_integer_value(json_array_get(range, 0)),
		 json_integer_value(json_array_get(range, 1)));
	snprintf(time, sizeof time, "%.6g [%.6g, %.6g]", number_of(m, "best_makespan_s"),
		 json_number_value(json_array_get(spread, 0)),
		 json_number_value(json_array_get(spread, 1)));
	snprintf(daly, sizeof daly, "%+.4g s", number_of(m, "daly_minus_best_s"));
	fprintf(to, "%-20s %12.5g %7" PRId64 " %7" PRId64 " %7" PRId64 " %16s %26s %14s\n",
		text_of(m, "method"), number_of(m, "iteration_s"), integer_of(m, "young", 0),
		integer_of(m, "daly", 0), integer_of(m, "best", 0), ends, time, daly);
}

void best_interval_say(const json_t *record, FILE *to)
{
	const json_t *model = json_object_get(record, "model"), *method;
	size_t i;

	fprintf(to,
		"modelled: %s, %" PRId64 " roles, %" PRId64 " iterations; a checkpoint takes %.4g "
		"s, a recovery %.4g s;\na failure of the system every %.4g s; %" PRId64
		" seeds, the same at all intervals\n\n",
		text_of(model, "pattern"), integer_of(model, "np", 0),
		integer_of(model, "steps", 0),
		number_of(json_object_get(model, "costs"), "checkpoint_s"),
		number_of(record, "recovery_s"), number_of(record, "mtbf_s"),
		integer_of(record, "seeds", 0));
	fprintf(to, "%-20s %12s %7s %7s %7s %16s %26s %14s\n", "method", "iteration s", "Young",
		"Daly", "best", "not worse (95 %)", "time at best s (95 %)", "at Daly's");
	json_array_foreach(json_object_get(record, "methods"), i, method)
		say_method(method, to);
	fprintf(to, "\nIntervals in iterations. not worse: tried intervals around the best one "
		    "whose time does not differ from it\n(paired permutation test over the seeds, "
		    "p >= 0.05, each for itself). Young, Daly: of the costs above.\n");
}
