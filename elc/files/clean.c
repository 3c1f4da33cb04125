/* Removing lines. */
#include "elc/files/clean.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMMITS, FOLDERS };

/* The line that this name belongs to as a commit or as a folder; -1: it is something else. */
static int64_t line_of(const char *name, int what)
{
	char expected[64];
	long long line;

	if (sscanf(name, "line-%lld", &line) != 1 || line < 0)
		return -1;
	snprintf(expected, sizeof expected, what == COMMITS ? "line-%lld.commit" : "line-%lld",
		 line);
	return strcmp(name, expected) ? -1 : line;
}

static int failed(const char *path, char why[ELC_TEXT])
{
	snprintf(why, ELC_TEXT, "%s: cannot be removed: %s", path, strerror(errno));
	return -1;
}

/* rank-R.state, rank-R.messages, and what was not finished of them. */
static int is_ours(const char *name)
{
	char end[32];
	int rank;

	return sscanf(name, "rank-%d.%31s", &rank, end) == 2 &&
	       (!strcmp(end, "state") || !strcmp(end, "messages") || !strcmp(end, "state.new") ||
		!strcmp(end, "messages.new"));
}

static int remove_folder(const char *path, char why[ELC_TEXT])
{
	struct dirent *entry;
	DIR *all = opendir(path);
	int rc = all ? 0 : failed(path, why);

	while (rc == 0 && (entry = readdir(all))) {
		if (is_ours(entry->d_name) && unlinkat(dirfd(all), entry->d_name, 0) &&
		    errno != ENOENT)
			rc = failed(path, why);
	}
	if (all)
		closedir(all);
	if (rc == 0 && rmdir(path) && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
		rc = failed(path, why);
	return rc;
}

static int clean(const char *dir, int64_t from, int64_t to, int what, char why[ELC_TEXT])
{
	struct dirent *entry;
	DIR *all = opendir(dir);
	int rc = all ? 0 : failed(dir, why);

	while (rc == 0 && (entry = readdir(all))) {
		const int64_t line = line_of(entry->d_name, what);
		char path[ELC_PATH];

		if (line < 0 || (line >= from && line <= to))
			continue;
		snprintf(path, sizeof path,
			 what == COMMITS ? "%s/line-%lld.commit" : "%s/line-%lld", dir,
			 (long long)line);
		if (what == FOLDERS)
			rc = remove_folder(path, why);
		else if (unlink(path) && errno != ENOENT)
			rc = failed(path, why);
	}
	if (all)
		closedir(all);
	return rc;
}

int elc_clean(const char *dir, int64_t from, int64_t to, char why[ELC_TEXT])
{
	return clean(dir, from, to, COMMITS, why) || clean(dir, from, to, FOLDERS, why) ? -1 : 0;
}
