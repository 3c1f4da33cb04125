/* kernels/triad/triad.h - the roof for the other kernels: memory bandwidth.
 *
 * a = b + s c over vectors far larger than any cache, as in the STREAM benchmark (J. D. McCalpin,
 * 1995). No messages: roles run apart, so it tells what the cores get out of the memory when all of
 * them want it. 32 bytes move for each element: b and c are read, a is written, and its line is
 * read before that. */
#ifndef KERNELS_TRIAD_TRIAD_H
#define KERNELS_TRIAD_TRIAD_H

#include "kernels/kernel.h"

extern const struct kernel_ops kernel_triad;

#endif
