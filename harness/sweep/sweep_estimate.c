#include "harness/sweep/sweep_estimate.h"

#include "base/grow.h"
#include "base/quantile.h"
#include "base/sample.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char estimate_rule[] =
	"0.5 s to start, and each iteration reads every role's memory once at 4 GB/s, roles on one "
	"core one after the other: an order of magnitude";

/* Runs that ought to take equally long. */
struct group {
	struct sample seconds; /* of those that have a record */
	bool sorted;
};

struct entered {
	double recorded_s, rule_s; /* NAN: unknown */
	size_t alike, problem;     /* its groups */
};

struct estimates {
	json_t *names; /* of groups -> number */
	struct group *group;
	size_t groups, room;
	struct entered *run;
	size_t count;
};

const char *estimate_source_name(enum estimate_source source)
{
	static const char *const name[] = {
		[ESTIMATE_OWN] = "its record",
		[ESTIMATE_ALIKE] = "records like it",
		[ESTIMATE_PROBLEM] = "records of the problem",
		[ESTIMATE_RULE] = "rule",
		[ESTIMATE_UNKNOWN] = "unknown",
	};

	return name[source];
}

struct estimates *estimates_new(size_t runs)
{
	struct estimates *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->names = json_object();
	e->run = calloc(runs, sizeof *e->run);
	if (e->names && (e->run || runs == 0))
		return e;
	estimates_free(e);
	return NULL;
}

void estimates_free(struct estimates *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->groups; i++)
		sample_free(&e->group[i].seconds);
	free(e->group);
	free(e->run);
	json_decref(e->names);
	free(e);
}

/* The number of the group of this name. false: out of memory. */
static bool find_group(struct estimates *e, const char *name, size_t *number)
{
	const json_t *known = json_object_get(e->names, name);
	struct group *grown;

	*number = known ? (size_t)json_integer_value(known) : e->groups;
	if (known)
		return true;
	grown = grow(e->group, e->groups + 1, &e->room, sizeof *grown);
	if (!grown)
		return false;
	e->group = grown;
	e->group[e->groups] = (struct group){ .sorted = false };
	return json_object_set_new(e->names, name, json_integer((json_int_t)e->groups++)) == 0;
}

static double by_rule(const struct run_size *size)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	double turns = ceil(size->np / (double)(cores > 0 ? cores : 1)), seconds;

	if (size->iterations < 0)
		return NAN;
	seconds = 0.5 + (double)size->iterations * size->bytes_per_role * turns / 4e9;
	return fmin(size->twice ? 2 * seconds : seconds, size->deadline_s);
}

bool estimates_enter(struct estimates *e, const struct sweep_run *of, const struct run *run,
		     double recorded_s)
{
	struct entered *entered = &e->run[e->count++];
	const struct run_size size = run->kind->size(run);
	char name[2 * SWEEP_ID];
	size_t used;

	entered->recorded_s = recorded_s;
	entered->rule_s = by_rule(&size);
	run->kind->name(run, NAME_PROBLEM, name, SWEEP_ID);
	if (!find_group(e, name, &entered->problem))
		return false;
	/* a part of a run's id, so there is room */
	used = run->kind->name(run, NAME_ALIKE, name, SWEEP_ID);
	snprintf(name + used, SWEEP_ID, run_option(of->options, "kill") ? "-kill" : "-free");
	if (!find_group(e, name, &entered->alike))
		return false;
	return isnan(recorded_s) ||
	       (sample_add(&e->group[entered->problem].seconds, recorded_s) == RB_OK &&
		sample_add(&e->group[entered->alike].seconds, recorded_s) == RB_OK);
}

/* NAN: no run of the group has a record. */
static double median_of(struct group *g)
{
	if (!g->sorted)
		sample_sort(&g->seconds);
	g->sorted = true;
	return median(g->seconds.value, g->seconds.count);
}

struct estimate estimates_of(struct estimates *e, size_t i)
{
	const struct entered *run = &e->run[i];
	const double found[] = {
		[ESTIMATE_OWN] = run->recorded_s,
		[ESTIMATE_ALIKE] = median_of(&e->group[run->alike]),
		[ESTIMATE_PROBLEM] = median_of(&e->group[run->problem]),
		[ESTIMATE_RULE] = run->rule_s,
		[ESTIMATE_UNKNOWN] = NAN,
	};
	enum estimate_source source = ESTIMATE_OWN;

	while (source < ESTIMATE_UNKNOWN && isnan(found[source]))
		source++;
	return (struct estimate){ found[source], source };
}
