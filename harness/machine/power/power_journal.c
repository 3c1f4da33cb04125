/* Journals: the earlier settings, kept where a SIGKILL cannot destroy them. */
#include "harness/machine/power/power_inside.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC = 0x52424a50, TRIES = 100 };

/* The name does not begin with "rollbench-", since unlocked folders with that prefix are removed
 * (harness/job/scratch.c). */
static void folder_path(char out[POWER_PATH])
{
	snprintf(out, POWER_PATH, "/dev/shm/rollbench.power.%u", (unsigned)geteuid());
}

/* No other user may have put anything into the folder, because its contents say what is written
 * into registers. */
static bool is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

/* Has the previous holder of the lock removed the file? */
static bool is_gone(int fd)
{
	struct stat st;

	return fstat(fd, &st) != 0 || st.st_nlink == 0;
}

int power_folder_enter(struct rb_error *err)
{
	char path[POWER_PATH];
	int fd;

	folder_path(path);
	for (int i = 0; i < TRIES; i++) {
		mkdir(path, 0700);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			break;
		if (!is_ours(fd)) {
			close(fd);
			return rb_fail(err, RB_EIO, "%s is somebody else's; have root remove it",
				       path);
		}
		if (flock(fd, LOCK_EX) == 0 && !is_gone(fd))
			return fd;
		close(fd);
	}
	return rb_fail(err, RB_EIO, "%s, where settings are noted before they are changed: %s",
		       path, strerror(errno));
}

void power_folder_leave(int folder)
{
	char path[POWER_PATH];

	folder_path(path);
	rmdir(path); /* this fails if there is something in it, as it should */
	close(folder);
}

static int map(struct power_file *f)
{
	f->journal = mmap(NULL, sizeof *f->journal, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	if (f->journal != MAP_FAILED)
		return 0;
	f->journal = NULL;
	return -1;
}

static int create(struct power_file *f)
{
	folder_path(f->path);
	strcat(f->path, "/XXXXXX");
	f->fd = mkostemp(f->path, O_CLOEXEC);
	if (f->fd < 0)
		return -1;
	errno = posix_fallocate(f->fd, 0, sizeof *f->journal);
	if (errno != 0 || flock(f->fd, LOCK_EX | LOCK_NB) != 0 || map(f) != 0)
		return -1;
	f->journal->pid = getpid();
	f->journal->magic = MAGIC;
	return 0;
}

int power_file_create(struct power_file *f, struct rb_error *err)
{
	int folder = power_folder_enter(err), rc = RB_OK;

	*f = (struct power_file){ .fd = -1 };
	if (folder < 0)
		return folder;
	if (create(f) != 0) {
		rc = rb_fail(err, RB_EIO, "%s: %s", f->path, strerror(errno));
		if (f->fd >= 0)
			unlink(f->path);
		power_file_remove(f);
	}
	power_folder_leave(folder);
	return rc;
}

void power_file_remove(struct power_file *f)
{
	if (f->journal)
		munmap(f->journal, sizeof *f->journal);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct power_file){ .fd = -1 };
}

bool power_write(const struct power_journal *j, bool reduced, char text[POWER_TEXT])
{
	bool all = true;

	for (int i = 0; i < j->count; i++) {
		const struct power_setting *s = &j->setting[i];
		const struct power_lever *lever = power_lever[s->kind];

		if (lever->write(s, reduced))
			continue;
		if (all)
			snprintf(text, POWER_TEXT, "%s, processing unit %d: it could not be %s: %s",
				 lever->name, (int)s->cpu, reduced ? "reduced" : "set again",
				 strerror(errno));
		all = false;
	}
	return all;
}

/* Open the journal of a file in the folder, and lock it if no other process has the lock. */
static bool look(int folder, const char *name, struct power_file *f, bool *lives)
{
	struct stat st;

	*f = (struct power_file){ .fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC) };
	if (f->fd < 0 || fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*lives = flock(f->fd, LOCK_EX | LOCK_NB) != 0;
	return st.st_size == (off_t)sizeof *f->journal && map(f) == 0 &&
	       f->journal->magic == MAGIC && f->journal->count >= 0 &&
	       f->journal->count <= POWER_SETTINGS;
}

static bool touches(const struct power_journal *j, const cpu_set_t *units)
{
	for (int i = 0; i < j->count; i++)
		if (CPU_ISSET(j->setting[i].cpu, units))
			return true;
	return false;
}

