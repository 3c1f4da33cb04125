#include "harness/simulate/simulation.h"

#include "base/status.h"
#include "harness/simulate/simulation_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const stencils[] = { "stencil1d", "stencil2d", "stencil3d" };

static void defaults(struct simulation *s)
{
	*s = (struct simulation){ .interval = 25, .bytes = { 800e3 }, .work = { .knots = 1, .seconds = { 1 } },
				  .costs = { .latency_s = 50e-6, .bytes_per_s = 1e9 / 8 }, .law = { .shape = 1, .roles_per_node = 1 },
				  .methods = "global,local,dataflow", .seeds = 1, .seed = 1, .threads = (int)sysconf(_SC_NPROCESSORS_ONLN) };
}

static int unknown_pattern(const char *what, struct rb_error *err)
{
	return rb_fail(err, RB_EINVAL, "%.80s%sexpected a pattern first: stencil1d, stencil2d, stencil3d, cg, lulesh or jacobi, "
		       "or a file with the ending .yaml", what ? what : "", what ? ": unknown pattern: " : "");
}

static bool is_file(const char *what)
{
	const size_t n = what ? strlen(what) : 0;

	return n > 5 && (strcmp(what + n - 5, ".yaml") == 0 || strcmp(what + n - 4, ".yml") == 0);
}

/* Read the model file. The command line comes behind it and overrides it. */
static int read_file(struct simulation *s, const char *path, struct rb_error *err)
{
	const struct yaml_node *pattern;
	int rc;

	RB_TRY(yaml_load(path, "docs/simulator.md", &s->file, err));
	pattern = yaml_get(s->file->root, "pattern");
	if (!pattern || !pattern->text)
		return yaml_refuse(s->file, s->file->root, err, "the key pattern is missing");
	simulation_table(s, kernel_find(pattern->text), true);
	s->strict = true;
	rc = yaml_read(s->file, s->file->root, s->table, NULL, s, err);
	s->strict = false;
	s->name = pattern->text;
	return rc;
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
		return rb_fail(err, RB_EINVAL, "--grid: %d axes, but %s has %d", s->axes, s->name, axes);
	for (int a = 0; a < s->axes; a++)
		roles *= s->grid[a];
	if (s->np == 0 && s->axes == 0)
		return rb_fail(err, RB_EINVAL, "--np N is missing: how many roles?");
	if (s->np > 0 && s->axes > 0 && roles != s->np)
		return rb_fail(err, RB_EINVAL, "--np %d: --grid has %lld roles", s->np, (long long)roles);
	if (s->axes == 0)
		make_grid(s, axes);
	for (int a = 0; a < STENCIL_AXES; a++)
		bytes[a] = (size_t)s->bytes[a];
	if (bytes[0] == 0)
		return rb_fail(err, RB_EINVAL, "--bytes: a message across a face has at least 1 byte");
	s->steps = s->steps > 0 ? s->steps : 1000;
	RB_TRY(stencil_pattern_init(&s->stencil, axes, s->grid, s->periodic, bytes, err));
	s->pattern = &s->stencil.pattern;
	return RB_OK;
}

static int make_kernel(struct simulation *s, const struct kernel_ops *kernel, struct rb_error *err)
{
	struct kernel_plan plan = { .iterations = 0 }; /* kernels set what applies to them */

	if (s->np == 0)
		return rb_fail(err, RB_EINVAL, "--np N is missing: how many roles?");
	for (int i = 0; kernel->options[i].name; i++) {
		if (strcmp(kernel->options[i].name, "steps") == 0 && s->steps > 0)
			snprintf(s->value[i], sizeof s->value[i], "%lld", (long long)s->steps);
		s->args.value[i] = s->value[i][0] ? s->value[i] : kernel->options[i].value;
	}
	RB_TRY(kernel->plan(&s->args, s->np, &plan, err));
	if (s->steps == 0 && plan.open_ended)
		return rb_fail(err, RB_EINVAL, "--steps N is missing: %s stops by itself only when it computes", kernel->name);
	s->steps = s->steps > 0 ? s->steps : plan.iterations;
	if (plan.data_driven)
		return rb_fail(err, RB_EINVAL, "%s with these options: which messages are sent depends on data, so it has no "
			       "pattern", kernel->name);
	s->kernel = kernel_pattern(kernel, &s->args, s->np);
	s->pattern = &s->kernel.pattern;
	return RB_OK;
}

static int make_pattern(struct simulation *s, struct rb_error *err)
{
	const struct kernel_ops *kernel = kernel_find(s->name);

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
			return rb_fail(err, RB_EINVAL, "--fail: role %d: there are %d roles", f->role, s->pattern->np);
		if (f->at == AT_CHECKPOINT && ticks_of(s->costs.checkpoint_s) == 0)
			return rb_fail(err, RB_EINVAL, "--fail %d@%lld:checkpoint: a checkpoint takes no time here, so no role dies "
				       "in one; give --checkpoint", f->role, (long long)f->iter);
		if (f->at < AT_START && s->engine != ENGINE_REF)
			return rb_fail(err, RB_EINVAL, "--fail %d@%lld:%s: only --engine ref has this point", f->role,
				       (long long)f->iter, failure_point_name(f->at));
	}
	return RB_OK;
}

static int check(struct simulation *s, struct rb_error *err)
{
	struct model m;

	RB_TRY(make_pattern(s, err));
	RB_TRY(check_failures(s, err));
	if (s->recoveries && s->engine != ENGINE_REF)
		return rb_fail(err, RB_EINVAL, "--recoveries: only --engine ref tells them");
	if (s->law.roles_per_node > s->pattern->np)
		return rb_fail(err, RB_EINVAL, "--per-node %d: there are %d roles", s->law.roles_per_node, s->pattern->np);
	if (s->failures > 0 && s->seeds > 1 && !(s->law.mtbf_s > 0) && s->work.knots == 1)
		return rb_fail(err, RB_EINVAL, "--seeds %d: nothing is drawn, so all runs would be equal", s->seeds);
	RB_TRY(simulation_methods(s, s->methods, err));
	for (size_t i = 0; i < s->count; i++) {
		m = simulation_model(s, &s->method[i], s->seed);
		RB_TRY(model_check(&m, err));
	}
	return RB_OK;
}

int simulation_parse(struct simulation *s, int argc, char **argv, struct rb_error *err)
{
	const char *what = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
	struct command c;
	int rc;

	defaults(s);
	s->name = what;
	if (is_file(what))
		RB_TRY(read_file(s, what, err));
	s->what = NULL;
	simulation_table(s, s->name ? kernel_find(s->name) : NULL, false);
	c = simulation_command(s);
	rc = command_parse(&c, argc, argv, NULL, s, err);
	if (rc != RB_OK)
		return rc;
	if (s->against && argc - 1 > (strchr(argv[1], '=') ? 1 : 2))
		return rb_fail(err, RB_EINVAL, "--against %.200s: expected no other option; what was run is in the records", s->against);
	if (s->against)
		return RB_OK;
	return s->name && s->what == what ? check(s, err) : unknown_pattern(s->what, err);
}

void simulation_free(struct simulation *s)
{
	yaml_free(s->file);
}
