#include "kernels/lulesh/mesh.h"

#include "kernels/field.h"
#include "kernels/lulesh/batch.h"
#include "kernels/lulesh/element.h"

#include <stdlib.h>
#include <string.h>

static const double LENGTH = 1.125;     /* side of the whole cube */
static const double BLAST = 3.948746e7; /* energy at the origin for 45 elements a side */

/* Zeros, and behind them what a batch of elements may touch; also where none does. */
static int take(double **out, int64_t count)
{
	*out = field_new(count + BATCH_PADDING);
	return *out ? RB_OK : RB_ENOMEM;
}

/* Coordinate of global node i; the same expression everywhere, so shared nodes agree. */
static double coordinate(const struct kernel_state *s, int64_t i)
{
	return LENGTH * (double)i / (double)(s->edge * s->side);
}

/* Number of place (i, j, k) in a cube of n places a side. */
static int64_t place(int64_t n, int64_t i, int64_t j, int64_t k)
{
	return (k * n + j) * n + i;
}

/* Volume of the element at global place g[], and of those that follow it along x: all are boxes
 * before the first step. */
static lanes initial_volume(const struct kernel_state *s, const int64_t g[AXES])
{
	static const int up[AXES][CORNERS] = { { 0, 1, 1, 0, 0, 1, 1, 0 },
					       { 0, 0, 1, 1, 0, 0, 1, 1 },
					       { 0, 0, 0, 0, 1, 1, 1, 1 } };
	double at[LANES];
	lanes x[3][8];

	for (int a = 0; a < AXES; a++)
		for (int c = 0; c < CORNERS; c++) {
			for (int l = 0; l < LANES; l++)
				at[l] = coordinate(s, g[a] + up[a][c] + (a == 0 ? l : 0));
			x[a][c] = lanes_load(at);
		}
	return element_volume(x);
}

/* Those of this block and of one layer around it, which lies in other roles' blocks, or outside of
 * the cube and is 0: element (i, j, k) is at i + 1, j + 1, k + 1 of edge + 2 along each axis. */
static void initial_volumes(const struct kernel_state *s, double *out)
{
	const int64_t n = s->edge + 2;
	int64_t g[AXES], first[AXES], last[AXES];

	for (int a = 0; a < AXES; a++) {
		first[a] = s->at[a] > 0 ? 0 : 1;
		last[a] = s->at[a] < s->side - 1 ? n : n - 1;
	}
	for (int64_t k = first[2]; k < last[2]; k++)
		for (int64_t j = first[1]; j < last[1]; j++)
			for (int64_t i = first[0]; i < last[0]; i += LANES) {
				const int64_t at[AXES] = { i, j, k };

				for (int a = 0; a < AXES; a++)
					g[a] = at[a] - 1 + (int64_t)s->at[a] * s->edge;
				lanes_store(out + place(n, i, j, k), initial_volume(s, g),
					    (int)fewer(LANES, last[0] - i));
			}
}

/* An eighth of each of the up to eight elements around a node, those of other roles included: no
 * message is needed for that, since the undeformed mesh is known everywhere. */
static double node_mass(const double *lowest, int64_t around)
{
	double mass = 0;

	for (int64_t c = CORNERS - 1; c >= 0; c--)
		mass += lowest[place(around, c & 1, c >> 1 & 1, c >> 2 & 1)] / CORNERS;
	return mass;
}

static void fill_constants(const struct kernel_state *s, struct constants *c, const double *volumes)
{
	const int64_t edge = s->edge, nodes = edge + 1, around = edge + 2;

	for (int64_t k = 0; k < edge; k++)
		for (int64_t j = 0; j < edge; j++)
			for (int64_t i = 0; i < edge; i++) {
				const int64_t e = place(edge, i, j, k);

				c->volume0[e] = volumes[place(around, i + 1, j + 1, k + 1)];
				c->mass[e] = c->volume0[e]; /* reference density 1 */
			}
	for (int64_t k = 0; k < nodes; k++)
		for (int64_t j = 0; j < nodes; j++)
			for (int64_t i = 0; i < nodes; i++)
				c->node_mass[place(nodes, i, j, k)] =
					node_mass(volumes + place(around, i, j, k), around);
}

static void free_constants(struct constants *k)
{
	field_free(k->node_mass);
	field_free(k->volume0);
	field_free(k->mass);
	free(k);
}

