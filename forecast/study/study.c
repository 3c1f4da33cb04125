#include "forecast/study/study.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A profile that is studied. */
struct studied {
	struct study *s;
	struct rb_error *err;
	/* a status with a message in err; 0: nothing failed, or memory was short */
	int failed;
	struct exchange e;
	int64_t log;      /* the largest if everything is logged */
	int64_t received; /* and if receivers do it */
	bool *off;        /* channels of the strategy at hand */
	bool *lost;       /* channels that it leaves to receivers; only if by_receivers */
	bool by_receivers;
	bool *other;                /* channels of another one, to compare with */
	int32_t *sets, *other_sets; /* np */
};

/* The profile's channels as a matrix; all phases become one. */
static int make_matrix(struct exchange *e, const struct profile *p)
{
	struct exchange_entry *list = malloc((p->channels + 1) * sizeof *list);
	int rc;

	if (!list)
		return RB_ENOMEM;
	for (size_t i = 0; i < p->channels; i++)
		list[i] = (struct exchange_entry){ p->channel[i].source, p->channel[i].destination,
						   p->channel[i].bytes };
	rc = exchange_build(e, p->np, list, p->channels);
	free(list);
	return rc;
}

static double percent(double ranks, int np)
{
	return 100 * ranks / np;
}

/* The paper's numbers are whole ranks. */
static json_t *truncated_json(const struct effort *x, int np)
{
	return json_pack("{s:i, s:i, s:f, s:f}", "set", (int)floor(x->set), "chain",
			 (int)floor(x->chain), "set_percent", percent(floor(x->set), np),
			 "chain_percent", percent(floor(x->chain), np));
}

static size_t count_off(const bool *off, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += off[i];
	return sum;
}

/* Of the strategy at hand; NULL: none are lost. */
static const bool *lost_of(const struct studied *x)
{
	return x->by_receivers ? x->lost : NULL;
}

static int find_effort(struct studied *x, const bool *off, const bool *lost, int32_t *sets,
		       struct effort *found)
{
	const int victims = x->s->victims                  ? x->s->victims
			    : x->e.np <= STUDY_ALL_VICTIMS ? x->e.np
							   : STUDY_SOME_VICTIMS;

	return effort_find(found, &x->e, off, lost, victims, x->s->seed, sets);
}

/* Where a form that meets messages one by one ends with other channels or sets than the matrix
 * form. */
static int compare_heaviest(struct studied *x, double theta, json_t *to)
{
	struct strategy matrix;
	struct effort other;
	struct rb_error err;
	int64_t log;
	size_t channels = 0;
	int victims = 0;

	RB_TRY(strategy_parse(&matrix, "heaviest", &err));
	RB_TRY(strategy_apply(&matrix, &x->e, theta, &x->s->timing, x->other, &log));
	RB_TRY(find_effort(x, x->other, NULL, x->other_sets, &other));
	for (size_t i = 0; i < x->e.count; i++)
		channels += x->off[i] != x->other[i];
	for (int r = 0; r < x->e.np; r++)
		victims += x->sets[r] != x->other_sets[r];
	json_object_set_new(to, "channels_unlike_heaviest", json_integer((json_int_t)channels));
	json_object_set_new(to, "victims_unlike_heaviest", json_integer(victims));
	return RB_OK;
}

static json_t *effort_json(const struct studied *x, const struct effort *f, int64_t log,
			   int64_t log_of_all)
{
	const int np = x->e.np;

	return json_pack(
		"{s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:f, s:o, s:f, s:I, s:i}", "set", f->set,
		"set_percent", percent(f->set, np), "chain", f->chain, "chain_percent",
		percent(f->chain, np), "set_most", (int)f->set_most, "chain_most",
		(int)f->chain_most, "chain_victims", f->chain_victims, "chain_error_percent",
		percent(f->chain_error, np), "truncated", truncated_json(f, np), "log_percent",
		log_of_all > 0 ? 100 * (double)log / (double)log_of_all : 0.0, "channels_off",
		(json_int_t)count_off(x->off, x->e.count), "components", f->components);
}

static json_t *set_json(const bool *in, int np)
{
	json_t *one = json_array();

	for (int r = 0; r < np; r++)
		if (in[r])
			json_array_append_new(one, json_integer(r));
	return one;
}

/* [[...], ...]: the ranks of the rollback set of each victim. RB_OK; RB_ENOMEM; RB_EINVAL:
 * x->failed. */
static int add_sets(struct studied *x, json_t *to)
{
	const size_t n = (size_t)x->e.np;
	bool *set = malloc(n * n * sizeof *set);
	json_t *list = json_array();
	int rc = set ? effort_members(&x->e, x->off, lost_of(x), set) : RB_ENOMEM;

	for (size_t v = 0; rc == RB_OK && v < n; v++) {
		json_t *one = set_json(set + v * n, x->e.np);

		if (json_array_size(one) != (size_t)x->sets[v])
			rc = x->failed = rb_fail(
				x->err, RB_EINVAL,
				"victim %zu: the closure has %zu ranks and the components %d; "
				"please report this",
				v, json_array_size(one), x->sets[v]);
		json_array_append_new(list, one);
	}
	free(set);
	json_object_set_new(to, "sets", list);
	return rc;
}

