#include "harness/machine/usage.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *usage_phase_name(int phase)
{
	return phase == USAGE_ABORTED ? "aborted" : ledger_phase_name((enum ledger_phase)phase);
}

static void usage_path(const char *dir, int role, char *out, size_t size)
{
	snprintf(out, size, "%s/role.%d.usage", dir, role);
}

static size_t size_for(int64_t rows)
{
	return sizeof(struct usage) + (size_t)rows * sizeof(struct usage_row);
}

/* Map the file. It may exist already, from a process that died. */
static struct usage *map(int fd, int64_t rows, int role)
{
	struct stat st;
	struct usage *u;
	size_t size;

	if (fstat(fd, &st) != 0)
		return NULL;
	size = (size_t)st.st_size > size_for(rows) ? (size_t)st.st_size : size_for(rows);
	if ((errno = posix_fallocate(fd, 0, (off_t)size)) != 0)
		return NULL;
	u = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (u == MAP_FAILED)
		return NULL;
	if (u->magic != USAGE_MAGIC) {
		memset(u, 0, sizeof *u);
		u->version = USAGE_VERSION;
		u->role = role;
		u->bound_to = u->reader.package = METER_NONE;
		u->magic = USAGE_MAGIC;
	}
	u->capacity = (int64_t)((size - sizeof *u) / sizeof *u->row);
	return u;
}

struct usage *usage_open(const char *dir, int role, int64_t rows, struct rb_error *err)
{
	char path[4096];
	struct usage *u;
	int fd;

	usage_path(dir, role, path, sizeof path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	u = fd < 0 ? NULL : map(fd, rows < USAGE_ROWS ? rows : USAGE_ROWS, role);
	if (!u)
		rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return u;
}

void usage_close(struct usage *u)
{
	usage_unmap(u);
}

void usage_unmap(const struct usage *u)
{
	if (u)
		munmap((void *)(uintptr_t)u, size_for(u->capacity));
}

const struct usage *usage_read(const char *dir, int role)
{
	const struct usage *u = NULL;
	char path[4096];
	struct stat st;
	int fd;

	usage_path(dir, role, path, sizeof path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof *u)
		u = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (!u || u == MAP_FAILED)
		return NULL;
	if (u->magic == USAGE_MAGIC && u->version == USAGE_VERSION && u->rows <= u->capacity &&
	    (size_t)st.st_size >= size_for(u->capacity))
		return u;
	munmap((void *)(uintptr_t)u, (size_t)st.st_size);
	return NULL;
}

static void add(struct usage_amount *sum, const struct usage_amount *a)
{
	sum->wall_s += a->wall_s;
	sum->cpu_s += a->cpu_s;
	sum->cycles += a->cycles;
	sum->instructions += a->instructions;
	for (int d = 0; d < METER_DOMAINS; d++)
		sum->energy_j[d] += a->energy_j[d];
}

void usage_former(struct usage *u, bool read)
{
	struct usage_former *f;

	if (u->formers < USAGE_FORMERS) {
		f = &u->former[u->formers];
		f->package = u->bound_to;
		f->read = read;
		memcpy(f->host, u->host, sizeof f->host);
	}
	u->formers++;
}

void usage_add(struct usage *u, const struct usage_row *span, bool row)
{
	struct usage_sum *sum = &u->sum[span->phase];

	add(&sum->amount, &span->amount);
	sum->spans++;
	if (row && u->rows < u->capacity) {
		u->row[u->rows] = *span;
		u->rows++; /* only now, so that a death before this leaves no incomplete row */
	} else if (row) {
		u->dropped++;
	}
}
