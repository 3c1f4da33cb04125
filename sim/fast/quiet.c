#include "sim/fast/tiles.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void quiet_free(struct quiet *q)
{
	free(q->sent);
}

int64_t quiet_saved(const struct model *m, const struct point *at, int role)
{
	const bool due = model_due(m, role, at->row);

	return (due && m->line == LINE_BARRIER ? at->most : (int64_t)at->end[role]) +
	       (due ? ticks_of(m->costs.checkpoint_s) : 0);
}

/* All roles begin the iteration: afterwards `end` is where their programs start. */
static int begin_row(struct quiet *q, struct point *x, const struct program *p)
{
	const struct model *m = q->m;
	const bool own = m->line == LINE_OWN, all = !own && model_due(m, 0, x->row), logs = log_costs_any(q->logs, x->row);
	const int64_t checkpoint = ticks_of(m->costs.checkpoint_s);

	for (int r = 0; r < m->pattern->np; r++) {
		int64_t ticks = 0;

		if (logs)
			RB_TRY(log_costs_of(q->logs, p, r, x->row, &ticks));
		if (all || (own && model_due(m, r, x->row)))
			ticks += checkpoint;
		if (all && m->line == LINE_BARRIER)
			x->end[r] = (double)x->most;
		x->end[r] += (double)ticks;
		x->computed += ticks;
		q->sent[p->first[r]] = x->end[r];
	}
	return RB_OK;
}

static void execute_row(struct quiet *q, struct point *x, const struct program *p)
{
	for (uint32_t i = 0; i < p->waits; i++) {
		const uint32_t g = p->order[i];
		const struct segment *s = &p->segment[g];
		double last = x->end[s->role];

		for (uint32_t k = s->message; k < s[1].message; k++) {
			const double there = q->sent[p->message[k].segment] + (double)p->message[k].cost;

			last = there > last ? there : last;
		}
		x->end[s->role] = last;
		if (g + 1 < p->first[s->role + 1])
			q->sent[g + 1] = last;
	}
}

static void end_row(const struct model *m, struct point *x)
{
	double least = (double)INT64_MAX, most = 0;

	for (int r = 0; r < m->pattern->np; r++) {
		const int64_t work = work_ticks(&m->work, r, x->row);

		x->end[r] += (double)work;
		x->computed += work;
		least = x->end[r] < least ? x->end[r] : least;
		most = x->end[r] > most ? x->end[r] : most;
	}
	x->least = (int64_t)least;
	x->most = (int64_t)most;
	x->row++;
}

static int advance_row(struct quiet *q, struct point *x, struct rb_error *err)
{
	const struct program *p;

	RB_TRY(program_of(q->programs, x->row, &p, err));
	if (q->room <= p->segments) {
		free(q->sent);
		q->room = (size_t)p->segments + 1;
		q->sent = malloc(q->room * sizeof *q->sent);
		if (!q->sent) {
			q->room = 0;
			return RB_ENOMEM;
		}
	}
	RB_TRY(begin_row(q, x, p));
	execute_row(q, x, p);
	end_row(q->m, x);
	return RB_OK;
}

int quiet_advance(struct quiet *q, const struct point *from, struct point *to, int64_t rows, struct rb_error *err)
{
	double *end = to->end;

	if (tiles_fit(q->m, q->logs)) {
		tiles_advance(q->m, q->logs, q->threads, from, to, rows);
		return RB_OK;
	}
	memcpy(end, from->end, (size_t)q->m->pattern->np * sizeof *end);
	*to = *from;
	to->end = end;
	while (rows-- > 0 && to->most <= TICKS_MAX)
		RB_TRY(advance_row(q, to, err));
	return RB_OK;
}
