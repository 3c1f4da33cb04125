/* kernels/field.h - memory for the arrays that a kernel goes through in an iteration.
 *
 * malloc() lets large arrays begin at the same place of a page: it maps each by itself, from 128
 * KiB on as a process begins. A processor that compares only the last 12 bits of two addresses then
 * lets a load wait for an earlier store to another array ("4 KiB aliasing"), and what an iteration
 * needs of all arrays lies in the same sets of the first-level cache. So here large arrays that are
 * made one after the other begin 17 cache lines further in a page. The system is also asked for
 * huge pages, of 2 MiB, where an array covers them whole: each page of 4 KiB costs a walk through
 * the page table. No result depends on any of this. */
#ifndef KERNELS_FIELD_H
#define KERNELS_FIELD_H

#include <stdint.h>

/* `length` zeros, at least 1; the owner ends them with field_free(). From 128 KiB on they begin at
 * a multiple of 64 bytes, else where malloc() places them. NULL: out of memory. */
double *field_new(int64_t length);
void field_free(double *field); /* NULL is fine */

#endif
