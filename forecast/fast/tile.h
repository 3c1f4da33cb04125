/* forecast/fast/tile.h - tiles of a stencil in one dimension, where something of a failure is left
 * (private to forecast/fast). */
#ifndef FORECAST_FAST_TILE_H
#define FORECAST_FAST_TILE_H

#include "forecast/pattern/stencil_pattern.h"
#include "forecast/fast/state.h"
#include "forecast/fast/tiles.h"

enum { TILE_ROOM = TILE_WIDTH + 2 * STRETCH_ROWS };

/* What is known of a tile. */
enum tile_state {
	TILE_GOES_ON,
	TILE_ENDED,  /* all its roles are past: no message of theirs matters any more */
	TILE_FILLED, /* and both arrays say so */
	TILE_WAITS,  /* none of its roles goes on yet, and both arrays have their times */
};

struct tile_rows {
	struct state *s;
	const struct stencil_pattern *stencil;
	/* when roles have ended their last iteration; INFINITY: when the others stop, or later */
	const double *from;
	double *to;
	unsigned char *tile; /* enum tile_state */
	int *dead;           /* roles */
	int deaths;
	int64_t begin, row; /* the first row of all; the first of a stretch */
	int rows;
	bool barrier; /* before the first row */
	double at;    /* when the barrier is passed */
	double stop, message, work, checkpoint;
	double failure_free; /* no role dies or stops by then */
	/* before the program of a row; how much less it is at the borders of the grid */
	double enter[STRETCH_ROWS], less[STRETCH_ROWS];
	bool due[STRETCH_ROWS];
	struct totals *t;
	/* Behind a repair: */
	const int64_t *join; /* np: in which iteration the roles go on; NULL: all have */
	struct joins {
		int64_t first, last;
	} *joins;     /* by part of a tile: when its first and its last role go on */
	double again; /* when the repair is over, and what was sent earlier counts as sent */
	/* by part of a tile: the last iteration in which some of its roles, or of those beside it,
	 * have duplicates, or -1; NULL: nobody has one */
	int64_t *special;
	const struct program *program; /* with `special` */
	/* np, with `special`: the number of the first gap of each receiver, from 1 on; 0: it has
	 * none */
	uint32_t *gap;
	/* np: when duplicates have ended their last iteration; at the end of a stretch */
	double *copy, *copy_to;
	bool unlogged; /* nothing is in a log */
};

/* A tile, or a part of one, on its way through the rows of a stretch. */
struct tile {
	struct totals *totals;
	int64_t first, left; /* its first role; the role at index 0 of the arrays */
	int width, count;    /* roles of the tile; numbers in the arrays */
	int past;
	bool special;     /* as in `special` above */
	int failure_free; /* so many rows end before any role dies or stops */
	/* some of its roles, or of those beside it, go on in the first row or later */
	bool joining;
	/* when the first and the last one do so; INT64_MAX and -1: none does */
	struct joins joins;
	const int64_t *join;
	double *end, *start, *next;
	struct tile_copies *copies; /* of a special tile */
	/* the index in the arrays of `copies` of what is at index 0 of the others */
	int shift;
};

/* The duplicates of the roles of a tile, and what is needed for them. */
struct tile_copies {
	bool by_message; /* it matters from which message a role gets what */
	/* when the duplicate has ended its last iteration, or begins */
	double copy[TILE_ROOM];
	/* ticks of a checkpoint that the role has taken already where it goes on behind its
	 * duplicate */
	double late[TILE_ROOM];
	double sent[TILE_ROOM]; /* in this row: to restarted roles and duplicates */
	double kept[TILE_ROOM]; /* to others */
	/* the last iteration of the duplicate; -1: the role has none */
	int64_t last[TILE_ROOM];
	int64_t back[TILE_ROOM]; /* 1: the role goes back; 0 */
};

static inline bool tile_is_border(const struct tile_rows *x, int64_t role)
{
	return !x->stencil->periodic && (role == 0 || role == x->s->np - 1);
}

/* The checkpoint in the iteration in which a role goes on, if it has taken it already; else 0. */
static inline double tile_taken(const struct state *s, int64_t role)
{
	const struct since *x = &s->since;
	const bool taken =
		x->saved[role] >= x->from[role] && model_due(s->m, (int)role, x->from[role]);

	return (double)(taken ? ticks_of(s->m->costs.checkpoint_s) : 0);
}

static inline int64_t tile_tick(double t)
{
	return t < (double)LATER ? (int64_t)t : LATER;
}

/* The first index of a role in the arrays of a tile; more follow in steps of np, if the grid is
 * periodic. */
static inline int64_t tile_index_of(const struct tile_rows *x, const struct tile *t, int role)
{
	const int64_t np = x->s->np, at = role - t->left;

	return x->stencil->periodic ? (at % np + np) % np : at;
}

#endif
