/* kernels/lulesh/mesh.h - memory and initial state of a block. */
#ifndef KERNELS_LULESH_MESH_H
#define KERNELS_LULESH_MESH_H

#include "kernels/lulesh/domain.h"

/* s->edge, side, at, elements, nodes, in_place and exchange are set. RB_OK or RB_ENOMEM;
 * mesh_free() frees it. */
int mesh_allocate(struct kernel_state *s);
int mesh_make_constants(struct kernel_state *s);
/* Share those of another state of this role. */
void mesh_use_constants(struct kernel_state *s, struct constants *constants);
void mesh_free(struct kernel_state *s);
/* The state before the first step: a blast in the element at the origin of the whole cube. */
void mesh_reset(struct kernel_state *s);

#endif
