/* kernels/lulesh/halo.h - exchange with neighbours: sums over shared nodes, and the element layers
 * beyond the faces.
 *
 * Nodes on edges and corners are shared by four and eight roles. There are two ways to sum over
 * them, and a third one in what goes across faces:
 *
 * EXCHANGE_FACES: along one axis after the other, with six neighbours. No messages go across edges
 * and corners, because what is sent along y already contains what came in along x. Messages are
 * fewer, and few roles must replay to a restarted one (power-log-n-roll paper, Table 2: for role 0
 * of 5^3 roles 1, 5 and 25).
 *
 * EXCHANGE_ALL: each role sends its own part of the sum to each of the up to 26 roles that share
 * nodes with it, across faces, edges and corners, and adds what it gets, as the reference LULESH
 * does with forces. There is one round of messages and not three, but there are more of them, and
 * all 26 replay.
 *
 * EXCHANGE_REFERENCE: the same, and across each face all three components of the gradients, as the
 * reference sends them, although the viscosity needs one.
 *
 * All copies of a node get the same bits either way. The two ways to sum add in different orders,
 * so their bits differ; those of the last two are the same. */
#ifndef KERNELS_LULESH_HALO_H
#define KERNELS_LULESH_HALO_H

#include "base/status.h"
#include "contract/msg.h"

#include <stdint.h>

enum exchange { EXCHANGE_FACES, EXCHANGE_ALL, EXCHANGE_REFERENCE, EXCHANGES };

enum { FIELDS = 3, SIDES = 2 }; /* side 0: towards smaller, 1: towards larger indices */

/* Steps of -1, 0 or 1 along x, y and z, z slowest: in the order of role numbers. OWN: no step. */
enum { DIRECTIONS = 27, OWN = 13 };

struct halo {
	enum exchange exchange;
	int edge;               /* elements per side of a role's block */
	int role[3][SIDES];     /* neighbours by axis; -1: there is none */
	int around[DIRECTIONS]; /* all neighbours, and this role; -1: there is none */
	/* EXCHANGE_FACES: of either side FIELDS planes of (edge + 1)^2 nodes; otherwise all `from`
	 * and `beyond` */
	double *received;
	/* not EXCHANGE_FACES: of each neighbour FIELDS times the nodes shared with it */
	double *from[DIRECTIONS];
	/* EXCHANGE_REFERENCE: of each neighbour across a face FIELDS times its outermost layer */
	double *beyond[3][SIDES];
};

/* RB_OK or RB_ENOMEM. at: place in the cube of side^3 roles; edge: elements per side. */
int halo_init(struct halo *h, enum exchange exchange, int edge, int side, const int at[3]);
void halo_free(struct halo *h);

/* Sum three nodal fields over all roles that share a node. All of them get the same bits, so that
 * no later synchronisation is needed: with EXCHANGE_FACES every step is a sum of two, otherwise
 * every role adds the parts of a node in the order of role numbers, its own in its
 * place. field NULL: the message calls only. */
int halo_sum(struct halo *h, struct msg *m, int tag, double *const field[FIELDS]);

/* Exchange the outermost element layer with the neighbours, for three element fields: below[a] and
 * above[a] (edge^2) get field[a] of the neighbours along axis a only, which is all that the
 * viscosity needs. Unchanged where there is no neighbour. field NULL: the message calls only. */
int halo_faces(struct halo *h, struct msg *m, int tag, double *const field[FIELDS],
	       double *const below[FIELDS], double *const above[FIELDS]);

#endif
