#include "ft/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <isa-l/crc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHECKPOINT_MAGIC = 0x50434b52, CHECKPOINT_VERSION = 1, WRITE_MAX = 1 << 30 };

struct region_header {
	char name[32];
	uint64_t bytes;
	uint32_t crc, pad;
};

struct file_header {
	uint32_t magic, version;
	uint32_t crc; /* of the header with this field 0 */
	uint32_t regions;
	struct checkpoint_id id;
	struct region_header region[KERNEL_MAX_REGIONS];
};

void checkpoint_path(const char *dir, int role, int64_t iter, char *out, size_t size)
{
	snprintf(out, size, "%s/role.%d.iter.%" PRId64 ".ckpt", dir, role, iter);
}

/* crc32_iscsi takes an int length, so long regions go through it in pieces. */
static uint32_t crc32c(const void *data, size_t bytes)
{
	unsigned char *at = (unsigned char *)(uintptr_t)data;
	uint32_t crc = ~0u;

	while (bytes > 0) {
		size_t n = bytes < WRITE_MAX ? bytes : WRITE_MAX;

		crc = crc32_iscsi(at, (int)n, crc);
		at += n;
		bytes -= n;
	}
	return ~crc;
}

static void fill_header(struct file_header *h, const struct checkpoint_id *id,
			const struct kernel_region *region, size_t count)
{
	memset(h, 0, sizeof *h);
	h->magic = CHECKPOINT_MAGIC;
	h->version = CHECKPOINT_VERSION;
	h->regions = (uint32_t)count;
	h->id = *id;
	for (size_t i = 0; i < count; i++) {
		snprintf(h->region[i].name, sizeof h->region[i].name, "%s", region[i].name);
		h->region[i].bytes = region[i].bytes;
		h->region[i].crc = crc32c(region[i].data, region[i].bytes);
	}
	h->crc = crc32c(h, sizeof *h);
}

