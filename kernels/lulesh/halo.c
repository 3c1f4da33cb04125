#include "kernels/lulesh/halo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The step of a direction along x, y and z. */
static void steps_of(int direction, int step[3])
{
	step[0] = direction % 3 - 1;
	step[1] = direction / 3 % 3 - 1;
	step[2] = direction / 9 - 1;
}

static int neighbour(int side, const int at[3], int direction)
{
	int to[3];

	steps_of(direction, to);
	for (int a = 0; a < 3; a++) {
		to[a] += at[a];
		if (to[a] < 0 || to[a] >= side)
			return -1;
	}
	return (to[2] * side + to[1]) * side + to[0];
}

static size_t plane_size(const struct halo *h)
{
	return (size_t)(h->edge + 1) * (size_t)(h->edge + 1);
}

/* How many nodes the role in a direction shares: a plane, a line or a point. */
static size_t shared_nodes(const struct halo *h, int direction)
{
	size_t nodes = 1;
	int step[3];

	steps_of(direction, step);
	for (int a = 0; a < 3; a++)
		nodes *= step[a] ? 1 : (size_t)h->edge + 1;
	return nodes;
}

static bool is_neighbour(const struct halo *h, int direction)
{
	return direction != OWN && h->around[direction] >= 0;
}

/* Elements of the layer behind a face. */
static size_t layer_size(const struct halo *h)
{
	return (size_t)h->edge * (size_t)h->edge;
}

static int allocate(struct halo *h)
{
	size_t places = 0; /* nodes and elements */
	double *next;

	for (int d = 0; d < DIRECTIONS; d++)
		places += is_neighbour(h, d) ? shared_nodes(h, d) : 0;
	if (h->exchange == EXCHANGE_FACES)
		places = SIDES * plane_size(h);
	if (h->exchange == EXCHANGE_REFERENCE)
		places += 3 * SIDES * layer_size(h);
	/* also if there are none */
	next = h->received = malloc(FIELDS * (places + 1) * sizeof(double));
	if (!next)
		return RB_ENOMEM;
	for (int d = 0; h->exchange != EXCHANGE_FACES && d < DIRECTIONS; d++) {
		if (!is_neighbour(h, d))
			continue;
		h->from[d] = next;
		next += FIELDS * shared_nodes(h, d);
	}
	for (int n = 0; h->exchange == EXCHANGE_REFERENCE && n < 3 * SIDES; n++)
		h->beyond[n / SIDES][n % SIDES] = next + (size_t)n * FIELDS * layer_size(h);
	return RB_OK;
}

int halo_init(struct halo *h, enum exchange exchange, int edge, int side, const int at[3])
{
	static const int across[3] = { 1, 3, 9 }; /* the next direction along each axis */

	memset(h, 0, sizeof *h);
	h->exchange = exchange;
	h->edge = edge;
	for (int d = 0; d < DIRECTIONS; d++)
		h->around[d] = neighbour(side, at, d);
	for (int a = 0; a < 3; a++) {
		h->role[a][0] = h->around[OWN - across[a]];
		h->role[a][1] = h->around[OWN + across[a]];
	}
	return allocate(h);
}

void halo_free(struct halo *h)
{
	free(h->received);
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
	double *out = msg_reserve(m, h->role[axis][n], tag, FIELDS * plane_size(h) * sizeof *out);
	struct plane p = plane_at(h->edge + 1, axis, n ? h->edge : 0);

	for (int f = 0; field && f < FIELDS; f++)
		pack(field[f], h->edge + 1, p, out + (size_t)f * plane_size(h));
	return msg_push(m);
}

