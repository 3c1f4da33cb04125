/* kernels/lulesh/lulesh.h - LULESH 1.0: Lagrangian shock hydrodynamics, the Sedov blast wave.
 *
 * Written from the published algorithm: Hydrodynamics Challenge Problem, LLNL-TR-490254. One
 * octant of a spherical blast on a Cartesian mesh of hexahedra, symmetry planes at x = 0, y = 0
 * and z = 0, distributed over a cube of roles with edge^3 elements each. One iteration is one
 * time step (Lagrange leapfrog). docs/kernels.md says what is double-buffered and why. */
#ifndef KERNELS_LULESH_LULESH_H
#define KERNELS_LULESH_LULESH_H

#include "contract/kernel.h"

extern const struct kernel_ops kernel_lulesh;

#endif
