/* kernels/cg/cg.h - NAS CG: smallest eigenvalue of a sparse matrix by inverse iteration.
 *
 * D. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, Sect. 2.4 (kernel CG). Written
 * from that specification. One iteration here is one step of the inner conjugate-gradient
 * loop; 25 of them and the update of zeta make one outer iteration. */
#ifndef KERNELS_CG_CG_H
#define KERNELS_CG_CG_H

#include "contract/kernel.h"

extern const struct kernel_ops kernel_cg;

#endif
