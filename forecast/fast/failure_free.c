#include "forecast/fast/failure_free.h"

#include "forecast/fast/doubling.h"
#include "forecast/fast/grid.h"
#include "forecast/fast/tiles.h"

#include "base/status.h"
#include "forecast/programs/waves.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 64 };

void failure_free_free(struct failure_free *q)
{
	free(q->time);
	free(q->behind);
}

int failure_free_begin(struct failure_free *q, const struct point *at, int role, struct part *p,
		       struct rb_error *err)
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

int64_t failure_free_rows(const struct failure_free *q, const struct point *from, int64_t rows,
			  int64_t at)
{
	return tiles_fit(q->m, q->logs) ? tiles_rows_until(q->m, q->logs, from, rows, at)
					: smaller(rows, ROWS_AT_ONCE);
}

/* All roles begin the iteration: when their programs start. */
static int begin_row(struct failure_free *q, struct point *x, const struct program *p)
{
	const struct model *m = q->m;
	const bool own = m->line == LINE_OWN, all = !own && model_due(m, 0, x->row),
		   logs = log_costs_any(q->logs, x->row);
	const bool barrier = all && m->line == LINE_BARRIER;
	const int64_t checkpoint = ticks_of(m->costs.checkpoint_s);
	tick_sum computed = 0;

	for (int r = 0; r < m->pattern->np; r++) {
		int64_t ticks = 0;

		if (logs)
			RB_TRY(log_costs_of(q->logs, p, r, x->row, &ticks));
		if (all || (own && model_due(m, r, x->row)))
			ticks += checkpoint;
		computed += ticks;
		q->time[r] = (barrier ? (double)x->most : x->end[r]) + (double)ticks;
	}
	x->computed += computed;
	return RB_OK;
}

static void end_row(const struct failure_free *q, struct point *x, const struct waves *w)
{
	const struct work *work = &q->m->work;
	const int64_t alike = work_ticks(work, 0, 0);
	double least = (double)INT64_MAX, most = 0;
	tick_sum computed = 0;

	for (int r = 0; r < q->m->pattern->np; r++) {
		const int64_t ticks = work->knots == 1 ? alike : work_ticks(work, r, x->row);
		const double end = q->time[w->last[r]] + (double)ticks;

		x->end[r] = end;
		computed += ticks;
		least = end < least ? end : least;
		most = end > most ? end : most;
	}
	x->computed += computed;
	x->least = (int64_t)least;
	x->most = (int64_t)most;
	x->row++;
}

static int advance_row(struct failure_free *q, struct point *x, struct rb_error *err)
{
	const struct program *p;
	const struct waves *w;

	RB_TRY(program_with_waves(q->programs, x->row, &p, &w, err));
	if (q->room < w->slots) {
		free(q->time);
		q->time = times_alloc(w->slots);
		q->room = q->time ? w->slots : 0;
		if (!q->time)
			return RB_ENOMEM;
	}
	RB_TRY(begin_row(q, x, p));
	waves_execute(w, q->m->pattern->np, q->time);
	end_row(q, x, w);
	return RB_OK;
}

int failure_free_advance(struct failure_free *q, const struct point *from, struct point *to,
			 int64_t rows, struct rb_error *err)
{
	double *end = to->end;

	if (tiles_fit(q->m, q->logs)) {
		tiles_advance(q->m, q->logs, q->threads, from, to, rows);
		return RB_OK;
	}
	if (grid_fits(q->m, q->logs))
		return grid_advance(q->m, q->threads, from, to, rows);
	if (doubling_fits(q->m, q->logs))
		return doubling_advance(q->m, &q->behind, from, to, rows);
	memcpy(end, from->end, (size_t)q->m->pattern->np * sizeof *end);
	*to = *from;
	to->end = end;
	while (rows-- > 0 && to->most <= TICKS_MAX)
		RB_TRY(advance_row(q, to, err));
	return RB_OK;
}
