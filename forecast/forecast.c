#include "forecast/forecast.h"

#include "base/status.h"
#include "forecast/moment.h"

#include <stdlib.h>
#include <string.h>

/* What a forecast needs while it is made. */
struct forecasting {
	struct forecast *f;
	const struct forecast_run *run;
	struct moment early, late;
	const bool *dead;   /* np */
	int64_t *line;      /* np */
	bool *least, *most; /* np: the smallest and the largest rollback set */
};

static int forecasting_init(struct forecasting *x)
{
	size_t n = (size_t)x->f->np;
	int early = moment_init(&x->early, x->f->np), late = moment_init(&x->late, x->f->np);

	x->line = malloc(n * sizeof *x->line);
	x->least = malloc(n * sizeof *x->least);
	x->most = malloc(n * sizeof *x->most);
	x->f->rolled = calloc(n, sizeof *x->f->rolled);
	x->f->active = calloc(n, sizeof *x->f->active);
	x->f->log_peak = calloc(n, sizeof *x->f->log_peak);
	if (early != RB_OK || late != RB_OK || !x->line || !x->least || !x->most || !x->f->rolled ||
	    !x->f->active || !x->f->log_peak)
		return RB_ENOMEM;
	for (size_t r = 0; r < n; r++)
		x->line[r] = x->f->checkpoint;
	return RB_OK;
}

static void forecasting_free(struct forecasting *x)
{
	moment_free(&x->early);
	moment_free(&x->late);
	free(x->line);
	free(x->least);
	free(x->most);
}

/* The log of a role at one moment. keeps: see moment_add_gaps(). */
static int enter_moment(const struct forecasting *x, struct moment *at,
			const struct expected_log *b, int64_t front, bool keeps)
{
	RB_TRY(moment_add(at, b, front));
	if (!x->run->dataflow || x->dead[b->policy.role])
		return RB_OK;
	return moment_add_gaps(at, b, x->f->checkpoint, front, keeps);
}

/* early: at lo, between two iterations. late: at hi, at the end of the iteration under way, when
 * all channels are off that this iteration may switch off. What is dropped then was not kept,
 * either. */
static int enter_iterations(struct forecasting *x, struct expected_log *b, int64_t lo, int64_t hi)
{
	int64_t drops = 0;

	RB_TRY(expected_log_resume(b, x->run->schedule, x->f->checkpoint));
	for (int64_t i = x->f->checkpoint; i <= hi; i++) {
		if (i > x->f->checkpoint && schedule_due(x->run->schedule, i))
			expected_log_mark(b, i); /* taken, but it does not count yet */
		if (i == lo)
			RB_TRY(enter_moment(x, &x->early, b, lo, true));
		drops = expected_log_drops(b);
		RB_TRY(expected_log_enter(b, i));
		if (i < hi)
			expected_log_commit(b);
	}
	return enter_moment(x, &x->late, b, hi, expected_log_drops(b) == drops);
}

static int enter_role(struct forecasting *x, int role, int64_t lo, int64_t hi)
{
	struct expected_log b;
	int rc = expected_log_open(&b, x->run->pattern, &x->run->policy, x->run->dataflow, role);

	if (rc != RB_OK)
		return rc;
	rc = enter_iterations(x, &b, lo, hi);
	x->f->log_peak[role] = expected_log_peak(&b);
	expected_log_free(&b);
	return rc;
}

/* Which roles that keep their state replay to the set. */
static void note_replays(const struct moment *at, const bool *rolled, bool *replays)
{
	for (size_t i = 0; i < at->holders; i++)
		if (rolled[at->holder[i].receiver])
			replays[at->holder[i].sender] = true;
}

/* Which roles send messages of their last iteration again that the receiver keeps, to the set. A
 * role that lives has its own copies up to its front, which is at least the early one. */
static void note_kept(const struct forecasting *x, const struct moment *senders, const bool *rolled,
		      bool *replays)
{
	for (size_t i = 0; i < senders->keepers; i++) {
		const struct keeper *k = &senders->keeper[i];
		const int64_t from =
			x->dead[k->receiver] ? x->f->checkpoint : x->early.front[k->receiver];

		if (rolled[k->receiver] && k->iter >= from)
			replays[k->sender] = true;
	}
}

/* A role is sure to replay if it does so at both moments for the smallest set; it may replay if it
 * does so at one for the largest. */
