#include "kernels/amr/layout.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

static const double RADIUS = 0.25, WIDTH = 0.0625; /* of the ring, and half of its thickness */
static const double BEGIN_X = 0.4, BEGIN_Y = 0.45; /* where its centre is at first */

/* Morton numbers: x has the even bits. */
static int gather_bits(int b)
{
	int x = 0;

	for (int k = 0; k < 15; k++)
		x |= (b >> 2 * k & 1) << k;
	return x;
}

static int spread_bits(int x)
{
	int b = 0;

	for (int k = 0; k < 15; k++)
		b |= (x >> k & 1) << 2 * k;
	return b;
}

int grid_neighbour(const struct grid *g, int b, int direction)
{
	int x = gather_bits(b), y = gather_bits(b >> 1);

	x = direction == WEST ? (x + g->side - 1) % g->side : x;
	y = direction == SOUTH ? (y + g->side - 1) % g->side : y;
	return spread_bits(x) | spread_bits(y) << 1;
}

static double finest(const struct grid *g)
{
	return 1.0 / ((double)g->side * grid_width(g, g->levels));
}

/* How far it is along one axis, the shorter way round. */
static double apart(double a, double b)
{
	double d = fabs(a - b);

	d -= floor(d);
	return d < 0.5 ? d : 1 - d;
}

/* From the middle of the ring's rim to a point. */
static double from_rim(const struct grid *g, int64_t steps, double x, double y)
{
	const double h = finest(g), moved = (double)steps * h;
	const double dx = apart(x, BEGIN_X + moved / (1 << AMR_SHIFT_X)),
		     dy = apart(y, BEGIN_Y + moved / (1 << AMR_SHIFT_Y));

	return fabs(sqrt(dx * dx + dy * dy) - RADIUS);
}

int layout_init(struct layout *l, const struct grid *g, int np)
{
	const size_t n = (size_t)grid_blocks(g);

	l->epoch = -1;
	l->level = malloc(n * sizeof *l->level);
	l->owner = malloc(n * sizeof *l->owner);
	l->at = malloc(n * sizeof *l->at);
	l->size = malloc((size_t)np * sizeof *l->size);
	return l->level && l->owner && l->at && l->size ? RB_OK : RB_ENOMEM;
}

void layout_free(struct layout *l)
{
	free(l->level);
	free(l->owner);
	free(l->at);
	free(l->size);
}

/* The ring must be at the highest level during the whole epoch. Neighbours' centres are one block
 * apart, and the level falls by one for a little more than that, so their levels differ by one at
 * most. */
static int level_of(const struct grid *g, int b, int64_t epoch)
{
	const double block = 1.0 / g->side,
		     reach = 0.71 * block + WIDTH + (double)g->regrid * finest(g);
	const double x = (gather_bits(b) + 0.5) * block, y = (gather_bits(b >> 1) + 0.5) * block;
	const double beyond = from_rim(g, epoch * g->regrid, x, y) - reach;
	const int fall = beyond > 0 ? (int)ceil(beyond / (1.01 * block)) : 0;

	return fall < g->levels ? g->levels - fall : 0;
}

void layout_make(struct layout *l, const struct grid *g, int np, int64_t epoch)
{
	const int blocks = grid_blocks(g);
	int64_t all = 0, before = 0;

	l->epoch = epoch;
	for (int r = 0; r < np; r++)
		l->size[r] = 0;
	for (int b = 0; b < blocks; b++) {
		l->level[b] = (uint8_t)level_of(g, b, epoch);
		all += (int64_t)1 << 2 * l->level[b];
	}
	for (int b = 0; b < blocks; b++) {
		const int64_t weight = (int64_t)1 << 2 * l->level[b];
		const size_t width = (size_t)grid_width(g, l->level[b]);

		/* where its middle falls */
		l->owner[b] = (int32_t)((2 * before + weight) * np / (2 * all));
		l->at[b] = l->size[l->owner[b]];
		l->size[l->owner[b]] += width * width;
		before += weight;
	}
}

void layout_exact(const struct grid *g, int b, int level, int64_t steps, int64_t *mass)
{
	const int width = grid_width(g, level);
	const double block = 1.0 / g->side, h = block / width;
	const double x0 = gather_bits(b) * block, y0 = gather_bits(b >> 1) * block;
	const int64_t unit = AMR_UNIT << 2 * (g->levels - level);

	for (int j = 0; j < width; j++)
		for (int i = 0; i < width; i++) {
			const double r =
				from_rim(g, steps, x0 + (i + 0.5) * h, y0 + (j + 0.5) * h) / WIDTH;
			const double rest = r < 1 ? 1 - r * r : 0;

			mass[j * width + i] = unit + (int64_t)((double)unit * rest * rest * rest);
		}
}

double layout_bound(const struct grid *g, int64_t steps)
{
	const double pi = 3.14159265358979323846, h = finest(g);
	/* of (1 - r^2)^3 at its steepest; it is that steep four times */
	const double slope = 6 / sqrt(5) * 0.64;
	const double second = 2 * pi * ((RADIUS + WIDTH) * 4 * slope / WIDTH + 2);
	const double a = 1.0 / (1 << AMR_SHIFT_X), b = 1.0 / (1 << AMR_SHIFT_Y);

	return (double)steps * h * h * second * (a * (1 - a) / 2 + b * (1 - b) / 2 + a * b);
}
