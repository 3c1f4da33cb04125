#include "harness/interval/measured.h"

#include "base/json.h"
#include "base/quantile.h"
#include "base/status.h"
#include "ft/levels.h"
#include "harness/options/spec_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { TRIES = 3, TRIES_MAX = 6 };

/* The kinds of recovery that are compared. */
static const struct way {
	const char *name, *policy;
	enum ft_strategy strategy;
} ways[] = {
	{ "job restart", "none", FT_RESTART },
	{ "global rollback", "none", FT_GO_ON },
	{ "local rollback", "all", FT_GO_ON },
};

static double drained(const json_t *record)
{
	const json_t *role;
	double sum = 0;
	size_t i;

	json_array_foreach(json_object_get(record, "roles"), i, role) {
		const double drain_s = number_of(role, "drain_s");

		sum += drain_s > 0 ? drain_s : 0;
	}
	return sum;
}

int interval_normal(const json_t *record, struct interval_costs *costs, struct rb_error *err)
{
	const json_t *checkpoints = json_object_get(record, "checkpoints");
	const double np = number_of(record, "np"), taken = number_of(checkpoints, "count"),
		     waited = number_of(checkpoints, "seconds_max"),
		     useful = number_of(json_object_get(record, "iterations"), "useful"),
		     loop = number_of(record, "loop_s") - waited;
	const int64_t interval = integer_of(record, "interval", 0);

	if (!(taken / np >= 1))
		return rb_fail(err, RB_EINVAL,
			       "--interval %" PRId64
			       ": the run takes no checkpoint, so none can be measured",
			       interval);
	if (!(loop > 0))
		return rb_fail(err, RB_EINVAL,
			       "--interval %" PRId64
			       ": checkpoints took all of the time, so that of an iteration is "
			       "unknown; try a larger --interval",
			       interval);
	costs->iteration_s = loop / (useful / np);
	costs->checkpoint_s = waited / (taken / np);
	costs->latency_s = drained(record) / taken; /* over all checkpoints of all roles */
	return RB_OK;
}

bool interval_death(const json_t *failure, struct interval_costs *costs)
{
	const double repeated = number_of(failure, "iteration") - number_of(failure, "checkpoint"),
		     catchup_s = number_of(failure, "catchup_s"),
		     recovery_s = number_of(failure, "restored_s");

	if (!(repeated >= 1) || !(catchup_s > 0) || isnan(recovery_s))
		return false;
	costs->recovery_s = recovery_s;
	costs->rework = catchup_s / costs->iteration_s / repeated;
	return true;
}

/* What all steps of a measurement need. */
struct measuring {
	const struct run_spec *spec;
	interval_run *run;
	void *ctx;
	struct interval_costs normal;
	int64_t interval;
	struct rb_error *err;
};

static double median_of(double *value)
{
	sort_numbers(value, TRIES);
	return median(value, TRIES);
}

static int spec_of(const struct measuring *m, const struct way *way, struct run_spec *spec)
{
	char kill[INJECT_TEXT];

	*spec = *m->spec;
	spec->strategy = way->strategy;
	RB_TRY(spec_set(spec, "policy", way->policy, m->err));
	snprintf(kill, sizeof kill, "0@%" PRId64, 2 * m->interval - 1);
	return spec_set(spec, "kill", kill, m->err);
}

/* One run with a death. *told: did it measure what it costs? */
static int die_once(const struct measuring *m, const struct run_spec *spec,
		    struct interval_costs *costs, bool *told)
{
	const json_t *failure;
	json_t *record;
	int rc;

	RB_TRY(m->run(m->ctx, spec, &record, m->err));
	failure = json_array_get(json_object_get(record, "failures"), 0);
	rc = failure ? RB_OK
		     : rb_fail(m->err, RB_EINVAL,
			       "--interval %" PRId64 ": the run is shorter than two intervals, so "
			       "no recovery can be measured",
			       m->interval);
	/* of an escalated run the recovery is that of another method */
	*told = failure && integer_of(record, "escalations", 0) == 0 &&
		interval_death(failure, costs);
	json_decref(record);
	return rc;
}

