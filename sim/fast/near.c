#include "sim/fast/near.h"

#include "base/status.h"
#include "kernels/stencil_pattern.h"

#include <stdlib.h>
#include <string.h>

/* Some roles of a pattern, numbered in their order. */
struct window {
	struct pattern pattern;
	const struct pattern *whole;
	int *role;    /* pattern.np: its number in the whole */
	int *number;  /* np of the whole: its number here, or -1 */
	int64_t marked, most; /* roles marked so far, some more than once; how many may be */
	pattern_watch *watch;
	void *ctx;
};

/* Messages from and to other roles are left out. */
static int watch_inside(void *ctx, const struct pattern_operation *o)
{
	const struct window *w = ctx;
	struct pattern_operation inside = *o;

	if (o->kind != PATTERN_WAIT) {
		inside.peer = w->number[o->peer];
		if (inside.peer < 0)
			return RB_OK;
	}
	return w->watch(w->ctx, &inside);
}

static int operations(const struct pattern *p, int role, int64_t iter, pattern_watch *watch, void *ctx)
{
	struct window w = *(const struct window *)p;

	w.watch = watch;
	w.ctx = ctx;
	return w.whole->operations(w.whole, w.role[role], iter, watch_inside, &w);
}

/* Mark the roles up to `reach` steps along the axes from one. */
static void mark(struct window *w, const struct stencil_pattern *s, int role, int64_t reach)
{
	int at[STENCIL_AXES] = { 0 }, length[STENCIL_AXES] = { 1, 1, 1 }, begin[STENCIL_AXES] = { 0 }, end[STENCIL_AXES] = { 0 };

	for (int a = s->axes - 1, rest = role; a >= 0; a--) {
		const int64_t side = s->length[a] < reach ? s->length[a] : reach;

		length[a] = s->length[a];
		at[a] = rest % length[a];
		rest /= length[a];
		begin[a] = (int)(at[a] - side);
		end[a] = (int)(at[a] + side);
		if (!s->periodic || 2 * side + 1 >= length[a]) {
			begin[a] = s->periodic || begin[a] < 0 ? 0 : begin[a];
			end[a] = s->periodic || end[a] >= length[a] ? length[a] - 1 : end[a];
		}
	}
	w->marked += (int64_t)(end[0] - begin[0] + 1) * (end[1] - begin[1] + 1) * (end[2] - begin[2] + 1);
	if (w->marked > w->most)
		return;
	for (int i = begin[0]; i <= end[0]; i++)
		for (int j = begin[1]; j <= end[1]; j++)
			for (int k = begin[2]; k <= end[2]; k++)
				w->number[(((i + length[0]) % length[0]) * length[1] + (j + length[1]) % length[1]) * length[2] +
					  (k + length[2]) % length[2]] = 0;
}

/* May a role lack messages, although it has not died? In a stencil without diagonals, roles that lack nothing are at most one
 * iteration behind their neighbours. */
static bool lags(const struct stencil_pattern *s, const int64_t *front, int role)
{
	bool diagonals = false;
	int stride = 1;

	for (int a = 1; a < s->axes; a++)
		diagonals = diagonals || s->bytes[a] > 0;
	for (int a = s->axes - 1; a >= 0; a--) {
		const int at = role / stride % s->length[a];

		for (int step = -1; step <= 1; step += 2) {
			const int to = s->periodic ? (at + step + s->length[a]) % s->length[a] : at + step;

			if (to >= 0 && to < s->length[a] && front[role + (to - at) * stride] > front[role] + !diagonals)
				return true;
		}
		stride *= s->length[a];
	}
	return false;
}

/* The roles whose duplicates, messages or logs can matter. false: too many. */
static bool mark_all(struct window *w, const struct stencil_pattern *s, const struct situation *x)
{
	int64_t newest = 0, oldest = x->line[0];

	for (int r = 0; r < w->whole->np; r++) {
		newest = x->front[r] > newest ? x->front[r] : newest;
		oldest = x->line[r] < oldest ? x->line[r] : oldest;
		w->number[r] = -1;
	}
	w->most = w->whole->np / 2;
	for (int r = 0; r < w->whole->np && w->marked <= w->most; r++)
		if (x->dead[r] || lags(s, x->front, r))
			mark(w, s, r, newest - oldest + 2);
	for (int r = 0; r < w->whole->np && w->marked <= w->most; r++)
		if (w->number[r] == 0) {
			w->role[w->pattern.np] = r;
			w->number[r] = w->pattern.np++;
		}
	return w->marked <= w->most;
}

