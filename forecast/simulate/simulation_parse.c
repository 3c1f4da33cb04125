#include "forecast/simulate/simulation_parse.h"

#include "base/status.h"
#include "base/text.h"
#include "forecast/calibrate/calibration.h"
#include "forecast/calibrate/planned_pattern.h"
#include "forecast/simulate/simulation_options.h"
#include "harness/options/recorded_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PREDICT_DRAWS = 100 };

static const char methods_standard[] = "global,local,dataflow";
static const char *const stencils[] = { "stencil1d", "stencil2d", "stencil3d" };

static void defaults(struct simulation *s)
{
	*s = (struct simulation){ .width = 1,
				  .interval = 25,
				  .bytes = { 800e3 },
				  .costs = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN },
				  .law = { .shape = 1, .roles_per_node = 1 },
				  .methods = methods_standard,
				  .seed = 1,
				  .threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
				  .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN) };
}

static void or_else(double *value, double standard)
{
	*value = isnan(*value) ? standard : *value;
}

/* For the work and the costs that were not given. */
static void set_defaults(struct simulation *s)
{
	if (s->work.knots == 0)
		s->work = (struct work){ .knots = 1, .seconds = { 1 } };
	or_else(&s->costs.latency_s, 50e-6);
	or_else(&s->costs.bytes_per_s, 1e9 / 8);
	or_else(&s->costs.log_bytes_per_s, 0);
	or_else(&s->costs.checkpoint_s, 0);
	or_else(&s->costs.detect_s, 0);
	or_else(&s->costs.repair_s, 0);
	or_else(&s->costs.restore_s, 0);
	or_else(&s->costs.replay_speed, 1);
}

static int unknown_pattern(const char *what, struct rb_error *err)
{
	return rb_fail(
		err, RB_EINVAL,
		"%.80s%sexpected a pattern first: stencil1d, stencil2d, stencil3d, allreduce, cg, "
		"lulesh or jacobi, a profile with the ending .csv or .csv.gz, or a file with the "
		"ending .yaml",
		what ? what : "", what ? ": unknown pattern: " : "");
}

static bool is_file(const char *what)
{
	return what && (text_ends_with(what, ".yaml") || text_ends_with(what, ".yml"));
}

/* Read a point of the model file. The command line comes behind it and overrides it. */
static int read_point(struct simulation *s, struct yaml_file *file, const struct yaml_node *mapping,
		      struct rb_error *err)
{
	const struct yaml_node *pattern = yaml_get(mapping, "pattern");
	int rc;

	if (!pattern)
		return yaml_refuse(file, mapping, err, "the key pattern is missing");
	simulation_table(s, simulation_kernel(pattern->text), true);
	s->strict = true;
	rc = yaml_read(file, mapping, s->table, NULL, s, err);
	s->strict = false;
	s->name = pattern->text;
	return rc;
}

/* Read the model file, and of its points the first. */
static int read_file(struct simulation *s, const char *path, struct rb_error *err)
{
	RB_TRY(yaml_load(path, "docs/simulator.md", &s->file, err));
	RB_TRY(points_expand(s->file, &s->points, err));
	return read_point(s, s->file, s->points.point[0].mapping, err);
}

/* The most equal lengths whose product is np. */
static void make_grid(struct simulation *s, int axes)
{
	int left = s->np;

	for (int a = 0; a < axes; a++) {
		int length = left;

		for (int f = 1; a < axes - 1 && f <= left; f++) {
			int64_t power = f;

			for (int k = a + 1; k < axes; k++)
				power *= f;
			if (left % f == 0 && power <= left)
				length = f;
		}
		s->grid[a] = length;
		left /= length;
	}
	s->axes = axes;
}

static int make_stencil(struct simulation *s, int axes, struct rb_error *err)
{
	size_t bytes[STENCIL_AXES];
	int64_t roles = 1;

	if (s->axes > 0 && s->axes != axes)
		return rb_fail(err, RB_EINVAL, "--grid: %d axes, but %s has %d", s->axes, s->name,
			       axes);
	for (int a = 0; a < s->axes; a++)
		roles *= s->grid[a];
	if (s->np == 0 && s->axes == 0)
		return rb_fail(err, RB_EINVAL, "--np N is missing: how many roles?");
	if (s->np > 0 && s->axes > 0 && roles != s->np)
		return rb_fail(err, RB_EINVAL, "--np %d: --grid has %lld roles", s->np,
			       (long long)roles);
	if (s->axes == 0)
		make_grid(s, axes);
	for (int a = 0; a < STENCIL_AXES; a++)
		bytes[a] = (size_t)s->bytes[a];
	if (bytes[0] == 0)
		return rb_fail(err, RB_EINVAL,
			       "--bytes: a message across a face has at least 1 byte");
	s->steps = s->steps > 0 ? s->steps : 1000;
	RB_TRY(stencil_pattern_init(&s->stencil, axes, s->grid, s->periodic, bytes, err));
	stencil_pattern_widen(&s->stencil, s->width);
	s->pattern = &s->stencil.pattern;
	return RB_OK;
}

