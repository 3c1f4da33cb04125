/* From forces to velocities and positions of the nodes. */
#include "kernels/lulesh/domain.h"

#include <math.h>

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
