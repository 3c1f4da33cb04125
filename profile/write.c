#include "profile/profile.h"

#include "base/build.h"
#include "base/status.h"
#include "base/text.h"
#include "profile/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool print_compressed(const struct profile *p, FILE *to)
{
	FILE *deflating = gzip_writer(to);
	bool failed;

	if (!deflating)
		return false;
	profile_print(p, deflating);
	failed = ferror(deflating);
	return fclose(deflating) == 0 && !failed;
}

static bool print_to(const struct profile *p, const char *path, bool compressed)
{
	FILE *to = fopen(path, "we");
	bool written;

	if (!to)
		return false;
	written = true;
	if (compressed)
		written = print_compressed(p, to);
	else
		profile_print(p, to);
	written = written && !ferror(to);
	return fclose(to) == 0 && written;
}

int profile_write(const struct profile *p, const char *path, struct rb_error *err)
{
	size_t length = strlen(path);
	char *fresh = malloc(length + sizeof ".new");
	int reason;

	if (!fresh)
		return rb_fail(err, RB_EIO, "%s: out of memory", path);
	memcpy(fresh, path, length);
	memcpy(fresh + length, ".new", sizeof ".new");
	errno = 0;
	if (print_to(p, fresh, text_ends_with(path, ".gz")) && rename(fresh, path) == 0) {
		free(fresh);
		return RB_OK;
	}
	reason = errno ? errno : EIO;
	remove(fresh);
	free(fresh);
	if (reason == ENOPKG)
		return rb_fail(err, RB_EINVAL, "%s: %s; or write it without .gz", path,
			       library_remedy("isal"));
	return rb_fail(err, RB_EIO, "%s: %s", path, strerror(reason));
}
