#include "harness/kind/engine/engine_torture.h"

#include "base/mix.h"
#include "base/status.h"
#include "harness/options/spec_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first problems are for planned kills, the others for kills from outside; and again so behind
 * FIRST_LATER, those of kernels that came later. */
enum { PLANNED = 8, FIRST_LATER = 15, LATER_PLANNED = 4 };

/* The problems are small enough for half a second per run, and large enough for several intervals.
 * The first kill from outside comes within `seconds`, the time from the ledgers to the end on a
 * quiet machine with two cores. */
static const struct problem {
	const char *kernel, *options[2][2];
	int np;
	int64_t iterations;
	double seconds;
} problems[ENGINE_PROBLEMS] = {
	{ "cg", { { "class", "S" } }, 2, 375, 0 },
	{ "cg", { { "class", "S" } }, 4, 375, 0 },
	{ "cg", { { "class", "S" } }, 8, 375, 0 },
	{ "lulesh", { { "edge", "4" }, { "steps", "60" } }, 8, 60, 0 },
	{ "lulesh", { { "edge", "5" }, { "steps", "120" } }, 8, 120, 0 },
	{ "jacobi", { { "grid", "96" }, { "steps", "80" } }, 3, 80, 0 },
	{ "jacobi", { { "grid", "96" }, { "steps", "80" } }, 6, 80, 0 },
	{ "jacobi", { { "grid", "64" }, { "steps", "120" } }, 9, 120, 0 },
	{ "cg", { { "class", "S" } }, 4, 375, 0.15 },
	{ "cg", { { "class", "S" } }, 8, 375, 0.25 },
	{ "cg", { { "class", "W" } }, 4, 375, 0.6 },
	{ "lulesh", { { "edge", "5" }, { "steps", "200" } }, 8, 200, 0.25 },
	{ "jacobi", { { "grid", "96" }, { "steps", "2000" } }, 3, 2000, 0.28 },
	{ "jacobi", { { "grid", "96" }, { "steps", "1000" } }, 6, 1000, 0.2 },
	{ "jacobi", { { "grid", "64" }, { "steps", "800" } }, 9, 800, 0.22 },
	{ "bfs", { { "scale", "9" }, { "steps", "60" } }, 5, 60, 0 },
	{ "bfs", { { "scale", "11" }, { "steps", "90" } }, 8, 90, 0 },
	{ "amr", { { "blocks", "8" }, { "steps", "90" } }, 5, 90, 0 },
	{ "amr", { { "cells", "4" }, { "steps", "80" } }, 8, 80, 0 },
	{ "bfs", { { "scale", "10" }, { "steps", "600" } }, 4, 600, 0.2 },
	{ "bfs", { { "scale", "11" }, { "steps", "500" } }, 8, 500, 0.25 },
	{ "amr", { { "cells", "4" }, { "steps", "800" } }, 4, 800, 0.2 },
	{ "amr", { { "cells", "4" }, { "steps", "600" } }, 8, 600, 0.25 },
};

static int64_t below(uint64_t *state, int64_t n)
{
	return (int64_t)(mix_draw(state) % (uint64_t)n);
}

/* The failure-free run. */
static int set_problem(struct run_spec *spec, int problem, struct rb_error *err)
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
	static const char *const levels[] = { "file",        "buddy",        "buddy:2",
					      "rs:2+1",      "rs:1+2",       "file,buddy",
					      "file,rs:2+1", "buddy,rs:2+1", "buddy:near" };
	const char *chosen = levels[below(state, spec->np > 2 ? 9 : 2)];

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

/* A node to kill: that of a role, on its host or with node_size - 1 others. -1: there are none. */
static int draw_node(const struct run_spec *spec, uint64_t *state)
{
	if (spec->hosts)
		return spec_node(spec, (int)below(state, spec->np));
	return spec->node_size > 0
		       ? (int)below(state, (spec->np + spec->node_size - 1) / spec->node_size)
		       : -1;
}

