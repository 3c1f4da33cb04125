/* ft/line/image.h - a role's checkpoint as one piece of memory: what files, partners and parity
 * hold.
 *
 * A header that names kernel, parameters, role and iteration and carries a CRC32C for itself and
 * for each region, then the regions one behind the other. Nothing is loaded from an image with a
 * wrong checksum. The regions are those of the kernel and, if the log keeps it, the status of its
 * channels (ft/log/log.h) as a last one with the name IMAGE_STATUS. */
#ifndef FT_LINE_IMAGE_H
#define FT_LINE_IMAGE_H

#include "base/error.h"
#include "ft/config.h"
#include "contract/kernel.h"

#include <stdint.h>

enum { IMAGE_LINE = 64 }; /* bytes; images are sent in whole lines, the last filled up with 0 */

struct image_id {
	char kernel[32];
	char params[128]; /* canonical text of the kernel's options */
	int32_t np, role;
	int64_t iter; /* first iteration that is not in the checkpoint */
};

enum { IMAGE_MAGIC = 0x50434b52, IMAGE_VERSION = 2, IMAGE_REGIONS = KERNEL_MAX_REGIONS + 1 };
#define IMAGE_STATUS "status of channels"

struct region_header {
	char name[32];
	uint64_t bytes;
	uint32_t crc, pad;
};

/* The beginning of an image; the regions follow it. */
struct image_header {
	uint32_t magic, version;
	uint32_t crc; /* of the header with this field 0 */
	uint32_t regions;
	struct image_id id;
	struct region_header region[IMAGE_REGIONS];
};

/* The identity of a role's checkpoint of iteration iter. */
struct image_id image_identify(const struct ft_config *cfg, int role, int64_t iter);

/* All zero: empty. Memory is kept and used again. */
struct image {
	size_t bytes, room; /* used; allocated, in whole lines */
	char *data;
};

/* Make room for so many bytes; what was in it is lost. RB_OK or RB_ENOMEM. */
int image_room(struct image *i, size_t bytes);
/* The same, but what was in it stays and the new part is 0. */
int image_grow(struct image *i, size_t bytes);
void image_free(struct image *i);
static inline size_t image_lines(size_t bytes)
{
	return (bytes + IMAGE_LINE - 1) / IMAGE_LINE;
}

/* Copy the regions, at most IMAGE_REGIONS. RB_OK or RB_ENOMEM. */
int image_take(struct image *i, const struct image_id *id, const struct kernel_region *region,
	       size_t count);
/* RB_OK, or RB_ECORRUPT with `name` and what is wrong. i->bytes may exceed the image by less than a
 * line, if `padded`; it is then cut. */
int image_check(struct image *i, const struct image_id *id, bool padded, const char *name,
		struct rb_error *err);
/* The size of each region of the kernel; returns how many there are. Only after image_check(). */
size_t image_sizes(const struct image *i, size_t bytes[KERNEL_MAX_REGIONS]);
/* The status of channels, without alignment, and its bytes. NULL: the image has none. Only after
 * image_check(). */
const void *image_status(const struct image *i, size_t *bytes);
/* Copy into the regions of the kernel. RB_OK, or RB_ECORRUPT if they differ. Only after
 * image_check(). */
int image_load(const struct image *i, const struct kernel_region *region, size_t count,
	       const char *name, struct rb_error *err);

#endif
