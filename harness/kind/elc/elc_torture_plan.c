/* What is drawn: problems that take a few tenths of a second with the start of the MPI, so that a
 * kill by the clock often comes while they compute. */
#include "harness/kind/elc/elc_torture.h"

#include "base/mix.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum fits { FITS_ANY, FITS_POWER, FITS_CUBE };
enum { SEEDS = 2, NP_ROOM = 128 };

/* steps: safe points of rank 0. seconds: from the start of the processes to the end, about. */
static const struct problem {
	const char *program, *argument[2][2];
	enum fits fits;
	int64_t steps;
	double seconds;
} problems[] = {
	{ "gauss_jordan", { { "size", "150" } }, FITS_ANY, 150, 0.4 },
	{ "gauss_jordan", { { "size", "400" }, { "apart", "1" } }, FITS_ANY, 400, 0.6 },
	{ "matmul", { { "size", "96" }, { "columns", "2" } }, FITS_ANY, 48, 0.4 },
	{ "matmul", { { "size", "300" }, { "columns", "1" } }, FITS_ANY, 300, 0.5 },
	{ "neurons", { { "size", "24" }, { "steps", "200" } }, FITS_ANY, 200, 0.5 },
	{ "neurons", { { "steps", "400" }, { "messages", "1" } }, FITS_ANY, 400, 0.7 },
	{ "disks", { { "size", "24" }, { "sweeps", "40" } }, FITS_ANY, 300, 0.5 },
	{ "disks", { { "size", "24" }, { "deal", "1" } }, FITS_ANY, 700, 0.5 },
	{ "cg", { { "class", "S" } }, FITS_POWER, 375, 0.5 },
	{ "jacobi", { { "grid", "96" }, { "steps", "600" } }, FITS_ANY, 600, 0.6 },
	{ "lulesh", { { "edge", "4" }, { "steps", "60" } }, FITS_CUBE, 60, 0.6 },
	{ "bfs", { { "scale", "9" }, { "steps", "60" } }, FITS_ANY, 60, 0.5 },
	{ "amr", { { "cells", "4" }, { "steps", "200" } }, FITS_ANY, 200, 0.6 },
	{ "triad", { { "elements", "2000" }, { "steps", "300" } }, FITS_ANY, 300, 0.4 },
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static int64_t below(uint64_t *state, int64_t n)
{
	return (int64_t)(mix_draw(state) % (uint64_t)n);
}

static bool fits(const struct problem *p, int np)
{
	if (p->fits == FITS_POWER)
		return (np & (np - 1)) == 0;
	return p->fits == FITS_ANY || np == 8 || np == 27 || np == 64;
}

/* Is the word one of the list, which has commas? */
static bool names(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	return strcmp(list, "all") == 0;
}

/* How many words a list has. */
static int words_of(const char *list)
{
	int n = 1;

	for (const char *at = list; *at; at++)
		n += *at == ',';
	return n;
}

static int choose_protocols(struct elc_torture *t, struct rb_error *err)
{
	char known[128] = "";

	for (int p = ELC_EVENTS; elc_protocol_word(p) && t->protocol_count < ELC_PROTOCOLS; p++)
		if (names(t->protocols, elc_protocol_word(p)))
			t->protocol[t->protocol_count++] = (enum elc_protocol)p;
	if (t->protocol_count > 0 &&
	    (strcmp(t->protocols, "all") == 0 || words_of(t->protocols) == t->protocol_count))
		return RB_OK;
	for (int p = ELC_EVENTS; elc_protocol_word(p); p++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
			 p > ELC_EVENTS ? ", " : "", elc_protocol_word(p));
	return rb_fail(err, RB_EINVAL,
		       "--protocol %.60s: expected all, or protocols with commas: %s", t->protocols,
		       known);
}

int elc_torture_choose(struct elc_torture *t, struct rb_error *err)
{
	const char *list = t->programs ? t->programs : "all";
	const char *last = "";
	int found = 0;

	RB_TRY(choose_protocols(t, err));
	for (int i = 0; i < PROBLEMS; i++) {
		if (!names(list, problems[i].program))
			continue;
		found += strcmp(problems[i].program, last) != 0;
		last = problems[i].program;
		if (t->np == 0 || fits(&problems[i], t->np))
			t->row[t->row_count++] = i;
	}
	if (found == 0 || (strcmp(list, "all") && words_of(list) != found))
		return rb_fail(
			err, RB_EINVAL,
			"%.60s: expected all, or programs with commas: gauss_jordan, matmul, "
			"neurons, disks, cg, jacobi, lulesh, bfs, amr, triad",
			list);
	if (t->row_count == 0)
		return rb_fail(err, RB_EINVAL, "%.60s: not with --np %d", list, t->np);
	return RB_OK;
}

static int draw_np(const struct elc_torture *t, const struct problem *p, uint64_t *state)
{
	const int64_t drawn = below(state, 6);

	if (t->np > 0)
		return t->np;
	if (p->fits == FITS_POWER)
		return 2 << (drawn % 2);
	return p->fits == FITS_CUBE ? 8 : 2 + (int)(drawn / 2);
}

static int add_number(struct elc_plan *plan, const char *name, int64_t value, struct rb_error *err)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	return elc_plan_argument(plan, name, text, err);
}

/* Lines at places that the program draws, after every so many steps, by the clock of rank 0, or by
 * both; in one run of 32 none. */
static int draw_lines(struct elc_plan *plan, const struct problem *p, uint64_t *state,
		      struct rb_error *err)
{
	const int64_t how = below(state, 8), many = 1 + below(state, 10),
		      every = 1 + below(state, p->steps / 4);
	const double interval_s = 0.002 + 1e-6 * (double)below(state, 60000);