static int make_kernel(struct simulation *s, const struct kernel_ops *kernel, struct rb_error *err)
{
	struct kernel_plan plan;

	if (s->np == 0)
		RB_TRY(recorded_kernel_np(kernel, &s->np, err));
	if (s->np == 0)
		return rb_fail(err, RB_EINVAL, "--np N is missing: how many roles?");
	for (int i = 0; kernel->options[i].name; i++) {
		if (strcmp(kernel->options[i].name, "steps") == 0 && s->steps > 0)
			snprintf(s->value[i], sizeof s->value[i], "%lld", (long long)s->steps);
		s->args.value[i] = s->value[i][0] ? s->value[i] : kernel->options[i].value;
	}
	RB_TRY(planned_pattern(&s->kernel, &plan, kernel, &s->args, s->np, err));
	if (s->steps == 0 && plan.open_ended)
		return rb_fail(err, RB_EINVAL,
			       "--steps N is missing: %s stops by itself only when it computes",
			       kernel->name);
	s->steps = s->steps > 0 ? s->steps : plan.iterations;
	s->pattern = &s->kernel.pattern;
	return RB_OK;
}

static int make_pattern(struct simulation *s, struct rb_error *err)
{
	const struct kernel_ops *kernel = simulation_kernel(s->name);

	if (kernel)
		return make_kernel(s, kernel, err);
	for (int axes = 1; axes <= STENCIL_AXES; axes++)
		if (strcmp(s->name, stencils[axes - 1]) == 0)
			return make_stencil(s, axes, err);
	return unknown_pattern(s->name, err);
}

static int check_failures(const struct simulation *s, struct rb_error *err)
{
	for (size_t i = 0; i < s->failures; i++) {
		const struct failure *f = &s->failure[i];

		if (f->role >= s->pattern->np)
			return rb_fail(err, RB_EINVAL, "--fail: role %d: there are %d roles",
				       f->role, s->pattern->np);
		if (f->at == AT_CHECKPOINT && ticks_of(s->costs.checkpoint_s) == 0)
			return rb_fail(
				err, RB_EINVAL,
				"--fail %d@%lld:checkpoint: a checkpoint takes no time here, so no "
				"role dies in one; give --checkpoint",
				f->role, (long long)f->iter);
	}
	return RB_OK;
}

static int check_platform(const struct simulation *s, struct rb_error *err)
{
	const struct platform *p = &s->platform;
	const char *given = p->roles_per_host    ? "roles-per-host"
			    : p->cores_per_host  ? "cores-per-host"
			    : p->network.text[0] ? "network"
						 : "hop-latency";

	if (platform_is_given(p) && s->engine != ENGINE_SIMGRID)
		return rb_fail(
			err, RB_EINVAL,
			"--%s: engine %s has no shared cores and links; give --engine simgrid",
			given, engine_name(s->engine));
	return platform_check(p, s->pattern->np, err);
}

static int check(struct simulation *s, struct rb_error *err)
{
	struct model m;

	RB_TRY(make_pattern(s, err));
	RB_TRY(check_failures(s, err));
	RB_TRY(check_platform(s, err));
	if (s->recoveries && s->engine == ENGINE_SIMGRID)
		return rb_fail(err, RB_EINVAL, "--recoveries: engine simgrid does not tell them");
	if (s->law.roles_per_node > s->pattern->np)
		return rb_fail(err, RB_EINVAL, "--per-node %d: there are %d roles",
			       s->law.roles_per_node, s->pattern->np);
	if (s->failures > 0 && s->seeds > 1 && !(s->law.mtbf_s > 0) && s->work.knots == 1)
		return rb_fail(err, RB_EINVAL,
			       "--seeds %d: nothing is drawn, so all runs would be equal",
			       s->seeds);
	RB_TRY(simulation_methods(s, s->methods, err));
	for (size_t i = 0; i < s->count; i++) {
		m = simulation_model(s, &s->method[i], s->seed);
		RB_TRY(model_check(&m, err));
	}
	return RB_OK;
}

