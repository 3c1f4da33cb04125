/* `rollbench study --records`: the kernels of recorded runs under budget:PERCENT%, so that the sets
 * of real kills can be held against those of the study (docs/study.md). */
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "forecast/study/study.h"
#include "harness/store/results.h"

#include <stdlib.h>
#include <string.h>

/* Studies of one kernel each: its options, roles and interval between checkpoints. */
struct problems {
	const struct study *asked;
	struct study *study;
	int count, records, left_out;
};

/* The iterations of the interval at whose end the failure found all roles. false: it found some of
 * them elsewhere, or there is not one failure. */
static bool interval_of(const json_t *record, const struct run_spec *spec,
			struct iteration_range *r)
{
	const json_t *failures = json_object_get(record, "failures"),
		     *failure = json_array_get(failures, 0),
		     *fronts = json_object_get(failure, "fronts"), *front;
	size_t i;

	r->from = integer_of(failure, "checkpoint", -1);
	r->to = r->from + spec->interval;
	if (json_array_size(failures) != 1 || r->from < 0 ||
	    json_array_size(fronts) != (size_t)spec->np)
		return false;
	json_array_foreach(fronts, i, front)
		if (!json_is_integer(front) || json_integer_value(front) != r->to)
			return false;
	return true;
}

static bool is_same(const struct study *s, const struct run_spec *spec,
		    const struct iteration_range *r)
{
	bool same = s->spec.kernel == spec->kernel && s->spec.np == spec->np &&
		    s->iterations.from == r->from && s->iterations.to == r->to;

	for (int i = 0; same && spec->kernel->options[i].name; i++)
		same = strcmp(s->spec.value[i], spec->value[i]) == 0;
	return same;
}

/* The study of this kernel, which may be a new one. NULL: out of memory. */
static struct study *study_of(struct problems *p, const struct run_spec *spec,
			      const struct iteration_range *r)
{
	struct study *more;

	for (int i = 0; i < p->count; i++)
		if (is_same(&p->study[i], spec, r))
			return &p->study[i];
	more = realloc(p->study, (size_t)(p->count + 1) * sizeof *more);
	if (!more)
		return NULL;
	p->study = more;
	more += p->count++;
	*more = *p->asked;
	more->of_kernel = more->sets = true;
	more->spec = *spec;
	more->iterations = *r;
	more->thetas = more->strategies = 0;
	return more;
}

static int add_theta(struct study *s, double theta, struct rb_error *err)
{
	for (int i = 0; i < s->thetas; i++)
		if (s->theta[i] == theta)
			return RB_OK;
	if (s->thetas == STUDY_CAPS)
		return rb_fail(err, RB_EINVAL, "more than %d caps", STUDY_CAPS);
	s->theta[s->thetas++] = theta;
	return RB_OK;
}

static int add_strategy(struct study *s, const struct strategy *g, struct rb_error *err)
{
	for (int i = 0; i < s->strategies; i++)
		if (strcmp(s->strategy[i].name, g->name) == 0)
			return RB_OK;
	if (s->strategies == STUDY_STRATEGIES)
		return rb_fail(err, RB_EINVAL, "more than %d strategies", STUDY_STRATEGIES);
	s->strategy[s->strategies++] = *g;
	return RB_OK;
}

/* "budget:30%:online": the cap, and the strategy that plays the policy. */
static int read_policy(const char *asked, double *theta, struct strategy *played,
		       struct rb_error *err)
{
	char name[SPEC_TEXT];

	if (strncmp(asked, "budget:", 7) != 0)
		return rb_fail(err, RB_EINVAL, "not under budget:PERCENT%%");
	asked += 7;
	if (!text_real(&asked, theta) || *asked++ != '%')
		return rb_fail(err, RB_EINVAL, "not under budget:PERCENT%%");
	snprintf(name, sizeof name, "budget%.40s", asked);
	return strategy_parse(played, name, err);
}

/* A record becomes a part of a study, or it is left out (RB_EINVAL). */
static int enter(struct problems *p, json_t *record, struct rb_error *err)
{
	struct iteration_range interval;
	struct strategy played, matrix;
	struct run_spec spec;
	struct study *s;
	double theta;

	RB_TRY(spec_from_record(&spec, record, err));
	RB_TRY(read_policy(text_of(record, "policy_asked"), &theta, &played, err));
	if (spec.recompute != FT_ROLLBACK || !interval_of(record, &spec, &interval))
		return rb_fail(err, RB_EINVAL, "its roles were not at the end of an interval");
	RB_TRY(strategy_parse(&matrix, played.matrix, err));
	s = study_of(p, &spec, &interval);
	if (!s)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	RB_TRY(add_theta(s, theta, err));
	RB_TRY(add_strategy(s, &played, err));
	return add_strategy(s, &matrix, err);
}

static int visit_record(void *ctx, const char *id, json_t *record, const char *why,
			struct rb_error *err)
{
	struct problems *p = ctx;
	struct rb_error refused;
	int rc = record ? enter(p, record, &refused) : RB_EINVAL;

	(void)id;
	(void)why;
	p->records++;
	p->left_out += rc != RB_OK;
	return rc == RB_ENOMEM ? rb_fail(err, rc, "%s", refused.text) : RB_OK;
}

static int compare_reals(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int study_problems(struct problems *p, json_t *all, struct rb_error *err)
{
	for (int i = 0; i < p->count; i++) {
		struct study *s = &p->study[i];
		json_t *one;

		qsort(s->theta, (size_t)s->thetas, sizeof *s->theta, compare_reals);
		one = study_one(s, NULL, err);
		if (!one)
			return RB_EINVAL;
		json_array_append_new(all, one);
	}
	return RB_OK;
}

json_t *study_records(const struct study *asked, struct rb_error *err)
{
	struct problems p = { .asked = asked };
	json_t *all = json_array();
	int rc = results_each("--records", asked->records, visit_record, &p, err);

	if (rc == RB_OK && p.count == 0)
		rc = rb_fail(err, RB_EINVAL,
			     "--records %.300s: %d records, and none of a run under "
			     "budget:PERCENT%% in which a role died at the end of an interval",
			     asked->records, p.records);
	if (rc == RB_OK)
		rc = study_problems(&p, all, err);
	if (rc == RB_OK)
		fprintf(stderr,
			"rollbench study: %d of %d records have a failure at the end of an "
			"interval under a cap; problems: %d\n",
			p.records - p.left_out, p.records, p.count);
	free(p.study);
	if (rc == RB_OK)
		return all;
	json_decref(all);
	return NULL;
}
