#include "ft/line/checkpoint.h"

#include "base/status.h"
#include "base/whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void checkpoint_path(const char *dir, int role, int64_t iter, char *out, size_t size)
{
	snprintf(out, size, "%s/role.%d.iter.%" PRId64 ".ckpt", dir, role, iter);
}

/* A kill in the probe leaves half a file. */
static bool write_image(int fd, const struct image *image, checkpoint_probe *probe, void *ctx)
{
	size_t half = image->bytes / 2;

	if (!write_whole(fd, image->data, half))
		return false;
	if (probe)
		probe(ctx);
	return write_whole(fd, image->data + half, image->bytes - half);
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

int checkpoint_write(const char *dir, int role, int64_t iter, const struct image *image,
		     checkpoint_probe *probe, void *ctx, struct rb_error *err)
{
	char path[4096], temporary[4096 + 8];
	int fd, rc = RB_OK;

	checkpoint_path(dir, role, iter, path, sizeof path);
	snprintf(temporary, sizeof temporary, "%s.tmp", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return io_error(temporary, "open", err);
	if (!write_image(fd, image, probe, ctx))
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

static int load_file(int fd, const char *path, struct image *image, struct rb_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return io_error(path, "stat", err);
	if (image_room(image, (size_t)st.st_size) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "checkpoint %s: no memory for its %lld bytes", path,
			       (long long)st.st_size);
	if (!read_whole(fd, image->data,
			image->bytes)) /* errno 0: the file became shorter after fstat() */
		return io_error(path, "read", err);
	return RB_OK;
}

int checkpoint_read(const char *dir, const struct image_id *id, struct image *image,
		    struct rb_error *err)
{
	char path[4096], name[4096 + 16];
	int fd, rc;

	checkpoint_path(dir, id->role, id->iter, path, sizeof path);
	snprintf(name, sizeof name, "checkpoint %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(path, "open", err);
	rc = load_file(fd, path, image, err);
	close(fd);
	if (rc == RB_OK)
		rc = image_check(image, id, false, name, err);
	if (rc != RB_OK)
		image->bytes = 0;
	return rc;
}

int64_t checkpoint_newest(const char *dir, int role, int64_t most)
{
	struct dirent *entry;
	int64_t newest = 0;
	DIR *folder = opendir(dir);

	while (folder && (entry = readdir(folder))) {
		int64_t iter;
		int whose, end = 0;

		if (sscanf(entry->d_name, "role.%d.iter.%" SCNd64 ".ckpt%n", &whose, &iter, &end) ==
			    2 &&
		    end > 0 && !entry->d_name[end] && whose == role && iter <= most &&
		    iter > newest)
			newest = iter;
	}
	if (folder)
		closedir(folder);
	return newest;
}

void checkpoint_remove(const char *dir, int role, int64_t iter)
{
	char path[4096];

	checkpoint_path(dir, role, iter, path, sizeof path);
	unlink(path);
}
