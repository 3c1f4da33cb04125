#include "forecast/fast/tile_stretch.h"

#include "forecast/fast/tile_copies.h"
#include "forecast/fast/tile_rows.h"

#include <math.h>
#include <string.h>

void tile_fill(double *to, int64_t first, int width)
{
	for (int i = 0; i < width; i++)
		to[first + i] = INFINITY;
}

struct joins tile_joins_of(const int64_t *join, int64_t count)
{
	struct joins j = { INT64_MAX, -1 };

	for (int64_t i = 0; i < count; i++) {
		j.first = join[i] < j.first ? join[i] : j.first;
		j.last = join[i] > j.last ? join[i] : j.last;
	}
	return j;
}

static void add_part(const struct tile_rows *x, struct joins *j, int64_t role)
{
	const int64_t np = x->s->np;
	const struct joins *part;

	if (!x->stencil->periodic && (role < 0 || role >= np))
		return;
	part = &x->joins[(role % np + np) % np / tile_sizes.part];
	j->first = smaller(part->first, j->first);
	j->last = part->last > j->last ? part->last : j->last;
}

struct joins tile_joins(const struct tile_rows *x, int64_t first, int64_t end)
{
	struct joins j = { INT64_MAX, -1 };

	for (int64_t r = first; r < end; r += tile_sizes.part)
		add_part(x, &j, r);
	add_part(x, &j, end - 1);
	if (first < 0 || end > x->s->np) { /* the last part may be smaller */
		add_part(x, &j, 0);
		add_part(x, &j, x->s->np - 1);
	}
	return j;
}

static void load_joins(const struct tile_rows *x, struct tile *t, int64_t *join)
{
	const int64_t np = x->s->np;

	t->joins = (struct joins){ INT64_MAX, -1 };
	t->join = join;
	if (x->join)
		t->joins = tile_joins(x, t->left, t->left + t->count);
	t->joining = t->joins.last >= x->row;
	if (!t->joining)
		return;
	if (t->left >= 0 && t->left + t->count <= np) {
		t->join = x->join + t->left;
		t->joins = tile_joins_of(t->join, t->count);
	} else {
		t->joins = (struct joins){ INT64_MAX, -1 };
		for (int i = 0; i < t->count; i++) {
			const int64_t role = t->left + i;
			const bool inside = role >= 0 && role < np;

			join[i] = inside                 ? x->join[role]
				  : x->stencil->periodic ? x->join[(role % np + np) % np]
							 : 0;
			if (inside || x->stencil->periodic)
				t->joins.first = smaller(t->joins.first, join[i]);
			t->joins.last = join[i] > t->joins.last ? join[i] : t->joins.last;
		}
	}
	t->joining = t->joins.last >= x->row;
}

/* How many rows of a tile end before any role dies or stops, wherever its roles are. */
static int failure_free_rows_of(const struct tile_rows *x, const struct tile *t)
{
	double least = INFINITY, most = x->join ? x->again : 0;
	int rows = 0;

	if (x->failure_free >= INFINITY)
		return x->rows;
	line_bounds(t->end, t->count, &least, &most);
	most = x->barrier && x->at > most ? x->at : most;
	while (rows < x->rows && (most += x->enter[rows] + x->work + x->message) <= x->failure_free)
		rows++;
	return rows;
}

/* How many rows can be done at once from row k on, since none of its roles goes on in them (*idle),
 * or since all do, and none dies or stops; 0 or 1: only one. */
static int rows_at_once(const struct tile_rows *x, const struct tile *t, int k, bool *idle)
{
	const int64_t row = x->row + k;

	*idle = t->joining && t->joins.first > row;
	if (t->special)
		return 0;
	if (*idle)
		return (int)smaller(t->joins.first - row, x->rows - k);
	if ((t->joining && t->joins.last >= row) || (x->barrier && k == 0) || x->s->np < 4)
		return 0;
	return t->failure_free - k;
}

static void narrow(struct tile *t, int rows)
{
	t->count -= 2 * rows;
	t->left += rows;
	t->join += rows;
}

static void swap(struct tile *t)
{
	double *done = t->end;

	t->end = t->next;
	t->next = done;
}

/* `rows` rows from row k on, in which all roles go on, and none dies or stops. */
static void jump(const struct tile_rows *x, struct tile *t, int k, int rows)
{
	const int64_t ends[] = { -t->left, x->s->np - 1 - t->left };
	double before = 0;

	for (int i = 0; i < rows; i++)
		before += x->enter[k + i] + x->work;
	for (int i = 0; i < 2 && !x->stencil->periodic; i++)
		if (ends[i] >= 0 && ends[i] < t->count)
			t->end[ends[i]] -= x->less[k];
	tiles_jump(t->end, t->next, t->count - 2 * rows, rows, before, x->message);
	narrow(t, rows);
	swap(t);
	tile_clear_outside(x, t, t->end);
}

static void go_through(const struct tile_rows *x, struct tile *t)
{
	for (int k = 0; k < x->rows && (t->past < t->width || t->special);) {
		bool idle;
		const int rows = rows_at_once(x, t, k, &idle);

		if (idle && rows > 0) {
			t->end += rows;
			narrow(t, rows);
		} else if (rows > 1) {
			jump(x, t, k, rows);
		} else {
			tile_rows_do(x, t, t->special, k);
			swap(t);
		}
		k += rows > 1 || (idle && rows > 0) ? rows : 1;
	}
}

static bool is_special(const struct tile_rows *x, int64_t first, int width)
{
	for (int64_t i = first; x->special && i < first + width; i += tile_sizes.part)
		if (x->special[i / tile_sizes.part] >= x->row)
			return true;
	return false;
}

static bool do_parts(const struct tile_rows *x, int64_t first, int width, struct totals *totals);

bool tile_do(const struct tile_rows *x, int64_t first, int width, struct totals *totals)
{
	double a[TILE_ROOM], b[TILE_ROOM], start[TILE_ROOM];
	struct tile t = { .totals = totals,
			  .first = first,
			  .left = first - x->rows,
			  .width = width,
			  .count = width + 2 * x->rows,
			  .end = a,
			  .start = start,
			  .next = b };
	struct tile_copies copies;
	int64_t join[TILE_ROOM];
	bool idle;

	line_load(t.end, x->from, x->s->np, x->stencil->periodic, t.left, t.count);
	load_joins(x, &t, join);
	t.special = is_special(x, first, width);
	for (int i = 0; i < width; i++)
		t.past += x->s->past[first + i];
	t.failure_free = t.past > 0 || t.special ? 0 : failure_free_rows_of(x, &t);
	if (width > tile_sizes.part && (t.past < width || t.special) &&
	    rows_at_once(x, &t, 0, &idle) < x->rows)
		return do_parts(x, first, width, totals);
	if (t.special)
		tile_copies_load(x, &t, &copies);
	go_through(x, &t);
	if (t.special)
		tile_copies_store(x, &t);
	if (t.past == width && !t.special) {
		tile_fill(x->to, first, width);
		return true;
	}
	memcpy(x->to + first, t.end + (first - t.left), (size_t)width * sizeof *t.end);
	return false;
}

static bool do_parts(const struct tile_rows *x, int64_t first, int width, struct totals *totals)
{
	bool ended = true;

	for (int i = 0; i < width; i += tile_sizes.part)
		ended &= tile_do(x, first + i,
				 width - i < tile_sizes.part ? width - i : tile_sizes.part, totals);
	return ended;
}