	if (how < 3 || how == 7)
		plan->lines = how == 7 && below(state, 4) == 0 ? 0 : many;
	else if (how < 5)
		return add_number(plan, "every", every, err);
	else
		plan->lines = 0;
	if (how > 4 && (how < 7 || plan->lines > 0))
		plan->interval_s = interval_s;
	return RB_OK;
}

/* The safe point of the newest planned kill; 0: there is none. */
static int64_t last_step(const struct elc_plan *plan)
{
	for (int k = plan->kills - 1; k >= 0; k--)
		if (plan->kill[k].clock.count == 0)
			return plan->kill[k].step;
	return 0;
}

/* Of the first job anywhere; of a later one not far from where the one before died, or from its
 * beginning: also in the part that is repeated. */
static int64_t draw_step(const struct elc_plan *plan, const struct problem *p, uint64_t *state)
{
	const int64_t last = last_step(plan), back = p->steps / 6;
	const int64_t from = last > back ? last - back : 0;

	return plan->kills == 0 ? below(state, p->steps) : from + below(state, 1 + p->steps / 3);
}

static int draw_planned(struct elc_plan *plan, const struct problem *p, uint64_t *state,
			struct rb_error *err)
{
	static const char *const phases[] = { "start",      "start",     "start", "cut",
					      "saved",      "asking",    "asked", "requested",
					      "identified", "complete",  "known", "reported",
					      "committed",  "announcing" };
	enum { PHASES = sizeof phases / sizeof *phases, OF_RANK_0 = 11 };
	const int64_t phase = below(state, PHASES), rank = below(state, plan->np);
	const int64_t step = draw_step(plan, p, state);
	char text[64];

	snprintf(text, sizeof text, "%" PRId64 "@%" PRId64 ":%s", phase < OF_RANK_0 ? rank : 0,
		 step, phases[phase]);
	return elc_plan_kill(plan, text, err);
}

/* One rank, or in one of three two of them: at once or up to 10 ms apart, also in MPI_Init. */
static int draw_clock(struct elc_plan *plan, const struct problem *p, uint64_t *state,
		      struct rb_error *err)
{
	const double at = 1e-6 * (double)below(state, (int64_t)(1e6 * p->seconds));
	const int64_t rank = below(state, plan->np), two = below(state, 3),
		      other = below(state, plan->np - 1);
	const double gap = 1e-6 * (double)below(state, 10000);
	const bool at_once = below(state, 2);
	char text[96];
	int n = snprintf(text, sizeof text, OUTSIDE_STARTUP "%.6f:%" PRId64, at, rank);

	if (two == 0)
		snprintf(text + n, sizeof text - (size_t)n, "," OUTSIDE_STARTUP "%.6f:%" PRId64,
			 at_once ? at : at + gap, (rank + 1 + other) % plan->np);
	return elc_plan_kill_at(plan, text, err);
}

static int draw_kills(const struct elc_torture *t, struct elc_plan *plan, const struct problem *p,
		      uint64_t *state, struct rb_error *err)
{
	const int64_t kills = below(state, 16) == 0 ? 0 : 1 + below(state, 3);

	for (int64_t k = 0; k < kills; k++) {
		const bool by_clock = below(state, 2);

		if (t->kills == TORTURE_BOTH ? by_clock : t->kills == TORTURE_CLOCK)
			RB_TRY(draw_clock(plan, p, state, err));
		else
			RB_TRY(draw_planned(plan, p, state, err));
	}
	return RB_OK;
}

int elc_torture_draw(struct elc_torture *t, int64_t i, int *problem, struct rb_error *err)
{
	struct elc_plan *plan = &t->run.plan;
	uint64_t state = t->seed;
	const struct problem *p;
	int64_t seed;
	int row;

	state = mix_draw(&state) ^ (uint64_t)i * 0xd1342543de82ef95u;
	row = t->row[below(&state, t->row_count)];
	p = &problems[row];
	seed = 1 + below(&state, SEEDS);
	elc_plan_free(plan);
	*plan = (struct elc_plan){ .program = p->program,
				   .lines = -1,
				   .deadline_s = t->deadline_s };
	plan->np = draw_np(t, p, &state);
	plan->protocol = t->protocol[below(&state, t->protocol_count)];
	plan->log_form = plan->protocol == ELC_EVENTS && below(&state, 2) ? ELC_LIST : ELC_COUNTED;
	*problem = (row * NP_ROOM + plan->np) * SEEDS + (int)seed;
	for (int a = 0; a < 2 && p->argument[a][0]; a++)
		RB_TRY(elc_plan_argument(plan, p->argument[a][0], p->argument[a][1], err));
	RB_TRY(add_number(plan, "seed", seed, err));
	RB_TRY(draw_lines(plan, p, &state, err));
	return draw_kills(t, plan, p, &state, err);
}

/* A restarted master that deals in another way sends other messages than before. */
static bool may_differ(const struct elc_plan *p)
{
	for (int i = 0; i < p->arguments; i += 2)
		if (strcmp(p->argument[i], "--deal") == 0 && strcmp(p->argument[i + 1], "1") == 0)
			return true;
	return false;
}

bool elc_torture_refuses(const struct elc_plan *p, const char *message)
{
	if (p->protocol == ELC_MARKERS &&
	    strstr(message, "ELC_PROTOCOL=markers: the messages of rank"))
		return true;
	return may_differ(p) && strstr(message, "this program does not repeat its messages");
}
