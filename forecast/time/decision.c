#include "forecast/time/decision.h"

#include "base/status.h"
#include "ft/recovery/closure.h"

#include <stdlib.h>
#include <string.h>

/* What a decision needs while it is made. */
struct deciding {
	struct decision *d;
	const struct model *m;
	const struct situation *s;
	const bool *open; /* np: see decide_open(); NULL: nobody */
	bool *switched;
	struct moment at;
};

/* The iteration that is broken off. Its messages do not count, but what it has switched off
 * does. */
static int enter_open(struct expected_log *b, int64_t iter, bool *switched)
{
	const int64_t drops = expected_log_drops(b);

	RB_TRY(expected_log_enter(b, iter));
	*switched = expected_log_drops(b) != drops;
	return RB_OK;
}

/* Nothing is logged, and what is not is not asked for channel by channel. */
static bool logs_nothing(const struct deciding *x)
{
	return x->d->dataflow && !x->open && policy_logs_nothing(&x->m->policy);
}

/* The log of a role, from its entry in the line to its front. */
static int enter_log(struct deciding *x, struct expected_log *b, int role)
{
	const int64_t from = x->s->line[role], to = x->s->front[role];
	bool switched = false;

	RB_TRY(expected_log_resume(b, x->m->schedule, from));
	for (int64_t i = logs_nothing(x) ? to : from; i < to; i++) {
		if (i > from && model_due(x->m, role, i))
			expected_log_mark(b, i);
		RB_TRY(expected_log_enter(b, i));
		expected_log_commit(b);
	}
	if (x->open && x->open[role] && !x->s->dead[role])
		RB_TRY(enter_open(b, to, &switched));
	if (switched)
		x->switched[role] = true;
	RB_TRY(moment_add(&x->at, b, to));
	return x->d->dataflow && !x->s->dead[role] ? moment_add_gaps(&x->at, b, from, to, !switched)
						   : RB_OK;
}

static int enter_role(struct deciding *x, int role)
{
	struct expected_log b;
	int rc;

	RB_TRY(expected_log_open(&b, x->m->pattern, &x->m->policy, x->d->dataflow, role));
	rc = enter_log(x, &b, role);
	expected_log_free(&b);
	return rc;
}

static bool stops_all(const struct deciding *x)
{
	return x->s->stop_all || x->m->reach == REPAIR_ALL;
}

/* Roles that are not stopped get all that was sent to them. So they lack nothing, however far
 * behind others they are. */
static void lack_nothing(const struct deciding *x, int64_t *behind)
{
	int64_t newest = 0;

	for (int r = 0; r < x->d->np; r++)
		newest = x->s->front[r] > newest ? x->s->front[r] : newest;
	for (int r = 0; r < x->d->np; r++)
		behind[r] = newest;
}

/* Who goes back. */
static int close_set(struct deciding *x)
{
	const int np = x->d->np;
	int64_t *behind = malloc((size_t)np * sizeof *behind), base = x->s->line[0];
	struct moment receivers = { .front = behind, .copies = x->d->copies };
	int rc, chain;

	if (!behind)
		return RB_ENOMEM;
	memcpy(behind, x->s->front, (size_t)np * sizeof *behind);
	if (!stops_all(x))
		lack_nothing(x, behind);
	for (int r = 0; r < np; r++)
		base = x->s->line[r] < base ? x->s->line[r] : base;
	rc = moment_close(&x->at, &receivers, np, base, x->s->line, x->d->back, &chain);
	free(behind);
	return rc;
}

static int find_cone(struct deciding *x)
{
	struct decision *d = x->d;
	struct cone_case c = { x->m->pattern, x->s->line, d->from, d->back,
			       x->at.gap,     x->at.gaps, -1,      d->flat };
	struct cone cone;
	int rc;

	for (int r = 0; r < d->np; r++) {
		d->from[r] = d->back[r] ? x->s->line[r] : x->s->front[r];
		if (!d->back[r] && x->s->front[r] > d->known)
			d->known = x->s->front[r];
	}
	if (!stops_all(x)) /* survivors have all that was sent to them, or will get it */
		for (size_t i = 0; i < x->at.gaps; i++)
			x->at.gap[i].kept = 1;
	rc = cone_find(&cone, &c);
	if (rc != RB_OK)
		return rc;
	memcpy(d->end, cone.end, (size_t)d->np * sizeof *d->end);
	memcpy(d->distance, cone.distance, (size_t)d->np * sizeof *d->distance);
	cone_free(&cone);
	d->gap = x->at.gap;
	d->gaps = x->at.gaps;
	x->at.gap = NULL;
	return RB_OK;
}

