/* kernels/triad/triad.h - the limit for other kernels: memory bandwidth.
 *
 * a = b + s c over vectors far larger than any cache, as in the STREAM benchmark (J. D. McCalpin,
 * 1995). It has no messages, so it measures the memory bandwidth that the cores get when all of
 * them use it. 32 bytes move for each element: b and c are read, a is written, and its line is read
 * before that; 24 if a is written by non-temporal stores (--stores streaming). */
#ifndef KERNELS_TRIAD_TRIAD_H
#define KERNELS_TRIAD_TRIAD_H

#include "contract/kernel.h"

extern const struct kernel_ops kernel_triad;

#endif
