#include "forecast/programs/log_costs.h"

#include "base/status.h"
#include "ft/role/expected_log.h"

#include <stdlib.h>

/* The log of a role in the iteration before `next`. */
struct open_log {
	struct expected_log e;
	int64_t from, next;
	bool opened;
};

int log_costs_init(struct log_costs *c, const struct model *m)
{
	const int64_t first =
		m->policy.ops->first_iterations ? m->policy.ops->first_iterations(&m->policy) : -1;

	*c = (struct log_costs){ .m = m,
				 .form = first < 0 ? LOGS_ASKED : LOGS_ALL,
				 .window = first };
	if (first == 0 || m->costs.log_bytes_per_s <= 0)
		c->form = LOGS_NOTHING;
	if (c->form == LOGS_ASKED)
		c->open = calloc((size_t)m->pattern->np, sizeof *c->open);
	return c->form == LOGS_ASKED && !c->open ? RB_ENOMEM : RB_OK;
}

void log_costs_free(struct log_costs *c)
{
	for (int r = 0; c->open && r < c->m->pattern->np; r++)
		if (c->open[r].opened)
			expected_log_free(&c->open[r].e);
	free(c->open);
}

/* What the policy logs in an iteration depends on what is in the log since the newest
 * checkpoint. */
static int ask(struct log_costs *c, int role, int64_t iter, int64_t *bytes)
{
	const int64_t from = schedule_newest(c->m->schedule, iter);
	struct open_log *o = &c->open[role];

	if (!o->opened) {
		RB_TRY(expected_log_open(&o->e, c->m->pattern, &c->m->policy,
					 ft_is_dataflow(c->m->recompute), role));
		o->opened = true;
		o->from = -1;
	}
	if (o->from != from || o->next > iter) {
		RB_TRY(expected_log_resume(&o->e, c->m->schedule, from));
		o->from = o->next = from;
	}
	for (; o->next <= iter; o->next++) {
		RB_TRY(expected_log_enter(&o->e, o->next));
		*bytes = expected_log_fresh(&o->e);
		expected_log_commit(&o->e);
	}
	return RB_OK;
}

int log_costs_of(struct log_costs *c, const struct program *p, int role, int64_t iter,
		 int64_t *ticks)
{
	int64_t bytes = 0;

	if (c->form == LOGS_ASKED)
		RB_TRY(ask(c, role, iter, &bytes));
	else
		bytes = p->bytes[role] - (ft_is_dataflow(c->m->recompute) ? p->reduced[role] : 0);
	*ticks = bytes > 0 ? ticks_of((double)bytes / c->m->costs.log_bytes_per_s) : 0;
	return RB_OK;
}
