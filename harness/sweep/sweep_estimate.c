#include "harness/sweep/sweep_estimate.h"

#include "base/status.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

const char estimate_rule[] = "0.5 s to start, and each iteration reads every role's memory once at 4 GB/s, roles on "
			     "one core one after the other: an order of magnitude";

const char *estimate_source_name(enum estimate_source source)
{
	static const char *const names[] = { "its record", "records like it",
					     "records of the problem", "rule", "unknown" };

	return names[source];
}

/* What a record says of runs of the same kind. */
struct sample {
	uint64_t kind;
	double seconds;
};

/* Equal for runs that ought to take equally long: all of the problem, or those alike. */
static uint64_t kind_of(const struct run_spec *s, bool alike)
{
	char text[2 * SWEEP_ID];
	size_t used = spec_name(s, !alike, text, SWEEP_ID); /* a part of a run's id, so there is room */

	if (alike)
		snprintf(text + used, SWEEP_ID, s->plan.count > 0 ? "-kill" : "-free");
	return XXH3_64bits(text, strlen(text));
}

static int by_kind(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Median of the samples of a kind; NAN: there are none. */
static double median(const struct sample *sample, size_t count, uint64_t kind)
{
	size_t low = 0, high = count, end;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sample[middle].kind < kind)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < count && sample[end].kind == kind; end++)
		;
	if (end == low)
		return NAN;
	return (sample[low + (end - low - 1) / 2].seconds + sample[low + (end - low) / 2].seconds) / 2;
}

/* NAN: there is no record, or it has no time. */
static double recorded(const char *dir, const struct sweep_run *run)
{
	char path[2 * SPEC_PATH];
	double seconds = NAN;
	json_t *record, *wall;

	if (snprintf(path, sizeof path, "%s/%s.json", dir, run->id) >= (int)sizeof path)
		return NAN;
	record = json_load_file(path, 0, NULL);
	wall = json_object_get(record, "wall_s");
	if (json_is_number(wall) && json_number_value(wall) >= 0)
		seconds = json_number_value(wall);
	json_decref(record);
	return seconds;
}

static double by_rule(const struct sweep_run *run)
{
	const struct run_spec *s = &run->spec;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	double turns = ceil(s->np / (double)(cores > 0 ? cores : 1));
	double seconds = 0.5 + (double)run->plan.iterations * run->plan.bytes_per_role * turns / 4e9;

	if (run->plan.open_ended)
		return NAN;
	return fmin(s->strategy == FT_RESTART ? 2 * seconds : seconds, s->deadline_s);
}

static struct estimate estimate_one(const struct sweep_run *run, const struct sample *sample, size_t count)
{
	const double seconds[] = {
		[ESTIMATE_ALIKE] = median(sample, count, kind_of(&run->spec, true)),
		[ESTIMATE_PROBLEM] = median(sample, count, kind_of(&run->spec, false)),
		[ESTIMATE_RULE] = by_rule(run),
	};
	int source = ESTIMATE_ALIKE;

	while (source < ESTIMATE_NONE && isnan(seconds[source]))
		source++;
	return (struct estimate){ .source = (enum estimate_source)source,
				  .seconds = source == ESTIMATE_NONE ? NAN : seconds[source] };
}

int sweep_estimate(const struct sweep_plan *plan, const char *dir, struct estimate *out)
{
	struct sample *sample = calloc(2 * plan->count + 1, sizeof *sample); /* two of each record */
	size_t count = 0;

	if (!sample)
		return RB_ENOMEM;
	for (size_t i = 0; i < plan->count; i++) {
		out[i] = (struct estimate){ .seconds = recorded(dir, &plan->run[i]), .source = ESTIMATE_OWN };
		for (int alike = 0; !isnan(out[i].seconds) && alike < 2; alike++)
			sample[count++] = (struct sample){ kind_of(&plan->run[i].spec, alike), out[i].seconds };
	}
	qsort(sample, count, sizeof *sample, by_kind);
	for (size_t i = 0; i < plan->count; i++)
		if (isnan(out[i].seconds))
			out[i] = estimate_one(&plan->run[i], sample, count);
	free(sample);
	return RB_OK;
}