static int answer(struct forecasting *x)
{
	size_t n = (size_t)x->f->np;
	bool *replays = calloc(3 * n, sizeof *replays), *early = replays, *late = early + n,
	     *maybe = late + n;

	if (!replays)
		return RB_ENOMEM;
	note_replays(&x->early, x->least, early);
	note_replays(&x->late, x->least, late);
	note_replays(&x->early, x->most, maybe);
	note_replays(&x->late, x->most, maybe);
	note_kept(x, &x->early, x->dead, early);
	note_kept(x, &x->late, x->dead, late);
	note_kept(x, &x->late, x->most, maybe);
	note_kept(x, &x->early, x->most, maybe);
	for (size_t r = 0; r < n; r++) {
		bool sure = !x->most[r] && early[r] && late[r];

		x->f->rolled[r] = x->least[r]  ? FORECAST_YES
				  : x->most[r] ? FORECAST_MAYBE
					       : FORECAST_NO;
		x->f->active[r] = sure                       ? FORECAST_YES
				  : !x->least[r] && maybe[r] ? FORECAST_MAYBE
							     : FORECAST_NO;
	}
	free(replays);
	return RB_OK;
}

/* The closure for two assumptions. With senders late and receivers early it is the largest possible
 * set, the other way round the smallest. */
static int close_both(struct forecasting *x)
{
	const int np = x->f->np;
	const int64_t base = x->f->checkpoint;
	int few = 0, many = 0;

	memcpy(x->least, x->dead, (size_t)np * sizeof *x->dead);
	memcpy(x->most, x->dead, (size_t)np * sizeof *x->dead);
	RB_TRY(moment_close(&x->early, &x->late, np, base, x->line, x->least, &few));
	RB_TRY(moment_close(&x->late, &x->early, np, base, x->line, x->most, &many));
	/* More holes may also mean a shorter chain. */
	x->f->chain_least = few < many ? few : many;
	x->f->chain_most = few < many ? many : few;
	return answer(x);
}

/* The cone at both moments. The dead alone are restarted. */
static int find_both(struct forecasting *x)
{
	struct forecast *f = x->f;
	struct dataflow_case at = { x->run->pattern, &x->early,     x->dead,
				    x->line,         f->checkpoint, x->run->flat };

	RB_TRY(dataflow_find(&f->early, &at));
	at.at = &x->late;
	RB_TRY(dataflow_find(&f->late, &at));
	for (int r = 0; r < f->np; r++) {
		const bool early = f->early.active[r], late = f->late.active[r];

		f->rolled[r] = x->dead[r] ? FORECAST_YES : FORECAST_NO;
		f->active[r] = early && late   ? FORECAST_YES
			       : early || late ? FORECAST_MAYBE
					       : FORECAST_NO;
	}
	return RB_OK;
}

static int failed(const struct forecast_run *run, int rc, struct rb_error *err)
{
	if (rc == RB_ENOMEM)
		return rb_fail(err, rc, "out of memory for a forecast of %d roles",
			       run->pattern->np);
	return rb_fail(
		err, rc,
		"no forecast: according to the pattern of the kernel, a message is received that "
		"nobody sends, or one from before the checkpoint is needed again");
}

int forecast_make(struct forecast *f, const struct forecast_run *run, int64_t checkpoint,
		  const bool *dead, const int64_t *lo, const int64_t *hi, struct rb_error *err)
{
	struct forecasting x = { .f = f, .run = run, .dead = dead };
	int rc;

	*f = (struct forecast){ .np = run->pattern->np,
				.checkpoint = checkpoint,
				.dataflow = run->dataflow };
	rc = forecasting_init(&x);
	for (int r = 0; rc == RB_OK && r < run->pattern->np; r++)
		rc = enter_role(&x, r, lo[r], hi[r]);
	if (rc == RB_OK)
		rc = run->dataflow ? find_both(&x) : close_both(&x);
	forecasting_free(&x);
	if (rc == RB_OK)
		return RB_OK;
	forecast_free(f);
	return failed(run, rc, err);
}

void forecast_free(struct forecast *f)
{
	free(f->rolled);
	free(f->active);
	free(f->log_peak);
	dataflow_free(&f->early);
	dataflow_free(&f->late);
}

int forecast_log(const struct forecast_run *run, int role, int64_t *bytes)
{
	const int64_t two = schedule_first(run->schedule) + run->schedule.interval;
	const int64_t end = run->iterations < two ? run->iterations : two;
	struct expected_log e;
	int rc = expected_log_open(&e, run->pattern, &run->policy, run->dataflow, role);

	if (rc != RB_OK)
		return rc;
	for (int64_t i = 0; rc == RB_OK && i < end; i++) {
		if (i == 0 || schedule_due(run->schedule, i))
			expected_log_restart(&e, i);
		rc = expected_log_enter(&e, i);
		expected_log_commit(&e);
	}
	*bytes = expected_log_peak(&e);
	expected_log_free(&e);
	return rc;
}

int forecast_peak(const struct forecast_run *run, int64_t *peak, struct rb_error *err)
{
	*peak = 0;
	for (int role = 0; role < run->pattern->np; role++) {
		int64_t bytes;
		const int rc = forecast_log(run, role, &bytes);

		if (rc != RB_OK)
			return rb_fail(err, rc, "out of memory for a forecast");
		*peak = bytes > *peak ? bytes : *peak;
	}
	return RB_OK;
}
