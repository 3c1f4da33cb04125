#include "harness/torture/torture_plan.h"

#include "base/mix.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The problems are small enough for half a second per run, and large enough for several intervals. */
static const struct problem {
	const char *kernel, *options[2][2];
	int np;
	int64_t iterations;
} problems[TORTURE_PROBLEMS] = {
	{ "cg", { { "class", "S" } }, 2, 375 },
	{ "cg", { { "class", "S" } }, 4, 375 },
	{ "cg", { { "class", "S" } }, 8, 375 },
	{ "lulesh", { { "edge", "4" }, { "steps", "60" } }, 8, 60 },
	{ "lulesh", { { "edge", "5" }, { "steps", "120" } }, 8, 120 },
	{ "jacobi", { { "grid", "96" }, { "steps", "80" } }, 3, 80 },
	{ "jacobi", { { "grid", "96" }, { "steps", "80" } }, 6, 80 },
	{ "jacobi", { { "grid", "64" }, { "steps", "120" } }, 9, 120 },
};

static int64_t below(uint64_t *state, int64_t n)
{
	return (int64_t)(mix_draw(state) % (uint64_t)n);
}

int torture_reference(struct run_spec *spec, int problem, struct rb_error *err)
{
	const struct problem *p = &problems[problem];

	spec_init(spec, kernel_find(p->kernel));
	spec->np = p->np;
	for (int i = 0; i < 2 && p->options[i][0]; i++)
		RB_TRY(spec_set(spec, p->options[i][0], p->options[i][1], err));
	return RB_OK;
}

static void draw_policy(struct run_spec *spec, uint64_t *state)
{
	int64_t n;

	switch (below(state, 7)) {
	case 0:
		snprintf(spec->policy, SPEC_TEXT, "none");
		break;
	case 1:
	case 2:
		snprintf(spec->policy, SPEC_TEXT, "all");
		break;
	case 3:
		n = 1 + below(state, spec->interval);
		snprintf(spec->policy, SPEC_TEXT, "window:%" PRId64, n);
		break;
	case 4:
		n = 10 + below(state, 80);
		snprintf(spec->policy, SPEC_TEXT, "budget:%" PRId64 "%%%s", n,
			 below(state, 2) ? ":clusters" : "");
		break;
	case 5:
		n = 1 + below(state, spec->np);
		snprintf(spec->policy, SPEC_TEXT, "teams:%" PRId64, n);
		break;
	default:
		snprintf(spec->policy, SPEC_TEXT, "teams:node");
	}
}

static void draw_checkpoints(struct run_spec *spec, uint64_t *state)
{
	static const char *const levels[] = { "file", "buddy", "buddy:2", "rs:2+1", "rs:1+2",
					      "file,buddy", "file,rs:2+1", "buddy,rs:2+1" };
	const char *chosen = levels[below(state, spec->np > 2 ? 8 : 2)];

	snprintf(spec->ckpt, sizeof spec->ckpt, "%s", chosen);
	spec->lag = below(state, 2) ? -1 : below(state, spec->interval / 2);
}

static void draw_phase(char *out, size_t size, bool later, uint64_t *state)
{
	static const char *const plain[] = { "start", "send", "commit", "checkpoint" };
	static const char *const within[] = { "recovery", "restore", "replay" };

	if (later && below(state, 2) == 0) { /* within the recovery that an earlier kill causes */
		int64_t n = below(state, 6);

		if (n < 3)
			snprintf(out, size, "%s", within[n]);
		else
			snprintf(out, size, "repair+%" PRId64, below(state, n < 5 ? 3000 : 30000));
		return;
	}
	if (below(state, 3) == 0)
		snprintf(out, size, "op+%" PRId64, 1 + below(state, 12));
	else
		snprintf(out, size, "%s", plain[below(state, 4)]);
}

/* Draw a kill. Half of the later kills come soon after the first. */
static int draw_kill(struct run_spec *spec, int64_t iterations, int k, int64_t *first,
		     uint64_t *state, struct rb_error *err)
{
	int64_t iter = below(state, iterations), kind = below(state, 12);
	char text[INJECT_TEXT], phase[32];

	if (k > 0 && below(state, 2) == 0)
		iter = *first + below(state, 3);
	if (iter >= iterations)
		iter = iterations - 1;
	if (k == 0)
		*first = iter;
	draw_phase(phase, sizeof phase, k > 0, state);
	if (kind == 0)
		snprintf(text, sizeof text, "spare0@%" PRId64, iter);
	else if (kind == 1 && spec->node_size > 0)
		snprintf(text, sizeof text, "node%" PRId64 "@%" PRId64 ":%s",
			 below(state, (spec->np + spec->node_size - 1) / spec->node_size), iter,
			 phase);
	else
		snprintf(text, sizeof text, "%" PRId64 "@%" PRId64 ":%s%s", below(state, spec->np),
			 iter, phase, k > 0 && below(state, 6) == 0 ? "#2" : "");
	return inject_parse(&spec->plan, text, spec->np, err);
}

/* Draw kills of all processes that began as roles. Spares have made fewer communicators, and the MPI
 * assigns ids that are free in all processes, so this tests other ids (docs/ulfm-notes.md). */
static int draw_succession(struct run_spec *spec, int64_t iterations, uint64_t *state, struct rb_error *err)
{
	char text[INJECT_TEXT];

	if (spec->np > 4 || below(state, 2) == 0)
		return RB_OK;
	for (int role = 0; role < spec->np; role++) {
		snprintf(text, sizeof text, "%d@%" PRId64, role, below(state, iterations / 2));
		RB_TRY(inject_parse(&spec->plan, text, spec->np, err));
	}
	return RB_OK;
}

int torture_make(struct run_spec *spec, uint64_t seed, int64_t i, int *problem,
		 struct rb_error *err)
{
	static const int64_t intervals[] = { 5, 10, 20, 25, 40 };
	uint64_t state = seed;
	int64_t first = 0;
	int kills;

	state = mix_draw(&state) ^ (uint64_t)i * 0xd1342543de82ef95u;
	*problem = (int)below(&state, TORTURE_PROBLEMS);
	RB_TRY(torture_reference(spec, *problem, err));
	spec->interval = intervals[below(&state, 5)];
	spec->node_size = below(&state, 3) == 0 ? 2 : 0;
	draw_policy(spec, &state);
	kills = 1 + (int)below(&state, 4);
	draw_checkpoints(spec, &state);
	spec->power = below(&state, 3) == 0 ? POWER_SLEEP : POWER_NONE;
	for (int k = 0; k < kills; k++)
		RB_TRY(draw_kill(spec, problems[*problem].iterations, k, &first, &state, err));
	return draw_succession(spec, problems[*problem].iterations, &state, err);
}
