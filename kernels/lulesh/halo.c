#include "kernels/lulesh/halo.h"

#include <stdlib.h>
#include <string.h>

static int64_t node_index(int edge, int i, int j, int k)
{
	return ((int64_t)k * (edge + 1) + j) * (edge + 1) + i;
}

/* false if the cube ends in that direction. */
static int find_role(int side, const int at[3], const int d[3])
{
	int to[3];

	for (int a = 0; a < 3; a++) {
		to[a] = at[a] + d[a];
		if (to[a] < 0 || to[a] >= side)
			return -1;
	}
	return (to[2] * side + to[1]) * side + to[0];
}

static int add_neighbour(struct halo *h, int edge, int role, const int d[3])
{
	struct neighbour *n = &h->list[h->count++];

	n->role = role;
	n->count = 1;
	for (int a = 0; a < 3; a++) {
		n->direction[a] = d[a];
		n->lo[a] = d[a] > 0 ? edge : 0;
		n->hi[a] = d[a] < 0 ? 0 : edge;
		n->count *= n->hi[a] - n->lo[a] + 1;
	}
	n->received = malloc(FIELDS * (size_t)n->count * sizeof *n->received);
	return n->received ? RB_OK : RB_ENOMEM;
}

/* z outermost: directions are then visited in ascending order of roles. */
static int find_neighbours(struct halo *h, int edge, int side, const int at[3])
{
	int d[3];

	for (d[2] = -1; d[2] <= 1; d[2]++)
		for (d[1] = -1; d[1] <= 1; d[1]++)
			for (d[0] = -1; d[0] <= 1; d[0]++) {
				int role = find_role(side, at, d);

				if (role < 0 || (!d[0] && !d[1] && !d[2]))
					continue;
				RB_TRY(add_neighbour(h, edge, role, d));
			}
	return RB_OK;
}

static void mark(const struct neighbour *n, int edge, char *shared)
{
	for (int k = n->lo[2]; k <= n->hi[2]; k++)
		for (int j = n->lo[1]; j <= n->hi[1]; j++)
			for (int i = n->lo[0]; i <= n->hi[0]; i++)
				shared[node_index(edge, i, j, k)] = 1;
}

static int list_boundary(struct halo *h, int edge)
{
	int64_t nodes = node_index(edge, 0, 0, edge + 1), count = 0;
	char *shared = calloc((size_t)nodes, 1);

	if (!shared)
		return RB_ENOMEM;
	for (int n = 0; n < h->count; n++)
		mark(&h->list[n], edge, shared);
	for (int64_t v = 0; v < nodes; v++)
		count += shared[v];
	h->boundary_count = count;
	h->boundary = malloc(((size_t)count + 1) * sizeof *h->boundary);
	h->own = malloc((FIELDS * (size_t)count + 1) * sizeof *h->own);
	if (h->boundary && h->own) {
		count = 0;
		for (int64_t v = 0; v < nodes; v++)
			if (shared[v])
				h->boundary[count++] = v;
	}
	free(shared);
	return h->boundary && h->own ? RB_OK : RB_ENOMEM;
}

int halo_init(struct halo *h, int edge, int side, const int at[3])
{
	int self = (at[2] * side + at[1]) * side + at[0];

	memset(h, 0, sizeof *h);
	RB_TRY(find_neighbours(h, edge, side, at));
	while (h->below < h->count && h->list[h->below].role < self)
		h->below++;
	return list_boundary(h, edge);
}

void halo_free(struct halo *h)
{
	for (int n = 0; n < h->count; n++)
		free(h->list[n].received);
	free(h->boundary);
	free(h->own);
	memset(h, 0, sizeof *h);
}

static void pack(const struct neighbour *n, int edge, const double *field, double *out)
{
	for (int k = n->lo[2]; k <= n->hi[2]; k++)
		for (int j = n->lo[1]; j <= n->hi[1]; j++)
			for (int i = n->lo[0]; i <= n->hi[0]; i++)
				*out++ = field[node_index(edge, i, j, k)];
}