static bool same_file(const struct power_file *a, const struct power_file *b)
{
	struct stat x, y;

	return b && fstat(a->fd, &x) == 0 && fstat(b->fd, &y) == 0 && x.st_ino == y.st_ino;
}

/* Handle the journal of a living or of a dead process. RB_LOST and RB_EIO as for
 * power_folder_clear(). */
static int clear(int folder, const char *name, struct power_file *f, bool lives,
		 const cpu_set_t *units, struct rb_error *err)
{
	const struct power_journal *j = f->journal;
	char text[POWER_TEXT];

	if (lives) {
		if (!touches(j, units))
			return RB_OK;
		rb_fail(err, RB_EINVAL, "process %d sets the power of this core already",
			(int)j->pid);
		return RB_LOST;
	}
	if (j->changed && !power_write(j, false, text)) {
		if (!touches(j, units))
			return RB_OK;
		return rb_fail(
			err, RB_EIO,
			"process %d left it changed when it was killed, and %s; see `rollbench "
			"doctor`",
			(int)j->pid, text);
	}
	unlinkat(folder, name, 0);
	return RB_OK;
}

/* Call visit for each journal; stop at the first that is not RB_OK. Files that are not journals are
 * removed. */
static int each(int folder,
		int (*visit)(void *ctx, const char *name, struct power_file *f, bool lives),
		void *ctx)
{
	DIR *list = fdopendir(dup(folder));
	struct dirent *entry;
	int rc = RB_OK;

	if (list)
		rewinddir(list);
	while (rc == RB_OK && list && (entry = readdir(list))) {
		struct power_file f;
		bool lives = false;

		if (entry->d_name[0] == '.')
			continue;
		if (look(folder, entry->d_name, &f, &lives))
			rc = visit(ctx, entry->d_name, &f, lives);
		else if (f.fd >= 0 && !lives)
			unlinkat(folder, entry->d_name, 0);
		power_file_remove(&f);
	}
	if (list)
		closedir(list);
	return rc;
}

struct clearing {
	int folder;
	const cpu_set_t *units;
	const struct power_file *own;
	struct rb_error *err;
};

static int clear_one(void *ctx, const char *name, struct power_file *f, bool lives)
{
	const struct clearing *c = ctx;

	return same_file(f, c->own) ? RB_OK : clear(c->folder, name, f, lives, c->units, c->err);
}

int power_folder_clear(int folder, const cpu_set_t *units, const struct power_file *own,
		       struct rb_error *err)
{
	struct clearing c = { folder, units, own, err };

	return each(folder, clear_one, &c);
}

struct leftovers {
	char (*text)[POWER_TEXT];
	int count, most;
};

static int note_one(void *ctx, const char *name, struct power_file *f, bool lives)
{
	struct leftovers *l = ctx;
	const struct power_journal *j = f->journal;
	char what[POWER_TEXT];

	(void)name;
	for (int i = 0; !lives && j->changed && i < j->count && l->count < l->most; i++) {
		power_lever[j->setting[i].kind]->describe(&j->setting[i], what);
		snprintf(l->text[l->count++], POWER_TEXT,
			 "processing unit %d was left reduced by "
			 "process %d: %.150s",
			 (int)j->setting[i].cpu, (int)j->pid, what);
	}
	return RB_OK;
}

void power_restore_leftovers(void)
{
	/* no process needs any of them, so one that cannot be restored stops nothing */
	cpu_set_t none;
	char path[POWER_PATH];
	struct rb_error err;
	int folder;

	CPU_ZERO(&none);
	folder_path(path);
	if (access(path, F_OK) != 0)
		return;
	folder = power_folder_enter(&err);
	if (folder < 0)
		return;
	power_folder_clear(folder, &none, NULL, &err);
	power_folder_leave(folder);
}

int power_leftovers(char (*text)[POWER_TEXT], int most)
{
	struct leftovers l = { text, 0, most };
	char path[POWER_PATH];
	struct rb_error err;
	int folder;

	folder_path(path);
	if (access(path, F_OK) != 0)
		return 0;
	folder = power_folder_enter(&err);
	if (folder < 0)
		return 0;
	each(folder, note_one, &l);
	power_folder_leave(folder);
	return l.count;
}
