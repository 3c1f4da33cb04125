#include "profile/command/spills.h"

#include "base/status.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int spills_folder(char *folder, size_t size, const char *out, struct rb_error *err)
{
	char here[PATH_MAX];
	struct stat is;
	const bool beside = stat(out, &is) != 0 || S_ISREG(is.st_mode);

	if (!beside && !getcwd(here, sizeof here))
		return rb_fail(err, RB_EIO, "the working folder: %s", strerror(errno));
	if (snprintf(folder, size, "%s%s.parts-XXXXXX", beside ? out : here,
		     beside ? "" : "/" PROFILE_NAME) >= (int)size)
		return rb_fail(err, RB_EINVAL, "--out %.60s...: the path is too long", out);
	return mkdtemp(folder) ? RB_OK
			       : rb_fail(err, RB_EIO, "--out %.300s: %s", out, strerror(errno));
}

/* Paths of the parts that are complete. RB_OK, also if there are none; RB_EIO. */
static int list(const char *folder, glob_t *found, struct rb_error *err)
{
	static const char names[] = "/" PROFILE_NAME ".rank-*[0-9]";
	const size_t n = strlen(folder);
	char *pattern = malloc(2 * n + sizeof names), *at = pattern;
	int rc;

	*found = (glob_t){ .gl_pathc = 0 };
	if (!pattern)
		return rb_fail(err, RB_EIO, "%.200s: out of memory", folder);
	for (size_t i = 0; i < n; i++) {
		if (strchr("*?[\\", folder[i]))
			*at++ = '\\';
		*at++ = folder[i];
	}
	memcpy(at, names, sizeof names);
	rc = glob(pattern, 0, NULL, found);
	free(pattern);
	if (rc == 0 || rc == GLOB_NOMATCH)
		return RB_OK;
	globfree(found);
	return rb_fail(err, RB_EIO, "%.200s: cannot be listed", folder);
}

bool spills_any(const char *folder)
{
	struct rb_error why;
	glob_t found;
	const bool any = list(folder, &found, &why) == RB_OK && found.gl_pathc > 0;

	globfree(&found);
	return any;
}

/* Remove what is in the folder, unfinished parts of killed processes included. */
static int empty(const char *folder)
{
	DIR *names = opendir(folder);
	int rc = 0;

	if (!names)
		return -1;
	for (struct dirent *d; (d = readdir(names));)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 &&
		    unlinkat(dirfd(names), d->d_name, 0) != 0 && errno != ENOENT)
			rc = -1;
	closedir(names);
	return rc;
}

int spills_remove(const char *folder, struct rb_error *err)
{
	enum { TRIES = 100 }; /* a process that is still alive may add a file in between */

	for (int i = 0; i < TRIES; i++) {
		if (empty(folder) != 0)
			break;
		if (rmdir(folder) == 0)
			return RB_OK;
		if (errno != ENOTEMPTY && errno != EEXIST)
			break;
	}
	return rb_fail(err, RB_EIO, "%.300s: %s", folder, strerror(errno));
}

static int append(struct profile *p, const struct profile *part)
{
	for (size_t i = 0; i < part->channels; i++)
		RB_TRY(profile_add_channel(p, &part->channel[i]));
	for (size_t i = 0; i < part->collectives; i++)
		RB_TRY(profile_add_collective(p, &part->collective[i]));
	/* of messages to processes outside MPI_COMM_WORLD: sums */
	for (size_t i = 0; i < part->keys; i++) {
		const char *have = profile_get(p, part->key[i].name);
		int64_t sum = 0, more = 0;
		char text[32];

		text_integer(have, 0, INT64_MAX / 2, &sum);
		text_integer(part->key[i].value, 0, INT64_MAX / 2, &more);
		snprintf(text, sizeof text, "%lld", (long long)(sum + more));
		RB_TRY(profile_set(p, part->key[i].name, text));
	}
	return RB_OK;
}

/* Does one reason say more than another? Who is killed by mpirun, since another process has failed,
 * dies of SIGTERM. */
static int weight(const char *reason)
{
	return strstr(reason, "MPI_Abort")      ? 3
	       : strstr(reason, "MPI_Finalize") ? 2
	       : strstr(reason, "signal 15")    ? 0
						: 1;
}

/* Join one file. *why: the reason that says most so far; the caller's to free. */
static int join(struct profile *p, const char *path, char **why, struct rb_error *err)
{
	struct profile part;
	int rc = profile_read(&part, path, p->np, err);

	if (rc == RB_OK) {
		p->np = part.np;
		if (append(p, &part) != RB_OK)
			rc = rb_fail(err, RB_ENOMEM, "%.200s: out of memory", path);
	}
	if (rc == RB_OK && part.incomplete && (!*why || weight(part.incomplete) > weight(*why))) {
		free(*why);
		*why = part.incomplete;
		part.incomplete = NULL;
	}
	profile_free(&part);
	return rc;
}

static int tell(struct profile *p, size_t files, const char *why, struct rb_error *err)
{
	const char *one_sided = profile_get(p, "one_sided_calls");
	const bool lacks = one_sided && strcmp(one_sided, "0") != 0;
	char text[512];

	snprintf(text, sizeof text, "%s; what %zu of %d ranks had counted until then is here%s%s%s",
		 why ? why : "the program died", files, p->np, lacks ? ", without " : "",
		 lacks ? one_sided : "", lacks ? " calls of one-sided communication" : "");
	profile_sort(p);
	return profile_set_incomplete(p, text) == RB_OK ? RB_OK
							: rb_fail(err, RB_ENOMEM, "out of memory");
}

enum { WAIT_MS = 50, WAITS = 60 };

/* The list, when it is as long as there are ranks. mpirun may end before all processes have; those
 * that SIGKILL has killed leave nothing, so the wait has an end. */
static int list_all(const char *folder, glob_t *found, struct rb_error *err)
{
	for (int waits = 0;; waits++) {
		struct profile one = { .np = 0 };

		RB_TRY(list(folder, found, err));
		if (found->gl_pathc > 0 && profile_read(&one, found->gl_pathv[0], 0, err) != RB_OK)
			one.np = 0;
		if (waits == WAITS || (found->gl_pathc > 0 && found->gl_pathc >= (size_t)one.np)) {
			profile_free(&one);
			return RB_OK;
		}
		profile_free(&one);
		globfree(found);
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_MS * 1000000L }, NULL);
	}
}

int spills_read(struct profile *p, const char *folder, struct rb_error *err)
{
	char *why = NULL;
	glob_t found;
	int rc;

	profile_init(p, 0);
	RB_TRY(list_all(folder, &found, err));
	if (found.gl_pathc == 0) {
		globfree(&found);
		return rb_fail(
			err, RB_EIO,
			"no process has written anything: none called MPI_Init, or all were killed "
			"by SIGKILL, or the program uses another MPI than Rollbench was built "
			"with, or is linked statically");
	}
	rc = RB_OK;
	for (size_t i = 0; rc == RB_OK && i < found.gl_pathc; i++)
		rc = join(p, found.gl_pathv[i], &why, err);
	if (rc == RB_OK)
		rc = tell(p, found.gl_pathc, why, err);
	free(why);
	globfree(&found);
	return rc;
}
