/* A record is a list of recoveries and two sums. So is what the simulator makes of its run. */
#include "forecast/simulate/against.h"

#include "base/status.h"
#include "forecast/calibrate/recorded.h"
#include "forecast/fast/fast.h"
#include "forecast/simulate/recovery_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums over the roles of a run, and its recoveries. */
struct course {
	json_t *recoveries;
	int64_t repeated;
	/* a recovery that the next failure interrupts need not complete all of its iterations */
	int64_t least, supported;
	bool opened; /* see try_open() */
};

/* What a recovery decides. Keys that a record lacks do not count. */
static const char *const decided[] = { "rollback_set", "supporting", "sending",
				       "distance",     "supported",  NULL };
enum { OPEN_MAX = 12 };

__attribute__((format(printf, 3, 4))) static int answer(struct against *a, enum agreement kind,
							const char *format, ...)
{
	va_list args;

	a->answer = kind;
	va_start(args, format);
	vsnprintf(a->why, sizeof a->why, format, args);
	va_end(args);
	return RB_OK;
}

/* The times matter only in that they decide in which iteration a failure finds the others. A death
 * is noticed within the iteration; by then all messages of the one before have come. */
static struct model model_of(const struct recorded *r)
{
	return (struct model){ .pattern = &r->pattern.pattern,
			       .steps = r->steps,
			       .policy = r->policy,
			       .recompute = r->spec.recompute,
			       .schedule = spec_schedule(&r->spec),
			       .work = { 1, { 1 }, 1 },
			       .costs = { .latency_s = 1e-5,
					  .bytes_per_s = 1e9,
					  .checkpoint_s = 1e-3,
					  .detect_s = 0.1 } };
}

/* The run as it would be simulated on its own. */
static int simulate(const struct recorded *r, struct course *c, struct rb_error *err)
{
	struct model m = model_of(r);
	struct result result;

	recovery_watch(&m, c->recoveries);
	RB_TRY(model_check(&m, err));
	RB_TRY(simulate_fast(&m, 1, r->failure, r->failures, &result, err));
	c->repeated = result.repeated;
	c->least = c->supported = result.supported;
	result_free(&result);
	return RB_OK;
}

/* Can a duplicate of this recovery have been interrupted? Not if its role has gone on before the
 * next failure. */
static bool is_complete(const struct recorded *r, size_t k, const struct decision *d)
{
	for (int role = 0; role < d->np && k + 1 < r->count; role++)
		if (d->end[role].iter >= 0 &&
		    r->found[k + 1].front[role] <= r->found[k].front[role])
			return false;
	return true;
}

static void add_counts(const struct recorded *r, size_t k, const struct decision *d,
		       struct course *c)
{
	const struct found *f = &r->found[k];
	int64_t supported = 0;

	for (int role = 0; role < d->np; role++) {
		c->repeated += d->back[role] ? f->front[role] - f->line[role] : 0;
		supported += d->end[role].iter < 0 ? 0 : d->end[role].iter - f->line[role];
	}
	c->supported += supported;
	c->least += is_complete(r, k, d) ? supported : 0;
}

/* The first of these keys in which a recovery differs; NULL: none. */
static const char *differing(const json_t *recorded, const json_t *simulated,
			     const char *const *keys)
{
	for (; *keys; keys++) {
		const json_t *there = json_object_get(recorded, *keys);

		if (there && !json_equal(there, json_object_get(simulated, *keys)))
			return *keys;
	}
	return NULL;
}

/* One decision: the recovery as JSON, what it adds to the sums, and whether the run decided the
 * same. */
struct attempt {
	json_t *recovery;
	struct course sums;
	bool fits;
};

/* Where data-flow rollback was not possible, for instance because a checkpoint was lost, all roles
 * go back (docs/dataflow.md). */
static void all_go_back(struct decision *d, const struct situation *s)
{
	for (int r = 0; r < d->np; r++) {
		d->back[r] = true;
		d->from[r] = s->line[r];
	}
}

/* open, switched: as decide_open() takes them. */
static int attempt(struct attempt *t, const struct recorded *r, size_t k, const bool *open,
		   bool *switched, struct rb_error *err)
{
	struct model m = model_of(r);
	const struct found *f = &r->found[k];
	const struct situation s = { f->dead, f->line, f->front, true, f->copies };
	struct decision d;

	m.recompute = f->recompute;
	*t = (struct attempt){ .fits = false };
	RB_TRY(decide_open(&d, &m, &s, open, switched, err));
	if (ft_is_dataflow(r->spec.recompute) && !ft_is_dataflow(f->recompute))
		all_go_back(&d, &s);
	t->recovery = recovery_json(&s, &d);
	t->fits = !differing(json_array_get(r->recoveries, k), t->recovery, decided);
	add_counts(r, k, &d, &t->sums);
	decision_free(&d);
	return RB_OK;
}

/* Survivors may have switched channels off in the iteration that the repair broke off. The record
 * does not say which of them had come so far. Is what the run did what the simulator decides for
 * some of them? work: 3 np. */
static int try_open(struct attempt *t, const struct recorded *r, size_t k, bool *work,
		    struct rb_error *err)
{
	const int np = r->spec.np;
	bool *all = work, *switched = work + np, *open = work + 2 * np;
	int role[OPEN_MAX], count = 0;

	memset(all, true, (size_t)np);
	RB_TRY(attempt(t, r, k, all, switched, err));
	for (int i = 0; i < np && count <= OPEN_MAX; i++)
		if (switched[i] && count++ < OPEN_MAX)
			role[count - 1] = i;
	if (count > OPEN_MAX) /* all of them or none */
		return RB_OK;
	for (unsigned set = (1U << count) - 1; set > 0 && !t->fits; set--) {
		json_decref(t->recovery);
		memset(open, false, (size_t)np);
		for (int i = 0; i < count; i++)
			open[role[i]] = set >> i & 1;
		RB_TRY(attempt(t, r, k, open, switched, err));
	}
	return RB_OK;
}