/* Draw a kill. Half of the later kills come soon after the first. */
static int draw_kill(struct run_spec *spec, int64_t iterations, int k, int64_t *first,
		     uint64_t *state, struct rb_error *err)
{
	int64_t iter = below(state, iterations), kind = below(state, 12);
	int node;
	char text[INJECT_TEXT], phase[24];

	if (k > 0 && below(state, 2) == 0)
		iter = *first + below(state, 3);
	if (iter >= iterations)
		iter = iterations - 1;
	if (k == 0)
		*first = iter;
	draw_phase(phase, sizeof phase, k > 0, state);
	if (kind == 0)
		snprintf(text, sizeof text, "spare0@%" PRId64, iter);
	else if (kind == 1 && (node = draw_node(spec, state)) >= 0)
		snprintf(text, sizeof text, "node%d@%" PRId64 ":%s", node, iter, phase);
	else {
		/* drawn first: arguments have no order */
		bool again = k > 0 && below(state, 6) == 0;

		snprintf(text, sizeof text, "%" PRId64 "@%" PRId64 ":%s%s", below(state, spec->np),
			 iter, phase, again ? "#2" : "");
	}
	return inject_parse(&spec->plan, text, spec->np, err);
}

/* Draw kills of all processes that began as roles, so that only former spares are left. */
static int draw_succession(struct run_spec *spec, int64_t iterations, uint64_t *state,
			   struct rb_error *err)
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

/* In one run of six on several hosts, one of them dies with its MPI daemon, from which only a new
 * job with files helps. mpirun may run on the first host. */
static int draw_host(struct run_spec *spec, int64_t iterations, uint64_t *state,
		     struct rb_error *err)
{
	char text[INJECT_TEXT];
	int host;

	if (!spec->hosts || !strstr(spec->ckpt, "file") || below(state, 6) > 0)
		return RB_OK;
	host = draw_node(spec, state);
	snprintf(text, sizeof text, "host%d@%" PRId64, host, below(state, iterations));
	return host == 0 ? RB_OK : inject_parse(&spec->plan, text, spec->np, err);
}

/* Planned kills: one to four, in phases of iterations or of recoveries. */
static int draw_planned(struct run_spec *spec, const struct problem *p, int kills, uint64_t *state,
			struct rb_error *err)
{
	int64_t first = 0;
	size_t kept = 0;

	for (int k = 0; k < kills; k++)
		RB_TRY(draw_kill(spec, p->iterations, k, &first, state, err));
	RB_TRY(draw_succession(spec, p->iterations, state, err));
	RB_TRY(draw_host(spec, p->iterations, state, err));
	/* A spare that is to die needs spares. */
	for (size_t k = 0; k < spec->plan.count; k++)
		if ((spec->replace == FT_SPARE && spec->strategy == FT_GO_ON) ||
		    spec->plan.kill[k].who != INJECT_SPARE)
			spec->plan.kill[kept++] = spec->plan.kill[k];
	spec->plan.count = kept;
	return RB_OK;
}

/* Seconds, in whole microseconds, from one kill to the next: often so short that the second death
 * falls into the recovery of the first. A job that is started again takes longer than that to
 * begin. */
static double draw_gap(const struct run_spec *spec, uint64_t *state)
{
	int64_t most = below(state, 2) ? 100000 : 10000;

	return 1e-6 * (double)below(state, spec->strategy == FT_RESTART ? 2000000 : most + 1);
}

static int add_outside(struct run_spec *spec, const char *begin, double at, int who,
		       struct rb_error *err)
{
	const bool spare = who >= spec->np;
	char text[INJECT_TEXT];

	snprintf(text, sizeof text, "%s%.6f:%s%d", begin, at, spare ? "spare" : "",
		 spare ? who - spec->np : who);
	return outside_parse(&spec->outside, text, err);
}

/* Kills from outside: one to three processes. In one run of eight there is a spare less than
 * processes that die. */
static int draw_outside(struct run_spec *spec, const struct problem *p, uint64_t *state,
			struct rb_error *err)
{
	int kills = 1 + (int)below(state, 3), few = below(state, 8) == 0;
	double at = 1e-6 * (double)below(state, (int64_t)(1e6 * p->seconds));
	bool hit[64] = { false };

