/* Forces on nodes: stress and hourglass control, an element at a time. */
#include "kernels/lulesh/domain.h"
#include "kernels/lulesh/element.h"

#include <string.h>

static const double HOURGLASS = 3.0;

/* The four hourglass modes of a hexahedron (Flanagan and Belytschko). */
static const double gamma_mode[4][CORNERS] = {
	{ 1, 1, -1, -1, -1, -1, 1, 1 },
	{ 1, -1, -1, 1, -1, 1, 1, -1 },
	{ 1, -1, 1, -1, 1, -1, 1, -1 },
	{ -1, 1, -1, 1, 1, -1, 1, -1 },
};

/* A quarter of the area vector of a face goes to each of its corners. */
static inline void add_face(double (*x)[8], double (*normal)[8], int c0, int c1, int c2, int c3)
{
	double u[3], v[3];

	for (int a = 0; a < 3; a++) {
		u[a] = 0.5 * (x[a][c3] + x[a][c2] - x[a][c1] - x[a][c0]);
		v[a] = 0.5 * (x[a][c2] + x[a][c1] - x[a][c3] - x[a][c0]);
	}
	for (int a = 0; a < 3; a++) {
		int p = (a + 1) % 3, r = (a + 2) % 3;
		double area = 0.25 * (u[p] * v[r] - u[r] * v[p]);

		normal[a][c0] += area;
		normal[a][c1] += area;
		normal[a][c2] += area;
		normal[a][c3] += area;
	}
}

/* The stress is isotropic, -p - q, and acts along the corner normals. */
static inline void stress(double (*x)[8], double sigma, double (*f)[8])
{
	double normal[3][8];

	memset(normal, 0, sizeof normal);
	add_face(x, normal, 0, 1, 2, 3);
	add_face(x, normal, 0, 4, 5, 1);
	add_face(x, normal, 1, 5, 6, 2);
	add_face(x, normal, 2, 6, 7, 3);
	add_face(x, normal, 3, 7, 4, 0);
	add_face(x, normal, 4, 7, 6, 5);
	for (int a = 0; a < 3; a++)
		for (int c = 0; c < CORNERS; c++)
			f[a][c] = -sigma * normal[a][c];
}

/* Derivative of the volume with respect to one corner, along the axis that follows p and r
 * cyclically; n0..n5 are the corners around it. */
static inline double volume_derivative(const double *p, const double *r, int n0, int n1, int n2,
				       int n3, int n4, int n5)
{
	const double twelfth = 1.0 / 12;

	return ((p[n1] + p[n2]) * (r[n0] + r[n1]) - (p[n0] + p[n1]) * (r[n1] + r[n2]) +
		(p[n0] + p[n4]) * (r[n3] + r[n4]) - (p[n3] + p[n4]) * (r[n0] + r[n4]) -
		(p[n2] + p[n5]) * (r[n3] + r[n5]) + (p[n3] + p[n5]) * (r[n2] + r[n5])) *
	       twelfth;
}

static inline void volume_derivatives(double (*x)[8], double (*dv)[8])
{
	for (int a = 0; a < 3; a++) {
		const double *p = x[(a + 1) % 3], *r = x[(a + 2) % 3];

		dv[a][0] = volume_derivative(p, r, 1, 2, 3, 4, 5, 7);
		dv[a][1] = volume_derivative(p, r, 2, 3, 0, 5, 6, 4);
		dv[a][2] = volume_derivative(p, r, 3, 0, 1, 6, 7, 5);
		dv[a][3] = volume_derivative(p, r, 0, 1, 2, 7, 4, 6);
		dv[a][4] = volume_derivative(p, r, 7, 6, 5, 0, 3, 1);
		dv[a][5] = volume_derivative(p, r, 4, 7, 6, 1, 0, 2);
		dv[a][6] = volume_derivative(p, r, 5, 4, 7, 2, 1, 3);
		dv[a][7] = volume_derivative(p, r, 6, 5, 4, 3, 2, 0);
	}
}

/* Viscous resistance to the modes that change no volume. */
static inline void hourglass(double (*x)[8], double (*v)[8], double volume, double coefficient,
			     double (*f)[8])
{
	double dv[3][8], shape[4][CORNERS];
	const double inverse = 1 / volume;

	volume_derivatives(x, dv);
	for (int g = 0; g < 4; g++) {
		double moment[3] = { 0, 0, 0 };

		for (int a = 0; a < 3; a++)
			for (int c = 0; c < CORNERS; c++)
				moment[a] += x[a][c] * gamma_mode[g][c];
		for (int a = 0; a < AXES; a++)
			moment[a] *= inverse;
		for (int c = 0; c < CORNERS; c++)
			shape[g][c] =
				gamma_mode[g][c] - (dv[0][c] * moment[0] + dv[1][c] * moment[1] +
						    dv[2][c] * moment[2]);
	}
	for (int a = 0; a < 3; a++) {
		double h[4] = { 0, 0, 0, 0 };

		for (int g = 0; g < 4; g++)
			for (int c = 0; c < CORNERS; c++)
				h[g] += shape[g][c] * v[a][c];
		for (int c = 0; c < CORNERS; c++)
			f[a][c] += coefficient * (shape[0][c] * h[0] + shape[1][c] * h[1] +
						  shape[2][c] * h[2] + shape[3][c] * h[3]);
	}
}

static inline int element_force(struct kernel_state *s, int64_t e, int64_t first,
				const int64_t offset[CORNERS])
{
	double x[3][8], v[3][8], f[3][8], b[3][8];
	double volume = s->volume0[e] * s->volume[e];
	double coefficient = -HOURGLASS * 0.01 * s->sound[e] * s->mass[e] / cbrt(volume);

	for (int a = 0; a < AXES; a++) {
		gather(s->pos[a], first, offset, x[a]);
		gather(s->vel[a], first, offset, v[a]);
	}
	stress(x, -s->pressure[e] - s->q[e], f);
	hourglass(x, v, volume, coefficient, f);
	for (int a = 0; a < AXES; a++)
		for (int c = 0; c < CORNERS; c++)
			s->force[a][first + offset[c]] += f[a][c];
	if (!(volume > 0))
		return in_trouble(s, "volume", e, volume);
	volume = shape_derivatives(x, b);
	return volume > 0 ? RB_OK : in_trouble(s, "volume", e, volume);
}

int calc_forces(struct kernel_state *s)
{
	int64_t offset[CORNERS], e = 0;

	corner_offsets(s, offset);
	for (int a = 0; a < AXES; a++)
		memset(s->force[a], 0, (size_t)s->nodes * sizeof *s->force[a]);
	for (int k = 0; k < s->edge; k++)
		for (int j = 0; j < s->edge; j++)
			for (int i = 0; i < s->edge; i++, e++)
				RB_TRY(element_force(s, e, first_corner(s, i, j, k), offset));
	return RB_OK;
}
