/* kernels/lulesh/element.h - geometry of hexahedra, one per lane, given their eight corners. */
#ifndef KERNELS_LULESH_ELEMENT_H
#define KERNELS_LULESH_ELEMENT_H

#include "kernels/lulesh/lanes.h"

static inline lanes triple(const lanes a[3], const lanes b[3], const lanes c[3])
{
	return a[0] * (b[1] * c[2] - b[2] * c[1]) + b[0] * (a[2] * c[1] - a[1] * c[2]) +
	       c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/* x[axis][corner]: the volume from three triple products of diagonals. */
static inline lanes element_volume(lanes (*x)[8])
{
	lanes d31_72[3], d63[3], d20[3], d43_57[3], d64[3], d70[3], d14_25[3], d61[3], d50[3];

	for (int a = 0; a < 3; a++) {
		d31_72[a] = (x[a][3] - x[a][1]) + (x[a][7] - x[a][2]);
		d63[a] = x[a][6] - x[a][3];
		d20[a] = x[a][2] - x[a][0];
		d43_57[a] = (x[a][4] - x[a][3]) + (x[a][5] - x[a][7]);
		d64[a] = x[a][6] - x[a][4];
		d70[a] = x[a][7] - x[a][0];
		d14_25[a] = (x[a][1] - x[a][4]) + (x[a][2] - x[a][5]);
		d61[a] = x[a][6] - x[a][1];
		d50[a] = x[a][5] - x[a][0];
	}
	return (triple(d31_72, d63, d20) + triple(d43_57, d64, d70) + triple(d14_25, d61, d50)) /
	       12;
}

/* Square of four times the area of a face, from its two bimedians. */
static inline lanes face_area(lanes (*x)[8], int c0, int c1, int c2, int c3)
{
	lanes ff = lanes_broadcast(0), gg = ff, fg = ff;

	for (int a = 0; a < 3; a++) {
		lanes f = (x[a][c2] - x[a][c0]) - (x[a][c3] - x[a][c1]);
		lanes g = (x[a][c2] - x[a][c0]) + (x[a][c3] - x[a][c1]);

		ff += f * f;
		gg += g * g;
		fg += f * g;
	}
	return ff * gg - fg * fg;
}

/* Volume over the largest face: how far sound may travel in a step. */
static inline lanes element_length(lanes (*x)[8], lanes volume)
{
	lanes most = face_area(x, 0, 1, 2, 3);

	most = lanes_max(most, face_area(x, 4, 5, 6, 7));
	most = lanes_max(most, face_area(x, 0, 1, 5, 4));
	most = lanes_max(most, face_area(x, 1, 2, 6, 5));
	most = lanes_max(most, face_area(x, 2, 3, 7, 6));
	most = lanes_max(most, face_area(x, 3, 0, 4, 7));
	return 4 * volume / lanes_sqrt(most);
}

/* Derivatives b[axis][corner] of the shape functions at the centre, times the Jacobian, which is
 * returned as the volume. Only the first four corners are independent. */
static inline lanes shape_derivatives(lanes (*x)[8], lanes (*b)[8])
{
	lanes xi[3], et[3], ze[3];
	lanes volume = lanes_broadcast(0);

	for (int a = 0; a < 3; a++) {
		lanes d60 = x[a][6] - x[a][0], d53 = x[a][5] - x[a][3];
		lanes d71 = x[a][7] - x[a][1], d42 = x[a][4] - x[a][2];

		xi[a] = 0.125 * (d60 + d53 - d71 - d42);
		et[a] = 0.125 * (d60 - d53 + d71 - d42);
		ze[a] = 0.125 * (d60 + d53 + d71 + d42);
	}
	for (int a = 0; a < 3; a++) {
		int p = (a + 1) % 3, r = (a + 2) % 3;
		lanes c_xi = et[p] * ze[r] - et[r] * ze[p];
		lanes c_et = ze[p] * xi[r] - ze[r] * xi[p];
		lanes c_ze = xi[p] * et[r] - xi[r] * et[p];

		b[a][0] = -c_xi - c_et - c_ze;
		b[a][1] = c_xi - c_et - c_ze;
		b[a][2] = c_xi + c_et - c_ze;
		b[a][3] = -c_xi + c_et - c_ze;
		b[a][4] = -b[a][2];
		b[a][5] = -b[a][3];
		b[a][6] = -b[a][0];
		b[a][7] = -b[a][1];
		volume += et[a] * c_et;
	}
	return 8 * volume;
}

#endif
