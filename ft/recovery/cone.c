#include "ft/recovery/cone.h"

#include "base/grow.h"
#include "base/status.h"

#include <string.h>

enum { EVERYTHING = INT32_MAX };

/* What a role does in the iteration that is looked at, without reductions. */
struct program {
	struct step {
		enum pattern_kind kind;
		int32_t peer, tag, place;
	} *step;
	size_t count, room;
	size_t done;    /* steps that are known to be executed and have been examined */
	int32_t places; /* how many there are */
	bool loaded;
};

/* A search under way. */
struct search {
	struct cone *c;
	const struct cone_case *x;
	int64_t iter, oldest;    /* from the newest to the oldest */
	struct program *program; /* np; loaded when needed, for this iteration */
	int32_t *loaded;         /* np: which are */
	int loads;
	int32_t *pending; /* a queue: roles whose program is to be examined further */
	size_t head, tail, pending_room, needed_room, absent_room;
	size_t *gap;     /* np + 1: where the gaps of each receiver begin */
	int32_t *until;  /* np: so many operations of this iteration are executed */
	int32_t *member; /* np: the roles with duplicates */
	int members;
	/* a distance was found that is shorter than one that may have been used already */
	bool shorter;
	/* who has a duplicate is known, and all duplicates repeat everything (flat) */
	bool everything;
	struct program *loading;
};

static int compare_gaps(const void *a, const void *b)
{
	const struct gap *p = a, *q = b;

	if (p->receiver != q->receiver)
		return p->receiver < q->receiver ? -1 : 1;
	if (p->source != q->source)
		return p->source < q->source ? -1 : 1;
	return (p->from > q->from) - (p->from < q->from);
}

const struct gap *gap_find(const struct gap *gap, size_t gaps, int source, int receiver,
			   int64_t iter)
{
	const struct gap *found;
	size_t low = 0, high = gaps;

	while (low < high) { /* the last gap that begins at or before the iteration */
		const size_t middle = low + (high - low) / 2;
		const struct gap *g = &gap[middle];
		const bool before = g->receiver != receiver ? g->receiver < receiver
				    : g->source != source   ? g->source < source
							    : g->from <= iter;

		low = before ? middle + 1 : low;
		high = before ? high : middle;
	}
	found = low > 0 ? &gap[low - 1] : NULL;
	return found && found->receiver == receiver && found->source == source && iter < found->to
		       ? found
		       : NULL;
}

static const struct gap *gap_of(const struct search *s, int source, int receiver)
{
	const size_t first = s->gap[receiver];

	return gap_find(s->x->gap + first, s->gap[receiver + 1] - first, source, receiver, s->iter);
}

static int load_step(void *ctx, const struct pattern_operation *o)
{
	struct program *p = ((struct search *)ctx)->loading;
	struct step *list;

	if (o->reduction)
		return RB_OK;
	list = grow(p->step, p->count + 1, &p->room, sizeof *list);
	if (!list)
		return RB_ENOMEM;
	p->step = list;
	list[p->count++] = (struct step){ o->kind, o->peer, o->tag, p->places };
	p->places += o->kind != PATTERN_RECEIVE;
	return p->places <= PLACE_MAX ? RB_OK : RB_EINVAL;
}

static int load(struct search *s, int role)
{
	struct program *p = &s->program[role];

	if (p->loaded)
		return RB_OK;
	p->count = p->done = 0;
	p->places = 0;
	p->loaded = true;
	s->loaded[s->loads++] = role;
	s->until[role] = 0;
	s->loading = p;
	return s->x->pattern->operations(s->x->pattern, role, s->iter, load_step, s);
}

