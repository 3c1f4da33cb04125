#include "inject/roster.h"

#include "base/mapped.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void roster_path(const char *dir, char *out, size_t size)
{
	char host[ROSTER_HOST] = "";

	gethostname(host, sizeof host - 1);
	snprintf(out, size, "%s/roster.%s", dir, host);
}

int roster_open(struct roster *r, const char *dir, int slots, struct rb_error *err)
{
	size_t bytes = (size_t)slots * sizeof *r->slot;
	char path[4096];

	r->slots = slots;
	r->dir = dir;
	roster_path(dir, path, sizeof path);
	r->slot = mapped_open(path, bytes);
	return r->slot ? RB_OK : rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
}

bool roster_view(struct roster *r, const char *dir, int slots)
{
	size_t bytes = (size_t)slots * sizeof *r->slot;
	char path[4096];

	roster_path(dir, path, sizeof path);
	*r = (struct roster){ slots, dir, (void *)(uintptr_t)mapped_view(path, bytes) };
	return r->slot != NULL;
}

void roster_close(struct roster *r)
{
	munmap(r->slot, (size_t)r->slots * sizeof *r->slot);
}

/* Raise *front to that of the roles in this roster. Does this roster have a role? */
static bool raise_front(const struct roster_slot *s, int64_t *front)
{
	if (!s->pid || s->role < 0)
		return false;
	if (s->front > *front)
		*front = s->front;
	return true;
}

/* The files of all hosts. The caller calls globfree(). */
static void find_all(const char *dir, glob_t *found)
{
	char pattern[4096];

	snprintf(pattern, sizeof pattern, "%s/roster.*", dir);
	if (glob(pattern, GLOB_NOSORT, NULL, found) != 0)
		*found = (glob_t){ .gl_pathc = 0 };
}

void roster_forget(const char *dir)
{
	glob_t found;

	find_all(dir, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
}

bool roster_hosts(const char *dir, int ranks, char (*host)[ROSTER_HOST])
{
	int read = 0;
	glob_t found;

	find_all(dir, &found);
	for (size_t i = 0; i < found.gl_pathc && read < ranks; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");
		struct roster_slot slot;

		for (read = 0; f && read < ranks && fread(&slot, sizeof slot, 1, f) == 1; read++)
			memcpy(host[read], slot.host, ROSTER_HOST);
		if (f)
			fclose(f);
		if (read < ranks || !host[ranks - 1][0]) /* its process had only begun to write */
			read = 0;
	}
	globfree(&found);
	return read == ranks;
}

/* The largest front in the rosters of all hosts. */
static int64_t front_anywhere(const struct roster *r)
{
	int64_t front = 0;
	glob_t found;

	find_all(r->dir, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");
		struct roster_slot slot;

		while (f && fread(&slot, sizeof slot, 1, f) == 1)
			raise_front(&slot, &front);
		if (f)
			fclose(f);
	}
	globfree(&found);
	return front;
}

int64_t roster_front(const struct roster *r)
{
	int64_t front = 0;
	bool roles = false;

	for (int i = 0; i < r->slots; i++)
		roles = raise_front(&r->slot[i], &front) || roles;
	return roles ? front : front_anywhere(r);
}

/* Signal handlers must not call snprintf(), so this does without it. */
static void cmdline_path(int32_t pid, char out[32])
{
	char digits[12], *first = digits + sizeof digits - 1;

	*first = '\0';
	for (; pid > 0; pid /= 10)
		*--first = (char)('0' + pid % 10);
	stpcpy(stpcpy(stpcpy(out, "/proc/"), first), "/cmdline");
}

/* The pid may meanwhile belong to another program, so only a process of this run is killed. */
static bool is_ours(int32_t pid, const char *dir)
{
	char path[32], line[4096];
	ssize_t n;
	int fd;

	cmdline_path(pid, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, line, sizeof line - 1);
	close(fd);
	return n > 0 && memmem(line, (size_t)n, dir, strlen(dir)) != NULL;
}

int roster_find_node(const struct roster *r, const char *dir, int self, int *next,
		     struct roster_process *found, int room)
{
	const struct roster_slot *me = &r->slot[self];
	int count = 0;

	for (; *next < r->slots && count < room; (*next)++) {
		const struct roster_slot *s = &r->slot[*next];

		if (*next != self && s->pid && s->node == me->node &&
		    strcmp(s->host, me->host) == 0 && is_ours(s->pid, dir))
			found[count++] = (struct roster_process){ s->pid, s->role };
	}
	return count;
}
