/* `rollbench study --records`: the kernels of recorded runs under budget:PERCENT%, so that the sets
 * of real kills can be held against those of the study (docs/study.md). */
#include "base/json.h"
#include "base/quantile.h"
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
	int count, records;
	json_t *left_out; /* how many records, by the reason */
};

/* No run has so many. */
enum { ITERATIONS_MOST = 1000000000 };

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
	if (json_array_size(failures) != 1 || r->from < 0 || r->from > ITERATIONS_MOST ||
	    spec->interval > ITERATIONS_MOST || json_array_size(fronts) != (size_t)spec->np)
		return false;
	r->to = r->from + spec->interval;
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

/* RB_OK, or RB_EINVAL: there is no room. */
static int add_theta(struct study *s, double theta, struct rb_error *err)
{
	for (int i = 0; i < s->thetas; i++)
		if (s->theta[i] == theta)
			return RB_OK;
	if (s->thetas == STUDY_CAPS)
		return rb_fail(err, RB_EINVAL, "--records: more than %d caps of %s on %d roles",
			       STUDY_CAPS, s->spec.kernel->name, s->spec.np);
	s->theta[s->thetas++] = theta;
	return RB_OK;
}

static int add_strategy(struct study *s, const struct strategy *g, struct rb_error *err)
{
	for (int i = 0; i < s->strategies; i++)
		if (strcmp(s->strategy[i].name, g->name) == 0)
			return RB_OK;
	if (s->strategies == STUDY_STRATEGIES)
		return rb_fail(err, RB_EINVAL,
			       "--records: more than %d strategies of %s on %d roles",
			       STUDY_STRATEGIES, s->spec.kernel->name, s->spec.np);
	s->strategy[s->strategies++] = *g;
	return RB_OK;
}

/* "budget:30%:online": the cap, and the strategy that plays the policy. false: another policy. */
static bool read_policy(const char *asked, double *theta, struct strategy *played)
{
	char name[STRATEGY_NAME];
	struct rb_error err;

	if (strncmp(asked, "budget:", 7) != 0)
		return false;
	asked += 7;
	if (!text_real(&asked, theta) || *asked++ != '%' || !(*theta > 0 && *theta <= 100) ||
	    snprintf(name, sizeof name, "budget%s", asked) >= (int)sizeof name)
		return false;
	return strategy_parse(played, name, &err) == RB_OK;
}

/* What a record says of a study. */
struct found {
	struct run_spec spec;
	struct iteration_range interval;
	double theta;
	struct strategy played, matrix;
};

/* false: nothing that a study can be compared with, and why. */
static bool find(struct found *f, json_t *record, struct rb_error *why)
{
	if (spec_from_record(&f->spec, record, why) != RB_OK)
		return false;
	if (!read_policy(text_of(record, "policy_asked"), &f->theta, &f->played) ||
	    f->spec.recompute != FT_ROLLBACK)
		rb_fail(why, RB_EINVAL, "not under budget:PERCENT%% with rollback");
	else if (strcmp(text_of(record, "status"), "ok") != 0)
		rb_fail(why, RB_EINVAL, "its status is not ok");
	else if (f->spec.ckpt_first > 0)
		rb_fail(why, RB_EINVAL, "its first interval is another one (--ckpt-first)");
	else if (!interval_of(record, &f->spec, &f->interval))
		rb_fail(why, RB_EINVAL, "no death that found all roles at the end of an interval");
	else
		return strategy_parse(&f->matrix, f->played.matrix, why) == RB_OK;
	return false;
}

static int enter(struct problems *p, const struct found *f, struct rb_error *err)
{
	struct study *s = study_of(p, &f->spec, &f->interval);

	if (!s)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	RB_TRY(add_theta(s, f->theta, err));
	RB_TRY(add_strategy(s, &f->played, err));
	return add_strategy(s, &f->matrix, err);
}

static int visit_record(void *ctx, const char *id, json_t *record, const char *why,
			struct rb_error *err)
{
	struct problems *p = ctx;
	struct found f;
	struct rb_error refused;

	(void)id;
	p->records++;
	if (record && find(&f, record, &refused))
		return enter(p, &f, err);
	if (record)
		why = refused.text; /* which may be of any bytes */
	count_in(p->left_out, why);
	return RB_OK;
}

static void say_left_out(const struct problems *p)
{
	fprintf(stderr, "rollbench study: %d records of %s; problems: %d\n", p->records,
		p->asked->records, p->count);
	say_counts(p->left_out, 8, "left out: ", stderr);
}

/* A problem that cannot be studied, with too many roles perhaps, is told and left out. */
static void study_problems(struct problems *p, json_t *all)
{
	for (int i = 0; i < p->count; i++) {
		struct study *s = &p->study[i];
		struct rb_error why;
		json_t *one;

		sort_numbers(s->theta, (size_t)s->thetas);
		one = study_one(s, NULL, &why);
		if (one)
			json_array_append_new(all, one);
		else
			fprintf(stderr, "rollbench study: %s on %d roles: left out: %s\n",
				s->spec.kernel->name, s->spec.np, why.text);
	}
}

json_t *study_records(const struct study *asked, struct rb_error *err)
{
	struct problems p = { .asked = asked, .left_out = json_object() };
	json_t *all = json_array();
	int rc = results_each("--records", asked->records, visit_record, &p, err);

	if (rc == RB_OK) {
		say_left_out(&p);
		study_problems(&p, all);
	}
	if (rc == RB_OK && json_array_size(all) == 0)
		rc = rb_fail(err, RB_EINVAL,
			     "--records %.300s: no run under budget:PERCENT%% in which a role died "
			     "at the end of an interval",
			     asked->records);
	json_decref(p.left_out);
	free(p.study);
	if (rc == RB_OK)
		return all;
	json_decref(all);
	return NULL;
}