static int examine_later(struct search *s, int role)
{
	int32_t *list = grow(s->pending, s->tail + 1, &s->pending_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	s->pending = list;
	list[s->tail++] = role;
	return RB_OK;
}

/* The place of the send that the receive number `at` of this role gets; -1: there is none. */
static int32_t matching_send(const struct search *s, int receiver, size_t at)
{
	const struct program *to = &s->program[receiver], *from = &s->program[to->step[at].peer];
	int before = 0;

	for (size_t i = 0; i < at; i++)
		before += to->step[i].kind == PATTERN_RECEIVE &&
			  to->step[i].peer == to->step[at].peer &&
			  to->step[i].tag == to->step[at].tag;
	for (size_t i = 0; i < from->count; i++)
		if (from->step[i].kind == PATTERN_SEND && from->step[i].peer == receiver &&
		    from->step[i].tag == to->step[at].tag && before-- == 0)
			return from->step[i].place;
	return -1;
}

/* The duplicate of this role has to execute so many operations of this iteration. */
static int demand(struct search *s, int role, int32_t operations, int32_t distance)
{
	struct cone *c = s->c;

	if (s->iter < s->x->line[role])
		return RB_EINVAL;
	if (c->end[role].iter < 0)
		s->member[s->members++] = role;
	if (c->distance[role] < 0 || distance < c->distance[role]) {
		s->shorter = s->shorter || c->distance[role] >= 0;
		c->distance[role] = distance;
	}
	if (c->end[role].iter < s->iter)
		c->end[role] = (struct place){ s->iter, 0 };
	if (c->end[role].iter > s->iter || operations <= s->until[role])
		return RB_OK;
	c->end[role].number = s->until[role] = operations;
	return examine_later(s, role);
}

static int note_needed(struct search *s, int32_t place)
{
	struct place *list = grow(s->c->needed, s->c->needs + 1, &s->needed_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	s->c->needed = list;
	list[s->c->needs++] = (struct place){ s->iter, place };
	return RB_OK;
}

static int note_absent(struct search *s, int source)
{
	struct absence *list =
		grow(s->c->absent, s->c->absences + 1, &s->absent_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	s->c->absent = list;
	list[s->c->absences++] = (struct absence){ s->iter, source };
	return RB_OK;
}

/* A duplicate that repeats everything receives what there is: from a role that is itself in this
 * iteration or before it, from a log, or from the duplicate of the source. */
static int receive_if_there(struct search *s, int role, int source, int32_t place)
{
	const struct cone_case *x = s->x;
	const bool repeated = s->c->part[source].iter >= 0 && s->iter >= x->line[source];
	const bool logged = !x->restarted[source] && !gap_of(s, source, role);

	if (s->iter >= x->front[role])
		return RB_OK; /* the role itself, which lacks nothing */
	if (s->iter < x->front[source] && !repeated && !logged)
		return role == x->me ? note_absent(s, source) : RB_OK;
	return source == x->me ? note_needed(s, place) : RB_OK;
}

/* Where does the message come from that this role receives? A role that is itself in this iteration
 * or before it will send it. Otherwise it is in the log, or the sender has kept it. What is kept is
 * for survivors that lag behind, and not for restarted roles and duplicates, so that the work is
 * that of the paper. Otherwise it has to be computed again. */
static int receive(struct search *s, int role, size_t at)
{
	const struct cone_case *x = s->x;
	const int source = s->program[role].step[at].peer;
	const bool duplicate = s->iter < x->front[role];
	const struct gap *gap;
	int32_t place;

	if (source < 0 || source >= s->c->np)
		return RB_EINVAL;
	RB_TRY(load(s, source));
	place = matching_send(s, role, at);
	if (place < 0)
		return RB_EINVAL;
	if (s->everything)
		return receive_if_there(s, role, source, place);
	if (duplicate && source == x->me)
		RB_TRY(note_needed(s, place));
	if (s->iter >= x->front[source])
		return RB_OK;
	if (x->restarted[source])
		return RB_EINVAL; /* its log is lost, and it does not go back that far */
	gap = gap_of(s, source, role);
	if (!gap || (gap->kept && !duplicate && !x->restarted[role]))
		return RB_OK;
	return demand(s, source, place + 1, duplicate ? s->c->distance[role] + 1 : 1);
}

/* Examine what is newly known to be executed: all receives that are posted before a wait that is
 * executed. */
static int examine(struct search *s, int role)
{
	struct program *p = &s->program[role];
	size_t posted = p->done;

	for (size_t i = p->done; i < p->count; i++) {
		if (p->step[i].kind != PATTERN_RECEIVE && p->step[i].place >= s->until[role])
			break;
		if (p->step[i].kind != PATTERN_WAIT)
			continue;
		for (; posted < i; posted++)
			if (p->step[posted].kind == PATTERN_RECEIVE)
				RB_TRY(receive(s, role, posted));
		p->done = i + 1;
	}
	return RB_OK;
}

static int execute_all(struct search *s, int role)
{
	RB_TRY(load(s, role));
	s->until[role] = EVERYTHING;
	return examine_later(s, role);
}

/* Who executes this iteration completely: roles that resume in it or before, and duplicates that go
 * further. */
static int look_at_iteration(struct search *s)
{
	const struct cone_case *x = s->x;
	const int members = s->members;

	for (int r = 0; r < s->c->np; r++)
		if (x->front[r] <= s->iter)
			RB_TRY(execute_all(s, r));
	for (int i = 0; i < members; i++)
		if (x->line[s->member[i]] <= s->iter)
			RB_TRY(execute_all(s, s->member[i]));
	while (s->head < s->tail)
		RB_TRY(examine(s, s->pending[s->head++]));
	s->head = s->tail = 0;
	while (s->loads > 0)
		s->program[s->loaded[--s->loads]].loaded = false;
	return RB_OK;
}

static int walk_back(struct search *s)
{
	s->c->needs = 0;
	for (s->iter = s->c->newest - 1; s->iter >= s->oldest; s->iter--)
		RB_TRY(look_at_iteration(s));
	return RB_OK;
}

static int search(struct search *s)
{
	s->members = 0;
	s->shorter = false;
	for (int r = 0; r < s->c->np; r++)
		s->c->end[r] = (struct place){ -1, 0 };
	return walk_back(s);
}

/* What is the same for every pass. */
static void prepare(struct search *s)
{
	const struct cone_case *x = s->x;

	s->oldest = x->line[0];
	for (int r = 0; r < s->c->np; r++) {
		s->c->distance[r] = x->restarted[r] ? 0 : -1;
		s->c->newest = x->front[r] > s->c->newest ? x->front[r] : s->c->newest;
		s->oldest = x->line[r] < s->oldest ? x->line[r] : s->oldest;
	}
	if (x->gaps > 0)
		qsort(x->gap, x->gaps, sizeof *x->gap, compare_gaps);
	for (size_t i = 0; i < x->gaps;
	     i++) /* a pattern that does not fit together may name roles that there are not */
		if (x->gap[i].receiver < s->c->np)
			s->gap[x->gap[i].receiver < 0 ? 0 : x->gap[i].receiver + 1]++;
	for (int r = 0; r < s->c->np; r++)
		s->gap[r + 1] += s->gap[r];
}

/* All roles of the cone go on to their fronts. */
static int repeat_everything(struct search *s)
{
	struct cone *c = s->c;

	s->everything = true;
	RB_TRY(walk_back(s));
	if (c->absences > 0)
		qsort(c->absent, c->absences, sizeof *c->absent, absence_compare);
	for (int i = 0; i < s->members; i++)
		c->end[s->member[i]] = (struct place){ s->x->front[s->member[i]], 0 };
	return RB_OK;
}

static int find(struct search *s)
{
	struct cone *c = s->c;

	do /* again if only distances may change */
		RB_TRY(search(s));
	while (s->shorter);
	memcpy(c->part, c->end, (size_t)c->np * sizeof *c->part);
	if (s->x->flat)
		RB_TRY(repeat_everything(s));
	if (c->needs > 0)
		qsort(c->needed, c->needs, sizeof *c->needed, place_compare);
	return RB_OK;
}

int cone_find(struct cone *c, const struct cone_case *x)
{
	size_t n = (size_t)x->pattern->np;
	struct search s = { .c = c,
			    .x = x,
			    .program = calloc(n, sizeof *s.program),
			    .loaded = malloc(n * sizeof *s.loaded),
			    .until = malloc(n * sizeof *s.until),
			    .member = malloc(n * sizeof *s.member),
			    .gap = calloc(n + 1, sizeof *s.gap) };
	int rc = RB_ENOMEM;

	*c = (struct cone){ .np = x->pattern->np,
			    .part = malloc(n * sizeof *c->part),
			    .end = malloc(n * sizeof *c->end),
			    .distance = malloc(n * sizeof *c->distance) };
	if (s.program && s.loaded && s.until && s.member && s.gap && c->part && c->end &&
	    c->distance) {
		prepare(&s);
		rc = find(&s);
	}
	for (size_t r = 0; s.program && r < n; r++)
		free(s.program[r].step);
	free(s.program);
	free(s.loaded);
	free(s.until);
	free(s.member);
	free(s.gap);
	free(s.pending);
	if (rc != RB_OK)
		cone_free(c);
	return rc;
}

void cone_free(struct cone *c)
{
	free(c->part);
	free(c->end);
	free(c->distance);
	free(c->needed);
	free(c->absent);
	memset(c, 0, sizeof *c);
}

int64_t cone_supported(const struct cone *c, const int64_t *line, int role)
{
	return c->end[role].iter < 0 ? 0 : c->end[role].iter - line[role];
}
