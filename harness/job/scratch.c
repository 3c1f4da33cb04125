#include "harness/job/scratch.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	REMOVALS = 50, /* a second */
	/* characters: short, since sockets of the MPI lie below the folder (SOCKET_ROOM) */
	DRAWN = 6
};

static const char prefix[] = "/dev/shm/rollbench-";

const char *scratch_parent(const char *given)
{
	const char *tmp = getenv("TMPDIR");

	return given ? given : tmp && *tmp ? tmp : "/tmp";
}

int scratch_name(const char *parent, char dir[SPEC_PATH], struct rb_error *err)
{
	char absolute[PATH_MAX];
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
	unsigned char drawn[DRAWN];
	char name[DRAWN + 1] = "";

	parent = scratch_parent(parent);
	if (realpath(parent, absolute)) /* other processes may have other working folders */
		parent = absolute;
	dir[0] = '\0'; /* callers remove what they were given */
	if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
		return rb_fail(err, RB_EIO, "a run folder: no random name: %s", strerror(errno));
	for (int i = 0; i < DRAWN; i++)
		name[i] = letters[drawn[i] % (sizeof letters - 1)];
	if (snprintf(dir, SPEC_PATH, "%s/rollbench-run-%s", parent, name) < SPEC_PATH)
		return RB_OK;
	dir[0] = '\0'; /* what fits may be the name of somebody else's folder */
	return rb_fail(err, RB_EINVAL, "--workdir: the path is too long");
}

int scratch_make(char dir[SPEC_PATH], struct rb_error *err)
{
	if (mkdir(dir, 0700) == 0)
		return RB_OK;
	rb_fail(err, RB_EIO,
		"%.*s: cannot create a run folder: %s; choose another place with --workdir",
		(int)(strrchr(dir, '/') - dir), dir, strerror(errno));
	dir[0] = '\0';
	return RB_EIO;
}

int scratch_lock(const char *dir, int *lock, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	snprintf(path, sizeof path, "%s/lock", dir);
	*lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*lock < 0)
		return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
	if (flock(*lock, LOCK_EX | LOCK_NB) != 0)
		return rb_fail(err, RB_EINVAL, "%s: another rollbench is running it", dir);
	return RB_OK;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	/* an ending MPI daemon may have removed it first; the others are removed all the same */
	(void)!remove(path);
	return 0;
}

/* A process of the job that was killed while it makes a file finishes that call first, and has no
 * command line any more: nobody can wait for it. So what such a call brings is removed, too, until
 * the folder is gone. */
void scratch_remove(const char *dir)
{
	const struct timespec nap = { 0, 20000000 };

	for (int i = 0; dir[0] && i < REMOVALS && access(dir, F_OK) == 0; i++) {
		if (i > 0)
			nanosleep(&nap, NULL);
		nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	}
}

/* Copy a folder with a program that every system has. */
static bool copy(const char *from, const char *to)
{
	char source[SPEC_PATH + 4];
	int status = -1;
	pid_t child;

	snprintf(source, sizeof source, "%s/.", from);
	child = mkdir(to, 0777) == 0 ? fork() : -1;
	if (child == 0) {
		execlp("cp", "cp", "-R", source, to, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && status == 0;
}

int scratch_move(const char *from, const char *to, struct rb_error *err)
{
	if (access(to, F_OK) == 0)
		return rb_fail(err, RB_EIO, "%s: exists already; %s stays where it is", to, from);
	if (rename(from, to) == 0)
		return RB_OK;
	if (errno != EXDEV)
		return rb_fail(err, RB_EIO, "%s: cannot be moved to %s: %s", from, to,
			       strerror(errno));
	if (!copy(from, to)) {
		scratch_remove(to);
		return rb_fail(err, RB_EIO, "%s: cannot be copied to %s", from, to);
	}
	scratch_remove(from);
	return RB_OK;
}

/* Remove a folder, unless a process holds its lock or it was changed after the time `youngest`. */
static void remove_unlocked(const char *path, time_t youngest)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_ctime <= youngest && flock(fd, LOCK_EX | LOCK_NB) == 0)
		scratch_remove(path);
	close(fd);
}

/* Remove folders of shared memory whose harness was killed, so that no process holds their lock.
 * Young folders are left, since they may be about to be locked. */
static void remove_stale(void)
{
	const time_t young = time(NULL) - 60;
	char pattern[sizeof prefix + 1];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s*", prefix);
	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		remove_unlocked(found.gl_pathv[i], young);
	globfree(&found);
}

/* If an earlier harness of this run was killed, it could not remove its shared memory. The run
 * folder says where it is. The run folder may be a copy while the original still runs, and the file
 * may have been written by anybody, so both are checked. */
static void remove_former(const char *path)
{
	char old[64] = "";
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%63s", old) == 1 && strncmp(old, prefix, sizeof prefix - 1) == 0 &&
	    !strchr(old + sizeof prefix - 1, '/'))
		remove_unlocked(old, time(NULL));
	if (f)
		fclose(f);
}

static void make_and_lock(struct shared_memory *shared)
{
	snprintf(shared->dir, sizeof shared->dir, "%sXXXXXX", prefix);
	shared->lock = -1;
	if (!mkdtemp(shared->dir)) {
		shared->dir[0] = '\0';
		return;
	}
	shared->lock = open(shared->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (shared->lock >= 0)
		flock(shared->lock, LOCK_EX | LOCK_NB);
}

void shared_memory_make(struct shared_memory *shared, const char *run)
{
	char path[SPEC_PATH + 16];
	FILE *f;

	snprintf(path, sizeof path, "%s/shared-memory", run);
	remove_former(path);
	remove_stale();
	make_and_lock(shared);
	f = fopen(path, "we");
	if (!f)
		return;
	fprintf(f, "%s\n", shared->dir);
	fclose(f);
}

void shared_memory_remove(struct shared_memory *shared)
{
	scratch_remove(shared->dir);
	if (shared->lock >= 0)
		close(shared->lock);
	shared->dir[0] = '\0';
	shared->lock = -1;
}