static void take(struct course *c, const struct attempt *t)
{
	json_array_append_new(c->recoveries, t->recovery);
	c->repeated += t->sums.repeated;
	c->least += t->sums.least;
	c->supported += t->sums.supported;
}

/* What the simulator decides for where the failures found the roles. */
static int decide_there(const struct recorded *r, struct course *c, struct rb_error *err)
{
	bool *work = calloc(3 * (size_t)r->spec.np, sizeof *work);
	int rc = work ? RB_OK : RB_ENOMEM;

	for (size_t k = 0; rc == RB_OK && k < r->count; k++) {
		struct attempt closed, open = { .fits = false };

		rc = attempt(&closed, r, k, NULL, NULL, err);
		if (rc == RB_OK && !closed.fits)
			rc = try_open(&open, r, k, work, err);
		if (rc == RB_OK)
			take(c, open.fits ? &open : &closed);
		c->opened = c->opened || open.fits;
		json_decref(open.fits ? NULL : open.recovery);
	}
	free(work);
	return rc;
}

static int differs(struct against *a, size_t k, const char *key, const json_t *recorded,
		   const json_t *simulated)
{
	char *is = json_dumps(json_object_get(recorded, key), JSON_ENCODE_ANY | JSON_COMPACT);
	char *wanted = json_dumps(json_object_get(simulated, key), JSON_ENCODE_ANY | JSON_COMPACT);

	answer(a, DIFFERS, "recovery %zu, %s: %.50s, simulated %.50s", k + 1, key, is ? is : "none",
	       wanted ? wanted : "none");
	free(is);
	free(wanted);
	return RB_OK;
}

/* The first recovery in which something else was decided; r->count: none. */
static size_t deciding_otherwise(const struct recorded *r, const struct course *c)
{
	size_t k = 0;

	while (k < r->count && !differing(json_array_get(r->recoveries, k),
					  json_array_get(c->recoveries, k), decided))
		k++;
	return k;
}

/* What was decided in each recovery, and the sums. */
static int compare(struct against *a, const struct recorded *r, const struct course *c,
		   enum agreement kind, const char *why)
{
	const size_t k = deciding_otherwise(r, c);

	if (k < r->count) {
		const json_t *recorded = json_array_get(r->recoveries, k),
			     *simulated = json_array_get(c->recoveries, k);

		return differs(a, k, differing(recorded, simulated, decided), recorded, simulated);
	}
	if (r->unseen && r->repeated >= c->repeated)
		return answer(a, AGREES_THERE, "sets of roles only: %s", r->unseen);
	if (c->repeated != r->repeated)
		return answer(a, DIFFERS, "repeated iterations: %lld, simulated %lld",
			      (long long)r->repeated, (long long)c->repeated);
	if (r->supported < c->least || r->supported > c->supported)
		return answer(a, DIFFERS, "supported iterations: %lld, simulated %lld to %lld",
			      (long long)r->supported, (long long)c->least,
			      (long long)c->supported);
	return answer(a, kind, "%s", why);
}

/* In what the simulated course is another one; NULL: the failures found the roles where they did in
 * the run. */
static const char *another_course(const struct recorded *r, const struct course *c)
{
	static const struct {
		const char *keys[2]; /* as differing() wants them: one, and the end of the list */
		const char *says;    /* what it means that they differ */
	} aspects[] = {
		{ { "died", NULL }, "roles died in other repairs than simulated" },
		{ { "line", NULL }, "other checkpoints counted than simulated" },
		{ { "fronts", NULL }, "survivors were in other iterations than simulated" },
	};

	if (json_array_size(c->recoveries) != r->count)
		return aspects[0].says;
	for (size_t i = 0; i < sizeof aspects / sizeof *aspects; i++)
		for (size_t k = 0; k < r->count; k++)
			if (differing(json_array_get(r->recoveries, k),
				      json_array_get(c->recoveries, k), aspects[i].keys))
				return aspects[i].says;
	return NULL;
}

static int hold_courses(struct against *a, const struct recorded *r, struct course *alone,
			struct course *there, struct rb_error *err)
{
	const char *other = r->unplanned[0] ? r->unplanned : NULL;

	if (!other) {
		RB_TRY(simulate(r, alone, err));
		other = another_course(r, alone);
		if (!other && deciding_otherwise(r, alone) == r->count)
			return compare(a, r, alone, AGREES, "");
	}
	RB_TRY(decide_there(r, there, err));
	return compare(
		a, r, there, AGREES_THERE,
		there->opened
			? "survivors had switched channels off in the iteration that was broken off"
		: other ? other
			: "");
}

static int hold(struct against *a, const struct recorded *r, struct rb_error *err)
{
	struct course alone = { .recoveries = json_array() },
		      there = { .recoveries = json_array() };
	int rc = hold_courses(a, r, &alone, &there, err);

	if (rc == RB_EINVAL)
		rc = answer(a, LEFT_OUT, "it cannot be simulated: %.120s", err->text);
	json_decref(alone.recoveries);
	json_decref(there.recoveries);
	return rc;
}

int against_record(struct against *a, json_t *record, struct rb_error *err)
{
	struct recorded r;
	int rc = recorded_read(&r, record, err);

	a->why[0] = '\0';
	if (rc == RB_EINVAL)
		rc = answer(a, LEFT_OUT, "%.150s", err->text);
	else if (rc == RB_OK)
		rc = hold(a, &r, err);
	recorded_free(&r);
	return rc;
}