void mesh_use_constants(struct kernel_state *s, struct constants *constants)
{
	s->constants = constants;
	s->node_mass = constants->node_mass;
	s->volume0 = constants->volume0;
	s->mass = constants->mass;
	shared_join(&constants->shared);
}

int mesh_make_constants(struct kernel_state *s)
{
	const int64_t around = s->edge + 2;
	struct constants *k = calloc(1, sizeof *k);
	double *volumes = NULL;

	if (!k)
		return RB_ENOMEM;
	if (take(&k->node_mass, s->nodes) != RB_OK || take(&k->volume0, s->elements) != RB_OK ||
	    take(&k->mass, s->elements) != RB_OK ||
	    take(&volumes, around * around * around) != RB_OK) {
		free_constants(k);
		return RB_ENOMEM;
	}
	initial_volumes(s, volumes);
	fill_constants(s, k, volumes);
	field_free(volumes);
	mesh_use_constants(s, k);
	return RB_OK;
}

int mesh_allocate(struct kernel_state *s)
{
	double **element[] = { &s->energy, &s->pressure,    &s->q,      &s->volume,
			       &s->sound,  &s->volume_next, &s->length, &s->dvdt };
	int64_t face = (int64_t)s->edge * s->edge;

	for (size_t i = 0; i < sizeof element / sizeof *element; i++)
		RB_TRY(take(element[i], s->elements));
	for (int a = 0; a < AXES; a++) {
		struct gradient *g = &s->gradient[a];

		RB_TRY(take(&s->pos[a], s->nodes));
		RB_TRY(take(&s->vel[a], s->nodes));
		if (!s->in_place) {
			RB_TRY(take(&s->pos_next[a], s->nodes));
			RB_TRY(take(&s->vel_next[a], s->nodes));
		} else {
			s->pos_next[a] = s->pos[a];
			s->vel_next[a] = s->vel[a];
		}
		RB_TRY(take(&s->force[a], s->nodes));
		RB_TRY(take(&g->delv, s->elements));
		RB_TRY(take(&g->delx, s->elements));
		RB_TRY(take(&g->below, face));
		RB_TRY(take(&g->above, face));
	}
	RB_TRY(take(&s->row.delv, s->edge + 2));
	RB_TRY(take(&s->row.q_linear, s->edge));
	RB_TRY(take(&s->row.q_quadratic, s->edge));
	return halo_init(&s->halo, s->exchange, s->edge, s->side, s->at);
}

void mesh_free(struct kernel_state *s)
{
	double *all[] = { s->energy,         s->pressure, s->q,    s->volume,   s->sound,
			  s->volume_next,    s->length,   s->dvdt, s->row.delv, s->row.q_linear,
			  s->row.q_quadratic };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		field_free(all[i]);
	for (int a = 0; a < AXES; a++) {
		field_free(s->pos[a]);
		field_free(s->vel[a]);
		if (!s->in_place) {
			field_free(s->pos_next[a]);
			field_free(s->vel_next[a]);
		}
		field_free(s->force[a]);
		field_free(s->gradient[a].delv);
		field_free(s->gradient[a].delx);
		field_free(s->gradient[a].below);
		field_free(s->gradient[a].above);
	}
	halo_free(&s->halo);
	if (s->constants && shared_leave(&s->constants->shared))
		free_constants(s->constants);
}

void mesh_reset(struct kernel_state *s)
{
	int64_t n = s->edge + 1, origin[AXES] = { 0, 0, 0 };
	double scale = (double)(s->edge * s->side) / 45;
	double blast = BLAST * scale * scale * scale;

	for (int64_t v = 0; v < s->nodes; v++) {
		int64_t at[AXES] = { v % n, v / n % n, v / (n * n) };

		for (int a = 0; a < AXES; a++) {
			s->pos[a][v] = coordinate(s, at[a] + (int64_t)s->at[a] * s->edge);
			s->vel[a][v] = 0;
		}
	}
	for (int64_t e = 0; e < s->elements; e++) {
		s->energy[e] = s->pressure[e] = s->q[e] = s->sound[e] = 0;
		s->volume[e] = 1;
	}
	if (s->at[0] == 0 && s->at[1] == 0 && s->at[2] == 0)
		s->energy[0] = blast;
	memset(&s->now, 0, sizeof s->now);
	s->now.dt = 0.5 * cbrt(initial_volume(s, origin)[0]) / sqrt(2 * blast);
	no_limits(&s->now);
}
