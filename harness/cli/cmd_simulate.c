#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/job/launch_job.h"
#include "forecast/simulate/against.h"
#include "forecast/simulate/predict.h"
#include "forecast/simulate/simulation_parse.h"
#include "forecast/simulate/simulations.h"
#include "harness/options/command.h"
#include "forecast/time/goal.h"

#include <errno.h>
#include <string.h>

/* Sums over the runs of a method. */
struct sums {
	/* free: makespans if nothing is shared */
	double runs, failures, makespan, free, repeated, supported, energy;
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
		s.free += json_number_value(json_object_get(run, "contention_free_makespan_s"));
		s.repeated += json_number_value(json_object_get(iterations, "repeated"));
		s.supported += json_number_value(json_object_get(iterations, "supported"));
		json_object_foreach(json_object_get(run, "energy_j"), state, joules)
			s.energy += json_number_value(joules);
	}
	return s;
}

/* With shared cores and links. */
static void say_contention(const struct simulation *s, const json_t *record, FILE *to)
{
	fprintf(to, "\nif nothing is shared\n%-24s %14s %14s\n", "method", "makespan (s)", "ratio");
	for (size_t i = 0; i < s->count; i++) {
		struct sums x = sums_of(json_object_get(record, "runs"), s->method[i].name);

		fprintf(to, "%-24s %14.9g %14.4g\n", s->method[i].name, x.free / x.runs,
			x.makespan / x.free);
	}
}

static void say(const struct simulation *s, const json_t *record, FILE *to)
{
	fprintf(to, "modelled, means of %d run%s\n%-24s %10s %14s %14s %14s %14s\n", s->seeds,
		s->seeds > 1 ? "s" : "", "method", "failures", "makespan (s)", "repeated",
		"on duplicates", "energy (J)");
	for (size_t i = 0; i < s->count; i++) {
		struct sums x = sums_of(json_object_get(record, "runs"), s->method[i].name);

		fprintf(to, "%-24s %10.4g %14.9g %14.6g %14.6g %14.6g\n", s->method[i].name,
			x.failures / x.runs, x.makespan / x.runs, x.repeated / x.runs,
			x.supported / x.runs, x.energy / x.runs);
	}
	if (platform_is_given(&s->platform))
		say_contention(s, record, to);
}

/* An interruption leaves no half of a schedule under its name. */
static int export_goal(const struct simulation *s, struct rb_error *err)
{
	const struct model m = simulation_model(s, &s->method[0], s->seed);
	struct record_file file;
	FILE *to;
	int rc;

	RB_TRY(record_open(&file, s->goal, err));
	to = replacement_stream(&file.to);
	rc = to ? goal_write(&m, to, err)
		: rb_fail(err, RB_EIO, "--goal %s: %s", s->goal, strerror(errno));
	if (to && fclose(to) != 0 && rc == RB_OK)
		rc = rb_fail(err, RB_EIO, "--goal %s: %s", s->goal, strerror(errno));
	if (rc == RB_OK)
		rc = record_write(&file, "", 0, err); /* that was all */
	if (rc == RB_OK)
		return record_place(&file, err);
	record_discard(&file);
	return rc;
}

/* RB_OK, or a negative status with a message. */
static int simulate(const struct simulation *s, struct rb_error *err)
{
	const bool alone = record_is_to_stdout(s->json);
	json_t *record;
	int rc;

	record = simulation_run(s, err);
	if (!record)
		return RB_EINVAL;
	if (!alone && s->calibration)
		calibration_say(s->calibration, stdout);
	if (!alone)
		say(s, record, stdout);
	rc = record_deliver(record, s->json, err);
	json_decref(record);
	return rc;
}

/* The exit status, or a negative status with a message. */
static int predict(const struct simulation *s, struct rb_error *err)
{
	json_t *record = simulate_predict(s, err);
	int rc, status;

	if (!record)
		return RB_EINVAL;
	if (!record_is_to_stdout(s->json)) {
		calibration_say(s->calibration, stdout);
		predictions_say(record, stdout);
	}
	status = predictions_agree(record) ? 0 : 1;
	rc = record_deliver(record, s->json, err);
	json_decref(record);
	return rc == RB_OK ? status : rc;
}

static void say_command(int argc, char **argv)
{
	fprintf(stderr, "  ./rollbench");
	command_print(stderr, argc, argv);
	fprintf(stderr, "\n");
}

/* All points of a file. The exit status, or a negative status with a message. */
static int simulate_points(const struct simulation *s, int argc, char **argv, struct rb_error *err)
{
	struct simulations made;
	int rc;

	if (s->points.count == 0)
		return rb_fail(
			err, RB_EINVAL,
			"--results: expected a file first, FILE.yaml; of one simulation, --json "
			"has the record");
	if (s->json || s->goal)
		return rb_fail(
			err, RB_EINVAL,
			"--%s: %s has %zu points, and each gets a record of its own in --results",
			s->json ? "json" : "goal", argv[1], s->points.count);
	rc = simulations_make(s, argc, argv, &made, err);
	if (rc == RB_LOST) {
		fprintf(stderr,
			"\nrollbench simulate: interrupted after %zu of %zu points; no process is left. Go on with the same command:\n",
			made.found + made.made, made.count);
		say_command(argc, argv);
		return interrupted_status(launch_signal());
	}
	RB_TRY(rc);
	printf("%zu points: %zu simulated, %zu were there, %zu failed; records: %s\n", made.count,
	       made.made, made.found, made.failed, made.results);
	if (made.replaced > 0)
		printf("%zu records of another program or model are in %s/" STORE_REPLACED " now\n",
		       made.replaced, made.results);
	return made.failed > 0 ? 1 : 0;
}

/* The exit status, or a negative status with a message. */
static int carry_out(const struct simulation *s, int argc, char **argv, struct rb_error *err)
{
	if (s->against)
		return simulate_against(s->against, err);
	RB_TRY(engine_reach(s->engine, argv, err));
	if (s->points.count > 1 || s->results)
		return simulate_points(s, argc, argv, err);
	if (s->json && !record_is_to_stdout(s->json))
		RB_TRY(record_probe(s->json, err));
	return s->goal ? export_goal(s, err) : s->predict ? predict(s, err) : simulate(s, err);
}

int cmd_simulate(int argc, char **argv)
{
	static struct simulation s; /* with the table of its options, which is large */
	struct rb_error err = { "out of memory" };
	int rc = simulation_parse(&s, argc, argv, &err), status = 0; /* rc 1: help was asked for */

	if (rc == RB_OK)
		status = carry_out(&s, argc, argv, &err);
	simulation_free(&s);
	return rc < 0 || status < 0 ? refused_status("simulate", &err) : status;
}
