/* forecast/fast/tiles.h - many iterations of a stencil in one dimension at once (private to
 * forecast/fast).
 *
 * With constant work w and messages of m ticks, a role ends iteration i at the maximum of its own
 * end of iteration i - 1 and those of its neighbours + m, + w. So its end behind k iterations is
 * the latest of the ends of the roles up to k away, each + k w and
 * + m for each message on the longest way from there in k steps. A step to a neighbour costs m and
 * a wait for itself nothing, so the longest way has k messages if the distance is even and k is, or
 * both are odd, and k - 1 otherwise. Checkpoints, and what is logged, are the same for all roles
 * and add up. A role at the border of the grid logs less; ways through it are never longer than
 * those beside it, but for those that begin there.
 *
 * The latest of each second role in a row of k is found in about log k passes over the roles. A
 * tile of roles is copied into the cache for this with k roles on both sides, so tiles do not
 * depend on each other, and the result is the same for any number of threads. */
#ifndef FORECAST_FAST_TILES_H
#define FORECAST_FAST_TILES_H

#include "forecast/pattern/stencil_pattern.h"
#include "forecast/fast/point.h"

enum { TILE_WIDTH = 2048, PART_WIDTH = 256, STRETCH_ROWS = 64, TILE_ROWS = 256 };

/* No more than these. Tests make them smaller, so that small cases have many tiles. Set before
 * simulations only. */
extern struct tile_sizes {
	/* where something of a failure is left (forecast/fast/tile_rows.h): a tile; its parts,
	 * which divide it */
	int width, part, rows;
	int failure_free_width, failure_free_rows; /* elsewhere; width: 4 or more */
} tile_sizes;

/* Copy the times of the roles `first`, ... of np to a. Roles beyond the ends are those at the other
 * end if the line is periodic, and at -INFINITY otherwise. */
void line_load(double *a, const double *from, int np, bool periodic, int64_t first, int count);
/* Lower *least and raise *most to the times in a. */
void line_bounds(const double *a, int count, double *least, double *most);
/* Is the model one that tiles can do? */
bool tiles_fit(const struct model *m, const struct log_costs *logs);
/* What comes before the programs of an iteration: of roles with two neighbours, and how much less
 * it is with one. */
int64_t tiles_before(const struct model *m, const struct log_costs *logs, int64_t iter,
		     int64_t *less);
/* Iterations from `row` on, at most `most`, before the next barrier; one before the first of them
 * does not count. */
int tiles_rows(const struct model *m, int64_t row, int64_t most);
/* Roles begin at a[0] and go on by `rows` iterations, without regard to anything beyond a's rows +
 * width + rows: `width` of them end at to[0], ... Their messages of the first iteration are sent at
 * a[] + what comes before it. before: in all iterations. */
void tiles_jump(double *a, double *to, int width, int rows, double before, double message);
/* As failure_free_rows(). */
int64_t tiles_rows_until(const struct model *m, const struct log_costs *logs,
			 const struct point *from, int64_t rows, int64_t at);
/* As failure_free_advance(), by at most TILE_ROWS. */
void tiles_advance(const struct model *m, const struct log_costs *logs, int threads,
		   const struct point *from, struct point *to, int64_t rows);

#endif
