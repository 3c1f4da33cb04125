/* kernels/amr/block.h - the numerics on one block: advection by the first-order upwind scheme, in
 * whole numbers.
 *
 * What flows is mass, and it is counted in whole units. What leaves a cell enters the next one, so
 * the sum of all cells never changes, exactly. Numbers stand row by row from south to north. */
#ifndef KERNELS_AMR_BLOCK_H
#define KERNELS_AMR_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* What leaves a cell to the east in one step, and to the north. coarser: levels below the
 * finest. */
int64_t flow_east(int64_t mass, int coarser);
int64_t flow_north(int64_t mass, int coarser);

/* What leaves a block through its eastern side: `width` numbers; or its northern side. */
void block_east(const int64_t *mass, int width, int coarser, int64_t *out);
void block_north(const int64_t *mass, int width, int coarser, int64_t *out);
/* One step. west, south: what comes in, `width` numbers; south is overwritten. */
void block_step(const int64_t *mass, int width, int coarser, const int64_t *west, int64_t *south,
		int64_t *next);

/* Through a side with half as many cells, or twice as many. width: of the input. */
void side_coarsen(const int64_t *in, int width, int64_t *out);
void side_refine(const int64_t *in, int width, int64_t *out);
/* A whole block with half as many cells along a side, or twice as many. width: of the input. */
void block_coarsen(const int64_t *in, int width, int64_t *out);
void block_refine(const int64_t *in, int width, int64_t *out);

#endif
