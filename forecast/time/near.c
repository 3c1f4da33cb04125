#include "forecast/time/near.h"

#include "base/grow.h"
#include "base/share.h"
#include "base/status.h"
#include "forecast/pattern/stencil_pattern.h"

#include <stdlib.h>
#include <string.h>

/* Some roles of a pattern, numbered in their order. */
struct window {
	struct pattern pattern;
	const struct pattern *whole;
	int *role;            /* pattern.np: its number in the whole */
	int *number;          /* np of the whole: its number here, or -1 */
	int64_t marked, most; /* roles marked so far, some more than once; how many may be */
	pattern_watch *watch;
	void *ctx;
	/* What the roles do, which is the same in all iterations of a stencil: kept if they are
	 * few. */
	struct pattern_operation *op;
	size_t *first; /* pattern.np + 1; NULL: nothing is kept */
	size_t ops, room;
};

enum { KEPT_ROLES = 1 << 15 };

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

static int operations(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
		      void *ctx)
{
	const struct window *kept = (const struct window *)p;
	struct window w;

	if (kept->first) {
		for (size_t i = kept->first[role]; i < kept->first[role + 1]; i++)
			RB_TRY(watch(ctx, &kept->op[i]));
		return RB_OK;
	}
	w = *kept;
	w.watch = watch;
	w.ctx = ctx;
	return w.whole->operations(w.whole, w.role[role], iter, watch_inside, &w);
}

static int keep_operation(void *ctx, const struct pattern_operation *o)
{
	struct window *w = ctx;
	struct pattern_operation *list = grow(w->op, w->ops + 1, &w->room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	w->op = list;
	list[w->ops++] = *o;
	return RB_OK;
}

static int keep_operations(struct window *w)
{
	size_t *first = malloc(((size_t)w->pattern.np + 1) * sizeof *first);
	int rc = first ? RB_OK : RB_ENOMEM;

	for (int r = 0; r < w->pattern.np && rc == RB_OK; r++) {
		first[r] = w->ops;
		rc = operations(&w->pattern, r, 0, keep_operation, w);
	}
	if (first)
		first[w->pattern.np] = w->ops;
	w->first = first;
	return rc;
}

/* Mark the roles up to `reach` steps along the axes from one. */
static void mark(struct window *w, const struct stencil_pattern *s, int role, int64_t reach)
{
	int at[STENCIL_AXES] = { 0 }, length[STENCIL_AXES] = { 1, 1, 1 },
	    begin[STENCIL_AXES] = { 0 }, end[STENCIL_AXES] = { 0 };

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
	w->marked += (int64_t)(end[0] - begin[0] + 1) * (end[1] - begin[1] + 1) *
		     (end[2] - begin[2] + 1);
	if (w->marked > w->most)
		return;
	for (int i = begin[0]; i <= end[0]; i++)
		for (int j = begin[1]; j <= end[1]; j++)
			for (int k = begin[2]; k <= end[2]; k++)
				w->number[(((i + length[0]) % length[0]) * length[1] +
					   (j + length[1]) % length[1]) *
						  length[2] +
					  (k + length[2]) % length[2]] = 0;
}

/* May a role lack messages, although it has not died? In a stencil without diagonals, roles that
 * lack nothing are at most one iteration behind their neighbours. */
static bool lags(const struct stencil_pattern *s, const int64_t *front, int role)
{
	bool diagonals = false;
	int stride = 1;

	for (int a = 1; a < s->axes; a++)
		diagonals = diagonals || s->bytes[a] > 0;
	for (int a = s->axes - 1; a >= 0; a--) {
		const int at = role / stride % s->length[a];

		for (int step = -1; step <= 1; step += 2) {
			const int to =
				s->periodic ? (at + step + s->length[a]) % s->length[a] : at + step;

			if (to >= 0 && to < s->length[a] &&
			    front[role + (to - at) * stride] > front[role] + !diagonals)
				return true;
		}
		stride *= s->length[a];
	}
	return false;
}

/* How many steps away roles can matter for what one lacks. It may ask a neighbour for iterations
 * before that neighbour's front, this one another for earlier ones, and nobody for those before the
 * line. newest: of all fronts. */
static int64_t reach_of(const struct stencil_pattern *s, const struct situation *x, int np,
			int role, int64_t oldest, int64_t newest)
{
	int64_t reach = 0, here = x->front[role];

	if (s->axes > 1)
		return newest - oldest + 2;
	while (reach < here - oldest + 2 && reach < np) {
		reach++;
		for (int side = -1; side <= 1; side += 2) {
			const int64_t at = role + side * reach,
				      to = s->periodic ? (at % np + np) % np : at;

			if (to >= 0 && to < np && x->front[to] > here)
				here = x->front[to];
		}
	}
	return reach;
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
			mark(w, s, r, reach_of(s, x, w->whole->np, r, oldest, newest));
	for (int r = 0; r < w->whole->np && w->marked <= w->most; r++)
		if (w->number[r] == 0) {
			w->role[w->pattern.np] = r;
			w->number[r] = w->pattern.np++;
		}
	return w->marked <= w->most;
}

static int decide_window(struct decision *d, const struct model *m, const struct situation *s,
			 const struct window *w, struct rb_error *err)
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
		rc = decide(d, &part, &(struct situation){ dead, line, front, s->stop_all, NULL },
			    err);
	free(dead);
	free(line);
	return rc;
}

