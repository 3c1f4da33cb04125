/* A record is a list of recoveries and two sums. So is what the simulator makes of its run. */
#include "harness/simulate/against.h"

#include "base/status.h"
#include "harness/simulate/recorded.h"
#include "harness/simulate/recovery_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums over the roles of a run, and its recoveries. */
struct course {
	json_t *recoveries;
	int64_t repeated;
	int64_t least, supported; /* a recovery that the next failure interrupts need not complete all of its iterations */
};

__attribute__((format(printf, 3, 4)))
static int answer(struct against *a, enum agreement kind, const char *format, ...)
{
	va_list args;

	a->answer = kind;
	va_start(args, format);
	vsnprintf(a->why, sizeof a->why, format, args);
	va_end(args);
	return RB_OK;
}

/* The times matter only in that they decide in which iteration a failure finds the others. A death is noticed within the
 * iteration; by then all messages of the one before have come. */
static struct model model_of(const struct recorded *r)
{
	return (struct model){ .pattern = &r->pattern.pattern, .steps = r->steps, .policy = r->policy,
			       .recompute = r->spec.recompute, .schedule = spec_schedule(&r->spec), .work = { 1, { 1 }, 1 },
			       .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9, .checkpoint_s = 1e-3, .detect_s = 0.1 } };
}

/* The run as it would be simulated on its own. */
static int simulate(const struct recorded *r, struct course *c, struct rb_error *err)
{
	struct model m = model_of(r);
	struct result result;

	recovery_watch(&m, c->recoveries);
	RB_TRY(model_check(&m, err));
	RB_TRY(simulate_ref(&m, r->failure, r->failures, &result, err));
	c->repeated = result.repeated;
	c->least = c->supported = result.supported;
	result_free(&result);
	return RB_OK;
}

/* Can a duplicate of this recovery have been interrupted? Not if its role has gone on before the next failure. */
static bool is_complete(const struct recorded *r, size_t k, const struct decision *d)
{
	for (int role = 0; role < d->np && k + 1 < r->count; role++)
		if (d->end[role].iter >= 0 && r->found[k + 1].front[role] <= r->found[k].front[role])
			return false;
	return true;
}

static void add_counts(const struct recorded *r, size_t k, const struct decision *d, struct course *c)
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

/* What the simulator decides for where the failures found the roles. */
static int decide_there(const struct recorded *r, struct course *c, struct rb_error *err)
{
	struct model m = model_of(r);

	for (size_t k = 0; k < r->count; k++) {
		const struct found *f = &r->found[k];
		const struct situation s = { f->dead, f->line, f->front, true };
		struct decision d;

		m.recompute = f->recompute;
		RB_TRY(decide(&d, &m, &s, err));
		json_array_append_new(c->recoveries, recovery_json(&s, &d));
		add_counts(r, k, &d, c);
		decision_free(&d);
	}
	return RB_OK;
}

/* The first of these keys in which a recovery differs; NULL: none. Keys that the record lacks do not count. */
static const char *differing(const json_t *recorded, const json_t *simulated, const char *const *keys)
{
	for (; *keys; keys++) {
		const json_t *there = json_object_get(recorded, *keys);

		if (there && !json_equal(there, json_object_get(simulated, *keys)))
			return *keys;
	}
	return NULL;
}

static int differs(struct against *a, size_t k, const char *key, const json_t *recorded, const json_t *simulated)
{
	char *is = json_dumps(json_object_get(recorded, key), JSON_ENCODE_ANY | JSON_COMPACT);
	char *wanted = json_dumps(json_object_get(simulated, key), JSON_ENCODE_ANY | JSON_COMPACT);

	answer(a, DIFFERS, "recovery %zu, %s: %.50s, simulated %.50s", k + 1, key, is ? is : "none", wanted ? wanted : "none");
	free(is);
	free(wanted);
	return RB_OK;
}

/* What was decided in each recovery, and the sums. */
static int compare(struct against *a, const struct recorded *r, const struct course *c, enum agreement kind, const char *why)
{
	static const char *const decided[] = { "rollback_set", "supporting", "sending", "distance", "supported", NULL };

	for (size_t k = 0; k < r->count; k++) {
		const json_t *recorded = json_array_get(r->recoveries, k), *simulated = json_array_get(c->recoveries, k);
		const char *key = differing(recorded, simulated, decided);

		if (key)
			return differs(a, k, key, recorded, simulated);
	}
	if (r->unseen && r->repeated >= c->repeated)
		return answer(a, AGREES_THERE, "a repair in which no role died is not in the record: sets of roles only");
	if (c->repeated != r->repeated)
		return answer(a, DIFFERS, "repeated iterations: %lld, simulated %lld", (long long)r->repeated,
			      (long long)c->repeated);
	if (r->supported < c->least || r->supported > c->supported)
		return answer(a, DIFFERS, "supported iterations: %lld, simulated %lld to %lld", (long long)r->supported,
			      (long long)c->least, (long long)c->supported);
	return answer(a, kind, "%s", why);
}

/* In what the simulated course is another one; NULL: the failures found the roles where they did in the run. */
static const char *another_course(const struct recorded *r, const struct course *c)
{
	static const char *const keys[][2] = { { "died", NULL }, { "line", NULL }, { "fronts", NULL } };
	static const char *const says[] = { "roles died in other repairs than simulated", "other checkpoints counted than simulated",
					    "survivors were in other iterations than simulated" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (json_array_size(c->recoveries) != r->count)
			return says[0];
		for (size_t k = 0; k < r->count; k++)
			if (differing(json_array_get(r->recoveries, k), json_array_get(c->recoveries, k), keys[i]))
				return says[i];
	}
	return NULL;
}

static int hold(struct against *a, const struct recorded *r, struct rb_error *err)
{
	struct course alone = { json_array(), 0, 0, 0 }, there = { json_array(), 0, 0, 0 };
	const char *other = r->unplanned[0] ? r->unplanned : NULL;
	int rc = RB_OK;

	if (!other) {
		rc = simulate(r, &alone, err);
		other = rc == RB_OK ? another_course(r, &alone) : NULL;
	}
	if (rc == RB_OK && other)
		rc = decide_there(r, &there, err);
	if (rc == RB_EINVAL)
		rc = answer(a, LEFT_OUT, "it cannot be simulated: %.120s", err->text);
	else if (rc == RB_OK)
		rc = compare(a, r, other ? &there : &alone, other ? AGREES_THERE : AGREES, other ? other : "");
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
