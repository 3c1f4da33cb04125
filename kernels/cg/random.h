/* kernels/cg/random.h - the NPB generator: x <- 5^13 x mod 2^46 (RNR-94-007, Sect. 2.3).
 *
 * The report had to work in double precision; 64-bit integers give the same numbers, since 2^46
 * divides 2^64. */
#ifndef KERNELS_CG_RANDOM_H
#define KERNELS_CG_RANDOM_H

#include <stdint.h>

static const uint64_t RANDOM_SEED = 314159265;

/* The next number, in (0, 1). */
static inline double random_next(uint64_t *x)
{
	*x = (*x * 1220703125u) & ((UINT64_C(1) << 46) - 1);
	return (double)*x * 0x1p-46;
}

#endif