static void resume(struct deciding *x)
{
	struct decision *d = x->d;

	for (int r = 0; r < d->np; r++) {
		d->from[r] = d->back[r] ? x->s->line[r] : x->s->front[r];
		d->stopped[r] = stops_all(x) || d->back[r] || d->end[r].iter >= 0;
	}
}

/* A process that dies takes its copies with it. */
static int64_t copies_of(const struct situation *s, int role)
{
	if (s->dead[role])
		return 0;
	return s->copies && s->copies[role] > s->front[role] ? s->copies[role] : s->front[role];
}

static int make(struct deciding *x)
{
	struct decision *d = x->d;

	for (int r = 0; d->copies && r < d->np; r++)
		d->copies[r] = copies_of(x->s, r);
	memcpy(d->back, x->s->dead, (size_t)d->np * sizeof *d->back);
	for (int r = 0; r < d->np; r++)
		d->end[r] = (struct place){ -1, 0 };
	if (d->dataflow ||
	    x->m->policy.ops != &policy_all) /* with `all` the logs have everything */
		for (int r = 0; r < d->np; r++)
			RB_TRY(enter_role(x, r));
	if (d->dataflow)
		RB_TRY(find_cone(x));
	else if (x->m->policy.ops != &policy_all)
		RB_TRY(close_set(x));
	resume(x);
	return RB_OK;
}

int decision_init(struct decision *d, const struct model *m)
{
	const size_t n = (size_t)m->pattern->np;

	*d = (struct decision){ .np = m->pattern->np,
				.back = calloc(n, sizeof *d->back),
				.stopped = calloc(n, sizeof *d->stopped),
				.from = calloc(n, sizeof *d->from),
				.end = calloc(n, sizeof *d->end),
				.distance = calloc(n, sizeof *d->distance),
				.dataflow = ft_is_dataflow(m->recompute),
				.flat = m->recompute == FT_FLAT };
	d->policy = &m->policy;
	if (m->policy.by_receivers)
		d->copies = calloc(n, sizeof *d->copies);
	if (d->back && d->stopped && d->from && d->end && d->distance &&
	    (d->copies || !m->policy.by_receivers))
		return RB_OK;
	decision_free(d);
	return RB_ENOMEM;
}

int decide(struct decision *d, const struct model *m, const struct situation *s,
	   struct rb_error *err)
{
	return decide_open(d, m, s, NULL, NULL, err);
}

int decide_open(struct decision *d, const struct model *m, const struct situation *s,
		const bool *open, bool *switched, struct rb_error *err)
{
	struct deciding x = { d, m, s, open, switched, { .front = NULL } };
	int rc = moment_init(&x.at, m->pattern->np);

	*d = (struct decision){ .np = 0 };
	if (rc == RB_OK)
		rc = decision_init(d, m);
	if (rc == RB_OK)
		rc = make(&x);
	moment_free(&x.at);
	if (rc == RB_OK)
		return RB_OK;
	decision_free(d);
	return rb_fail(
		err, rc,
		rc == RB_ENOMEM
			? "out of memory"
			: "according to the pattern, a message is received that nobody sends, or "
			  "one from before the checkpoint is needed again");
}

void decision_free(struct decision *d)
{
	free(d->back);
	free(d->stopped);
	free(d->from);
	free(d->end);
	free(d->distance);
	free(d->copies);
	free(d->gap);
	memset(d, 0, sizeof *d);
}

int64_t decision_last_of_copy(const struct decision *d, int role, int64_t line)
{
	const struct place end = d->np ? d->end[role] : (struct place){ -1, 0 };
	const int64_t last = end.number > 0 ? end.iter : end.iter - 1;

	return end.iter >= 0 && last >= line ? last : -1;
}

enum source decision_source_at(const struct decision *d, const struct gap *gap, int from, int to,
			       bool duplicate, int64_t iter, int32_t place)
{
	const bool restarts = duplicate || d->back[to];

	if (d->copies && iter < d->copies[to] && policy_by_receiver(d->policy, from, to))
		return SOURCE_NONE;
	if (!d->dataflow || (!duplicate && !d->stopped[to]))
		return SOURCE_SENT;
	if (!gap || (gap->kept && !restarts))
		return SOURCE_SENT;
	return place_before((struct place){ iter, place }, d->end[from]) ? SOURCE_DUPLICATE
									 : SOURCE_NONE;
}

enum source decision_source(const struct decision *d, int from, int to, bool duplicate,
			    int64_t iter, int32_t place)
{
	return decision_source_at(d, gap_find(d->gap, d->gaps, from, to, iter), from, to, duplicate,
				  iter, place);
}