/* Read the records at s->from, and take from them what was not given; to predict, only read
 * them. */
static int calibrate(struct simulation *s, struct rb_error *err)
{
	struct wanted w = { s->from, s->name, s->np, s->steps, s->value };
	struct calibration *c = s->calibration = calloc(1, sizeof *c);
	const char *refused;

	if (!c)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	*c = (struct calibration){
		.seed = s->seed, .threads = s->threads, .given = s->costs, .given_work = s->work
	};
	RB_TRY(measurements_read(&c->m, &w, err));
	s->name = w.kernel;
	s->np = w.np;
	s->steps = w.steps;
	if (s->predict)
		return RB_OK;
	refused = calibration_refuses_times(c);
	if (refused)
		return rb_fail(err, RB_EINVAL, "--from %.200s: %s", s->from, refused);
	RB_TRY(calibration_fit(c, err));
	calibration_costs(c, &s->costs, &s->work);
	return RB_OK;
}

/* What is simulated stands in the records. */
static int check_predict(const struct simulation *s, struct rb_error *err)
{
	const char *other = s->failures > 0                   ? "--fail"
			    : s->law.mtbf_s > 0               ? "--mtbf-node"
			    : s->methods != methods_standard  ? "--method"
			    : s->recoveries                   ? "--recoveries"
			    : s->goal                         ? "--goal"
			    : s->line != LINE_FREE            ? "--line"
			    : s->stops != REPAIR_ALL          ? "--stops"
			    : s->ckpt_first > 0               ? "--ckpt-first"
			    : s->steps > 0                    ? "--steps"
			    : s->results                      ? "--results"
			    : platform_is_given(&s->platform) ? "what roles share"
							      : NULL;

	if (!s->from)
		return rb_fail(
			err, RB_EINVAL,
			"--predict: --from PATH is missing: whose runs are to be predicted?");
	return other ? rb_fail(err, RB_EINVAL,
			       "%s: not with --predict, since what was run is in the records; "
			       "leave it out",
			       other)
		     : RB_OK;
}

/* Read the command line; what: its pattern or file. */
static int read_words(struct simulation *s, const char *what, int argc, char **argv,
		      struct rb_error *err)
{
	struct command c;
	int rc;

	s->what = NULL;
	simulation_table(s, simulation_kernel(s->name), false);
	c = simulation_command(s);
	rc = command_parse(&c, argc, argv, NULL, s, err);
	if (rc != RB_OK)
		return rc;
	if (s->against && argc - 1 > (strchr(argv[1], '=') ? 1 : 2))
		return rb_fail(err, RB_EINVAL,
			       "--against %.200s: expected no other option; what was run is in the "
			       "records",
			       s->against);
	if (s->against)
		return RB_OK;
	s->seeds = s->seeds > 0 ? s->seeds : s->predict ? PREDICT_DRAWS : 1;
	if (s->predict)
		RB_TRY(check_predict(s, err));
	if (s->what != what || (s->what && !s->name) || (!s->what && !s->from))
		return unknown_pattern(s->what, err);
	if (s->from)
		RB_TRY(calibrate(s, err));
	set_defaults(s);
	return s->predict ? RB_OK : check(s, err);
}

int simulation_parse(struct simulation *s, int argc, char **argv, struct rb_error *err)
{
	const char *what = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;

	defaults(s);
	s->name = what;
	if (is_file(what))
		RB_TRY(read_file(s, what, err));
	return read_words(s, what, argc, argv, err);
}

int simulation_parse_point(struct simulation *s, const struct simulation *all, size_t i, int argc,
			   char **argv, struct rb_error *err)
{
	const struct point *p = &all->points.point[i];
	struct rb_error why;
	int rc;

	defaults(s);
	s->threads = s->threads > all->jobs ? s->threads / all->jobs : 1;
	RB_TRY(read_point(s, all->file, p->mapping, err));
	rc = read_words(s, argv[1], argc, argv, &why);
	return rc == RB_OK
		       ? RB_OK
		       : rb_fail(err, rc, "%s: point %s: %.400s", all->file->path, p->id, why.text);
}

void simulation_free(struct simulation *s)
{
	if (s->calibration)
		calibration_free(s->calibration);
	free(s->calibration);
	yaml_free(s->file);
}