/* A decision that is made for all roles at once. */
struct plain {
	struct decision *d;
	const struct model *m;
	const struct situation *s;
	bool all; /* go back; else the dead do */
};

static void fill_roles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	const struct plain *p = arg;
	struct decision *d = p->d;
	const bool stop_all = p->all || p->s->stop_all || p->m->reach == REPAIR_ALL;

	(void)lock;
	for (int64_t r = first; r < end; r++) {
		d->back[r] = p->all || p->s->dead[r];
		d->stopped[r] = stop_all || d->back[r];
		d->from[r] = d->back[r] ? p->s->line[r] : p->s->front[r];
		d->end[r] = (struct place){ -1, 0 };
	}
}

static int decide_plain(struct decision *d, const struct model *m, const struct situation *s,
			int threads, bool all)
{
	RB_TRY(decision_init(d, m));
	share_out(threads, d->np, SHARE_PIECE, fill_roles, &(struct plain){ d, m, s, all });
	return RB_OK;
}

/* What was decided for a window, for all roles. */
static int extend(struct decision *d, struct decision *part, const struct model *m,
		  const struct situation *s, int threads, const struct window *w)
{
	RB_TRY(decide_plain(d, m, s, threads, false));
	memset(d->distance, 0xff, (size_t)d->np * sizeof *d->distance); /* -1 */
	for (int i = 0; i < part->np; i++) {
		const int r = w->role[i];

		d->back[r] = part->back[i];
		d->stopped[r] = part->stopped[i];
		d->from[r] = part->from[i];
		d->end[r] = part->end[i];
		d->distance[r] = part->distance[i];
	}
	for (int r = 0; r < d->np; r++)
		if (!d->back[r] && s->front[r] > d->known)
			d->known = s->front[r];
	for (size_t i = 0; i < part->gaps; i++) { /* stays sorted */
		part->gap[i].source = w->role[part->gap[i].source];
		part->gap[i].receiver = w->role[part->gap[i].receiver];
	}
	d->gap = part->gap;
	d->gaps = part->gaps;
	part->gap = NULL;
	return RB_OK;
}

static int decide_by_window(struct decision *d, const struct model *m, const struct situation *s,
			    int threads, struct rb_error *err)
{
	const size_t n = (size_t)m->pattern->np;
	struct window w = { .pattern = { 0, operations },
			    .whole = m->pattern,
			    .role = malloc(n * sizeof *w.role),
			    .number = malloc(n * sizeof *w.number) };
	struct decision part;
	int rc = RB_ENOMEM;

	if (w.role && w.number && mark_all(&w, stencil_of(m->pattern), s)) {
		rc = w.pattern.np <= KEPT_ROLES ? keep_operations(&w) : RB_OK;
		if (rc == RB_OK)
			rc = decide_window(&part, m, s, &w, err);
		if (rc == RB_OK) {
			rc = extend(d, &part, m, s, threads, &w);
			decision_free(&part);
		}
	} else if (w.role && w.number) {
		rc = decide(d, m, s, err);
	}
	free(w.role);
	free(w.number);
	free(w.op);
	free(w.first);
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

int decide_near(struct decision *d, const struct model *m, const struct situation *s, int threads,
		struct rb_error *err)
{
	bool all;

	if (!stencil_of(m->pattern) ||
	    !m->policy.ops->first_iterations) /* else the number of a role does not matter */
		return decide(d, m, s, err);
	if (ft_is_dataflow(m->recompute))
		return decide_by_window(d, m, s, threads, err);
	all = takes_all(m, s);
	if (!all && m->policy.ops != &policy_all)
		return decide(d, m, s, err);
	return decide_plain(d, m, s, threads, all);
}
