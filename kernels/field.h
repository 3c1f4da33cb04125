/* kernels/field.h - memory for the arrays that a kernel goes through in an iteration.
 *
 * malloc() maps each array of 128 KiB or more by itself, and all of them begin at the same place of
 * a page. A processor that compares only the last 12 bits of two addresses then lets a load wait
 * for an earlier store to another array ("4 KiB aliasing"), and what an iteration needs of all
 * arrays lies in the same sets of the first-level cache. So here large arrays that are made one
 * after the other begin 17 cache lines further in a page. From one huge page (2 MiB) on, the system
 * is asked for huge pages: each page of 4 KiB costs a walk through the page table. They hold
 * nothing but the array, so it takes no more memory. No result depends on any of this. */
#ifndef KERNELS_FIELD_H
#define KERNELS_FIELD_H

#include <stdint.h>

/* `length` zeros, at least 1; the owner ends them with field_free(). Large ones begin at a multiple
 * of 64 bytes, others where malloc() places them. NULL: out of memory. */
double *field_new(int64_t length);
void field_free(double *field); /* NULL is fine */

#endif
