#include "forecast/time/model.h"

#include "base/huge_page.h"
#include "base/mix.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

enum { HUGE_FROM = 1 << 22 };

static const char *const state_names[STATES] = { "compute", "wait", "capped", "off" };

const char *energy_state_name(enum energy_state s)
{
	return state_names[s];
}

const char *failure_point_name(int64_t at)
{
	static const char *const names[] = { "start", "send", "commit", "checkpoint" };

	return at <= AT_START && at >= AT_CHECKPOINT ? names[AT_START - at] : NULL;
}

bool failure_point_find(const char *name, int64_t *at)
{
	for (int64_t point = AT_START; failure_point_name(point); point--)
		if (strcmp(name, failure_point_name(point)) == 0) {
			*at = point;
			return true;
		}
	return false;
}

int64_t work_ticks(const struct work *w, int role, int64_t iter)
{
	double u, part;
	int knot;

	if (w->knots == 1)
		return ticks_of(w->seconds[0]);
	/* 53 random bits in [0, 1) */
	u = (double)(mix(mix(mix(w->seed) + (uint64_t)role) + (uint64_t)iter) >> 11) * 0x1p-53 *
	    (w->knots - 1);
	knot = (int)u;
	part = u - knot;
	return ticks_of(w->seconds[knot] + part * (w->seconds[knot + 1] - w->seconds[knot]));
}

static int reduction(void *ctx, const struct pattern_operation *o)
{
	*(bool *)ctx |= o->reduction;
	return RB_OK;
}

/* A pattern repeats itself after an outer iteration of CG at the latest. */
static int has_reductions(const struct pattern *p, bool *has)
{
	enum { LOOKED_AT = 50 };

	*has = false;
	for (int64_t i = 0; i < LOOKED_AT; i++)
		RB_TRY(p->operations(p, 0, i, reduction, has));
	return RB_OK;
}

static int check_costs(const struct costs *c, struct rb_error *err)
{
	const struct {
		const char *name;
		double value;
	} least0[] = {
		{ "latency", c->latency_s },         { "cost of a checkpoint", c->checkpoint_s },
		{ "detection", c->detect_s },        { "repair", c->repair_s },
		{ "restore", c->restore_s },         { "log bandwidth", c->log_bytes_per_s },
		{ "replay speed", c->replay_speed },
	};

	for (size_t i = 0; i < sizeof least0 / sizeof *least0; i++)
		if (!(least0[i].value >= 0))
			return rb_fail(err, RB_EINVAL, "%s %g: expected 0 or more", least0[i].name,
				       least0[i].value);
	if (!(c->bytes_per_s > 0))
		return rb_fail(err, RB_EINVAL,
			       "bandwidth %g: expected more than 0 bytes per second",
			       c->bytes_per_s);
	return RB_OK;
}

static int check_work(const struct work *w, struct rb_error *err)
{
	if (w->knots < 1 || w->knots > WORK_KNOTS_MAX)
		return rb_fail(err, RB_EINVAL, "work: %d quantiles; expected 1 to %d", w->knots,
			       WORK_KNOTS_MAX);
	for (int i = 0; i < w->knots; i++)
		if (!(w->seconds[i] >= 0) || (i > 0 && w->seconds[i] < w->seconds[i - 1]))
			return rb_fail(
				err, RB_EINVAL,
				"work: quantile %d is %g s; expected seconds in ascending order", i,
				w->seconds[i]);
	return RB_OK;
}

int model_check(const struct model *m, struct rb_error *err)
{
	const bool dataflow = ft_is_dataflow(m->recompute);
	bool reductions;

	if (m->policy.by_receivers && dataflow)
		return rb_fail(
			err, RB_EINVAL,
			"policy %s with data-flow rollback: duplicates do not read what receivers "
			"have kept; use it without, or a policy that logs at the senders",
			m->policy.ops->name);
	RB_TRY(check_costs(&m->costs, err));
	RB_TRY(check_work(&m->work, err));
	if (m->steps < 1 || m->schedule.interval < 1)
		return rb_fail(err, RB_EINVAL, "steps and interval: expected at least 1");
	if (m->line == LINE_OWN && (m->policy.ops != &policy_all || dataflow))
		return rb_fail(
			err, RB_EINVAL,
			"checkpoints of each role at its own time need policy all with rollback: "
			"with any other, roles may have to go back beyond their checkpoints");
	if (has_reductions(m->pattern, &reductions) != RB_OK)
		return rb_fail(err, RB_EINVAL, "the pattern does not fit together");
	if (m->reach == REPAIR_AFFECTED && reductions)
		return rb_fail(
			err, RB_EINVAL,
			"a repair that stops the affected roles only: this kernel reduces over all "
			"roles, so that all are affected");
	return RB_OK;
}

void *times_alloc(size_t count)
{
	const size_t bytes = count * sizeof(int64_t);
	void *list;

	if (bytes < HUGE_FROM)
		return malloc(bytes + 1);
	if (posix_memalign(&list, HUGE_PAGE, bytes) != 0)
		return NULL;
	/* it makes no difference to the result whether this works */
	(void)madvise(list, bytes, MADV_HUGEPAGE);
	return list;
}

/* Pages that were used before are given back, so that the system supplies new ones, which are zero,
 * where they are touched. */
void *times_zero(size_t count)
{
	const size_t bytes = count * sizeof(int64_t),
		     whole = bytes < HUGE_FROM ? 0 : bytes / HUGE_PAGE * HUGE_PAGE;
	char *list = times_alloc(count);

	if (list && (whole == 0 || madvise(list, whole, MADV_DONTNEED) != 0))
		memset(list, 0, bytes);
	else if (list)
		memset(list + whole, 0, bytes - whole);
	return list;
}

int result_init(struct result *r, int np)
{
	*r = (struct result){ .np = np, .end = times_alloc((size_t)np) };
	return r->end ? RB_OK : RB_ENOMEM;
}

void result_close(struct result *r, const struct model *m, const tick_sum state[STATES])
{
	tick_sum all, sum[STATES];
	int64_t last = 0;

	r->useful = m->steps * r->np;
	for (int i = 0; i < r->np; i++)
		last = r->end[i] > last ? r->end[i] : last;
	r->makespan = last;
	r->hash = XXH3_64bits(r->end, (size_t)r->np * sizeof *r->end);
	memcpy(sum, state, sizeof sum);
	all = (tick_sum)r->makespan * r->np;
	sum[STATE_WAIT] = all - sum[STATE_COMPUTE] - sum[STATE_CAPPED] - sum[STATE_OFF];
	for (int s = 0; s < STATES; s++) {
		r->state_s[s] = (double)sum[s] / TICKS_PER_SECOND;
		r->energy_j[s] = r->state_s[s] * m->watts[s];
	}
}

void result_free(struct result *r)
{
	free(r->end);
	memset(r, 0, sizeof *r);
}
