/* Monotonic artificial viscosity: gradients of velocity, limited by those of the neighbours. */
#include "kernels/lulesh/domain.h"

#include <string.h>

static const double TINY = 1e-36, LIMITER = 2.0, SLOPE_MAX = 1.0;
static const double Q_LINEAR = 0.5, Q_QUADRATIC = 2.0 / 3.0, Q_STOP = 1e12;

/* Velocity differences of a row of elements and of their neighbours along an axis. */
struct neighbours {
	const double *delv, *delx, *below, *above;
};

/* Along y or z the neighbours of a row are rows: at +- stride elements, or at `face` of a layer
 * received. Beyond a symmetry plane lies the mirror image; beyond the free surface the layer
 * remains 0. */
static struct neighbours rows_beside(const struct kernel_state *s, int axis, int64_t e, int64_t at,
				     int64_t stride, int64_t face)
{
	const struct gradient *g = &s->gradient[axis];
	struct neighbours n = { g->delv + e, g->delx + e, g->below + face, g->above + face };

	if (at > 0)
		n.below = n.delv - stride;
	else if (s->at[axis] == 0)
		n.below = n.delv;
	if (at < s->edge - 1)
		n.above = n.delv + stride;
	return n;
}

/* Along x they are in the row itself, but for the two at its ends. */
static struct neighbours row_with_ends(const struct kernel_state *s, int64_t e, int64_t face)
{
	const struct gradient *g = &s->gradient[0];
	double *row = s->row.delv;

	row[0] = s->at[0] > 0 ? g->below[face] : g->delv[e];
	memcpy(row + 1, g->delv + e, (size_t)s->edge * sizeof *row);
	row[s->edge + 1] = g->above[face];
	return (struct neighbours){ g->delv + e, g->delx + e, row, row + 2 };
}

/* 1: the gradient is smooth, no viscosity along this axis; 0: full viscosity. */
static inline double limiter(double delv, double below, double above)
{
	double norm = 1 / (delv + TINY), phi;

	below *= norm;
	above *= norm;
	phi = 0.5 * (below + above);
	phi = lesser(phi, lesser(below * LIMITER, above * LIMITER));
	return lesser(greater(phi, 0), SLOPE_MAX);
}

int check_viscosity(struct kernel_state *s)
{
	int bad = 0;

	for (int64_t e = 0; e < s->elements; e++)
		bad |= !(s->q[e] <= Q_STOP);
	for (int64_t e = 0; bad; e++)
		if (!(s->q[e] <= Q_STOP))
			return in_trouble(s, "artificial viscosity", e, s->q[e]);
	return RB_OK;
}

void calc_viscosity(struct kernel_state *s, int64_t j, int64_t k)
{
	const int64_t n = s->edge, first = first_of_row(s, j, k);
	const struct neighbours axis[AXES] = { row_with_ends(s, first, k * n + j),
					       rows_beside(s, 1, first, j, n, k * n),
					       rows_beside(s, 2, first, k, n * n, j * n) };
	const double *mass = s->mass + first, *volume0 = s->volume0 + first;
	const double *volume = s->volume_next + first, *dvdt = s->dvdt + first;
	double *q_linear = s->row.q_linear, *q_quadratic = s->row.q_quadratic;

#pragma omp simd
	for (int64_t i = 0; i < n; i++) {
		double density = mass[i] / (volume0[i] * volume[i]);
		double linear = 0, quadratic = 0;

		for (int a = 0; a < AXES; a++) {
			double delv = axis[a].delv[i];
			double phi = limiter(delv, axis[a].below[i], axis[a].above[i]);
			double jump = lesser(delv * axis[a].delx[i], 0);

			linear += jump * (1 - phi);
			quadratic += jump * jump * (1 - phi * phi);
		}
		linear = dvdt[i] <= 0 ? linear : 0;
		quadratic = dvdt[i] <= 0 ? quadratic : 0;
		q_linear[i] = -Q_LINEAR * density * linear;
		q_quadratic[i] = Q_QUADRATIC * density * quadratic;
	}
}
