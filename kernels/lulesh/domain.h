/* kernels/lulesh/domain.h - the data of one role's block, and the phases of a time step.
 *
 * Units are those of the challenge problem (cm, microseconds, g / cm^3, Mbar and kin), as in the
 * report. Element (i, j, k) has index (k * edge + j) * edge + i, node (i, j, k) likewise with
 * edge + 1; i, j, k run along x, y, z. Corners of an element are numbered counter-clockwise in
 * the lower plane, then in the upper. */
#ifndef KERNELS_LULESH_DOMAIN_H
#define KERNELS_LULESH_DOMAIN_H

#include "kernels/lulesh/halo.h"
#include "kernels/shared.h"

#include <stdbool.h>
#include <stdint.h>

enum { CORNERS = 8, AXES = 3 };

/* The same on all roles, but the limits; changes when a step commits. */
struct clock {
	double time;
	double dt;
	double dt_courant, dt_hydro; /* this role's limits for the next step */
	int64_t steps;
};

/* What broke down, and where: the original code ends the program there. */
struct trouble {
	const char *what;
	int64_t element; /* of this role's block, -1: no element in particular */
	double value;
};

/* One axis of the artificial viscosity: velocity difference across an element and its extent,
 * and the differences of the neighbours beyond the two faces (edge^2 each). */
struct gradient {
	double *delv, *delx;
	double *below, *above;
};

/* What calc_viscosity() leaves to calc_state() of the same row of elements, and needs itself. */
struct row_scratch {
	double *delv; /* along x, with the neighbours at both ends: edge + 2 */
	double *q_linear, *q_quadratic;
};

/* What never changes. */
struct constants {
	struct shared shared;
	double *node_mass;
	double *volume0, *mass; /* of elements */
};

struct kernel_state {
	int edge;                /* elements per side of this block */
	int side;                /* roles per side of the cube */
	int at[AXES];            /* place of this role in the cube */
	struct msg_shape reduce; /* of the maximum over all roles */
	int64_t steps_max;       /* --steps, 0: to the stop time */
	int64_t elements, nodes;
	struct clock now, next;
	struct constants *constants;
	const double *node_mass, *volume0, *mass; /* in there */

	/* Nodes. The second buffers are written before the last message of a step. */
	double *pos[AXES], *vel[AXES];
	double *pos_next[AXES], *vel_next[AXES];
	double *force[AXES]; /* scratch */

	/* Elements: persistent, changed only in commit(). */
	double *energy, *pressure, *q, *volume, *sound;

	/* Elements: recomputed in each step before use. volume: relative to volume0. */
	double *volume_next, *length, *dvdt;
	struct gradient gradient[AXES];
	struct row_scratch row;

	enum exchange exchange; /* --exchange */
	bool in_place;          /* *_next are the same arrays as the committed ones */
	struct trouble trouble;
	struct halo halo;
};

/* fmin() and fmax() treat NaN specially, which costs a call each; these become one instruction. */
static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

static inline double greater(double a, double b)
{
	return a > b ? a : b;
}

/* Number of the element (0, j, k). */
static inline int64_t first_of_row(const struct kernel_state *s, int64_t j, int64_t k)
{
	return (k * s->edge + j) * s->edge;
}

/* Note the first breakdown of a step. */
static inline int in_trouble(struct kernel_state *s, const char *what, int64_t element,
			     double value)
{
	s->trouble = (struct trouble){ what, element, value };
	return RB_ENUMERIC;
}

/* The phases, in the order of a step. RB_OK, or RB_ENUMERIC with s->trouble set. */
int check_viscosity(struct kernel_state *s); /* viscosity.c: q of the last step */
int calc_forces(struct kernel_state *s);     /* force.c: stress and hourglass */
void calc_motion(struct kernel_state *s);    /* motion.c: *_next from force */
int calc_kinematics(struct kernel_state *s); /* kinematics.c: also gradients */

/* Those of the commit, for the row of elements (0, j, k) to (edge - 1, j, k), in this order. */
void calc_viscosity(struct kernel_state *s, int64_t j, int64_t k); /* viscosity.c: row.q_* */
void calc_state(struct kernel_state *s, int64_t j,
		int64_t k); /* eos.c: energy, pressure, q, sound */
/* timestep.c: lowers dt_courant, dt_hydro */
void calc_limits(const struct kernel_state *s, int64_t j, int64_t k, struct clock *c);
void no_limits(struct clock *c); /* timestep.c: before the first row */
/* timestep.c: the next dt from the smallest limits over all roles. */
void advance_clock(struct clock *c, double dt_courant, double dt_hydro);
bool clock_collapsed(const struct clock *c);
bool clock_stopped(const struct clock *c);

#endif
