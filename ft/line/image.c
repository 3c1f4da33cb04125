#include "ft/line/image.h"

#include "base/crc.h"
#include "base/status.h"
#include "contract/regions.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image_id image_identify(const struct ft_config *cfg, int role, int64_t iter)
{
	struct image_id id = { .np = cfg->np, .role = role, .iter = iter };

	snprintf(id.kernel, sizeof id.kernel, "%s", cfg->kernel->name);
	snprintf(id.params, sizeof id.params, "%s", cfg->params);
	return id;
}

int image_room(struct image *i, size_t bytes)
{
	size_t room = image_lines(bytes) * IMAGE_LINE;

	if (room > i->room) {
		free(i->data);
		i->data = aligned_alloc(IMAGE_LINE, room);
		i->room = i->data ? room : 0;
	}
	i->bytes = i->data ? bytes : 0;
	return i->data || bytes == 0 ? RB_OK : RB_ENOMEM;
}

int image_grow(struct image *i, size_t bytes)
{
	struct image larger = { 0 };
	size_t kept = i->bytes;

	if (bytes > i->room) {
		RB_TRY(image_room(&larger, bytes));
		if (kept > 0)
			memcpy(larger.data, i->data, kept);
		image_free(i);
		*i = larger;
	}
	if (bytes > kept)
		memset(i->data + kept, 0, image_lines(bytes) * IMAGE_LINE - kept);
	i->bytes = bytes;
	return RB_OK;
}

void image_free(struct image *i)
{
	free(i->data);
	memset(i, 0, sizeof *i);
}

int image_take(struct image *i, const struct image_id *id, const struct kernel_region *region,
	       size_t count)
{
	struct image_header *h;
	const size_t bytes = sizeof *h + regions_bytes(region, count);
	char *at;

	RB_TRY(image_room(i, bytes));
	h = (struct image_header *)(void *)i->data;
	memset(h, 0, sizeof *h);
	h->magic = IMAGE_MAGIC;
	h->version = IMAGE_VERSION;
	h->regions = (uint32_t)count;
	h->id = *id;
	at = i->data + sizeof *h;
	for (size_t k = 0; k < count; k++) {
		snprintf(h->region[k].name, sizeof h->region[k].name, "%s", region[k].name);
		h->region[k].bytes = region[k].bytes;
		h->region[k].crc = crc_castagnoli(0, region[k].data, region[k].bytes);
		/* while the checksum has it in the cache */
		memcpy(at, region[k].data, region[k].bytes);
		at += region[k].bytes;
	}
	h->crc = crc_castagnoli(0, h, sizeof *h);
	memset(at, 0, image_lines(bytes) * IMAGE_LINE - bytes);
	return RB_OK;
}

/* Is the header undamaged? Nothing else in it may be used before this check. */
static bool header_whole(const struct image_header *h)
{
	struct image_header copy = *h;

	copy.crc = 0;
	return h->magic == IMAGE_MAGIC && h->regions <= IMAGE_REGIONS &&
	       crc_castagnoli(0, &copy, sizeof copy) == h->crc;
}

/* 0: this is no header. */
static size_t image_length(const void *header)
{
	struct image_header h;
	size_t bytes = sizeof h;

	memcpy(&h, header, sizeof h);
	if (!header_whole(&h))
		return 0;
	for (uint32_t k = 0; k < h.regions; k++) {
		if (h.region[k].bytes > SIZE_MAX / 2 - bytes)
			return 0;
		bytes += h.region[k].bytes;
	}
	return bytes;
}

static int corrupt(const char *name, const char *what, struct rb_error *err)
{
	return rb_fail(err, RB_ECORRUPT, "%s: %s; refusing to restore from it", name, what);
}

static int check_identity(const struct image_header *h, const struct image_id *id, const char *name,
			  struct rb_error *err)
{
	if (!header_whole(h))
		return corrupt(name, "damaged header (CRC32C differs)", err);
	if (strcmp(h->id.kernel, id->kernel) != 0 || strcmp(h->id.params, id->params) != 0 ||
	    h->id.np != id->np)
		return corrupt(name, "belongs to another kernel or other parameters", err);
	if (h->id.role != id->role || h->id.iter != id->iter)
		return corrupt(name, "belongs to another role or iteration", err);
	return RB_OK;
}

/* Headers of other versions have other lengths, so this comes first. */
static int check_version(const struct image *i, const char *name, struct rb_error *err)
{
	const struct image_header *h = (const void *)i->data;
	char what[80];

	if (i->bytes < offsetof(struct image_header, crc))
		return corrupt(name, "truncated", err);
	if (h->magic != IMAGE_MAGIC || h->version == IMAGE_VERSION)
		return RB_OK;
	snprintf(what, sizeof what,
		 "written as version %" PRIu32 " of images, and this is version %d", h->version,
		 IMAGE_VERSION);
	return corrupt(name, what, err);
}

int image_check(struct image *i, const struct image_id *id, bool padded, const char *name,
		struct rb_error *err)
{
	const struct image_header *h = (const void *)i->data;
	size_t length, slack = padded ? IMAGE_LINE : 1;
	const char *at;

	RB_TRY(check_version(i, name, err));
	if (i->bytes < sizeof *h)
		return corrupt(name, "truncated", err);
	RB_TRY(check_identity(h, id, name, err));
	length = image_length(h);
	if (length == 0 || i->bytes < length)
		return corrupt(name, "truncated", err);
	if (i->bytes - length >= slack)
		return corrupt(name, "longer than it should be", err);
	i->bytes = length;
	memset(i->data + length, 0, image_lines(length) * IMAGE_LINE - length);
	at = i->data + sizeof *h;
	for (uint32_t k = 0; k < h->regions; k++) {
		char what[80];

		snprintf(what, sizeof what, "damaged region '%.31s' (CRC32C differs)",
			 h->region[k].name);
		if (crc_castagnoli(0, at, h->region[k].bytes) != h->region[k].crc)
			return corrupt(name, what, err);
		at += h->region[k].bytes;
	}
	return RB_OK;
}

static size_t kernel_regions(const struct image_header *h)
{
	return h->regions -
	       (h->regions > 0 && strcmp(h->region[h->regions - 1].name, IMAGE_STATUS) == 0);
}

size_t image_sizes(const struct image *i, size_t bytes[KERNEL_MAX_REGIONS])
{
	const struct image_header *h = (const void *)i->data;
	const size_t count = kernel_regions(h);

	for (size_t k = 0; k < count; k++)
		bytes[k] = h->region[k].bytes;
	return count;
}

const void *image_status(const struct image *i, size_t *bytes)
{
	const struct image_header *h = (const void *)i->data;
	const size_t count = kernel_regions(h);

	if (count == h->regions)
		return NULL;
	*bytes = h->region[count].bytes;
	return i->data + i->bytes - *bytes;
}

int image_load(const struct image *i, const struct kernel_region *region, size_t count,
	       const char *name, struct rb_error *err)
{
	const struct image_header *h = (const void *)i->data;

	if (kernel_regions(h) != count)
		return corrupt(name, "has another number of regions", err);
	for (size_t k = 0; k < count; k++)
		if (strcmp(h->region[k].name, region[k].name) != 0 ||
		    h->region[k].bytes != region[k].bytes)
			return corrupt(name, "has another layout of regions", err);
	regions_scatter(region, count, i->data + sizeof *h);
	return RB_OK;
}
