/* kernels/lulesh/halo.h - exchange with the six face neighbours.
 *
 * Nodes on edges and corners are shared by four and eight roles. Summing along one axis after the other
 * covers them without messages to the roles across edges and corners: what is sent along y already contains
 * what came in along x. Messages are fewer, and few roles must replay to a restarted one (power-log-n-roll
 * paper, Table 2: for role 0 of 5^3 roles 1, 5 and 25). */
#ifndef KERNELS_LULESH_HALO_H
#define KERNELS_LULESH_HALO_H

#include "base/status.h"
#include "ft/msg/msg.h"

#include <stdint.h>

enum { FIELDS = 3, SIDES = 2 }; /* side 0: towards smaller, 1: towards larger indices */

struct halo {
	int edge;                /* elements per side of a role's block */
	int role[3][SIDES];      /* neighbours by axis; -1: there is none */
	double *received[SIDES]; /* FIELDS planes of (edge + 1)^2 nodes each */
};

/* RB_OK or RB_ENOMEM. at: place in the cube of side^3 roles; edge: elements per side. */
int halo_init(struct halo *h, int edge, int side, const int at[3]);
void halo_free(struct halo *h);

/* Sum three nodal fields over all roles that share a node. Every step is a sum of two, so all of
 * them get the same bits and no later synchronisation is needed. field NULL: the message calls only. */
int halo_sum(struct halo *h, struct msg *m, int tag, double *const field[FIELDS]);

/* Exchange the outermost element layer with the neighbours, for three element fields: below[a] and above[a]
 * (edge^2) get field[a] of the neighbours along axis a only, which is all that the viscosity needs. Unchanged
 * where there is no neighbour. field NULL: the message calls only. */
int halo_faces(struct halo *h, struct msg *m, int tag, double *const field[FIELDS],
	       double *const below[FIELDS], double *const above[FIELDS]);

#endif
