#include "forecast/simulate/best_interval.h"

#include "base/grow.h"
#include "base/json.h"
#include "base/resample.h"
#include "base/status.h"
#include "forecast/simulate/simulation_parse.h"
#include "forecast/simulate/simulations.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SEEDS = 20, /* by default */
	EXTEND = 8, /* times that the range of intervals may grow */
	MORE = 4,   /* words behind those of the command line */
	WORD = 48,
};

static const double step = 1.189207115002721;  /* 2^(1/4) */
static const int64_t never = INT64_C(1) << 40; /* an interval that no run reaches */

static bool is_given(const struct best_interval *b, const char *option)
{
	const size_t length = strlen(option);

	for (int i = 1; i < b->argc; i++)
		if (strncmp(b->argv[i], option, length) == 0 &&
		    (b->argv[i][length] == '\0' || b->argv[i][length] == '='))
			return true;
	return false;
}

/* Words behind those of the command line, which override them. */
struct more {
	int count;
	char word[MORE][WORD];
};

static void add_word(struct more *more, const char *option, int64_t value)
{
	snprintf(more->word[more->count++], WORD, "%s=%" PRId64, option, value);
}

/* simulation_free() if RB_OK. */
static int parse_with(const struct best_interval *b, struct more *more, struct simulation *s,
		      struct rb_error *err)
{
	char **words = calloc((size_t)(b->argc + more->count + 1), sizeof *words);
	int rc;

	if (!words)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	for (int i = 0; i < b->argc; i++)
		words[i] = b->argv[i];
	for (int i = 0; i < more->count; i++)
		words[b->argc + i] = more->word[i];
	rc = simulation_parse(s, b->argc + more->count, words, err);
	free(words);
	if (rc != RB_OK)
		simulation_free(s);
	return rc;
}

/* --- simulating what was not simulated yet --- */

/* Attempts that are simulated at once. */
struct round {
	struct best_interval *b;
	size_t *at; /* their places */
	size_t count;
};

static const char *id_of(const void *of, size_t i)
{
	const struct round *r = of;

	return r->b->tried[r->at[i]].id;
}

static int parse_attempt(const void *of, size_t i, struct simulation *s, struct rb_error *err)
{
	const struct round *r = of;
	const int threads = r->b->asked->threads / r->b->asked->jobs;
	struct more more = { .count = 0 };

	add_word(&more, "--interval", r->b->tried[r->at[i]].interval);
	add_word(&more, "--seeds", r->b->seeds);
	if (!is_given(r->b, "--threads"))
		add_word(&more, "--threads", threads > 0 ? threads : 1);
	return parse_with(r->b, &more, s, err);
}

/* The runs of a record stand by method, and for each by seed. */
static void take(void *ctx, size_t i, const json_t *record)
{
	const struct round *r = ctx;
	const size_t count = r->b->asked->count * (size_t)r->b->seeds;
	double *times = calloc(count, sizeof *times);
	const json_t *run;
	size_t k;

	r->b->tried[r->at[i]].makespan_s = times;
	json_array_foreach(json_object_get(record, "runs"), k, run)
		if (times && k < count)
			times[k] = number_of(run, "makespan_s");
}

/* All attempts, for sweep.json. */
static json_t *list_of(const struct best_interval *b)
{
	json_t *ids = json_array();

	for (size_t i = 0; i < b->attempts; i++)
		json_array_append_new(ids, json_string(b->tried[i].id));
	return json_pack("{s:s, s:s, s:o, s:o}", "schema", "rollbench-simulations-1", "name",
			 "interval", "file",
			 text_json(b->asked->what ? b->asked->what : b->asked->name), "runs", ids);
}

static int simulate(struct best_interval *b, struct rb_error *err)
{
	struct round r = { .b = b, .at = calloc(b->attempts + 1, sizeof *r.at) };
	struct simulations made;
	int rc;

	if (!r.at)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	for (size_t i = 0; i < b->attempts; i++)
		if (!b->tried[i].makespan_s)
			r.at[r.count++] = i;
	if (r.count == 0) {
		free(r.at);
		return RB_OK;
	}
	rc = simulations_list(&(struct simulations_list){ .count = r.count,
							  .of = &r,
							  .id = id_of,
							  .parse = parse_attempt,
							  .sweep = list_of(b),
							  .results = b->asked->results,
							  .jobs = b->asked->jobs,
							  .take = take,
							  .ctx = &r },
			      &made, err);
	for (size_t i = 0; rc == RB_OK && i < r.count; i++)
		if (!b->tried[r.at[i]].makespan_s)
			rc = rb_fail(err, made.failed ? RB_EINVAL : RB_ENOMEM,
				     made.failed ? "a simulation failed; see above"
						 : "out of memory");
	free(r.at);
	return rc;
}

