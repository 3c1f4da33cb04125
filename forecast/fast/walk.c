#include "forecast/fast/walk.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

int walk_init(struct walk *w, const struct model *m, const struct since *since, const int64_t *died,
	      struct programs *programs, struct log_costs *logs)
{
	const size_t n = (size_t)m->pattern->np;

	*w = (struct walk){ .m = m,
			    .since = since,
			    .died = died,
			    .programs = programs,
			    .logs = logs,
			    .own = calloc(n, sizeof *w->own),
			    .copy = calloc(n, sizeof *w->copy) };
	return w->own && w->copy ? RB_OK : RB_ENOMEM;
}

void walk_free(struct walk *w)
{
	free(w->own);
	free(w->copy);
	free(w->sorted);
	free(w->sent);
	free(w->sent_by_copy);
}

int64_t since_last_of_copy(const struct since *s, int role)
{
	return decision_last_of_copy(&s->now, role, s->line[role]);
}

bool since_has_copy(const struct since *s, int role, int64_t iter)
{
	return iter <= s->last_copy && iter >= s->line[role] && iter <= since_last_of_copy(s, role);
}

int64_t walk_resume(const struct walk *w, int role)
{
	return since_last_of_copy(w->since, role) < 0 ? w->since->ready[role] : w->copy[role].end;
}

int64_t walk_reached(const struct walk *w, int role)
{
	return w->iter <= w->since->from[role] ? walk_resume(w, role) : w->own[role].end;
}

/* In which iteration a role or its duplicate takes part first. */
static int64_t takes_part(const struct since *s, int role)
{
	return since_last_of_copy(s, role) >= 0 ? s->line[role] : s->from[role];
}

int walk_restart(struct walk *w)
{
	const struct since *s = w->since;
	const int64_t rows = s->last - s->first + 1;
	const int np = w->m->pattern->np;
	int32_t *first = calloc((size_t)rows + 1, sizeof *first);

	w->iter = s->first;
	w->plain = false;
	w->active = 0;
	free(w->sorted);
	w->sorted = malloc((size_t)np * sizeof *w->sorted);
	if (!first || !w->sorted) {
		free(first);
		return RB_ENOMEM;
	}
	for (int r = 0; r < np; r++)
		first[takes_part(s, r) - s->first + 1]++;
	for (int64_t i = 0; i < rows; i++)
		first[i + 1] += first[i];
	for (int r = 0; r < np; r++)
		w->sorted[first[takes_part(s, r) - s->first]++] = r;
	free(first);
	return RB_OK;
}

void walk_restart_at(struct walk *w, int64_t row, const double *end)
{
	w->iter = row;
	w->plain = true;
	free(w->sorted);
	w->sorted = NULL;
	w->active = w->m->pattern->np;
	for (int r = 0; r < w->m->pattern->np; r++)
		w->own[r].end = (int64_t)end[r];
}

/* Has the role to take the checkpoint that is due, and has not yet begun to do so? */
static bool is_to_save(const struct walk *w, int role)
{
	const struct since *s = w->since;

	return s->from[role] <= w->iter && s->saved[role] < w->iter &&
	       (s->from[role] < w->iter || s->under_way[role] == NEVER);
}

/* Has a role died by then? */
static bool is_dead(const struct walk *w, int role, int64_t tick)
{
	return w->died[role] != NEVER && tick > w->died[role];
}

/* When all roles that have to come to this barrier are there. One that has died behind it
 * counts. */
static int64_t barrier(const struct walk *w)
{
	int64_t last = 0;

	for (int r = 0; r < w->m->pattern->np; r++) {
		const int64_t there = is_to_save(w, r) ? walk_reached(w, r) : 0;

		if (is_dead(w, r, there))
			return LATER;
		last = there > last ? there : last;
	}
	return last;
}

static int begin_own(struct walk *w, int role, bool due, int64_t at)
{
	const struct since *s = w->since;
	struct part *p = &w->own[role];
	int64_t ticks = 0, begin = walk_reached(w, role);

	p->reached = begin;
	if (w->iter == s->from[role] && s->under_way[role] != NEVER)
		begin = s->under_way[role];
	else if (at > begin && is_to_save(w, role))
		begin = at;
	p->begin = p->saved = p->start = p->end = begin;
	p->waited = 0;
	w->sent[w->program->first[role]] = begin;
	if (begin >= LATER)
		return RB_OK;
	if (due && s->saved[role] < w->iter)
		p->saved += ticks_of(w->m->costs.checkpoint_s);
	if (log_costs_any(w->logs, w->iter))
		RB_TRY(log_costs_of(w->logs, w->program, role, w->iter, &ticks));
	p->start = p->end = p->saved + ticks;
	w->sent[w->program->first[role]] = p->start;
	return RB_OK;
}

static void begin_copy(struct walk *w, int role)
{
	struct part *p = &w->copy[role];

	p->begin = w->iter > w->since->line[role] ? p->end : w->since->copies;
	p->saved = p->start = p->end = p->begin;
	p->waited = 0;
	w->sent_by_copy[w->program->first[role]] = p->begin;
}

static int begin_row(struct walk *w)
{
	const bool own = w->m->line == LINE_OWN, all = !own && model_due(w->m, 0, w->iter);
	const int64_t at = w->m->line == LINE_BARRIER && all ? barrier(w) : 0;

	while (w->active < w->m->pattern->np &&
	       takes_part(w->since, w->sorted[w->active]) <= w->iter)
		w->active++;
	for (int i = 0; i < w->active; i++) {
		const int r = walk_role(w, i);

		if (w->since->from[r] <= w->iter)
			RB_TRY(begin_own(w, r, all || (own && model_due(w->m, r, w->iter)), at));
		if (since_has_copy(w->since, r, w->iter))
			begin_copy(w, r);
	}
	return RB_OK;
}