/* Medians of runs. One that could not time its recovery is made again. */
static int costs_of(const struct measuring *m, const struct way *way, struct interval_costs *costs)
{
	double recovery_s[TRIES], rework[TRIES];
	struct run_spec spec;
	int found = 0;
	bool told;

	RB_TRY(spec_of(m, way, &spec));
	*costs = m->normal;
	for (int i = 0; i < TRIES_MAX && found < TRIES; i++) {
		RB_TRY(die_once(m, &spec, costs, &told));
		if (told) {
			recovery_s[found] = costs->recovery_s;
			rework[found++] = costs->rework;
		}
	}
	if (found < TRIES)
		return rb_fail(m->err, RB_EINVAL,
			       "%s: only %d of %d runs could measure how long the recovery and the "
			       "repeated iterations took, %d are needed; try a larger --interval",
			       way->name, found, TRIES_MAX, TRIES);
	costs->recovery_s = median_of(recovery_s);
	costs->rework = median_of(rework);
	return RB_OK;
}

static void say_normal(const struct measuring *m, const json_t *record, double mtbf_s, FILE *to)
{
	fprintf(to,
		"%s, %" PRId64 " roles: an iteration takes %.3g s; a checkpoint (%s) keeps it "
		"waiting for %.3g s and\ncounts %.3g s after it was taken; a death every %g s\n\n",
		text_of(record, "kernel"), integer_of(record, "np", 0), m->normal.iteration_s,
		text_of(record, "ckpt"), m->normal.checkpoint_s, m->normal.latency_s, mtbf_s);
	fprintf(to, "%-16s %10s %12s %11s %8s %11s %8s %11s\n", "", "recovery s", "rework speed",
		"Young s", "iter.", "Daly s", "iter.", "time wasted");
	fflush(to);
}

static void say_way(const struct way *way, const struct interval_costs *c, double mtbf_s, FILE *to)
{
	const double young = optimal_young(c, mtbf_s), daly = optimal_daly(c, mtbf_s);

	fprintf(to, "%-16s %10.4f %12.2f %11.2f %8" PRId64 " %11.2f %8" PRId64 " %9.1f %%\n",
		way->name, c->recovery_s, c->rework, young, optimal_iterations(c, young), daly,
		optimal_iterations(c, daly), 100 * optimal_wasted(c, mtbf_s, daly));
	fflush(to);
}

/* A job that is started again finds its checkpoints in files only. */
static bool is_possible(const struct measuring *m, const struct way *way)
{
	struct levels levels;

	return way->strategy != FT_RESTART ||
	       (levels_parse(&levels, m->spec->ckpt, m->err) == RB_OK && levels.file);
}

int interval_measure(const struct run_spec *spec, double mtbf_s, interval_run *run, void *ctx,
		     FILE *to, struct rb_error *err)
{
	struct measuring m = { .spec = spec, .run = run, .ctx = ctx, .err = err };
	struct interval_costs costs;
	json_t *record;
	int rc;

	RB_TRY(run(ctx, spec, &record, err));
	m.interval = integer_of(record, "interval", 0);
	rc = interval_normal(record, &m.normal, err);
	if (rc == RB_OK)
		say_normal(&m, record, mtbf_s, to);
	json_decref(record);
	RB_TRY(rc);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (!is_possible(&m, &ways[i])) {
			fprintf(to, "%-16s not possible: --ckpt %s keeps no files\n", ways[i].name,
				spec->ckpt);
			fflush(to);
			continue;
		}
		RB_TRY(costs_of(&m, &ways[i], &costs));
		say_way(&ways[i], &costs, mtbf_s, to);
	}
	fprintf(to, "\nrework speed: what a repeated iteration costs, in iterations of normal "
		    "operation;\ntime wasted: by checkpoints, recoveries and rework, at Daly's "
		    "interval\n");
	return RB_OK;
}
