/* sim/fast/tile_rows.h - the rows of a stencil in one dimension, tile by tile, where something of a failure is left (private to
 * sim/fast).
 *
 * Behind a repair that has stopped everybody, each role goes on in an iteration of its own. In the iterations before that it
 * sends nothing, but what it has sent in them earlier counts as sent when the repair was over. */
#ifndef SIM_FAST_TILE_ROWS_H
#define SIM_FAST_TILE_ROWS_H

#include "kernels/stencil_pattern.h"
#include "sim/fast/state.h"
#include "sim/fast/tiles.h"

enum { TILE_ROOM = TILE_WIDTH + 2 * STRETCH_ROWS };

/* What is known of a tile. */
enum tile_state {
	TILE_GOES_ON,
	TILE_ENDED, /* all its roles are past: no message of theirs matters any more */
	TILE_FILLED, /* and both arrays say so */
	TILE_WAITS,  /* none of its roles goes on yet, and both arrays have their times */
};

struct tile_rows {
	struct state *s;
	const struct stencil_pattern *stencil;
	const double *from;  /* when roles have ended their last iteration; INFINITY: when the others stop, or later */
	double *to;
	unsigned char *tile; /* enum tile_state */
	int *dead;           /* roles */
	int deaths;
	int64_t begin, row;  /* the first row of all; the first of a stretch */
	int rows;
	bool barrier;        /* before the first row */
	double at;           /* when the barrier is passed */
	double stop, message, work, checkpoint;
	double quiet;        /* no role dies or stops by then */
	double enter[STRETCH_ROWS], less[STRETCH_ROWS]; /* before the program of a row; how much less it is at the borders of the grid */
	bool due[STRETCH_ROWS];
	struct totals *t;
	/* Behind a repair: */
	const int64_t *join; /* np: in which iteration the roles go on; NULL: all have */
	struct joins {
		int64_t first, last;
	} *joins;            /* by part of a tile: when its first and its last role go on */
	double again;        /* when the repair is over, and what was sent earlier counts as sent */
	bool *special;       /* by part of a tile: some of its roles, or of those beside it, have duplicates or get messages from
			      * them; NULL: none */
	const struct program *program; /* with `special` */
	uint32_t *gap;       /* np, with `special`: the number of the first gap of each receiver, from 1 on; 0: it has none */
	double *copy, *copy_to; /* np: when duplicates have ended their last iteration; at the end of a stretch */
};

/* A tile, or a part of one, on its way through the rows of a stretch. */
struct tile {
	struct totals *totals;
	int64_t first, left; /* its first role; the role at index 0 of the arrays */
	int width, count;    /* roles of the tile; numbers in the arrays */
	int past;
	bool special;        /* as in `special` above */
	int quiet;           /* so many rows end before any role dies or stops */
	bool joining;        /* some of its roles, or of those beside it, go on in the first row or later */
	struct joins joins;  /* when the first and the last one do so; INT64_MAX and -1: none does */
	const int64_t *join;
	double *end, *start, *next;
	double *copy, *copy_start; /* of a special tile. Duplicates send what they have to when they start */
};

static inline bool tile_is_border(const struct tile_rows *x, int64_t role)
{
	return !x->stencil->periodic && (role == 0 || role == x->s->np - 1);
}

static inline int64_t tile_tick(double t)
{
	return t < (double)LATER ? (int64_t)t : LATER;
}

/* Row number k of the stretch. special: as in x->special. */
void tile_rows_do(const struct tile_rows *x, struct tile *t, bool special, int k);
/* Roles beyond the ends of a line send nothing: a is t->end or t->next. */
void tile_clear_outside(const struct tile_rows *x, const struct tile *t, double *a);
/* All rows of a stretch. Returns whether all roles of the tile are past, and their duplicates have ended. */
bool tile_do(const struct tile_rows *x, int64_t first, int width, struct totals *totals);
/* When roles of a part go on. */
struct joins tile_joins_of(const int64_t *join, int64_t count);
/* When roles go on of the parts that these roles are in: no later and no earlier than the first and the last of them. */
struct joins tile_joins(const struct tile_rows *x, int64_t first, int64_t end);
/* These roles are past. */
void tile_fill(double *to, int64_t first, int width);

/* The decision of the last repair has duplicates or messages that are in no log: set up what is needed for them. RB_OK,
 * RB_ENOMEM, RB_EINVAL. tile_copies_free() in any case. */
int tile_copies_init(struct tile_rows *x, struct rb_error *err);
void tile_copies_free(struct tile_rows *x);
/* Of a special tile: copy when duplicates have ended to its array before a stretch, and back behind it. */
void tile_copies_load(const struct tile_rows *x, struct tile *t);
void tile_copies_store(const struct tile_rows *x, const struct tile *t);

#endif
