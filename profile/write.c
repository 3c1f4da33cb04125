#include "profile/profile.h"

#include "base/build.h"
#include "base/replacement.h"
#include "base/status.h"
#include "base/text.h"
#include "profile/gzip.h"

#include <errno.h>
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

static bool print_to(const struct profile *p, const struct replacement *file, bool compressed)
{
	FILE *to = replacement_stream(file);
	bool written = true;

	if (!to)
		return false;
	if (compressed)
		written = print_compressed(p, to);
	else
		profile_print(p, to);
	written = written && !ferror(to);
	return fclose(to) == 0 && written;
}

int profile_write(const struct profile *p, const char *path, struct rb_error *err)
{
	struct replacement file;

	errno = 0;
	if (replacement_open(&file, path) != 0)
		return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
	if (print_to(p, &file, text_ends_with(path, ".gz")) && replacement_close(&file) == 0 &&
	    replacement_place(&file) >= 0)
		return RB_OK;
	if (!errno)
		errno = EIO;
	replacement_discard(&file);
	if (errno == ENOPKG)
		return rb_fail(err, RB_EINVAL, "%s: %s; or write it without .gz", path,
			       library_remedy("isal"));
	return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
}
