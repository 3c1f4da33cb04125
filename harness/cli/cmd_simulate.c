#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/simulate/against.h"
#include "harness/simulate/simulation.h"
#include "sim/time/goal.h"

#include <errno.h>
#include <string.h>

/* Sums over the runs of a method. */
struct sums {
	double runs, failures, makespan, repeated, supported, energy;
};

static struct sums sums_of(const json_t *runs, const char *method)
{
	struct sums s = { 0 };
	const json_t *run, *joules;
	const char *state;
	size_t i;

	json_array_foreach(runs, i, run) {
		json_t *iterations = json_object_get(run, "iterations");

		if (strcmp(json_string_value(json_object_get(run, "method")), method) != 0)
			continue;
		s.runs++;
		s.failures += json_number_value(json_object_get(run, "failures"));
		s.makespan += json_number_value(json_object_get(run, "makespan_s"));
		s.repeated += json_number_value(json_object_get(iterations, "repeated"));
		s.supported += json_number_value(json_object_get(iterations, "supported"));
		json_object_foreach(json_object_get(run, "energy_j"), state, joules)
			s.energy += json_number_value(joules);
	}
	return s;
}

static void say(const struct simulation *s, const json_t *record, FILE *to)
{
	fprintf(to, "modelled, means of %d run%s\n%-24s %10s %14s %14s %14s %14s\n", s->seeds, s->seeds > 1 ? "s" : "", "method",
		"failures", "makespan (s)", "repeated", "on duplicates", "energy (J)");
	for (size_t i = 0; i < s->count; i++) {
		struct sums x = sums_of(json_object_get(record, "runs"), s->method[i].name);

		fprintf(to, "%-24s %10.4g %14.9g %14.6g %14.6g %14.6g\n", s->method[i].name, x.failures / x.runs,
			x.makespan / x.runs, x.repeated / x.runs, x.supported / x.runs, x.energy / x.runs);
	}
}

static int export_goal(const struct simulation *s, struct rb_error *err)
{
	const struct model m = simulation_model(s, &s->method[0], s->seed);
	FILE *to = fopen(s->goal, "we");
	int rc;

	if (!to)
		return rb_fail(err, RB_EIO, "--goal %s: %s", s->goal, strerror(errno));
	rc = goal_write(&m, to, err);
	fclose(to);
	if (rc != RB_OK)
		remove(s->goal);
	return rc;
}

/* RB_OK, or a negative status with a message. */
static int simulate(const struct simulation *s, struct rb_error *err)
{
	const bool alone = s->json && strcmp(s->json, "-") == 0;
	json_t *record;
	int rc;

	if (s->json && !alone) {
		struct record_file probe; /* before the work: can it be written? */

		RB_TRY(record_open(&probe, s->json, err));
		record_discard(&probe);
	}
	record = simulation_run(s, err);
	if (!record)
		return RB_EINVAL;
	if (!alone)
		say(s, record, stdout);
	rc = record_deliver(record, s->json, err);
	json_decref(record);
	return rc;
}

int cmd_simulate(int argc, char **argv)
{
	static struct simulation s; /* with the table of its options, which is large */
	struct rb_error err = { "out of memory" };
	int rc = simulation_parse(&s, argc, argv, &err);

	if (rc == RB_OK && s.against) {
		rc = simulate_against(s.against, &err);
		return rc < 0 ? refused_status("simulate", &err) : rc;
	}
	if (rc == RB_OK)
		rc = engine_reach(s.engine, argv, &err);
	if (rc == RB_OK)
		rc = s.goal ? export_goal(&s, &err) : simulate(&s, &err);
	simulation_free(&s);
	return rc == 1 ? 0 : rc < 0 ? refused_status("simulate", &err) : 0;
}
