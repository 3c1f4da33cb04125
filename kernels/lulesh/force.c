/* Forces on nodes: stress and hourglass control, a batch of elements at a time. */
#include "kernels/lulesh/batch.h"
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
static inline void add_face(lanes (*x)[8], lanes (*normal)[8], int c0, int c1, int c2, int c3)
{
	lanes u[3], v[3];

	for (int a = 0; a < 3; a++) {
		u[a] = 0.5 * (x[a][c3] + x[a][c2] - x[a][c1] - x[a][c0]);
		v[a] = 0.5 * (x[a][c2] + x[a][c1] - x[a][c3] - x[a][c0]);
	}
	for (int a = 0; a < 3; a++) {
		int p = (a + 1) % 3, r = (a + 2) % 3;
		lanes area = 0.25 * (u[p] * v[r] - u[r] * v[p]);

		normal[a][c0] += area;
		normal[a][c1] += area;
		normal[a][c2] += area;
		normal[a][c3] += area;
	}
}

/* The stress is isotropic, -p - q, and acts along the corner normals. */
static inline void stress(lanes (*x)[8], lanes sigma, lanes (*f)[8])
{
	lanes normal[3][8];

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
static inline lanes volume_derivative(const lanes *p, const lanes *r, int n0, int n1, int n2,
				      int n3, int n4, int n5)
{
	const double twelfth = 1.0 / 12;

	return ((p[n1] + p[n2]) * (r[n0] + r[n1]) - (p[n0] + p[n1]) * (r[n1] + r[n2]) +
		(p[n0] + p[n4]) * (r[n3] + r[n4]) - (p[n3] + p[n4]) * (r[n0] + r[n4]) -
		(p[n2] + p[n5]) * (r[n3] + r[n5]) + (p[n3] + p[n5]) * (r[n2] + r[n5])) *
	       twelfth;
}

static inline void volume_derivatives(lanes (*x)[8], lanes (*dv)[8])
{
	for (int a = 0; a < 3; a++) {
		const lanes *p = x[(a + 1) % 3], *r = x[(a + 2) % 3];

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
static inline void hourglass(lanes (*x)[8], lanes (*v)[8], lanes volume, lanes coefficient,
			     lanes (*f)[8])
{
	lanes dv[3][8], shape[4][CORNERS];
	const lanes inverse = 1 / volume, none = lanes_broadcast(0);

	volume_derivatives(x, dv);
	for (int g = 0; g < 4; g++) {
		lanes moment[3] = { none, none, none };

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
		lanes h[4] = { none, none, none, none };

		for (int g = 0; g < 4; g++)
			for (int c = 0; c < CORNERS; c++)
				h[g] += shape[g][c] * v[a][c];
		for (int c = 0; c < CORNERS; c++)
			f[a][c] += coefficient * (shape[0][c] * h[0] + shape[1][c] * h[1] +
						  shape[2][c] * h[2] + shape[3][c] * h[3]);
	}
}

static inline int batch_force(struct kernel_state *s, const struct batch *b,
			      const int64_t offset[CORNERS])
{
	const int64_t e = b->element;
	lanes x[3][8], v[3][8], f[3][8], shape[3][8], jacobian;
	lanes volume = lanes_load(s->volume0 + e) * lanes_load(s->volume + e);
	lanes coefficient = -HOURGLASS * 0.01 * lanes_load(s->sound + e) * lanes_load(s->mass + e) *
			    lanes_inverse_cbrt(volume);

	for (int a = 0; a < AXES; a++) {
		gather(s->pos[a], b, offset, x[a]);
		gather(s->vel[a], b, offset, v[a]);
	}
	stress(x, -lanes_load(s->pressure + e) - lanes_load(s->q + e), f);
	hourglass(x, v, volume, coefficient, f);
	for (int a = 0; a < AXES; a++)
		scatter_add(s->force[a], b, offset, f[a]);
	jacobian = shape_derivatives(x, shape);
	return batch_check(s, b, "volume", ~(volume > 0) | ~(jacobian > 0),
			   lanes_select(volume > 0, jacobian, volume));
}

int calc_forces(struct kernel_state *s)
{
	int64_t offset[CORNERS];

	corner_offsets(s, offset);
	for (int a = 0; a < AXES; a++)
		memset(s->force[a], 0, (size_t)s->nodes * sizeof *s->force[a]);
	for (struct batch b = batch_at(s, 0); b.count > 0; b = batch_at(s, b.element + b.count))
		RB_TRY(batch_force(s, &b, offset));
	return RB_OK;
}
