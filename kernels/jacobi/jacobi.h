/* kernels/jacobi/jacobi.h - 2D five-point heat solver with a known answer.
 *
 * u' = (north + south + west + east) / 4 on the interior points of the unit square, u = 0 on its
 * boundary. The field starts as a sum of discrete eigenmodes sin(k pi x) sin(l pi y), each of which
 * shrinks by exactly (cos(k pi h) + cos(l pi h)) / 2 per iteration: the right answer after any
 * number of steps is known at every point, and one old halo value makes it wrong. */
#ifndef KERNELS_JACOBI_JACOBI_H
#define KERNELS_JACOBI_JACOBI_H

#include "contract/kernel.h"

extern const struct kernel_ops kernel_jacobi;

#endif
