/* kernels/lulesh/halo.h - exchange with up to 26 neighbours, from one table.
 *
 * A neighbour in direction (dx, dy, dz), each -1, 0 or 1, shares the nodes whose index along an
 * axis is 0 (d = -1), edge (d = 1) or anything (d = 0). The table holds that box for every
 * neighbour there is, so faces, edges and corners are the same code. */
#ifndef KERNELS_LULESH_HALO_H
#define KERNELS_LULESH_HALO_H

#include "base/status.h"
#include "ft/msg.h"

#include <stdint.h>

enum { NEIGHBOURS_MAX = 26, FIELDS = 3 };

struct neighbour {
	int role;
	int direction[3];
	int lo[3], hi[3];   /* node box, inclusive */
	int64_t count;      /* nodes in it */
	double *received;   /* FIELDS * count, field by field */
};

struct halo {
	struct neighbour list[NEIGHBOURS_MAX]; /* ascending roles */
	int count;
	int below;          /* how many of them are smaller roles than this one */
	int64_t boundary_count;
	int64_t *boundary;  /* nodes shared with anybody, ascending */
	double *own;        /* FIELDS * boundary_count: scratch of halo_sum() */
};

/* RB_OK or RB_ENOMEM. at: place in the cube of side^3 roles; edge: elements per side. */
int halo_init(struct halo *h, int edge, int side, const int at[3]);
void halo_free(struct halo *h);

/* Sum three nodal fields over all roles that share a node. Contributions are added in ascending
 * order of roles, so all of them get the same bits and no later synchronisation is needed. */
int halo_sum(struct halo *h, struct msg *m, int edge, int tag, double *const field[FIELDS]);

/* Exchange the outermost element layer with face neighbours, for three element fields:
 * below[a] and above[a] (edge^2) get field[a] of the neighbours along axis a only, which is all
 * that the viscosity needs. Left alone where there is no neighbour. */
int halo_faces(struct halo *h, struct msg *m, int edge, int tag, double *const field[FIELDS],
	       double *const below[FIELDS], double *const above[FIELDS]);

#endif
