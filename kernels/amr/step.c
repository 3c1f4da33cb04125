/* The two parts of an iteration: blocks move, and mass flows. */
#include "kernels/amr/amr.h"
#include "kernels/amr/block.h"

#include <string.h>

struct packing {
	const struct grid *grid;
	const struct layout *from, *to;
	const struct cells *cells;
	int64_t *scratch; /* as long as the side of a block */
};

static int lower(int a, int b)
{
	return a < b ? a : b;
}

/* A block is sent with the lower one of its two resolutions. */
int amr_list_moves(struct items *x, const struct grid *g, const struct layout *from,
		   const struct layout *to, int role)
{
	items_clear(x);
	for (int b = 0; b < grid_blocks(g); b++) {
		const size_t width = (size_t)grid_width(g, lower(from->level[b], to->level[b]));
		const struct item item = {
			from->owner[b], to->owner[b], b, b, 0, width * width, 0
		};

		if (item.source == role || item.receiver == role)
			RB_TRY(items_add(x, &item));
	}
	return RB_OK;
}

/* A side, too. */
int amr_list_faces(struct items *x, const struct grid *g, const struct layout *l, int role)
{
	items_clear(x);
	for (int b = 0; b < grid_blocks(g); b++)
		for (int d = 0; d < SIDES; d++) {
			const int from = grid_neighbour(g, b, d);
			const size_t width =
				(size_t)grid_width(g, lower(l->level[from], l->level[b]));
			const struct item item = {
				l->owner[from], l->owner[b], from, b, d, width, 0
			};

			if (item.source == role || item.receiver == role)
				RB_TRY(items_add(x, &item));
		}
	return RB_OK;
}

static void pack_block(void *ctx, const struct item *item, int64_t *out)
{
	const struct packing *p = ctx;
	const int level = p->from->level[item->from];
	const int64_t *mass = p->cells->mass + p->from->at[item->from];

	if (p->to->level[item->to] < level)
		block_coarsen(mass, grid_width(p->grid, level), out);
	else
		memcpy(out, mass, item->count * sizeof *out);
}

int amr_move(struct kernel_state *s, struct msg *m, const struct layout *from,
	     const struct layout *to)
{
	struct packing p = { &s->grid, from, to, &s->now, NULL };

	RB_TRY(amr_list_moves(&s->moves, &s->grid, from, to, s->role));
	RB_TRY(items_send(&s->moves, m, TAG_BLOCKS, pack_block, &p));
	RB_TRY(amr_room(&s->moved, to->size[s->role]));
	for (size_t i = 0; i < s->moves.count; i++) {
		const struct item *item = &s->moves.list[i];
		const int64_t *in = s->moves.inbox + item->at;

		if (item->receiver != s->role)
			continue;
		if (to->level[item->to] > from->level[item->from])
			block_refine(in, grid_width(&s->grid, from->level[item->from]),
				     s->moved.mass + to->at[item->to]);
		else
			memcpy(s->moved.mass + to->at[item->to], in, item->count * sizeof *in);
	}
	return RB_OK;
}

static void pack_side(void *ctx, const struct item *item, int64_t *out)
{
	const struct packing *p = ctx;
	const int level = p->from->level[item->from], coarser = p->grid->levels - level;
	const int width = grid_width(p->grid, level);
	const int64_t *mass = p->cells->mass + p->from->at[item->from];
	const bool into_coarser = item->count < (size_t)width;

	if (item->direction == WEST)
		block_east(mass, width, coarser, into_coarser ? p->scratch : out);
	else
		block_north(mass, width, coarser, into_coarser ? p->scratch : out);
	if (into_coarser)
		side_coarsen(p->scratch, width, out);
}

/* What comes into a block through one side. */
static void unpack_side(struct kernel_state *s, const struct layout *l, const struct item *item)
{
	const int64_t *in = s->faces.inbox + item->at;

	if (l->level[item->to] > l->level[item->from])
		side_refine(in, (int)item->count, s->side[item->direction]);
	else
		memcpy(s->side[item->direction], in, item->count * sizeof *in);
}

int amr_advance(struct kernel_state *s, struct msg *m, const struct layout *l,
		const struct cells *cells)
{
	struct packing p = { &s->grid, l, l, cells, s->side[WEST] };

	if (s->faces_epoch != l->epoch) {
		s->faces_epoch = -1;
		RB_TRY(amr_list_faces(&s->faces, &s->grid, l, s->role));
		s->faces_epoch = l->epoch;
	}
	RB_TRY(items_send(&s->faces, m, TAG_FLOW, pack_side, &p));
	RB_TRY(amr_room(&s->next, l->size[s->role]));
	for (size_t i = 0; i < s->faces.count; i++) {
		const struct item *item = &s->faces.list[i];
		const int level = l->level[item->to];

		if (item->receiver != s->role)
			continue;
		unpack_side(s, l, item);
		if (item->direction == SIDES - 1) /* the last one of this block */
			block_step(cells->mass + l->at[item->to], grid_width(&s->grid, level),
				   s->grid.levels - level, s->side[WEST], s->side[SOUTH],
				   s->next.mass + l->at[item->to]);
	}
	return RB_OK;
}