static void add(const struct neighbour *n, int edge, const double *in, double *field)
{
	for (int k = n->lo[2]; k <= n->hi[2]; k++)
		for (int j = n->lo[1]; j <= n->hi[1]; j++)
			for (int i = n->lo[0]; i <= n->hi[0]; i++)
				field[node_index(edge, i, j, k)] += *in++;
}

static void set_own_aside(struct halo *h, double *const field[FIELDS])
{
	for (int f = 0; f < FIELDS; f++)
		for (int64_t b = 0; b < h->boundary_count; b++) {
			h->own[f * h->boundary_count + b] = field[f][h->boundary[b]];
			field[f][h->boundary[b]] = 0;
		}
}

static void add_own(struct halo *h, double *const field[FIELDS])
{
	for (int f = 0; f < FIELDS; f++)
		for (int64_t b = 0; b < h->boundary_count; b++)
			field[f][h->boundary[b]] += h->own[f * h->boundary_count + b];
}

int halo_sum(struct halo *h, struct msg *m, int edge, int tag, double *const field[FIELDS])
{
	for (int i = 0; i < h->count; i++) {
		struct neighbour *n = &h->list[i];

		msg_post(m, n->role, tag, n->received, FIELDS * (size_t)n->count * sizeof(double));
	}
	for (int i = 0; i < h->count; i++) {
		const struct neighbour *n = &h->list[i];
		double *out = msg_reserve(m, n->role, tag,
					  FIELDS * (size_t)n->count * sizeof *out);

		for (int f = 0; f < FIELDS; f++)
			pack(n, edge, field[f], out + f * n->count);
		RB_TRY(msg_push(m));
	}
	RB_TRY(msg_wait(m));
	set_own_aside(h, field);
	for (int i = 0; i <= h->count; i++) {
		if (i == h->below)
			add_own(h, field);
		for (int f = 0; i < h->count && f < FIELDS; f++)
			add(&h->list[i], edge, h->list[i].received + f * h->list[i].count,
			    field[f]);
	}
	return RB_OK;
}

/* The axis of a face neighbour, -1 for edges and corners. */
static int face_axis(const struct neighbour *n)
{
	int axis = -1, moved = 0;

	for (int a = 0; a < 3; a++)
		if (n->direction[a]) {
			axis = a;
			moved++;
		}
	return moved == 1 ? axis : -1;
}

/* The outermost element layer towards a face neighbour, in ascending order. */
static void pack_layer(const struct neighbour *n, int axis, int edge, const double *field,
		       double *out)
{
	int lo[3] = { 0, 0, 0 }, hi[3] = { edge - 1, edge - 1, edge - 1 };

	lo[axis] = hi[axis] = n->direction[axis] < 0 ? 0 : edge - 1;
	for (int k = lo[2]; k <= hi[2]; k++)
		for (int j = lo[1]; j <= hi[1]; j++)
			for (int i = lo[0]; i <= hi[0]; i++)
				*out++ = field[((int64_t)k * edge + j) * edge + i];
}

int halo_faces(struct halo *h, struct msg *m, int edge, int tag, double *const field[FIELDS],
	       double *const below[FIELDS], double *const above[FIELDS])
{
	size_t bytes = (size_t)edge * (size_t)edge * sizeof(double);

	for (int i = 0; i < h->count; i++) {
		const struct neighbour *n = &h->list[i];
		int a = face_axis(n);

		if (a >= 0)
			msg_post(m, n->role, tag, n->direction[a] < 0 ? below[a] : above[a], bytes);
	}
	for (int i = 0; i < h->count; i++) {
		const struct neighbour *n = &h->list[i];
		int a = face_axis(n);

		if (a < 0)
			continue;
		pack_layer(n, a, edge, field[a], msg_reserve(m, n->role, tag, bytes));
		RB_TRY(msg_push(m));
	}
	return msg_wait(m);
}