	spec->spares = spec->replace == FT_SPAWN || spec->strategy == FT_RESTART ? 0 : kills - few;
	for (int k = 0; k < kills; k++) {
		int who = (int)below(state, spec->np + spec->spares);

		while (hit[who] && below(state, 8) > 0) /* seldom the one who has taken over */
			who = (who + 1) % (spec->np + spec->spares);
		hit[who] = true;
		at += k > 0 ? draw_gap(spec, state) : 0;
		RB_TRY(add_outside(spec, "", at, who, err));
	}
	return RB_OK;
}

/* In one run of sixteen a process dies in MPI_Init or soon after it, too; a spare is there for the
 * latter case. */
static int draw_startup(struct run_spec *spec, uint64_t *state, struct rb_error *err)
{
	bool some = below(state, 16) == 0;
	double at = 1e-6 * (double)below(state, 300000);
	int who = (int)below(state, spec->np + spec->spares);

	if (!some)
		return RB_OK;
	RB_TRY(add_outside(spec, OUTSIDE_STARTUP, at, who, err));
	if (spec->replace == FT_SPARE && spec->strategy == FT_GO_ON)
		spec->spares++;
	return RB_OK;
}

/* Techniques that set cores are drawn only from those that sleep, and job restart is drawn last, so
 * that all other runs of a seed are what they were before there was either. */
static void draw_technique(struct run_spec *spec, uint64_t *state)
{
	int64_t technique = below(state, 2 * (POWER_TECHNIQUES - POWER_SLEEP));

	if (spec->power == POWER_SLEEP && technique < POWER_TECHNIQUES - POWER_SLEEP)
		spec->power = (enum power_technique)(POWER_SLEEP + technique);
}

static void draw_strategy(struct run_spec *spec, uint64_t *state)
{
	static const char *const levels[] = { "file", "file,buddy", "file,rs:2+1" };
	const char *chosen = levels[below(state, spec->np > 2 ? 3 : 2)];

	if (below(state, 8) > 0)
		return;
	spec->strategy = FT_RESTART;
	spec->replace = FT_SPARE;
	spec->power = POWER_NONE;
	snprintf(spec->policy, SPEC_TEXT, "none");
	snprintf(spec->ckpt, sizeof spec->ckpt, "%s", chosen);
}

/* Data-flow rollback, in one run of three. Then half of the deaths in a replay or a restoration
 * become deaths of a duplicate. If the kernel can do it, duplicates repeat everything in one of
 * three of these runs. This is drawn last, too. */
static void draw_recompute(struct run_spec *spec, uint64_t *state)
{
	if (below(state, 3) > 0 || spec->strategy == FT_RESTART)
		return;
	spec->recompute = FT_DATAFLOW;
	for (size_t k = 0; k < spec->plan.count; k++) {
		enum inject_phase *phase = &spec->plan.kill[k].phase;

		if ((*phase == INJECT_REPLAY || *phase == INJECT_RESTORE) && below(state, 2) == 0)
			*phase = INJECT_SUPPORT;
	}
	if (below(state, 3) == 0 && spec_bears_old_data(spec))
		spec->recompute = FT_FLAT;
}

/* A first checkpoint at another place, in one run of eight, and the control that slows all roles
 * down (harness/machine/power/power.h), in one of sixteen. They have random numbers of their own,
 * so that all else is what it was before there was either. */
static void draw_extras(struct run_spec *spec, uint64_t *state)
{
	int64_t first = 1 + below(state, spec->interval);
	bool moved = below(state, 8) == 0, slow = below(state, 16) == 0;

	if (moved)
		spec->ckpt_first = first;
	if (slow && spec->strategy == FT_GO_ON)
		spec->power = POWER_SLOW_ALL;
}

/* In one run of six of those that repair, the state is copied before each iteration, and LULESH
 * updates it in place. This has random numbers of its own, too. */
static int draw_transaction(struct run_spec *spec, uint64_t *state, struct rb_error *err)
{
	if (below(state, 6) > 0 || spec->strategy != FT_GO_ON)
		return RB_OK;
	spec->transaction = FT_COPY;
	return strcmp(spec->kernel->name, "lulesh") == 0 ? spec_set(spec, "buffers", "single", err)
							 : RB_OK;
}

