/* Commits of lines. */
#include "elc/files/commit.h"

#include "elc/core/crc.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void path_of(char path[ELC_PATH], const char *dir, int64_t line)
{
	snprintf(path, ELC_PATH, "%s/line-%lld.commit", dir, (long long)line);
}

/* The text of a commit up to its own checksum, or NULL without memory. */
static char *text_of(const struct elc_owner *who, const struct elc_sums_of_rank *sums,
		     size_t *bytes)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, bytes);
	int failed;

	if (!to)
		return NULL;
	fprintf(to, "elc-commit %d\nprogram %.*s\nprotocol %.*s\nline %lld\nnp %d\n", ELC_VERSION,
		ELC_PROGRAM - 1, who->program, ELC_PROTOCOL - 1, who->protocol,
		(long long)who->line, who->np);
	for (int r = 0; r < who->np; r++)
		fprintf(to, "rank %d state %08" PRIx32 " messages %08" PRIx32 "\n", r,
			sums[r].state, sums[r].messages);
	failed = ferror(to);
	if (fclose(to) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

int elc_commit_write(const char *dir, const struct elc_owner *who,
		     const struct elc_sums_of_rank *sums, char why[ELC_TEXT])
{
	char path[ELC_PATH], end[32];
	size_t bytes;
	char *text = text_of(who, sums, &bytes);
	int rc = -1;

	path_of(path, dir, who->line);
	if (text) {
		snprintf(end, sizeof end, "end %08" PRIx32 "\n", elc_crc(0, text, bytes));
		rc = elc_write_durably(
			path, (const struct elc_piece[]){ { text, bytes }, { end, strlen(end) } },
			2);
	}
	if (rc)
		snprintf(why, ELC_TEXT, "%s: cannot be written: %s", path, strerror(errno));
	free(text);
	return rc;
}

static const char *another_protocol(const char *found, const char *own)
{
	static char text[128]; /* until the next call */

	snprintf(text, sizeof text,
		 "is of a run with ELC_PROTOCOL=%s, and this one has ELC_PROTOCOL=%s", found, own);
	return text;
}

/* Read the checksums, write the text that they would give, and compare: whatever is damaged is
 * found. */
static const char *parse(char *text, size_t bytes, const struct elc_owner *who,
			 struct elc_sums_of_rank *sums)
{
	char program[ELC_PROGRAM], protocol[ELC_PROTOCOL], expected[32], *own;
	const char *at = strstr(text, "rank 0 ");
	long long line;
	int np, version, used = 0;
	size_t n;

	if (sscanf(text, "elc-commit %d", &version) == 1 && elc_file_version(version))
		return elc_file_version(version);
	if (sscanf(text, "elc-commit %*d program %63[^\n] protocol %15[a-z] line %lld np %d",
		   program, protocol, &line, &np) != 4 ||
	    !at)
		return "is no commit of a line, or is damaged";
	if (strcmp(program, who->program))
		return "is of another program";
	if (np != who->np)
		return "is of a run with another number of processes";
	if (strcmp(protocol, who->protocol))
		return another_protocol(protocol, who->protocol);
	for (int r = 0; r < np; r++, at += used) {
		int rank;

		if (sscanf(at, "rank %d state %" SCNx32 " messages %" SCNx32 "\n%n", &rank,
			   &sums[r].state, &sums[r].messages, &used) != 3 ||
		    rank != r)
			return "is damaged";
	}
	own = text_of(who, sums, &n);
	if (!own)
		return "cannot be checked: no memory";
	snprintf(expected, sizeof expected, "end %08" PRIx32 "\n", elc_crc(0, own, n));
	used = bytes == n + strlen(expected) && memcmp(own, text, n) == 0 &&
	       strcmp(text + n, expected) == 0;
	free(own);
	return used ? NULL : "is damaged (its checksum)";
}

int elc_commit_read(const char *dir, const struct elc_owner *who, struct elc_sums_of_rank *sums,
		    char why[ELC_TEXT])
{
	char path[ELC_PATH];
	const char *problem;
	size_t bytes;
	char *text;

	path_of(path, dir, who->line);
	text = elc_read_whole(path, &bytes);
	problem = text ? parse(text, bytes, who, sums) : strerror(errno);
	if (problem)
		snprintf(why, ELC_TEXT, "%s: %s", path, problem);
	free(text);
	return problem ? -1 : 0;
}

int64_t elc_commit_newest(const char *dir, int64_t below)
{
	int64_t newest = 0;
	struct dirent *entry;
	DIR *all = opendir(dir);

	if (!all)
		return -1;
	while ((entry = readdir(all))) {
		char expected[64];
		long long line;

		if (sscanf(entry->d_name, "line-%lld.commit", &line) != 1)
			continue;
		snprintf(expected, sizeof expected, "line-%lld.commit", line);
		if (strcmp(expected, entry->d_name) == 0 && line > newest && line < below)
			newest = line;
	}
	closedir(all);
	return newest;
}

int elc_commit_remove(const char *dir, int64_t line)
{
	char path[ELC_PATH];

	path_of(path, dir, line);
	return unlink(path) && errno != ENOENT ? -1 : 0;
}

int elc_commit_refuse(const char *dir, int64_t line)
{
	char path[ELC_PATH], refused[ELC_PATH + 16];

	path_of(path, dir, line);
	snprintf(refused, sizeof refused, "%s.refused", path);
	return rename(path, refused);
}
