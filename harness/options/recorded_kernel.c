#include "harness/options/recorded_kernel.h"

#include "base/status.h"
#include "profile/recorded.h"

#include <stdlib.h>
#include <string.h>

/* The profile that is read. */
static struct {
	const char *path;
	char iterations[64]; /* the option, as it was read with */
	int np;
	bool read;
	struct recorded recorded;
} loaded;

static const struct kernel_option options[] = {
	{ "iterations", "header",
	  "how many iterations the recorded run had: each of them sends an equal share. N:PHASE: "
	  "of one phase of it. phases: each phase is an iteration. header: as the file's "
	  "header says" },
	{ NULL, NULL, NULL },
};

static int plan(const struct kernel_args *args, int np, struct kernel_plan *out,
		struct rb_error *err)
{
	const char *iterations =
		args->value[0] && strcmp(args->value[0], "header") != 0 ? args->value[0] : "";

	if (!loaded.read || loaded.np != np || strcmp(loaded.iterations, iterations) != 0) {
		recorded_close(&loaded.recorded);
		loaded.read = false;
		RB_TRY(recorded_open(&loaded.recorded, loaded.path, np, iterations, err));
		loaded.np = np;
		loaded.read = true;
		snprintf(loaded.iterations, sizeof loaded.iterations, "%s", iterations);
	}
	out->iterations = loaded.recorded.iterations;
	snprintf(out->layout, sizeof out->layout, "%d ranks", np);
	return RB_OK;
}

static int call(void *ctx, const struct pattern_operation *o)
{
	static char nothing; /* what is received goes nowhere: the port has no data */
	struct msg *m = ctx;

	switch (o->kind) {
	case PATTERN_SEND:
		msg_reserve(m, o->peer, o->tag, o->bytes);
		return msg_push(m);
	case PATTERN_RECEIVE:
		msg_post(m, o->peer, o->tag, &nothing, o->bytes);
		return RB_OK;
	default:
		return msg_wait(m);
	}
}

static int calls(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	(void)args, (void)np;
	return loaded.recorded.pattern.operations(&loaded.recorded.pattern, role, iter, call, m);
}

const struct kernel_ops *kernel_or_profile(const char *name)
{
	static struct kernel_ops profile = {
		.summary = "a recorded profile", .options = options, .plan = plan, .pattern = calls
	};

	if (!name || !profile_is_name(name))
		return name ? kernel_find(name) : NULL;
	if (!loaded.path || strcmp(loaded.path, name) != 0) {
		recorded_close(&loaded.recorded);
		loaded.read = false;
		loaded.path = name;
	}
	profile.name = name;
	return &profile;
}

int recorded_kernel_np(const struct kernel_ops *kernel, int *np, struct rb_error *err)
{
	struct profile p;
	int rc;

	if (kernel->plan != plan)
		return RB_OK;
	rc = profile_read(&p, loaded.path, 0, err);
	if (rc == RB_OK)
		*np = p.np;
	profile_free(&p);
	return rc;
}
