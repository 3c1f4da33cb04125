/* The folder of a store and the files in it. */
#include "base/clock.h"
#include "base/program.h"
#include "base/status.h"
#include "harness/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int store_make_folders(const char *dir)
{
	char path[SPEC_PATH];
	struct stat about;

	snprintf(path, sizeof path, "%s", dir);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST || stat(path, &about) != 0)
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(about.st_mode) ? 0 : -1;
}

/* Remove the files that were being written when the writer was killed (record_open()), in this
 * folder and where sweeps and merges keep records. */
static void remove_left_overs(const struct store *s)
{
	static const char *const folder[] = { "", STORE_CONFLICTS, STORE_REPLACED };
	char path[SPEC_PATH];
	struct rb_error err;

	for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
		DIR *dir = store_path(s, folder[i], "", path, &err) == RB_OK ? opendir(path) : NULL;
		struct dirent *e;

		while (dir && (e = readdir(dir)))
			if (strncmp(e->d_name, REPLACEMENT_BESIDE, sizeof REPLACEMENT_BESIDE - 1) ==
			    0)
				unlinkat(dirfd(dir), e->d_name, 0);
		if (dir)
			closedir(dir);
	}
}

static void read_all(const char *path, struct store_file *file)
{
	FILE *f = fopen(path, "re");
	struct stat about;

	if (!f)
		return;
	if (fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode))
		file->text = malloc((size_t)about.st_size + 1);
	if (file->text)
		file->size = fread(file->text, 1, (size_t)about.st_size, f);
	if (ferror(f))
		store_file_free(file);
	fclose(f);
}

int store_hash_file(const char *path, char out[MANIFEST_HASH], struct rb_error *err)
{
	struct store_file file = { .text = NULL };

	read_all(path, &file);
	if (!file.text)
		return rb_fail(err, RB_EIO, "%s: cannot be read", path);
	manifest_hash(file.text, file.size, out);
	store_file_free(&file);
	return RB_OK;
}

void store_hash_program(char out[MANIFEST_HASH])
{
	const char *const files[] = { "/proc/self/exe", program_ranks()->path };
	char hash[2][MANIFEST_HASH] = { "", "" };
	struct rb_error err;

	for (int i = 0; i < 2; i++)
		if (store_hash_file(files[i], hash[i], &err) != RB_OK)
			manifest_hash("", 0, hash[i]);
	manifest_hash(hash, sizeof hash, out);
}

static int begin(struct store *s, const char *dir, struct rb_error *err)
{
	memset(s, 0, sizeof *s);
	s->lock = -1;
	s->since = clock_monotonic();
	store_hash_program(s->program);
	if (snprintf(s->dir, sizeof s->dir, "%s", dir) >= (int)sizeof s->dir - 256)
		return rb_fail(err, RB_EINVAL, "%.60s...: the path of the results is too long",
			       dir);
	return RB_OK;
}

/* A writer holds the lock as long as it lives. Readers (verify, watch, --dry-run ...) release it
 * after a moment, so the writer waits for them. Readers can share the lock, and this tells the two
 * cases apart. */
static int lock_to_write(const struct store *s, struct rb_error *err)
{
	const struct timespec nap = { 0, 20 * 1000 * 1000 };
	double begin = clock_monotonic();

	while (flock(s->lock, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return rb_fail(err, RB_EIO, "%s/.lock: %s", s->dir, strerror(errno));
		if (flock(s->lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
			return rb_fail(
				err, RB_EIO,
				"results folder %s: in use: a sweep or a merge is writing to it",
				s->dir);
		flock(s->lock, LOCK_UN);
		if (clock_monotonic() - begin > STORE_PATIENCE)
			return rb_fail(
				err, RB_EIO,
				"results folder %s: in use: it has been read for %d s; try again "
				"when that is done",
				s->dir, STORE_PATIENCE);
		nanosleep(&nap, NULL);
	}
	return RB_OK;
}

int store_open(struct store *s, const char *dir, const char *remedy, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	RB_TRY(begin(s, dir, err));
	snprintf(path, sizeof path, "%s/.lock", dir);
	if (store_make_folders(dir) == 0)
		s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0)
		return rb_fail(err, RB_EIO, "results folder %s: %s; %s", dir, strerror(errno),
			       remedy);
	RB_TRY(lock_to_write(s, err));
	s->writing = true;
	remove_left_overs(s);
	RB_TRY(manifest_read(&s->manifest, dir, err));
	manifest_say_damage(&s->manifest, stderr);
	return RB_OK;
}

int store_open_to_read(struct store *s, const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	struct stat about;

	RB_TRY(begin(s, dir, err));
	if (stat(dir, &about) != 0)
		return rb_fail(err, RB_EIO, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(about.st_mode))
		return rb_fail(err, RB_EIO, "%s: not a folder; expected a folder of results", dir);
	snprintf(path, sizeof path, "%s/.lock", dir);
	/* if there is no lock file, no process is writing */
	s->lock = open(path, O_RDONLY | O_CLOEXEC);
	if (s->lock >= 0 && flock(s->lock, LOCK_SH | LOCK_NB) != 0)
		return rb_fail(err, RB_EIO,
			       "%s: it is being written to; try again when that is done", dir);
	return manifest_read(&s->manifest, dir, err);
}

void store_close(struct store *s)
{
	if (s->lock >= 0)
		close(s->lock);
	s->lock = -1;
	manifest_free(&s->manifest);
}

static bool says(const json_t *line, const char *hash)
{
	const char *said = json_string_value(json_object_get(line, "xxh3"));

	return said && strcmp(said, hash) == 0;
}

enum store_state store_read(const struct store *s, const char *id, struct store_file *file)
{
	json_t *line = manifest_find(&s->manifest, id);
	char path[SPEC_PATH];
	struct rb_error err;

	memset(file, 0, sizeof *file);
	if (store_path(s, id, ".json", path, &err) != RB_OK || access(path, F_OK) != 0)
		return STORE_ABSENT;
	read_all(path, file);
	if (!file->text)
		return STORE_CHANGED;
	manifest_hash(file->text, file->size, file->hash);
	if (!line)
		return STORE_UNLISTED;
	if (says(line, file->hash))
		return STORE_SOUND;
	return says(json_object_get(line, "before"), file->hash) ? STORE_OLDER : STORE_CHANGED;
}

void store_file_free(struct store_file *file)
{
	free(file->text);
	memset(file, 0, sizeof *file);
}

int store_keep(const struct store *s, const char *folder, const char *id,
	       const struct store_file *file, struct rb_error *err)
{
	struct record_file out = { .to.fd = -1 };
	char name[SPEC_PATH], path[SPEC_PATH];

	RB_TRY(store_path(s, folder, "", path, err));
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
	if (snprintf(name, sizeof name, "%s/%s~%.8s", folder, id, file->hash) >= (int)sizeof name)
		return rb_fail(err, RB_EINVAL, "%s: the name is too long", id);
	RB_TRY(store_path(s, name, ".json", path, err));
	RB_TRY(record_open(&out, path, err));
	RB_TRY(record_write(&out, file->text, file->size, err));
	return record_place(&out, err);
}