/* --- where to try --- */

static int64_t within_run(const struct best_interval *b, double interval)
{
	return interval < 1                         ? 1
	       : interval < (double)b->asked->steps ? (int64_t)(interval + 0.5)
						    : b->asked->steps;
}

static int add(struct best_interval *b, int64_t interval, struct rb_error *err)
{
	size_t at = 0;
	struct attempt *list = grow(b->tried, b->attempts + 1, &b->room, sizeof *list);

	if (!list)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	b->tried = list;
	while (at < b->attempts && list[at].interval < interval)
		at++;
	if (at < b->attempts && list[at].interval == interval)
		return RB_OK;
	memmove(list + at + 1, list + at, (b->attempts - at) * sizeof *list);
	list[at] = (struct attempt){ .interval = interval };
	snprintf(list[at].id, sizeof list[at].id, "interval=%" PRId64, interval);
	b->attempts++;
	return RB_OK;
}

/* A time between checkpoints, as an interval of the run. */
static int64_t in_iterations(const struct best_interval *b, size_t m, double seconds)
{
	const int64_t interval = optimal_iterations(&b->costs[m], seconds);

	return interval < b->asked->steps ? interval : b->asked->steps;
}

int64_t best_interval_young(const struct best_interval *b, size_t m)
{
	return in_iterations(b, m, optimal_young(&b->costs[m], b->mtbf_s));
}

int64_t best_interval_daly(const struct best_interval *b, size_t m)
{
	return in_iterations(b, m, optimal_daly(&b->costs[m], b->mtbf_s));
}

static bool is_worse(const struct best_interval *b, size_t at, size_t best, size_t method)
{
	const double *here = best_interval_times(b, at, method),
		     *there = best_interval_times(b, best, method);

	for (int i = 0; i < b->seeds; i++)
		b->difference[i] = here[i] - there[i];
	return paired_permutation(b->difference, (size_t)b->seeds) < 0.05;
}

struct interval_range best_interval_range(const struct best_interval *b, size_t m)
{
	const size_t seeds = (size_t)b->seeds;
	struct interval_range r = { .best = 0 };

	for (size_t i = 1; i < b->attempts; i++)
		if (mean(best_interval_times(b, i, m), seeds) <
		    mean(best_interval_times(b, r.best, m), seeds))
			r.best = i;
	r.first = r.last = r.best;
	while (r.first > 0 && !is_worse(b, r.first - 1, r.best, m))
		r.first--;
	while (r.last + 1 < b->attempts && !is_worse(b, r.last + 1, r.best, m))
		r.last++;
	return r;
}

/* Daly's optimum times 1/8 to 8. */
static int add_wide(struct best_interval *b, struct rb_error *err)
{
	for (size_t m = 0; m < b->asked->count; m++)
		for (int k = -3; k <= 3; k++)
			RB_TRY(add(b, within_run(b, ldexp((double)best_interval_daly(b, m), k)),
				   err));
	return RB_OK;
}

/* Beyond the ends, where the best may be. */
static int add_beyond(struct best_interval *b, struct rb_error *err)
{
	const int64_t least = b->tried[0].interval, most = b->tried[b->attempts - 1].interval;
	bool below = false, above = false;

	for (size_t m = 0; m < b->asked->count; m++) {
		const struct interval_range r = best_interval_range(b, m);

		below = below || r.first == 0;
		above = above || r.last == b->attempts - 1;
	}
	if (below)
		RB_TRY(add(b, within_run(b, (double)(least / 2)), err));
	return above ? add(b, within_run(b, 2 * (double)most), err) : RB_OK;
}

/* Whole numbers at about equal ratios. */
static int add_grid(struct best_interval *b, double low, double high, struct rb_error *err)
{
	const int count = (int)fmax(1, ceil(log(high / low) / log(step)));

	for (int i = 0; i <= count; i++)
		RB_TRY(add(b, within_run(b, low * pow(high / low, (double)i / count)), err));
	return RB_OK;
}

/* Narrow steps between the attempts that are worse. */
static int add_narrow(struct best_interval *b, struct rb_error *err)
{
	double low[SIMULATION_METHODS], high[SIMULATION_METHODS];

	for (size_t m = 0; m < b->asked->count; m++) {
		const struct interval_range r = best_interval_range(b, m);

		low[m] = (double)b->tried[r.first > 0 ? r.first - 1 : 0].interval;
		high[m] = (double)b->tried[r.last + 1 < b->attempts ? r.last + 1 : r.last].interval;
	}
	for (size_t m = 0; m < b->asked->count; m++) {
		RB_TRY(add_grid(b, low[m], high[m], err));
		RB_TRY(add(b, best_interval_young(b, m), err));
		RB_TRY(add(b, best_interval_daly(b, m), err));
	}
	return RB_OK;
}

