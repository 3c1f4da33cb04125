/* Monotonic artificial viscosity: gradients of velocity, limited by those of the neighbours. */
#include "kernels/lulesh/domain.h"
#include "kernels/lulesh/element.h"

static const double TINY = 1e-36, LIMITER = 2.0, SLOPE_MAX = 1.0;
static const double Q_LINEAR = 0.5, Q_QUADRATIC = 2.0 / 3.0, Q_STOP = 1e12;

/* Difference of the means over the two faces of an element across each axis: along x the corners
 * 1, 2, 5, 6 against 0, 3, 4, 7, and so on. */
static inline void across(const double f[CORNERS], double d[AXES])
{
	d[0] = 0.25 * ((f[1] + f[2] + f[6] + f[5]) - (f[0] + f[3] + f[7] + f[4]));
	d[1] = 0.25 * ((f[3] + f[2] + f[6] + f[7]) - (f[0] + f[1] + f[5] + f[4]));
	d[2] = 0.25 * ((f[4] + f[5] + f[6] + f[7]) - (f[0] + f[1] + f[2] + f[3]));
}

static inline void element_gradient(struct kernel_state *s, int64_t e, int64_t first,
				    const int64_t offset[CORNERS])
{
	double corner[CORNERS], dx[AXES][AXES], dv[AXES][AXES]; /* [component][axis] */
	double volume = s->volume0[e] * s->volume_next[e], norm = 1 / (volume + TINY);

	for (int a = 0; a < AXES; a++) {
		gather(s->pos_next[a], first, offset, corner);
		across(corner, dx[a]);
		gather(s->vel_next[a], first, offset, corner);
		across(corner, dv[a]);
	}
	for (int axis = 0; axis < AXES; axis++) {
		int p = (axis + 1) % 3, r = (axis + 2) % 3;
		double square = 0, delv = 0;

		for (int a = 0; a < AXES; a++) {
			int b = (a + 1) % 3, c = (a + 2) % 3;
			double area = dx[b][p] * dx[c][r] - dx[c][p] * dx[b][r];

			square += area * area;
			delv += area * norm * dv[a][axis];
		}
		s->gradient[axis].delx[e] = volume / sqrt(square + TINY);
		s->gradient[axis].delv[e] = delv;
	}
}

void calc_gradients(struct kernel_state *s)
{
	int64_t offset[CORNERS], e = 0;

	corner_offsets(s, offset);
	for (int k = 0; k < s->edge; k++)
		for (int j = 0; j < s->edge; j++)
			for (int i = 0; i < s->edge; i++, e++)
				element_gradient(s, e, first_corner(s, i, j, k), offset);
}

/* Velocity difference of the neighbour below or above along an axis. Beyond a symmetry plane lies
 * the mirror image, beyond the free surface nothing; face: index in the layer received. */
static inline double neighbour_below(const struct kernel_state *s, int axis, int64_t e, int at,
				     int64_t stride, int64_t face)
{
	const struct gradient *g = &s->gradient[axis];

	if (at > 0)
		return g->delv[e - stride];
	return s->at[axis] > 0 ? g->below[face] : g->delv[e];
}

static inline double neighbour_above(const struct kernel_state *s, int axis, int64_t e, int at,
				     int64_t stride, int64_t face)
{
	const struct gradient *g = &s->gradient[axis];

	if (at < s->edge - 1)
		return g->delv[e + stride];
	return s->at[axis] < s->side - 1 ? g->above[face] : 0;
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

static inline void element_viscosity(struct kernel_state *s, int64_t e, const int ijk[AXES])
{
	int64_t n = s->edge, stride[AXES] = { 1, n, n * n };
	int64_t face[AXES] = { ijk[2] * n + ijk[1], ijk[2] * n + ijk[0], ijk[1] * n + ijk[0] };
	double density = s->mass[e] / (s->volume0[e] * s->volume_next[e]);
	double linear = 0, quadratic = 0;

	for (int a = 0; a < AXES && s->dvdt[e] <= 0; a++) {
		double delv = s->gradient[a].delv[e];
		double phi = limiter(delv, neighbour_below(s, a, e, ijk[a], stride[a], face[a]),
				     neighbour_above(s, a, e, ijk[a], stride[a], face[a]));
		double jump = lesser(delv * s->gradient[a].delx[e], 0);

		linear += jump * (1 - phi);
		quadratic += jump * jump * (1 - phi * phi);
	}
	s->q_linear[e] = -Q_LINEAR * density * linear;
	s->q_quadratic[e] = Q_QUADRATIC * density * quadratic;
}

int check_viscosity(struct kernel_state *s)
{
	for (int64_t e = 0; e < s->elements; e++)
		if (!(s->q[e] <= Q_STOP))
			return in_trouble(s, "artificial viscosity", e, s->q[e]);
	return RB_OK;
}

void calc_viscosity(struct kernel_state *s)
{
	int64_t e = 0;
	int ijk[AXES];

	for (ijk[2] = 0; ijk[2] < s->edge; ijk[2]++)
		for (ijk[1] = 0; ijk[1] < s->edge; ijk[1]++)
			for (ijk[0] = 0; ijk[0] < s->edge; ijk[0]++, e++)
				element_viscosity(s, e, ijk);
}
