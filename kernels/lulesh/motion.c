/* From forces to velocities and positions, and the change of the elements. */
#include "kernels/lulesh/domain.h"
#include "kernels/lulesh/element.h"

static const double VELOCITY_CUT = 1e-7;

/* Nodes on a symmetry plane stay on it: without force, their velocity stays 0. */
static void hold_plane(struct kernel_state *s, int axis)
{
	int64_t n = s->edge + 1;
	int64_t stride[AXES] = { 1, n, n * n };
	int64_t u = stride[(axis + 1) % 3], v = stride[(axis + 2) % 3];

	for (int64_t b = 0; b < n; b++)
		for (int64_t a = 0; a < n; a++)
			s->force[axis][a * u + b * v] = 0;
}

void calc_motion(struct kernel_state *s)
{
	double dt = s->next.dt;

	for (int a = 0; a < AXES; a++) {
		const double *pos = s->pos[a], *vel = s->vel[a];
		const double *force = s->force[a], *mass = s->node_mass;
		double *pos_next = s->pos_next[a], *vel_next = s->vel_next[a];

		if (s->at[a] == 0)
			hold_plane(s, a);
#pragma GCC ivdep /* the next buffers are other arrays or, in place, the same element */
		for (int64_t n = 0; n < s->nodes; n++) {
			double v = vel[n] + force[n] / mass[n] * dt;

			v = fabs(v) < VELOCITY_CUT ? 0 : v;
			vel_next[n] = v;
			pos_next[n] = pos[n] + v * dt;
		}
	}
}

/* New volume, extent and rate of expansion; the rate at the middle of the step. */
static inline int element_kinematics(struct kernel_state *s, int64_t e, int64_t first,
				     const int64_t offset[CORNERS])
{
	double x[3][8], v[3][8], b[3][8], volume, jacobian, rate = 0;

	for (int a = 0; a < AXES; a++) {
		gather(s->pos_next[a], first, offset, x[a]);
		gather(s->vel_next[a], first, offset, v[a]);
	}
	volume = element_volume(x);
	s->volume_next[e] = volume / s->volume0[e];
	s->delta_volume[e] = s->volume_next[e] - s->volume[e];
	s->length[e] = element_length(x, volume);
	for (int a = 0; a < AXES; a++)
		for (int c = 0; c < CORNERS; c++)
			x[a][c] -= 0.5 * s->next.dt * v[a][c];
	jacobian = shape_derivatives(x, b);
	for (int a = 0; a < AXES; a++)
		rate += (b[a][0] * (v[a][0] - v[a][6]) + b[a][1] * (v[a][1] - v[a][7]) +
			 b[a][2] * (v[a][2] - v[a][4]) + b[a][3] * (v[a][3] - v[a][5]));
	s->dvdt[e] = rate / jacobian;
	if (!(s->volume_next[e] > 0))
		return in_trouble(s, "new relative volume", e, s->volume_next[e]);
	return RB_OK;
}

int calc_kinematics(struct kernel_state *s)
{
	int64_t offset[CORNERS], e = 0;

	corner_offsets(s, offset);
	for (int k = 0; k < s->edge; k++)
		for (int j = 0; j < s->edge; j++)
			for (int i = 0; i < s->edge; i++, e++)
				RB_TRY(element_kinematics(s, e, first_corner(s, i, j, k), offset));
	return RB_OK;
}
