#include "kernels/lulesh/mesh.h"

#include "kernels/lulesh/element.h"

#include <stdlib.h>
#include <string.h>

static const double LENGTH = 1.125;     /* side of the whole cube */
static const double BLAST = 3.948746e7; /* energy at the origin for 45 elements a side */

static int take(double **out, int64_t count)
{
	*out = calloc((size_t)count, sizeof **out);
	return *out ? RB_OK : RB_ENOMEM;
}

/* Coordinate of global node i; the same expression everywhere, so shared nodes agree. */
static double coordinate(const struct kernel_state *s, int64_t i)
{
	return LENGTH * (double)i / (double)(s->edge * s->side);
}

/* Volume of the element at global place g[]: all are boxes before the first step. */
static double initial_volume(const struct kernel_state *s, const int64_t g[AXES])
{
	static const int up[AXES][CORNERS] = { { 0, 1, 1, 0, 0, 1, 1, 0 },
					       { 0, 0, 1, 1, 0, 0, 1, 1 },
					       { 0, 0, 0, 0, 1, 1, 1, 1 } };
	double x[3][8];

	for (int a = 0; a < AXES; a++)
		for (int c = 0; c < CORNERS; c++)
			x[a][c] = coordinate(s, g[a] + up[a][c]);
	return element_volume(x);
}

/* An eighth of each of the up to eight elements around a node, those of other roles included: no
 * message is needed for that, since the undeformed mesh is known everywhere. */
static double node_mass(const struct kernel_state *s, const int64_t g[AXES])
{
	int64_t global = (int64_t)s->edge * s->side;
	double mass = 0;

	for (int c = 0; c < CORNERS; c++) {
		int64_t at[AXES] = { g[0] - (c & 1), g[1] - (c >> 1 & 1), g[2] - (c >> 2 & 1) };
		bool inside = true;

		for (int a = 0; a < AXES; a++)
			inside = inside && at[a] >= 0 && at[a] < global;
		if (inside)
			mass += initial_volume(s, at) / CORNERS;
	}
	return mass;
}

static void fill_constants(const struct kernel_state *s, struct constants *k)
{
	int n = s->edge + 1;

	for (int64_t e = 0; e < s->elements; e++) {
		int64_t g[AXES] = { e % s->edge, e / s->edge % s->edge,
				    e / ((int64_t)s->edge * s->edge) };

		for (int a = 0; a < AXES; a++)
			g[a] += (int64_t)s->at[a] * s->edge;
		k->volume0[e] = k->mass[e] = initial_volume(s, g); /* reference density 1 */
	}
	for (int64_t v = 0; v < s->nodes; v++) {
		int64_t g[AXES] = { v % n, v / n % n, v / ((int64_t)n * n) };

		for (int a = 0; a < AXES; a++)
			g[a] += (int64_t)s->at[a] * s->edge;
		k->node_mass[v] = node_mass(s, g);
	}
}

static void free_constants(struct constants *k)
{
	free(k->node_mass);
	free(k->volume0);
	free(k->mass);
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
	struct constants *k = calloc(1, sizeof *k);

	if (!k)
		return RB_ENOMEM;
	if (take(&k->node_mass, s->nodes) != RB_OK || take(&k->volume0, s->elements) != RB_OK ||
	    take(&k->mass, s->elements) != RB_OK) {
		free_constants(k);
		return RB_ENOMEM;
	}
	fill_constants(s, k);
	mesh_use_constants(s, k);
	return RB_OK;
}

int mesh_allocate(struct kernel_state *s)
{
	double **element[] = { &s->energy,       &s->pressure,   &s->q,
			       &s->volume,       &s->sound,      &s->volume_next,
			       &s->delta_volume, &s->length,     &s->dvdt,
			       &s->q_linear,     &s->q_quadratic };
	int64_t face = (int64_t)s->edge * s->edge;

	for (size_t i = 0; i < sizeof element / sizeof *element; i++)
		RB_TRY(take(element[i], s->elements));
	for (int a = 0; a < AXES; a++) {
		struct gradient *g = &s->gradient[a];

		RB_TRY(take(&s->pos[a], s->nodes));
		RB_TRY(take(&s->vel[a], s->nodes));
		s->pos_next[a] = s->pos[a];
		s->vel_next[a] = s->vel[a];
		if (!s->in_place) {
			RB_TRY(take(&s->pos_next[a], s->nodes));
			RB_TRY(take(&s->vel_next[a], s->nodes));
		}
		RB_TRY(take(&s->force[a], s->nodes));
		RB_TRY(take(&g->delv, s->elements));
		RB_TRY(take(&g->delx, s->elements));
		RB_TRY(take(&g->below, face));
		RB_TRY(take(&g->above, face));
	}
	return halo_init(&s->halo, s->exchange, s->edge, s->side, s->at);
}

void mesh_free(struct kernel_state *s)
{
	double *all[] = { s->energy,      s->pressure,     s->q,      s->volume, s->sound,
			  s->volume_next, s->delta_volume, s->length, s->dvdt,   s->q_linear,
			  s->q_quadratic };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	for (int a = 0; a < AXES; a++) {
		free(s->pos[a]);
		free(s->vel[a]);
		if (!s->in_place) {
			free(s->pos_next[a]);
			free(s->vel_next[a]);
		}
		free(s->force[a]);
		free(s->gradient[a].delv);
		free(s->gradient[a].delx);
		free(s->gradient[a].below);
		free(s->gradient[a].above);
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
	s->now.dt = 0.5 * cbrt(initial_volume(s, origin)) / sqrt(2 * blast);
	s->now.dt_courant = s->now.dt_hydro = 1e20;
}
