#include "sim/fast/doubling.h"
#include "sim/fast/grid.h"
#include "sim/fast/tiles.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { QUIET_ROWS = 64 };

void quiet_free(struct quiet *q)
{
	free(q->sent);
	free(q->behind);
}

int quiet_begin(struct quiet *q, const struct point *at, int role, struct part *p, struct rb_error *err)
{
	const struct model *m = q->m;
	const bool due = model_due(m, role, at->row);
	const struct program *program;
	int64_t ticks = 0;

	if (log_costs_any(q->logs, at->row)) {
		RB_TRY(program_of(q->programs, at->row, &program, err));
		RB_TRY(log_costs_of(q->logs, program, role, at->row, &ticks));
	}
	p->begin = due && m->line == LINE_BARRIER ? at->most : (int64_t)at->end[role];
	p->saved = p->begin + (due ? ticks_of(m->costs.checkpoint_s) : 0);
	p->start = p->saved + ticks;
	return RB_OK;
}

int64_t quiet_rows(const struct quiet *q, const struct point *from, int64_t rows, int64_t at)
{
	return tiles_fit(q->m, q->logs) ? tiles_rows_until(q->m, q->logs, from, rows, at) : smaller(rows, QUIET_ROWS);
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
	if (grid_fits(q->m, q->logs))
		return grid_advance(q->m, from, to, rows);
	if (doubling_fits(q->m, q->logs))
		return doubling_advance(q, from, to, rows);
	memcpy(end, from->end, (size_t)q->m->pattern->np * sizeof *end);
	*to = *from;
	to->end = end;
	while (rows-- > 0 && to->most <= TICKS_MAX)
		RB_TRY(advance_row(q, to, err));
	return RB_OK;
}
