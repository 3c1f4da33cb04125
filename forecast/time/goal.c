#include "forecast/time/goal.h"

#include "base/grow.h"
#include "base/status.h"

#include <errno.h>
#include <string.h>

/* The part of a rank that is being written. Labels count from 1. */
struct part {
	FILE *to;
	int64_t label, operations;
	int64_t last;    /* what the next operation requires; 0: nothing */
	int64_t *posted; /* receives that no wait has completed */
	size_t count, room;
};

static void require(struct part *p, int64_t label, int64_t other)
{
	if (other > 0)
		fprintf(p->to, "l%lld requires l%lld\n", (long long)label, (long long)other);
}

static void compute(struct part *p, int64_t ticks)
{
	fprintf(p->to, "l%lld: calc %.0f\n", (long long)++p->label, 1e9 * seconds_of(ticks));
	require(p, p->label, p->last);
	p->last = p->label;
}

/* A computation of no length that requires all receives. */
static void wait_for_all(struct part *p)
{
	if (p->count == 0)
		return;
	compute(p, 0);
	for (size_t i = 0; i < p->count; i++)
		require(p, p->label, p->posted[i]);
	p->count = 0;
}

static int write_operation(void *ctx, const struct pattern_operation *o)
{
	struct part *p = ctx;
	const bool send = o->kind == PATTERN_SEND;
	int64_t *list;

	if (++p->operations > GOAL_OPERATIONS_MAX)
		return RB_EINVAL;
	if (o->kind == PATTERN_WAIT) {
		wait_for_all(p);
		return RB_OK;
	}
	fprintf(p->to, "l%lld: %s %zub %s %d tag %d\n", (long long)++p->label,
		send ? "send" : "recv", o->bytes, send ? "to" : "from", o->peer, o->tag);
	require(p, p->label, p->last);
	if (send)
		return RB_OK;
	list = grow(p->posted, p->count + 1, &p->room, sizeof *list);
	if (!list)
		return RB_ENOMEM;
	p->posted = list;
	list[p->count++] = p->label;
	return RB_OK;
}

static int write_rank(const struct model *m, int role, struct part *p)
{
	p->label = p->last = 0;
	fprintf(p->to, "\nrank %d {\n", role);
	for (int64_t i = 0; i < m->steps; i++) {
		p->count = 0;
		if (model_due(m, role, i) && m->costs.checkpoint_s > 0)
			compute(p, ticks_of(m->costs.checkpoint_s));
		RB_TRY(m->pattern->operations(m->pattern, role, i, write_operation, p));
		compute(p, work_ticks(&m->work, role, i));
	}
	fprintf(p->to, "}\n");
	return RB_OK;
}

int goal_write(const struct model *m, FILE *to, struct rb_error *err)
{
	struct part p = { .to = to };
	int rc = RB_OK;

	if (m->line == LINE_BARRIER || m->costs.log_bytes_per_s > 0)
		return rb_fail(err, RB_EINVAL,
			       "a schedule in GOAL has no barrier lines and no cost of logging");
	fprintf(to, "num_ranks %d\n", m->pattern->np);
	for (int r = 0; r < m->pattern->np && rc == RB_OK; r++)
		rc = write_rank(m, r, &p);
	free(p.posted);
	if (rc == RB_EINVAL)
		return rb_fail(
			err, rc,
			"a schedule in GOAL of more than %d operations: fewer roles or iterations",
			GOAL_OPERATIONS_MAX);
	if (rc == RB_OK && (fflush(to) != 0 || ferror(to)))
		return rb_fail(err, RB_EIO, "the schedule cannot be written: %s", strerror(errno));
	return rc == RB_ENOMEM ? rb_fail(err, rc, "out of memory") : rc;
}