static int sum_along(struct halo *h, struct msg *m, int axis, int tag, double *const field[FIELDS])
{
	const size_t each = FIELDS * plane_size(h);

	for (int n = 0; n < SIDES; n++)
		if (h->role[axis][n] >= 0)
			msg_post(m, h->role[axis][n], tag, h->received + (size_t)n * each,
				 each * sizeof(double));
	for (int n = 0; n < SIDES; n++)
		if (h->role[axis][n] >= 0)
			RB_TRY(send_planes(h, m, axis, n, tag, field));
	RB_TRY(msg_wait(m));
	for (int n = 0; field && n < SIDES; n++)
		for (int f = 0; h->role[axis][n] >= 0 && f < FIELDS; f++)
			add(field[f], h->edge + 1, plane_at(h->edge + 1, axis, n ? h->edge : 0),
			    h->received + (size_t)n * each + (size_t)f * plane_size(h));
	return RB_OK;
}

/* Nodes of this block, by their places along x, y and z: from the first up to before the last. */
struct box {
	int64_t first[3], last[3];
};

/* The nodes that the role in a direction shares. */
static struct box shared_box(const struct halo *h, int direction)
{
	struct box b;
	int step[3];

	steps_of(direction, step);
	for (int a = 0; a < 3; a++) {
		b.first[a] = step[a] > 0 ? h->edge : 0;
		b.last[a] = step[a] < 0 ? 1 : h->edge + 1;
	}
	return b;
}

/* Of these, the nodes that it does not share with roles in still other axes: the surface of a block
 * falls into 26 such boxes. */
static struct box disjoint_box(const struct halo *h, int direction)
{
	struct box b = shared_box(h, direction);
	int step[3];

	steps_of(direction, step);
	for (int a = 0; a < 3; a++) {
		b.first[a] += step[a] == 0;
		b.last[a] -= step[a] == 0;
	}
	return b;
}

/* Values of nodes: that at place (i, j, k) of this block is at[i * stride[0] + j * stride[1] + k *
 * stride[2]]. */
struct view {
	const double *at;
	int64_t stride[3];
};

/* What came from a direction, or this role's own field. Places along axes on which the direction
 * steps do not count. */
static struct view view_from(const struct halo *h, int direction, int field, const double *own)
{
	struct view v = { .at = own };
	int64_t stride = 1;
	int step[3];

	if (direction != OWN)
		v.at = h->from[direction] + (size_t)field * shared_nodes(h, direction);
	steps_of(direction, step);
	for (int a = 0; a < 3; a++) {
		v.stride[a] = step[a] ? 0 : stride;
		stride *= step[a] ? 1 : h->edge + 1;
	}
	return v;
}

static inline double value_at(const struct view *v, int64_t i, int64_t j, int64_t k)
{
	return v->at[i * v->stride[0] + j * v->stride[1] + k * v->stride[2]];
}

/* Does the role in direction d have the nodes of disjoint_box(part)? */
static bool shares(const struct halo *h, int d, int part)
{
	int step[3], of[3];

	steps_of(d, step);
	steps_of(part, of);
	for (int a = 0; a < 3; a++)
		if (step[a] && step[a] != of[a])
			return false;
	return h->around[d] >= 0;
}

static void add_parts(const struct halo *h, int part, int f, double *field)
{
	const struct box b = disjoint_box(h, part);
	const int64_t nodes = h->edge + 1;
	struct view in[8]; /* at most, at a corner */
	int count = 0;

	for (int d = 0; d < DIRECTIONS; d++)
		if (shares(h, d, part))
			in[count++] = view_from(h, d, f, field);
	for (int64_t k = b.first[2]; k < b.last[2]; k++)
		for (int64_t j = b.first[1]; j < b.last[1]; j++)
			for (int64_t i = b.first[0]; i < b.last[0]; i++) {
				double sum = value_at(&in[0], i, j, k);

				for (int n = 1; n < count; n++)
					sum += value_at(&in[n], i, j, k);
				field[(k * nodes + j) * nodes + i] = sum;
			}
}