static int decide_window(struct decision *d, const struct model *m, const struct situation *s, const struct window *w,
			 struct rb_error *err)
{
	const size_t n = (size_t)w->pattern.np;
	struct model part = *m;
	bool *dead = malloc(n);
	int64_t *line = malloc(2 * n * sizeof *line), *front = line + n;
	int rc = RB_ENOMEM;

	part.pattern = &w->pattern;
	for (size_t i = 0; dead && line && i < n; i++) {
		dead[i] = s->dead[w->role[i]];
		line[i] = s->line[w->role[i]];
		front[i] = s->front[w->role[i]];
	}
	if (dead && line)
		rc = decide(d, &part, &(struct situation){ dead, line, front, s->stop_all }, err);
	free(dead);
	free(line);
	return rc;
}

static int empty(struct decision *d, const struct model *m)
{
	const size_t n = (size_t)m->pattern->np;

	*d = (struct decision){ .np = m->pattern->np, .back = calloc(n, sizeof *d->back), .stopped = malloc(n * sizeof *d->stopped),
				.from = malloc(n * sizeof *d->from), .end = malloc(n * sizeof *d->end),
				.dataflow = ft_is_dataflow(m->recompute), .flat = m->recompute == FT_FLAT };
	if (d->back && d->stopped && d->from && d->end)
		return RB_OK;
	decision_free(d);
	return RB_ENOMEM;
}

/* What was decided for a window, for all roles. */
static int extend(struct decision *d, struct decision *part, const struct model *m, const struct situation *s,
		  const struct window *w)
{
	RB_TRY(empty(d, m));
	memset(d->stopped, s->stop_all || m->reach == REPAIR_ALL, (size_t)d->np * sizeof *d->stopped);
	memcpy(d->from, s->front, (size_t)d->np * sizeof *d->from);
	for (int r = 0; r < d->np; r++)
		d->end[r] = (struct place){ -1, 0 };
	for (int i = 0; i < part->np; i++) {
		const int r = w->role[i];

		d->back[r] = part->back[i];
		d->stopped[r] = part->stopped[i];
		d->from[r] = part->from[i];
		d->end[r] = part->end[i];
	}
	for (size_t i = 0; i < part->gaps; i++) { /* stays sorted */
		part->gap[i].source = w->role[part->gap[i].source];
		part->gap[i].receiver = w->role[part->gap[i].receiver];
	}
	d->gap = part->gap;
	d->gaps = part->gaps;
	part->gap = NULL;
	return RB_OK;
}

static int decide_by_window(struct decision *d, const struct model *m, const struct situation *s, struct rb_error *err)
{
	const size_t n = (size_t)m->pattern->np;
	struct window w = { .pattern = { 0, operations }, .whole = m->pattern, .role = malloc(n * sizeof *w.role),
			    .number = malloc(n * sizeof *w.number) };
	struct decision part;
	int rc = RB_ENOMEM;

	if (w.role && w.number && mark_all(&w, stencil_of(m->pattern), s)) {
		rc = decide_window(&part, m, s, &w, err);
		if (rc == RB_OK) {
			rc = extend(d, &part, m, s, &w);
			decision_free(&part);
		}
	} else if (w.role && w.number) {
		rc = decide(d, m, s, err);
	}
	free(w.role);
	free(w.number);
	return rc;
}

/* Has every role of a stencil sent messages since the line, so that any death takes all back? */
static bool takes_all(const struct model *m, const struct situation *s)
{
	const struct stencil_pattern *x = stencil_of(m->pattern);
	bool any = false;

	if (m->policy.ops != &policy_none || x->bytes[0] == 0)
		return false;
	for (int r = 0; r < m->pattern->np; r++) {
		if (s->front[r] <= s->line[r])
			return false;
		any = any || s->dead[r];
	}
	return any;
}

int decide_near(struct decision *d, const struct model *m, const struct situation *s, struct rb_error *err)
{
	const bool alike = m->policy.ops == &policy_none || m->policy.ops == &policy_all ||
			   strcmp(m->policy.ops->name, "window") == 0; /* the number of a role does not matter */

	if (!stencil_of(m->pattern) || !alike)
		return decide(d, m, s, err);
	if (ft_is_dataflow(m->recompute))
		return decide_by_window(d, m, s, err);
	if (!takes_all(m, s))
		return decide(d, m, s, err);
	RB_TRY(empty(d, m));
	memset(d->back, true, (size_t)d->np * sizeof *d->back);
	memset(d->stopped, true, (size_t)d->np * sizeof *d->stopped);
	memcpy(d->from, s->line, (size_t)d->np * sizeof *d->from);
	for (int r = 0; r < d->np; r++)
		d->end[r] = (struct place){ -1, 0 };
	return RB_OK;
}
