#include "contract/regions.h"

#include <string.h>

size_t regions_bytes(const struct kernel_region *region, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += region[i].bytes;
	return bytes;
}

void regions_gather(const struct kernel_region *region, size_t count, char *to)
{
	for (size_t i = 0; i < count; i++) {
		if (region[i].bytes > 0)
			memcpy(to, region[i].data, region[i].bytes);
		to += region[i].bytes;
	}
}

void regions_scatter(const struct kernel_region *region, size_t count, const char *from)
{
	for (size_t i = 0; i < count; i++) {
		if (region[i].bytes > 0)
			memcpy(region[i].data, from, region[i].bytes);
		from += region[i].bytes;
	}
}