/* Which channels are off. *cap: in bytes, -1: there is none that is exact. */
static int switch_channels(struct studied *x, const struct strategy *g, double theta, int64_t *log,
			   int64_t *cap)
{
	int rc;

	*cap = -1;
	x->by_receivers = g->by_receivers;
	strategy_lost(g, &x->e, x->lost);
	if (g->kind != STRATEGY_BUDGET)
		return strategy_apply(g, &x->e, theta, &x->s->timing, x->off, log);
	rc = study_budget(x->s, g, theta, &x->e, x->off, x->lost, log, cap, x->err);
	x->failed = rc;
	return rc;
}

/* One strategy under one cap. NULL: out of memory, too many channels, or x->failed. */
static json_t *study_cap(struct studied *x, const struct strategy *g, double theta)
{
	const bool online = g->kind == STRATEGY_ONLINE;
	struct effort found;
	int64_t log, cap;
	json_t *one = NULL;
	int rc = switch_channels(x, g, theta, &log, &cap);

	if (rc == RB_OK)
		rc = find_effort(x, x->off, lost_of(x), x->sets, &found);
	if (rc == RB_OK)
		one = effort_json(x, &found, log,
				  online            ? x->log / x->s->timing.intervals
				  : g->by_receivers ? x->received
						    : x->log);
	if (!one)
		return NULL;
	json_object_set_new(one, "strategy", json_string(g->name));
	json_object_set_new(one, "theta", strategy_has_cap(g) ? json_real(theta) : json_null());
	if (cap >= 0)
		json_object_set_new(one, "cap_bytes", json_integer((json_int_t)cap));
	if (g->matrix[0])
		json_object_set_new(one, "matrix", json_string(g->matrix));
	if (x->s->sets)
		rc = add_sets(x, one);
	if (rc == RB_OK && (online || strcmp(g->matrix, "heaviest") == 0))
		rc = compare_heaviest(x, theta, one);
	if (rc == RB_OK)
		return one;
	json_decref(one);
	return NULL;
}

static json_t *study_caps(struct studied *x)
{
	const struct study *s = x->s;
	json_t *caps = json_array(), *teams = json_array();
	bool ok = caps && teams;

	for (int i = 0; ok && i < s->strategies; i++) {
		const bool capped = strategy_has_cap(&s->strategy[i]);

		for (int k = 0; ok && k < (capped ? s->thetas : 1); k++)
			ok = json_array_append_new(capped ? caps : teams,
						   study_cap(x, &s->strategy[i], s->theta[k])) == 0;
	}
	if (ok)
		return json_pack("[o, o]", caps, teams);
	json_decref(caps);
	json_decref(teams);
	return NULL;
}

static int study_matrix(struct studied *x, json_t *to)
{
	const size_t channels = x->e.count + 1, n = (size_t)x->e.np;
	json_t *both = NULL;

	x->off = malloc(channels * sizeof *x->off);
	x->lost = malloc(channels * sizeof *x->lost);
	x->other = malloc(channels * sizeof *x->other);
	x->sets = malloc(n * sizeof *x->sets);
	x->other_sets = malloc(n * sizeof *x->other_sets);
	if (x->off && x->lost && x->other && x->sets && x->other_sets &&
	    study_balance(x->s, &x->e, to) == RB_OK)
		both = study_caps(x);
	free(x->off);
	free(x->lost);
	free(x->other);
	free(x->sets);
	free(x->other_sets);
	json_object_set(to, "caps", json_array_get(both, 0));
	json_object_set(to, "teams", json_array_get(both, 1));
	json_decref(both);
	return both ? RB_OK : x->failed ? x->failed : RB_ENOMEM;
}

static const char *name_in(const json_t *one)
{
	const char *name = json_string_value(json_object_get(one, "name"));

	return name ? name : "a profile";
}

json_t *study_one(struct study *s, const char *path, struct rb_error *err)
{
	struct profile p;
	struct studied x = { .s = s, .err = err };
	json_t *one = NULL;
	int rc = study_open(s, path, &p, &one, err);

	if (rc != RB_OK)
		return NULL;
	if (s->sets && p.np > STUDY_SETS_MAX) {
		rb_fail(err, RB_EINVAL, "--sets: %.200s has %d ranks, and at most %d are listed",
			name_in(one), p.np, STUDY_SETS_MAX);
		profile_free(&p);
		json_decref(one);
		return NULL;
	}
	rc = make_matrix(&x.e, &p);
	if (rc == RB_EINVAL)
		rb_fail(err, rc,
			"%.200s: more than 2^63 bytes in all; it cannot be a profile of a program",
			name_in(one));
	profile_free(&p);
	if (rc == RB_OK) {
		x.log = exchange_largest_log(&x.e);
		x.received = exchange_largest_received(&x.e);
		json_object_set_new(one, "channels", json_integer((json_int_t)x.e.count));
		json_object_set_new(one, "bytes",
				    json_integer((json_int_t)exchange_bytes(&x.e, true)));
		json_object_set_new(one, "diagonal_bytes",
				    json_integer((json_int_t)(exchange_bytes(&x.e, true) -
							      exchange_bytes(&x.e, false))));
		json_object_set_new(one, "largest_log", json_integer((json_int_t)x.log));
		rc = study_matrix(&x, one);
		exchange_free(&x.e);
	}
	if (rc == RB_ENOMEM)
		rb_fail(err, rc, "%.200s: out of memory", name_in(one));
	if (rc == RB_OK)
		return one;
	json_decref(one);
	return NULL;
}
