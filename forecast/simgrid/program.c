#include "forecast/simgrid/world.h"

#include "base/grow.h"
#include "base/status.h"

struct loading {
	struct program *program;
	const struct costs *costs;
};

static int load(void *ctx, const struct pattern_operation *o)
{
	const struct loading *l = ctx;
	struct program *g = l->program;
	struct step *list = grow(g->step, g->count + 1, &g->room, sizeof *list), *s;

	if (!list)
		return RB_ENOMEM;
	g->step = list;
	s = &list[g->count];
	*s = (struct step){ .kind = o->kind,
			    .peer = o->peer,
			    .tag = o->tag,
			    .reduction = o->reduction,
			    .place = g->places };
	for (size_t i = 0; i < g->count; i++)
		s->nth +=
			list[i].kind == s->kind && list[i].peer == s->peer && list[i].tag == s->tag;
	if (s->kind == PATTERN_SEND)
		s->ticks = message_ticks(l->costs, o->bytes);
	g->places += s->kind != PATTERN_RECEIVE && !s->reduction;
	g->count++;
	return RB_OK;
}

void program_load(struct world *w, struct program *g, int role, int64_t iter)
{
	struct loading l = { g, &w->m->costs };
	int rc;

	g->count = 0;
	g->places = 0;
	rc = w->m->pattern->operations(w->m->pattern, role, iter, load, &l);
	if (rc != RB_OK)
		world_fail(w, rc,
			   rc == RB_ENOMEM ? "out of memory" : "the pattern does not fit together");
}

static int enter(struct process *p, int64_t iter)
{
	if (schedule_due(p->w->m->schedule, iter))
		expected_log_restart(&p->log, iter);
	return expected_log_enter(&p->log, iter);
}

static int open_log(struct process *p, int64_t iter)
{
	const struct model *m = p->w->m;
	const int64_t from = schedule_newest(m->schedule, iter);

	RB_TRY(expected_log_open(&p->log, m->pattern, &m->policy, ft_is_dataflow(m->recompute),
				 p->role));
	p->logs = true;
	RB_TRY(expected_log_resume(&p->log, m->schedule, from));
	for (int64_t i = from; i < iter; i++) {
		RB_TRY(enter(p, i));
		expected_log_commit(&p->log);
	}
	return RB_OK;
}

int64_t program_logged(struct process *p, int64_t iter)
{
	int rc = p->logs ? RB_OK : open_log(p, iter);
	int64_t bytes;

	if (rc == RB_OK)
		rc = enter(p, iter);
	if (rc != RB_OK)
		world_fail(p->w, rc, "the log of a role cannot be computed");
	bytes = expected_log_fresh(&p->log);
	expected_log_commit(&p->log);
	return bytes;
}
