/* contract/regions.h - the pieces of a state as one run of bytes, one behind the other. */
#ifndef CONTRACT_REGIONS_H
#define CONTRACT_REGIONS_H

#include "contract/kernel.h"

size_t regions_bytes(const struct kernel_region *region, size_t count);
/* Copy all pieces to `to`, which has room for regions_bytes(). */
void regions_gather(const struct kernel_region *region, size_t count, char *to);
/* And back. */
void regions_scatter(const struct kernel_region *region, size_t count, const char *from);

#endif