static int write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes > 0) {
		ssize_t n = write(fd, at, bytes < WRITE_MAX ? bytes : WRITE_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int read_all(int fd, void *data, size_t bytes)
{
	char *at = data;

	while (bytes > 0) {
		ssize_t n = read(fd, at, bytes < WRITE_MAX ? bytes : WRITE_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* The probe sits in the middle of the middle region: a file cut there is half a checkpoint. */
static int write_regions(int fd, const struct kernel_region *region, size_t count,
			 checkpoint_probe *probe, void *ctx)
{
	for (size_t i = 0; i < count; i++) {
		size_t half = i == count / 2 ? region[i].bytes / 2 : 0;
		const char *data = region[i].data;

		if (write_all(fd, data, half) != 0)
			return -1;
		if (i == count / 2 && probe)
			probe(ctx);
		if (write_all(fd, data + half, region[i].bytes - half) != 0)
			return -1;
	}
	return 0;
}

static int sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

static int io_error(const char *path, const char *what, struct rb_error *err)
{
	return rb_fail(err, RB_EIO, "checkpoint %s: %s: %s", path, what, strerror(errno));
}

int checkpoint_write(const char *dir, const struct checkpoint_id *id,
		     const struct kernel_region *region, size_t count, checkpoint_probe *probe,
		     void *ctx, struct rb_error *err)
{
	char path[4096], temporary[4096 + 8];
	struct file_header header;
	int fd, rc = RB_OK;

	checkpoint_path(dir, id->role, id->iter, path, sizeof path);
	snprintf(temporary, sizeof temporary, "%s.tmp", path);
	fill_header(&header, id, region, count);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return io_error(temporary, "open", err);
	if (write_all(fd, &header, sizeof header) != 0 ||
	    write_regions(fd, region, count, probe, ctx) != 0)
		rc = io_error(temporary, "write", err);
	else if (fsync(fd) != 0)
		rc = io_error(temporary, "fsync", err);
	if (close(fd) != 0 && rc == RB_OK)
		rc = io_error(temporary, "close", err);
	if (rc == RB_OK && rename(temporary, path) != 0)
		rc = io_error(path, "rename", err);
	if (rc == RB_OK && sync_folder(dir) != 0)
		rc = io_error(dir, "fsync", err);
	if (rc != RB_OK)
		unlink(temporary);
	return rc;
}

static int corrupt(const char *path, const char *what, struct rb_error *err)
{
	return rb_fail(err, RB_ECORRUPT, "checkpoint %s: %s; refusing to restore from it", path,
		       what);
}

static int check_identity(struct file_header *h, const struct checkpoint_id *id, const char *path,
			  struct rb_error *err)
{
	uint32_t crc = h->crc;

	h->crc = 0;
	if (h->magic != CHECKPOINT_MAGIC || crc32c(h, sizeof *h) != crc)
		return corrupt(path, "damaged header (CRC32C differs)", err);
	if (h->version != CHECKPOINT_VERSION)
		return corrupt(path, "written by another version", err);
	if (strcmp(h->id.kernel, id->kernel) != 0 || strcmp(h->id.params, id->params) != 0 ||
	    h->id.np != id->np)
		return corrupt(path, "belongs to another kernel or other parameters", err);
	if (h->id.role != id->role || h->id.iter != id->iter)
		return corrupt(path, "belongs to another role or iteration", err);
	return RB_OK;
}

static int check_header(struct file_header *h, const struct checkpoint_id *id,
			const struct kernel_region *region, size_t count, const char *path,
			struct rb_error *err)
{
	RB_TRY(check_identity(h, id, path, err));
	if (h->regions != count)
		return corrupt(path, "has another number of regions", err);
	for (size_t i = 0; i < count; i++)
		if (strcmp(h->region[i].name, region[i].name) != 0 ||
		    h->region[i].bytes != region[i].bytes)
			return corrupt(path, "has another layout of regions", err);
	return RB_OK;
}

static int read_regions(int fd, const struct file_header *h, const struct kernel_region *region,
			size_t count, const char *path, struct rb_error *err)
{
	char what[80], extra;

	for (size_t i = 0; i < count; i++) {
		if (read_all(fd, region[i].data, region[i].bytes) != 0)
			return corrupt(path, "truncated", err);
		if (crc32c(region[i].data, region[i].bytes) != h->region[i].crc) {
			snprintf(what, sizeof what, "damaged region '%s' (CRC32C differs)",
				 region[i].name);
			return corrupt(path, what, err);
		}
	}
	return read(fd, &extra, 1) == 0 ? RB_OK : corrupt(path, "longer than it should be", err);
}

int checkpoint_read(const char *dir, const struct checkpoint_id *id,
		    const struct kernel_region *region, size_t count, struct rb_error *err)
{
	char path[4096];
	struct file_header header;
	int fd, rc;

	checkpoint_path(dir, id->role, id->iter, path, sizeof path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(path, "open", err);
	if (read_all(fd, &header, sizeof header) != 0)
		rc = corrupt(path, "truncated", err);
	else
		rc = check_header(&header, id, region, count, path, err);
	if (rc == RB_OK)
		rc = read_regions(fd, &header, region, count, path, err);
	close(fd);
	return rc;
}

/* One region of the file against its CRC, through a small buffer. */
static int check_region(int fd, const struct region_header *region, const char *path,
			struct rb_error *err)
{
	static unsigned char block[1 << 16];
	uint64_t left = region->bytes;
	uint32_t crc = ~0u;

	while (left > 0) {
		size_t n = left < sizeof block ? (size_t)left : sizeof block;

		if (read_all(fd, block, n) != 0)
			return corrupt(path, "truncated", err);
		crc = crc32_iscsi(block, (int)n, crc);
		left -= n;
	}
	return ~crc == region->crc ? RB_OK : corrupt(path, "damaged region (CRC32C differs)", err);
}

int checkpoint_check(const char *dir, const struct checkpoint_id *id, struct rb_error *err)
{
	char path[4096], extra;
	struct file_header header;
	int fd, rc;

	checkpoint_path(dir, id->role, id->iter, path, sizeof path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(path, "open", err);
	if (read_all(fd, &header, sizeof header) != 0)
		rc = corrupt(path, "truncated", err);
	else
		rc = check_identity(&header, id, path, err);
	if (rc == RB_OK && header.regions > KERNEL_MAX_REGIONS)
		rc = corrupt(path, "has too many regions", err);
	for (uint32_t i = 0; rc == RB_OK && i < header.regions; i++)
		rc = check_region(fd, &header.region[i], path, err);
	if (rc == RB_OK && read(fd, &extra, 1) != 0)
		rc = corrupt(path, "longer than it should be", err);
	close(fd);
	return rc;
}

void checkpoint_remove(const char *dir, int role, int64_t iter)
{
	char path[4096];

	checkpoint_path(dir, role, iter, path, sizeof path);
	unlink(path);
}