static int send_shared(struct halo *h, struct msg *m, int direction, int tag,
		       double *const field[FIELDS])
{
	double *out = msg_reserve(m, h->around[direction], tag,
				  FIELDS * shared_nodes(h, direction) * sizeof *out);
	const struct box b = shared_box(h, direction);
	const int64_t n = h->edge + 1;

	for (int f = 0; field && f < FIELDS; f++)
		for (int64_t k = b.first[2]; k < b.last[2]; k++)
			for (int64_t j = b.first[1]; j < b.last[1]; j++)
				for (int64_t i = b.first[0]; i < b.last[0]; i++)
					*out++ = field[f][(k * n + j) * n + i];
	return msg_push(m);
}

static int sum_with_all(struct halo *h, struct msg *m, int tag, double *const field[FIELDS])
{
	for (int d = 0; d < DIRECTIONS; d++)
		if (is_neighbour(h, d))
			msg_post(m, h->around[d], tag, h->from[d],
				 FIELDS * shared_nodes(h, d) * sizeof(double));
	for (int d = 0; d < DIRECTIONS; d++)
		if (is_neighbour(h, d))
			RB_TRY(send_shared(h, m, d, tag, field));
	RB_TRY(msg_wait(m));
	for (int f = 0; field && f < FIELDS; f++)
		for (int part = 0; part < DIRECTIONS; part++)
			if (part != OWN)
				add_parts(h, part, f, field[f]);
	return RB_OK;
}

int halo_sum(struct halo *h, struct msg *m, int tag, double *const field[FIELDS])
{
	if (h->exchange != EXCHANGE_FACES)
		return sum_with_all(h, m, tag, field);
	for (int axis = 0; axis < 3; axis++)
		RB_TRY(sum_along(h, m, axis, tag, field));
	return RB_OK;
}

/* The outermost layer of this block towards a neighbour: of the field along that axis, or of all.
 */
static int send_layer(struct halo *h, struct msg *m, int axis, int n, int tag,
		      double *const field[FIELDS])
{
	const bool all = h->exchange == EXCHANGE_REFERENCE;
	const struct plane p = plane_at(h->edge, axis, n ? h->edge - 1 : 0);
	double *out = msg_reserve(m, h->role[axis][n], tag,
				  (all ? FIELDS : 1) * layer_size(h) * sizeof *out);

	for (int f = all ? 0 : axis; field && f < (all ? FIELDS : axis + 1);
	     f++, out += layer_size(h))
		pack(field[f], h->edge, p, out);
	return msg_push(m);
}

/* Where the layer of a neighbour arrives. */
static void post_layer(struct halo *h, struct msg *m, int axis, int n, int tag, double *needed)
{
	if (h->exchange == EXCHANGE_REFERENCE)
		msg_post(m, h->role[axis][n], tag, h->beyond[axis][n],
			 FIELDS * layer_size(h) * sizeof(double));
	else
		msg_post(m, h->role[axis][n], tag, needed, layer_size(h) * sizeof(double));
}

int halo_faces(struct halo *h, struct msg *m, int tag, double *const field[FIELDS],
	       double *const below[FIELDS], double *const above[FIELDS])
{
	double *const *const needed[SIDES] = { below, above };

	for (int axis = 0; axis < 3; axis++)
		for (int n = 0; n < SIDES; n++)
			if (h->role[axis][n] >= 0)
				post_layer(h, m, axis, n, tag, field ? needed[n][axis] : NULL);
	for (int axis = 0; axis < 3; axis++)
		for (int n = 0; n < SIDES; n++)
			if (h->role[axis][n] >= 0)
				RB_TRY(send_layer(h, m, axis, n, tag, field));
	RB_TRY(msg_wait(m));
	for (int axis = 0; field && h->exchange == EXCHANGE_REFERENCE && axis < 3; axis++)
		for (int n = 0; n < SIDES; n++)
			if (h->role[axis][n] >= 0)
				memcpy(needed[n][axis],
				       h->beyond[axis][n] + (size_t)axis * layer_size(h),
				       layer_size(h) * sizeof(double));
	return RB_OK;
}
