/* How the motion of the nodes changes the elements: volumes, extents, rates of expansion, and the
 * gradients of velocity that the artificial viscosity needs. */
#include "kernels/lulesh/batch.h"
#include "kernels/lulesh/element.h"

static const double TINY = 1e-36;

/* Relative rate of expansion at the middle of the step; moves the corners x[] back to it. */
static inline lanes expansion(lanes (*x)[8], lanes (*v)[8], double dt)
{
	lanes b[3][8], jacobian, rate = lanes_broadcast(0);

	for (int a = 0; a < AXES; a++)
		for (int c = 0; c < CORNERS; c++)
			x[a][c] -= 0.5 * dt * v[a][c];
	jacobian = shape_derivatives(x, b);
	for (int a = 0; a < AXES; a++)
		rate += (b[a][0] * (v[a][0] - v[a][6]) + b[a][1] * (v[a][1] - v[a][7]) +
			 b[a][2] * (v[a][2] - v[a][4]) + b[a][3] * (v[a][3] - v[a][5]));
	return rate / jacobian;
}

/* Difference of the means over the two faces of an element across each axis: along x the corners
 * 1, 2, 5, 6 against 0, 3, 4, 7, and so on. */
static inline void across(const lanes f[CORNERS], lanes d[AXES])
{
	d[0] = 0.25 * ((f[1] + f[2] + f[6] + f[5]) - (f[0] + f[3] + f[7] + f[4]));
	d[1] = 0.25 * ((f[3] + f[2] + f[6] + f[7]) - (f[0] + f[1] + f[5] + f[4]));
	d[2] = 0.25 * ((f[4] + f[5] + f[6] + f[7]) - (f[0] + f[1] + f[2] + f[3]));
}

static inline void gradients(struct kernel_state *s, const struct batch *batch, lanes (*x)[8],
			     lanes (*v)[8], lanes volume)
{
	lanes dx[AXES][AXES], dv[AXES][AXES]; /* [component][axis] */
	lanes norm = 1 / (volume + TINY);

	for (int a = 0; a < AXES; a++) {
		across(x[a], dx[a]);
		across(v[a], dv[a]);
	}
	for (int axis = 0; axis < AXES; axis++) {
		int p = (axis + 1) % 3, r = (axis + 2) % 3;
		lanes square = lanes_broadcast(0), delv = square;

		for (int a = 0; a < AXES; a++) {
			int b = (a + 1) % 3, c = (a + 2) % 3;
			lanes area = dx[b][p] * dx[c][r] - dx[c][p] * dx[b][r];

			square += area * area;
			delv += area * norm * dv[a][axis];
		}
		lanes_store(s->gradient[axis].delx + batch->element,
			    volume / lanes_sqrt(square + TINY), batch->count);
		lanes_store(s->gradient[axis].delv + batch->element, delv, batch->count);
	}
}

static inline int batch_kinematics(struct kernel_state *s, const struct batch *b,
				   const int64_t offset[CORNERS])
{
	const int64_t e = b->element;
	lanes x[3][8], v[3][8], volume, relative, volume0 = lanes_load(s->volume0 + e);

	for (int a = 0; a < AXES; a++) {
		gather(s->pos_next[a], b, offset, x[a]);
		gather(s->vel_next[a], b, offset, v[a]);
	}
	volume = element_volume(x);
	relative = volume / volume0;
	lanes_store(s->volume_next + e, relative, b->count);
	lanes_store(s->length + e, element_length(x, volume), b->count);
	gradients(s, b, x, v, volume0 * relative);
	lanes_store(s->dvdt + e, expansion(x, v, s->next.dt), b->count);
	return batch_check(s, b, "new relative volume", ~(relative > 0), relative);
}

int calc_kinematics(struct kernel_state *s)
{
	int64_t offset[CORNERS];

	corner_offsets(s, offset);
	for (struct batch b = batch_at(s, 0); b.count > 0; b = batch_at(s, b.element + b.count))
		RB_TRY(batch_kinematics(s, &b, offset));
	return RB_OK;
}
