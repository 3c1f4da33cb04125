#include "kernels/lulesh/halo.h"

#include <stdlib.h>
#include <string.h>

static int neighbour(int side, const int at[3], int axis, int step)
{
	int to[3] = { at[0], at[1], at[2] };

	to[axis] += step;
	if (to[axis] < 0 || to[axis] >= side)
		return -1;
	return (to[2] * side + to[1]) * side + to[0];
}

static size_t plane_size(const struct halo *h)
{
	return (size_t)(h->edge + 1) * (size_t)(h->edge + 1);
}

int halo_init(struct halo *h, int edge, int side, const int at[3])
{
	memset(h, 0, sizeof *h);
	h->edge = edge;
	for (int a = 0; a < 3; a++) {
		h->role[a][0] = neighbour(side, at, a, -1);
		h->role[a][1] = neighbour(side, at, a, 1);
	}
	for (int n = 0; n < SIDES; n++) {
		h->received[n] = malloc(FIELDS * plane_size(h) * sizeof(double));
		if (!h->received[n])
			return RB_ENOMEM;
	}
	return RB_OK;
}

void halo_free(struct halo *h)
{
	for (int n = 0; n < SIDES; n++)
		free(h->received[n]);
	memset(h, 0, sizeof *h);
}

/* A plane across `axis` of a cube of `length` points per side: where it begins, and how far apart
 * its points are along its slow and its fast direction. */
struct plane {
	int64_t first, slow, fast;
};

static struct plane plane_at(int length, int axis, int index)
{
	const int64_t stride[] = { 1, length, (int64_t)length * length };

	return (struct plane){ index * stride[axis], stride[axis == 2 ? 1 : 2],
			       stride[axis == 0 ? 1 : 0] };
}

static void pack(const double *field, int length, struct plane p, double *restrict out)
{
	for (int j = 0; j < length; j++)
		for (int i = 0; i < length; i++)
			*out++ = field[p.first + j * p.slow + i * p.fast];
}

static void add(double *restrict field, int length, struct plane p, const double *restrict in)
{
	for (int j = 0; j < length; j++)
		for (int i = 0; i < length; i++)
			field[p.first + j * p.slow + i * p.fast] += *in++;
}

static int send_planes(struct halo *h, struct msg *m, int axis, int n, int tag,
		       double *const field[FIELDS])
{
	double *out = msg_reserve(m, h->role[axis][n], tag,
				  FIELDS * plane_size(h) * sizeof *out);
	struct plane p = plane_at(h->edge + 1, axis, n ? h->edge : 0);

	for (int f = 0; field && f < FIELDS; f++)
		pack(field[f], h->edge + 1, p, out + (size_t)f * plane_size(h));
	return msg_push(m);
}

static int sum_along(struct halo *h, struct msg *m, int axis, int tag, double *const field[FIELDS])
{
	for (int n = 0; n < SIDES; n++)
		if (h->role[axis][n] >= 0)
			msg_post(m, h->role[axis][n], tag, h->received[n],
				 FIELDS * plane_size(h) * sizeof(double));
	for (int n = 0; n < SIDES; n++)
		if (h->role[axis][n] >= 0)
			RB_TRY(send_planes(h, m, axis, n, tag, field));
	RB_TRY(msg_wait(m));
	for (int n = 0; field && n < SIDES; n++)
		for (int f = 0; h->role[axis][n] >= 0 && f < FIELDS; f++)
			add(field[f], h->edge + 1, plane_at(h->edge + 1, axis, n ? h->edge : 0),
			    h->received[n] + (size_t)f * plane_size(h));
	return RB_OK;
}

int halo_sum(struct halo *h, struct msg *m, int tag, double *const field[FIELDS])
{
	for (int axis = 0; axis < 3; axis++)
		RB_TRY(sum_along(h, m, axis, tag, field));
	return RB_OK;
}

int halo_faces(struct halo *h, struct msg *m, int tag, double *const field[FIELDS],
	       double *const below[FIELDS], double *const above[FIELDS])
{
	size_t bytes = (size_t)h->edge * (size_t)h->edge * sizeof(double);

	for (int axis = 0; axis < 3; axis++)
		for (int n = 0; n < SIDES; n++)
			if (h->role[axis][n] >= 0)
				msg_post(m, h->role[axis][n], tag,
					 !field ? NULL : n ? above[axis] : below[axis], bytes);
	for (int axis = 0; axis < 3; axis++)
		for (int n = 0; n < SIDES; n++) {
			double *out;

			if (h->role[axis][n] < 0)
				continue;
			out = msg_reserve(m, h->role[axis][n], tag, bytes);
			if (field)
				pack(field[axis], h->edge,
				     plane_at(h->edge, axis, n ? h->edge - 1 : 0), out);
			RB_TRY(msg_push(m));
		}
	return msg_wait(m);
}
