#include "forecast/time/near_line.h"

#include "base/grow.h"
#include "base/share.h"
#include "base/status.h"
#include "forecast/pattern/stencil_pattern.h"

#include <stdlib.h>
#include <string.h>

struct roles {
	int32_t *list;
	size_t count, room;
};

struct line_cone {
	struct decision *d;
	const struct situation *s;
	int64_t line;
	bool periodic;
	/* the repair does not stop everybody: survivors have all that was sent to them */
	bool kept_all;
	struct roles asked;  /* by a neighbour itself, in ascending order */
	struct roles copied; /* all that have duplicates */
	int rc;              /* of threads */
};

bool line_fits_cone(const struct model *m, const struct situation *s)
{
	const struct stencil_pattern *x = stencil_of(m->pattern);

	if (!x || x->axes > 1 || x->bytes[0] == 0 || m->pattern->np < 3 ||
	    !ft_is_dataflow(m->recompute) || !policy_logs_nothing(&m->policy))
		return false;
	for (int r = 1; r < m->pattern->np; r++)
		if (s->line[r] != s->line[0])
			return false;
	return true;
}

static int add_role(struct roles *roles, int role)
{
	int32_t *list = grow(roles->list, roles->count + 1, &roles->room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	roles->list = list;
	list[roles->count++] = role;
	return RB_OK;
}

static int by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* The neighbour of a role on a side (-1 or 1); -1: there is none. */
static int beside(const struct line_cone *c, int role, int side)
{
	const int np = c->d->np, at = role + side;

	return at >= 0 && at < np ? at : c->periodic ? (at + np) % np : -1;
}

/* The newest iteration of which a role itself asks its neighbour for a message that this one has no
 * more; -1: none. */
static int64_t asks(const struct line_cone *c, int role, int neighbour)
{
	const struct decision *d = c->d;
	const int64_t newest = d->from[neighbour] - (d->back[role] ? 1 : 2);

	return newest >= d->from[role] && (d->back[role] || !c->kept_all) ? newest : -1;
}

/* Does a role, or its duplicate, ask its neighbour for the message of an iteration before the
 * neighbour's front? */
static bool asks_for(const struct line_cone *c, int role, int neighbour, int64_t iter)
{
	return iter < c->d->end[role].iter ||
	       (iter >= c->d->from[role] && iter <= asks(c, role, neighbour));
}

static void find_asked(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct line_cone *c = arg;
	struct decision *d = c->d;
	int64_t known = 0;

	for (int64_t r = first; r < end; r++) {
		const int left = beside(c, (int)r, -1), right = beside(c, (int)r, 1);
		const int64_t by_left = left < 0 ? -1 : asks(c, left, (int)r),
			      by_right = right < 0 ? -1 : asks(c, right, (int)r);

		d->end[r].iter = by_left > by_right ? by_left : by_right;
		d->distance[r] = d->back[r] ? 0 : d->end[r].iter >= 0 ? 1 : -1;
		known = !d->back[r] && d->from[r] > known ? d->from[r] : known;
		if (d->end[r].iter < 0)
			continue;
		pthread_mutex_lock(lock);
		if (add_role(&c->asked, (int)r) != RB_OK || add_role(&c->copied, (int)r) != RB_OK)
			c->rc = RB_ENOMEM;
		pthread_mutex_unlock(lock);
	}
	pthread_mutex_lock(lock);
	d->known = known > d->known ? known : d->known;
	pthread_mutex_unlock(lock);
}

/* What follows on one side from where the duplicate of a role ends, as far as it is newer than what
 * is known. */
static int spread(struct line_cone *c, int role, int side)
{
	struct decision *d = c->d;
	int to;

	for (; (to = beside(c, role, side)) >= 0; role = to) {
		const int64_t iter = smaller(d->end[role].iter, d->from[to]) - 1;

		if (iter < c->line || iter <= d->end[to].iter)
			return RB_OK;
		if (d->end[to].iter < 0)
			RB_TRY(add_role(&c->copied, to));
		d->end[to].iter = iter;
	}
	return RB_OK;
}

/* The same for distances. A duplicate asks for messages if it goes through one iteration or
 * more. */
static void measure(struct line_cone *c, int role, int side)
{
	struct decision *d = c->d;
	int to;

	for (; (to = beside(c, role, side)) >= 0 && d->end[role].iter > c->line &&
	       d->end[to].iter >= 0;
	     role = to) {
		if (d->distance[to] >= 0 && d->distance[to] <= d->distance[role] + 1)
			return;
		d->distance[to] = d->distance[role] + 1;
	}
}

static int spread_all(struct line_cone *c)
{
	const struct roles *a = &c->asked;

	for (size_t i = 0; i < a->count; i++)
		RB_TRY(spread(c, a->list[i], 1));
	for (size_t i = a->count; i-- > 0;)
		RB_TRY(spread(c, a->list[i], -1));
	for (size_t i = 0; i < a->count; i++)
		measure(c, a->list[i], 1);
	for (size_t i = a->count; i-- > 0;)
		measure(c, a->list[i], -1);
	qsort(c->copied.list, c->copied.count, sizeof *c->copied.list, by_number);
	return RB_OK;
}

/* Where in their last iterations duplicates end: behind the last send that is asked for. The first
 * send goes to the left. */
static void end_copies(struct line_cone *c)
{
	struct decision *d = c->d;

	for (size_t i = 0; i < c->copied.count; i++) {
		const int r = c->copied.list[i], left = beside(c, r, -1), right = beside(c, r, 1);
		const bool last = right >= 0 && asks_for(c, right, r, d->end[r].iter);

		d->end[r].number = last && left >= 0 ? 2 : 1;
		d->stopped[r] = true;
	}
	for (size_t i = 0; i < c->copied.count && d->flat; i++)
		d->end[c->copied.list[i]] = (struct place){ d->from[c->copied.list[i]], 0 };
}

static int add_gap(struct line_cone *c, size_t *room, struct gap gap)
{
	struct decision *d = c->d;
	struct gap *list;

	if (gap.from >= gap.to)
		return RB_OK;
	list = grow(d->gap, d->gaps + 1, room, sizeof *list);
	if (!list)
		return RB_ENOMEM;
	d->gap = list;
	list[d->gaps++] = gap;
	return RB_OK;
}

/* What a role cannot get from the logs of its neighbours. */
static int add_gaps_to(struct line_cone *c, size_t *room, int role)
{
	const int left = beside(c, role, -1), right = beside(c, role, 1),
		  source[] = { left < right ? left : right, left < right ? right : left };

	for (int i = 0; i < 2; i++) {
		const int64_t front = source[i] >= 0 ? c->d->from[source[i]] : c->line;

		if (source[i] < 0 || c->d->back[source[i]])
			continue;
		RB_TRY(add_gap(c, room,
			       (struct gap){ source[i], role, c->line, front - 1, c->kept_all }));
		RB_TRY(add_gap(c, room,
			       (struct gap){ source[i], role,
					     front - 1 < c->line ? front : front - 1, front, 1 }));
	}
	return RB_OK;
}

/* Those who ask for something that has to be computed again have duplicates, or are beside one. */
static int list_gaps(struct line_cone *c)
{
	struct roles to = { .list = NULL };
	size_t room = 0;
	int rc = RB_OK;

	for (size_t i = 0; i < c->copied.count && rc == RB_OK; i++)
		for (int side = -1; side <= 1 && rc == RB_OK; side++) {
			const int role =
				side ? beside(c, c->copied.list[i], side) : c->copied.list[i];

			if (role >= 0)
				rc = add_role(&to, role);
		}
	if (to.count > 0)
		qsort(to.list, to.count, sizeof *to.list, by_number);
	for (size_t i = 0; i < to.count && rc == RB_OK; i++)
		if (i == 0 || to.list[i] != to.list[i - 1])
			rc = add_gaps_to(c, &room, to.list[i]);
	free(to.list);
	return rc;
}

int line_find_cone(struct decision *d, const struct model *m, const struct situation *s,
		   int threads)
{
	struct line_cone c = { .d = d,
			       .s = s,
			       .line = s->line[0],
			       .periodic = stencil_of(m->pattern)->periodic,
			       .kept_all = !s->stop_all && m->reach != REPAIR_ALL };
	int rc;

	share_out(threads, d->np, SHARE_PIECE, find_asked, &c);
	rc = c.rc;
	if (rc == RB_OK && c.asked.count > 0) {
		qsort(c.asked.list, c.asked.count, sizeof *c.asked.list, by_number);
		rc = spread_all(&c);
		if (rc == RB_OK)
			end_copies(&c);
		if (rc == RB_OK)
			rc = list_gaps(&c);
	}
	free(c.asked.list);
	free(c.copied.list);
	return rc;
}