static int draw_kills(struct run_spec *spec, const struct engine_draw *asked, bool outside,
		      int problem, int kills, uint64_t *state, uint64_t *more, struct rb_error *err)
{
	if (!outside)
		return draw_planned(spec, &problems[problem], kills, state, err);
	RB_TRY(draw_outside(spec, &problems[problem], more, err));
	return asked->escalation ? draw_startup(spec, more, err) : RB_OK;
}

/* In one run of six without job restart, receivers keep messages, and all that lack some roll back.
 * Of the other budgets whose heaviest channel goes first, a third switch channels off by Alg. 1,
 * every second one for good. This has random numbers of its own, too. */
static void draw_late_policies(struct run_spec *spec, uint64_t *state)
{
	const int64_t which = below(state, 18), percent = 10 + below(state, 80),
		      size = 1 + below(state, spec->np);
	const bool clusters = below(state, 2), online = below(state, 3) == 0,
		   kept = below(state, 2);
	const size_t used = strlen(spec->policy);

	if (online && spec->policy[used - 1] == '%') /* a budget without more words */
		snprintf(spec->policy + used, sizeof spec->policy - used, ":online%s",
			 kept ? ":kept" : "");
	if (which > 2 || spec->strategy != FT_GO_ON)
		return;
	spec->recompute = FT_ROLLBACK;
	if (which == 0)
		snprintf(spec->policy, SPEC_TEXT, "receiver");
	else if (which == 1)
		snprintf(spec->policy, SPEC_TEXT, "budget:%" PRId64 "%%%s:receiver", percent,
			 clusters ? ":clusters" : "");
	else
		snprintf(spec->policy, SPEC_TEXT, "teams:%" PRId64 ":receiver", size);
}

/* In one run of four it is a later problem. These have random numbers of their own, so that the
 * other runs are what they were before there were any. */
static int draw_problem(bool outside, uint64_t *state, uint64_t *later)
{
	const int first = outside ? PLANNED : 0, end = outside ? FIRST_LATER : PLANNED;
	const int early = first + (int)below(state, end - first);
	const bool is_later = below(later, 4) == 0;
	const int64_t which = outside ? LATER_PLANNED + below(later, ENGINE_PROBLEMS - FIRST_LATER -
									     LATER_PLANNED)
				      : below(later, LATER_PLANNED);

	return is_later ? FIRST_LATER + (int)which : early;
}

static int draw(struct run_spec *spec, const struct engine_draw *asked, bool outside, int problem,
		uint64_t *state, uint64_t *more, struct rb_error *err)
{
	static const int64_t intervals[] = { 5, 10, 20, 25, 40 };
	int kills;

	RB_TRY(set_problem(spec, problem, err));
	spec->replace = asked->replace;
	spec->interval = intervals[below(state, 5)];
	spec->node_size = below(state, 3) == 0 && !asked->hosts ? 2 : 0;
	spec->hosts = asked->hosts;
	draw_policy(spec, state);
	kills = 1 + (int)below(state, 4);
	draw_checkpoints(spec, state);
	spec->power = below(state, 3) == 0 ? POWER_SLEEP : POWER_NONE;
	draw_technique(spec, more);
	draw_strategy(spec, more);
	RB_TRY(draw_kills(spec, asked, outside, problem, kills, state, more, err));
	draw_recompute(spec, more);
	return RB_OK;
}

int engine_torture_draw(struct run_spec *spec, const struct engine_draw *asked, int64_t i,
			int *problem, struct rb_error *err)
{
	uint64_t state = asked->seed, more, extras, later, ends, copies;
	bool outside;

	state = mix_draw(&state) ^ (uint64_t)i * 0xd1342543de82ef95u;
	more = mix(~state);
	extras = mix(~more);
	later = mix(~extras);
	ends = mix(~later);
	copies = mix(~ends);
	outside = below(&more, 2);
	if (asked->kills != TORTURE_BOTH)
		outside = asked->kills == TORTURE_CLOCK;
	*problem = draw_problem(outside, &state, &later);
	RB_TRY(draw(spec, asked, outside, *problem, &state, &more, err));
	draw_extras(spec, &extras);
	draw_late_policies(spec, &ends);
	return draw_transaction(spec, &copies, err);
}
