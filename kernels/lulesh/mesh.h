/* kernels/lulesh/mesh.h - memory and initial state of a block. */
#ifndef KERNELS_LULESH_MESH_H
#define KERNELS_LULESH_MESH_H

#include "kernels/lulesh/domain.h"

/* s->edge, side, at, elements and nodes are set. RB_OK or RB_ENOMEM; also fills the constants. */
int mesh_allocate(struct kernel_state *s);
void mesh_free(struct kernel_state *s);
/* The state before the first step: a blast in the element at the origin of the whole cube. */
void mesh_reset(struct kernel_state *s);

#endif