/* When a message was sent before the last repair; NEVER: it was not, or it is not kept. */
static int64_t tick_sent_before(const struct walk *w, uint32_t message)
{
	const struct sent_before *e = &w->since->before;
	const int64_t at = w->iter - e->base;

	return at >= 0 && at < e->count && e->row[at].sent ? e->row[at].sent[message] : NEVER;
}

/* When the message of a receive is there. 0: nobody waits for it. LATER: its sender has died. */
static int64_t arrival(const struct walk *w, int role, bool copy, uint32_t message)
{
	const struct since *s = w->since;
	const struct message *x = &w->program->message[message];
	const int64_t stop = s->stop[role];
	const bool stopped = copy || (s->now.np && s->now.stopped[role]);
	int64_t before, sent;

	if (x->reduction && w->iter < s->now.known)
		return 0;
	if (w->iter < s->from[x->source]) {
		const enum source source =
			decision_source(&s->now, x->source, role, copy, w->iter, x->place);

		if (source == SOURCE_NONE)
			return 0;
		/* What is no longer kept was sent before this role was stopped. */
		sent = source == SOURCE_DUPLICATE ? w->sent_by_copy[x->segment]
		       : stopped                  ? stop
						  : tick_sent_before(w, message);
	} else {
		before = stopped ? NEVER : tick_sent_before(w, message);
		sent = before != NEVER ? before : w->sent[x->segment];
	}
	sent = sent > stop ? sent : stop;
	return sent >= LATER || is_dead(w, x->source, sent) ? LATER : sent + x->cost;
}

static void wait_for(struct walk *w, int role, bool copy, uint32_t segment)
{
	struct part *p = copy ? &w->copy[role] : &w->own[role];
	const struct segment *s = &w->program->segment[segment];
	int64_t last = p->end;

	for (uint32_t i = s->message; i < s[1].message; i++) {
		const int64_t there = arrival(w, role, copy, i);

		last = there > last ? there : last;
	}
	p->waited += last - p->end;
	p->end = last;
}

static void execute_segment(struct walk *w, uint32_t g)
{
	const struct segment *s = &w->program->segment[g];
	const int role = s->role;
	const bool skipped = s->reduction && w->iter < w->since->now.known;
	const bool next = g + 1 < w->program->first[role + 1];

	if (w->since->from[role] <= w->iter) {
		if (!skipped)
			wait_for(w, role, false, g);
		if (next)
			w->sent[g + 1] = w->own[role].end;
	}
	if (w->iter <= w->since->last_copy && since_has_copy(w->since, role, w->iter)) {
		if (!skipped &&
		    place_before((struct place){ w->iter, s->place }, w->since->now.end[role]))
			wait_for(w, role, true, g);
		if (next)
			w->sent_by_copy[g + 1] = w->copy[role].end;
	}
}

static void end_row(struct walk *w)
{
	const struct since *s = w->since;

	w->least = INT64_MAX;
	w->most = 0;
	for (int i = 0; i < w->active; i++) {
		const int r = walk_role(w, i);
		struct part *p = &w->own[r], *copy = &w->copy[r];

		if (s->from[r] <= w->iter) {
			p->work = p->end < LATER
					  ? model_work(w->m, r, w->iter, w->iter < s->high[r])
					  : 0;
			p->end += p->work;
			w->least = p->end < w->least ? p->end : w->least;
			w->most = p->end > w->most && p->end < LATER ? p->end : w->most;
		}
		if (since_has_copy(s, r, w->iter)) {
			copy->work = s->now.end[r].iter > w->iter && copy->end < LATER
					     ? model_work(w->m, r, w->iter, true)
					     : 0;
			copy->end += copy->work;
		}
	}
}

static int make_room(struct walk *w)
{
	const size_t room = (size_t)w->program->segments + 1;

	if (room <= w->room)
		return RB_OK;
	free(w->sent);
	free(w->sent_by_copy);
	w->sent = malloc(room * sizeof *w->sent);
	w->sent_by_copy = malloc(room * sizeof *w->sent_by_copy);
	w->room = w->sent && w->sent_by_copy ? room : 0;
	return w->room ? RB_OK : RB_ENOMEM;
}

int walk_row(struct walk *w, struct rb_error *err)
{
	RB_TRY(program_of(w->programs, w->iter, &w->program, err));
	RB_TRY(make_room(w));
	RB_TRY(begin_row(w));
	for (int i = 0; i < w->active && w->program->simple; i++)
		execute_segment(w, (uint32_t)walk_role(w, i));
	for (uint32_t i = 0; i < w->program->waits && !w->program->simple; i++)
		execute_segment(w, w->program->order[i]);
	end_row(w);
	if (w->most > TICKS_MAX)
		return rb_fail(
			err, RB_EINVAL,
			"the run lasts longer than %g s, the last time that a double has exactly",
			seconds_of(TICKS_MAX));
	w->iter++;
	w->plain = w->iter > w->since->last && w->iter > w->since->last_copy &&
		   w->iter >= w->since->again_until && w->least >= w->since->stopped_until &&
		   w->iter >= w->since->before.base + w->since->before.count;
	return RB_OK;
}