static int search(struct best_interval *b, struct rb_error *err)
{
	RB_TRY(add_wide(b, err));
	RB_TRY(simulate(b, err));
	for (int i = 0; i < EXTEND; i++) {
		const size_t before = b->attempts;

		RB_TRY(add_beyond(b, err));
		if (b->attempts == before)
			break;
		RB_TRY(simulate(b, err));
	}
	RB_TRY(add_narrow(b, err));
	return simulate(b, err);
}

/* --- what the formulas need --- */

static int run_free(struct best_interval *b, struct simulation *s, struct rb_error *err)
{
	json_t *record = simulation_run(s, err);
	const json_t *run;
	size_t i;

	if (!record)
		return RB_EINVAL;
	json_array_foreach(json_object_get(record, "runs"), i, run) {
		const double free_s = number_of(run, "makespan_s");
		const struct costs *c = &s->costs;

		b->free_s[i] = free_s;
		b->costs[i] = (struct interval_costs){ .iteration_s = free_s / (double)s->steps,
						       .checkpoint_s = c->checkpoint_s,
						       .recovery_s = c->detect_s + c->repair_s +
								     c->restore_s,
						       .rework = 1 };
	}
	json_decref(record);
	return RB_OK;
}

static int find_costs(struct best_interval *b, struct rb_error *err)
{
	struct simulation *s = malloc(sizeof *s);
	struct more more = { .count = 0 };
	int rc = s ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");

	add_word(&more, "--interval", never);
	add_word(&more, "--seeds", 1);
	add_word(&more, "--mtbf-node", 0);
	if (rc == RB_OK)
		rc = parse_with(b, &more, s, err);
	if (rc == RB_OK) {
		rc = run_free(b, s, err);
		simulation_free(s);
	}
	free(s);
	return rc;
}

static int seeds_of(const struct best_interval *b)
{
	const struct simulation *s = b->asked;
	const bool in_file = s->points.count > 0 && yaml_get(s->points.point[0].mapping, "seeds");

	return in_file || is_given(b, "--seeds") ? s->seeds : SEEDS;
}

/* What this command chooses, or has no use for. */
static int check(const struct best_interval *b, struct rb_error *err)
{
	const struct simulation *s = b->asked;

	if (is_given(b, "--interval"))
		return rb_fail(err, RB_EINVAL, "--interval: this command chooses it");
	if (s->failures > 0)
		return rb_fail(err, RB_EINVAL,
			       "--fail: expected failures that are drawn, by --mtbf-node");
	if (s->against || s->predict || s->goal || s->recoveries)
		return rb_fail(err, RB_EINVAL, "--%s: not an option of this command",
			       s->against   ? "against"
			       : s->predict ? "predict"
			       : s->goal    ? "goal"
					    : "recoveries");
	if (s->points.count > 1)
		return rb_fail(err, RB_EINVAL,
			       "%s: expected one value for each key, also for interval, which this "
			       "command chooses: the file has %zu points",
			       s->what, s->points.count);
	if (!(s->law.mtbf_s > 0))
		return rb_fail(err, RB_EINVAL,
			       "--mtbf-node is missing: how often does a node fail?");
	if (b->seeds < RESAMPLE_LEAST)
		return rb_fail(err, RB_EINVAL,
			       "--seeds: expected at least %d; fewer say nothing about the scatter",
			       RESAMPLE_LEAST);
	return RB_OK;
}

int best_interval_search(struct best_interval *b, const struct simulation *asked, int argc,
			 char **argv, struct rb_error *err)
{
	const struct failure_law *law = &asked->law;

	*b = (struct best_interval){ .asked = asked, .argc = argc, .argv = argv };
	b->seeds = seeds_of(b);
	RB_TRY(check(b, err));
	b->difference = calloc((size_t)b->seeds, sizeof *b->difference);
	if (!b->difference)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	b->mtbf_s = law->mtbf_s * law->roles_per_node / asked->pattern->np;
	RB_TRY(find_costs(b, err));
	return search(b, err);
}

void best_interval_free(struct best_interval *b)
{
	for (size_t i = 0; i < b->attempts; i++)
		free(b->tried[i].makespan_s);
	free(b->tried);
	free(b->difference);
}
